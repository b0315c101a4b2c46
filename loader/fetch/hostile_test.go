package fetch

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	mathrand "math/rand"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// raw answers with bytes of its own, and ends the connection.
func raw(t *testing.T, w http.ResponseWriter, response string) {
	conn, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		t.Error(err)
		return
	}
	defer conn.Close()
	io.WriteString(conn, response)
}

const good = `[{"hardware":"h200","n_success":1,"total":2}]`

// TestOddServers holds what becomes of a response of every odd kind: what is
// stored, what is tried again and when, and what the ledger says.
func TestOddServers(t *testing.T) {
	elsewhere := newAPI(t)
	bomb := zipped(t, make([]byte, 64<<20))
	text := func(w http.ResponseWriter, status int, body string) bool {
		w.WriteHeader(status)
		io.WriteString(w, body)
		return true
	}
	once := func(n int, w http.ResponseWriter, status int, body string) bool {
		return n == 1 && text(w, status, body)
	}
	for _, tt := range []struct {
		name     string
		odd      func(w http.ResponseWriter, r *http.Request, n int) bool
		outcome  ledger.Outcome
		reason   string
		attempts int
		slept    string // waits in their order
		says     string // part of the error
		body     string // of the file, where it is not good
	}{
		{name: "500, then well", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			return once(n, w, 500, `{"error":"Internal server error"}`)
		}, attempts: 2, slept: "750ms"},
		{name: "503 again and again", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 503, `{"error":"Unavailable"}`)
		}, outcome: ledger.Failed, reason: reasonServer, attempts: 5, slept: "750ms 1.5s 3s 6s", says: "Unavailable"},
		{name: "429 with seconds", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			w.Header().Set("Retry-After", "7")
			return once(n, w, 429, "")
		}, attempts: 2, slept: "7s"},
		{name: "503 with a date", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			w.Header().Set("Retry-After", "Sat, 08 Aug 2026 03:01:30 GMT")
			return once(n, w, 503, "")
		}, attempts: 2, slept: "1m30s"},
		{name: "429 that asks for a day", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Retry-After", "86400")
			return text(w, 429, `{"error":"slow down"}`)
		}, outcome: ledger.Failed, reason: reasonBusy, attempts: 1, says: "slow down (the server asks to wait 24h0m0s"},
		{name: "404 with what is wrong", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 404, `{"error":"Not found","more":1}`)
		}, outcome: ledger.Refused, reason: reasonRefused, attempts: 1, says: "Not found"},
		{name: "400 compressed unasked", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 400, string(zipped(t, []byte(`{"error":"Unknown model"}`))))
		}, outcome: ledger.Refused, reason: reasonRefused, attempts: 1, says: "Unknown model"},
		{name: "403 with a page", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 403, "<html>\n  <b>go  away</b>"+strings.Repeat("!", 10000))
		}, outcome: ledger.Refused, reason: reasonRefused, attempts: 1, says: "<html> <b>go away</b>!!"},
		{name: "an error that repeats a credential", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 400, `{"error":"bad token hf_`+strings.Repeat("a1B2", 10)+`"}`)
		}, outcome: ledger.Refused, reason: reasonRefused, attempts: 1, says: "left out: it holds what looks like a credential"},
		{name: "a connection that breaks in the body", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n < 3 {
				w.Header().Set("Content-Length", "1000")
				io.WriteString(w, good)
				panic(http.ErrAbortHandler)
			}
			return false
		}, attempts: 3, slept: "750ms 1.5s"},
		{name: "no response at all", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n == 1 {
				panic(http.ErrAbortHandler)
			}
			return false
		}, attempts: 2, slept: "750ms"},
		{name: "a body that is shorter than it says, each time", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			raw(t, w, "HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n"+good)
			return true
		}, outcome: ledger.Failed, reason: reasonTruncated, attempts: 5, slept: "750ms 1.5s 3s 6s", says: "ends before its end"},
		{name: "a body that is longer than it says", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n > 1 {
				return false
			}
			raw(t, w, "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 12\r\n\r\n"+good)
			return true
		}, attempts: 2, slept: "750ms"},
		{name: "chunks that break off", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n > 1 {
				return false
			}
			raw(t, w, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n[{\"a\"\r\n")
			return true
		}, attempts: 2, slept: "750ms"},
		{name: "a whole body of a JSON that is not", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			return once(n, w, 200, good[:20])
		}, attempts: 2, slept: "750ms"},
		{name: "nothing", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			return once(n, w, 200, "")
		}, attempts: 2, slept: "750ms"},
		{name: "gzip unasked and unsaid", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, string(zipped(t, []byte(good))))
		}, attempts: 1},
		{name: "gzip as it is said", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Content-Encoding", "gzip")
			return text(w, 200, string(zipped(t, []byte(good))))
		}, attempts: 1},
		{name: "gzip said, and not so", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Content-Encoding", "x-gzip")
			return text(w, 200, good)
		}, attempts: 1},
		{name: "gzip twice", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Content-Encoding", "gzip, gzip")
			return text(w, 200, string(zipped(t, zipped(t, []byte(good)))))
		}, attempts: 1},
		{name: "gzip thrice", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, string(zipped(t, zipped(t, zipped(t, []byte(good))))))
		}, outcome: ledger.Failed, reason: reasonEncoding, attempts: 1, says: "more than twice"},
		{name: "gzip that breaks off", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			z := zipped(t, []byte(good))
			return once(n, w, 200, string(z[:len(z)-9]))
		}, attempts: 2, slept: "750ms"},
		{name: "gzip that is damaged", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			z := zipped(t, []byte(good))
			z[len(z)-6] ^= 1
			return once(n, w, 200, string(z))
		}, attempts: 2, slept: "750ms"},
		{name: "gzip with something behind it", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			return once(n, w, 200, string(zipped(t, []byte(good)))+"behind it")
		}, attempts: 2, slept: "750ms"},
		{name: "another compression", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Content-Encoding", "br")
			return text(w, 200, "\x8b\x02\x80")
		}, outcome: ledger.Failed, reason: reasonEncoding, attempts: 1, says: "compressed as br"},
		{name: "a bomb", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, string(bomb))
		}, outcome: ledger.Failed, reason: reasonTooLarge, attempts: 1, says: "over 1048576 bytes decompressed"},
		{name: "a body without end", odd: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			for r.Context().Err() == nil {
				if _, err := io.WriteString(w, "["); err != nil {
					break
				}
			}
			return true
		}, outcome: ledger.Failed, reason: reasonTooLarge, attempts: 1, says: "over 1048576 bytes"},
		{name: "headers without end", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			if n > 1 {
				return false
			}
			raw(t, w, "HTTP/1.1 200 OK\r\nX-A: "+strings.Repeat("a", 1<<20)+"\r\n\r\n"+good)
			return true
		}, attempts: 2, slept: "750ms"},
		{name: "an address of another host", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Location", elsewhere.URL+"/api/v1/reliability")
			return text(w, 302, "")
		}, outcome: ledger.Failed, reason: reasonRedirect, attempts: 1, says: "another host or scheme"},
		{name: "an address of another scheme", odd: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.Header().Set("Location", "https://"+r.Host+"/api/v1/reliability")
			return text(w, 301, "")
		}, outcome: ledger.Failed, reason: reasonRedirect, attempts: 1, says: "another host or scheme"},
		{name: "an address with a name and a password", odd: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			w.Header().Set("Location", "http://name:"+"word@"+r.Host+"/api/v1/reliability")
			return text(w, 302, "")
		}, outcome: ledger.Failed, reason: reasonRedirect, attempts: 1},
		{name: "an address with a credential", odd: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.RawQuery != "" {
				return text(w, 200, good)
			}
			w.Header().Set("Location", "/api/v1/reliability?v=hf%5F"+strings.Repeat("a1B2", 10))
			return text(w, 302, "")
		}, outcome: ledger.Failed, reason: reasonRedirect, attempts: 1, says: "what looks like a credential"},
		{name: "circles", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.Header().Set("Location", "/api/v1/reliability")
			return text(w, 302, "")
		}, outcome: ledger.Failed, reason: reasonRedirect, attempts: 1, says: "too often"},
		{name: "another address of the host", odd: func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.RawQuery != "" {
				return text(w, 200, good)
			}
			w.Header().Set("Location", "/api/v1/reliability?v=2")
			return text(w, 307, "")
		}, attempts: 1},
		{name: "a page where JSON was promised", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, "<!DOCTYPE html>\n<h1>\x1b[2JMaintenance</h1>")
		}, outcome: ledger.Failed, reason: reasonNotJSON, attempts: 1, says: `it begins "<!DOCTYPE html> <h1>\x1b[2JMaintenance</h1>"`},
		{name: "JSON with something behind it", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, good+good)
		}, outcome: ledger.Failed, reason: reasonNotJSON, attempts: 1, says: "something follows its end"},
		{name: "large JSON with something behind it", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, `["`+strings.Repeat("a", maxErrorBody)+`"]]`)
		}, outcome: ledger.Failed, reason: reasonNotJSON, attempts: 1},
		{name: "large JSON that breaks off", odd: func(w http.ResponseWriter, _ *http.Request, n int) bool {
			return once(n, w, 200, `[["`+strings.Repeat("a", maxErrorBody)+`"]`)
		}, attempts: 2, slept: "750ms"},
		{name: "large JSON", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, `[["`+strings.Repeat("a", maxErrorBody)+`"]]`+"\n")
		}, attempts: 1, body: `[["` + strings.Repeat("a", maxErrorBody) + `"]]` + "\n"},
		{name: "a message in place of a response", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 200, `{"error":"Unknown model"}`)
		}, outcome: ledger.Failed, reason: reasonAPIError, attempts: 1, says: "Unknown model"},
		{name: "a status that is no answer", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.WriteHeader(204)
			return true
		}, outcome: ledger.Failed, reason: reasonStatus, attempts: 1, says: "No Content"},
		{name: "304 of what was not asked so", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.WriteHeader(304)
			return true
		}, outcome: ledger.Failed, reason: reasonStatus, attempts: 1},
		{name: "a part", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			return text(w, 206, good)
		}, outcome: ledger.Failed, reason: reasonStatus, attempts: 1},
		{name: "headers that are no text", odd: func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			raw(t, w, "HTTP/1.1 200 OK\r\nETag: \"\xff\xfe"+strings.Repeat("e", 5000)+"\"\r\n\r\n"+good)
			return true
		}, attempts: 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a, c := newAPI(t), newClock()
			a.odd = tt.odd
			opts := a.options(t, c, "reliability")
			report := capture(t, opts)
			if len(report.Results) != 1 {
				t.Fatalf("results %+v", report.Results)
			}
			got := report.Results[0].Capture
			want := tt.outcome
			if want == "" {
				want = ledger.Complete
			}
			if got.Outcome != want || got.Reason != tt.reason || got.Attempts != tt.attempts || !strings.Contains(got.Error, tt.says) {
				t.Errorf("got %+v", got)
			}
			if s := strings.Trim(fmt.Sprint(c.slept), "[]"); s != tt.slept {
				t.Errorf("waited %s, expected %s", s, tt.slept)
			}
			if len(got.Error) > maxText+10 || len(got.ETag) > maxText+10 || strings.Contains(got.Error, "hf_") || strings.Contains(got.Error, "word@") {
				t.Errorf("the ledger holds %q %q", got.Error, got.ETag)
			}
			stored := files(t, opts.Folder)
			if want != ledger.Complete {
				if len(stored) != 0 || got.File != "" || got.SHA256 != "" {
					t.Errorf("files %q of %+v", stored, got)
				}
			} else {
				body := tt.body
				if body == "" {
					body = good
				}
				if strings.HasPrefix(tt.name, "a body that") || slices.Contains([]int{2, 3}, got.Attempts) { // the server's own at last
					body = bodiesOfAPI["/api/v1/reliability"]
				}
				content, err := os.ReadFile(filepath.Join(opts.Folder, got.File))
				sum := sha256.Sum256(content)
				if err != nil || string(content) != body || got.SHA256 != hex.EncodeToString(sum[:]) || got.Size != int64(len(body)) || len(stored) != 1 {
					t.Errorf("%v: %q, files %q, %+v", err, content, stored, got)
				}
			}
			if lines := readLedger(t, opts.Folder); len(lines) != 1 || lines[0].URL != a.URL+"/api/v1/reliability" {
				t.Errorf("ledger %+v", lines)
			}
			counts := report.Counts()
			unreached := slices.Contains([]string{reasonServer, reasonBusy, reasonTruncated}, tt.reason)
			if counts.Refused != toInt(want == ledger.Refused) || counts.Unreached != toInt(unreached) || counts.Unusable != toInt(want == ledger.Failed && !unreached) {
				t.Errorf("counts %+v", counts)
			}
		})
	}
	if elsewhere.count() != 0 {
		t.Errorf("another host was asked %d times", elsewhere.count())
	}
}

func toInt(b bool) int {
	if b {
		return 1
	}
	return 0
}

// TestSlowServers holds that an attempt ends in time, before and in the body.
func TestSlowServers(t *testing.T) {
	for _, begun := range []bool{false, true} {
		a, c := newAPI(t), newClock()
		a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if begun {
				io.WriteString(w, "[")
				http.NewResponseController(w).Flush()
			}
			<-r.Context().Done()
			return true
		}
		opts := a.options(t, c, "reliability")
		opts.Timeout, opts.Retries = 20*time.Millisecond, 1
		got := capture(t, opts).Results[0].Capture
		if got.Outcome != ledger.Failed || got.Reason != reasonTimeout || got.Attempts != 2 || len(files(t, opts.Folder)) != 0 {
			t.Errorf("begun %v: %+v", begun, got)
		}
	}
}

// TestNobodyListens holds what a server that is not there comes to.
func TestNobodyListens(t *testing.T) {
	a, c := newAPI(t), newClock()
	opts := a.options(t, c, "reliability", "benchmarks")
	a.Close()
	report := capture(t, opts)
	if n := report.Counts(); n.Unreached != 2 || len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "availability, which is not captured") {
		t.Errorf("%+v %q", n, report.Notes)
	}
	for _, r := range report.Results {
		if r.Capture.Reason != reasonNetwork || strings.Contains(r.Capture.Error, "/api/v1") {
			t.Errorf("%+v", r.Capture)
		}
	}
}

// TestWaitsAreForAll holds that a server which asks to wait is left alone by every request.
func TestWaitsAreForAll(t *testing.T) {
	a, c := newAPI(t), newClock()
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path == "/api/v1/evaluations" {
			w.Header().Set("Retry-After", "100")
			w.WriteHeader(429)
			return true
		}
		return false
	}
	opts := a.options(t, c, "evaluations", "reliability")
	opts.Concurrency, opts.Retries = 1, 0
	report := capture(t, opts)
	if want := []time.Duration{100 * time.Second}; !slices.Equal(c.slept, want) || report.Counts().Fetched != 1 {
		t.Errorf("waited %v, %+v", c.slept, report.Counts())
	}
}

// TestLongWaits holds that a server which asks to wait for longer than is waited is asked nothing more in this run.
func TestLongWaits(t *testing.T) {
	a, c := newAPI(t), newClock()
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path == "/api/v1/availability" {
			return false
		}
		w.Header().Set("Retry-After", "3600")
		w.WriteHeader(429)
		return true
	}
	opts := a.options(t, c, "benchmarks", "evaluations")
	opts.Concurrency = 1
	report := capture(t, opts)
	n := report.Counts()
	if a.count() != 2 || len(c.slept) != 0 || n.Unreached != 1 || len(report.Results) != 2 || len(readLedger(t, opts.Folder)) != 2 {
		t.Errorf("asked %v, waited %v, %+v", a.asked, c.slept, report)
	}
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "3 requests were not made") {
		t.Errorf("notes %q", report.Notes)
	}
	c.now = c.now.Add(time.Hour)
	a.odd = nil
	if n := capture(t, opts).Counts(); n.Fetched != 4 || n.Kept != 1 {
		t.Errorf("an hour later: %+v", n)
	}
}

// TestCredentialsOfCaptures holds that what a capture names and looks like a credential stands in no address, file name or ledger.
func TestCredentialsOfCaptures(t *testing.T) {
	a := newAPI(t)
	secret := "hf_" + strings.Repeat("a1B2", 10)
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		if r.URL.Path != "/api/v1/availability" {
			return false
		}
		fmt.Fprintf(w, `[{"model":"dsr1"},{"model":%q}]`, secret)
		return true
	}
	opts := a.options(t, newClock(), "benchmarks")
	report := capture(t, opts)
	content, err := os.ReadFile(filepath.Join(opts.Folder, ledger.FileName))
	must(t, err)
	if report.Counts().Fetched != 2 || a.count() != 2 || strings.Contains(string(content), secret) || strings.Contains(strings.ToLower(fmt.Sprint(files(t, opts.Folder))), "a1b2a1b2") {
		t.Errorf("asked %v, files %q", a.asked, files(t, opts.Folder))
	}
	if len(report.Notes) != 1 || !strings.Contains(report.Notes[0], "1 of what the captures name") {
		t.Errorf("notes %q", report.Notes)
	}
}

// TestConcurrency holds that the bound on requests at a time is reached and kept.
func TestConcurrency(t *testing.T) {
	a := newAPI(t)
	var mu sync.Mutex
	at, most := 0, 0
	both := make(chan bool)
	a.odd = func(_ http.ResponseWriter, r *http.Request, _ int) bool {
		mu.Lock()
		at++
		most = max(most, at)
		if most == 2 && at == 2 {
			select {
			case <-both:
			default:
				close(both)
			}
		}
		mu.Unlock()
		select {
		case <-both: // the first waits for the second
		case <-r.Context().Done():
		}
		mu.Lock()
		at--
		mu.Unlock()
		return false
	}
	report := capture(t, a.options(t, newClock(), "evaluations", "reliability", "submissions", "latest-images", "datasets", "workflow-info"))
	if most != 2 || report.Counts().Fetched != 6 {
		t.Errorf("%d at a time, %+v", most, report.Counts())
	}
}

// TestRefresh holds that what is there is asked for on condition, keeps its file
// where the server says that nothing changed, and gets another where it did.
func TestRefresh(t *testing.T) {
	a, c := newAPI(t), newClock()
	body, tag := good, `"one"`
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.Header().Set("ETag", tag)
		w.Header().Set("Last-Modified", "Sat, 08 Aug 2026 02:00:00 GMT")
		if r.Header.Get("If-None-Match") == tag && r.Header.Get("If-Modified-Since") == "Sat, 08 Aug 2026 02:00:00 GMT" {
			w.Header().Del("Last-Modified")
			w.WriteHeader(304)
			return true
		}
		io.WriteString(w, body)
		return true
	}
	opts := a.options(t, c, "reliability")
	first := capture(t, opts).Results[0].Capture
	opts.Refresh = true
	for range 2 {
		c.now = c.now.Add(time.Hour)
		report := capture(t, opts)
		got := report.Results[0].Capture
		if got.Outcome != ledger.Unchanged || got.Status != 304 || got.File != first.File || got.SHA256 != first.SHA256 || got.ETag != tag || got.LastModified == "" ||
			!got.StartedAt.Equal(c.now) || report.Counts().Unchanged != 1 {
			t.Errorf("%+v", got)
		}
	}
	body, tag = `[]`, `"two"`
	second := capture(t, opts).Results[0].Capture
	if second.Outcome != ledger.Complete || second.File == first.File || second.ETag != tag || !whole(opts.Folder, &first) || !whole(opts.Folder, &second) {
		t.Errorf("%+v", second)
	}
	if lines := readLedger(t, opts.Folder); len(lines) != 4 {
		t.Errorf("%d lines", len(lines))
	}

	// A 304 that was asked for by no header of the server's says nothing.
	plain := a.options(t, c, "reliability")
	a.odd = func(w http.ResponseWriter, r *http.Request, n int) bool {
		if len(r.Header["If-None-Match"])+len(r.Header["If-Modified-Since"]) > 0 {
			t.Errorf("asked with %v", r.Header)
		}
		w.Header().Set("ETag", `"hf_`+strings.Repeat("a1B2", 10)+`"`) // which the ledger leaves out
		if len(files(t, plain.Folder)) > 0 {
			w.WriteHeader(304)
		} else {
			io.WriteString(w, good)
		}
		return true
	}
	capture(t, plain)
	plain.Refresh = true
	if got := capture(t, plain).Results[0].Capture; got.Outcome != ledger.Failed || got.Reason != reasonStatus {
		t.Errorf("%+v", got)
	}

	// A refusal takes nothing away, and a damaged file is asked for without condition.
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		w.WriteHeader(404)
		return true
	}
	if report := capture(t, opts); report.Counts().Refused != 1 || !whole(opts.Folder, &second) {
		t.Errorf("%+v", report)
	}
	opts.Refresh = false
	if report := capture(t, opts); report.Counts().Kept != 1 {
		t.Errorf("%+v", report)
	}
	must(t, os.WriteFile(filepath.Join(opts.Folder, second.File), []byte("xx"), 0o666))
	conditions := 0
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		conditions += len(r.Header["If-None-Match"])
		io.WriteString(w, `[]`)
		return true
	}
	opts.Refresh = true
	if report := capture(t, opts); conditions != 0 || report.Counts().Fetched != 1 || !whole(opts.Folder, &second) {
		t.Errorf("%d conditions, %+v", conditions, report)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// TestRefusalsAreAnswers holds that what the server does not have is not asked for
// again, unless a refresh is; what may be about who asks is.
func TestRefusalsAreAnswers(t *testing.T) {
	for status, asked := range map[int]int{400: 1, 404: 1, 410: 1, 401: 2, 403: 2, 451: 2} {
		a := newAPI(t)
		a.odd = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
			w.WriteHeader(status)
			return true
		}
		opts := a.options(t, newClock(), "reliability")
		capture(t, opts)
		if report := capture(t, opts); a.count() != asked || report.Counts().Refused != 1 {
			t.Errorf("%d: asked for %d times, %+v", status, a.count(), report.Counts())
		}
		opts.Refresh = true
		if capture(t, opts); a.count() != asked+1 {
			t.Errorf("%d: asked for %d times", status, a.count())
		}
	}
}

// TestResume holds that a run goes on with what others left: a torn line, files
// that are missing, damaged or half written.
func TestResume(t *testing.T) {
	a := newAPI(t)
	opts := a.options(t, newClock(), "evaluations", "reliability", "submissions", "latest-images")
	first := capture(t, opts)
	path := filepath.Join(opts.Folder, ledger.FileName)
	content, err := os.ReadFile(path)
	must(t, err)
	lines := bytes.SplitAfter(content, []byte("\n"))
	torn := bytes.Join(lines[:3], nil)
	torn = append(torn, lines[3][:len(lines[3])/2]...) // the last line was being written
	must(t, os.WriteFile(path, torn, 0o666))
	must(t, os.WriteFile(filepath.Join(opts.Folder, ".capture-1-1.tmp"), []byte("half"), 0o666))
	captures, broken, err := ledger.Read(bytes.NewReader(torn))
	if err != nil || broken != 1 || len(captures) != 3 {
		t.Fatalf("%d lines, %d broken: %v", len(captures), broken, err)
	}
	must(t, os.Remove(filepath.Join(opts.Folder, captures[0].File)))
	must(t, os.WriteFile(filepath.Join(opts.Folder, captures[1].File), bytes.Repeat([]byte(" "), int(captures[1].Size)), 0o666))
	a.forget()
	report := capture(t, opts)
	if report.Broken != 1 || report.Counts().Kept != 1 || report.Counts().Fetched != 3 || a.count() != 3 {
		t.Errorf("%+v, %d requests", report.Counts(), a.count())
	}
	for _, r := range slices.Concat(first.Results, report.Results) {
		if !whole(opts.Folder, &r.Capture) {
			t.Errorf("%s is not whole", r.Capture.File)
		}
	}
	if left := files(t, opts.Folder); len(left) != 4 {
		t.Errorf("files %q", left)
	}
	content, err = os.ReadFile(path)
	must(t, err)
	if captures, broken, err := ledger.Read(bytes.NewReader(content)); err != nil || broken != 1 || len(captures) != 6 {
		t.Errorf("%d lines, %d broken: %v", len(captures), broken, err)
	}
}

// TestOneAtATime holds that two runs do not write one folder.
func TestOneAtATime(t *testing.T) {
	a := newAPI(t)
	opts := a.options(t, newClock(), "reliability")
	l, _, _, err := ledger.Open(opts.Folder)
	must(t, err)
	if _, err := Run(t.Context(), opts); !errors.Is(err, ledger.ErrInUse) {
		t.Errorf("error %v", err)
	}
	must(t, l.Close())
	capture(t, opts)
}

// TestHostileFolder holds that a ledger which others wrote leads to no file outside its folder.
func TestHostileFolder(t *testing.T) {
	a := newAPI(t)
	opts := a.options(t, newClock(), "benchmarks")
	must(t, os.MkdirAll(opts.Folder, 0o777))
	outside := filepath.Join(filepath.Dir(opts.Folder), "secret.json")
	must(t, os.WriteFile(outside, []byte(`[{"model":"stolen"}]`), 0o666))
	for _, file := range []string{"../secret.json", outside, ".hidden", ".."} {
		line := fmt.Sprintf(`{"kind":"InferenceXCapture","operation":"availability","url":%q,"started_at":"2026-08-08T03:00:00Z","outcome":"complete","file":%q,"size":20,"sha256":"%x"}`+"\n",
			a.URL+"/api/v1/availability", file, sha256.Sum256([]byte(`[{"model":"stolen"}]`)))
		must(t, os.WriteFile(filepath.Join(opts.Folder, ledger.FileName), []byte(line+"not json\n[1]\n"+strings.Repeat("x", 2<<20)+"\n"), 0o666))
		a.forget()
		report := capture(t, opts)
		if report.Broken != 3 || a.asked["/api/v1/availability"] != 1 || a.asked["/api/v1/benchmarks?model=stolen"] != 0 {
			t.Errorf("%s: %d broken, asked for %v", file, report.Broken, a.asked)
		}
	}
	for content, taken := range map[string]bool{`{"kind":"Infer`: true, "{\n": true, "{\"a\":1}\n": false, "notes\n": false, "kind: Run\n": false} {
		must(t, os.WriteFile(filepath.Join(opts.Folder, ledger.FileName), []byte(content), 0o666))
		_, err := Run(t.Context(), opts)
		kept, readErr := os.ReadFile(filepath.Join(opts.Folder, ledger.FileName))
		must(t, readErr)
		if (err == nil) != taken || !taken && string(kept) != content {
			t.Errorf("%q: %v, then %q", content, err, kept)
		}
	}
	must(t, os.Remove(filepath.Join(opts.Folder, ledger.FileName)))
	must(t, os.Symlink(outside, filepath.Join(opts.Folder, ledger.FileName)))
	if _, err := Run(t.Context(), opts); err == nil {
		t.Error("a link was taken for the ledger")
	}
	must(t, os.Remove(filepath.Join(opts.Folder, ledger.FileName)))
	must(t, syscall.Mkfifo(filepath.Join(opts.Folder, ledger.FileName), 0o666))
	if _, err := Run(t.Context(), opts); err == nil {
		t.Error("a pipe was taken for the ledger")
	}
	if _, err := Plan(opts); err == nil {
		t.Error("a plan took a pipe for the ledger")
	}
}

// TestTextThatIsNone holds what counts as CSV: anything but a page and an error message.
func TestTextThatIsNone(t *testing.T) {
	for _, tt := range []struct{ contentType, body, reason string }{
		{"text/csv", "a,b\n1,2\n", ""}, {"", "", ""}, {"text/html; charset=utf-8", "<html>", reasonNotJSON}, {"application/json", `{"error":"Unknown model"}`, reasonAPIError},
		{"text/csv", `{"error":5}`, ""}, {"text/csv", "{", ""},
	} {
		a := newAPI(t)
		a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path != "/api/v1/tco-feed" {
				return false
			}
			w.Header().Set("Content-Type", tt.contentType)
			io.WriteString(w, tt.body)
			return true
		}
		opts := a.options(t, newClock(), "tco-feed")
		opts.Params = values{"model": "dsr1", "format": "csv", "workloads": "1024x1024"}
		report := capture(t, opts)
		last := report.Results[len(report.Results)-1].Capture
		if last.Operation != "tco-feed" || last.Reason != tt.reason || (last.Outcome == ledger.Complete) != (tt.reason == "") {
			t.Errorf("%+v: %+v", tt, report)
		}
	}
}

// TestPlanOfADamagedFolder holds that a plan says what a capture would do where a file that tells of others is damaged or missing.
func TestPlanOfADamagedFolder(t *testing.T) {
	a := newAPI(t)
	opts := a.options(t, newClock(), "benchmarks", "trace-availability")
	stored := capture(t, opts).Results[0].Capture
	for _, damage := range []func() error{
		func() error { return os.WriteFile(filepath.Join(opts.Folder, stored.File), []byte(`[{"mod`), 0o666) },
		func() error { return os.Remove(filepath.Join(opts.Folder, stored.File)) },
	} {
		must(t, damage())
		steps, err := Plan(opts)
		must(t, err)
		var due []Due
		for _, s := range steps {
			due = append(due, s.Due)
		}
		if want := []Due{ToFetch, Later, Later}; !slices.Equal(due, want) {
			t.Errorf("plan %+v", steps)
		}
	}
	if n := capture(t, opts).Counts(); n.Fetched != 1 || n.Kept < 3 {
		t.Errorf("%+v", n)
	}
}

// TestResponsesThatAreAnotherThing holds that a response of the wrong shape ends what depends on it, and nothing else.
func TestResponsesThatAreAnotherThing(t *testing.T) {
	for _, body := range []string{`{}`, `5`, `[5]`, `[{"model":5}]`, `null`} {
		a := newAPI(t)
		a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
			if r.URL.Path != "/api/v1/availability" {
				return false
			}
			io.WriteString(w, body)
			return true
		}
		report := capture(t, a.options(t, newClock(), "benchmarks", "reliability"))
		if len(report.Unread) != 1 || !strings.Contains(report.Unread[0], "plan benchmarks") || report.Counts().Fetched != 2 {
			t.Errorf("%s: %q, %+v", body, report.Unread, report.Counts())
		}
	}
}

// TestInterruptedAnywhere is the property: interrupted at random moments and
// begun again until it is done, a capture comes to the same files as one that was
// not, loses nothing, and asks for nothing that it has.
func TestInterruptedAnywhere(t *testing.T) {
	var seed [8]byte
	rand.Read(seed[:])
	random := mathrand.New(mathrand.NewSource(int64(seed[0]) | int64(seed[1])<<8 | int64(seed[2])<<16))
	t.Logf("seed %x", seed[:3])
	undisturbed := newAPI(t)
	whole1 := undisturbed.options(t, newClock(), allOperations()...)
	whole1.Params = values{"q": "error"}
	capture(t, whole1)

	a := newAPI(t)
	var cancel context.CancelFunc
	had := map[string]map[string]bool{} // of each run, told by its user agent: the addresses that were complete before it
	left := 0                           // requests until the interruption
	var mu sync.Mutex
	a.odd = func(w http.ResponseWriter, r *http.Request, _ int) bool {
		mu.Lock()
		defer mu.Unlock()
		if had[r.UserAgent()][a.URL+r.URL.RequestURI()] {
			t.Errorf("%s was asked for again", r.URL.RequestURI())
		}
		if left--; left == 0 {
			switch random.Intn(3) {
			case 0: // before the response
				cancel()
			case 1: // in it
				w.Header().Set("Content-Length", "100")
				io.WriteString(w, "[")
				http.NewResponseController(w).Flush()
				cancel()
				return true
			default: // at some moment after it
				time.AfterFunc(time.Duration(random.Intn(1000))*time.Microsecond, cancel)
			}
		}
		return false
	}
	opts := a.options(t, newClock(), allOperations()...)
	opts.Params = values{"q": "error"}
	interruptions := 0
	for {
		before := map[string]bool{}
		if content, err := os.ReadFile(filepath.Join(opts.Folder, ledger.FileName)); err == nil {
			captures, _, err := ledger.Read(bytes.NewReader(content))
			must(t, err)
			for _, c := range captures {
				before[c.URL] = true
			}
		}
		opts.UserAgent = fmt.Sprint("run ", interruptions)
		ctx, stop := context.WithCancel(t.Context())
		mu.Lock()
		had[opts.UserAgent] = before
		cancel, left = stop, 1+random.Intn(5)
		mu.Unlock()
		_, err := Run(ctx, opts)
		stop()
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		if interruptions++; interruptions > 1000 {
			t.Fatal("it does not come to an end")
		}
	}
	if interruptions < 3 {
		t.Errorf("only %d interruptions", interruptions)
	}
	lines := readLedger(t, opts.Folder)
	seen := map[string]bool{}
	for _, c := range lines {
		if seen[c.URL] || c.Outcome != ledger.Complete || !whole(opts.Folder, &c) {
			t.Errorf("%+v", c)
		}
		seen[c.URL] = true
	}
	if len(lines) != len(wanted) || len(files(t, opts.Folder)) != len(wanted) {
		t.Errorf("%d lines, %d files, expected %d", len(lines), len(files(t, opts.Folder)), len(wanted))
	}
}

// TestInterruptedWaiting holds that an interruption ends a wait.
func TestInterruptedWaiting(t *testing.T) {
	a, c := newAPI(t), newClock()
	ctx, cancel := context.WithCancel(t.Context())
	a.odd = func(w http.ResponseWriter, _ *http.Request, _ int) bool {
		w.WriteHeader(500)
		cancel()
		return true
	}
	if _, err := Run(ctx, a.options(t, c, "reliability")); !errors.Is(err, context.Canceled) || a.count() != 1 {
		t.Errorf("%v after %d requests", err, a.count())
	}
}
