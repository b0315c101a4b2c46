package store

import (
	"context"
	"errors"
	"fmt"
	"time"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"
)

// DefaultBusyTimeout is how long a database that another process is using is
// waited for unless the caller says otherwise.
const DefaultBusyTimeout = 5 * time.Second

// An attempt at a lock waits this long, for while it waits SQLite lets no new
// reader in; between two attempts they get their turn.
const (
	attempt = 100 * time.Millisecond
	pause   = 50 * time.Millisecond
)

// retryBusy calls try until it fails with something else than a lock that
// another process holds, for up to timeout. The end of ctx ends the wait.
func retryBusy(ctx context.Context, timeout time.Duration, try func() error) error {
	deadline := time.Now().Add(timeout)
	for {
		err := try()
		if !isBusy(err) || !time.Now().Before(deadline) {
			return err
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pause):
		}
	}
}

// Readers that follow one another without a gap leave no moment between them. So
// an attempt that failed is followed by others at once, for up to firmly: until
// then nearly no new reader gets in, and those that were there come to their
// end. A longer pause afterwards lets in those that have waited, who ask again
// each tenth of a second at least.
const (
	firmly      = 2 * time.Second
	longerPause = 150 * time.Millisecond
)

// retryFirmly is retryBusy for a lock that needs a moment without readers: it
// makes one where readers leave none.
func retryFirmly(ctx context.Context, timeout time.Duration, try func() error) error {
	deadline := time.Now().Add(timeout)
	err := try()
	wait := pause
	for isBusy(err) && time.Now().Before(deadline) {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(wait):
		}
		err = tryFirmly(ctx, time.Now().Add(min(firmly, time.Until(deadline))), try)
		wait = longerPause
	}
	return err
}

// tryFirmly calls try again and again, without a pause where it waits itself.
// Where another program writes, SQLite does not wait.
func tryFirmly(ctx context.Context, until time.Time, try func() error) error {
	for {
		began := time.Now()
		err := try()
		if !isBusy(err) || ctx.Err() != nil || !time.Now().Before(until) {
			return err
		}
		if time.Since(began) < attempt/2 {
			time.Sleep(pause)
		}
	}
}

// busyPragma is the pragma that has a connection wait for up to timeout.
func busyPragma(timeout time.Duration) string {
	return fmt.Sprintf("busy_timeout(%d)", max(0, timeout.Milliseconds()))
}

// isBusy tells whether SQLite met a lock of another process.
func isBusy(err error) bool { return primaryCode(err) == sqlite3.SQLITE_BUSY }

// primaryCode is SQLite's primary result code in err, 0 where there is none.
func primaryCode(err error) int {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code() & 0xff
	}
	if e, ok := errors.AsType[*QueryError](err); ok {
		return e.Code & 0xff
	}
	return 0
}
