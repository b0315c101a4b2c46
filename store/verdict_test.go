package store

import (
	"fmt"
	"math/rand"
	"slices"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// facts is what a verdict is computed from, in a form of its own.
type facts struct {
	missing    []string // of model, engine_version, cluster, deployment, workload
	diffs      []string // kinds
	provenance []string // verdicts; resolved stands for UNSTATED with a rule
	incomplete []string // fields of the definition that are left out
	harness    bool
	licence    string // none, refused, withdrawn-like unverified, noscore, open
}

// verdict is the oracle: the rules in the words of the specification.
func (f facts) verdict() (verdict, resolution string, reasons []string) {
	for _, m := range f.missing {
		reasons = append(reasons, "missing_"+m)
	}
	irreproducible := len(f.missing) > 0
	for _, kind := range f.diffs {
		if kind == "not_expressible" {
			irreproducible = true
			reasons = append(reasons, "not_expressible")
		} else {
			reasons = append(reasons, "diff")
		}
	}
	resolved := false
	for _, p := range f.provenance {
		switch p {
		case "MISMATCH":
			reasons = append(reasons, "mismatch")
		case "UNVERIFIABLE":
			reasons = append(reasons, "unverifiable")
		case "UNSTATED":
			reasons = append(reasons, "unresolved")
		case "resolved":
			resolved = true
		}
	}
	if len(f.incomplete) > 0 {
		reasons = append(reasons, "incomplete_definition")
	}
	if !f.harness {
		reasons = append(reasons, "missing_harness")
	}
	if f.licence != "open" {
		reasons = append(reasons, "licence")
	}
	slices.Sort(reasons)
	switch {
	case irreproducible:
		return "NOT_REPRODUCIBLE", "", reasons
	case len(reasons) > 0:
		return "PARTIAL", "", reasons
	case resolved:
		return "EXACT", "RESOLVED", nil
	}
	return "EXACT", "STRICT", nil
}

func (f facts) run(name string) *record.Run {
	r := exactRun(name, 1)
	for _, m := range f.missing {
		switch m {
		case "model":
			r.Model = ""
		case "engine_version":
			r.EngineVersion = ""
		case "cluster":
			r.Cluster = nil
		case "deployment":
			r.Deployment = nil
		case "workload":
			r.Workload = nil
		}
	}
	for _, kind := range f.diffs {
		r.Diff = append(r.Diff, record.Diff{Path: "x", Kind: kind, Material: "no"})
	}
	for i, p := range f.provenance {
		row := record.Provenance{Setting: fmt.Sprint("s", i), Verdict: p, Material: "yes"}
		if p == "resolved" {
			row.Verdict, row.ResolvedBy = "UNSTATED", "rule"
		}
		r.Provenance = append(r.Provenance, row)
	}
	d := &r.MetricDefs[0]
	for _, field := range f.incomplete {
		switch field {
		case "formula":
			d.Formula = ""
		case "statistic":
			d.Statistic = ""
		case "population":
			d.Population = ""
		case "clock":
			d.Clock = ""
		case "denominator":
			d.Formula, d.Statistic, d.Unit = "output_throughput", "", "tokens_per_s"
		}
	}
	if !f.harness {
		r.Client.Harness = ""
	}
	r.Source.LicenseRef = f.licence
	return r
}

func randomFacts(rnd *rand.Rand) facts {
	some := func(p float64, words ...string) (chosen []string) {
		for _, w := range words {
			if rnd.Float64() < p {
				chosen = append(chosen, w)
			}
		}
		return chosen
	}
	f := facts{harness: rnd.Float64() < 0.9, licence: "open"}
	f.missing = some(0.05, "model", "engine_version", "cluster", "deployment", "workload")
	f.diffs = some(0.04, "not_expressible", "not_modelled", "conflict", "unresolved", "approximated")
	f.provenance = append(some(0.05, "MISMATCH", "UNVERIFIABLE", "UNSTATED"), some(0.5, "resolved", "MATCH")...)
	f.incomplete = some(0.04, "formula", "statistic", "population", "clock", "denominator")
	if rnd.Float64() < 0.1 {
		f.licence = []string{"none", "refused", "unverified", "noscore"}[rnd.Intn(4)]
	}
	return f
}

// The verdict views agree with the oracle on random facts.
func TestVerdict(t *testing.T) {
	const runs = 600
	rnd := rand.New(rand.NewSource(1))
	w := newWarehouse(t)
	all := map[string]facts{}
	w.load(func(l *Load) {
		noscore := openLicence("noscore")
		noscore.Permits = []string{"redistribute"}
		apply(t, l, "/r", openLicence("open"), noscore,
			record.Licence{ID: "refused", Title: "t", Status: "refused", Note: "n"},
			record.Licence{ID: "unverified", Title: "t", Status: "unverified", Note: "n"})
		for i := range runs {
			name := fmt.Sprintf("r%04d", i)
			all[name] = randomFacts(rnd)
			save(t, l, all[name].run(name))
		}
	})
	seen := map[string]int{}
	var verdicts, reasons []string
	for i := range runs {
		name := fmt.Sprintf("r%04d", i)
		v, resolution, codes := all[name].verdict()
		seen[v+" "+resolution]++
		verdicts = append(verdicts, name+"|"+v+"|"+resolution)
		for _, c := range codes {
			seen[c]++
			reasons = append(reasons, name+"|"+c)
		}
	}
	w.want(`SELECT name, verdict, resolution FROM verdicts ORDER BY name`, verdicts...)
	w.want(`SELECT name, code FROM verdict_reasons ORDER BY name, code`, reasons...)
	for _, outcome := range []string{"EXACT STRICT", "EXACT RESOLVED", "PARTIAL ", "NOT_REPRODUCIBLE ", "missing_model", "missing_engine_version", "missing_cluster",
		"missing_deployment", "missing_workload", "not_expressible", "diff", "mismatch", "unverifiable", "unresolved", "incomplete_definition", "missing_harness", "licence"} {
		if seen[outcome] == 0 {
			t.Errorf("no run was %s: the sample says nothing of it", outcome)
		}
	}
	// A run is scorable or has a reason why not.
	w.want(`SELECT name FROM runs WHERE (name IN (SELECT name FROM scorable_runs)) = (name IN (SELECT name FROM unscorable_reasons))`)
}
