package page

import (
	"context"
	"fmt"
	"iter"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/visible"
)

// find is the query of a name: the page's own, else the program's. own says which.
func find(name string) (q queries.Query, own bool, err error) {
	if q, own, err = queries.Find(files, name); err != nil || own {
		return q, own, err
	}
	q, ok := queries.Get(name)
	if !ok {
		return q, false, fmt.Errorf("the program has no query %s", name)
	}
	return q, false, nil
}

// rows runs a query without a parameter given.
func (p *page) rows(ctx context.Context, q *queries.Query) (iter.Seq2[[]any, error], error) {
	params := map[string]any{}
	for _, param := range q.Params {
		params[param.Name] = nil
	}
	rows, err := p.r.Query(ctx, q.Text, params)
	if err != nil {
		return nil, fmt.Errorf("query %s: %w", q.Name, err)
	}
	return rows.All(), nil
}

// table writes the first rows of a query as a table, with how many there are in
// all and how to list them. The table's id is the query's name.
func (p *page) table(ctx context.Context, l *listing) error {
	q, own, err := find(l.query)
	if err != nil {
		return err
	}
	rows, err := p.rows(ctx, &q)
	if err != nil {
		return err
	}
	var shown [][]any
	total := 0
	for row, err := range rows {
		if err != nil {
			return fmt.Errorf("query %s: %w", q.Name, err)
		}
		if total++; total <= p.options.Rows {
			shown = append(shown, slices.Clone(row))
		}
	}
	p.print("<div class=\"table\" role=\"region\" tabindex=\"0\" aria-label=\"%s\"><table id=\"%s\">\n<caption>%s</caption>\n<thead><tr>", l.caption, q.Name, l.caption)
	for i, c := range q.Columns {
		p.print("<th scope=\"col\"%s>%s</th>", raw(numberClass(shown, i)), strings.ReplaceAll(c, "_", " "))
	}
	p.print("</tr></thead>\n<tbody>\n")
	for _, row := range shown {
		p.row(q.Columns, row, l.links)
	}
	p.print("</tbody>\n</table></div>\n")
	p.remainder(&q, l, own, total)
	return nil
}

// numberClass is the class of the heading of a column that has numbers, which
// stand to the right.
func numberClass(rows [][]any, column int) string {
	for _, row := range rows {
		switch row[column].(type) {
		case int64, float64:
			return ` class="n"`
		case string:
			return ""
		}
	}
	return ""
}

func (p *page) row(columns []string, row []any, links string) {
	p.print("<tr>")
	for i, v := range row {
		switch v := v.(type) {
		case nil:
			p.print("<td></td>")
		case string:
			if columns[i] == links {
				p.print("<td>%s</td>", raw(anchors(v)))
			} else {
				p.print("<td%s>%s</td>", raw(wordClass(v)), v)
			}
		default:
			p.print("<td class=\"n\">%s</td>", Cell(v))
		}
	}
	p.print("</tr>\n")
}

// wordClass is the class of text that is not broken: a name, a day, a word.
func wordClass(text string) string {
	if len(text) <= 44 && !strings.Contains(text, " ") {
		return ` class="k"`
	}
	return ""
}

// remainder says how many rows a table has, and how to get all of them.
func (p *page) remainder(q *queries.Query, l *listing, own bool, total int) {
	shown := min(total, p.options.Rows)
	p.print("<p class=\"total\" data-total=\"%d\">", total)
	switch {
	case total == 0:
		p.print("No rows. ")
	case shown < total:
		p.print("The first %d of %d rows. ", shown, total)
	case total == 1:
		p.print("1 row. ")
	default:
		p.print("%d rows. ", total)
	}
	switch {
	case own:
		p.print("</p>\n")
		p.sql(q)
	case l.more != "":
		p.print("More: <code>blis-warehouse query %s</code></p>\n", l.more)
	default:
		p.print("All of them: <code>blis-warehouse query %s</code></p>\n", q.Name)
	}
}

// sql shows a query of the page's own.
func (p *page) sql(q *queries.Query) {
	p.print("<details class=\"sql\"><summary>How it is counted: %s</summary><pre>%s</pre></details>\n", q.Name, raw(preformatted(q.Text)))
}

// preformatted is text whose line feeds are kept.
func preformatted(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i := range lines {
		lines[i] = escape(lines[i])
	}
	return strings.Join(lines, "\n")
}

// anchors are URLs, parted by spaces, as links where they are absolute http or
// https, and as text where not.
func anchors(text string) string {
	var all []string
	for _, link := range strings.Fields(text) {
		u, err := url.Parse(link)
		if err != nil || !slices.Contains([]string{"http", "https"}, strings.ToLower(u.Scheme)) || u.Host == "" {
			all = append(all, escape(link))
			continue
		}
		all = append(all, fmt.Sprintf(`<a href="%s" rel="noreferrer noopener nofollow">%s</a>`, escape(link), escape(link)))
	}
	return strings.Join(all, " ")
}

// Cell is a value as a cell of the page shows it: numbers in the shortest form
// that reads back as the same, NULL as nothing.
func Cell(v any) string {
	switch v := v.(type) {
	case nil:
		return ""
	case int64:
		return strconv.FormatInt(v, 10)
	case float64:
		return visible.Number(v)
	}
	return fmt.Sprint(v)
}
