package main

import (
	"bytes"
	"database/sql"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
	"unsafe"
)

// conversation is the shell on a pseudo-terminal.
type conversation struct {
	t    *testing.T
	near *os.File
	cmd  *exec.Cmd

	mu     sync.Mutex
	out    bytes.Buffer
	news   chan struct{} // something was printed
	seen   int           // up to where awaited texts have been found
	exited chan struct{}
}

// converse starts the shell on a terminal of its own, in which it has Ctrl-C.
func converse(t *testing.T, env []string, args ...string) *conversation {
	t.Helper()
	program, err := exec.LookPath("blis-warehouse") // testscript put it on PATH
	if err != nil {
		t.Fatal(err)
	}
	near, far := terminal(t)
	resize(t, near, 100, 40)
	c := &conversation{t: t, near: near, news: make(chan struct{}, 1), exited: make(chan struct{})}
	c.cmd = exec.CommandContext(t.Context(), program, append([]string{"shell"}, args...)...)
	c.cmd.Stdin, c.cmd.Stdout, c.cmd.Stderr = far, far, far
	c.cmd.Env = append(append(os.Environ(), "TERM=xterm", "INPUTRC=/dev/null"), env...)
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	far.Close()
	go c.listen()
	return c
}

// listen collects what is printed.
func (c *conversation) listen() {
	defer close(c.exited)
	buf := make([]byte, 4096)
	for {
		n, err := c.near.Read(buf)
		c.mu.Lock()
		c.out.Write(buf[:n])
		c.mu.Unlock()
		select {
		case c.news <- struct{}{}:
		default:
		}
		if err != nil {
			return
		}
	}
}

func (c *conversation) printed() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.out.String()
}

// await waits until text is printed after what was awaited before.
func (c *conversation) await(text string) {
	c.t.Helper()
	late := time.After(2 * time.Minute)
	for {
		if i := strings.Index(c.printed()[c.seen:], text); i >= 0 {
			c.seen += i + len(text)
			return
		}
		select {
		case <-c.news:
		case <-c.exited:
			c.t.Fatalf("the shell ended without %q: %q", text, c.printed()[c.seen:])
		case <-late:
			c.t.Fatalf("no %q in %q", text, c.printed()[c.seen:])
		}
	}
}

func (c *conversation) send(keys string) {
	c.t.Helper()
	if _, err := c.near.WriteString(keys); err != nil {
		c.t.Fatal(err)
	}
}

// ask types a text, waits until it is shown, and presses a key.
func (c *conversation) ask(text, key string) {
	c.t.Helper()
	c.send(text)
	c.await(strings.TrimLeft(text, "\x18\x05")) // the line is drawn anew for each key
	c.send(key)
}

// end waits for the end of the shell and returns its exit code.
func (c *conversation) end() int {
	c.t.Helper()
	err := c.cmd.Wait()
	<-c.exited
	if exit, ok := err.(*exec.ExitError); ok {
		return exit.ExitCode()
	} else if err != nil {
		c.t.Fatal(err)
	}
	return 0
}

const (
	fresh = "\x1b[?2004h" // the terminal is asked to mark pastes, before each prompt
	enter = "\r"
	tab   = "\t"
	ctrlC = "\x03"
	ctrlD = "\x04"
	up    = "\x1b[A"
)

// TestShellConverses types into the shell as a person would.
func TestShellConverses(t *testing.T) {
	demoFolder(t)
	state := t.TempDir()
	env := []string{"XDG_STATE_HOME=" + state, "BLIS_WAREHOUSE_DB=w.db"}
	c := converse(t, env)
	c.await(fresh)
	// A statement of several lines.
	c.send("SELECT 40 +" + enter)
	c.send("2 AS forty_two;" + enter)
	c.await("forty_two\r\n---------\r\n       42\r\n")
	c.await(fresh)
	// Completion of a table, then of a run in quotes.
	c.ask("SELECT count(*) AS n FROM document_readin", tab)
	c.await("document_readings")
	c.ask(" WHERE 'demo-h100-tp8-mir", tab)
	c.await("demo-h100-tp8-mirror'")
	c.send(ctrlC)
	c.await(fresh)
	c.ask(".schema run_ver", tab)
	c.await("run_versions")
	c.send(enter)
	c.await("primary key")
	c.await(fresh)
	// A mistake ends nothing.
	c.send("SELECT nme FROM runs;" + enter)
	c.await("did you mean \"name\"?")
	c.await("^")
	c.await(fresh)
	// Ctrl-C ends a statement at work, and not the shell, more than once.
	for range 2 {
		c.send(".format csv" + enter)
		c.await(fresh)
		c.send("WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT 'row ' || x AS r FROM c;" + enter)
		c.await("row 100\r")
		c.send(ctrlC)
		c.await("interrupted")
		c.await(fresh)
	}
	// Letters of more than one byte arrive as they were typed or pasted.
	c.send(".format table" + enter)
	c.await(fresh)
	c.send("SELECT 'é' || 'ÿ µ 漢' AS letters, hex('é') AS typed;" + enter)
	c.await("éÿ µ 漢  C3A9\r")
	c.await(fresh)
	c.send("\x1b[200~SELECT 'ü' || 'ß' AS letters, hex('ü') AS pasted;\x1b[201~" + enter)
	c.await("üß       C3BC\r")
	c.await(fresh)
	// What a paste hides is shown, and steers nothing.
	before := len(c.printed())
	c.send("\x1b[200~SELECT 'a\x1b]0;steered\x07\u009b31mb' AS pasted;\x1b[201~" + enter)
	c.await("a\ufffd]0;steered\ufffd\ufffd31mb")
	c.await(`a\x1b]0;steered\a\u009b31mb`)
	c.await(fresh)
	if got := c.printed()[before:]; strings.Contains(got, "\x1b]0;") || strings.Contains(got, "\u009b") {
		t.Errorf("a paste reached the terminal: %q", got)
	}
	c.send("SELECT 'still ' || 'here' AS x;" + enter)
	c.await("still here\r")
	c.await(fresh)
	c.send(ctrlD)
	if code := c.end(); code != exitDone {
		t.Errorf("exit code %d", code)
	}

	// The history is kept for the user alone, with its lines.
	file := filepath.Join(state, "blis-warehouse", "history")
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	if kept, err := os.ReadFile(file); err != nil || !strings.HasPrefix(string(kept), `"SELECT 40 +\n2 AS forty_two;"`+"\n") || strings.Contains(string(kept), "mirror") {
		t.Errorf("the history is %q, %v", kept, err)
	}
	again := converse(t, env)
	again.await(fresh)
	again.send(up)
	again.await("still")
	again.send(enter)
	again.await("still here\r")
	again.await(fresh)
	// A signal ends the shell at its prompt, and leaves the terminal as it was.
	again.cmd.Process.Signal(syscall.SIGTERM)
	if code := again.end(); code != exitInterrupted {
		t.Errorf("exit code %d", code)
	}
	var mode syscall.Termios
	if _, _, errno := syscall.Syscall(syscall.SYS_IOCTL, again.near.Fd(), syscall.TCGETS, uintptr(unsafe.Pointer(&mode))); errno != 0 || mode.Lflag&syscall.ECHO == 0 || mode.Lflag&syscall.ICANON == 0 {
		t.Errorf("the terminal was left raw: %+v, %v", mode, errno)
	}
}

// TestShellStartsNothing holds that no key starts an editor, and that nothing of
// the database steers the terminal.
func TestShellStartsNothing(t *testing.T) {
	demoFolder(t)
	db, err := sql.Open("sqlite", "w.db")
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range []string{"UPDATE runs SET model = ?1 WHERE name = 'demo-h100-tp4'", "UPDATE runs SET name = 'demo-evil' || ?1 WHERE name = 'demo-b200-pd'"} {
		if _, err := db.Exec(s, evil); err != nil {
			t.Fatal(err)
		}
	}
	db.Close()
	started := filepath.Join(t.TempDir(), "started")
	script := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(script, []byte("#!/bin/sh\n: > '"+started+"'\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	c := converse(t, []string{"EDITOR=" + script, "VISUAL=" + script, "BLIS_WAREHOUSE_DB=w.db"}, "--no-history")
	c.await(fresh)
	c.ask("SELECT 'demo-e", tab)
	c.ask("\x18\x05x", ctrlC) // Ctrl-X Ctrl-E
	c.await(fresh)
	c.send("SELECT name, model FROM runs ORDER BY name;" + enter)
	c.await(`\x1b[2J`)
	c.await(fresh)
	c.send(".quit" + enter)
	if code := c.end(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if _, err := os.Stat(started); err == nil {
		t.Error("an editor was started")
	}
	for _, part := range []string{"\x1b]0;t", "\u202e", "\u009b2J", "\u200b"} {
		if strings.Contains(c.printed(), part) {
			t.Errorf("%q reached the terminal", part)
		}
	}
}

// TestShellWithoutEditing holds that a terminal that cannot move its cursor is
// spoken to line by line.
func TestShellWithoutEditing(t *testing.T) {
	demoFolder(t)
	c := converse(t, []string{"TERM=dumb", "BLIS_WAREHOUSE_DB=w.db"})
	c.await(prompt)
	c.send("SELECT 6 *\n")
	c.await(morePrompt)
	c.send("7 AS n;\n")
	c.await(" n\r\n--\r\n42\r\n")
	c.await(prompt)
	c.send(ctrlD)
	if code := c.end(); code != exitDone {
		t.Errorf("exit code %d", code)
	}
	if strings.Contains(c.printed(), "\x1b") {
		t.Errorf("printed %q", c.printed())
	}
}

// TestShellHistory holds that the history is bounded, passes over what is no
// entry, and that a file that cannot be written is a note and no more.
func TestShellHistory(t *testing.T) {
	state := t.TempDir()
	t.Setenv("XDG_STATE_HOME", state)
	file := filepath.Join(state, "blis-warehouse", "history")
	var notes bytes.Buffer
	h := openHistory(false, &notes)
	for i := range 2*historyEntries + 10 {
		h.add(fmt.Sprintf("SELECT\n%d;", i))
		h.add(fmt.Sprintf(" SELECT\n%d; ", i)) // the same once more
	}
	h.add(strings.Repeat("x", historyEntryBytes+1))
	if len(h.entries) != historyEntries {
		t.Errorf("%d entries", len(h.entries))
	}
	f, err := os.OpenFile(file, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	f.WriteString("\"half a li\n\n12\n")
	f.Close()
	last := fmt.Sprintf("SELECT\n%d;", 2*historyEntries+9)
	for range 2 { // the first shortens the file
		h = openHistory(false, &notes)
		if got, err := h.GetLine(h.Len() - 1); err != nil || got != last || h.Len() != historyEntries {
			t.Errorf("%d entries, the last %q, %v", h.Len(), got, err)
		}
	}
	content, err := os.ReadFile(file)
	if err != nil || bytes.Count(content, []byte("\n")) != historyEntries {
		t.Errorf("the file has %d lines, %v", bytes.Count(content, []byte("\n")), err)
	}
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(file), "*")); len(left) != 1 {
		t.Errorf("left %q", left)
	}
	if notes.Len() > 0 {
		t.Errorf("notes %q", notes.String())
	}
	if err := os.WriteFile(filepath.Join(state, "file"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_STATE_HOME", filepath.Join(state, "file"))
	h = openHistory(false, &notes)
	h.add("SELECT 1;")
	h.add("SELECT 2;")
	if h.Len() != 2 || strings.Count(notes.String(), "note: the history is not kept: ") != 1 {
		t.Errorf("%d entries, notes %q", h.Len(), notes.String())
	}
}
