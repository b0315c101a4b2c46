package loader

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// The queries that answer what operations of the InferenceX API compute are held
// twice: against oracles of their own over the demonstration and invented rows,
// and, where BLIS_WAREHOUSE_DATA names a folder of real captures, against what the
// publisher answered. docs/inferencex-operations.md has the rules by which the two
// may differ there.

// TestAnswersOracle holds each against its oracle.
func TestAnswersOracle(t *testing.T) {
	w := analysed(t)
	for _, db := range analysedDatabases {
		w.writable(db) // open until the end of all
	}
	for _, tt := range []struct {
		query  string
		oracle func(*testing.T, *world)
	}{
		{"availability", availabilityOracle},
	} {
		t.Run(tt.query, func(t *testing.T) {
			tt.oracle(t, &world{t, w.dir, w.open})
		})
	}
}

// TestAnswersOfRealCaptures compares what is computed with what was published, on
// the subset that the loaded rows determine. It counts that subset, which may not
// be empty where the operation was captured.
func TestAnswersOfRealCaptures(t *testing.T) {
	dir := os.Getenv("BLIS_WAREHOUSE_DATA")
	if dir == "" {
		t.Skip("NOT RUN: BLIS_WAREHOUSE_DATA names no folder of captures")
	}
	w := newWorld(t, nil)
	w.load("w.db", w.options(), dir)
	w.writable("w.db")
	for _, tt := range []struct {
		operation string
		compare   func(*testing.T, *world) (subset int, what string)
	}{
		{"availability", compareAvailability},
	} {
		t.Run(tt.operation, func(t *testing.T) {
			w := &world{t, w.dir, w.open}
			if w.query("w.db", "SELECT count(*) FROM inferencex_bodies WHERE operation = '"+tt.operation+"'")[0] == "0" {
				t.Skip("NOT RUN: no capture of " + tt.operation)
			}
			n, what := tt.compare(t, w)
			t.Logf("%d %s", n, what)
			if n == 0 {
				t.Errorf("the loaded rows determine nothing of the captures: no %s", what)
			}
		})
	}
}

// datedRows are the current rows of InferenceX that have a day.
func (w *world) datedRows(db string) []cells {
	w.t.Helper()
	return slices.DeleteFunc(w.records(db, "SELECT * FROM inferencex_rows"), func(r cells) bool { return r["date"] == nil || r["hidden_by_attempt"] != nil })
}

// picked are the values of columns, in one text.
func picked(r cells, columns ...string) string {
	values := make([]string, len(columns))
	for i, c := range columns {
		values[i] = fmt.Sprint(r[c])
	}
	return strings.Join(values, "|")
}

var availabilityColumns = []string{"model", "isl", "osl", "precision", "hardware", "framework", "spec_method", "disagg", "benchmark_type", "date"}

func availabilityOracle(t *testing.T, w *world) {
	n := 0
	for _, db := range analysedDatabases {
		for _, only := range []any{nil, "h200"} {
			points := map[string]int{}
			for _, r := range w.datedRows(db) {
				if only == nil || r["hardware"] == only {
					points[picked(r, availabilityColumns...)]++
				}
			}
			var got, want []string
			for key, n := range points {
				want = append(want, fmt.Sprint(key, "|", n))
			}
			for _, r := range w.answer(db, "availability", cells{"hardware": only}) {
				got = append(got, picked(r, append(slices.Clone(availabilityColumns), "points")...))
			}
			n += len(got)
			sameSet(t, db, got, want)
		}
	}
	if n < 20 {
		t.Errorf("%d combinations show little", n)
	}
}

// compareAvailability: of a model that was captured both ways, the days from the
// first that the publisher's list has on must be the same in both.
func compareAvailability(t *testing.T, w *world) (int, string) {
	published, first := map[string]bool{}, map[any]string{}
	last := map[any]string{}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_availability") {
		published[picked(r, availabilityColumns...)] = true
		day := r["date"].(string)
		if first[r["model"]] == "" || day < first[r["model"]] {
			first[r["model"]] = day
		}
		last[r["model"]] = max(last[r["model"]], day)
	}
	computed := map[string]bool{}
	models := map[any]bool{}
	subset := 0
	for _, r := range w.answer("w.db", "availability", nil) {
		key := picked(r, availabilityColumns...)
		computed[key], models[r["model"]] = true, true
		day := r["date"].(string)
		switch {
		case first[r["model"]] == "" || day < first[r["model"]] || day > last[r["model"]]: // rule: captures are trimmed
		case !published[key]:
			t.Errorf("computed and not published: %s", key)
		default:
			subset++
		}
	}
	for _, r := range w.records("w.db", "SELECT * FROM inferencex_api_availability") {
		if key := picked(r, availabilityColumns...); models[r["model"]] && !computed[key] {
			t.Errorf("published and not computed: %s", key)
		}
	}
	return subset, "combinations and days of models whose rows are loaded, in the days that the publisher's list covers"
}
