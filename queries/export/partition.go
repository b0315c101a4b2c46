package export

import (
	"context"
	"maps"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/store"
)

// PartitionColumns are the columns that Options.Partition can name.
func PartitionColumns() []string { return []string{"model", "hardware"} }

// partition is the part of a selection whose runs have the same values in some
// columns.
type partition struct {
	folder    string // "model=<value>/hardware=<value>", see partitionFolder
	selection *Selection
}

// partitions are the parts of a selection by the values of columns, in the
// order of their folders. The runs of a part are in the order of the selection.
// A selection without runs has no parts.
func partitions(ctx context.Context, r *store.Reader, s *Selection, columns []string) ([]partition, error) {
	ids := make([]int64, len(s.Runs))
	for i := range s.Runs {
		ids[i] = s.Runs[i].id
	}
	list, err := array(ids)
	if err != nil {
		return nil, err
	}
	runs := map[string][]Chosen{}
	err = query(ctx, r, "partitions", map[string]any{"runs": list}, func(c *cells) error {
		run := &s.Runs[c.whole()]
		folder := partitionFolder(columns, map[string]string{"model": c.text(), "hardware": c.text()})
		runs[folder] = append(runs[folder], *run)
		return nil
	})
	if err != nil {
		return nil, err
	}
	parts := make([]partition, 0, len(runs))
	for _, folder := range slices.Sorted(maps.Keys(runs)) {
		parts = append(parts, partition{folder, &Selection{Request: s.Request, Runs: runs[folder]}})
	}
	return parts, nil
}

// partitionFolder is the folder of a partition as Hive lays them out, a level
// for each column.
func partitionFolder(columns []string, values map[string]string) string {
	levels := make([]string, len(columns))
	for i, column := range columns {
		levels[i] = column + "=" + partitionValue(values[column])
	}
	return strings.Join(levels, "/")
}

// hiveNull is what stands for NULL in the name of a partition's folder.
const hiveNull = "__HIVE_DEFAULT_PARTITION__"

// partitionValue is a value as a part of a folder's name: ASCII other than
// letters, digits, dot, hyphen and underscore is percent-escaped, so that no
// value leaves the folder or adds a level. Letters of other scripts stay as
// they are, for not every engine joins escaped bytes to letters. "" is NULL;
// what an engine would take for NULL has its first letter escaped.
func partitionValue(value string) string {
	if value == "" {
		return hiveNull
	}
	looksNull := strings.EqualFold(value, "null") || value == hiveNull
	const hex = "0123456789ABCDEF"
	var b strings.Builder
	for i := range len(value) {
		c := value[i]
		plain := c >= 0x80 || c == '.' || c == '-' || c == '_' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z'
		if !plain || looksNull && i == 0 {
			b.Write([]byte{'%', hex[c>>4], hex[c&15]})
			continue
		}
		b.WriteByte(c)
	}
	return b.String()
}
