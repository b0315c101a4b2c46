package store

import (
	"encoding/json"
	"maps"
	"slices"
)

// updateSuccessors brings inferencex_successors up to date. A run that comes,
// changes or is hidden moves others of its lines, all of one configuration.
func (l *Load) updateSuccessors() error {
	touched, err := json.Marshal(slices.Sorted(maps.Keys(l.touched)))
	if err != nil {
		return err
	}
	configs, err := l.integers(`SELECT DISTINCT config_id FROM inferencex_runs WHERE run_id IN (SELECT value FROM json_each(?))`, string(touched))
	if err != nil {
		return err
	}
	if l.inferencex != nil {
		configs = slices.AppendSeq(configs, maps.Keys(l.inferencex.moved))
	}
	slices.Sort(configs)
	for _, config := range slices.Compact(configs) {
		if _, err := l.exec(`DELETE FROM inferencex_successors WHERE run_id IN (SELECT run_id FROM inferencex_runs WHERE config_id = ?)`, config); err != nil {
			return err
		}
		_, err := l.exec(`INSERT INTO inferencex_successors (run_id, next_run_id) SELECT run_id, next_run_id FROM inferencex_line_order WHERE config_id = ?`, config)
		if err != nil {
			return err
		}
	}
	return nil
}

// successors compares the kept order of runs in their lines with the computed one.
func (c *derivedCheck) successors() error {
	wrong, err := c.f.l.texts(`
		SELECT DISTINCT ifnull(r.name, 'run_id ' || d.run_id) FROM (
			SELECT * FROM (SELECT run_id, next_run_id FROM inferencex_line_order EXCEPT SELECT run_id, next_run_id FROM inferencex_successors)
			UNION ALL
			SELECT * FROM (SELECT run_id, next_run_id FROM inferencex_successors EXCEPT SELECT run_id, next_run_id FROM inferencex_line_order)
		) d LEFT JOIN runs r ON r.run_id = d.run_id ORDER BY 1`)
	for _, name := range wrong {
		c.found(name, "the stored next run of its line is not the next newer one")
	}
	return err
}
