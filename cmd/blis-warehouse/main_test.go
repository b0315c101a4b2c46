package main

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

func TestMain(m *testing.M) {
	// Tests run commands in this process too: the bound that some set must be there before SQLite is used.
	if err := store.LimitMemory(maxStatementMemory); err != nil {
		panic(err)
	}
	testscript.Main(m, map[string]func(){"blis-warehouse": main})
}

// TestScripts runs the program end to end. Besides testscript's own commands
// there are
//
//	mkdb FILE SCRIPT    make a database with our application id and schema version and run the SQL file SCRIPT in it
//	rawdb FILE SCRIPT   make a database and run SCRIPT in it
//	crlf FILE           end the lines of a file with CR LF
//	code N CMD ARGS...  run the program and compare its exit code
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("BLIS_WAREHOUSE_DB", "")
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"mkdb": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(makeDatabase(ts.MkAbs(args[0]), fmt.Sprintf(`PRAGMA application_id = %d;
					CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL);
					INSERT INTO goose_db_version (version_id, is_applied) VALUES (%d, 1);`, store.ApplicationID, migrations.Latest())+ts.ReadFile(args[1])))
			},
			"rawdb": func(ts *testscript.TestScript, _ bool, args []string) {
				ts.Check(makeDatabase(ts.MkAbs(args[0]), ts.ReadFile(args[1])))
			},
			"crlf": func(ts *testscript.TestScript, _ bool, args []string) {
				text := strings.ReplaceAll(ts.ReadFile(args[0]), "\n", "\r\n")
				ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(text), 0o666))
			},
			"code": func(ts *testscript.TestScript, _ bool, args []string) {
				code := "0"
				if err := ts.Exec(args[1], args[2:]...); err != nil {
					exit, ok := err.(interface{ ExitCode() int })
					if !ok {
						ts.Fatalf("%v", err)
					}
					code = fmt.Sprint(exit.ExitCode())
				}
				if code != args[0] {
					ts.Fatalf("exit code %s, want %s", code, args[0])
				}
			},
		},
	})
}

func makeDatabase(path, script string) error {
	db, err := sql.Open("sqlite", path)
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.Exec(script)
	return err
}

// TestInterrupt holds that a signal ends an endless statement with 130 and
// leaves no file.
func TestInterrupt(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := makeDatabase("w.db", fmt.Sprintf("PRAGMA application_id = %d; CREATE TABLE goose_db_version (version_id, is_applied); INSERT INTO goose_db_version VALUES (%d, 1)", store.ApplicationID, migrations.Latest())); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c",
		"WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 0 UNION ALL SELECT count(*) FROM c",
		"", // waits for standard input
	} {
		args := []string{"sql", "--db", "w.db", "--format", "csv", "-o", "out.csv"}
		if query != "" {
			args = append(args, query)
		}
		code, stderr := runInterrupted(t, args, query != "")
		if code != exitInterrupted || stderr != "" {
			t.Errorf("%s: exit code %d, stderr %q", query, code, stderr)
		}
		left, err := filepath.Glob("*out.csv*")
		if hidden, _ := filepath.Glob(".*"); err != nil || len(left)+len(hidden) > 0 {
			t.Errorf("%s: left %q %q", query, left, hidden)
		}
	}
}

// awaitOutput waits until the program has begun to write the file of -o.
func awaitOutput() {
	for range 1000 {
		if begun, _ := filepath.Glob(".out.csv.*"); len(begun) > 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// runInterrupted runs the program, sends it SIGINT once it is at work on its
// statement, or reads one from standard input where it has none, and returns
// its exit code and what it wrote on stderr.
func runInterrupted(t *testing.T, args []string, statement bool) (int, string) {
	t.Helper()
	program, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	stdin, err := cmd.StdinPipe() // stays open: the program waits
	if err != nil {
		t.Fatal(err)
	}
	defer stdin.Close()
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		if statement {
			awaitOutput()
		} else {
			// More than a pipe holds: it is written when the program reads.
			io.WriteString(stdin, strings.Repeat("-- \n", 1<<15))
		}
		cmd.Process.Signal(syscall.SIGINT)
	}()
	err = cmd.Wait()
	if err == nil {
		return 0, stderr.String()
	}
	exit, ok := err.(*exec.ExitError)
	if !ok {
		t.Fatal(err)
	}
	return exit.ExitCode(), stderr.String()
}

// TestInterruptedLoad holds that a signal during a load ends it with 130 and
// leaves the database as it was, without a journal that others would have to roll back.
func TestInterruptedLoad(t *testing.T) {
	t.Chdir(t.TempDir())
	program, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(program, "migrate", "--db", "w.db").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	before, err := os.ReadFile("w.db")
	if err != nil {
		t.Fatal(err)
	}
	var rows strings.Builder // invented, and enough to be at work for a while
	for i := range 40_000 {
		fmt.Fprintf(&rows, `{"hardware":"h200","framework":"vllm","model":"dsr1","precision":"fp8","spec_method":"none","disagg":false,"is_multinode":false,`+
			`"prefill_tp":8,"prefill_ep":1,"prefill_dp_attention":false,"prefill_num_workers":0,"decode_tp":8,"decode_ep":1,"decode_dp_attention":false,`+
			`"decode_num_workers":0,"num_prefill_gpu":8,"num_decode_gpu":8,"isl":1024,"osl":1024,"conc":%d,"metrics":{"median_ttft":%d},"date":"2026-01-02",`+
			`"run_url":"https://github.com/SemiAnalysisAI/InferenceX/actions/runs/%d/attempts/1"}`+"\n", 1+i%10, i, 100000000+i/10)
	}
	if err := os.WriteFile("rows.ndjson", []byte(rows.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, "load", "--db", "w.db", "rows.ndjson")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for range 1000 { // until the load is at work
		if _, err := os.Stat("w.db-wal"); err == nil {
			break
		}
		time.Sleep(10 * time.Millisecond)
	}
	cmd.Process.Signal(syscall.SIGINT)
	var exit *exec.ExitError
	if err := cmd.Wait(); !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted {
		t.Fatalf("ended with %v", err)
	}
	after, err := os.ReadFile("w.db")
	if err != nil || !bytes.Equal(withoutCounters(before), withoutCounters(after)) {
		t.Errorf("the database changed (%v)", err)
	}
	if left, _ := filepath.Glob("w.db?*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// withoutCounters is a database without the counters of changes in SQLite's
// header, which turning to the write-ahead log and back raises.
func withoutCounters(db []byte) []byte {
	db = bytes.Clone(db)
	for _, field := range [][2]int{{24, 28}, {92, 100}} { // file change counter; version-valid-for and the writer's version
		if len(db) >= field[1] {
			clear(db[field[0]:field[1]])
		}
	}
	return db
}
