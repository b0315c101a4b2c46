package page

import (
	"bytes"
	"encoding/xml"
	"errors"

	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/inference-sim/blis-warehouse/loader"
	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

// warehouse opens a fresh database with what lies at paths.
func warehouse(t *testing.T, paths ...string) *store.Reader {
	t.Helper()
	path := filepath.Join(t.TempDir(), "w.db")
	w, err := store.OpenWriter(t.Context(), path, store.WriterOptions{Create: true})
	if err != nil {
		t.Fatal(err)
	}
	report, err := loader.Load(t.Context(), w, paths, loader.Options{Tool: "test", Now: time.Unix(0, 0), Limits: catalog.DefaultLimits()})
	if err == nil {
		err = w.Publish()
	}
	if err := errors.Join(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	for _, d := range report.Documents {
		for _, p := range d.Problems {
			if p.Severity == "error" {
				t.Errorf("%s:%d: %s: %s", d.File, p.Line, p.Path, p.Message)
			}
		}
	}
	r, err := store.OpenReader(t.Context(), path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	return r
}

func demo(t *testing.T) *store.Reader {
	t.Helper()
	return warehouse(t, "../../testdata/demo/catalog", "../../testdata/demo/captures", "../../testdata/demo/evaluations", "../../testdata/demo/files/demo-lone-file.yaml")
}

func write(t *testing.T, r *store.Reader, o Options) string {
	t.Helper()
	var b strings.Builder
	if err := Write(t.Context(), &b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// node is an element of a page.
type node struct {
	name     string
	attr     map[string]string
	children []*node
	text     string // of it and all within
}

// parse reads a page, strictly as XML or as a browser prints it.
func parse(t *testing.T, text string, strict bool) *node {
	t.Helper()
	d := xml.NewDecoder(strings.NewReader(text))
	if !strict {
		d.Strict, d.AutoClose, d.Entity = false, xml.HTMLAutoClose, xml.HTMLEntity
	}
	root := &node{}
	open := []*node{root}
	for {
		token, err := d.Token()
		if err == io.EOF {
			return root
		}
		if err != nil {
			t.Fatalf("the page is not well-formed: %v", err)
		}
		switch token := token.(type) {
		case xml.StartElement:
			n := &node{name: token.Name.Local, attr: map[string]string{}}
			for _, a := range token.Attr {
				n.attr[a.Name.Local] = a.Value
			}
			parent := open[len(open)-1]
			parent.children = append(parent.children, n)
			open = append(open, n)
		case xml.EndElement:
			open = open[:len(open)-1]
		case xml.CharData:
			for _, n := range open {
				n.text += string(token)
			}
		}
	}
}

// all are the elements of a name within n, in order.
func (n *node) all(name string) (found []*node) {
	for _, c := range n.children {
		if c.name == name {
			found = append(found, c)
		}
		found = append(found, c.all(name)...)
	}
	return found
}

// cells are the texts of a table's body.
func (n *node) cells() (rows [][]string) {
	for _, body := range n.all("tbody") {
		for _, tr := range body.all("tr") {
			var row []string
			for _, td := range tr.all("td") {
				row = append(row, td.text)
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// tables are the tables of a page by id.
func (n *node) tables() map[string]*node {
	tables := map[string]*node{}
	for _, table := range n.all("table") {
		tables[table.attr["id"]] = table
	}
	return tables
}

// same compares a cell with the value of the database.
func same(cell string, v any) bool {
	switch v := v.(type) {
	case nil:
		return cell == ""
	case string:
		return cell == v
	case int64:
		n, err := strconv.ParseInt(cell, 10, 64)
		return err == nil && n == v
	case float64:
		x, err := strconv.ParseFloat(cell, 64)
		return err == nil && x == v
	}
	return false
}

// compareTables compares every table of a page with the result of its query.
func compareTables(t *testing.T, r *store.Reader, page *node, rows int) {
	t.Helper()
	tables := page.tables()
	totals := page.all("p")
	compared := 0
	for _, s := range sections() {
		for _, l := range s.tables {
			q, _, err := find(l.query)
			if err != nil {
				t.Fatal(err)
			}
			params := map[string]any{}
			for _, p := range q.Params {
				params[p.Name] = nil
			}
			result, err := r.Query(t.Context(), q.Text, params)
			if err != nil {
				t.Fatal(err)
			}
			table := tables[l.query]
			if table == nil {
				t.Errorf("there is no table %s", l.query)
				continue
			}
			if !slices.Equal(result.Columns(), q.Columns) || len(table.all("thead")[0].all("th")) != len(q.Columns) || len(table.all("caption")) != 1 {
				t.Errorf("%s: the columns are %q, declared %q", l.query, result.Columns(), q.Columns)
			}
			cells := table.cells()
			n := 0
			for row, err := range result.All() {
				if err != nil {
					t.Fatal(err)
				}
				if n++; n > rows {
					continue
				}
				if n > len(cells) || len(cells[n-1]) != len(row) {
					t.Fatalf("%s: row %d of the query is not in the page", l.query, n)
				}
				for i, v := range row {
					if !same(cells[n-1][i], v) {
						t.Errorf("%s, row %d: %s is %v, the page says %q", l.query, n, q.Columns[i], v, cells[n-1][i])
					}
					compared++
				}
			}
			if len(cells) != min(n, rows) {
				t.Errorf("%s: %d rows in the page, %d of the query", l.query, len(cells), n)
			}
			total := strconv.Itoa(n)
			if !slices.ContainsFunc(totals, func(p *node) bool {
				return p.attr["data-total"] == total && (n <= rows || strings.Contains(p.text, " of "+total+" rows"))
			}) {
				t.Errorf("%s: the page does not say that there are %d rows", l.query, n)
			}
		}
	}
	if compared < 100 {
		t.Errorf("only %d cells were compared", compared)
	}
}

// comparePictures compares the values of every picture with the view curves.
func comparePictures(t *testing.T, r *store.Reader, page *node) {
	t.Helper()
	figures := page.all("figure")
	if len(figures) < 3 {
		t.Errorf("the page has %d pictures", len(figures))
	}
	for _, figure := range figures {
		heads := figure.all("th")
		rows := figure.all("table")[0].cells()
		var points int
		for _, c := range figure.all("circle") {
			if c.attr["class"] == "point" {
				points++
			}
		}
		if len(rows) < 2 || points != len(rows) {
			t.Errorf("%s: %d rows and %d points", figure.attr["id"], len(rows), points)
		}
		for _, row := range rows {
			for i := 2; i < 4; i++ {
				column := strings.ReplaceAll(strings.TrimSpace(heads[i].text), " ", "_")
				result, err := r.Query(t.Context(), "SELECT "+column+" FROM curves WHERE run = :run AND point = :point", map[string]any{"run": row[0], "point": row[1]})
				if err != nil {
					t.Fatal(err)
				}
				for v, err := range result.All() {
					if err != nil || !same(row[i], v[0]) {
						t.Errorf("%s %s: %s is %v, the page says %q: %v", row[0], row[1], column, v[0], row[i], err)
					}
				}
			}
		}
	}
}

// TestNumbers holds that every number of the page is the database's, also where
// tables are cut, and that the same database gives the same bytes.
func TestNumbers(t *testing.T) {
	r := demo(t)
	for _, rows := range []int{100, 3} {
		o := DefaultOptions()
		o.Rows = rows
		text := write(t, r, o)
		if text != write(t, r, o) {
			t.Error("the page has other bytes the second time")
		}
		page := parse(t, text, true)
		compareTables(t, r, page, rows)
		comparePictures(t, r, page)
	}
}

// TestEmpty holds that a database without anything makes a page.
func TestEmpty(t *testing.T) {
	r := warehouse(t)
	page := parse(t, write(t, r, DefaultOptions()), true)
	if rows := page.tables()["coverage"].cells(); len(rows) > 0 || len(page.all("figure")) > 0 {
		t.Errorf("an empty database covers %q", rows)
	}
}

// TestAlone holds that the page refers to nothing but itself and the evidence
// of licences, and that its policy lets in its own style and script alone.
func TestAlone(t *testing.T) {
	r := demo(t)
	text := write(t, r, DefaultOptions())
	page := parse(t, text, true)
	for _, tag := range []string{"link", "img", "iframe", "object", "embed", "image", "use", "base", "form", "audio", "video"} {
		if n := len(page.all(tag)); n > 0 {
			t.Errorf("the page has %d elements %s", n, tag)
		}
	}
	if s := page.all("script"); len(s) != 1 || len(s[0].attr) > 0 {
		t.Errorf("the page has %d scripts", len(s))
	}
	style := page.all("style")[0].text
	if regexp.MustCompile(`url\(|@import|expression|//`).MatchString(style) {
		t.Error("the style sheet refers to something")
	}
	links := 0
	var walk func(n *node)
	walk = func(n *node) {
		for name, v := range n.attr {
			switch {
			case strings.HasPrefix(name, "on") || name == "src" || name == "srcset" || name == "style":
				t.Errorf("%s has %s=%q", n.name, name, v)
			case name == "href" && strings.HasPrefix(v, "#"):
			case name == "href" && strings.HasPrefix(v, "https://example.org/"): // the evidence of the demonstration data
				links++
			case name == "href":
				t.Errorf("the page refers to %q", v)
			}
		}
		for _, c := range n.children {
			walk(c)
		}
	}
	walk(page)
	if links < 2 {
		t.Errorf("%d links to evidence", links)
	}
	var policy string
	for _, m := range page.all("meta") {
		if m.attr["http-equiv"] == "Content-Security-Policy" {
			policy = m.attr["content"]
		}
	}
	script := text[strings.Index(text, "<script>")+len("<script>") : strings.Index(text, "</script>")]
	want := "default-src 'none'; style-src " + source(style) + "; script-src " + source(script) + "; base-uri 'none'; form-action 'none'"
	if policy != want {
		t.Errorf("the policy is\n%s\nwant\n%s", policy, want)
	}
}

func TestAnchors(t *testing.T) {
	for text, want := range map[string]string{
		"https://example.org/a?b=1&c=2":      `<a href="https://example.org/a?b=1&amp;c=2" rel="noreferrer noopener nofollow">https://example.org/a?b=1&amp;c=2</a>`,
		"javascript:alert(1)":                "javascript:alert(1)",
		"data:text/html,x //example.org":     "data:text/html,x //example.org",
		"https:///nohost HTTP://EXAMPLE.org": `https:///nohost <a href="HTTP://EXAMPLE.org" rel="noreferrer noopener nofollow">HTTP://EXAMPLE.org</a>`,
		`https://e.org/"onclick="x`:          `<a href="https://e.org/&#34;onclick=&#34;x" rel="noreferrer noopener nofollow">https://e.org/&#34;onclick=&#34;x</a>`,
		"":                                   "",
	} {
		if got := anchors(text); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
}

// hostileCatalog is the demonstration catalog with hostile text where a
// document may have any.
func hostileCatalog(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "catalog")
	if err := os.CopyFS(dir, os.DirFS("../../testdata/demo/catalog")); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "measurements", "*", "*.yaml"))
	if err != nil || len(files) < 5 {
		t.Fatalf("%d files: %v", len(files), err)
	}
	for _, file := range append(files, filepath.Join(dir, "measurements", "sources.yaml")) {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		s := strings.NewReplacer(
			"model: gpt-oss-120b", `model: "\"><script>alert(1)</script>\e[31m\u202e"`,
			"shape: chat-1k1k", `shape: "]]></svg><img src=x onerror=alert(2)>"`,
			`"Invented figures, Example Archive"`, `"<b onmouseover=alert(3)>&lt;"`,
		).Replace(string(content))
		if err := os.WriteFile(file, []byte(s), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// TestHostileText holds that no text of the data is markup in the page.
func TestHostileText(t *testing.T) {
	r := warehouse(t, hostileCatalog(t))
	o := DefaultOptions()
	o.Title = "</title><script>alert(4)</script>"
	text := write(t, r, o)
	page := parse(t, text, true)
	if len(page.all("script")) != 1 || len(page.all("img")) > 0 || len(page.all("b")) > 0 {
		t.Error("text of the data became an element")
	}
	for _, c := range text {
		if c != '\n' && (unicode.Is(unicode.Cc, c) || unicode.Is(unicode.Cf, c)) {
			t.Fatalf("the page holds %U", c)
		}
	}
	for _, shown := range []string{`"><script>alert(1)</script>\x1b[31m\u202e`, "<img src=x onerror=alert(2)>", "<b onmouseover=alert(3)>&lt;"} {
		if !strings.Contains(page.text, shown) {
			t.Errorf("the page does not show %s for what it is", shown)
		}
	}
}

// browser is a browser that runs without a window.
func browser(t *testing.T) string {
	t.Helper()
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	t.Skip("NOT RUN: there is no chromium on PATH, so nothing holds that the page works in a browser")
	return ""
}

// browse opens a page in a browser and returns the document as it stands once
// its scripts have run, without what they hold, and what was said on the console.
func browse(t *testing.T, path, html string) (dom, console string) {
	t.Helper()
	dir := t.TempDir()
	file := filepath.Join(dir, "page.html")
	if err := os.WriteFile(file, []byte(html), 0o644); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--user-data-dir="+filepath.Join(dir, "profile"),
		"--enable-logging=stderr", "--virtual-time-budget=5000", "--dump-dom", "file://"+file)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	cmd.WaitDelay = 10 * time.Second
	if err := cmd.Run(); err != nil && stdout.Len() == 0 {
		t.Fatalf("%v\n%s", err, stderr.Bytes())
	}
	for _, line := range strings.Split(stderr.String(), "\n") {
		if strings.Contains(line, "CONSOLE") {
			console += line + "\n"
		}
	}
	return regexp.MustCompile(`(?s)<script>.*?</script>`).ReplaceAllString(stdout.String(), ""), console
}

// exercise is what a reader does, as a script: sorts a table twice, filters
// another, and points at a mark.
const exercise = `
var heading = document.querySelectorAll("#coverage th")[4].querySelector("button");
heading.click(); heading.click();
var filter = document.querySelector(".filter input");
filter.value = "H200";
filter.dispatchEvent(new Event("input"));
document.body.setAttribute("data-filtered", filter.parentNode.textContent);
document.querySelector("circle.point").dispatchEvent(new MouseEvent("mousemove", { clientX: 5, clientY: 5 }));
`

// TestBrowser opens the page in a real browser: it has the same numbers there,
// nothing is refused or fails, and sorting, filtering and pointing work.
func TestBrowser(t *testing.T) {
	path := browser(t)
	r := demo(t)
	html := write(t, r, DefaultOptions())
	dom, console := browse(t, path, html)
	if console != "" {
		t.Errorf("the browser says:\n%s", console)
	}
	page := parse(t, dom, false)
	compareTables(t, r, page, 100)
	comparePictures(t, r, page)
	for _, th := range page.all("th") {
		if len(th.all("button")) != 1 {
			t.Errorf("the heading %q has no button: the script did not run", th.text)
		}
	}

	// The policy keeps a script out that is not the page's.
	intruder := strings.Replace(html, "</body>", "<script>document.body.setAttribute('data-intruder', '1')</script></body>", 1)
	dom, console = browse(t, path, intruder)
	if parse(t, dom, false).all("body")[0].attr["data-intruder"] != "" || !strings.Contains(console, "Content Security Policy") {
		t.Errorf("a script that is not the page's has run, or nothing was said of it: %q", console)
	}

	policy := regexp.MustCompile(`<meta http-equiv="Content-Security-Policy"[^>]*>`)
	dom, console = browse(t, path, strings.Replace(policy.ReplaceAllString(html, ""), "</body>", "<script>"+exercise+"</script></body>", 1))
	if console != "" {
		t.Errorf("the browser says:\n%s", console)
	}
	used := parse(t, dom, false)
	checkSorted(t, used.tables()["coverage"])
	checkFiltered(t, used)
	if tip := tipOf(used); !strings.Contains(tip, "tokens/s") {
		t.Errorf("pointing at a mark tells %q", tip)
	}
}

func checkSorted(t *testing.T, table *node) {
	t.Helper()
	last := 1 << 30
	for _, row := range table.cells() {
		n, err := strconv.Atoi(row[4])
		if err != nil || n > last {
			t.Errorf("the table is not sorted by its fifth column, downwards: %q", row)
		}
		last = n
	}
	if table.all("th")[4].attr["aria-sort"] != "descending" {
		t.Error("the heading does not say that it is sorted")
	}
}

func checkFiltered(t *testing.T, page *node) {
	t.Helper()
	label := page.all("body")[0].attr["data-filtered"]
	for _, table := range page.all("table") {
		if label == "" || !strings.Contains(label, strings.TrimSpace(table.all("caption")[0].text)) {
			continue
		}
		shown, hidden := 0, 0
		for _, tr := range table.all("tbody")[0].all("tr") {
			_, isHidden := tr.attr["hidden"]
			if isHidden == strings.Contains(strings.ToLower(tr.text), "h200") {
				t.Errorf("filtering for H200 leaves %q hidden: %v", tr.text, isHidden)
			}
			if isHidden {
				hidden++
			} else {
				shown++
			}
		}
		if shown == 0 && hidden == 0 {
			t.Errorf("nothing was filtered in %q", label)
		}
		return
	}
	t.Errorf("no table was filtered: %q", label)
}

func tipOf(page *node) string {
	for _, div := range page.all("div") {
		if div.attr["id"] == "tip" {
			return div.text
		}
	}
	return ""
}

// TestBounded holds that a page stays small, whatever the database holds.
func TestBounded(t *testing.T) {
	r := demo(t)
	o := Options{Title: "short", Rows: 1, Figures: 1}
	text := write(t, r, o)
	page := parse(t, text, true)
	for id, table := range page.tables() {
		if n := len(table.cells()); n > 1 && !strings.HasPrefix(id, "values-") {
			t.Errorf("%s has %d rows", id, n)
		}
	}
	if n := len(page.all("figure")); n != 1 {
		t.Errorf("%d pictures", n)
	}
	if !strings.Contains(text, "The first picture of ") {
		t.Error("the page does not say that pictures are left out")
	}
	o.Figures = 0
	if text := write(t, r, o); !strings.Contains(text, "None of ") || strings.Contains(text, "<figure") {
		t.Error("the page does not say that no picture is drawn, or draws one")
	}
}
