// Package page writes one HTML page that shows what a database holds: coverage,
// verdicts and what blocks them, duplicates, curves, licences.
//
// The page needs no network and no other file, and its policy forbids it any.
// Without a script all tables and pictures are there; the script sorts and
// filters tables and shows the values of points. Its numbers are those of named
// queries, which the page shows: the program's own, and the files of this
// package. The one design choice: a page is well-formed XML as well as HTML, so
// that a test can read it with a strict parser and compare every cell.
package page

import (
	"bufio"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/base64"
	"fmt"
	"html"
	"io"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/plot"
	"github.com/inference-sim/blis-warehouse/queries/visible"
	"github.com/inference-sim/blis-warehouse/store"
)

// Options bound a page.
type Options struct {
	Title   string
	Rows    int // how many rows of a table are shown
	Figures int // how many pictures
}

// DefaultOptions are the bounds of a page where nobody asks for others.
func DefaultOptions() Options {
	return Options{Title: "Measured inference benchmarks", Rows: 100, Figures: 12}
}

//go:embed *.sql page.css page.js
var files embed.FS

// Queries are the queries of this package by name, the page's own.
func Queries() ([]queries.Query, error) { return queries.Load(files) }

// section is a part of the page.
type section struct {
	id     string // of the anchor
	title  string
	intro  string
	tables []listing
	draw   bool // the section of pictures
}

// listing is a table of the page: the result of a query.
type listing struct {
	query   string // named in this package, else in the program
	caption string
	links   string // a column of URLs, "" for none
	more    string // the query with what makes it longer than it is by itself, "" where it is whole
}

// sections are the parts of a page in order.
func sections() []section {
	return []section{
		{id: "summary", title: "What is here", tables: []listing{{query: "summary", caption: "Counts"}}},
		{id: "coverage", title: "Coverage", intro: "Runs and points by model, hardware and engine version. An empty cell is not stated.",
			tables: []listing{{query: "coverage", caption: "Coverage by model, hardware and engine version"}}},
		{id: "verdicts", title: "Verdicts, and what blocks them",
			intro: "A run is EXACT when nothing stands between it and a simulation of it. Every reason against that has a code: blis-warehouse query verdict-reasons --param code=CODE lists its runs, and blis-warehouse explain RUN tells what removes a run's.",
			tables: []listing{
				{query: "verdicts", caption: "Runs by verdict"},
				{query: "reasons", caption: "Reasons against EXACT, by code"},
				{query: "nearest-to-exact", caption: "The runs that the fewest reasons keep from EXACT", more: "nearest-to-exact --param limit=1000"},
				{query: "verdict-reasons", caption: "Every reason, by run"},
			}},
		{id: "scorable", title: "What may be scored", intro: "Runs that a simulation may be scored against come first; blocked_by says what keeps the others.",
			tables: []listing{
				{query: "unscorable", caption: "What keeps runs from being scored, by code"},
				{query: "scorable-runs", caption: "Every run, and whether it may be scored"},
			}},
		{id: "anchors", title: "Calibration anchors", intro: "EXACT runs whose licence permits deriving coefficients.",
			tables: []listing{{query: "calibration-anchors", caption: "Runs that may anchor calibration"}}},
		{id: "duplicates", title: "Duplicates", intro: "Sets of runs that measured the same. The run to keep has keep 1.",
			tables: []listing{{query: "duplicate-groups", caption: "Sets of duplicates, with the run to keep of each"}}},
		{id: "curves", title: "Curves", intro: "The newest runs of each model under one workload. Point at a mark for its values; the table beneath a picture has them all.",
			draw: true},
		{id: "licences", title: "Licences and attributions", intro: "What each licence that runs cite permits now. Who passes data on passes on its attribution.",
			tables: []listing{
				{query: "licences", caption: "Licences of the runs, with what they permit and ask for", links: "evidence"},
				{query: "licence-gaps", caption: "Uses that a licence does not permit, and how many runs that keeps back"},
			}},
	}
}

// Write writes the page of a database. The same database gives the same bytes.
func Write(ctx context.Context, w io.Writer, r *store.Reader, o Options) error {
	p := &page{w: bufio.NewWriter(w), r: r, options: o}
	if err := p.head(); err != nil {
		return err
	}
	for _, s := range sections() {
		if err := p.section(ctx, &s); err != nil {
			return err
		}
	}
	p.print("</main>\n<footer><p>Made by blis-warehouse from one database, schema %d. Nothing on this page was loaded from elsewhere.</p></footer>\n", r.SchemaVersion())
	if err := p.script(); err != nil {
		return err
	}
	p.print("</body>\n</html>\n")
	return p.w.Flush()
}

// page is a page in the making. The writer keeps its first error until it is flushed.
type page struct {
	w       *bufio.Writer
	r       *store.Reader
	options Options
}

// print writes markup; what is put into it is escaped, with the exception of
// raw.
func (p *page) print(format string, values ...any) {
	for i, v := range values {
		switch v := v.(type) {
		case string:
			values[i] = escape(v)
		case raw:
			values[i] = string(v)
		}
	}
	fmt.Fprintf(p.w, format, values...)
}

// raw is markup that stands for itself.
type raw string

// escape makes text of any origin harmless in an element and in a quoted attribute.
func escape(s string) string { return html.EscapeString(visible.Text(s)) }

// head writes everything before the first section. The policy lets in nothing
// but this page's own style and script, by their digests.
func (p *page) head() error {
	style, err := p.style()
	if err != nil {
		return err
	}
	script, err := p.read("page.js")
	if err != nil {
		return err
	}
	policy := "default-src 'none'; style-src " + source(style) + "; script-src " + source(scriptText(script)) + "; base-uri 'none'; form-action 'none'"
	p.print("<!DOCTYPE html>\n<html lang=\"en\" xmlns=\"http://www.w3.org/1999/xhtml\">\n<head>\n<meta charset=\"utf-8\"/>\n"+
		"<meta http-equiv=\"Content-Security-Policy\" content=\"%s\"/>\n"+
		"<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n<meta name=\"color-scheme\" content=\"light dark\"/>\n"+
		"<meta name=\"referrer\" content=\"no-referrer\"/>\n<title>%s</title>\n<style>%s</style>\n</head>\n<body>\n<header>\n<h1>%s</h1>\n<nav aria-label=\"Sections\"><ul>\n",
		raw(strings.ReplaceAll(policy, `"`, "")), p.options.Title, raw(style), p.options.Title)
	for _, s := range sections() {
		p.print("<li><a href=\"#%s\">%s</a></li>\n", s.id, s.title)
	}
	p.print("</ul></nav>\n</header>\n<main>\n")
	return nil
}

// style is the page's style sheet.
func (p *page) style() (string, error) {
	css, err := p.read("page.css")
	if err != nil {
		return "", err
	}
	return "\n" + css + plot.Styles(), nil
}

func (p *page) read(name string) (string, error) {
	content, err := files.ReadFile(name)
	if err != nil {
		return "", fmt.Errorf("the page's own file: %w", err)
	}
	return string(content), nil
}

// source is a text of the page in the words of a policy.
func source(text string) string {
	sum := sha256.Sum256([]byte(text))
	return "'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'"
}

// scriptText is a script as it stands in the page: XML would read its < and &
// as markup otherwise.
func scriptText(js string) string { return "//<![CDATA[\n" + js + "//]]>" }

func (p *page) script() error {
	js, err := p.read("page.js")
	if err != nil {
		return err
	}
	p.print("<div id=\"tip\" role=\"status\" hidden=\"hidden\"></div>\n<script>%s</script>\n", raw(scriptText(js)))
	return nil
}

func (p *page) section(ctx context.Context, s *section) error {
	p.print("<section id=\"%s\">\n<h2>%s</h2>\n", s.id, s.title)
	if s.intro != "" {
		p.print("<p>%s</p>\n", s.intro)
	}
	if s.draw {
		if err := p.pictures(ctx); err != nil {
			return err
		}
	}
	for i := range s.tables {
		if err := p.table(ctx, &s.tables[i]); err != nil {
			return err
		}
	}
	p.print("</section>\n")
	return nil
}
