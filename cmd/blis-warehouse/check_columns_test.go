package main

import (
	"bytes"
	"database/sql"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

// untold are the columns of the logical content of which check cannot tell
// that a value was changed, and why.
var untold = map[string]string{}

// Whatever column of whatever table is changed in one row, check finds it: a
// value for another, a value for NULL, and NULL for a value, in a row of each
// origin of runs. What the schema does not permit cannot come to be. It tries a
// fortieth of the changes, some of every table, and all with BLIS_WAREHOUSE_SOAK=1.
func TestCheckFindsEveryColumn(t *testing.T) {
	full := fullDatabase(t)
	if code, found := checkDatabase(t, full); code != exitDone || len(found) > 0 {
		t.Fatalf("a good database: exit code %d, %q", code, found)
	}
	content, err := os.ReadFile(full)
	if err != nil {
		t.Fatal(err)
	}
	db := openPlain(t, full)
	var empty []string
	told, all, step := map[string]bool{}, 0, 40
	if os.Getenv("BLIS_WAREHOUSE_SOAK") != "" {
		step = 1
	}
	for _, table := range texts(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite\_%' ESCAPE '\' ORDER BY name`) {
		if slices.Contains(store.LedgerTables(), table) && !strings.HasSuffix(table, "_digests") { // it says how the content came, not what it is
			continue
		}
		if len(texts(t, db, `SELECT 'x' FROM "`+table+`" LIMIT 1`)) == 0 && table != "supersession_cycles" { // a cycle is a finding itself
			empty = append(empty, table)
		}
		number := 0 // of the change, in the table
		for _, column := range texts(t, db, `SELECT name FROM pragma_table_info('`+table+`')`) {
			if ownKey(table, column) {
				continue
			}
			for _, change := range changesOf(t, db, table, column) {
				if number++; number%step != 1%step {
					continue
				}
				all++
				t.Run(table+"."+column, func(t *testing.T) {
					t.Parallel()
					path := filepath.Join(t.TempDir(), "changed.db")
					if err := os.WriteFile(path, content, 0o644); err != nil {
						t.Fatal(err)
					}
					done, possible := change.apply(t, path)
					if !possible {
						return
					}
					code, found := checkDatabase(t, path)
					if _, known := untold[table+"."+column]; known {
						if len(found) > 0 {
							t.Errorf("%s: found, though it is called untold: %q", done, found)
						}
						return
					}
					if code != exitFindings || len(found) == 0 {
						t.Errorf("not found: %s", done)
					}
				})
			}
			told[table+"."+column] = true
		}
	}
	t.Logf("%d changes of %d columns", all, len(told))
	if len(empty) > 0 {
		t.Errorf("the database has no rows in %q", empty)
	}
	for column := range untold {
		if !told[column] {
			t.Errorf("there is no column %s", column)
		}
	}
}

// ownKey tells whether a column is the surrogate key of its table: which number it is says nothing.
func ownKey(table, column string) bool {
	return slices.ContainsFunc(store.NaturalKeys(), func(k store.NaturalKey) bool { return k.Owner == table && k.Column == column })
}

// columnChange is a change of a column in one row.
type columnChange struct {
	table, column string
	row           string   // a condition that one row fulfils
	candidates    []string // SQL expressions for the new value, the first that the schema permits is taken
}

// changesOf are the changes that are tried of a column: in a row with a value
// and one without, of each origin of runs that has such.
func changesOf(t *testing.T, db *sql.DB, table, column string) (all []columnChange) {
	t.Helper()
	origin := "''"
	columns := texts(t, db, `SELECT name FROM pragma_table_info('`+table+`')`)
	switch {
	case table == "runs":
		origin = "t.origin"
	case slices.Contains(columns, "run_id"):
		origin = "(SELECT r.origin FROM runs r WHERE r.run_id = t.run_id)"
	case slices.Contains(columns, "point_id"):
		origin = "(SELECT r.origin FROM runs r JOIN points p ON p.run_id = r.run_id WHERE p.point_id = t.point_id)"
	}
	var keys []string // of the table's rows
	if key := texts(t, db, `SELECT name FROM pragma_table_info('`+table+`') WHERE pk > 0 ORDER BY pk`); len(key) > 0 {
		keys = key
	} else {
		keys = []string{"rowid"}
	}
	condition := "'" + `"` + keys[0] + `" IS ' || quote(t."` + keys[0] + `")`
	for _, k := range keys[1:] {
		condition += ` || ' AND "` + k + `" IS ' || quote(t."` + k + `")`
	}
	first := func(where string) []string {
		return texts(t, db, `SELECT `+condition+` FROM "`+table+`" t WHERE `+where+` GROUP BY `+origin+` ORDER BY `+origin)
	}
	name := `"` + column + `"`
	values := candidates(t, db, table, column)
	for _, row := range first("t." + name + " IS NOT NULL") {
		all = append(all, columnChange{table, column, row, values}, columnChange{table, column, row, []string{"NULL"}})
	}
	for _, row := range first("t." + name + " IS NULL") {
		all = append(all, columnChange{table, column, row, values})
	}
	return all
}

var quoted = regexp.MustCompile(`'[^']*'`)

// candidates are new values for a column: those of other rows, the words that
// the schema permits, and what its type makes of the old one.
func candidates(t *testing.T, db *sql.DB, table, column string) (all []string) {
	t.Helper()
	name := `"` + column + `"`
	all = texts(t, db, `SELECT DISTINCT quote(`+name+`) FROM "`+table+`" WHERE `+name+` IS NOT NULL ORDER BY 1 LIMIT 3`)
	for _, s := range texts(t, db, `SELECT sql FROM sqlite_schema WHERE name = '`+table+`'`) {
		if _, check, found := strings.Cut(s, "CHECK ("+column+" IN ("); found {
			check, _, _ = strings.Cut(check, "))")
			all = append(all, quoted.FindAllString(check, -1)...)
		}
	}
	switch kind := texts(t, db, `SELECT type FROM pragma_table_info('`+table+`') WHERE name = '`+column+`'`)[0]; kind {
	case "INTEGER":
		all = append(all, "1 - "+name, name+" + 1", name+" + 1000000", "1", "2")
	case "REAL":
		all = append(all, name+" * 1.5 + 0.25", name+" / 2", "0.5")
	case "TEXT":
		all = append(all, name+" || 'x'", "'2026-01-05'", "'x'", `'[1]'`, `'{"x":1}'`)
	case "BLOB":
		all = append(all, "CAST("+name+" || 'x' AS BLOB)")
	case "ANY":
		all = append(all, name+" || 'x'")
	default:
		t.Fatalf("%s.%s is a %s", table, column, kind)
	}
	return all
}

// apply makes the change in a database, with all that the schema demands.
// possible tells whether it permits one.
func (c *columnChange) apply(t *testing.T, path string) (done string, possible bool) {
	t.Helper()
	db := openPlain(t, path)
	name := `"` + c.column + `"`
	for _, value := range c.candidates {
		update := `UPDATE "` + c.table + `" SET ` + name + ` = ` + value + ` WHERE ` + c.row + ` AND ` + name + ` IS NOT ` + value
		r, err := db.Exec(update)
		if err != nil {
			continue
		}
		if n, err := r.RowsAffected(); err == nil && n > 0 {
			return update, true
		}
	}
	return "", false
}

// openPlain opens a database as any program may.
func openPlain(t *testing.T, path string) *sql.DB {
	t.Helper()
	db, err := sql.Open("sqlite", "file:"+path+"?_pragma=foreign_keys(1)")
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	t.Cleanup(func() { db.Close() })
	return db
}

func texts(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	if err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	defer rows.Close()
	for rows.Next() {
		var s string
		if err := rows.Scan(&s); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
		all = append(all, s)
	}
	if err := rows.Err(); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return all
}

// fields are the members of a JSON object.
type fields map[string]any

func (f fields) with(more fields) fields {
	f = maps.Clone(f)
	maps.Copy(f, more)
	return f
}

// fullDatabase makes a database that has rows in every table of the logical
// content but the one of cycles: the demonstration, and of InferenceX what that lacks. All of it is invented.
func fullDatabase(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "full.db")
	demo := func(name string) string { return filepath.Join("..", "..", "testdata", "demo", name) }
	const actions = "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/"
	configuration := fields{
		"hardware": "h200", "framework": "vllm", "model": "dsr1", "precision": "fp8", "spec_method": "none", "disagg": false, "is_multinode": false,
		"prefill_tp": 8, "prefill_ep": 1, "prefill_dp_attention": false, "prefill_num_workers": 0,
		"decode_tp": 8, "decode_ep": 1, "decode_dp_attention": false, "decode_num_workers": 0, "num_prefill_gpu": 8, "num_decode_gpu": 8,
	}
	row := configuration.with(fields{"isl": 1024, "osl": 1024, "conc": 4, "image": "vllm/vllm-openai:v0.10.2", "date": "2026-01-02", "run_url": actions + "100000001/attempts/1",
		"recipe_fingerprint": "ab", "id": 99, "workflow_run_id": 31, "hardware": "cluster:H200-nv", "framework": "vLLM", "precision": "FP8",
		"workers": []any{fields{"role": "decode"}}, "power_audit": fields{"n": 1}, "power_invalid_reasons": []any{"short"}, "novel_key": 3,
		"metrics": fields{"p50_ttft": 0.25, "median_tpot": 0.01, "avg_power_w": 500, "novel_metric": 7, "router_name": "r"}})
	artifact := fields{"hw": "b200-nv", "tp": 8, "ep": 1, "dp_attention": "false", "conc": 16, "model": "deepseek-ai/DeepSeek-R1-0528",
		"framework": "sglang", "precision": "fp8", "tput_per_gpu": 100.5, "median_ttft": 0.25}
	day := "2026-01-02T00:00:00.000Z"
	for name, content := range map[string]any{
		"first.json": []fields{row, row.with(fields{"conc": 8}), row.with(fields{"run_url": actions + "100000001/attempts/2", "run_started_at": "2026-01-02T03:00:00Z"})},
		"later.json": []fields{row.with(fields{"date": "2026-01-03", "metrics": fields{"median_tpot": 0.02}}),
			row.with(fields{"run_url": actions + "100000001/attempts/2", "run_started_at": "2026-01-02T04:00:00Z"})},
		"artifacts/agg_1k1k.json": []fields{artifact, artifact.with(fields{"median_ttft": 0.75}), artifact.with(fields{"conc": 8})},
		"dump/configs.json":       []fields{configuration.with(fields{"id": 7})},
		"dump/benchmark_results.json": []fields{{"id": 98, "workflow_run_id": 31, "config_id": 7, "benchmark_type": "single_turn", "date": day, "isl": 1024, "osl": 1024, "conc": 2,
			"metrics": fields{"median_ttft": 0.2}}, {"id": 97, "workflow_run_id": 31, "config_id": 7, "benchmark_type": "single_turn", "date": day, "isl": 1024, "osl": 1024, "conc": 1,
			"error": "server died", "metrics": nil}},
		"dump/workflow_runs.json": []fields{{"id": 31, "github_run_id": 100000009, "run_attempt": 1, "name": "sweep", "status": "completed", "conclusion": "success", "head_sha": "ab",
			"head_branch": "main", "html_url": actions + "100000009", "created_at": "2026-01-02 01:30:00+00", "run_started_at": "2026-01-02 03:00:00+00", "date": day},
			{"id": 32, "github_run_id": 100000010, "run_attempt": 1}},
		"dump/eval_results.json": []fields{{"id": 501, "workflow_run_id": 31, "config_id": 7, "task": "gsm8k", "date": day, "isl": 1024, "osl": 1024, "conc": 64, "lm_eval_version": "0.4.9",
			"metrics": fields{"em_strict": 0.9375, "filter": "strict"}}, {"id": 502, "config_id": 7, "task": "gpqa", "date": day, "metrics": fields{"acc": 0.5}}},
		"dump/run_stats.json": []fields{{"id": 1, "workflow_run_id": 31, "date": day, "hardware": "h200", "n_success": 3, "total": 4}},
		"dump/changelog_entries.json": []fields{{"id": 901, "workflow_run_id": 31, "date": day, "base_ref": "ab", "head_ref": "cd", "config_keys": []string{"dsr1-fp8-h200"},
			"description": "Newer image", "pr_link": "https://example.org/pull/1"}, {"id": 902, "config_keys": nil}},
		"dump/availability.json": []fields{{"model": "dsr1", "isl": 1024, "osl": 1024, "precision": "fp8", "hardware": "h200", "framework": "vllm", "spec_method": "none", "disagg": false, "date": day},
			{"model": "dsr1", "isl": nil, "osl": nil, "precision": "fp8", "hardware": "h200", "framework": "vllm", "spec_method": "none", "disagg": false, "benchmark_type": "agentic_traces", "date": day}},
	} {
		b, err := json.Marshal(content)
		if err == nil {
			err = os.MkdirAll(filepath.Dir(filepath.Join(dir, name)), 0o777)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, name), b, 0o666)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for _, input := range []string{demo("files/demo-h100-tp4-first.yaml"), demo("catalog"), demo("evaluations"), demo("captures"),
		filepath.Join(dir, "first.json"), filepath.Join(dir, "later.json"), filepath.Join(dir, "artifacts"), filepath.Join(dir, "dump"),
		filepath.Join("..", "..", "loader", "testdata", "bodies"), filepath.Join("..", "..", "loader", "testdata", "asked"), filepath.Join("..", "..", "loader", "testdata", "captured")} {
		var stderr bytes.Buffer
		if code := run([]string{"--db", path, "load", input}, strings.NewReader(""), io.Discard, &stderr); code != exitDone {
			t.Fatalf("load %s ended with %d: %s", input, code, stderr.Bytes())
		}
	}
	return path
}

// A run that is gone with all that it had is found, also where nothing refers to
// it, and so is a configuration that no capture brought.
func TestCheckFindsWhatIsGoneAltogether(t *testing.T) {
	full := fullDatabase(t)
	damages := []string{`INSERT INTO inferencex_configs SELECT NULL, 'h999', framework, model, precision, spec_method, disagg, is_multinode, prefill_tp, prefill_ep, prefill_dp_attention,
		prefill_num_workers, decode_tp, decode_ep, decode_dp_attention, decode_num_workers, num_prefill_gpu, num_decode_gpu FROM inferencex_configs LIMIT 1`}
	// Any other would be missed by its content.
	for _, name := range texts(t, openPlain(t, full), `SELECT name FROM runs r WHERE origin = 'inferencex'
		AND (content_id IS NULL OR EXISTS (SELECT 1 FROM runs o WHERE o.content_id = r.content_id AND o.run_id <> r.run_id)) ORDER BY name`) {
		damages = append(damages, `DELETE FROM runs WHERE name = '`+name+`'`)
	}
	if len(damages) < 2 {
		t.Fatal("no run could be gone unnoticed")
	}
	for _, damage := range damages {
		path := filepath.Join(t.TempDir(), "w.db")
		copyFile(t, full, path)
		db := openPlain(t, path)
		if _, err := db.Exec(damage); err != nil {
			t.Fatalf("%s: %v", damage, err)
		}
		must(t, db.Close())
		if code, found := checkDatabase(t, path); code != exitFindings {
			t.Errorf("%s: exit code %d, %q", damage, code, found)
		}
	}
}

// A database of the schema before there were digests gets them when it is
// migrated, the same that loads would have made.
func TestDigestsAfterMigration(t *testing.T) {
	full := fullDatabase(t)
	files, err := fs.Glob(migrations.FS(), "*_inferencex_digests.sql")
	if err != nil || len(files) != 1 {
		t.Fatalf("%q, %v", files, err)
	}
	number, _, _ := strings.Cut(files[0], "_")
	before, err := strconv.Atoi(number)
	if err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(t.TempDir(), "old.db")
	if code := run([]string{"--db", old, "migrate", "--to", strconv.Itoa(before - 1)}, strings.NewReader(""), io.Discard, io.Discard); code != exitDone {
		t.Fatalf("migrate --to ended with %d", code)
	}
	db, err := sql.Open("sqlite", old)
	if err != nil {
		t.Fatal(err)
	}
	db.SetMaxOpenConns(1)
	exec := func(query string, args ...any) {
		t.Helper()
		if _, err := db.Exec(query, args...); err != nil {
			t.Fatalf("%s: %v", query, err)
		}
	}
	exec(`ATTACH ? AS full`, full)
	for _, table := range texts(t, db, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%' AND name NOT IN ('goose_db_version', 'inferencex_row_digests')`) {
		columns := strings.Join(texts(t, db, `SELECT '"' || name || '"' FROM pragma_table_info('`+table+`', 'main')`), ", ")
		exec(`DELETE FROM main."` + table + `"`)
		exec(`INSERT INTO main."` + table + `" (` + columns + `) SELECT ` + columns + ` FROM full."` + table + `"`)
	}
	db.Close()
	if code := run([]string{"--db", old, "migrate"}, strings.NewReader(""), io.Discard, io.Discard); code != exitDone {
		t.Fatalf("migrate ended with %d", code)
	}
	if code, found := checkDatabase(t, old); code != exitDone {
		t.Errorf("exit code %d, %q", code, found)
	}
	for _, query := range []string{
		`SELECT point_id || ' ' || digest FROM inferencex_row_digests ORDER BY point_id`,
		`SELECT run_id || ' ' || digest FROM inferencex_run_digests ORDER BY run_id`,
		`SELECT table_name || ' ' || part || ' ' || digest FROM inferencex_table_digests
			WHERE table_name NOT LIKE 'inferencex\_api\_%' ESCAPE '\' AND table_name NOT IN ('inferencex_bodies', 'inferencex_id_captures', 'inferencex_ids') -- which came later
			ORDER BY table_name, part`,
	} {
		got, want := texts(t, openPlain(t, old), query), texts(t, openPlain(t, full), query)
		if !slices.Equal(got, want) || len(want) < 5 {
			t.Errorf("%s: got %q, want %q", query, got, want)
		}
	}
}
