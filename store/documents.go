package store

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"sort"

	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// DocumentReader reads stored documents again, for a check of what was made of
// them. The store itself knows no document format.
type DocumentReader struct {
	// Parse returns what a document states, or why it cannot be read.
	Parse func(content []byte) (Stated, error)
	// Licences are the entries that no registry states and the loader adds.
	Licences []record.Licence
}

// Stated is what a document states: one of these, the others are nil.
type Stated struct {
	Run        *record.Run
	Evaluation *record.EvaluationRun
	Registry   *record.Registry
}

// runName is the name of the run that is stated, "" where none is.
func (s Stated) runName() string {
	switch {
	case s.Run != nil:
		return s.Run.Name
	case s.Evaluation != nil:
		return s.Evaluation.Name
	}
	return ""
}

// CheckDocuments compares what is stored with what it was read from: digests
// with the bytes they are of, runs and licences with what their documents say
// when they are read again, which is done in memory for some hundred runs at a
// time. It changes nothing. No finding means that all agree. What captures of
// InferenceX brought is compared by CheckDerived, with its digests.
func CheckDocuments(ctx context.Context, path string, reader DocumentReader) ([]Finding, error) {
	db, err := openForCheck(path)
	if err != nil {
		return nil, err
	}
	defer db.Close()
	l, err := (&Writer{db: db}).Begin(ctx)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", path, err)
	}
	defer l.Rollback()
	c := &documentCheck{l: l, reader: reader, damaged: map[string]bool{}, licences: map[string]record.Licence{}}
	for _, step := range []func() error{c.contents, c.versions, c.failedPoints, c.definitionSets, c.registries, c.inEffect, c.runs} {
		if err := step(); err != nil {
			return c.findings, fmt.Errorf("check %s: %w", path, err)
		}
	}
	return c.findings, nil
}

// openForCheck opens a database for reading by a check.
func openForCheck(path string) (*sql.DB, error) {
	dsn, err := fileDSN(path, url.Values{"mode": {"ro"}, "_dqs": {"0"}, "_pragma": {"query_only(1)", "busy_timeout(5000)"}})
	if err != nil {
		return nil, err
	}
	db, err := sql.Open("sqlite", dsn)
	if err != nil {
		return nil, fmt.Errorf("check %s: %w", path, err)
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// IsDamage tells whether an error is SQLite's word that the file is damaged.
func IsDamage(err error) bool {
	if e, ok := errors.AsType[*sqlite.Error](err); ok {
		return e.Code()&0xff == sqlite3.SQLITE_CORRUPT
	}
	if e, ok := errors.AsType[*QueryError](err); ok {
		return e.Code&0xff == sqlite3.SQLITE_CORRUPT
	}
	return false
}

type documentCheck struct {
	l        *Load
	reader   DocumentReader
	damaged  map[string]bool           // documents whose bytes are not of their digest
	licences map[string]record.Licence // claims of registries, by registry and licence
	findings []Finding
}

func (c *documentCheck) found(subject, format string, args ...any) {
	c.findings = append(c.findings, Finding{subject, fmt.Sprintf(format, args...)})
}

// foundAll makes a finding of every row of a query: its subject and its detail.
func (c *documentCheck) foundAll(query string) error {
	return c.l.query(query, nil, func(scan func(...any) error) error {
		var f Finding
		if err := scan(&f.Subject, &f.Detail); err != nil {
			return err
		}
		c.findings = append(c.findings, f)
		return nil
	})
}

// contents compares the bytes of every document with their digest.
func (c *documentCheck) contents() error {
	return c.l.query(`
		SELECT d.sha256, d.content, coalesce((SELECT 'run ' || name FROM run_versions v WHERE v.sha256 = d.sha256), (SELECT path FROM registry_versions v WHERE v.sha256 = d.sha256), '')
		FROM document_contents d ORDER BY d.sha256`, nil, func(scan func(...any) error) error {
		var digest, of string
		var content []byte
		if err := scan(&digest, &content, &of); err != nil {
			return err
		}
		if of == "" {
			c.found("document "+digest, "no run and no registry had this document")
			of = "document " + digest
		}
		if got := hexDigest(content); got != digest {
			c.damaged[digest] = true
			c.found(of, "its stored document %s has the digest %s: its bytes were changed", digest, got)
		}
		return nil
	})
}

func hexDigest(b []byte) string {
	sum := sha256.Sum256(b)
	return hex.EncodeToString(sum[:])
}

// versions compares runs, their versions, registries and the ledger with each other.
func (c *documentCheck) versions() error {
	for _, query := range []string{
		`SELECT DISTINCT name, 'its documents are stored, but the run is not' FROM run_versions v
			WHERE NOT EXISTS (SELECT 1 FROM runs r WHERE r.name = v.name AND r.origin <> 'inferencex') ORDER BY name`,
		`SELECT name, 'its document ' || document_sha256 || ' is not among its versions' FROM runs r
			WHERE document_sha256 IS NOT NULL AND NOT EXISTS (SELECT 1 FROM run_versions v WHERE v.name = r.name AND v.sha256 = r.document_sha256) ORDER BY name`,
		`SELECT path, 'its version ' || sha256 || ' is not among its versions' FROM registries r
			WHERE NOT EXISTS (SELECT 1 FROM registry_versions v WHERE v.path = r.path AND v.sha256 = r.sha256) ORDER BY path`,
		`SELECT DISTINCT path, 'its versions are stored, but the registry is not' FROM registry_versions v WHERE NOT EXISTS (SELECT 1 FROM registries r WHERE r.path = v.path) ORDER BY path`,
		`SELECT r.name, 'in effect is document ' || r.document_sha256 || ', loaded last was ' || ifnull(d.sha256, 'none') FROM runs r
			LEFT JOIN documents d ON d.document_id = (
				SELECT max(e.document_id) FROM documents e WHERE e.name = r.name AND e.status <> 'rejected' AND e.kind = 'MeasuredRun')
			WHERE r.origin = 'catalog' AND d.sha256 IS NOT r.document_sha256 ORDER BY r.name`,
		`SELECT name, 'it was admitted as ' || admitted_as || ', which no document is' FROM runs WHERE origin <> 'inferencex' AND admitted_as = 'capture' ORDER BY name`,
		// The strictest admission since the document came into effect holds, where the ledger tells all of them.
		`SELECT r.name, 'it was admitted as ' || r.admitted_as || ', by the ledger as ' || rtrim(substr('file   local  catalog', 1 + 7 * a.rank, 7))
			FROM runs r JOIN (
				SELECT d.name, d.sha256, count(*) = count(g.admitted_as) AS whole, max(CASE g.admitted_as WHEN 'catalog' THEN 2 WHEN 'local' THEN 1 ELSE 0 END) AS rank
				FROM documents d LEFT JOIN document_readings g ON g.document_id = d.document_id
				WHERE d.kind = 'MeasuredRun' AND d.status <> 'rejected' AND d.load_id >= (
					SELECT max(e.load_id) FROM documents e WHERE e.name = d.name AND e.kind = 'MeasuredRun' AND e.status IN ('added', 'updated'))
				GROUP BY d.name, d.sha256) a ON a.name = r.name AND a.sha256 = r.document_sha256
			WHERE r.origin = 'catalog' AND a.whole AND r.admitted_as <> rtrim(substr('file   local  catalog', 1 + 7 * a.rank, 7)) ORDER BY r.name`} {
		if err := c.foundAll(query); err != nil {
			return err
		}
	}
	return nil
}

func (c *documentCheck) failedPoints() error {
	return c.l.query(`SELECT run_name, conc, sha256, row FROM inferencex_failed_points ORDER BY run_name, conc, sha256`, nil, func(scan func(...any) error) error {
		var run, digest, row string
		var conc int64
		if err := scan(&run, &conc, &digest, &row); err != nil {
			return err
		}
		if hexDigest([]byte(row)) != digest {
			c.found(fmt.Sprintf("%s/c%d", run, conc), "the row of its failed point is not of the digest %s", digest)
		}
		return nil
	})
}

// definitionSets computes the digest of every definition set anew.
func (c *documentCheck) definitionSets() error {
	var digest string
	var members []Member
	var identities []string
	check := func() {
		sort.Sort(&byName{members, identities})
		if definitionSetDigest(members) != digest {
			c.found("definition set "+digest, "its definitions are not of this digest")
			return
		}
		if !slices.Equal(identities, metricIdentities(members)) {
			c.found("definition set "+digest, "what its metrics are compared by is not what its definitions make of it")
		}
	}
	first := true
	err := c.l.query(`
		SELECT s.sha256, m.metric, ifnull(d.formula, ''), ifnull(d.statistic, ''), ifnull(d.population, ''), ifnull(d.denominator, ''), ifnull(d.clock, ''),
			ifnull(d.start_event, ''), ifnull(d.stop_event, ''), ifnull(d.output_len_source, ''), d.reasoning_counted_as_content, ifnull(d.percentile_method, ''),
			ifnull(d.unit, ''), ifnull(d.gpu_scope, ''), ifnull(d.cite, ''), m.slot, ifnull(m.reported_key, ''), m.scale, m.identity
		FROM definition_sets s LEFT JOIN definition_set_members m ON m.definition_set_id = s.definition_set_id
		LEFT JOIN definitions d ON d.definition_id = m.definition_id
		ORDER BY s.definition_set_id, m.metric`, nil, func(scan func(...any) error) error {
		var set string
		var name, key, identity sql.NullString
		var reasoning sql.NullBool
		var slot sql.NullInt64
		var scale sql.NullFloat64
		var m Member
		d := &m.Def
		if err := scan(&set, &name, &d.Formula, &d.Statistic, &d.Population, &d.Denominator, &d.Clock, &d.StartEvent, &d.StopEvent, &d.OutputLenSource, &reasoning,
			&d.PercentileMethod, &d.Unit, &d.GPUScope, &d.Cite, &slot, &key, &scale, &identity); err != nil {
			return err
		}
		if !first && set != digest {
			check()
			members, identities = nil, nil
		}
		first, digest = false, set
		if !name.Valid { // the set of runs without definitions
			return nil
		}
		if reasoning.Valid {
			d.ReasoningCountedAsContent = &reasoning.Bool
		}
		d.Name, m.Slot, m.ReportedKey, m.Scale = name.String, int(slot.Int64), key.String, scale.Float64
		members, identities = append(members, m), append(identities, identity.String)
		return nil
	})
	if err != nil {
		return err
	}
	if !first {
		check()
	}
	return c.foundAll(`
		SELECT 'definition ' || d.definition_id, 'no metric of any run has it' FROM definitions d
		WHERE NOT EXISTS (SELECT 1 FROM definition_set_members m WHERE m.definition_id = d.definition_id) ORDER BY d.definition_id`)
}

// byName sorts members as their digest has them, with their identities beside them.
type byName struct {
	members    []Member
	identities []string
}

func (b *byName) Len() int           { return len(b.members) }
func (b *byName) Less(i, j int) bool { return b.members[i].Def.Name < b.members[j].Def.Name }
func (b *byName) Swap(i, j int) {
	b.members[i], b.members[j] = b.members[j], b.members[i]
	b.identities[i], b.identities[j] = b.identities[j], b.identities[i]
}

// documentKind is what a document should be of.
type documentKind string

const (
	ofRun      documentKind = "run"
	ofRegistry documentKind = "registry"
)

// document reads a stored document again. It states nothing where its bytes are
// damaged or missing, of which there is a finding already.
func (c *documentCheck) document(subject, digest string, kind documentKind) (stated Stated, content []byte, err error) {
	if c.damaged[digest] {
		return Stated{}, nil, nil
	}
	found, err := c.l.queryRow(`SELECT content FROM document_contents WHERE sha256 = ?`, []any{digest}, &content)
	if err != nil || !found { // SQLite's own check tells of the missing one
		return Stated{}, nil, err
	}
	stated, parseErr := c.reader.Parse(content)
	switch {
	case parseErr != nil:
		c.found(subject, "its document %s cannot be read again: %v", digest, parseErr)
	case kind == ofRun && stated.runName() == "" || kind == ofRegistry && stated.Registry == nil:
		c.found(subject, "its document %s is none of a %s", digest, kind)
	}
	return stated, content, nil
}

// registries compares the claims of every registry with its document.
func (c *documentCheck) registries() error {
	type stored struct {
		id           int64
		path, digest string
	}
	var all []stored
	err := c.l.query(`SELECT registry_id, path, sha256 FROM registries ORDER BY path`, nil, func(scan func(...any) error) error {
		var s stored
		err := scan(&s.id, &s.path, &s.digest)
		all = append(all, s)
		return err
	})
	if err != nil {
		return err
	}
	for _, s := range all {
		stated, _, err := c.document(s.path, s.digest, ofRegistry)
		if err != nil {
			return err
		}
		if stated.Registry != nil {
			if err := c.claims(s.id, s.path, stated.Registry); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *documentCheck) claims(id int64, path string, registry *record.Registry) error {
	stated := map[string]record.Licence{}
	for _, e := range registry.Sources {
		stated[e.ID] = e
		c.licences[claimKey(id, e.ID)] = e
	}
	err := c.l.query(`SELECT licence_id, sha256, entry FROM licence_claims WHERE registry_id = ? ORDER BY licence_id`, []any{id}, func(scan func(...any) error) error {
		var licence, digest, entry string
		if err := scan(&licence, &digest, &entry); err != nil {
			return err
		}
		want, ok := stated[licence]
		delete(stated, licence)
		var e record.Licence
		switch err := json.Unmarshal([]byte(entry), &e); {
		case !ok:
			c.found(path, "the claim of licence %s is stored, which its document does not state", licence)
		case hexDigest([]byte(entry)) != digest:
			c.found(path, "the claim of licence %s is not of its digest", licence)
		case err != nil || !sameLicence(e, want):
			c.found(path, "the claim of licence %s is not what its document states", licence)
		}
		return nil
	})
	for _, e := range registry.Sources {
		if _, missing := stated[e.ID]; missing && err == nil {
			c.found(path, "its document states licence %s, which is not stored as its claim", e.ID)
		}
	}
	return err
}

func claimKey(registry int64, licence string) string { return fmt.Sprint(registry, " ", licence) }

// sameLicence compares two entries; the order of permits says nothing.
func sameLicence(a, b record.Licence) bool {
	form := func(l record.Licence) string {
		l.Permits = slices.Clone(l.Permits)
		slices.Sort(l.Permits)
		if len(l.Permits) == 0 {
			l.Permits = nil
		}
		if len(l.Evidence) == 0 {
			l.Evidence = nil
		}
		text, _ := json.Marshal(l) // strings alone: no error is possible
		return string(text)
	}
	return form(a) == form(b)
}

// inEffect compares the licences in effect with the claims they come from.
func (c *documentCheck) inEffect() error {
	type stored struct {
		record.Licence
		withdrawn bool
		registry  sql.NullInt64
	}
	var all []stored
	err := c.l.query(`
		SELECT licence_id, title, ifnull(spdx, ''), status, ifnull(attribution, ''), ifnull(note, ''), withdrawn, registry_id FROM licences ORDER BY licence_id`,
		nil, func(scan func(...any) error) error {
			var s stored
			err := scan(&s.ID, &s.Title, &s.License, &s.Status, &s.Attribution, &s.Note, &s.withdrawn, &s.registry)
			all = append(all, s)
			return err
		})
	if err != nil {
		return err
	}
	for _, s := range all {
		if s.Permits, err = c.l.texts(`SELECT use FROM licence_permits WHERE licence_id = ? ORDER BY use`, s.ID); err != nil {
			return err
		}
		err := c.l.query(`SELECT position, url, quote, location FROM licence_evidence WHERE licence_id = ? ORDER BY position`, []any{s.ID}, func(scan func(...any) error) error {
			var e record.Evidence
			var position int
			err := scan(&position, &e.URL, &e.Quote, &e.Location)
			if position != len(s.Evidence) && err == nil {
				c.found("licence "+s.ID, "the position of its evidence is %d, not %d", position, len(s.Evidence))
			}
			s.Evidence = append(s.Evidence, e)
			return err
		})
		if err != nil {
			return err
		}
		if err := c.licence(s.Licence, s.withdrawn, s.registry); err != nil {
			return err
		}
	}
	return c.foundAll(`
		SELECT DISTINCT 'licence ' || licence_id, 'a registry states it, but it is not stored' FROM licence_claims c
		WHERE NOT EXISTS (SELECT 1 FROM licences l WHERE l.licence_id = c.licence_id) ORDER BY licence_id`)
}

func (c *documentCheck) licence(l record.Licence, withdrawn bool, registry sql.NullInt64) error {
	subject := "licence " + l.ID
	if !registry.Valid {
		i := slices.IndexFunc(c.reader.Licences, func(e record.Licence) bool { return e.ID == l.ID })
		if i < 0 || withdrawn {
			c.found(subject, "no registry states it")
		} else if !sameLicence(l, c.reader.Licences[i]) {
			c.found(subject, "it is not what the program states for want of a registry")
		}
		return nil
	}
	claim, stated := c.licences[claimKey(registry.Int64, l.ID)]
	switch {
	case withdrawn && stated:
		c.found(subject, "it is withdrawn, but its registry states it")
		return nil
	case withdrawn:
		return c.withdrawn(subject, l, registry.Int64)
	case !stated:
		return c.unstated(subject, registry.Int64)
	case !sameLicence(l, claim):
		c.found(subject, "it is not what its registry's document states: %s", licenceDifference(l, claim))
	}
	return nil
}

// unstated is a licence that is in effect and that its registry does not have.
// Of a registry that could not be read there is a finding already.
func (c *documentCheck) unstated(subject string, registry int64) error {
	var digest string
	if _, err := c.l.queryRow(`SELECT sha256 FROM registries WHERE registry_id = ?`, []any{registry}, &digest); err != nil {
		return err
	}
	if !c.damaged[digest] {
		c.found(subject, "its registry's document does not state it")
	}
	return nil
}

// withdrawn compares a withdrawn licence with the earlier versions of its registry.
func (c *documentCheck) withdrawn(subject string, l record.Licence, registry int64) error {
	digests, err := c.l.texts(`SELECT v.sha256 FROM registry_versions v JOIN registries r ON r.path = v.path WHERE r.registry_id = ? ORDER BY v.sha256`, registry)
	if err != nil {
		return err
	}
	for _, digest := range digests {
		if c.damaged[digest] { // it may be this one that states it
			return nil
		}
		earlier, _, err := c.document(subject, digest, ofRegistry)
		if err != nil {
			return err
		}
		if earlier.Registry != nil && slices.ContainsFunc(earlier.Registry.Sources, func(e record.Licence) bool { return sameLicence(e, l) }) {
			return nil
		}
	}
	c.found(subject, "it is withdrawn, and not what any version of its registry stated")
	return nil
}

// licenceDifference names the fields in which a stored licence is not what its document states.
func licenceDifference(stored, stated record.Licence) string {
	fields := func(l record.Licence) []any {
		return []any{l.Title, l.License, l.Status, fmt.Sprint(slices.Sorted(slices.Values(l.Permits))), l.Attribution, l.Note, fmt.Sprint(l.Evidence)}
	}
	row := storedRow{columns: []string{"title", "license", "status", "permits", "attribution", "note", "evidence"}, values: fields(stored)}
	return row.differences(storedRow{columns: row.columns, values: fields(stated)})
}
