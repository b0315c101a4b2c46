package store

import (
	"database/sql/driver"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Of captures nothing is kept that their rows could be read from again. So that
// check finds what is changed afterwards all the same, each load keeps a digest
// of what it has made of every run. It covers all columns of all rows of the
// run, by way of their own digests those of inferencex_points, and no surrogate
// key. Of a run that is new it is made of the rows in memory, of one that more
// rows came to it is made of the stored ones, as check does.
//
// It tells what changed by accident or by hand. Who means to deceive can store
// the digest that fits.

// The columns that digests of runs cover, by table. Those that captures fill
// come first, in the order in which incoming rows have them; the others are
// NULL. A digest has their indexes: append only.
var (
	digestedRun = append(slices.Clone(runColumns[firstOfRun:]),
		"document_sha256", "schema_version", "fabric", "gpus_per_node", "gpus_per_rack", "deployment_name", "router_kind", "workload_kind", "workload",
		"harness_version", "stated_verdict", "stated_resolution", "duplicate_of", "supersedes", "retrieved_on", "retrieved_utc", "hidden_by_attempt")
	digestedInferenceXRun = inferencexRunColumns[firstOfInferenceXRun:]
	digestedPool          = append(slices.Clone(poolColumns[firstOfPool:]), "pp", "dp", "dp_local", "pcp", "dcp", "enable_expert_parallel")
	digestedPointColumns  = append(slices.Clone(pointColumns[firstOfPoint:]),
		"request_rate", "completed", "failed", "mean_isl", "mean_osl", "kv_utilization", "prefix_hit_rate", "preemptions", "noise_seeds", "noise_cv")
)

// Before these indexes stand surrogate keys.
const (
	firstOfRun           = 3
	firstOfInferenceXRun = 2
	firstOfPool          = 1
	firstOfPoint         = 2
)

// runDigest gathers what a digest of a run is made of: rows, and of each the
// values that are not NULL with the indexes of their columns.
type runDigest struct{ b []byte }

// row begins a row.
func (d *runDigest) row() { d.b = append(d.b, 0xff) } // no index

func (d *runDigest) value(column int, v any) {
	if v != nil {
		d.b = digestValue(append(d.b, byte(column)), v)
	}
}

func (d *runDigest) values(values []any) {
	d.row()
	for i, v := range values {
		d.value(i, v)
	}
}

// fields adds a row of which the columns from first to before end are asked for.
func (d *runDigest) fields(first, end int, field func(column int) driver.Value) {
	d.row()
	for column := first; column < end; column++ {
		d.value(column-first, field(column))
	}
}

// incomingDigest is the digest of a run that is not stored yet and has these points.
func (l *Load) incomingDigest(r *incomingRun, points []incomingPoint) (int64, error) {
	set, err := l.sha256OfSet(r.set)
	if err != nil {
		return 0, err
	}
	var room [4096]byte // enough for most runs
	d := runDigest{room[:0]}
	d.values([]any{set})
	d.fields(firstOfRun, len(runColumns), r.runField)
	d.fields(firstOfInferenceXRun, len(inferencexRunColumns), r.inferencexField)
	d.values(configValues(&r.row.Config))
	for _, p := range rowPools(r.run.id, &r.row.Config) {
		d.fields(firstOfPool, len(poolColumns), p.field)
	}
	for i := range points {
		d.values([]any{points[i].digest})
		d.fields(firstOfPoint, len(pointColumns), points[i].field)
	}
	return digest(d.b), nil
}

// sha256OfSet is what a definition set is known by.
func (l *Load) sha256OfSet(set int64) (sha256 string, err error) {
	if sha256, ok := l.inferencex.setDigests[set]; ok {
		return sha256, nil
	}
	_, err = l.queryRow(`SELECT sha256 FROM definition_sets WHERE definition_set_id = ?`, []any{set}, &sha256)
	l.inferencex.setDigests[set] = sha256
	return sha256, err
}

var insertRunDigestSQL = feedInto("inferencex_run_digests", "run_id", "digest")

// storeRunDigests stores the digests of the incoming runs. Those of raw
// artifacts have none before all are in.
func (b *incomingBatch) storeRunDigests(s *session) error {
	var runs []*incomingRun
	for i := range b.runs {
		if r := &b.runs[i]; r.row.ArtifactDigest == "" {
			runs = append(runs, r)
		}
	}
	return s.feed(insertRunDigestSQL, len(runs), func(i, column int) driver.Value {
		if column == 0 {
			return runs[i].run.id
		}
		return runs[i].digest
	})
}

// digestTouched keeps the digests of the touched runs of InferenceX.
func (l *Load) digestTouched() error {
	for _, id := range slices.Sorted(maps.Keys(l.touched)) {
		digest, found, err := l.digestOfRun(id)
		if err == nil && found {
			_, err = l.exec(`INSERT INTO inferencex_run_digests (run_id, digest) VALUES (?, ?) ON CONFLICT (run_id) DO UPDATE SET digest = excluded.digest`, id, digest)
		}
		if err != nil {
			return fmt.Errorf("run %d: %w", id, err)
		}
	}
	return nil
}

// The statements that read what a digest of a run is made of, in its order.
var (
	digestedRunSQL = "SELECT s.sha256, " + qualified("r", digestedRun) + ", " + qualified("i", digestedInferenceXRun) + ", " + qualified("c", configColumns) + `
		FROM inferencex_runs i JOIN runs r ON r.run_id = i.run_id LEFT JOIN definition_sets s ON s.definition_set_id = r.definition_set_id
		LEFT JOIN inferencex_configs c ON c.config_id = i.config_id WHERE i.run_id = ?`
	digestedPoolsSQL  = "SELECT " + qualified("t", digestedPool) + " FROM pools t WHERE t.run_id = ? ORDER BY t.position"
	digestedPointsSQL = "SELECT d.digest, " + qualified("t", digestedPointColumns) + `
		FROM points t LEFT JOIN inferencex_row_digests d ON d.point_id = t.point_id WHERE t.run_id = ? ORDER BY t.position, t.id`
	digestedRevisionsSQL = `
		SELECT NULL, v.key, v.value FROM inferencex_run_revisions v WHERE v.run_id = ?1
		UNION ALL
		SELECT p.id, v.key, v.value FROM points p JOIN inferencex_revisions v ON v.point_id = p.point_id WHERE p.run_id = ?1
		ORDER BY 1, 2, 3`
)

// qualified lists columns of a table by its alias.
func qualified(alias string, columns []string) string {
	return alias + "." + strings.Join(columns, ", "+alias+".")
}

// digestOfRun is the digest of a stored run of InferenceX.
func (l *Load) digestOfRun(run int64) (sum int64, found bool, err error) {
	var d runDigest
	for _, part := range []struct {
		query  string
		widths []int // of the rows that a row of the query makes
	}{
		{digestedRunSQL, []int{1, len(digestedRun), len(digestedInferenceXRun), len(configColumns)}},
		{digestedPoolsSQL, []int{len(digestedPool)}},
		{digestedPointsSQL, []int{1, len(digestedPointColumns)}},
		{digestedRevisionsSQL, []int{3}},
	} {
		if err := l.digestRows(&d, run, part.query, part.widths); err != nil {
			return 0, false, err
		}
		if len(d.b) == 0 { // no run of InferenceX
			return 0, false, nil
		}
	}
	return digest(d.b), true, nil
}

// digestRows adds what a query reads of a run.
func (l *Load) digestRows(d *runDigest, run int64, query string, widths []int) error {
	width := 0
	for _, w := range widths {
		width += w
	}
	values, dest := make([]any, width), make([]any, width)
	for i := range dest {
		dest[i] = &values[i]
	}
	return l.query(query, []any{run}, func(scan func(...any) error) error {
		if err := scan(dest...); err != nil {
			return err
		}
		rest := values
		for _, w := range widths {
			d.values(rest[:w])
			rest = rest[w:]
		}
		return nil
	})
}
