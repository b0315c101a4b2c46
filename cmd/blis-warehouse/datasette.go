package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"html"
	"slices"
	"strings"

	"github.com/inference-sim/blis-warehouse/queries"
	"github.com/inference-sim/blis-warehouse/queries/statement"
	"github.com/inference-sim/blis-warehouse/store"
)

// datasetteFile is a metadata.json as datasette's manual describes it, in the
// pages Metadata, Facets and Canned queries. Members without a value are left
// out. Source and license at the top stand in the footer of every page.
type datasetteFile struct {
	Title       string                    `json:"title"`
	Description string                    `json:"description"`
	Source      string                    `json:"source,omitempty"`
	SourceURL   string                    `json:"source_url,omitempty"`
	License     string                    `json:"license,omitempty"`
	LicenseURL  string                    `json:"license_url,omitempty"`
	CustomUnits []string                  `json:"custom_units"` // of Pint, for units
	Databases   members[datasetteRelated] `json:"databases"`
}

// datasetteRelated is what belongs to one database.
type datasetteRelated struct {
	DescriptionHTML string                  `json:"description_html"` // escaped but for our own tags
	Source          string                  `json:"source,omitempty"`
	SourceURL       string                  `json:"source_url,omitempty"`
	License         string                  `json:"license,omitempty"`
	LicenseURL      string                  `json:"license_url,omitempty"`
	Tables          members[datasetteTable] `json:"tables"`
	Queries         members[datasetteQuery] `json:"queries"`
}

// datasetteTable is a table or view.
type datasetteTable struct {
	Description string          `json:"description,omitempty"`
	Hidden      bool            `json:"hidden,omitempty"` // from the list of tables; its page is there
	Columns     members[string] `json:"columns,omitempty"`
	Units       members[string] `json:"units,omitempty"` // as Pint spells them
	LabelColumn string          `json:"label_column,omitempty"`
	Sort        string          `json:"sort,omitempty"`
	SortDesc    string          `json:"sort_desc,omitempty"`
	Facets      []string        `json:"facets,omitempty"`
}

// datasetteQuery is a query of datasette's own.
type datasetteQuery struct {
	Title       string   `json:"title"`
	Description string   `json:"description,omitempty"`
	SQL         string   `json:"sql"`
	Params      []string `json:"params,omitempty"`
}

// members is an object of JSON whose members keep their order.
type members[V any] []member[V]

type member[V any] struct {
	name  string
	value V
}

// MarshalJSON writes the members in their order.
func (m members[V]) MarshalJSON() ([]byte, error) {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	b.WriteByte('{')
	for i, x := range m {
		if i > 0 {
			b.WriteByte(',')
		}
		if err := e.Encode(x.name); err != nil {
			return nil, err
		}
		b.WriteByte(':')
		if err := e.Encode(x.value); err != nil {
			return nil, err
		}
	}
	b.WriteByte('}')
	return b.Bytes(), nil
}

// citedLicence is a row of the query licence-terms whose licence some run cites.
type citedLicence struct {
	id, title, spdx, status, permits, attribution, terms, note, sources string
	runs                                                                int64
}

func citedLicences(res *result) (cited []citedLicence) {
	for _, row := range res.rows {
		get := func(column string) string { return res.text(row, column) }
		runs, _ := row[slices.Index(res.columns, "runs")].(int64)
		if runs == 0 {
			continue
		}
		cited = append(cited, citedLicence{get("licence_id"), get("title"), get("spdx"), get("status"), get("permits"),
			get("attribution"), get("terms"), get("note"), get("sources"), runs})
	}
	return cited
}

// datasetteMetadata describes the database called name to datasette.
func datasetteMetadata(name string, relations []store.Relation, licences []citedLicence) datasetteFile {
	f := datasetteFile{
		Title:       "Measurements of LLM inference",
		Description: "Measured inference benchmarks with their provenance, definitions, verdicts and licences, kept by blis-warehouse.",
		CustomUnits: []string{"token = []", "request = []", "gpu = []", "user = []"},
	}
	var sources, terms []string
	for _, l := range licences {
		sources = append(sources, firstOf(l.title, l.id))
		terms = append(terms, firstOf(l.spdx, l.status+" ("+l.id+")"))
	}
	f.Source, f.License = strings.Join(sources, "; "), strings.Join(distinct(terms), ", ")
	if len(licences) == 1 {
		f.SourceURL, f.LicenseURL = licences[0].terms, licences[0].terms
	}
	d := datasetteRelated{Source: f.Source, SourceURL: f.SourceURL, License: f.License, LicenseURL: f.LicenseURL, DescriptionHTML: licencesHTML(licences)}
	for _, r := range relations {
		d.Tables = append(d.Tables, member[datasetteTable]{r.Name, datasetteRelation(r)})
	}
	d.Tables = append(d.Tables, member[datasetteTable]{"goose_db_version", datasetteTable{Description: "The migrations that were applied, kept by goose.", Hidden: true}})
	for _, q := range queries.All() {
		d.Queries = append(d.Queries, member[datasetteQuery]{q.Name, cannedQuery(q)})
	}
	f.Databases = members[datasetteRelated]{{name, d}}
	return f
}

// firstOf is the first that is not empty.
func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

// licencesHTML tells under which licences the runs of the database stand.
// Whatever comes from registries is escaped; urls there are http or https.
func licencesHTML(licences []citedLicence) string {
	var b strings.Builder
	b.WriteString("<p>Measured runs of LLM inference. Each run cites a licence:</p>\n<ul>\n")
	for _, l := range licences {
		fmt.Fprintf(&b, "<li>%s</li>\n", licenceHTML(l))
	}
	b.WriteString("</ul>")
	return b.String()
}

func licenceHTML(l citedLicence) string {
	sentences := []string{fmt.Sprintf("<strong>%s</strong>, cited by %s", html.EscapeString(l.id), plural(int(l.runs), "run", "runs"))}
	say := func(format, text string) {
		if text != "" {
			sentences = append(sentences, fmt.Sprintf(format, html.EscapeString(text)))
		}
	}
	say("%s", l.title)
	say("Publishers: %s", strings.ReplaceAll(l.sources, " ", ", "))
	say("Terms: %s", l.spdx)
	say("Status: %s", l.status)
	say("Permits %s", firstOf(strings.ReplaceAll(l.permits, " ", ", "), "nothing"))
	say("To be named: %s", l.attribution)
	say("Note: %s", l.note)
	say(`<a href="%s">The terms</a>`, l.terms)
	return strings.Join(sentences, ". ") + "."
}

// browsing is how a table or view is looked at best.
type browsing struct {
	sort, sortDesc, label string
	facets                []string
}

// browsed are the relations that people open first. Every column is held
// against the data dictionary by a test.
func browsed() map[string]browsing {
	return map[string]browsing{
		"curves":             {sort: "run", facets: []string{"origin", "model", "hardware", "precision", "verdict"}},
		"runs":               {sort: "name", label: "name", facets: []string{"origin", "model", "hardware", "engine"}},
		"points":             {facets: []string{"concurrency"}},
		"measurements":       {facets: []string{"metric"}},
		"metric_defs":        {facets: []string{"formula", "statistic", "unit"}},
		"verdicts":           {sort: "name", facets: []string{"verdict", "resolution"}},
		"verdict_reasons":    {sort: "name", facets: []string{"code"}},
		"scorable_runs":      {sort: "name", facets: []string{"verdict", "licence_id"}},
		"unscorable_reasons": {sort: "name", facets: []string{"code"}},
		"calibration_runs":   {sort: "name", facets: []string{"licence_id"}},
		"supersessions":      {sort: "name", facets: []string{"problem"}},
		"duplicate_pairs":    {sort: "run_a", facets: []string{"kind", "declared"}},
		"duplicate_groups":   {sort: "group_id", facets: []string{"keep", "relation"}},
		"provenance":         {facets: []string{"verdict", "material"}},
		"diffs":              {facets: []string{"kind", "material"}},
		"licences":           {sort: "licence_id", label: "title", facets: []string{"status"}},
		"loads":              {sortDesc: "load_id"},
		"documents":          {sortDesc: "document_id", facets: []string{"kind", "status"}},
		"problems":           {facets: []string{"severity", "rule"}},
		"flagged_points":     {facets: []string{"code"}},
		"inferencex_rows":    {facets: []string{"model", "hardware", "precision"}},
		"inferencex_drift":   {sortDesc: "count"},
	}
}

// inner are tables that hold what a view shows better. They are hidden, and so
// is what each load derives anew for the program's own use.
func inner() []string {
	return []string{
		"catalog_values", "content_metrics", "definition_fields", "definition_set_members", "definition_sets", "definitions", "document_contents",
		"document_readings", "inferencex_configs", "inferencex_families", "inferencex_images", "inferencex_keys", "inferencex_other_values",
		"inferencex_points", "keep_criteria", "keep_order", "licence_claims", "licence_permits", "metric_pairs", "registry_versions", "run_contents",
	}
}

// datasetteRelation describes a table or view.
func datasetteRelation(r store.Relation) datasetteTable {
	b := browsed()[r.Name]
	derived := strings.Contains(r.Meaning, "Derived, kept by each load") && r.Name != "flags"
	t := datasetteTable{Description: r.Meaning, Hidden: derived || slices.Contains(inner(), r.Name),
		LabelColumn: b.label, Sort: b.sort, SortDesc: b.sortDesc, Facets: b.facets}
	for _, c := range r.Columns {
		meaning := c.Meaning
		if c.Unit != "" {
			meaning += " [" + c.Unit + "]"
		}
		t.Columns = append(t.Columns, member[string]{c.Name, meaning})
		if unit := pintUnits()[c.Unit]; unit != "" {
			t.Units = append(t.Units, member[string]{c.Name, unit})
		}
	}
	return t
}

// pintUnits are the units of store.Column as Pint spells them, with the custom
// units of the file. Degrees are left out, for Pint does not multiply a number
// by a unit that has an offset, and so are percent, which older ones lack.
func pintUnits() map[string]string {
	return map[string]string{
		"ns": "nanosecond", "µs": "microsecond", "ms": "millisecond", "s": "second", "bytes": "byte", "MB": "megabyte", "tokens": "token", "tokens/s": "token/second",
		"tokens/s/GPU": "token/second/gpu", "tokens/s/user": "token/second/user", "requests/s": "request/second", "W": "watt", "J": "joule",
	}
}

// cannedQuery is a named query as datasette runs it. A field that is left
// empty is an empty text there, and every value is text: each parameter is
// made NULL or a value of its type where the query uses it.
func cannedQuery(q queries.Query) datasetteQuery {
	c := datasetteQuery{Title: q.Summary, Description: strings.Join(strings.Fields(q.Description), " ")}
	types := map[string]queries.Type{}
	for i, p := range q.Params {
		types[p.Name] = p.Type
		c.Params = append(c.Params, p.Name)
		kind := string(p.Type)
		if p.Optional {
			kind += ", may be empty"
		}
		lead := "; "
		if i == 0 {
			lead = strings.TrimSpace(c.Description+" Parameters:") + " "
			c.Description = ""
		}
		c.Description += fmt.Sprintf("%s%s (%s): %s", lead, p.Name, kind, p.Meaning)
	}
	c.SQL = statement.ReplaceParams(q.Statement(), func(name string) string {
		value := "nullif(:" + name + ", '')"
		if t := types[name]; t == queries.Integer || t == queries.Real {
			value = "CAST(" + value + " AS " + strings.ToUpper(string(t)) + ")"
		}
		return value
	})
	return c
}
