package loader

import (
	"fmt"
	"math/rand"
	"slices"
	"strings"
	"testing"
	"time"
)

// identified is a row with the publisher's id.
func identified(id any, row string) string {
	return fmt.Sprintf(`{"id":%v,`, id) + strings.TrimPrefix(row, "{")
}

// asking makes a line of a ledger, whose request named something else, one that names ids.
func asking(name, ids, line string) string {
	line = strings.Replace(line, "?model=demo", fmt.Sprintf("?%s=%s", name, ids), 1)
	return strings.Replace(line, `"params":{"model":"demo"}`, fmt.Sprintf(`"params":{%q:%q}`, name, ids), 1)
}

// movedWorld has captures in which ids move: of rows at three times, the middle one
// confirmed later, one without a ledger, and captures that were asked for by id.
func movedWorld(t *testing.T) *world {
	point := func(conc int, ttft string) string { return row("100000001", 1, "8", conc, `"median_ttft": `+ttft) }
	first := rows(identified(11, point(4, "0.25")), identified(`"12"`, point(8, "0.5")), identified(12, point(8, "0.5")), identified(13, point(16, "0.75")),
		identified(17, point(64, `9, "num_requests_total": 20, "num_requests_successful": 0`)))
	second := rows(identified(11, point(8, "0.5")), identified(12, point(4, "0.25")), identified(14, point(2, "0.125")), identified(14, point(1, "0.0625")))
	third := rows(identified(12, point(16, "0.75")), point(32, "1"))
	loose := rows(identified(15, point(4, "0.25")), identified(11, point(2, "0.125")))
	asked := `[{"hardware":"h200","date":"2026-01-02","n_success":1,"total":1}]` // of what operation plays no part
	files := map[string]string{
		"f/1.json": first, "f/2.json": second, "f/3.json": third, "loose.json": loose, "f/asked.json": asked,
		"f/captures.jsonl": ledgerLine("benchmarks", "1.json", first, "2026-08-01T00:00:00Z", "complete") +
			ledgerLine("benchmarks", "2.json", second, "2026-08-02T00:00:00Z", "complete") +
			ledgerLine("benchmarks", "3.json", third, "2026-08-03T00:00:00Z", "complete") +
			ledgerLine("benchmarks", "2.json", second, "2026-08-05T00:00:00Z", "unchanged") +
			asking("ids", "11,12,13,14,15,16,17", ledgerLine("trace-availability", "asked.json", asked, "2026-08-02T12:00:00Z", "complete")) +
			asking("id", "12", ledgerLine("request-timeline", "asked.json", asked, "2026-08-03T00:00:00Z", "complete")) +
			asking("id", "12", ledgerLine("request-timeline", "asked.json", asked, "2026-08-06T00:00:00Z", "unchanged")) +
			asking("id", "14", ledgerLine("request-timeline", "asked.json", asked, "2026-08-01T12:00:00Z", "complete")) +
			asking("id", "x]", ledgerLine("server-log", "asked.json", asked, "2026-08-06T00:00:00Z", "complete")),
	}
	return newWorld(t, files)
}

// TestIDs holds what the ids of each capture mean, and what was asked for by id.
func TestIDs(t *testing.T) {
	w := movedWorld(t)
	w.load("w.db", w.options(), "f", "loose.json")
	w.want("w.db", `SELECT ids, (SELECT count(*) FROM inferencex_ids i WHERE i.capture_id = c.capture_id) FROM inferencex_id_captures c ORDER BY 1`, "1|1", "2|2", "4|4", "4|4")
	said := `SELECT id, ifnull(point, '-') FROM inferencex_id_points WHERE captured_at IS %s ORDER BY 1, 2`
	w.want("w.db", fmt.Sprintf(said, "'2026-08-01T00:00:00.000Z'"), "11|c4", "12|c8", "13|c16", "17|-")
	for _, at := range []string{"'2026-08-02T00:00:00.000Z'", "'2026-08-05T00:00:00.000Z'"} {
		w.want("w.db", fmt.Sprintf(said, at), "11|c8", "12|c4", "14|c1", "14|c2")
	}
	w.want("w.db", fmt.Sprintf(said, "'2026-08-03T00:00:00.000Z'"), "12|c16")
	w.want("w.db", fmt.Sprintf(said, "NULL"), "11|c2", "15|c4")
	w.want("w.db", `SELECT substr(asked_at, 6, 8), operation, id, certainty, ifnull(point, '-'), rows_sha256 IS NULL FROM inferencex_asked_points ORDER BY 1, 2, 3, 5`,
		"08-01T12|request-timeline|14|candidate|c1|1", "08-01T12|request-timeline|14|candidate|c2|1", // only later captures have it
		"08-02T12|trace-availability|11|newest|c8|0", "08-02T12|trace-availability|12|newest|c4|0", "08-02T12|trace-availability|13|newest|c16|0",
		"08-02T12|trace-availability|14|newest|c1|0", "08-02T12|trace-availability|14|newest|c2|0", // which one capture gives two points
		"08-02T12|trace-availability|15|candidate|c4|1", "08-02T12|trace-availability|16|unknown|-|1", "08-02T12|trace-availability|17|newest|-|0",
		"08-03T00|request-timeline|12|newest|c16|0", "08-06T00|request-timeline|12|newest|c4|0") // the second was confirmed
	for _, tt := range []struct {
		id, at any
		want   string
	}{
		{12, nil, "c4|1|1 c16|1|0 c8|1|0"},
		{12, "2026-08-01T10:00:00.000Z", "c8|1|1 c4|1|0 c16|1|0"},
		{12, "2026-07-01T00:00:00.000Z", "c4|1|<nil> c16|1|<nil> c8|1|<nil>"},
		{15, nil, "c4|1|<nil>"},
		{17, nil, "<nil>|1|1"},
		{99, nil, ""},
	} {
		var got []string
		for _, r := range w.answer("w.db", "published-id", cells{"id": tt.id, "at": tt.at}) {
			got = append(got, fmt.Sprintf("%v|%v|%v", r["point"], r["captures"], r["is_meant"]))
		}
		if got := strings.Join(got, " "); got != tt.want {
			t.Errorf("id %v at %v: %q, want %q", tt.id, tt.at, got, tt.want)
		}
	}
	if n := len(w.answer("w.db", "asked-points", cells{"operation": "request-timeline", "run": nil})); n != 4 {
		t.Errorf("%d points asked for", n)
	}
}

// TestIDsOracle holds inferencex_asked_points against a search of its own through
// captures, times and ids at random.
func TestIDsOracle(t *testing.T) {
	rnd := rand.New(rand.NewSource(3))
	type capture struct {
		points map[int]int // concurrency by id
		at     []time.Time // none without a ledger
	}
	files, lines := map[string]string{}, ""
	var captures []capture
	when := func() time.Time { return time.Date(2026, 8, 1, rnd.Intn(60), 0, 0, 0, time.UTC) }
	for i := range 8 {
		c := capture{points: map[int]int{}}
		var all []string
		for id := 1; id <= 12; id++ {
			if rnd.Intn(3) > 0 {
				c.points[id] = 1 + rnd.Intn(4)
				all = append(all, identified(id, row("100000001", 1, "8", c.points[id], `"median_ttft": 0.25`)))
			}
		}
		name := fmt.Sprintf("rows%d.json", i)
		files["f/"+name] = rows(append(all, row("100000001", 1, "8", 100+i, `"median_ttft": 0.25`))...)
		for range i % 3 {
			c.at = append(c.at, when())
			lines += ledgerLine("benchmarks", name, files["f/"+name], c.at[len(c.at)-1].Format(time.RFC3339), "complete")
		}
		captures = append(captures, c)
	}
	var want []string
	counts := map[string]int{}
	for i := range 20 {
		at, id := when().Add(-8*time.Hour), 1+rnd.Intn(13)
		body := fmt.Sprintf(`[{"hardware":"h200","date":"2026-01-02","n_success":%d,"total":40}]`, i)
		name := fmt.Sprintf("asked%d.json", i)
		files["f/"+name] = body
		lines += asking("id", fmt.Sprint(id), ledgerLine("request-timeline", name, body, at.Format(time.RFC3339), "complete"))
		found, points := time.Time{}, map[int]bool{}
		for _, c := range captures {
			for _, when := range c.at {
				if _, has := c.points[id]; has && !when.After(at) && when.After(found) {
					found = when
				}
			}
		}
		certainty := "newest"
		for _, c := range captures {
			if conc, has := c.points[id]; has && (found.IsZero() || slices.Contains(c.at, found)) {
				points[conc] = true
			}
		}
		switch {
		case found.IsZero() && len(points) == 0:
			certainty, points[0] = "unknown", true
		case found.IsZero():
			certainty = "candidate"
		case len(points) > 1: // captured in one second: what the digests order is not looked at here
			continue
		}
		counts[certainty]++
		for conc := range points {
			want = append(want, fmt.Sprintf("%d|%d|%s|%d", i, id, certainty, conc))
		}
	}
	if counts["newest"] < 3 || counts["candidate"] < 3 {
		t.Fatalf("%v shows little", counts)
	}
	files["f/captures.jsonl"] = lines
	w := newWorld(t, files)
	w.load("w.db", w.options(), "f")
	wanted := map[string]bool{}
	for _, line := range want {
		wanted[strings.SplitN(line, "|", 2)[0]] = true
	}
	got := slices.DeleteFunc(w.query("w.db", `SELECT r.n_success, a.id, a.certainty, ifnull(p.concurrency, 0) FROM inferencex_asked_points a JOIN inferencex_api_reliability r ON r.sha256 = a.sha256
		LEFT JOIN points p ON p.point_id = a.point_id`), func(line string) bool { return !wanted[strings.SplitN(line, "|", 2)[0]] })
	sameSet(t, "asked", got, want)
}

// TestIDsInAnyOrder holds that what ids mean is the same in any order, any number
// of times, in one load or many, and when the database is rebuilt.
func TestIDsInAnyOrder(t *testing.T) {
	w := movedWorld(t)
	w.load("all.db", w.options(), "f", "loose.json")
	// Which of its ids a point was given last depends on what came last, as any revision.
	content := func(db string) []string {
		return w.logicalContentBut(db, "inferencex_points.id", "inferencex_revisions")
	}
	want := content("all.db")
	if n := len(slices.DeleteFunc(slices.Clone(want), func(line string) bool { return !strings.HasPrefix(line, "inferencex_ids ") })); n != 11 {
		t.Errorf("%d ids in the logical content", n)
	}
	for range 2 { // reading all again, and knowing the last
		w.load("all.db", w.options(), "loose.json", "f")
		w.load("all.db", w.options(), "f/2.json", "f/1.json")
	}
	compareContent(t, "loaded again", content("all.db"), want)
	inputs := []string{"f/1.json", "f/2.json", "f/3.json", "f/asked.json", "loose.json"}
	for i := range 4 {
		rand.New(rand.NewSource(int64(i))).Shuffle(len(inputs), func(a, b int) { inputs[a], inputs[b] = inputs[b], inputs[a] })
		db := fmt.Sprintf("order%d.db", i)
		for _, input := range inputs {
			w.load(db, w.options(), input)
		}
		compareContent(t, fmt.Sprint(inputs), content(db), want)
	}
	w.rebuild("all.db", "rebuilt.db", ".")
	if w.digest("rebuilt.db") != w.digest("all.db") {
		t.Error("rebuilt it has another digest")
	}
}

// TestIDsOfDumps holds that the rows of a dump have ids as those of captures do.
func TestIDsOfDumps(t *testing.T) {
	w := newWorld(t, inventedDump(inventedResult(), inventedResult("id", 101, "conc", 16, "error", "server died", "metrics", nil)))
	w.load("w.db", w.options(), "dump")
	w.want("w.db", `SELECT count(*) FROM inferencex_id_captures c JOIN documents d USING (sha256) WHERE d.path = 'dump'`, "1")
	w.want("w.db", `SELECT id, point FROM inferencex_id_points ORDER BY id`, "99|c4", "101|NULL")
}
