package main

import (
	"bytes"
	"crypto/sha256"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/store"
)

// The tests of this file kill the program at random moments and look at what
// it leaves. They do it a few times in "make test" and hundreds of times in
// "make soak", which sets SOAK_KILLS to the number of kills of each scenario and
// SOAK_ROWS to the size of its input.

// kills is how often a scenario is killed, and rows the size of its input.
func kills(short int) (n, rows int) { return soak("SOAK_KILLS", short), soak("SOAK_ROWS", 200) }

// soak is a number that "make soak" sets in the environment, or what is short enough for "make test".
func soak(name string, short int) int {
	if n, err := strconv.Atoi(os.Getenv(name)); err == nil && n > 0 {
		return n
	}
	return short
}

// inventedRows writes a capture of n rows, ten to a run, all in runs from the first on.
func inventedRows(t *testing.T, file string, first, n int) {
	t.Helper()
	var b strings.Builder
	for i := range n {
		run := first + i/10
		fmt.Fprintf(&b, `{"hardware":"h200","framework":"vllm","model":"dsr1","precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,`+
			`"prefill_tp":8,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":8,"decode_ep":1,"decode_dp_attention":false,`+
			`"decode_num_workers":0,"num_prefill_gpu":8,"num_decode_gpu":8,"isl":1024,"osl":1024,"conc":%d,"recipe_fingerprint":"%064x",`+
			`"metrics":{"median_ttft":%v,"p99_ttft":%v,"median_tpot":%v,"tput_per_gpu":%v},"date":"2026-01-02",`+
			`"run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"}`+"\n",
			1<<(i%10), run, 0.1+float64(i)/1000, 0.5+float64(i)/500, 0.01+float64(i)/1e6, 100+i, 100000000+run)
	}
	must(t, os.WriteFile(file, []byte(b.String()), 0o644))
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// here runs the program in this process and returns its exit code and what it printed.
func here(args ...string) (code int, stdout, stderr string) {
	var out, errs bytes.Buffer
	code = run(args, strings.NewReader(""), &out, &errs)
	return code, out.String(), errs.String()
}

// succeed runs the program in this process and fails the test where it does.
func succeed(t *testing.T, args ...string) {
	t.Helper()
	if code, out, errs := here(args...); code != exitDone {
		t.Fatalf("%q: exit code %d\n%s%s", args, code, out, errs)
	}
}

// program is a command of the program for a process of its own.
func program(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
	must(t, err)
	return exec.Command(path, args...)
}

// content digests what a database holds but for the ledger, "" where there is
// none. What SQLite finds wrong with it fails the test.
func content(t *testing.T, path string) string {
	t.Helper()
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	if found := lines(t, db, `PRAGMA integrity_check`); !slices.Equal(found, []string{"[ok]"}) {
		t.Fatalf("%s: integrity_check: %q", path, found)
	}
	h := sha256.New()
	for _, table := range lines(t, db, `SELECT name FROM sqlite_schema WHERE type = 'table' AND name <> 'sqlite_sequence' ORDER BY name`) {
		table = strings.Trim(table, "[]")
		if slices.Contains(store.LedgerTables(), table) {
			continue
		}
		rows := lines(t, db, `SELECT * FROM "`+table+`"`)
		slices.Sort(rows)
		fmt.Fprintf(h, "%s %d %q\n", table, len(rows), rows)
	}
	return fmt.Sprintf("%x", h.Sum(nil))
}

// lines are the rows of a query as text.
func lines(t *testing.T, db *sql.DB, query string) (all []string) {
	t.Helper()
	rows, err := db.Query(query)
	must(t, err)
	defer rows.Close()
	columns, err := rows.Columns()
	must(t, err)
	values, dest := make([]any, len(columns)), make([]any, len(columns))
	for i := range values {
		dest[i] = &values[i]
	}
	for rows.Next() {
		must(t, rows.Scan(dest...))
		all = append(all, fmt.Sprint(values))
	}
	must(t, rows.Err())
	return all
}

// copyFile copies a file.
func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	must(t, err)
	must(t, os.WriteFile(to, data, 0o644))
}

// names are the names of what a folder holds.
func names(t *testing.T, dir string) (all []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		all = append(all, e.Name())
	}
	return all
}

// A scenario is a command that is ended at some moment.
type scenario struct {
	name   string
	args   []string
	from   string // the file that w.db is a copy of, "" for none
	result string // the file that the command makes or changes
	old    bool   // the database is of an older schema, which check refuses
	files  []string
}

// fixtures makes the files that the scenarios start from: base.db, old.db of an
// earlier schema, and new.ndjson, a capture that neither has.
func fixtures(t *testing.T, rows int) string {
	t.Helper()
	dir := t.TempDir()
	base, old := filepath.Join(dir, "base.db"), filepath.Join(dir, "old.db")
	if os.Getenv("SOAK_KILLS") != "" {
		bulkyCatalog(t, filepath.Join(dir, "bulky"), 20)
	}
	inventedRows(t, filepath.Join(dir, "base.ndjson"), 0, rows)
	inventedRows(t, filepath.Join(dir, "new.ndjson"), rows, rows)
	succeed(t, "load", "--db", base, filepath.Join(dir, "base.ndjson"))
	succeed(t, "migrate", "--db", old, "--to", "9")
	db, err := sql.Open("sqlite", old)
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec(`ATTACH ? AS full`, base)
	must(t, err)
	for _, table := range lines(t, db, `SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'goose_db_version' ORDER BY rowid`) {
		table = strings.Trim(table, "[]")
		_, err := db.Exec(`DELETE FROM main.` + table + `; INSERT INTO main.` + table + ` SELECT * FROM full.` + table)
		must(t, err)
	}
	return dir
}

// scenarios are the commands that write. fixtures made what they need.
func scenarios(fixtures string) []scenario {
	input := filepath.Join(fixtures, "new.ndjson")
	all := []scenario{
		{name: "load into a fresh file", args: []string{"load", "--db", "w.db", input}, result: "w.db", files: []string{"w.db"}},
		{name: "load into a database", args: []string{"load", "--db", "w.db", input}, from: "base.db", result: "w.db", files: []string{"w.db"}},
		{name: "migrate", args: []string{"migrate", "--db", "w.db"}, from: "old.db", result: "w.db", old: true, files: []string{"w.db", "w.db.backup-v9"}},
		{name: "backup", args: []string{"backup", "--db", "w.db", "kept.db"}, from: "base.db", result: "kept.db", files: []string{"kept.db", "w.db"}},
	}
	if os.Getenv("SOAK_KILLS") != "" { // pages reach the disk before the commit
		bulky := filepath.Join(fixtures, "bulky")
		all = append(all, scenario{name: "load that outgrows its cache", args: []string{"load", "--db", "w.db", bulky}, from: "base.db", result: "w.db", files: []string{"w.db"}})
	}
	return all
}

// scene is a scenario with what comes before and after it.
type scene struct {
	scenario
	fixtures      string
	before, after string        // the content of the result
	source        []byte        // w.db as it is before
	takes         time.Duration // the whole command, at its quickest
}

// rehearse runs the scenario to its end.
func rehearse(t *testing.T, s scenario, fixtures string) *scene {
	t.Helper()
	p := &scene{scenario: s, fixtures: fixtures}
	dir := p.set(t)
	p.before = content(t, filepath.Join(dir, s.result))
	if s.from != "" {
		var err error
		p.source, err = os.ReadFile(filepath.Join(dir, "w.db"))
		must(t, err)
	}
	cmd := program(t, s.args...)
	cmd.Dir = dir
	start := time.Now()
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	p.takes = time.Since(start)
	p.after = content(t, filepath.Join(dir, s.result))
	if p.before == p.after {
		t.Fatal("the command changes nothing")
	}
	if got := names(t, dir); !slices.Equal(got, s.files) {
		t.Fatalf("left %q", got)
	}
	return p
}

// set makes a folder in which the scenario can be run.
func (p *scene) set(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	if p.from != "" {
		copyFile(t, filepath.Join(p.fixtures, p.from), filepath.Join(dir, "w.db"))
	}
	return dir
}

// moment is when the i-th of n is ended: one half at any moment, the other in
// its last third and shortly after, where the commit and the rename are.
func (p *scene) moment(rnd *rand.Rand, i int) time.Duration {
	if i%2 == 0 {
		return time.Duration(rnd.Float64() * 1.05 * float64(p.takes))
	}
	return time.Duration((0.7 + 0.7*rnd.Float64()) * float64(p.takes))
}

// end runs the scenario and sends it a signal after a while.
func (p *scene) end(t *testing.T, dir string, signal syscall.Signal, after time.Duration) error {
	t.Helper()
	cmd := program(t, p.args...)
	cmd.Dir = dir
	start := time.Now()
	must(t, cmd.Start())
	timer := time.AfterFunc(after, func() { cmd.Process.Signal(signal) })
	defer timer.Stop()
	err := cmd.Wait()
	if err == nil { // it was quicker than thought
		p.takes = min(p.takes, time.Since(start))
	}
	return err
}

// TestKilled kills every command that writes with SIGKILL. Afterwards the
// result is what it was before or what it is after the whole command; check
// passes; and the command done again ends in what it ends in undisturbed.
func TestKilled(t *testing.T) {
	n, rows := kills(6)
	dir := fixtures(t, rows)
	rnd := rand.New(rand.NewSource(time.Now().UnixNano()))
	for _, s := range scenarios(dir) {
		t.Run(s.name, func(t *testing.T) {
			p := rehearse(t, s, dir)
			outcomes := map[string]int{}
			var after time.Duration
			for i := range n {
				dir := p.set(t)
				after = p.moment(rnd, i)
				err := p.end(t, dir, syscall.SIGKILL, after)
				outcome := p.inspect(t, dir)
				if err == nil && outcome != "after" {
					t.Errorf("the command ended well and the result is as %s it", outcome)
				}
				if err != nil {
					outcome = "killed, " + outcome
				}
				outcomes[outcome]++
				p.again(t, dir)
				if t.Failed() {
					t.Fatalf("killed after %v of %v, left %q", after, p.takes, names(t, dir))
				}
				must(t, os.RemoveAll(dir))
			}
			if outcomes["killed, before"] == 0 {
				t.Errorf("no kill came in time: %v", outcomes)
			}
			t.Logf("%d times, %v undisturbed: %v", n, p.takes, outcomes)
		})
	}
}

// inspect looks at what an ended command left, as the next command would find it.
func (p *scene) inspect(t *testing.T, dir string) string {
	t.Helper()
	if _, err := os.Stat(filepath.Join(dir, "w.db")); err == nil && !p.old {
		succeed(t, "check", "--db", filepath.Join(dir, "w.db"))
		for _, name := range names(t, dir) { // check puts to rest what it finds
			if strings.HasPrefix(name, "w.db-") && name != "w.db-journal" { // one that was not begun: the next write drops it
				t.Errorf("after check there is %s", name)
			}
		}
	}
	switch content(t, filepath.Join(dir, p.result)) {
	case p.before:
		return "before"
	case p.after:
		return "after"
	}
	t.Error("the result is neither as before nor as after the command")
	return "neither"
}

// again runs the command once more, which must complete it.
func (p *scene) again(t *testing.T, dir string) {
	t.Helper()
	args := slices.Clone(p.args)
	args[2] = filepath.Join(dir, args[2])
	if p.result != "w.db" {
		args[3] = filepath.Join(dir, args[3])
	}
	code, _, errs := here(args...)
	existed := p.result == "kept.db" && code == exitTrouble && strings.Contains(errs, "exists")
	if code != exitDone && !existed {
		t.Errorf("the next %s: exit code %d: %s", p.name, code, errs)
	}
	if content(t, filepath.Join(dir, p.result)) != p.after {
		t.Errorf("after the next %s the result is another than undisturbed", p.name)
	}
	succeed(t, "check", "--db", filepath.Join(dir, "w.db"))
	left := slices.DeleteFunc(names(t, dir), func(name string) bool { return existed && strings.HasPrefix(name, ".kept.db.backup-") })
	if !slices.Equal(left, p.files) {
		t.Errorf("left %q, want %q", left, p.files)
	}
	if p.old {
		backup, err := os.ReadFile(filepath.Join(dir, p.files[1]))
		if err != nil || !bytes.Equal(backup, p.source) {
			t.Errorf("the backup is not what the database was (%v)", err)
		}
	}
}

// TestInterruptedAnywhere sends SIGINT and SIGTERM to every command that
// writes. It ends with 130, then nothing has changed and nothing is left, or
// had done its work already.
func TestInterruptedAnywhere(t *testing.T) {
	n, rows := kills(3)
	dir := fixtures(t, rows)
	rnd := rand.New(rand.NewSource(time.Now().UnixNano()))
	for _, s := range scenarios(dir) {
		t.Run(s.name, func(t *testing.T) {
			p := rehearse(t, s, dir)
			outcomes := map[string]int{}
			for i := range n {
				dir := p.set(t)
				signal := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM}[i%2]
				after := p.moment(rnd, i/2)
				err := p.end(t, dir, signal, after)
				var exit *exec.ExitError
				switch {
				case err == nil:
					outcomes["done"]++
					if got := p.inspect(t, dir); got != "after" {
						t.Errorf("%v after %v: done, but the result is as %s", signal, after, got)
					}
				case !errors.As(err, &exit):
					t.Fatal(err)
				case exit.ExitCode() == exitInterrupted:
					outcomes["interrupted"]++
					p.untouched(t, dir)
				case !exit.Exited(): // it came before the program could look out for signals
					outcomes["not yet begun"]++
					p.untouched(t, dir)
				default:
					t.Errorf("%v after %v: exit code %d", signal, after, exit.ExitCode())
				}
				if t.Failed() {
					t.Fatalf("%v after %v of %v, left %q", signal, after, p.takes, names(t, dir))
				}
				must(t, os.RemoveAll(dir))
			}
			if outcomes["interrupted"] == 0 && n > 10 {
				t.Errorf("no signal came in time: %v", outcomes)
			}
			t.Logf("%d times, %v undisturbed: %v", n, p.takes, outcomes)
		})
	}
}

// untouched holds that a folder is as the scenario found it.
func (p *scene) untouched(t *testing.T, dir string) {
	t.Helper()
	var want []string
	if p.from != "" {
		want = []string{"w.db"}
		now, err := os.ReadFile(filepath.Join(dir, "w.db"))
		if err != nil || !bytes.Equal(withoutCounters(now), withoutCounters(p.source)) {
			t.Errorf("the database changed (%v)", err)
		}
	}
	if left := names(t, dir); !slices.Equal(left, want) {
		t.Errorf("left %q, want %q", left, want)
	}
}
