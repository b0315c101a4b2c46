package loader

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/inference-sim/blis-warehouse/loader/catalog/credential"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// rowScanner looks for credentials in the rows of a capture. Most of a row's
// texts are those of the row before it, and are not looked at again.
type rowScanner struct {
	clean [21]string // the last text of each field that carries none
}

// secretOf looks for a credential in the texts of a row. A row that carries
// one is refused, and the problem does not show it.
func (s *rowScanner) secretOf(row *record.InferenceXRow) (record.Problem, bool) {
	problem := func(field, kind string) (record.Problem, bool) {
		return record.Problem{
			Severity: record.Error, Path: fmt.Sprintf("[%d]", row.Position-1), Line: row.Line, Rule: "credential",
			Message: fmt.Sprintf("%s carries a credential (%s): remove it, and revoke it if it was ever valid", field, kind),
		}, true
	}
	for i, t := range [len(s.clean)]struct{ field, text string }{
		{"image", row.Image}, {"run_url", row.RunURL}, {"recipe_fingerprint", row.RecipeFingerprint}, {"offload_mode", row.OffloadMode},
		{"benchmark_type", row.BenchmarkType}, {"hardware", row.RawHardware}, {"hardware", row.Config.Hardware},
		{"framework", row.RawFramework}, {"framework", row.Config.Framework}, {"model", row.RawModel}, {"model", row.Config.Model},
		{"precision", row.RawPrecision}, {"precision", row.Config.Precision}, {"spec_method", row.RawSpecMethod}, {"spec_method", row.Config.SpecMethod},
		{"workers", row.Workers}, {"power_audit", row.PowerAudit}, {"power_invalid_reasons", row.PowerInvalidReasons},
		{"a key outside the reference", row.Extra}, {"error", row.Error}, {"the row", row.JSON},
	} {
		if t.text == s.clean[i] {
			continue
		}
		if kind, found := scanText(t.text, ""); found {
			return problem(t.field, kind)
		}
		if strings.IndexByte(t.text, 0) >= 0 {
			return record.Problem{Severity: record.Error, Path: fmt.Sprintf("[%d]", row.Position-1), Line: row.Line, Rule: "encoding",
				Message: t.field + " holds an escaped NUL, which no tool that reads it later can show"}, true
		}
		s.clean[i] = t.text
	}
	for _, o := range row.Other {
		if kind, found := scanText(o.Key, ""); found {
			return problem("the name of a metric", kind)
		}
		if kind, found := scanText(o.Text, o.Key); found {
			return problem("metrics."+o.Key, kind)
		}
	}
	return record.Problem{}, false
}

// tableSecret looks for a credential in a row of a dump that is no benchmark row.
func tableSecret(row record.InferenceXTableRow) (record.Problem, bool) {
	for _, t := range row.Texts() {
		if kind, found := scanText(t, ""); found {
			at := row.Place()
			return record.Problem{
				Severity: record.Error, Path: fmt.Sprintf("%s[%d]", at.Table, at.Position-1), Line: at.Line, Rule: "credential",
				Message: fmt.Sprintf("the row carries a credential (%s): remove it, and revoke it if it was ever valid", kind),
			}, true
		}
	}
	return record.Problem{}, false
}

func isSecret(s string) bool {
	_, found := scanText(s, "")
	return found
}

// scanText looks for a credential in the text under a key ("" where it has
// none), and where that is JSON with escapes also in each of its strings as they read.
func scanText(text, key string) (kind string, found bool) {
	if f, found := credential.Scan(text, key); found {
		return f.Kind, true
	}
	if strings.IndexByte(text, '\\') < 0 {
		return "", false
	}
	var v any
	if json.Unmarshal([]byte(text), &v) != nil {
		return "", false
	}
	return scanValue(v, key)
}

func scanValue(v any, key string) (kind string, found bool) {
	switch v := v.(type) {
	case string:
		if f, found := credential.Scan(v, key); found {
			return f.Kind, true
		}
	case []any:
		for _, e := range v {
			if kind, found := scanValue(e, key); found {
				return kind, true
			}
		}
	case map[string]any:
		for k, e := range v {
			if f, found := credential.Scan(k, ""); found {
				return f.Kind, true
			}
			if kind, found := scanValue(e, k); found {
				return kind, true
			}
		}
	}
	return "", false
}

// withoutSecrets takes the credentials out of problems that quote their input.
// A quotation may be cut, so what a drift found is looked at whole.
func withoutSecrets(problems []record.Problem, drifts []inferencex.Drift) []record.Problem {
	secret := map[string]bool{} // paths
	for _, d := range drifts {
		secret[d.Path] = secret[d.Path] || isSecret(d.Detail) || isSecret(d.Key)
	}
	for i := range problems {
		p := &problems[i]
		if isSecret(p.Path) {
			p.Path = ""
		}
		if isSecret(p.Message) || secret[p.Path] {
			p.Rule, p.Message = "credential", "the value is refused and carries a credential, which is not shown"
		}
	}
	return problems
}
