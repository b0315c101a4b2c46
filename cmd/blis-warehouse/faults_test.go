package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The tests of this file take from the program what it writes to or reads from.

// A fault is a command that cannot write what it must.
type fault struct {
	name string
	from string   // the fixture that w.db is a copy of, "" for none
	args []string // in a folder with w.db
	says string   // the file that the error names
}

// faults are the commands that write, given too little room. huge is a statement whose result is.
func faults(fixtures string) []fault {
	const huge = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 1000000) SELECT x, 'invented' FROM c"
	input := filepath.Join(fixtures, "new.ndjson")
	return []fault{
		{"load into a database", "base.db", []string{"load", "--db", "w.db", input}, "w.db"},
		{"load into a fresh file", "", []string{"load", "--db", "w.db", input}, "w.db"},
		{"migrate", "old.db", []string{"migrate", "--db", "w.db"}, "w.db"},
		{"backup", "base.db", []string{"backup", "--db", "w.db", "kept.db"}, "kept.db"},
		{"sql -o", "base.db", []string{"sql", "--db", "w.db", "--format", "csv", "-o", "out.csv", huge}, "out.csv"},
	}
}

// fails runs a command, which must end with 2 and one line that contains each
// of says, and must leave its folder as it was.
func fails(t *testing.T, cmd *exec.Cmd, dir string, says ...string) {
	t.Helper()
	before := names(t, dir)
	database, _ := os.ReadFile(filepath.Join(dir, "w.db"))
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	err := cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != exitTrouble {
		t.Errorf("exit code %d (%v): %s", code, err, stderr.String())
	}
	for _, s := range says {
		if !strings.Contains(stderr.String(), s) || strings.Count(stderr.String(), "\n") != 1 {
			t.Errorf("not a line that says %q: %s", s, stderr.String())
		}
	}
	if after := names(t, dir); !slices.Equal(before, after) {
		t.Errorf("the folder held %q and now holds %q", before, after)
	}
	now, _ := os.ReadFile(filepath.Join(dir, "w.db"))
	if !bytes.Equal(withoutCounters(database), withoutCounters(now)) {
		t.Error("the database changed")
	}
}

// TestFileSizeLimit gives each command files that may not grow: neither a
// signal nor a write that fails half way leaves anything.
func TestFileSizeLimit(t *testing.T) {
	fixtures := fixtures(t, 400)
	for _, f := range faults(fixtures) {
		t.Run(f.name, func(t *testing.T) {
			for _, kib := range []int{0, 16, 300} {
				dir := t.TempDir()
				if f.from != "" {
					copyFile(t, filepath.Join(fixtures, f.from), filepath.Join(dir, "w.db"))
				}
				path, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
				must(t, err)
				limited := exec.Command("/bin/sh", append([]string{"-c", fmt.Sprintf(`ulimit -f %d; exec "$@"`, 2*kib), "sh", path}, f.args...)...)
				fails(t, limited, dir, f.says)
			}
		})
	}
}

// asNobody has a command run without the rights of root, and gives the folders to it.
func asNobody(t *testing.T, cmd *exec.Cmd, dirs ...string) *exec.Cmd {
	t.Helper()
	if os.Getuid() != 0 {
		return cmd
	}
	const nobody = 65534
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	for _, dir := range dirs {
		must(t, filepath.WalkDir(dir, func(path string, _ os.DirEntry, err error) error {
			if err != nil {
				return err
			}
			return os.Chown(path, nobody, nobody)
		}))
	}
	return cmd
}

// reachableFolder is a temporary folder that others than its owner can reach, with
// the program in it.
func reachableFolder(t *testing.T) (dir, path string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "blis-warehouse-faults-")
	must(t, err)
	t.Cleanup(func() {
		filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
			if err == nil && e.IsDir() {
				os.Chmod(path, 0o755)
			}
			return nil
		})
		os.RemoveAll(dir)
	})
	must(t, os.Chmod(dir, 0o755))
	installed, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
	must(t, err)
	path = filepath.Join(dir, "blis-warehouse")
	copyFile(t, installed, path)
	must(t, os.Chmod(path, 0o755))
	return dir, path
}

// TestReadOnlyPlaces holds that a database at rest is read where nothing can
// be written, that nothing is created there, and that what must write says why
// it cannot.
func TestReadOnlyPlaces(t *testing.T) {
	fixtures := fixtures(t, 40)
	root, path := reachableFolder(t)
	closed, open := filepath.Join(root, "closed"), filepath.Join(root, "open")
	for _, dir := range []string{closed, open} {
		must(t, os.Mkdir(dir, 0o755))
		copyFile(t, filepath.Join(fixtures, "base.db"), filepath.Join(dir, "w.db"))
	}
	copyFile(t, filepath.Join(fixtures, "new.ndjson"), filepath.Join(root, "new.ndjson"))
	copyFile(t, filepath.Join(fixtures, "old.db"), filepath.Join(open, "old.db"))
	command := func(args ...string) *exec.Cmd { return asNobody(t, exec.Command(path, args...)) }
	asNobody(t, exec.Command(path), closed, open)
	must(t, os.Chmod(closed, 0o555))
	must(t, os.Chmod(filepath.Join(open, "w.db"), 0o444))
	must(t, os.Chmod(filepath.Join(open, "old.db"), 0o444))

	t.Run("reading in a closed folder", func(t *testing.T) {
		for _, args := range [][]string{{"sql", "SELECT count(*) FROM runs"}, {"check"}, {"query", "coverage"}, {"backup", filepath.Join(open, "kept.db")}} {
			cmd := command(append([]string{args[0], "--db", "w.db"}, args[1:]...)...)
			cmd.Dir = closed
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %v: %s", args[0], err, out)
			}
		}
		if left := names(t, closed); !slices.Equal(left, []string{"w.db"}) {
			t.Errorf("created %q", left)
		}
		if got, want := content(t, filepath.Join(open, "kept.db")), content(t, filepath.Join(closed, "w.db")); got != want {
			t.Error("the backup is another database")
		}
	})
	t.Run("writing in a closed folder", func(t *testing.T) {
		for _, args := range [][]string{{"load", "--db", "w.db", "../new.ndjson"}, {"load", "--db", "fresh.db", "../new.ndjson"}, {"migrate", "--db", "fresh.db"},
			{"backup", "--db", "w.db", "kept.db"}, {"sql", "--db", "w.db", "-o", "out.csv", "SELECT 1"}} {
			fails(t, command(args...), closed, "permission denied")
		}
	})
	t.Run("a closed file", func(t *testing.T) {
		fails(t, command("load", "--db", "w.db", "../new.ndjson"), open, "w.db", "readonly")
		fails(t, command("load", "--db", "w.db", "--dry-run", "../new.ndjson"), open, "w.db", "readonly")
		fails(t, command("migrate", "--db", "old.db"), open, "old.db", "readonly")
	})
	t.Run("a file that may not be read", func(t *testing.T) {
		must(t, os.Chmod(filepath.Join(root, "new.ndjson"), 0))
		must(t, os.Chown(filepath.Join(root, "new.ndjson"), os.Getuid(), os.Getgid()))
		fails(t, command("load", "--db", "x.db", "../new.ndjson"), open, "new.ndjson", "permission denied")
		must(t, os.Chmod(filepath.Join(open, "w.db"), 0))
		cmd := command("sql", "--db", "w.db", "SELECT 1")
		cmd.Dir = open
		if out, err := cmd.CombinedOutput(); err == nil || !bytes.Contains(out, []byte("w.db")) {
			t.Errorf("%v: %s", err, out)
		}
	})
}

// TestPermissionLost takes the right to write its folder from a load that is
// at work. It has what it needs open, so it ends well or not at all, and the
// database is readable either way.
func TestPermissionLost(t *testing.T) {
	fixtures := fixtures(t, 400)
	before := content(t, filepath.Join(fixtures, "base.db"))
	for _, from := range []string{"base.db", ""} {
		root, path := reachableFolder(t)
		dir := filepath.Join(root, "data")
		must(t, os.Mkdir(dir, 0o755))
		want := []string{""}
		if from != "" {
			copyFile(t, filepath.Join(fixtures, from), filepath.Join(dir, "w.db"))
			want[0] = before
		}
		copyFile(t, filepath.Join(fixtures, "new.ndjson"), filepath.Join(root, "new.ndjson"))
		cmd := asNobody(t, exec.Command(path, "load", "--db", "w.db", "../new.ndjson"), dir)
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		must(t, cmd.Start())
		for start := time.Now(); time.Since(start) < 30*time.Second; {
			if len(names(t, dir)) > 1+len(from)/len("base.db") { // besides the database and the lock
				break
			}
		}
		must(t, os.Chmod(dir, 0o555))
		cmd.Wait()
		code := cmd.ProcessState.ExitCode()
		must(t, os.Chmod(dir, 0o755))
		if _, err := os.Stat(filepath.Join(dir, "w.db")); err == nil {
			succeed(t, "check", "--db", filepath.Join(dir, "w.db"))
		}
		got := content(t, filepath.Join(dir, "w.db"))
		switch {
		case code == exitDone && got != want[0]:
			if !strings.Contains(stderr.String(), "w.db-wal") {
				t.Logf("it was over before: %s", stderr.String())
			}
		case code == exitTrouble && got == want[0] && strings.Contains(stderr.String(), "w.db"):
		default:
			t.Errorf("from %q: exit code %d: %s", from, code, stderr.String())
		}
		again := exec.Command(path, "load", "--db", "w.db", "../new.ndjson")
		again.Dir = dir
		if out, err := again.CombinedOutput(); err != nil {
			t.Errorf("from %q: the next load: %v: %s", from, err, out)
		}
		atRest(t, filepath.Join(dir, "w.db"))
		if left := names(t, dir); !slices.Equal(left, []string{"w.db"}) {
			t.Errorf("left %q", left)
		}
		succeed(t, "check", "--db", filepath.Join(dir, "w.db"))
	}
}

// TestInputThatIsNotThere holds that a load whose input cannot be read leaves
// the very bytes of the database.
func TestInputThatIsNotThere(t *testing.T) {
	fixtures := fixtures(t, 20)
	dir := t.TempDir()
	copyFile(t, filepath.Join(fixtures, "base.db"), filepath.Join(dir, "w.db"))
	before, err := os.ReadFile(filepath.Join(dir, "w.db"))
	must(t, err)
	for _, input := range []string{"nowhere.json", "w.db/x", "/dev/zero"} {
		fails(t, program(t, "load", "--db", "w.db", filepath.Join(fixtures, "new.ndjson"), input), dir, input)
	}
	if after, err := os.ReadFile(filepath.Join(dir, "w.db")); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database changed (%v)", err)
	}
}

// TestLogInAClosedFolder holds what becomes of the log of a killed load where
// nothing can be written: with all three files it is read, with the log's index
// missing it is refused with a sentence.
func TestLogInAClosedFolder(t *testing.T) {
	fixtures := fixtures(t, 20)
	live := filepath.Join(t.TempDir(), "w.db")
	copyFile(t, filepath.Join(fixtures, "base.db"), live)
	db, err := sql.Open("sqlite", live+"?_pragma=journal_mode(WAL)")
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	_, err = db.Exec("INSERT INTO loads (loaded_at, tool, local) VALUES ('2026-01-02T03:04:05Z', 'test', 0)")
	must(t, err)
	root, path := reachableFolder(t)
	for _, files := range [][]string{{"w.db", "w.db-shm", "w.db-wal"}, {"w.db", "w.db-wal"}, {"w.db"}} {
		dir := filepath.Join(root, fmt.Sprint(len(files)))
		must(t, os.Mkdir(dir, 0o755))
		for _, name := range files {
			copyFile(t, filepath.Join(filepath.Dir(live), name), filepath.Join(dir, name))
		}
		cmd := asNobody(t, exec.Command(path, "sql", "--db", "w.db", "--format", "csv", "SELECT count(*) AS n FROM loads"), dir)
		must(t, os.Chmod(dir, 0o555))
		cmd.Dir = dir
		var stderr bytes.Buffer
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		switch {
		case len(files) == 3 && (err != nil || string(out) != "n\r\n2\r\n"):
			t.Errorf("%q: %v: %s%s", files, err, out, stderr.String())
		case len(files) < 3 && (cmd.ProcessState.ExitCode() != exitTrouble || !strings.Contains(stderr.String(), "left in the middle of a write")):
			t.Errorf("%q: %v: %s%s", files, err, out, stderr.String())
		}
		if left := names(t, dir); !slices.Equal(left, files) {
			t.Errorf("%q became %q", files, left)
		}
		// Who may write there puts it to rest by reading it.
		must(t, os.Chmod(dir, 0o755))
		succeed(t, "sql", "--db", filepath.Join(dir, "w.db"), "SELECT 1")
		atRest(t, filepath.Join(dir, "w.db"))
	}
}
