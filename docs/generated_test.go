package docs_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/loader/fetch"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// TestDataDictionary holds that docs/data-dictionary.md is what the program prints.
func TestDataDictionary(t *testing.T) {
	const file = "docs/data-dictionary.md"
	want := run(t, "schema", "--format", "markdown")
	if *update {
		write(t, file, want)
	}
	if read(t, file) != want {
		t.Errorf("%s is not what blis-warehouse schema --format markdown prints: go test ./docs -update", file)
	}
}

// TestGenerated holds that the parts between <!-- generated: NAME --> and
// <!-- end --> are what the program's own tables say.
func TestGenerated(t *testing.T) {
	used := map[string]bool{}
	for _, doc := range documents(t) {
		text := read(t, doc)
		got := generatedPart.ReplaceAllStringFunc(text, func(part string) string {
			name := generatedPart.FindStringSubmatch(part)[1]
			make, ok := parts[name]
			if !ok {
				t.Errorf("%s: no generated part is called %s", doc, name)
				return part
			}
			used[name] = true
			return fmt.Sprintf("<!-- generated: %s -->\n%s<!-- end -->", name, make(t))
		})
		if *update && got != text {
			write(t, doc, got)
			text = got
		}
		if text != got {
			t.Errorf("%s: a generated part is out of date: go test ./docs -update", doc)
		}
	}
	for name := range parts {
		if !used[name] {
			t.Errorf("the generated part %s is in no document", name)
		}
	}
}

var generatedPart = regexp.MustCompile(`(?s)<!-- generated: ([a-z-]+) -->\n.*?<!-- end -->`)

// parts are the generated parts by name.
var parts = map[string]func(*testing.T) string{
	"commands":              commandTable,
	"queries":               queryTable,
	"export-formats":        formatTable,
	"export-codes":          unexpressedTable,
	"rules":                 ruleTable,
	"vocabularies":          vocabularyTable,
	"formulas":              formulaTable,
	"inferencex-metrics":    metricTable,
	"inferencex-raw-keys":   rawKeyTable,
	"natural-keys":          naturalKeyTable,
	"dependencies":          dependencyTable,
	"parquet-columns":       parquetTable,
	"fetch-operations":      operationTable,
	"inferencex-operations": landingTable,
	"questions":             questionList,
}

// table is a Markdown table.
func table(header []string, rows [][]string) string {
	var b strings.Builder
	line := func(cells []string) {
		b.WriteString("| " + strings.Join(cells, " | ") + " |\n")
	}
	line(header)
	line(slices.Repeat([]string{"---"}, len(header)))
	for _, row := range rows {
		cells := make([]string, len(row))
		for i, c := range row {
			cells[i] = strings.ReplaceAll(c, "|", `\|`)
		}
		line(cells)
	}
	return b.String()
}

func code(s string) string {
	if s == "" {
		return ""
	}
	return "`" + s + "`"
}

func commandTable(t *testing.T) string {
	var rows [][]string
	for _, name := range commandNames(t) {
		lines := strings.SplitN(run(t, "help", name), "\n", 4)
		usage := strings.TrimPrefix(lines[0], "Usage: blis-warehouse ")
		usage = strings.Replace(usage, " [flags]", "", 1)
		summary := strings.TrimSuffix(lines[2], ".")
		rows = append(rows, []string{code(usage), strings.ToLower(summary[:1]) + summary[1:]})
	}
	return table([]string{"command", "what it does"}, rows)
}

func formatTable(*testing.T) string {
	layouts := map[export.Layout]string{export.OneFile: "one file", export.Catalog: "a catalog", export.FilePerRun: "a file for each run"}
	var rows [][]string
	for _, name := range export.Formats() {
		f := export.FormatNamed(name)
		cannot := f.Cannot
		if cannot == "" {
			cannot = "nothing"
		}
		layout := layouts[f.Layout]
		if f.Partitions {
			layout += ", or with `--partition` a folder of files"
		}
		rows = append(rows, []string{code(f.Name), f.Summary, layout, cannot})
	}
	return table([]string{"`--format`", "what it is", "how it lies", "what it cannot hold"}, rows)
}

func unexpressedTable(*testing.T) string {
	var rows [][]string
	for _, r := range export.UnexpressedCodes() {
		rows = append(rows, []string{code(r.Code), r.Detail})
	}
	return table([]string{"code of `unexpressed`", "what it means"}, rows)
}

func queryTable(*testing.T) string {
	var rows [][]string
	for _, q := range append(queries.All(), queries.Checks()...) {
		var params []string
		for _, p := range q.Params {
			text := code(p.Name)
			if p.Optional {
				text += " (optional)"
			}
			params = append(params, text)
		}
		rows = append(rows, []string{code(q.Name), strings.Join(params, ", "), q.Summary})
	}
	return table([]string{"query", "parameters", "what it answers"}, rows)
}

func ruleTable(*testing.T) string {
	var rows [][]string
	for _, r := range catalog.Rules() {
		rows = append(rows, []string{code(r.Name), r.Text})
	}
	return table([]string{"rule", "what it asks for"}, rows)
}

func vocabularyTable(*testing.T) string {
	var rows [][]string
	for _, v := range catalog.Vocabularies() {
		words := make([]string, len(v.Words))
		for i, w := range v.Words {
			words[i] = code(w)
		}
		rows = append(rows, []string{code(v.Name), strings.Join(words, " ")})
	}
	return table([]string{"key", "words"}, rows)
}

func formulaTable(*testing.T) string {
	var rows [][]string
	for _, f := range catalog.Formulas() {
		rows = append(rows, []string{code(f.Name), f.Kind, code(f.Unit), f.Definition})
	}
	return table([]string{"formula", "kind", "unit", "definition"}, rows)
}

func metricTable(*testing.T) string {
	var rows [][]string
	roles := inferencex.Definitions(inferencex.Context{PerRole: true})
	for i, d := range inferencex.Definitions(inferencex.Context{}) {
		scope := d.Def.GPUScope
		if other := roles[i].Def.GPUScope; other != scope {
			scope += ", disaggregated " + other
		}
		rows = append(rows, []string{code(d.Key), code(d.Metric), fmt.Sprintf("%g", d.Scale), code(d.Def.Unit), d.Def.Population, d.Def.StartEvent, d.Def.StopEvent, scope})
	}
	return table([]string{"key", "metric", "scale", "unit", "population", "start", "stop", "divided by GPUs"}, rows)
}

func rawKeyTable(*testing.T) string {
	var rows [][]string
	for _, k := range inferencex.RawKeys() {
		rows = append(rows, []string{code(k.Key), k.Unit, k.Why})
	}
	return table([]string{"key", "unit", "why it is no metric"}, rows)
}

func naturalKeyTable(*testing.T) string {
	var leftOut []string
	for _, name := range store.LedgerTables() {
		leftOut = append(leftOut, code(name))
	}
	var rows [][]string
	for _, k := range store.NaturalKeys() {
		var tables []string
		for _, name := range k.Tables {
			tables = append(tables, code(name))
		}
		where := "all"
		if tables != nil {
			where = strings.Join(tables, ", ")
		}
		rows = append(rows, []string{code(k.Column), code(k.Owner), where, code(k.SQL)})
	}
	return "Tables left out: " + strings.Join(leftOut, ", ") + "\n\n" + table([]string{"column", "left out of", "replaced in", "natural key"}, rows)
}

func parquetTable(*testing.T) string {
	var rows [][]string
	for _, c := range export.ParquetColumns() {
		null := ""
		if c.Null {
			null = "yes"
		}
		rows = append(rows, []string{code(c.Name), code(c.Type), null, c.Unit, c.About})
	}
	return table([]string{"column", "type", "NULL", "unit", "what it is"}, rows)
}

// questionList lists the questions of docs/cookbook.md, a line for each group.
func questionList(t *testing.T) string {
	text := fencedBlock.ReplaceAllString(read(t, "docs/cookbook.md"), "")
	var b strings.Builder
	seen := map[string]bool{}
	for _, m := range regexp.MustCompile(`(?m)^(##|###) (.*)$`).FindAllStringSubmatch(text, -1) {
		link := anchor(m[2])
		if seen[link] {
			t.Errorf("docs/cookbook.md asks twice: %s", m[2])
		}
		seen[link] = true
		if m[1] == "##" {
			fmt.Fprintf(&b, "- **%s**\n", m[2])
		} else {
			fmt.Fprintf(&b, "  - [%s](#%s)\n", m[2], link)
		}
	}
	return b.String()
}

func operationTable(*testing.T) string {
	var rows [][]string
	for _, o := range fetch.Operations() {
		var params []string
		for _, key := range o.Keys {
			name, unless, needed := strings.Cut(key, "!")
			text := code(name)
			switch {
			case needed && unless != "":
				text += " (needed without " + code(unless) + ")"
			case needed:
				text += " (needed)"
			}
			params = append(params, text)
		}
		usual := ""
		if o.Usual {
			usual = "yes"
		}
		after := make([]string, len(o.After))
		for i, name := range o.After {
			after[i] = code(name)
		}
		rows = append(rows, []string{code(o.Name), code(o.Path), strings.Join(params, ", "), strings.Join(after, ", "), usual})
	}
	return table([]string{"operation", "path", "parameters", "told by", "without a name"}, rows)
}

// answers are the queries that answer what an operation does.
var answers = map[string][]string{
	"availability": {"availability"}, "submissions": {"submissions", "submission-volume"}, "latest-images": {"latest-images"}, "benchmark-siblings": {"benchmark-siblings"}, "tco-feed": {"tco-feed"},
	"derived-agentic-metrics": {"derived-agentic-metrics"}, "request-timeline": {"timeline-summary", "timeline-concurrency", "timeline-trace"},
	"benchmarks": {"latest-runs", "run-curve"}, "benchmarks-history": {"run-curve", "inferencex-revisions"},
	"evaluations": {"published-evaluations", "evaluations", "accuracy-throughput"}, "reliability": {"published-reliability", "reliability", "run-circumstances"},
	"framework-releases": {"run-circumstances"}, "collectivex-latest": {"run-collectives"}, "collectivex-run": {"run-collectives"},
	"agentic-aggregates": {"published-agentic-aggregates", "agentic-aggregates"},
	"server-log-files":   {"log-files"}, "server-log": {"log-search"}, "server-log-search": {"log-search"},
}

// landingTable says of each operation where it lands, and what answers it.
func landingTable(t *testing.T) string {
	known := map[string]bool{}
	for _, q := range queries.All() {
		known[q.Name] = true
	}
	relations, err := store.Dictionary(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range relations {
		known[r.Name] = true
	}
	names := func(names []string) string {
		cells := make([]string, len(names))
		for i, name := range names {
			if !known[name] {
				t.Errorf("%s is neither a table nor a query", name)
			}
			cells[i] = code(name)
		}
		return strings.Join(cells, ", ")
	}
	var rows [][]string
	landed := map[string]bool{}
	for _, o := range fetch.Operations() {
		var lands []string
		if o.Name == "benchmarks" || o.Name == "benchmarks-history" {
			lands = []string{"runs", "points", "inferencex_points", "measurements"}
		}
		kind := o.Name
		if kind == "collectivex-latest" {
			kind = "collectivex-run" // whose body it answers
		}
		for _, table := range record.InferenceXBodyTables {
			if table.Operation == kind && inferencex.Kind(kind).Loadable() {
				lands = append(lands, table.Name)
				landed[kind] = true
			}
		}
		if lands == nil {
			t.Errorf("%s lands nowhere", o.Name)
		}
		rows = append(rows, []string{code(o.Name), code(o.Path), names(lands), names(answers[o.Name])})
	}
	for _, table := range record.InferenceXBodyTables {
		if !landed[table.Operation] {
			t.Errorf("%s is the table of %s, which is no operation", table.Name, table.Operation)
		}
	}
	return table([]string{"operation", "path", "lands in", "queries"}, rows)
}
