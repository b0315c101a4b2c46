package main

import (
	"fmt"
	"io"
	"os"
	"time"

	"golang.org/x/term"
)

// progressTo returns a function that shows progress on standard error where
// that is a terminal and the work takes over a second; nil elsewhere. What is done
// are things, such as files.
func progressTo(env *environment, things string) func(done, total int) {
	if !isTerminal(env.stderr) {
		return nil
	}
	start, last := time.Now(), time.Now()
	return func(done, total int) {
		now := time.Now()
		if now.Sub(start) < time.Second || now.Sub(last) < 100*time.Millisecond && done < total {
			return
		}
		last = now
		fmt.Fprintf(env.stderr, "\r\x1b[K%d of %d %s", done, total, things)
	}
}

// clearProgress removes what progressTo showed.
func clearProgress(env *environment) {
	if isTerminal(env.stderr) {
		io.WriteString(env.stderr, "\r\x1b[K")
	}
}

func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// terminalWidth is how many columns the terminal w has, 0 where that cannot be told.
func terminalWidth(w io.Writer) int {
	f, ok := w.(*os.File)
	if !ok {
		return 0
	}
	columns, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		return 0
	}
	return columns
}
