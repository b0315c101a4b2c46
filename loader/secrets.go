package loader

import (
	"fmt"

	"github.com/inference-sim/blis-warehouse/loader/catalog/credential"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// secretOf looks for a credential in the texts of a row. A row that carries
// one is refused, and the problem does not show it.
func secretOf(row *record.InferenceXRow) (record.Problem, bool) {
	problem := func(field, kind string) (record.Problem, bool) {
		return record.Problem{
			Severity: record.Error, Path: fmt.Sprintf("[%d]", row.Position-1), Line: row.Line, Rule: "credential",
			Message: fmt.Sprintf("%s carries a credential (%s): remove it, and revoke it if it was ever valid", field, kind),
		}, true
	}
	for _, t := range []struct{ field, text string }{
		{"image", row.Image}, {"run_url", row.RunURL}, {"recipe_fingerprint", row.RecipeFingerprint}, {"offload_mode", row.OffloadMode},
		{"benchmark_type", row.BenchmarkType}, {"hardware", row.RawHardware + row.Config.Hardware}, {"framework", row.RawFramework + row.Config.Framework},
		{"model", row.RawModel}, {"model", row.Config.Model}, {"precision", row.RawPrecision + row.Config.Precision},
		{"spec_method", row.RawSpecMethod + row.Config.SpecMethod}, {"workers", row.Workers}, {"power_audit", row.PowerAudit},
		{"power_invalid_reasons", row.PowerInvalidReasons}, {"a key outside the reference", row.Extra}, {"error", row.Error}, {"the row", row.JSON},
	} {
		if f, found := credential.Scan(t.text, ""); found {
			return problem(t.field, f.Kind)
		}
	}
	for _, o := range row.Other {
		if f, found := credential.Scan(o.Key, ""); found {
			return problem("the name of a metric", f.Kind)
		}
		if f, found := credential.Scan(o.Text, o.Key); found {
			return problem("metrics."+o.Key, f.Kind)
		}
	}
	return record.Problem{}, false
}

// tableSecret looks for a credential in a row of a dump that is no benchmark row.
func tableSecret(row record.InferenceXTableRow) (record.Problem, bool) {
	for _, t := range row.Texts() {
		if f, found := credential.Scan(t, ""); found {
			at := row.Place()
			return record.Problem{
				Severity: record.Error, Path: fmt.Sprintf("%s[%d]", at.Table, at.Position-1), Line: at.Line, Rule: "credential",
				Message: fmt.Sprintf("the row carries a credential (%s): remove it, and revoke it if it was ever valid", f.Kind),
			}, true
		}
	}
	return record.Problem{}, false
}

func isSecret(s string) bool {
	_, found := credential.Scan(s, "")
	return found
}

// withoutSecrets takes the credentials out of problems that quote their input.
func withoutSecrets(problems []record.Problem) []record.Problem {
	for i := range problems {
		p := &problems[i]
		if isSecret(p.Path) {
			p.Path = ""
		}
		if f, found := credential.Scan(p.Message, ""); found {
			p.Rule, p.Message = "credential", fmt.Sprintf("the value is refused and carries a credential (%s), which is not shown", f.Kind)
		}
	}
	return problems
}
