package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

const (
	historyEntries    = 1000     // the newest that are kept
	historyEntryBytes = 64 << 10 // a longer one is not kept
)

// shellHistory is what was typed, the oldest first, in memory and in a file of
// the user's. The file has a JSON string on each line, for an entry may have
// several lines. That it cannot be read or written is told once, and ends nothing.
type shellHistory struct {
	entries []string
	file    string // "" for none
	stderr  io.Writer
}

// openHistory reads the history.
func openHistory(none bool, stderr io.Writer) *shellHistory {
	h := &shellHistory{stderr: stderr}
	if none {
		return h
	}
	file, err := historyFile()
	if err != nil {
		h.fail(err)
		return h
	}
	h.file = file
	if err := h.load(); err != nil {
		h.fail(err)
	}
	return h
}

// historyFile is where the XDG base directory specification has it.
func historyFile() (string, error) {
	base := os.Getenv("XDG_STATE_HOME")
	if !filepath.IsAbs(base) { // the specification has relative ones ignored
		home, err := os.UserHomeDir()
		if err != nil {
			return "", err
		}
		base = filepath.Join(home, ".local", "state")
	}
	return filepath.Join(base, "blis-warehouse", "history"), nil
}

// load reads the file, and writes it anew where it has grown too long.
func (h *shellHistory) load() error {
	f, err := os.Open(h.file)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer f.Close()
	if info, err := f.Stat(); err != nil || !info.Mode().IsRegular() {
		return errors.Join(err, fmt.Errorf("%s is not a regular file", h.file))
	}
	read := 0
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 8*historyEntryBytes)
	for lines.Scan() {
		read++
		var entry string
		if json.Unmarshal(lines.Bytes(), &entry) == nil { // a line that was written in part is passed over
			h.remember(entry)
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", h.file, err)
	}
	if read > 2*historyEntries {
		return h.rewrite()
	}
	return nil
}

// remember keeps an entry in memory. It reports false where it is not to be kept.
func (h *shellHistory) remember(entry string) bool {
	entry = strings.TrimSpace(entry)
	if entry == "" || len(entry) > historyEntryBytes || len(h.entries) > 0 && h.entries[len(h.entries)-1] == entry {
		return false
	}
	h.entries = append(h.entries, entry)
	if len(h.entries) > historyEntries {
		h.entries = slices.Delete(h.entries, 0, len(h.entries)-historyEntries)
	}
	return true
}

// add keeps an entry.
func (h *shellHistory) add(entry string) {
	if !h.remember(entry) || h.file == "" {
		return
	}
	if err := h.append(h.entries[len(h.entries)-1]); err != nil {
		h.fail(err)
	}
}

// append writes an entry in one piece, so that shells that run at the same time
// do not mix theirs.
func (h *shellHistory) append(entry string) error {
	if err := os.MkdirAll(filepath.Dir(h.file), 0o700); err != nil {
		return err
	}
	f, err := os.OpenFile(h.file, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(historyLine(entry))
	return errors.Join(err, f.Chmod(0o600), f.Close())
}

// rewrite writes the file with what is in memory.
func (h *shellHistory) rewrite() error {
	f, err := os.CreateTemp(filepath.Dir(h.file), "history-*") // with mode 0600
	if err != nil {
		return err
	}
	var text []byte
	for _, entry := range h.entries {
		text = append(text, historyLine(entry)...)
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(f.Name()))
	}
	return os.Rename(f.Name(), h.file)
}

func historyLine(entry string) []byte {
	return append(appendJSONString(nil, entry), '\n')
}

// fail tells that there is no history file, and does without it.
func (h *shellHistory) fail(err error) {
	h.file = ""
	fmt.Fprintf(h.stderr, "note: the history is not kept: %s\n", printable(err.Error()))
}

// The line editor reads the history by the methods that follow. What is typed is
// written by add alone, so that Write does nothing.

// Write is called with what was typed.
func (h *shellHistory) Write(string) (int, error) { return len(h.entries), nil }

// Len is the number of entries.
func (h *shellHistory) Len() int { return len(h.entries) }

// Dump is all entries.
func (h *shellHistory) Dump() any { return h.entries }

// GetLine is an entry, counted from the oldest.
func (h *shellHistory) GetLine(i int) (string, error) {
	if i < 0 || i >= len(h.entries) {
		return "", fmt.Errorf("the history has no entry %d", i)
	}
	return h.entries[i], nil
}
