package export

import (
	"fmt"
	"reflect"
	"strings"

	"github.com/parquet-go/parquet-go"
)

// ParquetColumn describes a column of a Parquet export.
type ParquetColumn struct {
	Name  string `json:"name"`
	Type  string `json:"type"`           // as the engines' SQL writes it
	Null  bool   `json:"null"`           // whether it can be NULL
	Unit  string `json:"unit,omitempty"` // of a number, "" where it has none
	About string `json:"about"`
}

// ParquetColumns are the columns of a Parquet export, in their order.
func ParquetColumns() []ParquetColumn {
	fields := parquetSchema().Fields()
	row := reflect.TypeFor[parquetRow]()
	columns := make([]ParquetColumn, len(fields))
	for i, f := range fields { // in the order of the struct's fields
		tag := row.Field(i).Tag
		columns[i] = ParquetColumn{Name: f.Name(), Type: parquetType(f), Null: f.Optional(), Unit: tag.Get("unit"), About: tag.Get("about")}
	}
	return columns
}

// parquetType is the type of a column in the words of SQL.
func parquetType(n parquet.Node) string {
	if !n.Leaf() {
		if n.Type().String() == "LIST" {
			return parquetType(n.Fields()[0].Fields()[0]) + "[]"
		}
		var members []string
		for _, f := range n.Fields() {
			members = append(members, f.Name()+" "+parquetType(f))
		}
		return "STRUCT(" + strings.Join(members, ", ") + ")"
	}
	switch t := n.Type(); t.String() {
	case "STRING":
		return "VARCHAR"
	case "INT64", "INT(64,true)":
		return "BIGINT"
	case "DOUBLE", "BOOLEAN", "DATE":
		return t.String()
	default:
		return fmt.Sprintf("(%s)", t)
	}
}
