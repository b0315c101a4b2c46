package loader

import (
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// inferenceXLicence stands for InferenceX until a registry states terms: no
// licence for the data was found, so the entry permits nothing.
var inferenceXLicence = record.Licence{
	ID:     store.InferenceXLicence,
	Title:  "SemiAnalysis InferenceX benchmark data",
	Status: "unverified",
	Note:   "no licence for the data was found, only statements that it is freely available: rows can be analysed locally, and are neither scorable nor exported",
}

// describer tells what the run of a row is called, and what the warehouse's own
// vocabulary says of it. It is quick for rows that follow others of their run.
func describer() func(*record.InferenceXRow) store.InferenceXRun {
	var id inferencex.Identifier
	return func(row *record.InferenceXRow) store.InferenceXRun {
		name, _ := id.Run(row)
		run := store.InferenceXRun{
			Name:      name,
			Model:     inferencex.ModelName(row.Config.Model),
			Engine:    inferencex.Engine(row.Config.Framework),
			GPUs:      inferencex.RowGPUs(row),
			Collapsed: inferencex.Collapsed(row.Config),
			Digest:    store.RowDigest(row),
		}
		if row.BenchmarkType == "single_turn" {
			run.Harness = "InferenceX bench_serving"
		}
		return run
	}
}

// inferenceXRules joins the tables of names and metrics to the store's needs.
func inferenceXRules() store.InferenceXRules {
	rules := store.InferenceXRules{
		EngineVersion: inferencex.EngineVersion,
		RawWhy:        inferencex.RawWhy,
		Context: func(benchmarkType string, disagg bool, date string) store.InferenceXContext {
			row := record.InferenceXRow{BenchmarkType: benchmarkType, Date: date}
			row.Config.Disagg = disagg
			return store.InferenceXContext(inferencex.ContextOf(&row))
		},
		Define: func(column int, c store.InferenceXContext) (store.Member, bool) {
			def, ok := inferencex.DefinitionFor(column, inferencex.Context(c))
			return store.Member{Def: def.Def, ReportedKey: def.Key, Scale: def.Scale}, ok
		},
	}
	for _, agentic := range []bool{false, true} {
		for _, perRole := range []bool{false, true} {
			c := inferencex.Context{Agentic: agentic, PerRole: perRole}
			for _, def := range inferencex.Definitions(c) {
				rules.Metrics = append(rules.Metrics, store.MetricMeaning{
					Member:            store.Member{Def: def.Def, ReportedKey: def.Key, Scale: def.Scale},
					InferenceXContext: store.InferenceXContext(c),
				})
			}
		}
	}
	for _, k := range inferencex.RawKeys() {
		if k.Column < 0 { // a key or pattern without a column gets its row when a value comes
			continue
		}
		rules.RawKeys = append(rules.RawKeys, store.RawKey{Key: k.Key, Column: k.Column, Unit: k.Unit, Why: k.Why})
	}
	return rules
}
