package loader

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"unicode"
	"unicode/utf16"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/store"
)

// logLine is a line of a ledger for a capture of a log.
func logLine(operation, file, content, at string, params map[string]string) string {
	text, _ := json.Marshal(params)
	line := ledgerLine(operation, file, content, at, "complete")
	line = strings.Replace(line, `{"model":"demo"}`, string(text), 1)
	return strings.Replace(line, `?model=demo"`, `?file=`+file+`"`, 1) // an address of its own
}

// chunk is an invented answer of server-log: what characters from first to end of a log are.
func chunk(id int, file string, log []rune, first, end int) string {
	next := any(end)
	if end >= len(log) {
		end, next = len(log), nil
	}
	text, _ := json.Marshal(map[string]any{"id": id, "fileName": file, "serverLog": string(log[min(first, end):end]), "offset": first, "nextOffset": next})
	return string(text)
}

// chunksOf are the answers of a whole log in chunks.
func chunksOf(id int, file string, log []rune, size int) map[string]string {
	all := map[string]string{}
	for first := 0; first == 0 || first < len(log); first += size {
		all[fmt.Sprintf("chunk-%d-%06d.json", id, first)] = chunk(id, file, log, first, first+size)
	}
	return all
}

// inventedLog is a log with characters of all lengths, in lines some of which are longer than a piece.
func inventedLog(seed int64, n int) []rune {
	rnd := rand.New(rand.NewSource(seed))
	words := []string{"INFO", "router ", "Ready", "é", "É", "日本", "😀", "%", "_", "\\", "*", "\t", " ", " ", "\n", "\r\n", "\x1b[0m", "aaa"}
	var log []rune
	for len(log) < n {
		if rnd.Intn(2000) == 0 {
			log = append(log, []rune(strings.Repeat("x", rnd.Intn(40_000)))...)
		}
		log = append(log, []rune(words[rnd.Intn(len(words))])...)
	}
	return log[:n]
}

// TestServerLogs holds that the three forms of a log's capture are the same log, that
// chunks join whatever their sizes, and what is said of what is missing.
func TestServerLogs(t *testing.T) {
	log := inventedLog(1, 50_000)
	if len(utf16.Encode(log)) == len(log) || len(string(log)) == len(log) {
		t.Fatal("the log has no characters that count differently")
	}
	whole, _ := json.Marshal(map[string]any{"id": 421, "serverLog": string(log)})
	w := newWorld(t, chunksOf(423, "results/server.log", log, 7001))
	const names = `["results/server.log","results/router.log"]`
	w.write(map[string]string{
		"f/names.json": names, "f/whole.json": string(whole), "f/text.txt": string(log), "f/empty.txt": "", "f/blank.txt": " \n\n ",
		"f/captures.jsonl": logLine("server-log-files", "names.json", names, earlyCapture, map[string]string{"id": "421"}) +
			logLine("server-log", "whole.json", string(whole), earlyCapture, map[string]string{"id": "421"}) +
			logLine("server-log", "text.txt", string(log), earlyCapture, map[string]string{"id": "422", "file": "results/a.log", "download": "1"}) +
			logLine("server-log", "empty.txt", "", earlyCapture, map[string]string{"id": "422", "file": "results/empty.log", "download": "1"}) +
			logLine("server-log", "blank.txt", " \n\n ", earlyCapture, map[string]string{"id": "422", "file": "results/blank.log", "download": "1"}),
	})
	r := w.load("w.db", w.options(), ".")
	for _, d := range r.Documents {
		if !d.Valid || d.Status != store.Added || len(d.Problems)+len(d.Drift) > 0 {
			t.Errorf("%+v", d)
		}
	}
	if len(r.Kept) > 0 {
		t.Errorf("%+v", r)
	}
	state := `SELECT published_id, file_name, is_primary, captures, characters, is_complete, missing, contradictions FROM server_logs ORDER BY 1, 2`
	w.want("w.db", state, "421|results/server.log|1|1|50000|1|[]|0", "422|results/a.log|0|1|50000|1|[]|0", "422|results/blank.log|0|1|4|1|[]|0", "422|results/empty.log|0|1|0|1|[]|0", "423|results/server.log|0|8|50000|1|[]|0")
	for _, id := range []string{"421", "422", "423"} {
		if got := w.records("w.db", "SELECT text FROM server_logs WHERE published_id = "+id+" AND characters = 50000")[0]["text"]; got != string(log) {
			t.Errorf("%s has another text", id)
		}
	}
	if got := w.records("w.db", "SELECT text FROM server_logs WHERE characters < 5 ORDER BY file_name"); got[0]["text"] != " \n\n " || got[1]["text"] != "" {
		t.Errorf("%v", got)
	}
	// Some of it, chunks over each other, and an end that is far behind.
	w.write(map[string]string{"g/a.json": chunk(9, "a", log, 100, 200), "g/b.json": chunk(9, "a", log, 150, 20_000), "g/c.json": chunk(9, "a", log, 30_000, 40_000), "g/d.json": chunk(9, "a", log, 60_000, 70_000),
		"g/e.json": chunk(9, "b", log, 49_000, 60_000)})
	w.load("g.db", w.options(), "g")
	w.want("g.db", state, "9|a|0|4|NULL|0|[[0,100],[20000,30000],[40000,null]]|0", "9|b|0|1|50000|0|[[0,49000]]|0")
	w.want("g.db", `SELECT count(*) FROM server_logs WHERE text IS NOT NULL`, "0")
	// What is missing may come later, and an empty chunk at the very end tells it.
	w.write(map[string]string{"h/a.json": chunk(9, "a", log, 0, 110), "h/b.json": chunk(9, "a", log, 20_000, 30_001), "h/c.json": chunk(9, "a", log, 39_000, 49_999)})
	w.load("g.db", w.options(), "h")
	w.want("g.db", state, "9|a|0|7|NULL|0|[[49999,null]]|0", "9|b|0|1|50000|0|[[0,49000]]|0")
	w.write(map[string]string{"i/a.json": chunk(9, "a", log, 49_999, 50_010)})
	w.load("g.db", w.options(), "i")
	w.want("g.db", state, "9|a|0|8|50000|1|[]|0", "9|b|0|1|50000|0|[[0,49000]]|0")
	if got := w.records("g.db", "SELECT text FROM server_logs WHERE file_name = 'a'")[0]["text"]; got != string(log) {
		t.Error("joined of chunks over each other it is another text")
	}
}

// TestServerLogsThatContradict holds that captures which say different things of one
// log are told, and that no text is made of them.
func TestServerLogsThatContradict(t *testing.T) {
	log := inventedLog(2, 1000)
	other := slices.Clone(log)
	other[500] = 'Z'
	w := newWorld(t, map[string]string{
		"a.json": chunk(1, "a", log, 0, 600), "b.json": chunk(1, "a", other, 400, 2000),
		"c.json": chunk(1, "c", log, 0, 2000), "d.json": chunk(1, "c", append(slices.Clone(log), 'x'), 900, 2000),
		"e.json": chunk(1, "e", log, 0, 600), "f.json": chunk(1, "e", log, 400, 2000),
	})
	w.load("w.db", w.options(), ".")
	w.want("w.db", `SELECT file_name, characters, is_complete, contradictions, text IS NULL FROM server_logs ORDER BY 1`, "a|1000|1|1|1", "c|1000|1|1|1", "e|1000|1|0|0")
	w.want("w.db", `SELECT file_name, what, first_character, end_character FROM server_log_contradictions ORDER BY 1`, "a|text|400|600", "c|end|1000|1001")
	if rows := w.search("w.db", map[string]any{"text": "z", "file": "a"}); len(rows) > 1 || len(rows) == 1 && fmt.Sprint(rows[0]["contradictions"]) != "1" {
		t.Errorf("%v", rows)
	}
}

// TestBadServerLogs holds what becomes of captures of logs that are not what they should be.
func TestBadServerLogs(t *testing.T) {
	token := "hf_" + strings.Repeat("a1B2", 10)
	secret := strings.Repeat("line\n", 4000) + "token " + token + "\n" + strings.Repeat("line\n", 8000)
	text := func(log string) string {
		b, _ := json.Marshal(map[string]any{"id": 5, "serverLog": log})
		return string(b)
	}
	w := newWorld(t, map[string]string{
		"secret.json": text(secret), "no-id.json": `{"serverLog":"x"}`, "half.json": `{"id":1,"serverLog":"x","offset":4}`, "number.json": `{"id":1,"serverLog":5}`, "list.json": `{"serverLog":[{"a":1}],"id":1}`,
		"twice.json": `{"id":1,"serverLog":"x","serverLog":"y"}`, "cut.json": `{"id":1,"serverLog":"x`, "escape.json": `{"id":1,"serverLog":"ab\q"}`, "control.json": "{\"id\":1,\"serverLog\":\"a\nb\"}",
		"surrogate.json": `{"id":1,"serverLog":"\ud83d"}`, "utf8.json": "{\"id\":1,\"serverLog\":\"\xff\"}", "behind.json": `{"id":1,"serverLog":"x"} y`, "negative.json": `{"id":1,"fileName":"a","serverLog":"x","offset":-1,"nextOffset":null}`,
		"sections.json": `{"query":"x","id":1,"truncated":false,"matches":[{"fileName":"a","offset":1,"before":"","match":"x","after":""}],"matches":[{"fileName":"b","offset":1,"before":"","match":"x","after":""}]}`,
		"t/utf8.txt":    "line\nab\xff", "t/one.txt": "one", "t/json.txt": `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4}]`, "t/error.txt": `{"error":"x"}`, "t/names.json": `["a",5]`,
		"t/captures.jsonl": logLine("server-log", "utf8.txt", "line\nab\xff", earlyCapture, map[string]string{"id": "1", "download": "1"}) +
			logLine("server-log", "one.txt", "two", earlyCapture, map[string]string{"id": "1", "download": "1"}) +
			logLine("server-log", "json.txt", `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4}]`, earlyCapture, map[string]string{"id": "1", "download": "1"}) +
			logLine("server-log", "error.txt", `{"error":"x"}`, earlyCapture, map[string]string{"id": "1", "download": "1"}),
	})
	r := w.load("w.db", w.options(), "secret.json", "no-id.json", "half.json", "number.json", "list.json", "twice.json", "cut.json", "escape.json", "control.json", "surrogate.json", "utf8.json", "behind.json", "negative.json", "sections.json", "t")
	wantOutcomes(t, r,
		"behind.json rejected :1[json]", "control.json rejected :1[json]", "cut.json rejected :1[json]", "escape.json rejected :1[json]", "half.json partial fileName:1[missing-key]",
		"list.json partial serverLog:1[type]", "negative.json partial offset:1[range]", "no-id.json partial id:1[missing-key]", "number.json partial serverLog:1[type]",
		"secret.json partial serverLog[1]:1[credential]", "sections.json partial matches:1[duplicate-key]", "surrogate.json rejected :1[json]",
		"t/error.txt added", "t/json.txt added :1[captured-operation]", "t/one.txt rejected :0[not-rows] :1[captured-digest]", "t/utf8.txt rejected :2[encoding]",
		"twice.json partial serverLog:1[duplicate-key]", "utf8.json rejected :1[json]")
	for _, d := range r.Documents {
		if strings.Contains(fmt.Sprint(d.Problems), token) {
			t.Errorf("%s shows a credential", d.File)
		}
	}
	// What a refused piece leaves is a range that is missing.
	w.want("w.db", `SELECT characters, is_complete, json_array_length(missing), text FROM server_logs WHERE published_id = 5`, fmt.Sprintf("%d|0|1|NULL", len(secret)))
	w.want("w.db", `SELECT count(*) FROM inferencex_api_server_log_pieces WHERE text LIKE '%hf_%'`, "0")
}

// search runs the query log-search.
func (w *world) search(db string, params map[string]any) []cells {
	w.t.Helper()
	q, ok := queries.Get("log-search")
	if !ok {
		w.t.Fatal("there is no log-search")
	}
	all := map[string]any{"text": nil, "benchmark": nil, "file": nil, "limit": nil, "context": nil}
	for name, v := range params {
		all[name] = v
	}
	var args []any
	for name, v := range all {
		args = append(args, sql.Named(name, v))
	}
	return w.records(db, q.Text, args...)
}

// searched is a search as the publisher describes it, over the characters of a log:
// an oracle that knows neither pieces nor SQL. ASCII letters match in either case.
func searched(log []rune, text string, context int) (all []string) {
	fold := func(r rune) rune {
		if r < unicode.MaxASCII {
			return unicode.ToLower(r)
		}
		return r
	}
	needle := []rune(text)
	behind := 0
	for at := 0; at+len(needle) <= len(log); {
		if !slices.EqualFunc(log[at:at+len(needle)], needle, func(a, b rune) bool { return fold(a) == fold(b) }) {
			at++
			continue
		}
		end := at + len(needle)
		all = append(all, fmt.Sprintf("%d|%q|%q|%q", at, string(log[max(behind, at-context):at]), string(log[at:end]), string(log[end:min(len(log), end+context)])))
		at, behind = end, end
	}
	return all
}

func shown(rows []cells) (all []string) {
	for _, r := range rows {
		all = append(all, fmt.Sprintf("%v|%q|%q|%q", r["first_character"], r["before_text"], r["match_text"], r["after_text"]))
	}
	return all
}

// TestLogSearch holds the search against its oracle, over logs in pieces and in chunks
// of a few characters, and against an invented answer of the publisher.
func TestLogSearch(t *testing.T) {
	log := inventedLog(3, 60_000)
	small := []rune("aAaAbaaaé%_ÉaARouter readyrouter\nREADY router ready\\*")
	files := chunksOf(1, "results/small.log", small, 3)
	for name, body := range chunksOf(2, "results/large.log", log, 20_000) {
		files[name] = body
	}
	w := newWorld(t, files)
	w.load("w.db", w.options(), ".")
	found := 0
	for _, text := range []string{"a", "aa", "AaA", "aab", "router ready", "é", "É", "%", "_", "\\", "*", "%_", "r\nrea", "INFOrouter", "😀", "日本", "\n", "zzz", "\x1b[0M", " router ready\\*", strings.Repeat("X", 200), "ready\n"} {
		for id, log := range map[int][]rune{1: small, 2: log} {
			for _, context := range []int{0, 5, 120} {
				got := shown(w.search("w.db", map[string]any{"text": text, "benchmark": id, "limit": 1 << 30, "context": context}))
				want := searched(log, text, context)
				found += len(want)
				if !slices.Equal(got, want) {
					t.Errorf("%q in %d: %d matches, want %d\n%.300q\n%.300q", text, id, len(got), len(want), got, want)
				}
			}
		}
	}
	if found < 1000 {
		t.Errorf("only %d matches", found)
	}
	for _, tt := range []struct {
		params map[string]any
		want   int
	}{
		{map[string]any{"text": ""}, 0},
		{map[string]any{"text": "a"}, 50},
		{map[string]any{"text": "a", "limit": 3}, 3},
		{map[string]any{"text": "a", "limit": 0}, 0},
		{map[string]any{"text": "router ready", "benchmark": 1, "file": "results/small.log"}, 2},
		{map[string]any{"text": "router ready", "benchmark": 1, "file": "results/large.log"}, 0},
	} {
		if got := w.search("w.db", tt.params); len(got) != tt.want {
			t.Errorf("%v: %d matches", tt.params, len(got))
		}
	}
	// No match reaches across what is missing.
	gap := newWorld(t, map[string]string{"a.json": chunk(1, "a", small, 0, 18), "b.json": chunk(1, "a", small, 20, 100)})
	gap.load("w.db", gap.options(), ".")
	if got := shown(gap.search("w.db", map[string]any{"text": "router ready", "context": 4})); !slices.Equal(got, []string{`39|"ADY "|"router ready"|"\\*"`}) {
		t.Errorf("%q", got)
	}
}

// TestLogSearchAsPublished compares the search with what the publisher answered to it.
func TestLogSearchAsPublished(t *testing.T) {
	log := []rune("INFO 😀 loading\nINFO Router ready on port 8000\nrouter READY again\n")
	const names = `["results/server.log","results/a.log"]`
	answer := `{"id":421,"query":"router ready","matches":[
{"fileName":"results/server.log","offset":20,"before":"INFO 😀 loading\nINFO ","match":"Router ready","after":" on port 8000\nrouter READY again\n"},
{"fileName":"results/server.log","offset":46,"before":" on port 8000\n","match":"router READY","after":" again\n"},
{"fileName":"results/a.log","offset":0,"before":"","match":"router ready","after":""}],"truncated":false}`
	w := newWorld(t, chunksOf(421, "results/server.log", log, 30))
	w.write(map[string]string{
		"a.json": chunk(421, "results/a.log", []rune("router ready"), 0, 100), "names.json": names, "search.json": answer,
		"captures.jsonl": logLine("server-log-files", "names.json", names, earlyCapture, map[string]string{"id": "421"}),
	})
	w.load("w.db", w.options(), ".")
	n := 0
	for _, s := range w.records("w.db", `SELECT sha256, published_id, searched_text, truncated FROM inferencex_api_server_log_searches`) {
		var want []string
		for _, m := range w.records("w.db", `SELECT file_name, first_character, before_text, match_text, after_text FROM inferencex_api_server_log_matches WHERE sha256 = ? ORDER BY position`, s["sha256"]) {
			want = append(want, fmt.Sprintf("%v %v %q %q %q", m["file_name"], m["first_character"], m["before_text"], m["match_text"], m["after_text"]))
		}
		rows := w.search("w.db", map[string]any{"text": s["searched_text"], "benchmark": s["published_id"], "limit": len(want) + 1})
		var got []string
		for _, m := range rows {
			got = append(got, fmt.Sprintf("%v %v %q %q %q", m["file_name"], m["first_character"], m["before_text"], m["match_text"], m["after_text"]))
		}
		if (len(rows) > len(want)) != (fmt.Sprint(s["truncated"]) == "1") || !slices.Equal(got[:min(len(got), len(want))], want) {
			t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		n += len(want)
	}
	if n != 3 {
		t.Errorf("%d matches are compared", n)
	}
}

// TestServerLogsInAnyOrder holds that captures of logs give the same content in any
// order, any number of times, and that bytes which are of two benchmarks are of both.
func TestServerLogsInAnyOrder(t *testing.T) {
	const names, text = `["results/server.log"]`, "INFO\n"
	files := chunksOf(1, "a", inventedLog(4, 100), 40)
	var ledgers [2]string
	for i, id := range []string{"421", "422"} {
		dir := fmt.Sprintf("d%d/", i)
		files[dir+"names.json"], files[dir+"text.txt"] = names, text
		ledgers[i] = logLine("server-log-files", "names.json", names, earlyCapture, map[string]string{"id": id}) +
			logLine("server-log", "text.txt", text, earlyCapture, map[string]string{"id": id, "download": "1"})
		ledgers[i] = strings.ReplaceAll(ledgers[i], "?file=", "?id="+id+"&file=")
		files[dir+"captures.jsonl"] = ledgers[i]
	}
	w := newWorld(t, files)
	w.load("all.db", w.options(), ".")
	state := `SELECT published_id, file_name, is_primary, captures, characters, is_complete FROM server_logs ORDER BY 1`
	states := []string{"1|a|0|3|100|1", "421|results/server.log|1|1|5|1", "422|results/server.log|1|1|5|1"}
	w.want("all.db", state, states...)
	inputs := []string{"d0", "d1"}
	entries, err := os.ReadDir(w.dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if filepath.Ext(e.Name()) == ".json" {
			inputs = append(inputs, e.Name())
		}
	}
	inputs = append(inputs, "d1", inputs[2])
	want := w.logicalContent("all.db")
	rnd := rand.New(rand.NewSource(5))
	for i := range 3 {
		rnd.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
		db := fmt.Sprintf("order%d.db", i)
		for _, input := range inputs {
			w.load(db, w.options(), input)
		}
		compareContent(t, fmt.Sprint(inputs), w.logicalContent(db), want)
		w.want(db, state, states...)
		if w.digest(db) != w.digest("all.db") {
			t.Errorf("%s: another digest", inputs)
		}
	}
	w.rebuild("all.db", "rebuilt.db", ".")
	w.want("rebuilt.db", state, states...)
	if w.digest("rebuilt.db") != w.digest("all.db") {
		t.Error("rebuilt it has another digest")
	}
}

// TestServerLogsElsewhere holds that a log is not read through a link that leads out of
// the folder, nor from what is no file, and that files named themselves beside the
// ledger are read as in the folder.
func TestServerLogsElsewhere(t *testing.T) {
	const text = "outside\n"
	params := map[string]string{"id": "1", "download": "1"}
	w := newWorld(t, map[string]string{
		"out.txt": text, "f/in.txt": text, "f/captures.jsonl": logLine("server-log", "link.txt", text, earlyCapture, params) + logLine("server-log", "pipe.txt", text, earlyCapture, params) +
			logLine("server-log", "broken.txt", text, earlyCapture, params) + logLine("server-log", "in.txt", text, earlyCapture, params),
	})
	for _, err := range []error{
		os.Symlink("../out.txt", filepath.Join(w.dir, "f/link.txt")), os.Symlink("nowhere", filepath.Join(w.dir, "f/broken.txt")), syscall.Mkfifo(filepath.Join(w.dir, "f/pipe.txt"), 0o666),
	} {
		if err != nil {
			t.Fatal(err)
		}
	}
	r := w.load("w.db", w.options(), "f")
	wantOutcomes(t, r, "f/in.txt added")
	if !slices.Equal(r.Kept, []string{"f/broken.txt", "f/link.txt", "f/pipe.txt"}) || len(r.Skipped) > 0 {
		t.Errorf("%+v", r)
	}
	wantOutcomes(t, w.load("named.db", w.options(), "f/in.txt", "f/captures.jsonl"), "f/in.txt added")
	compareContent(t, "named itself", w.logicalContent("named.db"), w.logicalContent("w.db"))
	w.write(map[string]string{"prose.log": "[2026-08-08] INFO", "run.txt": "kind: MeasuredRun\n"})
	for _, d := range w.load("alone.db", w.options(), "f/in.txt", "prose.log").Documents { // without its ledger
		if d.Status != store.Rejected || len(d.Problems) != 1 || d.Problems[0].Message != "this is text: where it is a server log, what was asked for is in the ledger captures.jsonl of the folder that it was captured into, so load that folder" {
			t.Errorf("%+v", d)
		}
	}
	if d := w.load("alone.db", w.options(), "run.txt").Documents[0]; d.Kind == KindCapture {
		t.Errorf("%+v", d)
	}
}
