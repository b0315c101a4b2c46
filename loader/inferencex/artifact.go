package inferencex

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// artifactKeys are the keys of a raw artifact that state its configuration; the
// others are metrics where they are numbers.
var artifactKeys = words(
	"hw", "tp", "ep", "dp_attention", "conc", "users", "model", "infmax_model_prefix", "model_prefix", "framework", "precision",
	"spec_decoding", "mtp", "isl", "osl", "scenario_type", "offload_mode", "offloading", "kv_offloading", "image",
	"recipe_fingerprint", "recipe-fingerprint", "disagg", "is_multinode",
	"prefill_tp", "prefill_ep", "prefill_dp_attention", "prefill_num_workers",
	"decode_tp", "decode_ep", "decode_dp_attention", "decode_num_workers", "num_prefill_gpu", "num_decode_gpu",
	"workers", "power_invalid_reasons", "power_audit",
)

// artifactExtras are keys of a raw artifact that are kept as they are: nested
// blocks and markers that later artifacts have.
var artifactExtras = words(
	"result_schema_version", "request_metrics", "server_metrics", "request_accounting", "dataset", "router", "benchmark_outcome",
)

// lengthsInName are the token lengths that a file's name states in units of 1,024: _8k1k_.
var lengthsInName = regexp.MustCompile(`(?i)[_-](\d{1,5})k(\d{1,5})k[_.-]`)

// An artifact is a raw artifact being read: its fields by key.
type artifact struct {
	*decoder
	fields []field
	b      []byte
}

// artifact decodes the raw artifact that starts at b[0] and returns its length.
func (d *decoder) artifact(row *record.InferenceXRow, b []byte) (int, error) {
	d.found, d.extra, d.overfull = d.found[:0], d.extra[:0], false
	*row = record.InferenceXRow{Other: row.Other[:0]}
	n, err := scanValue(b, 0, false, 0)
	if err != nil {
		return 0, err
	}
	b = b[:n]
	a := &artifact{d, d.rowFields(b), b}
	a.duplicates()
	a.configuration(row)
	a.load(row)
	a.values(row)
	d.sortOther(row, 0, "")
	row.Extra = compactObject(d.extra)
	fail(row, b, a.failedClient())
	row.ArtifactRun = d.opts.Dir
	if row.ArtifactRun == "" {
		row.ArtifactRun = "."
	}
	row.ArtifactDigest = artifactDigest(b, row.ISL, row.OSL)
	return n, nil
}

// rowFields are the fields of a row, as far as it may have any.
func (d *decoder) rowFields(b []byte) []field {
	all := firstFields(b, maxKeys+1)
	if d.full(len(all)-1, 0, "", "keys") {
		all = all[:maxKeys]
	}
	return all
}

// artifactDigest is the identity of a raw artifact's point: the digest of its
// canonical row, then of the token lengths, which only the file's name may state.
func artifactDigest(b []byte, isl, osl *int64) string {
	text := appendCanonical(nil, b)
	text = append(text, "\nisl="...)
	text = appendLength(text, isl)
	text = append(text, "\nosl="...)
	text = append(appendLength(text, osl), '\n')
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func appendLength(dst []byte, n *int64) []byte {
	if n == nil {
		return append(dst, '-')
	}
	return strconv.AppendInt(dst, *n, 10)
}

// get returns the field of a key; ok is false where it is absent or null.
func (a *artifact) get(key string) (f field, ok bool) {
	for _, f := range a.fields {
		if f.key == key {
			return f, f.raw[0] != 'n'
		}
	}
	return field{}, false
}

func (a *artifact) duplicates() {
	seen := make(map[string]bool, len(a.fields))
	for _, f := range a.fields {
		if seen[f.key] {
			a.problem(f.off, f.key, "duplicate-key", "the key stands twice in the row")
		}
		seen[f.key] = true
	}
}

// string returns the text of a key, "" where it is absent.
func (a *artifact) string(key string) string {
	f, ok := a.get(key)
	if !ok {
		return ""
	}
	if f.raw[0] != '"' {
		a.problem(f.off, key, "type", "%s must be a string, this is %s", key, typeName(f.raw[0]))
		return ""
	}
	return a.intern([]byte(unquote(f.raw)))
}

// required is string for a key that must be there.
func (a *artifact) required(key string) string {
	f, ok := a.get(key)
	if !ok || string(f.raw) == `""` {
		a.problem(f.off, key, "missing-key", "%s is missing: a raw artifact needs it", key)
		return ""
	}
	return a.string(key)
}

// bool returns a boolean, which artifacts also write as a string.
func (a *artifact) bool(key string) (v, stated bool) {
	f, ok := a.get(key)
	if !ok || string(f.raw) == `""` {
		return false, false
	}
	v, ok = boolean(f.raw)
	if !ok {
		a.problem(f.off, key, "type", "%s must be true or false, this is %s", key, quoteWord(string(f.raw)))
	}
	return v, ok
}

// integer returns an integer; a string that holds one counts.
func (a *artifact) integer(key string, least, most int64) (v int64, stated bool) {
	f, ok := a.get(key)
	if !ok {
		return 0, false
	}
	before := len(a.found)
	v, _, err := a.scanInteger(key, least, most, append(append(make([]byte, 0, len(f.raw)+1), f.raw...), ' '), 0)
	for i := before; i < len(a.found); i++ {
		a.found[i].off += f.off
	}
	return v, err == nil
}

// configuration fills in the 17 columns, from one engine's widths or from those of two roles.
func (a *artifact) configuration(row *record.InferenceXRow) {
	cfg := &row.Config
	a.names(row)
	stated := a.disagg(row)
	if _, ok := a.get("prefill_tp"); ok {
		cfg.PrefillTP, _ = a.integer("prefill_tp", 0, maxCount)
		cfg.PrefillEP = a.widthOr1("prefill_ep")
		cfg.PrefillDPAttention, _ = a.bool("prefill_dp_attention")
		cfg.PrefillNumWorkers, _ = a.integer("prefill_num_workers", 0, maxCount)
		cfg.DecodeTP = a.widthOr1("decode_tp")
		cfg.DecodeEP = a.widthOr1("decode_ep")
		cfg.DecodeDPAttention, _ = a.bool("decode_dp_attention")
		cfg.DecodeNumWorkers, _ = a.integer("decode_num_workers", 0, maxCount)
	} else {
		if _, ok := a.get("tp"); !ok {
			a.problem(0, "tp", "missing-key", "tp is missing: a raw artifact needs it, or prefill_tp and decode_tp")
		}
		cfg.PrefillTP, _ = a.integer("tp", 0, maxCount)
		cfg.PrefillEP = a.widthOr1("ep")
		cfg.PrefillDPAttention, _ = a.bool("dp_attention")
		cfg.DecodeTP, cfg.DecodeEP, cfg.DecodeDPAttention = cfg.PrefillTP, cfg.PrefillEP, cfg.PrefillDPAttention
	}
	cfg.NumPrefillGPU, _ = a.integer("num_prefill_gpu", 0, maxCount)
	cfg.NumDecodeGPU, _ = a.integer("num_decode_gpu", 0, maxCount)
	cfg.IsMultinode, _ = a.bool("is_multinode")
	if !stated && strings.HasPrefix(cfg.Framework, "dynamo-") {
		cfg.Disagg = true // the first format has no disagg, and all its dynamo deployments were
	}
}

// disagg reads whether prefill and decode are disaggregated and tells whether the artifact states it.
func (a *artifact) disagg(row *record.InferenceXRow) (stated bool) {
	v, stated := a.bool("disagg")
	row.Config.Disagg = row.Config.Disagg || v
	return stated
}

func (a *artifact) widthOr1(key string) int64 {
	if v, ok := a.integer(key, 0, maxCount); ok {
		return v
	}
	return 1
}

// names resolves hardware, framework, model, precision and spec method.
func (a *artifact) names(row *record.InferenceXRow) {
	cfg := &row.Config
	keep := func(key, raw, name string, known bool, dst, kept *string) {
		if raw == "" && name == "" {
			return
		}
		*dst = name
		if name != raw {
			*kept = raw
		}
		if !known {
			f, _ := a.get(key)
			a.drift(f.off, key, driftWord, key, raw)
		}
	}
	raw := a.required("hw")
	name, known := CanonicalHardware(raw)
	keep("hw", raw, name, known, &cfg.Hardware, &row.RawHardware)
	raw = a.required("framework")
	name, disagg, known := CanonicalFramework(raw)
	keep("framework", raw, name, known, &cfg.Framework, &row.RawFramework)
	cfg.Disagg = disagg
	raw = a.required("precision")
	name, known = CanonicalPrecision(raw)
	keep("precision", raw, name, known, &cfg.Precision, &row.RawPrecision)
	raw = a.string("spec_decoding")
	if f, ok := a.get("mtp"); ok && raw == "" {
		switch v, isBool := boolean(f.raw); {
		case isBool && v, string(f.raw) == `"on"`:
			raw = "mtp"
		case isBool, string(f.raw) == `"off"`, string(f.raw) == `""`:
		default:
			a.problem(f.off, "mtp", "type", `mtp must be "on" or "off", this is %s`, quoteWord(string(f.raw)))
		}
	}
	name, known = CanonicalSpecMethod(raw)
	keep("spec_decoding", raw, name, known, &cfg.SpecMethod, &row.RawSpecMethod)

	prefix, path := a.string("infmax_model_prefix"), a.string("model")
	if prefix == "" {
		prefix = a.string("model_prefix")
	}
	if prefix == "" && path == "" {
		a.problem(0, "model", "missing-key", "model is missing: a raw artifact needs it, or infmax_model_prefix")
		return
	}
	raw = path
	if raw == "" {
		raw = prefix
	}
	name, known = artifactModel(prefix, path)
	keep("model", raw, name, known, &cfg.Model, &row.RawModel)
}

// singleTurnScenarios are the words of scenario_type for requests of given
// lengths; another word that does not begin with agentic is reported.
var singleTurnScenarios = map[string]bool{"single_turn": true, "fixed-seq-len": true}

// load fills in what is measured: type, token lengths, concurrency, offload, image.
func (a *artifact) load(row *record.InferenceXRow) {
	row.BenchmarkType = "single_turn"
	switch s := a.string("scenario_type"); {
	case strings.HasPrefix(s, "agentic"):
		row.BenchmarkType = "agentic_traces"
	case s != "" && !singleTurnScenarios[s]:
		f, _ := a.get("scenario_type")
		a.drift(f.off, "scenario_type", driftWord, "scenario_type", s)
	}
	if row.BenchmarkType == "single_turn" {
		row.ISL, row.OSL = a.length("isl", 1), a.length("osl", 2)
	}
	key := "conc"
	if _, ok := a.get(key); !ok {
		key = "users"
	}
	if _, ok := a.get(key); !ok {
		a.problem(0, "conc", "missing-key", "conc is missing: a raw artifact needs it, or users")
	} else {
		row.Conc, _ = a.integer(key, 1, maxLoad)
	}
	row.OffloadMode = a.offload()
	row.Image = a.string("image")
	row.RecipeFingerprint = a.string("recipe_fingerprint")
	if row.RecipeFingerprint == "" {
		row.RecipeFingerprint = a.string("recipe-fingerprint")
	}
	row.Workers = a.json("workers")
	row.PowerInvalidReasons = a.json("power_invalid_reasons")
	row.PowerAudit = a.json("power_audit")
}

// json returns a value as compact JSON, "" where it is absent.
func (a *artifact) json(key string) string {
	f, ok := a.get(key)
	if !ok {
		return ""
	}
	return string(appendCompact(nil, f.raw))
}

// failedClient tells a later artifact whose benchmark client failed: its
// benchmark_outcome has the status failed.
func (a *artifact) failedClient() bool {
	f, ok := a.get("benchmark_outcome")
	if !ok || f.raw[0] != '{' {
		return false
	}
	for _, part := range fields(f.raw) {
		if part.key == "status" {
			return string(part.raw) == `"failed"`
		}
	}
	return false
}

// length returns a token length: the field's, else the one in the file's name.
func (a *artifact) length(key string, group int) *int64 {
	m := lengthsInName.FindStringSubmatch(filepath.Base(a.opts.FileName))
	if _, ok := a.get(key); ok {
		v, _ := a.integer(key, 1, maxLoad)
		return a.int(v)
	}
	if m == nil {
		a.problem(0, key, "missing-length", "%s is missing: a raw artifact states it in its fields or in its file's name, such as _1k1k_", key)
		return nil
	}
	v, _ := leadingInt(m[group])
	return a.int(v * 1024)
}

// offload reads offload_mode, or a description of the offload: none is off,
// anything else is on.
func (a *artifact) offload() string {
	if s := a.string("offload_mode"); s != "" {
		if !offloadModes[s] {
			f, _ := a.get("offload_mode")
			a.drift(f.off, "offload_mode", driftWord, "offload_mode", s)
		}
		return s
	}
	for _, key := range []string{"kv_offloading", "offloading"} {
		f, ok := a.get(key)
		if !ok {
			continue
		}
		if v, isBool := boolean(f.raw); isBool {
			if v {
				return "on"
			}
			return "off"
		}
		switch a.string(key) {
		case "":
		case "none", "off":
			return "off"
		default:
			return "on"
		}
	}
	return "off"
}

// values keeps everything that is no configuration: numbers are metrics.
func (a *artifact) values(row *record.InferenceXRow) {
	var p50 [numMedians]*float64
	for _, f := range a.fields {
		if artifactKeys[f.key] {
			if (f.key == "kv_offloading" || f.key == "offloading") && f.raw[0] == '"' {
				row.Other = append(row.Other, record.InferenceXOther{Key: f.key, Text: unquote(f.raw)})
			}
			continue
		}
		if artifactExtras[f.key] {
			a.extra = append(a.extra, f)
			if f.key == "request_metrics" && f.raw[0] == '{' {
				a.nested(row, f)
			}
			continue
		}
		switch c := f.raw[0]; {
		case c == 'n':
		case c == '-' || c-'0' < 10:
			if v, ok := a.number(f, f.key); ok {
				a.put(row, f.key, v, f.off, &p50)
			}
		case c == '"' && textMetrics[f.key]:
			row.Other = append(row.Other, record.InferenceXOther{Key: f.key, Text: unquote(f.raw)})
		default:
			if _, known := metricIDs[f.key]; known {
				a.drift(f.off, f.key, driftType, f.key, typeName(c))
			} else {
				a.drift(f.off, f.key, driftKey, f.key, "")
			}
			a.extra = append(a.extra, f)
		}
	}
	for m, v := range p50 {
		if v != nil {
			a.p50(row, m, *v, 0, "")
		}
	}
}

// number returns the value of a number field.
func (a *artifact) number(f field, path string) (float64, bool) {
	v, err := strconv.ParseFloat(string(f.raw), 64)
	if err != nil {
		a.problem(f.off, path, "number-range", "%s is beyond a double", quoteWord(string(f.raw)))
	}
	return v, err == nil
}

// put keeps a metric in its column or beside the columns.
func (a *artifact) put(row *record.InferenceXRow, key string, v float64, off int, p50 *[numMedians]*float64) {
	id, known := metricIDs[key]
	switch {
	case !known:
		if _, ok := rawKey(key); !ok {
			a.drift(off, key, driftMetric, key, "")
		}
		row.Other = append(row.Other, record.InferenceXOther{Key: key, Number: a.float(v)})
	case id < record.NumInferenceXColumns:
		row.Known[id], row.Has[id] = v, true
	default:
		p50[id-record.NumInferenceXColumns] = a.float(v)
	}
}

// nested reads the latencies and rates per GPU that later agentic artifacts
// nest in request_metrics: latency.<quantity>.<statistic> and
// throughput.per_gpu. The block itself is kept whole beside them.
func (a *artifact) nested(row *record.InferenceXRow, block field) {
	var p50 [numMedians]*float64
	take := func(f field, key string) {
		if c := f.raw[0]; c != '-' && c-'0' >= 10 {
			return
		}
		if _, known := metricIDs[key]; !known {
			return
		}
		if v, ok := a.number(f, "request_metrics"); ok {
			a.put(row, key, v, block.off, &p50)
		}
	}
	for _, part := range fields(block.raw) {
		if part.raw[0] != '{' {
			continue
		}
		for _, quantity := range fields(part.raw) {
			if quantity.raw[0] != '{' {
				continue
			}
			for _, f := range fields(quantity.raw) {
				switch {
				case part.key == "latency":
					take(f, f.key+"_"+quantity.key)
				case part.key == "throughput" && quantity.key == "per_gpu":
					take(f, nestedRates[f.key])
				}
			}
		}
	}
	for m, v := range p50 {
		if v != nil {
			a.p50(row, m, *v, block.off, "request_metrics.")
		}
	}
}

var nestedRates = map[string]string{
	"total_tput_tps": "tput_per_gpu", "input_tput_tps": "input_tput_per_gpu", "output_tput_tps": "output_tput_per_gpu",
}
