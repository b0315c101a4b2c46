package store

import "slices"

// updateFlags makes the flags of the touched InferenceX runs anew. What is
// flagged, the view computed_flags says; the table keeps it for quick answers.
func (l *Load) updateFlags() error {
	if l.inferencex == nil {
		return nil
	}
	var runs int
	if _, err := l.queryRow(`SELECT count(*) FROM inferencex_runs`, nil, &runs); err != nil {
		return err
	}
	const few = 20 // one in so many: then one pass over all is quicker than one by one
	if len(l.touched)*few >= runs {
		if _, err := l.exec(`DELETE FROM flags`); err != nil {
			return err
		}
		_, err := l.exec(`INSERT INTO flags (run_id, point_id, code, subject, measured, expected) SELECT * FROM computed_flags`)
		return err
	}
	touched := make([]int64, 0, len(l.touched))
	for id := range l.touched {
		touched = append(touched, id)
	}
	slices.Sort(touched)
	for _, id := range touched {
		if _, err := l.exec(`DELETE FROM flags WHERE run_id = ?`, id); err != nil {
			return err
		}
		_, err := l.exec(`INSERT INTO flags (run_id, point_id, code, subject, measured, expected) SELECT * FROM computed_flags WHERE run_id = ?`, id)
		if err != nil {
			return err
		}
	}
	return nil
}

// FlaggedPoints returns the keys of the points that are flagged, themselves or with their run.
func (l *Load) FlaggedPoints() (map[int64]bool, error) {
	ids, err := l.integers(`SELECT DISTINCT point_id FROM flagged_points`)
	if err != nil {
		return nil, err
	}
	flagged := make(map[int64]bool, len(ids))
	for _, id := range ids {
		flagged[id] = true
	}
	return flagged, nil
}
