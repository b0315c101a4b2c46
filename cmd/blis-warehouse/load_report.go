package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// documentJSON is what load and validate print of a document in json and jsonl.
type documentJSON struct {
	File       string        `json:"file"`
	Kind       *string       `json:"kind"`
	Name       *string       `json:"name"`
	Valid      bool          `json:"valid"`
	Status     store.Status  `json:"status,omitempty"` // load only
	Verdict    *string       `json:"verdict"`          // null for an invalid document and for other kinds than runs
	Resolution *string       `json:"resolution"`
	Reasons    []reasonJSON  `json:"reasons"`
	Problems   []problemJSON `json:"problems"`
	Rows       *rowsJSON     `json:"rows,omitempty"` // of a capture, load only
}

type reasonJSON struct {
	Code   string `json:"code"`
	Path   string `json:"path"`
	Detail string `json:"detail"`
}

type problemJSON struct {
	Severity string `json:"severity"`
	Path     string `json:"path"`
	Line     int    `json:"line"`
	Rule     string `json:"rule"`
	Message  string `json:"message"`
}

type rowsJSON struct {
	Added     int `json:"added"`
	Updated   int `json:"updated"`
	Unchanged int `json:"unchanged"`
	Failed    int `json:"failed"`
	Refused   int `json:"refused"`
	Revised   int `json:"revised"`
	Flagged   int `json:"flagged"`
}

// printReport prints the outcome of load (stored) or validate, and returns
// errFindings where a document or a row was refused.
func printReport(env *environment, out *rowOutput, report *loader.Report, stored bool) error {
	var err error
	switch out.format {
	case "":
		if err = printProblems(env.stderr, report); err == nil && stored {
			err = printText(env.stderr, captureLines(report))
		}
	case "json", "jsonl":
		err = out.write(env, "", func(w io.Writer) error { return writeDocuments(w, out.format == "json", report, stored) })
	default:
		columns, rows := documentRows(report, stored)
		err = out.print(env, "", columns, rowsOf(rows))
	}
	if err == nil {
		err = printText(env.stderr, summary(report, stored))
	}
	if err != nil {
		return err
	}
	for i := range report.Documents {
		if !report.Documents[i].Valid {
			return errFindings
		}
	}
	return nil
}

// printProblems lists every problem as file:line: severity: path: message [rule], grouped by file;
// what is about a file as a whole stands at its first line.
func printProblems(w io.Writer, report *loader.Report) error {
	var b strings.Builder
	for i := range report.Documents {
		d := &report.Documents[i]
		for _, p := range d.Problems {
			path := p.Path
			if path == "" {
				path = "document"
			}
			fmt.Fprintf(&b, "%s:%d: %s: %s: %s [%s]\n", printable(d.File), max(p.Line, 1), p.Severity, brief(path), brief(p.Message), p.Rule)
		}
	}
	return printText(w, b.String())
}

// brief is a text of a document or capture as a message shows it: a key may be
// of megabytes. The machine formats and the database have all of it.
func brief(s string) string {
	const most = 2000 // bytes: more than any list of allowed words takes
	if len(s) <= most {
		return printable(s)
	}
	return printable(strings.ToValidUTF8(s[:most], "")) + fmt.Sprintf("… (%d bytes)", len(s))
}

// captureLines is a line for each capture: what became of its rows, and how it
// deviates from the published reference.
func captureLines(report *loader.Report) string {
	var b strings.Builder
	for i := range report.Documents {
		d := &report.Documents[i]
		if d.Kind != loader.KindCapture {
			continue
		}
		r := d.Rows
		fmt.Fprintf(&b, "%s: %s seen: %d added, %d updated, %d unchanged, %d set aside as failed, %d refused; %d flagged\n", printable(d.File),
			plural(r.Added+r.Updated+r.Unchanged+r.Failed+r.Refused, "row", "rows"), r.Added, r.Updated, r.Unchanged, r.Failed, r.Refused, r.Flagged)
		for _, drift := range d.Drift {
			detail := ""
			if drift.Detail != "" {
				detail = " " + drift.Detail
			}
			fmt.Fprintf(&b, "%s:%d: note: %s: %s outside the reference: %s%s, %s (see query drift)\n", printable(d.File), drift.Line, brief(drift.Path),
				drift.Kind, brief(drift.Key), brief(detail), plural(drift.Count, "time", "times"))
		}
	}
	return b.String()
}

// summary sums a report up; its counts add up to the number of documents.
func summary(report *loader.Report, stored bool) string {
	var valid, errors, warnings int
	byStatus := map[store.Status]int{}
	var rows store.CaptureRows
	captures := 0
	for i := range report.Documents {
		d := &report.Documents[i]
		byStatus[d.Status]++
		if d.Valid {
			valid++
		}
		for _, p := range d.Problems {
			if p.Severity == record.Error {
				errors++
			} else {
				warnings++
			}
		}
		if d.Kind == loader.KindCapture {
			captures++
			rows = rows.Sum(d.Rows)
		}
	}
	var b strings.Builder
	n := len(report.Documents)
	if len(report.Broken) > 0 {
		fmt.Fprintf(&b, "%s no longer what the registries make of it: %s (see check)\n",
			plural(len(report.Broken), "stored run states a verdict that is", "stored runs state a verdict that is"), shortList(report.Broken))
	}
	if n := len(report.Skipped); n > 0 {
		fmt.Fprintf(&b, "%s passed over, neither document nor capture: %s\n", plural(n, "file was", "files were"), shortList(report.Skipped))
	}
	if n := len(report.Kept); n > 0 {
		fmt.Fprintf(&b, "%s of operations that are not loaded yet: %s\n", plural(n, "capture is", "captures are"), shortList(report.Kept))
	}
	if n := len(report.Ledgers); n > 0 {
		fmt.Fprintf(&b, "%s of %s to the InferenceX API", plural(n, "ledger tells", "ledgers tell"), plural(report.Requests, "request", "requests"))
		if report.LinesLeftOut > 0 {
			fmt.Fprintf(&b, "; %s left out", plural(report.LinesLeftOut, "line is", "lines are"))
		}
		b.WriteByte('\n')
	}
	if stored && captures > 1 {
		fmt.Fprintf(&b, "%s: %d added, %d updated, %d unchanged, %d set aside as failed, %d refused",
			plural(rows.Added+rows.Updated+rows.Unchanged+rows.Failed+rows.Refused, "row", "rows"), rows.Added, rows.Updated, rows.Unchanged, rows.Failed, rows.Refused)
		fmt.Fprintf(&b, "; %d flagged", rows.Flagged)
		if rows.Revised > 0 {
			fmt.Fprintf(&b, "; %s values (see query inferencex-revisions)", plural(rows.Revised, "row revised", "rows revised"))
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%s: ", plural(n, "document", "documents"))
	if stored {
		fmt.Fprintf(&b, "%d added, %d updated, %d unchanged, %d rejected", byStatus[store.Added], byStatus[store.Updated], byStatus[store.Unchanged], byStatus[store.Rejected])
		if byStatus[store.Partial] > 0 {
			fmt.Fprintf(&b, ", %d partial", byStatus[store.Partial])
		}
	} else {
		fmt.Fprintf(&b, "%d valid, %d invalid", valid, n-valid)
	}
	fmt.Fprintf(&b, "; %s, %s\n", plural(errors, "error", "errors"), plural(warnings, "warning", "warnings"))
	return b.String()
}

func plural(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// shortList names the first few and counts the rest.
func shortList(names []string) string {
	const few = 5
	if len(names) <= few {
		return printable(strings.Join(names, ", "))
	}
	return fmt.Sprintf("%s and %d more", printable(strings.Join(names[:few], ", ")), len(names)-few)
}

// writeDocuments writes an object for each document, in path order.
func writeDocuments(w io.Writer, array bool, report *loader.Report, stored bool) error {
	w = jsonText{w}
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	for i := range report.Documents {
		b.Reset()
		if err := enc.Encode(documentObject(&report.Documents[i], stored)); err != nil {
			return err
		}
		line := b.String()
		if array {
			before, after := ",\n", ""
			if i == 0 {
				before = "["
			}
			if i == len(report.Documents)-1 {
				after = "]\n"
			}
			line = before + strings.TrimSuffix(line, "\n") + after
		}
		if _, err := io.WriteString(w, line); err != nil {
			return err
		}
	}
	if array && len(report.Documents) == 0 {
		_, err := io.WriteString(w, "[]\n")
		return err
	}
	return nil
}

func documentObject(d *loader.Document, stored bool) documentJSON {
	o := documentJSON{File: d.File, Kind: stringOrNull(d.Kind), Name: stringOrNull(d.Name), Valid: d.Valid,
		Reasons: []reasonJSON{}, Problems: []problemJSON{}}
	if stored {
		o.Status = d.Status
		if d.Kind == loader.KindCapture {
			rows := rowsJSON(d.Rows)
			o.Rows = &rows
		}
	}
	if d.Verdict != nil {
		o.Verdict, o.Resolution = stringOrNull(d.Verdict.Verdict), stringOrNull(d.Verdict.Resolution)
		for _, r := range d.Verdict.Reasons {
			o.Reasons = append(o.Reasons, reasonJSON(r))
		}
	}
	for _, p := range d.Problems {
		o.Problems = append(o.Problems, problemJSON(p))
	}
	return o
}

func stringOrNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}

// documentRows is the report as rows, for the formats that have no lists.
func documentRows(report *loader.Report, stored bool) (columns []string, rows [][]any) {
	columns = []string{"file", "kind", "name", "valid", "verdict", "resolution", "reasons", "errors", "warnings"}
	if stored {
		columns = append(columns, "status")
	}
	for i := range report.Documents {
		d := &report.Documents[i]
		row := []any{d.File, textOrNull(d.Kind), textOrNull(d.Name), int64(0), nil, nil, int64(0), int64(0), int64(0)}
		if d.Valid {
			row[3] = int64(1)
		}
		if v := d.Verdict; v != nil {
			row[4], row[5], row[6] = v.Verdict, textOrNull(v.Resolution), int64(len(v.Reasons))
		}
		for _, p := range d.Problems {
			column := 7
			if p.Severity == record.Warning {
				column = 8
			}
			row[column] = row[column].(int64) + 1
		}
		if stored {
			row = append(row, string(d.Status))
		}
		rows = append(rows, row)
	}
	return columns, rows
}

func textOrNull(s string) any {
	if s == "" {
		return nil
	}
	return s
}
