package store

import (
	"database/sql"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// storedPoint is a point of an InferenceX run as the database has it.
type storedPoint struct {
	id, conc int64
	image    int64 // 0 for none
	columns  columnSet
	known    [record.NumInferenceXColumns]float64
}

// readPoints calls each with the points of an InferenceX run, in their order.
// The point is overwritten when each returns.
func (l *Load) readPoints(run int64, each func(*storedPoint) error) error {
	var p storedPoint
	dest := []any{&p.id, &p.conc, &p.image}
	var values [record.NumInferenceXColumns]sql.NullFloat64
	for i := range values {
		dest = append(dest, &values[i])
	}
	return l.query(selectRunSQL, []any{run}, func(scan func(...any) error) error {
		if err := scan(dest...); err != nil {
			return err
		}
		p.columns = 0
		for i, v := range values {
			p.known[i] = v.Float64
			if v.Valid {
				p.columns |= 1 << i
			}
		}
		return each(&p)
	})
}

// selectRunSQL reads all metric columns of the points of a run.
var selectRunSQL = func() string {
	names := make([]string, record.NumInferenceXColumns)
	for i, c := range record.InferenceXColumns {
		names[i] = "x." + c.Column
	}
	return "SELECT p.point_id, p.concurrency, ifnull(x.image_id, 0), " + strings.Join(names, ", ") +
		" FROM points p JOIN inferencex_points x ON x.point_id = p.point_id WHERE p.run_id = ? ORDER BY p.position"
}()
