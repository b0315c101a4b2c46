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
	return scanJSON(text, key)
}

// scanJSON looks for a credential in the keys and strings of JSON as they read.
// It holds no value but the string it looks at, so that a row of many values takes
// no memory beyond its own. Text that is no JSON holds none.
func scanJSON(text, key string) (kind string, found bool) {
	if !json.Valid([]byte(text)) {
		return "", false
	}
	keys := []string{key} // of each open object and list: the last key, or that of the list
	for i := 0; i < len(text); i++ {
		last := len(keys) - 1
		switch text[i] {
		case '{':
			keys = append(keys, "")
		case '[':
			keys = append(keys, keys[last])
		case '}', ']':
			keys = keys[:last]
		case '"':
			end := stringEnd(text, i)
			s := text[i+1 : end-1]
			if strings.IndexByte(s, '\\') >= 0 {
				json.Unmarshal([]byte(text[i:end]), &s) // it is valid
			}
			under := keys[last]
			if strings.HasPrefix(strings.TrimLeft(text[end:], " \t\r\n"), ":") {
				keys[last], under = s, ""
			}
			if f, found := credential.Scan(s, under); found {
				return f.Kind, true
			}
			i = end - 1
		}
	}
	return "", false
}

// stringEnd is the index after the JSON string whose opening quote is text[i].
func stringEnd(text string, i int) int {
	for i++; text[i] != '"'; i++ {
		if text[i] == '\\' {
			i++
		}
	}
	return i + 1
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
		quoted := secret[p.Path] // before the path is dropped, which a key may be part of
		if quoted || isSecret(p.Path) {
			p.Path = ""
		}
		if quoted || isSecret(p.Message) {
			p.Rule, p.Message = "credential", "the value is refused and carries a credential, which is not shown"
		}
	}
	return problems
}
