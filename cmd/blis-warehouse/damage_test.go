package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode"
)

// The tests of this file give every command a database that is none, or no
// longer quite one.

// readingCommands and writingCommands are commands on the database w.db of the
// working directory.
func readingCommands() [][]string {
	return [][]string{
		{"sql", "SELECT p.*, m.* FROM points p JOIN measurements m USING (point_id) ORDER BY 1, 2"}, {"query", "coverage"}, {"query", "verdict-reasons"},
		{"show", "demo-h100-tp4"}, {"explain", "demo-h100-tp4"}, {"duplicates"}, {"export", "--for", "redistribution"}, {"backup", "kept.db"}, {"check"},
	}
}

func writingCommands(input string) [][]string {
	return [][]string{{"load", input}, {"load", "--dry-run", input}, {"migrate"}}
}

// inFolder is a command on the database dir/w.db.
func inFolder(dir string, args []string) []string {
	args = append([]string{args[0], "--db", filepath.Join(dir, "w.db"), "--busy-timeout", "1s"}, args[1:]...)
	for i, a := range args {
		if a == "kept.db" {
			args[i] = filepath.Join(dir, a)
		}
	}
	return args
}

// TestWhatIsNoWarehouse holds that every command refuses what is no warehouse
// of this program's schema or an earlier one, with 2 and a sentence, and leaves it alone.
func TestWhatIsNoWarehouse(t *testing.T) {
	fixtures := fixtures(t, 20)
	base, err := os.ReadFile(filepath.Join(fixtures, "base.db"))
	must(t, err)
	made := func(script string) []byte {
		path := filepath.Join(t.TempDir(), "made.db")
		must(t, makeDatabase(path, script))
		data, err := os.ReadFile(path)
		must(t, err)
		return data
	}
	newer := filepath.Join(t.TempDir(), "newer.db")
	must(t, os.WriteFile(newer, base, 0o644))
	must(t, makeDatabase(newer, "INSERT INTO goose_db_version (version_id, is_applied) VALUES (9999, 1)"))
	newest, err := os.ReadFile(newer)
	must(t, err)
	for name, content := range map[string][]byte{
		"a newer database":              newest,
		"a database of no application":  made("CREATE TABLE runs (name)"),
		"another application's":         made("PRAGMA application_id = 7; CREATE TABLE runs (name)"),
		"a goose database":              made("CREATE TABLE goose_db_version (id INTEGER PRIMARY KEY, version_id INTEGER NOT NULL, is_applied INTEGER NOT NULL); INSERT INTO goose_db_version VALUES (1, 17, 1)"),
		"a text":                        []byte(strings.Repeat("no database at all\n", 100)),
		"a short text":                  []byte("no\n"),
		"an empty file":                 {},
		"the beginning of one":          base[:100],
		"the first page of one":         base[:16384],
		"one with another's header":     append([]byte("SQLite format 2\x00"), base[16:]...),
		"one whose pages are all zero":  append(bytes.Clone(base[:100]), make([]byte, len(base)-100)...),
		"one with a page size of three": append(append(bytes.Clone(base[:16]), 0, 3), base[18:]...),
	} {
		dir := t.TempDir()
		must(t, os.WriteFile(filepath.Join(dir, "w.db"), content, 0o644))
		for _, args := range append(readingCommands(), writingCommands(filepath.Join(fixtures, "new.ndjson"))...) {
			if name == "a newer database" && args[0] == "backup" {
				continue // a copy needs no understanding
			}
			code, out, errs := here(inFolder(dir, args)...)
			if code != exitTrouble || out != "" || strings.Count(errs, "\n") != 1 || !strings.Contains(errs, "w.db") {
				t.Errorf("%s: %q: exit code %d\n%s%s", name, args, code, out, errs)
			}
			if now, err := os.ReadFile(filepath.Join(dir, "w.db")); err != nil || !bytes.Equal(now, content) {
				t.Fatalf("%s: %q changed it (%v)", name, args, err)
			}
			if left := names(t, dir); !slices.Equal(left, []string{"w.db"}) {
				t.Errorf("%s: %q left %q", name, args, left)
			}
		}
	}
}

// damage changes a database at random: bits, pages, or its end.
func damage(rnd *rand.Rand, db []byte) (damaged []byte, how string) {
	const page = 16384
	db = bytes.Clone(db)
	pages := len(db) / page
	switch rnd.Intn(6) {
	case 0:
		n := rnd.Intn(len(db))
		return db[:n], fmt.Sprintf("cut to %d of %d bytes", n, len(db))
	case 1:
		n := page * rnd.Intn(pages)
		return db[:n], fmt.Sprintf("cut to %d of %d pages", n/page, pages)
	case 2:
		n := rnd.Intn(pages)
		clear(db[n*page : (n+1)*page])
		return db, fmt.Sprintf("page %d zeroed", n+1)
	case 3:
		from, to := rnd.Intn(pages), rnd.Intn(pages)
		copy(db[to*page:(to+1)*page], db[from*page:(from+1)*page])
		return db, fmt.Sprintf("page %d copied over page %d", from+1, to+1)
	case 4: // where pages keep their structure
		var flipped []int
		for range 1 + rnd.Intn(4) {
			bit := 8*(rnd.Intn(pages)*page) + rnd.Intn(8*120)
			db[bit/8] ^= 1 << (bit % 8)
			flipped = append(flipped, bit)
		}
		return db, fmt.Sprintf("bits %v flipped", flipped)
	}
	var flipped []int
	for range 1 + rnd.Intn(20) {
		bit := rnd.Intn(8 * len(db))
		db[bit/8] ^= 1 << (bit % 8)
		flipped = append(flipped, bit)
	}
	return db, fmt.Sprintf("bits %v flipped", flipped)
}

// sqliteFinds tells whether SQLite itself finds the file damaged.
func sqliteFinds(path string) bool {
	db, err := sql.Open("sqlite", "file:"+path+"?mode=ro&immutable=1")
	if err != nil {
		return true
	}
	defer db.Close()
	var verdict string
	err = db.QueryRow("PRAGMA integrity_check(1)").Scan(&verdict)
	return err != nil || verdict != "ok"
}

// TestDamagedDatabase damages a database at random and runs commands on it. A
// command that reads changes nothing; check finds what SQLite finds; a command
// that fails says so in its exit code and leaves the database as it was.
func TestDamagedDatabase(t *testing.T) {
	n := soak("SOAK_DAMAGES", 30)
	fixtures := fixtures(t, 200)
	succeed(t, "load", "--db", filepath.Join(fixtures, "base.db"), "../../testdata/demo/catalog")
	base, err := os.ReadFile(filepath.Join(fixtures, "base.db"))
	must(t, err)
	input := filepath.Join(fixtures, "new.ndjson")
	seed := time.Now().UnixNano()
	t.Logf("seed %d", seed)
	rnd := rand.New(rand.NewSource(seed))
	found := map[string]int{}
	for range n {
		damaged, how := damage(rnd, base)
		dir := t.TempDir()
		path := filepath.Join(dir, "w.db")
		must(t, os.WriteFile(path, damaged, 0o644))
		if code, _, _ := here(inFolder(dir, []string{"check"})...); sqliteFinds(path) {
			found["found by SQLite"]++
			if code == exitDone {
				t.Errorf("%s: check finds nothing", how)
			}
		}
		reading, writing := readingCommands(), writingCommands(input)
		args := reading[rnd.Intn(len(reading))]
		code, _, errs := here(inFolder(dir, args)...)
		found[fmt.Sprintf("reading ended with %d", code)]++
		if code == exitTrouble && !isComplaint(errs) {
			t.Errorf("%s: %q: %q", how, args, errs)
		}
		os.Remove(filepath.Join(dir, "kept.db"))
		unchanged(t, dir, damaged, fmt.Sprintf("%s: %q", how, args))

		args = writing[rnd.Intn(len(writing))]
		code, _, errs = here(inFolder(dir, args)...)
		found[fmt.Sprintf("writing ended with %d", code)]++
		if code == exitTrouble && !isComplaint(errs) {
			t.Errorf("%s: %q: %q", how, args, errs)
		}
		if code == exitTrouble || slices.Contains(args, "--dry-run") {
			unchanged(t, dir, damaged, fmt.Sprintf("%s: %q", how, args))
		}
		if t.Failed() {
			t.FailNow()
		}
		must(t, os.RemoveAll(dir))
	}
	if found["found by SQLite"] < n/3 {
		t.Errorf("too little of the damage was damage: %v", found)
	}
	t.Logf("%d damages: %v", n, found)
}

// isComplaint tells whether a text is the program's error, without anything
// that a terminal might take for more than text. SQLite quotes what is damaged.
func isComplaint(stderr string) bool {
	return strings.HasPrefix(stderr, "blis-warehouse: ") && !strings.ContainsFunc(stderr, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) })
}

// unchanged holds that a folder has the database alone, as it was.
func unchanged(t *testing.T, dir string, want []byte, after string) {
	t.Helper()
	now, err := os.ReadFile(filepath.Join(dir, "w.db"))
	if err != nil || !bytes.Equal(withoutCounters(now), withoutCounters(want)) {
		at := 0
		for at < min(len(now), len(want)) && (now[at] == want[at] || at >= 24 && at < 28 || at >= 92 && at < 100) {
			at++
		}
		t.Errorf("%s: the database changed, from %d to %d bytes, first at %d (%v)", after, len(want), len(now), at, err)
	}
	if left := names(t, dir); !slices.Equal(left, []string{"w.db"}) {
		t.Errorf("%s: left %q", after, left)
	}
}
