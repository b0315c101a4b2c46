package loader

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// inventedBodies are invented responses of the operations that are loaded as they
// are, by file name, with every key that the reference has and, where it allows
// others, one more.
func inventedBodies(t *testing.T) map[string]string {
	t.Helper()
	const dir = "testdata/bodies"
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	bodies := map[string]string{}
	for _, e := range entries {
		content, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		bodies[e.Name()] = string(content)
	}
	return bodies
}

// TestBodies holds that every field of every row can be read back from its table.
func TestBodies(t *testing.T) {
	bodies := inventedBodies(t)
	asked, err := filepath.Abs("testdata/asked") // what these are takes the ledger beside them to tell
	if err != nil {
		t.Fatal(err)
	}
	w := newWorld(t, bodies)
	const names = `["results/server.log","results/ü\"\n.log"]` // of which a ledger says what they are
	w.write(map[string]string{"f/names": names, "f/captures.jsonl": ledgerLine("server-log-files", "names", names, earlyCapture, "complete")})
	bodies["f"] = names
	tables := map[string]bool{}
	for name, body := range bodies {
		d := w.load("w.db", w.options(), name).Documents[0]
		if !d.Valid || d.Status != store.Added || d.Rows.Added == 0 || d.Rows.Refused+d.Rows.Updated+d.Rows.Unchanged != 0 {
			t.Errorf("%s: %+v", name, d)
		}
		for _, table := range w.readBack("w.db", d.SHA256, body) {
			tables[table] = true
		}
	}
	for _, d := range w.load("w.db", w.options(), asked).Documents {
		body, err := os.ReadFile(filepath.Join(asked, filepath.Base(d.File)))
		if err != nil || !d.Valid || d.Status != store.Added {
			t.Errorf("%v: %+v", err, d)
		}
		for _, table := range w.readBack("w.db", d.SHA256, string(body)) {
			tables[table] = true
		}
	}
	if len(tables) != len(record.InferenceXBodyTables) {
		t.Errorf("only %d of %d tables have rows", len(tables), len(record.InferenceXBodyTables))
	}
	w.want("w.db", `SELECT count(*), sum(rows) FROM inferencex_bodies`, fmt.Sprintf("%d|%d", len(bodies)+2, 3+2+3+4+3+1+1+3+2+2+2+1+3+1+5+3+3+3+2+3+15+3+2+2+2+3+2+3+2))
	w.want("w.db", `SELECT count(*) FROM runs`, "0")
	// Canonical names, an alias that implies disaggregation, and what was written.
	w.want("w.db", `SELECT precision, hardware, framework, spec_method, disagg, osl, as_written FROM inferencex_api_availability WHERE position = 1`,
		`fp4|h200|mori-sglang|none|1|1024|{"framework":"sglang-disagg","hardware":"cluster:H200-nv","precision":"nvfp4"}`)
	w.want("w.db", `SELECT published_id, timestamp, conc, extra FROM inferencex_api_evaluations ORDER BY position`,
		"72|2026-01-02T03:00:00Z|NULL|NULL", `73|2026-01-02T03:00:00Z|64|{"later":{"a":[1]}}`)
	w.want("w.db", `SELECT position, key, number, text FROM inferencex_api_evaluation_metrics ORDER BY 1, 2`, "1|accuracy|0.78|NULL", "1|n_eff|1319|NULL", "1|note|NULL|x")
}

// TestCollectives holds what the points of collective benchmarks are as rows, where
// a key stands that has no column, and that another version of the contract is refused whole.
func TestCollectives(t *testing.T) {
	run := inventedBodies(t)["collectivex-run.json"]
	other := strings.Replace(run, `"version":1`, `"version":2`, 1)
	last := strings.Replace(run, `{"version":1,`, `{`, 1)
	last = strings.TrimSpace(last)
	w := newWorld(t, map[string]string{"run.json": run, "other.json": other, "last.json": last[:len(last)-1] + `,"version":"2"}`, "list.json": `{"version":3,"runs":[],"discovery_complete":true}`})
	if d := w.load("w.db", w.options(), "run.json").Documents[0]; len(d.Drift) != 0 { // in a string, run_id is as the reference has it
		t.Errorf("drift %+v", d.Drift)
	}
	w.want("w.db", `SELECT series, point, hardware, ep_size, tokens_per_rank, global_tokens, operation, latency_p50_us, latency_p99_us, payload_bytes FROM collectivex_points ORDER BY 1, 2, 7`,
		"1|1|h200|8|16|128|dispatch|40.5|61|1835008", "1|1|h200|8|16|128|roundtrip|90|140|NULL", "1|2|h200|8|32|256|combine|50|80|NULL")
	w.want("w.db", `SELECT github_run_id, generated_at, covered_skus, measured_points FROM inferencex_api_collectivex_runs`, `123456789|2026-01-02T03:00:00Z|["h200","gb200"]|2`)
	w.want("w.db", `SELECT hardware, as_written, extra FROM inferencex_api_collectivex_series`, `h200|{"system.sku":"h200-nv"}|{"system.rail":"x"}`)
	content := w.logicalContent("w.db")
	for _, name := range []string{"other.json", "last.json", "list.json"} {
		d := w.load("w.db", w.options(), name).Documents[0]
		if d.Status != store.Rejected || len(d.Problems) != 1 || d.Problems[0].Rule != "contract" || d.Problems[0].Line < 1 {
			t.Errorf("%s: %+v", name, d)
		}
	}
	w.want("w.db", `SELECT count(*) FROM inferencex_bodies`, "1")
	compareContent(t, "after bodies of another contract", w.logicalContent("w.db"), content)
}

// TestLargeColumns holds that what is large is read by who asks for it: it is the
// last column of its table, no table of bodies has an index, and one view reads it.
func TestLargeColumns(t *testing.T) {
	w := newWorld(t, map[string]string{"r.json": inventedBodies(t)["reliability.json"]})
	w.load("w.db", w.options(), "r.json")
	large := []string{"inferencex_api_collectivex_cases.points", "inferencex_api_collectivex_kv_cases.rows", "inferencex_api_collectivex_series.points", "inferencex_api_conversation_structures.structure", "inferencex_api_dataset_details.chart_data",
		"inferencex_api_server_series.points", "inferencex_api_trace_histograms.osl_samples"}
	w.want("w.db", `SELECT t.name || '.' || c.name FROM sqlite_schema t JOIN pragma_table_info(t.name) c
		WHERE t.type = 'table' AND t.name LIKE 'inferencex_api_%' AND c.cid = (SELECT max(cid) FROM pragma_table_info(t.name))
		AND c.name NOT IN ('extra', 'text', 'file_name') ORDER BY 1`, large...)
	w.want("w.db", `SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name LIKE 'inferencex_api_%'`, "0")
	var views []string
	for _, name := range large {
		table, column, _ := strings.Cut(name, ".")
		views = append(views, w.query("w.db", `SELECT name FROM sqlite_schema WHERE type = 'view' AND sql LIKE '%`+table+`%' AND sql LIKE '%`+column+`%'`)...)
	}
	if !slices.Equal(views, []string{"collectivex_points", "server_metric_samples", "trace_samples"}) {
		t.Errorf("views of what is large: %q", views)
	}
}

// TestDatasetLicences holds that what captures state of data sets is counted by what
// they state, and permits nothing: no licence of a registry comes of it.
func TestDatasetLicences(t *testing.T) {
	bodies := inventedBodies(t)
	captured := strings.Replace(bodies["dataset.json"], `"Invented traces"`, `"Traces"`, 1)
	w := newWorld(t, map[string]string{
		"a.json": bodies["datasets.json"], "b.json": bodies["dataset.json"], "c.json": strings.Replace(bodies["dataset.json"], `"Apache-2.0"`, `"CC0-1.0"`, 1),
		"f/d.json": captured, "f/captures.jsonl": ledgerLine("dataset", "d.json", captured, earlyCapture, "complete"),
		"rows.json": rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`)),
	})
	w.load("w.db", w.options(), "a.json", "b.json", "c.json", "f", "rows.json")
	w.want("w.db", `SELECT slug, licence, captures, captured_at FROM dataset_licences ORDER BY slug, licence`,
		"demo-traces|Apache-2.0|3|2026-08-08T03:00:00.000Z", "demo-traces|CC0-1.0|1|NULL", "demo/ü|NULL|1|NULL")
	w.want("w.db", `SELECT licence_id, status FROM licences`, "inferencex|unverified")
	w.want("w.db", `SELECT count(*) FROM licence_permits`, "0")
	w.want("w.db", `SELECT count(*) FROM effective_permits`, "0")
}

// readBack holds that the rows of a capture say what its body does, and returns
// the tables that have some. It is an oracle of its own: it puts the JSON together
// again from the columns, what was written otherwise, and what has no column.
func (w *world) readBack(db, sha, body string) (tables []string) {
	w.t.Helper()
	var want any
	inCSV := strings.HasPrefix(body, "hardware,")
	if inCSV {
		body = plainCSV(body)
	}
	d := json.NewDecoder(strings.NewReader(body))
	d.UseNumber()
	if err := d.Decode(&want); err != nil {
		w.t.Fatal(err)
	}
	operation := w.query(db, `SELECT operation FROM inferencex_bodies WHERE sha256 = '`+sha+`'`)
	if len(operation) != 1 {
		w.t.Fatalf("%d bodies", len(operation))
	}
	for i := range record.InferenceXBodyTables {
		table := &record.InferenceXBodyTables[i]
		if table.Operation != operation[0] || inCSV && table.Section == record.BodyItself { // CSV has rows alone
			continue
		}
		if of, ok := want.(map[string]any); ok {
			if section, ok := of[table.Section].(string); ok {
				if got := w.logText(db, sha); got != section {
					w.t.Fatalf("the pieces of the log read back\n%q\nthe capture has\n%q", got, section)
				}
				tables = append(tables, table.Name)
				continue
			}
		}
		rows := bodyRows(want, orderedKeys(w.t, body), table)
		for i, row := range rows {
			if table.Bare() {
				w.want(db, fmt.Sprintf(`SELECT json_quote(%s) FROM %s WHERE sha256 = '%s' AND position = %d`, table.Columns[0].Name, table.Name, sha, i+1), jsonText(row))
				continue
			}
			got, want := w.bodyRow(db, table, sha, i+1), plainRow(unfoldedRow(row.(map[string]any), table), table)
			if got != want {
				w.t.Fatalf("%s, row %d\nreads back\n%s\nthe capture has\n%s", table.Name, i+1, got, want)
			}
		}
		if n := w.query(db, `SELECT count(*) FROM `+table.Name+` WHERE sha256 = '`+sha+`'`); n[0] != strconv.Itoa(len(rows)) {
			w.t.Errorf("%s has %s rows of %d", table.Name, n[0], len(rows))
		}
		if len(rows) > 0 {
			tables = append(tables, table.Name)
		}
	}
	return tables
}

// bodyRows are the rows of a body that land in a table, in order; keys are those of the body.
func bodyRows(body any, keys []string, table *record.InferenceXBodyTable) (rows []any) {
	of, ok := body.(map[string]any)
	if !ok {
		return body.([]any)
	}
	switch table.Section {
	case record.BodyItself:
		itself := map[string]any{}
		for key, v := range of {
			if record.InferenceXBodies(table.Operation)[key] == nil && (table.Operation != "trace-server-metrics" || !slices.Contains(seriesKeys, key)) {
				itself[key] = v
			} else if text, ok := v.(string); ok { // of which the body itself has the length
				itself[key] = json.Number(strconv.Itoa(utf8.RuneCountInString(text)))
			}
		}
		return []any{itself}
	case record.BodyByID, record.BodyFlagByID:
		for _, key := range keys {
			row := map[string]any{"available": of[key]}
			if table.Section == record.BodyByID {
				row = maps.Clone(of[key].(map[string]any))
			}
			row["id"] = json.Number(key)
			rows = append(rows, row)
		}
		return rows
	case record.BodySeries:
		for _, key := range keys {
			if slices.Contains(seriesKeys, key) {
				rows = append(rows, seriesRows(key, of[key])...)
			}
		}
		return rows
	}
	switch section := of[table.Section].(type) {
	case []any:
		return section
	case map[string]any:
		return []any{section}
	}
	return nil
}

// seriesKeys are the keys of trace-server-metrics that hold series.
var seriesKeys = []string{"kvCacheUsage", "prefixCacheHitRate", "queueDepth", "promptTokensBySource", "prefillTps", "decodeTps", "prefixCacheHitsTps", "hostKvCacheUsage", "kvCacheUsageByEngine"}

// seriesRows are the series under a key, those of sources by their names.
func seriesRows(key string, value any) (rows []any) {
	switch v := value.(type) {
	case map[string]any:
		for _, label := range slices.Sorted(maps.Keys(v)) {
			rows = append(rows, map[string]any{"series": key, "label": label, "points": v[label]})
		}
	case []any:
		if key != "kvCacheUsageByEngine" {
			return []any{map[string]any{"series": key, "points": v}}
		}
		for _, entry := range v {
			row := map[string]any{"series": key}
			for k, inner := range entry.(map[string]any) {
				if k == "engineLabel" {
					k = "label"
				}
				row[k] = inner
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// orderedKeys are the keys of an object in order, nil where the text is a list.
func orderedKeys(t *testing.T, text string) (keys []string) {
	t.Helper()
	d := json.NewDecoder(strings.NewReader(text))
	if open, err := d.Token(); err != nil || open != json.Delim('{') {
		return nil
	}
	for d.More() {
		key, err := d.Token()
		if err != nil {
			t.Fatal(err)
		}
		keys = append(keys, key.(string))
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return keys
}

// plainCSV is a feed in CSV without quotes as the JSON form has it.
func plainCSV(body string) string {
	lines := strings.Split(strings.TrimSuffix(body, "\n"), "\n")
	var all []any
	for _, line := range lines[1:] {
		row, scores := map[string]any{}, map[string]any{}
		values := strings.Split(line, ",")
		for i, key := range strings.Split(lines[0], ",") {
			var value any
			if _, err := strconv.ParseFloat(values[i], 64); err == nil {
				value = json.Number(values[i])
			} else if values[i] != "" {
				value = values[i]
			}
			if workload, ok := strings.CutPrefix(key, "score_"); ok {
				scores[workload] = value
			} else {
				row[key] = value
			}
		}
		if len(scores) > 0 {
			row["workload_scores"] = scores
		}
		all = append(all, row)
	}
	return jsonText(map[string]any{"rows": all})
}

// logText is the text of a log's capture, put together from its pieces.
func (w *world) logText(db, sha string) string {
	w.t.Helper()
	rows, err := w.writable(db).Query(`SELECT first_character, characters, nuls, text FROM inferencex_api_server_log_pieces WHERE sha256 = ? ORDER BY position`, sha)
	if err != nil {
		w.t.Fatal(err)
	}
	defer rows.Close()
	var all []rune
	for rows.Next() {
		var first, n int
		var nuls *string
		var text string
		if err := rows.Scan(&first, &n, &nuls, &text); err != nil {
			w.t.Fatal(err)
		}
		if first != len(all) || n != utf8.RuneCountInString(text) {
			w.t.Fatalf("a piece of %d characters at %d, of %d behind %d", n, first, utf8.RuneCountInString(text), len(all))
		}
		piece := []rune(text)
		if nuls != nil {
			var places []int
			if err := json.Unmarshal([]byte(*nuls), &places); err != nil || len(places) == 0 {
				w.t.Fatal(*nuls, err)
			}
			for _, place := range places {
				if piece[place] != '\u2400' {
					w.t.Fatalf("%q in place of a NUL", piece[place])
				}
				piece[place] = 0
			}
		}
		all = append(all, piece...)
	}
	if err := rows.Err(); err != nil {
		w.t.Fatal(err)
	}
	return string(all)
}

// unfoldedRow is a row of a body with what stands under a key whose inner keys have
// columns beside it, as OUTER.KEY.
func unfoldedRow(row map[string]any, table *record.InferenceXBodyTable) map[string]any {
	out := map[string]any{}
	for key, v := range row {
		inner, ok := v.(map[string]any)
		if ok && slices.ContainsFunc(table.Columns, func(c record.InferenceXBodyColumn) bool { return strings.HasPrefix(c.Key, key+".") }) {
			for k, v := range inner {
				out[key+"."+k] = v
			}
			continue
		}
		out[key] = v
	}
	return out
}

// plainRow is a row of a body as bodyRow has it: nulls and nothing are the same,
// integers and booleans in strings are integers and booleans, and a name that
// implies disaggregation says so.
func plainRow(row map[string]any, table *record.InferenceXBodyTable) string {
	out := map[string]any{}
	kinds := map[string]record.InferenceXBodyType{}
	for _, c := range table.Columns {
		kinds[c.Key] = c.Type
		if _, ok := row[c.Key]; !ok && c.Type == record.BodyBenchmark {
			out[c.Key] = "single_turn"
		}
		if row[c.Key] == nil && c.Type == record.BodyMethod {
			out[c.Key] = "none"
		}
	}
	for key, v := range row {
		text, isText := v.(string)
		switch {
		case v == nil:
		case isText && (kinds[key] == record.BodyInteger || kinds[key] == record.BodyDigits || kinds[key] == record.BodyID):
			out[key] = json.Number(text)
		case isText && kinds[key] == record.BodyBool:
			out[key] = text == "true"
		case key == "metrics":
			metrics := map[string]any{}
			for k, m := range v.(map[string]any) {
				if m != nil {
					metrics[k] = m
				}
			}
			if len(metrics) > 0 {
				out[key] = metrics
			}
		default:
			out[key] = v
		}
	}
	if out["framework"] == "sglang-disagg" {
		if _, ok := kinds["disagg"]; ok {
			out["disagg"] = true
		}
	}
	return jsonText(out)
}

// bodyRow puts a row together again.
func (w *world) bodyRow(db string, table *record.InferenceXBodyTable, sha string, position int) string {
	w.t.Helper()
	out := map[string]any{}
	where := fmt.Sprintf(` FROM %s WHERE sha256 = '%s' AND position = %d`, table.Name, sha, position)
	var values []any
	columns := []string{}
	for _, c := range table.Columns {
		columns = append(columns, c.Name)
	}
	row := w.writable(db).QueryRow(`SELECT ` + strings.Join(append(columns, "as_written", "extra"), ", ") + where)
	dest := make([]any, len(columns)+2)
	values = make([]any, len(dest))
	for i := range values {
		dest[i] = &values[i]
	}
	if err := row.Scan(dest...); err != nil {
		w.t.Fatalf("%s: %v", where, err)
	}
	for i, c := range table.Columns {
		switch v := values[i]; {
		case v == nil:
		case c.Type == record.BodyBool:
			out[c.Key] = v == int64(1)
		case c.Type == record.BodyCount: // of what stands in another column
		case slices.Contains([]record.InferenceXBodyType{record.BodyList, record.BodyJSON, record.BodySamples, record.BodyPoints}, c.Type):
			out[c.Key] = json.RawMessage(v.(string))
		default:
			out[c.Key] = v
		}
	}
	for _, v := range values[len(columns):] { // as written, extra
		if v == nil {
			continue
		}
		var more map[string]json.RawMessage
		if err := json.Unmarshal([]byte(v.(string)), &more); err != nil {
			w.t.Fatal(err)
		}
		for key, raw := range more {
			if string(raw) != "null" {
				out[key] = raw
			}
		}
	}
	if table.Name == "inferencex_api_evaluations" {
		metrics := map[string]any{}
		for _, m := range w.query(db, fmt.Sprintf(`SELECT key || '=' || CASE WHEN text IS NULL THEN printf('%%!.17g', number) ELSE json_quote(text) END FROM inferencex_api_evaluation_metrics WHERE sha256 = '%s' AND position = %d`, sha, position)) {
			key, value, _ := strings.Cut(m, "=")
			metrics[key] = json.RawMessage(value)
		}
		if len(metrics) > 0 {
			out["metrics"] = metrics
		}
	}
	return jsonText(out)
}

// jsonText is a value as JSON with sorted keys and one way to write a number.
func jsonText(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var plain any
	if err := json.Unmarshal(b, &plain); err != nil {
		panic(err)
	}
	b, _ = json.Marshal(plain)
	return string(b)
}

// realCaptures is the folder with captures of May 2026 that INFERENCEX_CAPTURES names, or the one beside the checkout.
func realCaptures(t *testing.T) string {
	t.Helper()
	folder := os.Getenv("INFERENCEX_CAPTURES")
	if folder == "" {
		folder = filepath.Join("..", "..", "shared", "data", "inferencex", "captures-2026-05")
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(folder); err != nil {
		t.Skip("NOT RUN: INFERENCEX_CAPTURES names no folder with captures, and none is beside the checkout")
	}
	return folder
}

// TestBodiesOfRealCaptures does the same with real captures.
func TestBodiesOfRealCaptures(t *testing.T) {
	folder := realCaptures(t)
	w := newWorld(t, nil)
	n := 0
	for _, name := range []string{"availability", "evaluations", "reliability", "submissions", "workflow-info"} {
		body, err := os.ReadFile(filepath.Join(folder, name+".json"))
		if err != nil {
			t.Fatal(err)
		}
		w.write(map[string]string{name + ".json": string(body)})
		d := w.load("w.db", w.options(), name+".json").Documents[0]
		if !d.Valid || d.Rows.Refused > 0 {
			t.Errorf("%s: %+v", name, d)
		}
		w.readBack("w.db", d.SHA256, string(body))
		n += d.Rows.Added
	}
	if n != 614+540+3557+808+4 {
		t.Errorf("%d rows", n)
	}
}

// TestBodiesInAnyOrder holds that captures of operations give the same content in
// any order, any number of times, compressed or not.
func TestBodiesInAnyOrder(t *testing.T) {
	bodies := inventedBodies(t)
	bodies["reliability-2.json"] = strings.Replace(bodies["reliability.json"], `"total":4`, `"total":5`, 1)
	bodies["rows.json"] = rows(row("100000001", 1, "8", 4, `"median_ttft": 0.25`))
	w := newWorld(t, bodies)
	var inputs []string
	for name := range bodies {
		inputs = append(inputs, name)
	}
	slices.Sort(inputs)
	w.load("all.db", w.options(), inputs...)
	want := w.logicalContent("all.db")
	if r := w.load("all.db", w.options(), inputs...); slices.ContainsFunc(r.Documents, func(d Document) bool { return d.Status != store.Unchanged || d.Rows.Unchanged == 0 }) {
		t.Errorf("again: %+v", r.Documents)
	}
	compareContent(t, "loaded twice", w.logicalContent("all.db"), want)
	rnd := rand.New(rand.NewSource(7))
	for i := range 3 {
		rnd.Shuffle(len(inputs), func(i, j int) { inputs[i], inputs[j] = inputs[j], inputs[i] })
		db := fmt.Sprintf("order%d.db", i)
		for _, input := range inputs {
			w.load(db, w.options(), input)
		}
		compareContent(t, fmt.Sprint(inputs), w.logicalContent(db), want)
		if w.digest(db) != w.digest("all.db") {
			t.Errorf("%s: another digest", inputs)
		}
	}
	w.rebuild("all.db", "rebuilt.db", ".")
	if w.digest("rebuilt.db") != w.digest("all.db") {
		t.Error("rebuilt it has another digest")
	}
	var z bytes.Buffer
	zipper := gzip.NewWriter(&z)
	zipper.Write([]byte(bodies["reliability.json"]))
	zipper.Close()
	w.write(map[string]string{"z.json.gz": z.String()})
	d := w.load("z.db", w.options(), "z.json.gz").Documents[0]
	if d.Rows.Added != 3 {
		t.Errorf("%+v", d)
	}
	w.readBack("z.db", d.SHA256, bodies["reliability.json"])
}

// TestBodiesThatBeginLate holds that a body is told where the first 64 KiB of the file hold little or nothing of it.
func TestBodiesThatBeginLate(t *testing.T) {
	const body = `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4}]`
	zipped := func(extra int, content string) string {
		var z bytes.Buffer
		zipper := gzip.NewWriter(&z)
		zipper.Extra = make([]byte, extra)
		io.WriteString(zipper, content)
		zipper.Close()
		return z.String()
	}
	w := newWorld(t, map[string]string{
		"header.json.gz": zipped(65535, body), "space.json.gz": zipped(0, strings.Repeat(" ", 70_000)+body), "twice.json.gz": zipped(65535, zipped(65535, body)),
	})
	r := w.load("w.db", w.options(), "header.json.gz", "space.json.gz", "twice.json.gz")
	for _, d := range r.Documents {
		if d.Rows.Added != 1 || !d.Valid {
			t.Errorf("%+v", d)
		}
	}
	w.want("w.db", `SELECT count(*), sum(rows) FROM inferencex_bodies b WHERE EXISTS (SELECT 1 FROM inferencex_api_reliability r WHERE r.sha256 = b.sha256)`,
		"3|3")
}

// TestBodiesWithBadRows holds that a row that cannot be used is refused by itself,
// with its path, that a body which breaks off leaves nothing, and what drift is.
func TestBodiesWithBadRows(t *testing.T) {
	token := "hf_" + strings.Repeat("a1B2", 10)
	w := newWorld(t, map[string]string{
		"bad.json": `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4},
{"hardware":"h200","date":"January","n_success":3,"total":4},
{"hardware":"h200","date":"2026-01-02","n_success":-1,"total":4},
{"hardware":"h200","date":"2026-01-02","total":4},
5,
{"hardware":"` + token + `","date":"2026-01-02","n_success":3,"total":4},
{"hardware":"h200","date":"2026-01-02","n_success":3,"n_success":3,"total":4}]`,
		"broken.json": `[{"hardware":"h200","date":"2026-01-02","n_success":3,"total":4},{"hardware":"h200"`,
		"drift.json":  `[{"hardware":"h9000","date":"2026-01-02","n_success":3,"total":4,"colour":"red"}]`,
		"object.json": `{"summary":[],"volume":5,"more":[1]}`,
		"twice.json":  `{"summary":[],"volume":[],"volume":[]}`,
		"behind.json": `{"summary":[],"volume":[]} x`,
	})
	r := w.load("w.db", w.options(), "bad.json")
	wantOutcomes(t, r, "bad.json partial [1].date:2[date] [2].n_success:3[range] [3].n_success:4[missing-key] [4]:5[type] [6].n_success:7[duplicate-key] [5]:6[credential]")
	if d := r.Documents[0]; d.Rows != (store.CaptureRows{Added: 1, Refused: 6}) || strings.Contains(fmt.Sprint(d.Problems), token) {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT position FROM inferencex_api_reliability`, "1")
	r = w.load("w.db", w.options(), "broken.json")
	if d := r.Documents[0]; d.Status != store.Rejected {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT count(*), sum(rows) FROM inferencex_bodies`, "1|1")
	d := w.load("w.db", w.options(), "drift.json").Documents[0]
	if len(d.Drift) != 2 || d.Drift[0].Key != "reliability.colour" || d.Drift[1].Detail != "h9000" || !d.Valid {
		t.Errorf("%+v", d)
	}
	w.want("w.db", `SELECT hardware, extra FROM inferencex_api_reliability WHERE extra IS NOT NULL`, `h9000|{"colour":"red"}`)
	strict := w.options()
	strict.Strict = true
	if d := w.load("s.db", strict, "drift.json").Documents[0]; d.Status != store.Rejected {
		t.Errorf("strict: %+v", d)
	}
	w.want("s.db", `SELECT count(*) FROM inferencex_bodies`, "0")
	d = w.load("w.db", w.options(), "object.json").Documents[0]
	if len(d.Problems) != 1 || d.Problems[0].Path != "volume" || d.Problems[0].Rule != "type" || len(d.Drift) != 1 || d.Drift[0].Key != "submissions.more" {
		t.Errorf("%+v", d)
	}
	for _, name := range []string{"twice.json", "behind.json"} {
		if d := w.load("w.db", w.options(), name).Documents[0]; d.Valid {
			t.Errorf("%s: %+v", name, d)
		}
	}
	for _, f := range []string{"bad.json", "drift.json"} { // validate stores nothing and finds the same
		report, err := Validate(t.Context(), []string{f}, w.options())
		if err != nil || len(report.Documents) != 1 || report.Documents[0].Valid != (f == "drift.json") {
			t.Errorf("%v: %+v", err, report)
		}
	}
}

// TestNewestBodies holds that the newest capture is the one that a ledger says came or was confirmed last.
func TestNewestBodies(t *testing.T) {
	body := func(n int) string {
		return fmt.Sprintf(`[{"hardware":"h200","date":"2026-01-02","n_success":%d,"total":9}]`, n)
	}
	w := newWorld(t, map[string]string{
		"f/a.json": body(1), "f/b.json": body(2), "g/c.json": body(3), "g/d.json": body(4),
		"f/captures.jsonl": ledgerLine("reliability", "a.json", body(1), lateCapture, "complete") + ledgerLine("reliability", "b.json", body(2), earlyCapture, "complete"),
	})
	newest := `SELECT r.n_success, b.captured_at FROM inferencex_newest_bodies b JOIN inferencex_api_reliability r USING (sha256)`
	w.load("w.db", w.options(), "f")
	w.load("w.db", w.options(), "g")
	w.want("w.db", newest, "1|2026-08-09T03:00:00.500Z")
	w.load("v.db", w.options(), "g")
	w.want("v.db", newest, "4|NULL")
	w.load("v.db", w.options(), "f")
	w.want("v.db", newest, "1|2026-08-09T03:00:00.500Z")
}
