package store

import (
	"context"
	"database/sql"
	"testing"
)

// Whatever is wrong in a derived table, the check finds it.
func TestCheckDerivedFinds(t *testing.T) {
	for _, damage := range []string{
		`UPDATE run_contents SET signature = 'x' || signature`,
		`UPDATE run_contents SET value_count = value_count + 1`,
		`UPDATE run_contents SET block = 'x'`,
		`UPDATE runs SET content_id = NULL WHERE name = 'a'`,
		`UPDATE catalog_values SET value = value + 1 WHERE point_id = (SELECT min(point_id) FROM points)`,
		`DELETE FROM content_keys`,
		`DELETE FROM content_anchors`,
		`DELETE FROM blocking_metrics`,
		`DELETE FROM content_overlaps`,
		`UPDATE content_overlaps SET shared_values = 99`,
		`DELETE FROM content_groups`,
		`DELETE FROM declaration_components`,
		`UPDATE declaration_components SET component = 'zz'`,
		`DELETE FROM content_combinations`,
		`UPDATE content_anchors SET block = 'x'`,
		`INSERT INTO supersession_cycles VALUES ('a')`,
		`INSERT INTO run_contents (signature, block, value_count) VALUES ('extra', 'x', 1)`,
	} {
		w := newWarehouse(t)
		w.load(func(l *Load) {
			save(t, l, exactRun("a", 1, 2, 3))
			save(t, l, exactRun("b", 1, 2))
			r := exactRun("c", 1, 2)
			r.DuplicateOf = "b"
			save(t, l, r)
		})
		db, err := sql.Open("sqlite", w.path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := db.Exec(damage); err != nil {
			t.Fatalf("%s: %v", damage, err)
		}
		db.Close()
		findings, err := CheckDerived(context.Background(), w.path)
		if err != nil {
			t.Fatalf("%s: %v", damage, err)
		}
		if len(findings) == 0 {
			t.Errorf("%s: nothing found", damage)
		}
	}
}
