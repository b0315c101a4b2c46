package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"
	"unsafe"
)

// terminal is a pseudo-terminal: what is written to the far end is read here.
func terminal(t *testing.T) (near, far *os.File) {
	t.Helper()
	near, err := os.OpenFile("/dev/ptmx", os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("NOT RUN: there is no pseudo-terminal, so nothing holds what is printed on one: %v", err)
	}
	t.Cleanup(func() { near.Close() })
	var unlocked, number int32
	for request, arg := range map[uintptr]*int32{syscall.TIOCSPTLCK: &unlocked, syscall.TIOCGPTN: &number} {
		if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, near.Fd(), request, uintptr(unsafe.Pointer(arg))); errno != 0 {
			t.Skipf("NOT RUN: the pseudo-terminal does not open: %v", errno)
		}
	}
	far, err = os.OpenFile(fmt.Sprintf("/dev/pts/%d", number), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		t.Skipf("NOT RUN: the pseudo-terminal does not open: %v", err)
	}
	return near, far
}

// onTerminal is what the program prints on a terminal, both streams together.
func onTerminal(t *testing.T, args ...string) string {
	t.Helper()
	near, far := terminal(t)
	return runOn(t, near, far, args...)
}

// runOn is onTerminal on an open one, whose far end it closes.
func runOn(t *testing.T, near, far *os.File, args ...string) string {
	t.Helper()
	program, err := exec.LookPath("blis-warehouse")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, args...)
	cmd.Stdout, cmd.Stderr = far, far
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	far.Close()
	var out bytes.Buffer
	io.Copy(&out, near) // ends with an error once the program has closed its end
	cmd.Wait()
	return out.String()
}

// resize tells the terminal how large it is.
func resize(t *testing.T, terminal *os.File, columns, rows uint16) {
	t.Helper()
	size := [4]uint16{rows, columns, 0, 0}
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, terminal.Fd(), syscall.TIOCSWINSZ, uintptr(unsafe.Pointer(&size))); errno != 0 {
		t.Fatalf("resize the pseudo-terminal: %v", errno)
	}
}

// TestFitsTheTerminal holds that tables and boxes fit the terminal and say what
// they cut, and that a pipe and a file receive all of it.
func TestFitsTheTerminal(t *testing.T) {
	demoFolder(t)
	for _, columns := range []uint16{40, 80, 200} {
		for _, args := range [][]string{
			{"sql", "--db", "w.db", "SELECT * FROM runs ORDER BY run_id"}, {"sql", "--db", "w.db", "-f", "box", "SELECT * FROM runs ORDER BY run_id"},
			{"schema", "runs"}, {"duplicates", "--db", "w.db"}, {"query", "-f", "box"},
		} {
			near, far := terminal(t)
			resize(t, near, columns, 30)
			out := runOn(t, near, far, args...)
			for line := range strings.Lines(strings.ReplaceAll(out, "\r\n", "\n")) {
				line = strings.TrimSuffix(line, "\n")
				if strings.HasSuffix(line, "shows everything") || strings.HasPrefix(line, "runs (table)") { // sentences are not cut
					continue
				}
				if width(line) > int(columns) {
					t.Errorf("%q on %d columns: %q is %d wide", args, columns, line, width(line))
				}
			}
			if args[0] == "schema" {
				if strings.Contains(out, cutSign) {
					t.Errorf("%q cuts: %s", args, out)
				}
				continue
			}
			if cuts := strings.Contains(out, cutSign); cuts != strings.Contains(out, "to fit the terminal: --width 0 shows everything") {
				t.Errorf("%q on %d columns cuts, or says so: %s", args, columns, out)
			}
			if piped := runMeasured(t, nil, args...); strings.Contains(piped.output, cutSign) {
				t.Errorf("%q cuts in a pipe: %s", args, piped.output)
			}
			if whole := onTerminal(t, append(args, "--width", "0")...); strings.Contains(whole, cutSign) {
				t.Errorf("%q cuts with --width 0: %s", args, whole)
			}
		}
	}
}

// steering returns the first character of a text that steers a terminal or does
// not show, -1 where there is none. The program's own erasing of its progress line is not one.
func steering(text string) rune {
	text = strings.NewReplacer("\r\x1b[K", "", "\r\r\n", "\n", "\r\n", "\n", "\t", "").Replace(text) // a terminal adds the CR
	for _, r := range text {
		if r != '\n' && (unseen(r) || r == utf8.RuneError) {
			return r
		}
	}
	return -1
}

// evil is text that clears a screen, retitles a window, turns text around, and hides.
const evil = "\x1b[2J\x1b]0;t\a\u009b2J\u202e\u200b\u2066\ufeff\x7f"

// TestNothingSteersTheTerminal prints hostile names, values, file names and
// errors in every way on a terminal.
func TestNothingSteersTheTerminal(t *testing.T) {
	demoFolder(t)
	escaped := `"` + strings.NewReplacer("\x1b", `\e`, "\a", `\a`, "\u009b", `\u009b`, "\u202e", `\u202e`, "\u200b", `\u200b`, "\u2066", `\u2066`, "\ufeff", `\ufeff`, "\x7f", `\x7f`).Replace(evil+" text") + `"`
	demo, err := filepath.Glob("*.db")
	if err != nil || len(demo) != 1 {
		t.Fatal(demo, err)
	}
	db, err := sql.Open("sqlite", "w.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"UPDATE runs SET model = ? WHERE name = 'demo-h100-tp4'", "UPDATE provenance SET setting = 'x' || ? WHERE position = 1", "UPDATE source_inputs SET path = ?"} {
		if _, err := db.Exec(s, evil); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
	db.Close()
	file := evil + ".yaml"
	capture := evil + ".json"
	for name, content := range map[string]string{
		file:    "kind: MeasuredRun\nname: " + escaped + "\n" + escaped + ": 1\nmodel: [" + escaped + "]\nverdict: " + escaped + "\n",
		capture: strings.Replace(captureRow(4, `,"`+`\u001b[2J\u202e\u009b`+`":1`), "h200", `\u001b[2J\u202e`, 1),
		"e.sql": "SELECT '" + evil + "' FROM nosuch\n -- " + evil,
	} {
		if err := os.WriteFile(name, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(evil+".md", nil, 0o666); err != nil {
		t.Fatal(err)
	}
	commands := [][]string{
		{"validate", "."}, {"load", "--db", "w2.db", "."}, {"load", "--db", evil + ".db", file, capture}, {"migrate", "--db", evil + "3.db"}, {"backup", "--db", "w.db", evil + ".bak"},
		{"show", "--db", "w.db", "demo-h100-tp4"}, {"explain", "--db", "w.db", "demo-h100-tp4"}, {"show", "--db", "w.db", evil}, {"explain", "--db", "w.db", evil},
		{"sql", "--db", "w.db", "--file", "e.sql"}, {"sql", "--db", "w.db", "SELECT " + evil}, {"sql", "--db", evil + "no.db", "SELECT 1"}, {"query", evil}, {evil}, {"sql", "--" + evil},
		{"sql", "--db", "w.db", "SELECT 1 AS \"" + evil + "\""}, {"load", "--db", "w.db", evil + "nosuch"}, {"schema", evil}, {"help", evil}, {"completion", evil},
		{"export", "--db", "w.db", "--for", "scoring", "--tier", "partial"}, {"export", "--db", "w.db", "--for", "scoring", evil}, {"duplicates", "--db", "w.db"}, {"check", "--db", "w.db"},
		{"export", "--db", "w.db", "--for", "scoring", "--tier", "partial", "-f", "csv"}, {"export", "--db", "w.db", "--for", "scoring", "--tier", "partial", "-f", "points"},
		{"compare", "--db", "w.db", "demo-h100-tp4", "demo-h100-tp8"}, {"chain", "--db", "w.db"}, {"history", "--db", "w.db", "demo-h100-tp4"}, {"digest", "--db", "w.db"},
		{"chain", "--db", "w.db", evil}, {"history", "--db", "w.db", evil}, {"compare", "--db", "w.db", evil, "demo-h100-tp4"}, {"rebuild", "--db", "w.db", "-o", evil + "5.db", evil + "nosuch"}, {"rebuild", "--db", "w.db", "-o", evil + "6.db", "."},
		{"sql", "--db", "w.db", "--param", evil, "SELECT 1"}, {"sql", "--db", "w.db", "--format", evil, "SELECT 1"},
	}
	for _, format := range formats() {
		commands = append(commands, []string{"sql", "--db", "w.db", "-f", format, "SELECT name, model FROM runs"}, []string{"show", "--db", "w.db", "-f", format, "demo-h100-tp4"},
			[]string{"validate", "-f", format, file, capture}, []string{"load", "--db", "w4.db", "-f", format, file, capture}, []string{"explain", "--db", "w.db", "-f", format, "demo-h100-tp4"})
	}
	for _, args := range commands {
		out := onTerminal(t, args...)
		if r := steering(out); r >= 0 {
			t.Errorf("%q prints %q: %.400q", args, r, out)
		}
		if len(out) == 0 {
			t.Errorf("%q prints nothing", args)
		}
	}
	if out := onTerminal(t, "sql", "--db", "w.db", "-f", "csv", "SELECT model FROM runs WHERE name = 'demo-h100-tp4'"); !strings.Contains(out, `\x1b[2J`) {
		t.Errorf("csv on a terminal: %q", out)
	}
	if o := runMeasured(t, nil, "sql", "--db", "w.db", "-f", "csv", "SELECT model FROM runs WHERE name = 'demo-h100-tp4'"); o.output != "model\r\n"+evil+"\r\n" {
		t.Errorf("csv in a pipe: %q", o.output)
	}
}
