package inferencex

import (
	"reflect"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// dumpFolder is an invented dump of the publisher's database.
func dumpFolder(results ...object) fstest.MapFS {
	config := apiRow()
	for k := range config {
		if id, ok := rowIDs[k]; ok && (configKeys|keysOf(keyID))&(1<<id) == 0 {
			delete(config, k)
		}
	}
	array := func(list ...object) *fstest.MapFile {
		var parts []string
		for _, o := range list {
			parts = append(parts, o.String())
		}
		return &fstest.MapFile{Data: []byte("[" + strings.Join(parts, ",\n") + "]")}
	}
	return fstest.MapFS{
		"configs.json": array(config.with("id", 7), config.with("id", 8, "framework", "sglang-disagg")),
		"workflow_runs.json": array(object{"id": "31", "github_run_id": "123456789", "run_attempt": 2, "name": "sweep", "status": "completed", "conclusion": "success",
			"head_sha": "ab", "head_branch": "main", "html_url": "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/123456789",
			"created_at": "2026-05-04T00:00:01Z", "run_started_at": "2026-05-04 03:00:00+00", "date": "2026-05-04T00:00:00.000Z"}),
		"benchmark_results.json": array(results...),
	}
}

func result() object {
	return object{"id": "99", "workflow_run_id": 31, "config_id": 7, "benchmark_type": "single_turn", "date": "2026-05-04T00:00:00.000Z", "isl": 1024, "osl": 1024,
		"conc": 32, "image": "vllm/vllm-openai:v0.10.2", "metrics": object{"median_ttft": 0.42}, "error": nil, "server_log_id": nil}
}

func readDump(t *testing.T, folder fstest.MapFS, opts Options) ([]record.InferenceXRow, Summary) {
	t.Helper()
	var rows []record.InferenceXRow
	sum, err := ReadDump(folder, opts, func(r *record.InferenceXRow) error { rows = append(rows, *r); return nil },
		func(record.InferenceXTableRow) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return rows, sum
}

func TestReadDump(t *testing.T) {
	folder := dumpFolder(result(), result().with("config_id", 8, "conc", 64), result().with("error", "server died", "metrics", nil))
	if !IsDump(folder) || IsDump(fstest.MapFS{"configs.json": {}}) || len(DumpFiles(folder)) != 3 {
		t.Error("dump folders are not told apart")
	}
	rows, sum := readDump(t, folder, Options{Strict: true})
	if len(rows) != 3 || sum.Rows != 3 || sum.Failed != 1 || sum.Refused != 0 || len(sum.Problems) != 0 {
		t.Fatalf("%+v", sum)
	}
	r := rows[0]
	if r.Config.Hardware != "h200" || r.Date != "2026-05-04" || r.RunStartedAt != "2026-05-04T03:00:00Z" || *r.ID != 99 || *r.WorkflowRunID != 31 || !r.Official {
		t.Errorf("%+v", r)
	}
	if r.RunURL != "https://github.com/SemiAnalysisAI/InferenceX/actions/runs/123456789/attempts/2" || r.GitHubRunID != 123456789 || r.RunAttempt != 2 {
		t.Errorf("run %s %d %d", r.RunURL, r.GitHubRunID, r.RunAttempt)
	}
	api := readOne(t, apiRow().String(), Options{})
	a, _ := RunIdentity(&api)
	if d, _ := RunIdentity(&r); a != d {
		t.Errorf("the API's row is of run %s, the dump's of %s", a, d)
	}
	if rows[1].Config.Framework != "mori-sglang" || !rows[1].Config.Disagg || rows[1].RawFramework != "sglang-disagg" {
		t.Errorf("%+v", rows[1].Config)
	}
	if f := rows[2]; !f.Failed || f.Error != "server died" || !strings.Contains(f.JSON, `"error":"server died"`) {
		t.Errorf("%+v", f)
	}
}

func TestReadDumpProblems(t *testing.T) {
	for _, test := range []struct {
		path, rule string
		row        object
	}{
		{"config_id", "unknown-config", result().with("config_id", 5)},
		{"workflow_run_id", "unknown-run", result().with("workflow_run_id", 5)},
		{"config_id", "missing-key", result().with("config_id", absent)},
		{"metrics", "missing-key", result().with("metrics", nil)},
		{"date", "date", result().with("date", "2026-05-04T01:00:00Z")},
	} {
		rows, sum := readDump(t, dumpFolder(result(), test.row), Options{})
		if p := onlyProblem(t, sum); len(rows) != 1 || sum.Refused != 1 || p.Path != "benchmark_results[1]."+test.path || p.Rule != test.rule || p.Line != 2 {
			t.Errorf("%s: %+v", test.path, p)
		}
	}
	folder := dumpFolder(result())
	delete(folder, "workflow_runs.json")
	_, sum := readDump(t, folder, Options{})
	if len(sum.Problems) != 2 || sum.Problems[0].Rule != "missing-table" {
		t.Errorf("%+v", sum.Problems)
	}
	folder = dumpFolder(result())
	folder["benchmark_results.json"] = &fstest.MapFile{Data: []byte("PGDMP")}
	_, sum = readDump(t, folder, Options{})
	if p := onlyProblem(t, sum); !strings.Contains(p.Message, "pg_restore") {
		t.Errorf("%+v", p)
	}
	folder["benchmark_results.json"] = &fstest.MapFile{Data: []byte("[{]")}
	_, sum = readDump(t, folder, Options{})
	if p := onlyProblem(t, sum); p.Rule != "json" || p.Path != "benchmark_results" {
		t.Errorf("%+v", p)
	}
}

// FuzzOtherTables holds that whatever a table of a dump has, it is read to its
// end or refused, each thing is handed on once, and problems name their table.
func FuzzOtherTables(f *testing.F) {
	for i := range otherTables {
		f.Add(i, `[{"id":"1","workflow_run_id":"31","config_id":"7","task":"gsm8k","date":"2026-05-04","isl":null,"osl":1024,"conc":"4","metrics":{"a":1,"b":"x","c":[1]},
			"hardware":"h200","n_success":1,"total":0,"config_keys":[ "a" , "b" ],"description":"d","pr_link":"p","model":"dsr1","precision":"fp8","framework":"vllm",
			"spec_method":null,"disagg":"false","benchmark_type":null}]`)
		f.Add(i, `[{"config_keys":"a","base_ref":"b"},{"config_keys":[],"id":2},{"config_keys":[[]]},7]`)
		f.Add(i, `{"workflow_run_id":31}`)
		f.Add(i, `[{"metrics":{"a":1,"a":null}},{"metrics":{"":{}}}]`)
	}
	f.Fuzz(func(t *testing.T, table int, data string) {
		table = int(uint(table) % uint(len(otherTables)))
		name := otherTables[table].name
		folder := dumpFolder(result())
		folder[name+".json"] = &fstest.MapFile{Data: []byte(data)}
		seen := map[record.InferenceXPlace]bool{}
		sum, err := ReadDump(folder, Options{}, func(*record.InferenceXRow) error { return nil }, func(row record.InferenceXTableRow) error {
			at := *row.Place()
			if seen[at] || at.Position < 1 || at.Table != name && at.Table != tableRuns {
				t.Errorf("handed on from %+v", at)
			}
			seen[at] = true
			return nil
		})
		if err != nil || sum.Rows != 1 || sum.Refused != 0 {
			t.Errorf("%v %+v", err, sum)
		}
		for _, p := range sum.Problems {
			if !strings.HasPrefix(p.Path, name) {
				t.Errorf("%+v", p)
			}
		}
	})
}

// FuzzDump holds that whatever the three tables have that make benchmark rows,
// a dump is read to its end or refused, every row that is handed on is whole and
// says of which run it is, and a second reading is the same.
func FuzzDump(f *testing.F) {
	tables := []string{"configs", "workflow_runs", "benchmark_results"}
	good := dumpFolder(result())
	for i, table := range tables {
		f.Add(i, string(good[table+".json"].Data))
		f.Add(i, strings.ReplaceAll(string(good[table+".json"].Data), "},", "}\n"))
		f.Add(i, `[{"id":7},{"id":"7","config_id":null},7,[],{}]`)
		f.Add(i, `{"id":1e99,"workflow_run_id":-1,"config_id":"x","conc":0}`)
		f.Add(i, "\x1f\x8b")
		f.Add(i, "[")
	}
	f.Add(2, "["+result().with("error", "died", "metrics", nil).String()+","+result().with("conc", "8", "workers", []any{object{"role": "decode"}}).String()+"]")
	f.Fuzz(func(t *testing.T, table int, data string) {
		name := tables[int(uint(table)%uint(len(tables)))]
		read := func() (rows []record.InferenceXRow, sum Summary, others int) {
			folder := dumpFolder(result())
			folder[name+".json"] = &fstest.MapFile{Data: []byte(data)}
			sum, err := ReadDump(folder, Options{NewRow: func() *record.InferenceXRow { return new(record.InferenceXRow) }},
				func(r *record.InferenceXRow) error { rows = append(rows, *r); return nil },
				func(record.InferenceXTableRow) error { others++; return nil })
			if err != nil {
				t.Fatal(err)
			}
			return rows, sum, others
		}
		rows, sum, others := read()
		if len(rows) != sum.Rows || sum.Failed > sum.Rows || sum.Refused > len(sum.Problems) {
			t.Fatalf("%d rows, %+v", len(rows), sum)
		}
		for i := range rows {
			r := &rows[i]
			if r.Conc < 1 || r.Config.Hardware == "" || r.BenchmarkType == "" || r.Config.SpecMethod == "" || r.GitHubRunID > 0 && r.RunAttempt < 1 {
				t.Fatalf("incomplete row %+v", r)
			}
			if name, _ := RunIdentity(r); !IsRunName(name) {
				t.Fatalf("its run is called %s", name)
			}
		}
		again, sum2, others2 := read()
		if !reflect.DeepEqual(rows, again) || !reflect.DeepEqual(sum, sum2) || others != others2 {
			t.Fatalf("a second reading differs: %+v, %+v", sum, sum2)
		}
	})
}
