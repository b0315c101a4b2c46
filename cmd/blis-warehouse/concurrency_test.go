package main

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

// longestWait is how long a load may make a reader wait beyond what the disk
// takes: a tenth of a second at its beginning and at its end, and the rest for a
// machine that is busy.
const longestWait = time.Second

// bulkyCatalog writes run files so bulky that few of them outgrow the cache of
// a load, as a million rows do.
func bulkyCatalog(t *testing.T, dir string, n int) {
	t.Helper()
	document, err := os.ReadFile("../../testdata/demo/files/demo-lone-file.yaml")
	must(t, err)
	comment := strings.Repeat("# invented, and of no use but to be long\n", 25_000)
	must(t, os.MkdirAll(dir, 0o755))
	for i := range n {
		text := strings.Replace(string(document), "name: demo-lone-file", fmt.Sprintf("name: bulky-%02d", i), 1)
		must(t, os.WriteFile(filepath.Join(dir, fmt.Sprintf("bulky-%02d.yaml", i)), []byte(text+comment), 0o644))
	}
}

// countWatched is one statement, so that what it counts is of one state.
const countWatched = `SELECT (SELECT count(*) FROM runs), (SELECT count(*) FROM points), (SELECT count(*) FROM loads)`

// watch reads the database over and over until done is closed, and returns
// what it saw and how long it took at most to open the database and to count.
func watch(t *testing.T, path string, done <-chan struct{}) (seen map[string]int, longest time.Duration) {
	seen = map[string]int{}
	next := time.NewTicker(10 * time.Millisecond) // the load needs the processor too
	defer next.Stop()
	for {
		select {
		case <-done:
			return seen, longest
		case <-next.C:
		}
		start := time.Now()
		got, err := counted(t.Context(), path)
		if err != nil {
			t.Errorf("a reader beside the load: %v", err)
			return seen, longest
		}
		longest = max(longest, time.Since(start))
		seen[got]++
	}
}

func counted(ctx context.Context, path string) (string, error) {
	r, err := store.OpenReader(ctx, path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		return "", err
	}
	defer r.Close()
	rows, err := r.Query(ctx, countWatched, nil)
	if err != nil {
		return "", err
	}
	var got string
	for row, err := range rows.All() {
		if err != nil {
			return "", err
		}
		got = fmt.Sprint(row)
	}
	return got, nil
}

// TestReadersBesideALoad has readers, in this process and in others, count in
// a database while a load that outgrows its cache goes on. They see the old
// state, then the new one, never anything else, and wait for nothing.
func TestReadersBesideALoad(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "w.db")
	input := filepath.Join(dir, "bulky")
	inventedRows(t, filepath.Join(dir, "base.ndjson"), 0, 100)
	succeed(t, "load", "--db", path, filepath.Join(dir, "base.ndjson"))
	if rows := soak("SOAK_LOAD_ROWS", 0); rows > 0 {
		input = filepath.Join(dir, "new.ndjson")
		inventedRows(t, input, 1000, rows)
	} else {
		bulkyCatalog(t, input, soak("SOAK_BULKY", 40))
	}
	quiet := filepath.Join(dir, "quiet.db") // that nobody writes, to tell a wait from a busy machine
	copyFile(t, path, quiet)
	before, err := counted(t.Context(), path)
	must(t, err)

	done := make(chan struct{})
	var mu sync.Mutex
	var readers sync.WaitGroup
	seen, longest := map[string]int{}, time.Duration(0)
	for range 2 {
		readers.Go(func() {
			s, l := watch(t, path, done)
			mu.Lock()
			defer mu.Unlock()
			for state, n := range s {
				seen[state] += n
			}
			longest = max(longest, l)
		})
	}
	usual := time.Duration(0)
	readers.Go(func() { _, usual = watch(t, quiet, done) })
	disk := time.Duration(0)
	readers.Go(func() { disk = watchDisk(t, filepath.Join(dir, "synced"), done) })
	outside := map[string]int{}
	readers.Go(func() { outside = watchOutside(t, path, done) })

	var log int64
	watchLog := time.NewTicker(5 * time.Millisecond)
	defer watchLog.Stop()
	// Readers that come one after another leave few moments for the beginning on a busy machine.
	cmd := program(t, "load", "--db", path, "--busy-timeout", "5m", input)
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	must(t, cmd.Start())
	ended := make(chan error)
	go func() { ended <- cmd.Wait() }()
	for err = errors.New("at work"); err != nil; {
		select {
		case err = <-ended:
			if err != nil {
				close(done)
				readers.Wait()
				t.Fatalf("%v: %s", err, stderr.String())
			}
		case <-watchLog.C:
			if info, err := os.Stat(path + "-wal"); err == nil {
				log = max(log, info.Size())
			}
		}
	}
	took := time.Since(start)
	close(done)
	readers.Wait()

	after, err := counted(t.Context(), path)
	must(t, err)
	for _, states := range []map[string]int{seen, outside} {
		for state := range states {
			if state != before && state != after {
				t.Errorf("readers saw %s, before the load it was %s, after it %s", state, before, after)
			}
		}
		if states[before] < 3 {
			t.Errorf("readers saw the state before the load only %d times", states[before])
		}
	}
	if before == after {
		t.Errorf("the load changed nothing: %s", stderr.String())
	}
	// Turning to the log, or back, is a transaction of one page: its journal, the
	// page and the folder are synced, with readers kept out.
	if longest > usual+4*disk+longestWait {
		t.Errorf("a reader took %v, one of a database that nobody writes %v, the disk %v to sync a page", longest, usual, disk)
	}
	if log < 16<<20 {
		t.Errorf("the log grew to %d bytes: the load did not outgrow its cache", log)
	}
	atRest(t, path)
	t.Logf("load of %s %v, log %d MiB; %d reads here and %d elsewhere, of which %d and %d saw the state before; longest %v, of a database that nobody writes %v, to sync a page %v",
		input, took.Round(time.Millisecond), log>>20, total(seen), total(outside), seen[before], outside[before], longest.Round(time.Millisecond), usual.Round(time.Millisecond), disk.Round(time.Millisecond))
}

// watchDisk returns how long the disk took at most to sync a page until done is closed.
func watchDisk(t *testing.T, file string, done <-chan struct{}) (longest time.Duration) {
	next := time.NewTicker(100 * time.Millisecond)
	defer next.Stop()
	for {
		select {
		case <-done:
			return longest
		case <-next.C:
		}
		f, err := os.Create(file)
		if err != nil {
			t.Error(err)
			return longest
		}
		start := time.Now()
		_, err = f.Write(make([]byte, 16<<10))
		if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
			t.Error(err)
		}
		longest = max(longest, time.Since(start))
	}
}

// watchOutside is watch by processes of their own.
func watchOutside(t *testing.T, path string, done <-chan struct{}) map[string]int {
	seen := map[string]int{}
	next := time.NewTicker(100 * time.Millisecond)
	defer next.Stop()
	for {
		select {
		case <-done:
			return seen
		case <-next.C:
		}
		out, err := program(t, "sql", "--db", path, "--format", "csv", countWatched).CombinedOutput()
		if err != nil {
			t.Errorf("a reading process beside the load: %v: %s", err, out)
			return seen
		}
		_, row, _ := strings.Cut(string(out), "\r\n")
		seen["["+strings.ReplaceAll(strings.TrimSpace(row), ",", " ")+"]"]++
	}
}

func total(counts map[string]int) (n int) {
	for _, c := range counts {
		n += c
	}
	return n
}

// atRest holds that a database is one file, which can be read where nothing can be written.
func atRest(t *testing.T, path string) {
	t.Helper()
	for _, suffix := range []string{"-wal", "-shm", "-journal", ".lock"} {
		if info, err := os.Stat(path + suffix); err == nil {
			t.Errorf("%s%s is there, of %d bytes", path, suffix, info.Size())
		}
	}
	header := make([]byte, 20)
	f, err := os.Open(path)
	must(t, err)
	defer f.Close()
	_, err = io.ReadFull(f, header)
	must(t, err)
	if header[18] != 1 || header[19] != 1 {
		t.Errorf("%s is not in the rollback journal: %v", path, header[18:20])
	}
}

// TestReaderThatStays holds that a reader that is open when a load ends keeps
// seeing the old state, that the load ends all the same, and that the reader
// puts the database to rest when it closes it.
func TestReaderThatStays(t *testing.T) {
	dir := fixtures(t, 1000)
	path := filepath.Join(dir, "base.db")
	before, err := counted(t.Context(), path)
	must(t, err)
	cmd := program(t, "load", "--db", path, filepath.Join(dir, "new.ndjson"))
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	must(t, cmd.Start())
	for start := time.Now(); time.Since(start) < 30*time.Second; {
		if _, err := os.Stat(path + "-wal"); err == nil { // the load is at work
			break
		}
	}
	r, err := store.OpenReader(t.Context(), path, store.ReaderOptions{})
	must(t, err)
	kept := filepath.Join(dir, "kept.db")
	succeed(t, "backup", "--db", path, kept) // a copy beside the load
	must(t, cmd.Wait())
	seen, err := r.Query(t.Context(), countWatched, nil)
	must(t, err)
	for row, err := range seen.All() {
		must(t, err)
		if fmt.Sprint(row) != before {
			t.Skipf("NOT RUN: the load was over when the reader came: %v", row)
		}
	}
	if !strings.Contains(stderr.String(), "base.db-wal: other processes are reading it") {
		t.Errorf("stderr %q", stderr.String())
	}
	after, err := counted(t.Context(), path)
	must(t, err)
	if after == before {
		t.Error("the load is not there")
	}
	if copied, err := counted(t.Context(), kept); err != nil || copied != before && copied != after {
		t.Errorf("the backup beside the load counts %s (%v)", copied, err)
	}
	succeed(t, "check", "--db", kept)
	must(t, r.Close())
	atRest(t, path)
}

// TestReaderInTheWay holds that a load that finds no moment without readers
// fails before it has read anything, says why, and changes nothing.
func TestReaderInTheWay(t *testing.T) {
	dir := fixtures(t, 20)
	path := filepath.Join(dir, "base.db")
	before, err := os.ReadFile(path)
	must(t, err)
	r, err := store.OpenReader(t.Context(), path, store.ReaderOptions{})
	must(t, err)
	defer r.Close()
	code, _, errs := here("load", "--db", path, "--busy-timeout", "200ms", filepath.Join(dir, "new.ndjson"))
	if code != exitTrouble || !strings.Contains(errs, "is being read by another process; waited 200ms") {
		t.Errorf("exit code %d: %s", code, errs)
	}
	if _, err := counted(t.Context(), path); err != nil {
		t.Errorf("a second reader: %v", err)
	}
	must(t, r.Close())
	if after, err := os.ReadFile(path); err != nil || !bytes.Equal(before, after) {
		t.Errorf("the database changed (%v)", err)
	}
	atRest(t, path)
}

// TestLoadAmongCrowdedReaders has processes read a database one after another
// so that there is never a moment without a reader: each is at it for a while,
// and its successor begins at once. A load gets in all the same, and no reader
// is refused.
func TestLoadAmongCrowdedReaders(t *testing.T) {
	const (
		crowd = 8
		long  = `WITH RECURSIVE c (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 100000) SELECT count(*), (SELECT count(*) FROM runs) FROM c`
	)
	dir := fixtures(t, 20)
	rounds, timeout := soak("SOAK_CROWDS", 0), "2s"
	if rounds == 0 {
		rounds, timeout = 1, "30s" // where the machine has much else to do
	}
	var longest, slowest time.Duration
	var reads atomic.Int64
	for round := range rounds {
		path := filepath.Join(dir, fmt.Sprintf("crowd%d.db", round))
		copyFile(t, filepath.Join(dir, "base.db"), path)
		done := make(chan struct{})
		var readers sync.WaitGroup
		var mu sync.Mutex
		for range crowd {
			readers.Go(func() {
				for {
					select {
					case <-done:
						return
					default:
					}
					start := time.Now()
					out, err := program(t, "sql", "--db", path, long).CombinedOutput()
					if err != nil {
						t.Errorf("a reader: %v: %s", err, out)
						return
					}
					reads.Add(1)
					mu.Lock()
					longest = max(longest, time.Since(start))
					mu.Unlock()
				}
			})
		}
		look := time.NewTicker(10 * time.Millisecond)
		for first := reads.Load(); reads.Load() < first+crowd && !t.Failed(); { // until the crowd is at it
			<-look.C
		}
		look.Stop()
		start := time.Now()
		out, err := program(t, "load", "--db", path, "--busy-timeout", timeout, filepath.Join(dir, "new.ndjson")).CombinedOutput()
		slowest = max(slowest, time.Since(start))
		if err != nil {
			t.Errorf("round %d: %v: %s", round, err, out)
		}
		close(done)
		readers.Wait()
		succeed(t, "check", "--db", path)
		atRest(t, path)
	}
	t.Logf("%d loads with --busy-timeout %s among %d readers: the slowest took %v; %d reads, the longest took %v",
		rounds, timeout, crowd, slowest.Round(time.Millisecond), reads.Load(), longest.Round(time.Millisecond))
}

// TestLoadersAtOnce starts loaders at the same moment, on a database that is
// not there yet and on one that is. Each waits for the others, and nothing of any is lost.
func TestLoadersAtOnce(t *testing.T) {
	rounds := soak("SOAK_RACES", 2)
	const loaders = 4
	dir := t.TempDir()
	for i := range loaders + 1 {
		inventedRows(t, filepath.Join(dir, fmt.Sprintf("%d.ndjson", i)), 100*i, 30)
	}
	base := filepath.Join(dir, "base.db")
	succeed(t, "load", "--db", base, filepath.Join(dir, "4.ndjson"))
	for round := range rounds {
		path := filepath.Join(dir, fmt.Sprintf("w%d.db", round))
		runs, loads := loaders*3, loaders
		if round%2 == 1 {
			copyFile(t, base, path)
			runs, loads = runs+3, loads+1
		}
		var all []*exec.Cmd
		for i := range loaders {
			cmd := program(t, "load", "--db", path, "--busy-timeout", "1m", filepath.Join(dir, fmt.Sprintf("%d.ndjson", i)))
			cmd.Stderr = &bytes.Buffer{}
			must(t, cmd.Start())
			all = append(all, cmd)
		}
		for _, cmd := range all {
			if err := cmd.Wait(); err != nil {
				t.Errorf("a loader: %v: %s", err, cmd.Stderr)
			}
		}
		want := fmt.Sprintf("[%d %d %d]", runs, 10*runs, loads)
		if got, err := counted(t.Context(), path); err != nil || got != want {
			t.Errorf("round %d: runs, points, loads %s, want %s (%v)", round, got, want, err)
		}
		atRest(t, path)
		if round < 2 {
			succeed(t, "check", "--db", path)
		}
		must(t, os.Remove(path))
	}
	t.Logf("%d loaders at once, %d times", loaders, rounds)
}

// holder is a load that has the lock of the database at path and waits for its
// standard input.
func holder(t *testing.T, path string) (cmd *exec.Cmd, release io.Closer) {
	t.Helper()
	cmd = program(t, "load", "--db", path, "-")
	stdin, err := cmd.StdinPipe()
	must(t, err)
	must(t, cmd.Start())
	t.Cleanup(func() { cmd.Process.Kill(); cmd.Wait() })
	for start := time.Now(); time.Since(start) < 30*time.Second; {
		if owner, err := os.ReadFile(path + ".lock"); err == nil && strings.HasPrefix(string(owner), fmt.Sprint(cmd.Process.Pid)) {
			return cmd, stdin
		}
	}
	t.Fatal("the load did not take its lock")
	return nil, nil
}

// TestWaitingForALoader holds that who waits for a loader in vain is told which
// process it is and since when, that Ctrl-C ends the wait, and that a loader that
// was killed keeps nobody out.
func TestWaitingForALoader(t *testing.T) {
	dir := fixtures(t, 20)
	path := filepath.Join(dir, "w.db")
	input := filepath.Join(dir, "new.ndjson")
	owner, stdin := holder(t, path)
	for _, args := range [][]string{{"load", input}, {"migrate"}} {
		start := time.Now()
		code, _, errs := here(append([]string{args[0], "--db", path, "--busy-timeout", "300ms"}, args[1:]...)...)
		want := fmt.Sprintf("w.db is being written by process %d since 2", owner.Process.Pid)
		if waited := time.Since(start); code != exitTrouble || !strings.Contains(errs, want) || waited < 300*time.Millisecond {
			t.Errorf("%s: exit code %d after %v: %s", args[0], code, waited, errs)
		}
		interruptWaiting(t, append([]string{args[0], "--db", path, "--busy-timeout", "10m"}, args[1:]...)...)
	}
	must(t, owner.Process.Kill())
	owner.Wait()
	stdin.Close()
	if _, err := os.Stat(path + ".lock"); err != nil {
		t.Errorf("a killed loader leaves its lock file: %v", err)
	}
	succeed(t, "load", "--db", path, "--busy-timeout", "0", input)
	if left, _ := filepath.Glob(path + "?*"); len(left) > 0 {
		t.Errorf("left %q", left)
	}
}

// interruptWaiting holds that a signal ends a command that waits, and how soon.
func interruptWaiting(t *testing.T, args ...string) {
	t.Helper()
	cmd := program(t, args...)
	must(t, cmd.Start())
	var sent atomic.Int64
	timer := time.AfterFunc(500*time.Millisecond, func() {
		sent.Store(time.Now().UnixNano())
		cmd.Process.Signal(syscall.SIGINT)
	})
	defer timer.Stop()
	err := cmd.Wait()
	late := time.Since(time.Unix(0, sent.Load()))
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitInterrupted && exit.Exited() || late > 2*longestWait {
		t.Errorf("%q: ended with %v, %v after the signal", args, err, late)
	}
}

// TestWaitingForAnotherProgram holds that every command waits for a program
// that locks the database by SQLite's means, for as long as --busy-timeout
// says and no longer, and that Ctrl-C ends the wait.
func TestWaitingForAnotherProgram(t *testing.T) {
	dir := fixtures(t, 20)
	path := filepath.Join(dir, "base.db")
	db, err := sql.Open("sqlite", path)
	must(t, err)
	defer db.Close()
	db.SetMaxOpenConns(1)
	lock := func() {
		_, err := db.Exec("BEGIN EXCLUSIVE")
		must(t, err)
	}
	unlock := func() {
		_, err := db.Exec("ROLLBACK")
		must(t, err)
	}
	input := filepath.Join(dir, "new.ndjson")
	commands := [][]string{
		{"sql", "SELECT 1"}, {"query", "tables"}, {"show", "nobody"}, {"explain", "nobody"}, {"duplicates"}, {"check"},
		{"export", "--for", "scoring"}, {"backup", filepath.Join(dir, "kept.db")}, {"migrate"}, {"load", input},
	}
	lock()
	for _, args := range commands {
		start := time.Now()
		code, _, errs := here(append([]string{args[0], "--db", path, "--busy-timeout", "200ms"}, args[1:]...)...)
		if waited := time.Since(start); code != exitTrouble || !strings.Contains(errs, "base.db") || waited < 200*time.Millisecond || waited > 2*longestWait {
			t.Errorf("%s: exit code %d after %v: %s", args[0], code, waited, errs)
		}
		code, _, _ = here(append([]string{args[0], "--db", path, "--busy-timeout", "0"}, args[1:]...)...)
		if code != exitTrouble {
			t.Errorf("%s: exit code %d without waiting", args[0], code)
		}
	}
	for _, args := range [][]string{{"sql", "SELECT 1"}, {"check"}, {"load", input}} {
		interruptWaiting(t, append([]string{args[0], "--db", path, "--busy-timeout", "10m"}, args[1:]...)...)
	}
	unlock()
	// One that has begun to write and still lets readers in.
	_, err = db.Exec("BEGIN IMMEDIATE")
	must(t, err)
	code, _, errs := here("load", "--db", path, "--busy-timeout", "200ms", input)
	if code != exitTrouble || !strings.Contains(errs, "is being written by another program; waited 200ms") {
		t.Errorf("beside a writer: exit code %d: %s", code, errs)
	}
	unlock()
	for _, args := range commands {
		lock()
		time.AfterFunc(300*time.Millisecond, unlock)
		code, _, errs := here(append([]string{args[0], "--db", path, "--busy-timeout", "1m"}, args[1:]...)...)
		missing := slices.Contains(args, "nobody") && code == exitTrouble && strings.Contains(errs, "nobody")
		if code != exitDone && !missing {
			t.Errorf("%s: exit code %d: %s", args[0], code, errs)
		}
	}
}
