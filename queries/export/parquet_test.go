package export

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math/rand"
	"net/url"
	"path/filepath"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"

	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// saved stores invented runs, in the order given, with a licence that permits
// everything, and opens the database.
func saved(t testing.TB, runs ...*record.Run) *store.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.db")
	w, err := store.OpenWriter(t.Context(), path, store.WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	l, err := w.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer l.Rollback()
	registry := record.Registry{Sources: []record.Licence{{
		ID: "open", Title: "invented", License: "MIT", Status: "verified", Permits: []string{"score", "derive_coefficients", "redistribute"},
		Evidence: []record.Evidence{{URL: "https://example.org", Quote: "invented"}}, Attribution: "© <nobody> & \"friends\"",
	}}}
	if _, err := l.ApplyRegistry("sources.yaml", strings.Repeat("0", 64), []byte("invented"), &registry); err != nil {
		t.Fatal(err)
	}
	for _, r := range runs {
		content, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		digest := fmt.Sprintf("%x", sha256.Sum256(content))
		if _, claim, err := l.SaveRun(&store.RunDocument{Run: r, Content: content, SHA256: digest, As: store.AsFile}); err != nil || claim != nil {
			t.Fatalf("%s: %v %+v", r.Name, err, claim)
		}
	}
	if err := l.Finish(); err != nil {
		t.Fatal(err)
	}
	if err := l.Commit(store.Ledger{LoadedAt: time.Unix(0, 0), Tool: "test"}); err != nil {
		t.Fatal(err)
	}
	if err := w.Publish(); err != nil {
		t.Fatal(err)
	}
	return open(t, path)
}

// sweepRun is an invented run with so many points, each of which has so many
// metrics.
func sweepRun(name string, points, metrics int) *record.Run {
	r := &record.Run{
		Name: name, SchemaVersion: 1, Model: "invented-8b", EngineVersion: "1.0",
		Source: record.Source{Kind: "vllm_bench", Adapter: record.Adapter{Name: "a", Version: "1", SHA256: strings.Repeat("a", 64)},
			Inputs:     []record.Input{{Role: "report", Path: "report.json", SHA256: strings.Repeat("b", 64)}},
			Extraction: record.Extraction{Method: "json"}, LicenseRef: "open"},
		Cluster: &record.Cluster{Hardware: "h100", Nodes: 1, GPUsPerNode: 8},
		Deployment: &record.Deployment{Name: "d", Pools: []record.Pool{{Role: "colocated", Nodes: 1, Parallel: record.Parallel{TP: 8, PP: 1, DP: 1},
			Settings: []record.Setting{{Name: "max_num_seqs", Value: int64(256)}, {Name: "gpu_memory_utilization", Value: 0.9}}}}},
		Workload: &record.Workload{Shape: "chat"},
		Client:   record.Client{Harness: "vllm bench serve"},
	}
	for m := range metrics {
		r.MetricDefs = append(r.MetricDefs, record.MetricDef{Name: fmt.Sprint("ttft_", m), Formula: "ttft", Statistic: fmt.Sprint("p", m+1), Population: "per_request",
			Clock: "client", PercentileMethod: "numpy_linear", Unit: "ms", Cite: "invented:1"})
	}
	for i := range points {
		load := int64(i + 1)
		p := record.Point{ID: fmt.Sprint("c", load), Concurrency: &load}
		for m := range metrics {
			p.Metrics = append(p.Metrics, record.Value{Metric: r.MetricDefs[m].Name, Value: 10 + float64(load*7919%1009)/8 + float64(m)})
		}
		r.Points = append(r.Points, p)
	}
	return r
}

// randomRun is an invented run in which everything that may be absent is so at
// times.
func randomRun(rnd *rand.Rand, name string) *record.Run {
	r := sweepRun(name, 1+rnd.Intn(4), 0)
	text := func(words ...string) string { return append(words, "")[rnd.Intn(len(words)+1)] }
	r.Model, r.EngineVersion = text("heron-8b", "a/b c", "null", "../..", "月"), text("1.0", "2.0")
	r.Client.HarnessVersion, r.Client.ImageDigest = text("1"), text("sha256:"+strings.Repeat("c", 64))
	r.Source.RetrievedUTC = text("2026-02-28T23:59:59Z", "1969-07-20T00:00:00Z")
	r.Cluster.Fabric = text("ib")
	if rnd.Intn(5) == 0 {
		r.Cluster = nil
	}
	switch rnd.Intn(4) {
	case 0:
		r.Deployment = nil
	case 1:
		r.Deployment.Pools = []record.Pool{randomPool(rnd, "prefill"), randomPool(rnd, "decode")}
	}
	switch rnd.Intn(4) {
	case 0:
		r.Workload = nil
	case 1:
		r.Workload = &record.Workload{Trace: &record.Trace{Data: "t.csv", SHA256: text(strings.Repeat("e", 64)), TraceVersion: 2, TimeUnit: "us", Mode: "real"}}
	}
	for range rnd.Intn(3) {
		r.Source.Inputs = append(r.Source.Inputs, record.Input{Role: "log", Path: "l", SHA256: strings.Repeat("d", 64)})
	}
	for _, d := range []record.MetricDef{
		{Name: "x/y%", Formula: "itl", Statistic: "mean", Unit: "ms", Cite: "c"},
		{Name: "tps", Formula: "output_throughput_per_gpu", Denominator: "main_phase_wall", Unit: "tokens_per_s", GPUScope: "all", Cite: "c"},
		{Name: "odd", Unit: "ms", Cite: "<&>"},
		{Name: "ttft", Formula: "ttft", Statistic: "p99.9", Population: "pooled_chunks", Clock: "server", StartEvent: "send", StopEvent: "first_token",
			OutputLenSource: "usage", ReasoningCountedAsContent: optional(rnd, true, false), PercentileMethod: "numpy_linear", Unit: "ms", Cite: "c"},
	} {
		if d.Name == "tps" || rnd.Intn(2) == 0 {
			r.MetricDefs = append(r.MetricDefs, d)
		}
	}
	rnd.Shuffle(len(r.MetricDefs), reflect.Swapper(r.MetricDefs))
	withRate, withConcurrency := rnd.Intn(2) == 0, rnd.Intn(2) == 0
	for i := range r.Points {
		p := &r.Points[i]
		if rate := 0.1 * float64(i+1); withRate {
			p.RequestRate = &rate
		}
		if withRate && !withConcurrency {
			p.Concurrency = nil
		}
		p.Completed, p.Failed, p.Preemptions = optional[int64](rnd, 0, 1<<62), optional[int64](rnd, 0, 3), optional[int64](rnd, 0, 7)
		p.MeanISL, p.MeanOSL = optional(rnd, 0, 1024.5), optional(rnd, 0, 1e300)
		p.KVUtilization, p.PrefixHitRate = optional(rnd, 0, 1.0), optional(rnd, 0, 1.0/3)
		if p.NoiseSeeds = optional[int64](rnd, 2, 5); p.NoiseSeeds != nil {
			cv := rnd.Float64()
			p.NoiseCV = &cv
		}
		for _, d := range r.MetricDefs {
			if len(p.Metrics) == 0 || rnd.Intn(4) > 0 {
				p.Metrics = append(p.Metrics, record.Value{Metric: d.Name, Value: []float64{0, rnd.ExpFloat64(), 5e-324, 1.7e308, 4.35}[rnd.Intn(5)]})
			}
		}
	}
	return r
}

func randomPool(rnd *rand.Rand, role string) record.Pool {
	p := record.Pool{Role: role, Nodes: 1, Parallel: record.Parallel{TP: 2, PP: 1, DP: 4, DPLocal: optional[int64](rnd, 0, 2), PCP: optional[int64](rnd, 0, 2),
		DCP: optional[int64](rnd, 0, 2), EnableExpertParallel: optional(rnd, true, false)}}
	for _, s := range []record.Setting{{Name: "max_num_seqs", Value: int64(0)}, {Name: "gpu_memory_utilization", Value: 0.9}, {Name: "quantization", Value: "<fp8> & \"more\""},
		{Name: "dbo.enable_dbo", Value: true}} {
		if rnd.Intn(2) == 0 {
			p.Settings = append(p.Settings, s)
		}
	}
	return p
}

// optional is one of the values or nil.
func optional[T any](rnd *rand.Rand, values ...T) *T {
	if i := rnd.Intn(len(values) + 1); i < len(values) {
		return &values[i]
	}
	return nil
}

// randomWarehouse has so many random runs, in an order that does not tell
// theirs.
func randomWarehouse(t *testing.T, rnd *rand.Rand, n int) []*record.Run {
	runs := make([]*record.Run, n)
	for i := range runs {
		runs[i] = randomRun(rnd, fmt.Sprintf("invented-%03d", i))
	}
	rnd.Shuffle(n, reflect.Swapper(runs))
	return runs
}

// parquetOf is a selection as a Parquet file, and what came of it.
func parquetOf(t *testing.T, r *store.Reader, s *Selection) ([]byte, Counts) {
	t.Helper()
	files, out := filesIn(t, r, "parquet", s)
	return files[""].Bytes(), out.Counts
}

// readParquet are the rows of a file, by column.
func readParquet(t testing.TB, content []byte) []map[string]any {
	t.Helper()
	reader := parquet.NewGenericReader[parquetRow](bytes.NewReader(content))
	defer reader.Close()
	var all []map[string]any
	for {
		rows := make([]parquetRow, 100)
		n, err := reader.Read(rows)
		for i := range n {
			all = append(all, fieldsOf(reflect.ValueOf(rows[i])))
		}
		if err == io.EOF {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// fieldsOf are the members of a struct by their names in the file, as JSON has
// them: numbers as text, NULL as nil.
func fieldsOf(v reflect.Value) map[string]any {
	fields := map[string]any{}
	for i := range v.NumField() {
		name, _, _ := strings.Cut(v.Type().Field(i).Tag.Get("parquet"), ",")
		fields[name] = plainValue(v.Field(i))
	}
	return fields
}

func plainValue(v reflect.Value) any {
	switch v.Kind() {
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		return plainValue(v.Elem())
	case reflect.Slice:
		list := []any{}
		for i := range v.Len() {
			list = append(list, plainValue(v.Index(i)))
		}
		return list
	case reflect.Struct:
		return fieldsOf(v)
	case reflect.Int64, reflect.Int32:
		return json.Number(strconv.FormatInt(v.Int(), 10))
	case reflect.Float64:
		return v.Float()
	case reflect.Bool:
		return v.Bool()
	}
	return v.String()
}

// notInJSONL are the columns that no member of a line of jsonl has.
var notInJSONL = []string{"measured_on", "retrieved_on"}

// compareRow holds a row of a file to its line of jsonl: every column to the
// member that csv names so, and every member to a column. It collects in seen
// the columns, and the members of pools, that were not NULL.
func compareRow(t *testing.T, row map[string]any, line []byte, seen map[string]bool) {
	t.Helper()
	dec := json.NewDecoder(bytes.NewReader(line))
	dec.UseNumber()
	var object map[string]any
	if err := dec.Decode(&object); err != nil {
		t.Fatal(err)
	}
	members := map[string]any{}
	for name, v := range object {
		inner, ok := v.(map[string]any)
		if !ok {
			members[name] = v
		}
		for member, v := range inner {
			members[name+"_"+member] = v
		}
	}
	for column, got := range row {
		if want := members[column]; !slices.Contains(notInJSONL, column) && !sameValue(got, want) {
			t.Errorf("%s: column %s is %#v, jsonl has %#v", row["row_id"], column, got, want)
		}
		delete(members, column)
		seen[column] = seen[column] || got != nil
	}
	for member, v := range members {
		if v != nil || member != "workload" && member != "noise" { // those two are null where each of their columns is
			t.Fatalf("no column has the member %s", member)
		}
	}
	for _, pool := range row["pools"].([]any) {
		for member, v := range pool.(map[string]any) {
			seen["pools."+member] = seen["pools."+member] || v != nil
		}
	}
}

// sameValue compares what a file has with what jsonl has.
func sameValue(got, want any) bool {
	switch want := want.(type) {
	case json.Number:
		if x, ok := got.(float64); ok {
			y, err := want.Float64()
			return err == nil && x == y
		}
		return got == want
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(list, want, sameValue)
	case map[string]any:
		object, ok := got.(map[string]any)
		if !ok { // an object of settings is its text
			text, isText := got.(string)
			if !isText || json.Unmarshal([]byte(text), &object) != nil {
				return false
			}
			dec := json.NewDecoder(strings.NewReader(text))
			dec.UseNumber()
			if err := dec.Decode(&object); err != nil {
				return false
			}
		}
		if len(object) != len(want) {
			return false
		}
		for name, v := range want {
			if g, ok := object[name]; !ok || !sameValue(g, v) {
				return false
			}
		}
		return true
	}
	return got == want
}

// datesOf are the days of each run by its name, from the database.
func datesOf(t *testing.T, r *store.Reader) map[string][2]any {
	t.Helper()
	rows, err := r.Query(t.Context(), "SELECT name, measured_on, retrieved_on FROM runs ORDER BY name", nil)
	if err != nil {
		t.Fatal(err)
	}
	dates := map[string][2]any{}
	for row, err := range rows.All() {
		if err != nil {
			t.Fatal(err)
		}
		dates[row[0].(string)] = [2]any{row[1], row[2]}
	}
	return dates
}

// sameDay compares a day of a file, counted from 1970, with that of the database.
func sameDay(got, want any) bool {
	if got == nil || want == nil {
		return got == want
	}
	days, err := got.(json.Number).Int64()
	return err == nil && time.Unix(0, 0).UTC().AddDate(0, 0, int(days)).Format(time.DateOnly) == want
}

// TestParquetIsJSONL holds that every column of every row is what the same
// export as jsonl has, in the same order, on fixtures and on random warehouses,
// and that nothing of jsonl is without a column.
func TestParquetIsJSONL(t *testing.T) {
	rnd := rand.New(rand.NewSource(4))
	seen := map[string]bool{}
	for name, r := range map[string]*store.Reader{
		"fixtures": warehouse(t, append(formatInputs(t), "testdata/catalog")...),
		"random":   saved(t, randomWarehouse(t, rnd, 150)...),
		"empty":    saved(t),
	} {
		s := everything(t, r)
		content, counts := parquetOf(t, r, s)
		lines, out := filesIn(t, r, "jsonl", s)
		rows, dates := readParquet(t, content), datesOf(t, r)
		if counts != out.Counts || int64(len(rows)) != counts.Values {
			t.Fatalf("%s: %d rows, counted %+v, jsonl has %+v", name, len(rows), counts, out.Counts)
		}
		for i, line := range slices.Collect(bytes.Lines(lines[""].Bytes())) {
			row := rows[i]
			compareRow(t, row, line, seen)
			days := dates[row["run"].(string)]
			if !sameDay(row["measured_on"], days[0]) || !sameDay(row["retrieved_on"], days[1]) {
				t.Errorf("%s: days %v and %v, the database has %v", row["row_id"], row["measured_on"], row["retrieved_on"], days)
			}
		}
	}
	for _, c := range ParquetColumns() {
		if !seen[c.Name] {
			t.Errorf("no row has a value of %s", c.Name)
		}
	}
	pool := reflect.TypeFor[rowPool]()
	for i := range pool.NumField() {
		if member := pool.Field(i).Tag.Get("json"); !seen["pools."+member] {
			t.Errorf("no pool has a value of %s", member)
		}
	}
}

// TestParquetHasTheColumnsOfCSV holds that a name means the same in both.
func TestParquetHasTheColumnsOfCSV(t *testing.T) {
	r := saved(t)
	files, _ := filesIn(t, r, "csv", everything(t, r))
	want := append(strings.Split(strings.TrimSpace(files[""].String()), ","), notInJSONL...)
	var got []string
	for _, c := range ParquetColumns() {
		got = append(got, c.Name)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("the columns\n%q\nwant\n%q", got, want)
	}
}

// TestParquetSameBytes holds that the bytes depend on the database's content
// only: not on the time, nor on the order in which it was loaded.
func TestParquetSameBytes(t *testing.T) {
	runs := randomWarehouse(t, rand.New(rand.NewSource(5)), 80)
	r := saved(t, runs...)
	first, _ := parquetOf(t, r, everything(t, r))
	again, _ := parquetOf(t, r, everything(t, r))
	slices.Reverse(runs)
	other := saved(t, runs...)
	reversed, _ := parquetOf(t, other, everything(t, other))
	if !bytes.Equal(first, again) {
		t.Error("a second export has other bytes")
	}
	if !bytes.Equal(first, reversed) {
		t.Error("loaded in another order, the export has other bytes")
	}
	changed := runs[0]
	changed.Points[0].Metrics[0].Value += 1
	differs := saved(t, runs...)
	if content, _ := parquetOf(t, differs, everything(t, differs)); bytes.Equal(first, content) {
		t.Error("another value leaves the bytes as they are")
	}
}

// TestParquetFile holds what engines rely on: bounded row groups, statistics
// and a dictionary in every column that should have them, and the footer.
func TestParquetFile(t *testing.T) {
	const points, metrics = 4500, 15 // more rows than a row group takes
	r := saved(t, sweepRun("invented-long", points, metrics), sweepRun("invented-short", 1, 1))
	s := everything(t, r)
	content, _ := parquetOf(t, r, s)
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	var sizes []int64
	for _, g := range f.Metadata().RowGroups {
		sizes = append(sizes, g.NumRows)
		for _, c := range g.Columns {
			m := &c.MetaData
			path := strings.Join(m.PathInSchema, ".")
			if m.Codec.String() != "ZSTD" {
				t.Errorf("%s is compressed with %s", path, m.Codec)
			}
			if m.Statistics.NullCount < m.NumValues && m.Statistics.MinValue == nil {
				t.Errorf("%s has no statistics", path)
			}
			for _, e := range m.Encoding {
				if !slices.Contains([]string{"PLAIN", "RLE", "RLE_DICTIONARY"}, e.String()) {
					t.Errorf("%s is encoded as %s, which not all engines read", path, e)
				}
			}
		}
	}
	if want := []int64{rowGroupRows, points*metrics + 1 - rowGroupRows}; !slices.Equal(sizes, want) {
		t.Errorf("row groups of %d rows, want %d", sizes, want)
	}
	if got := f.Metadata().CreatedBy; got != "blis-warehouse version 1(build parquet-go)" {
		t.Errorf("created by %q", got)
	}
	footer := footerOf(t, content)
	for key, want := range map[string]string{
		"purpose": "redistribution", "tier": "", "tool": "test", "schema_version": strconv.FormatInt(r.SchemaVersion(), 10),
		"attributions": `["© <nobody> & \"friends\""]`,
	} {
		if got, ok := footer[key]; !ok || got != want {
			t.Errorf("the footer's %s is %q, want %q", key, got, want)
		}
	}
	var columns []ParquetColumn
	if err := json.Unmarshal([]byte(footer["columns"]), &columns); err != nil || !slices.Equal(columns, ParquetColumns()) {
		t.Errorf("the footer's columns: %v %+v", err, columns)
	}
}

// TestParquetColumns holds that every column says what it is, and every number
// its unit.
func TestParquetColumns(t *testing.T) {
	noUnit := []string{"position"}
	for _, c := range ParquetColumns() {
		number := c.Type == "BIGINT" || c.Type == "DOUBLE"
		if c.About == "" || strings.HasPrefix(c.Type, "(") || number != (c.Unit != "") && !slices.Contains(noUnit, c.Name) {
			t.Errorf("%+v", c)
		}
	}
}

// TestParquetTier holds that the footer names the tier of an export that has
// one.
func TestParquetTier(t *testing.T) {
	r := warehouse(t, "testdata/catalog")
	for _, test := range []struct {
		req  Request
		tier string
	}{
		{Request{Purpose: Calibration}, "exact"},
		{Request{Purpose: Scoring, Tier: Partial}, "partial"},
		{Request{Purpose: Redistribution}, ""},
	} {
		s, err := Select(t.Context(), r, test.req)
		if err != nil {
			t.Fatal(err)
		}
		content, _ := parquetOf(t, r, s)
		if got, ok := footerOf(t, content)["tier"]; !ok || got != test.tier {
			t.Errorf("%s: tier %q, want %q", test.req.Purpose, got, test.tier)
		}
	}
}

// TestPartitions holds that the partitions together are the selection, each run
// in the folder that its values name, and that a file demands the attributions
// of its own rows alone.
func TestPartitions(t *testing.T) {
	demands := map[string]bool{}
	for name, r := range map[string]*store.Reader{
		"fixtures": warehouse(t, append(formatInputs(t), "testdata/catalog")...),
		"random":   saved(t, randomWarehouse(t, rand.New(rand.NewSource(6)), 120)...),
	} {
		s := everything(t, r)
		content, counts := parquetOf(t, r, s)
		want := idsOf(readParquet(t, content))
		for _, columns := range [][]string{{"model"}, {"hardware", "model"}, PartitionColumns()} {
			files, out := filesIn(t, r, "parquet", s, columns...)
			if out.Counts != counts || len(files) < 4 {
				t.Errorf("%s: %v: %+v in %d files, want %+v", name, columns, out.Counts, len(files), counts)
			}
			var ids []string
			for path, f := range files {
				rows := readParquet(t, f.Bytes())
				ids = append(ids, idsOf(rows)...)
				folder, isPart := strings.CutSuffix(path, "/part-0.parquet")
				if !isPart || len(rows) == 0 {
					t.Errorf("%s: %d rows", path, len(rows))
				}
				attributions := map[string]bool{}
				for _, row := range rows {
					checkFolder(t, folder, columns, row)
					if text, ok := row["attribution"].(string); ok {
						attributions[text] = true
					}
				}
				demanded := footerOf(t, f.Bytes())["attributions"]
				var got []string
				if err := json.Unmarshal([]byte(demanded), &got); err != nil || !slices.Equal(got, slices.Sorted(maps.Keys(attributions))) {
					t.Errorf("%s demands %q, its rows %v (%v)", path, got, attributions, err)
				}
				demands[demanded] = true
			}
			slices.Sort(ids)
			if !slices.Equal(ids, want) {
				t.Errorf("%s: %v: the partitions have the rows %q, want %q", name, columns, ids, want)
			}
		}
	}
	if len(demands) < 3 {
		t.Errorf("the footers demand %v alone", demands)
	}
}

// idsOf are the ids of rows, sorted.
func idsOf(rows []map[string]any) []string {
	ids := make([]string, len(rows))
	for i, row := range rows {
		ids[i] = row["row_id"].(string)
	}
	slices.Sort(ids)
	return ids
}

// footerOf is what stands in a file's footer, without the prefix of the keys.
func footerOf(t *testing.T, content []byte) map[string]string {
	t.Helper()
	f, err := parquet.OpenFile(bytes.NewReader(content), int64(len(content)))
	if err != nil {
		t.Fatal(err)
	}
	footer := map[string]string{}
	for _, pair := range f.Metadata().KeyValueMetadata {
		footer[strings.TrimPrefix(pair.Key, "blis_warehouse.")] = pair.Value
	}
	return footer
}

// checkFolder decodes a folder's name and compares it with a row in it.
func checkFolder(t *testing.T, folder string, columns []string, row map[string]any) {
	t.Helper()
	levels := strings.Split(folder, "/")
	if len(levels) != len(columns) {
		t.Fatalf("folder %s for %v", folder, columns)
	}
	for i, level := range levels {
		column, value, _ := strings.Cut(level, "=")
		var want any
		if value != "__HIVE_DEFAULT_PARTITION__" {
			decoded, err := url.PathUnescape(value)
			if err != nil {
				t.Fatal(err)
			}
			want = decoded
		}
		if column != columns[i] || row[column] != want {
			t.Errorf("%s is in %s, but has %v", row["row_id"], folder, row[column])
		}
	}
}

// FuzzPartitionValue holds that a value stays one level of a path, is never
// taken for NULL, and comes back when it is decoded.
func FuzzPartitionValue(f *testing.F) {
	for _, value := range []string{"h100", "a/b", "..", ".", `a\b`, "100%", "a=b", "NULL", "null", "__HIVE_DEFAULT_PARTITION__", "月 x", "\x00", "C:"} {
		f.Add(value)
	}
	f.Fuzz(func(t *testing.T, value string) {
		escaped := partitionValue(value)
		if value == "" {
			if escaped != "__HIVE_DEFAULT_PARTITION__" {
				t.Errorf("NULL is %q", escaped)
			}
			return
		}
		decoded, err := url.PathUnescape(escaped)
		if err != nil || decoded != value {
			t.Errorf("%q becomes %q, which is %q (%v)", value, escaped, decoded, err)
		}
		if strings.ContainsAny(escaped, "/\\=:*?\"<>|\x00") || escaped == "__HIVE_DEFAULT_PARTITION__" || strings.EqualFold(escaped, "null") {
			t.Errorf("%q becomes %q", value, escaped)
		}
		if !filepath.IsLocal(filepath.FromSlash("model=" + escaped)) {
			t.Errorf("%q leaves the folder as %q", value, escaped)
		}
	})
}
