package inferencex

import (
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// A rowKey is a key of the reference's BenchmarkRow, or of a dump's row.
type rowKey = uint8

const (
	keyID rowKey = iota
	keyHardware
	keyFramework
	keyModel
	keyPrecision
	keySpecMethod
	keyDisagg
	keyIsMultinode
	keyPrefillTP
	keyPrefillEP
	keyPrefillDPAttention
	keyPrefillNumWorkers
	keyDecodeTP
	keyDecodeEP
	keyDecodeDPAttention
	keyDecodeNumWorkers
	keyNumPrefillGPU
	keyNumDecodeGPU
	keyBenchmarkType
	keyISL
	keyOSL
	keyConc
	keyOffloadMode
	keyImage
	keyRecipeFingerprint
	keyMetrics
	keyDate
	keyWorkflowRunID
	keyRunStartedAt
	keyRunURL
	keyWorkers
	keyPowerInvalidReasons
	keyPowerAudit
	// Only in a dump's benchmark_results:
	keyConfigID
	keyError
	keyServerLogID

	numRowKeys
	noRowKey = numRowKeys // predicts the first key
)

var rowKeys = [numRowKeys]string{
	"id", "hardware", "framework", "model", "precision", "spec_method", "disagg", "is_multinode",
	"prefill_tp", "prefill_ep", "prefill_dp_attention", "prefill_num_workers",
	"decode_tp", "decode_ep", "decode_dp_attention", "decode_num_workers",
	"num_prefill_gpu", "num_decode_gpu", "benchmark_type", "isl", "osl", "conc", "offload_mode",
	"image", "recipe_fingerprint", "metrics", "date", "workflow_run_id", "run_started_at", "run_url",
	"workers", "power_invalid_reasons", "power_audit", "config_id", "error", "server_log_id",
}

var rowQuoted, rowIDs = func() (quoted [numRowKeys]string, ids map[string]rowKey) {
	ids = map[string]rowKey{}
	for i, k := range rowKeys {
		quoted[i], ids[k] = `"`+k+`"`, rowKey(i)
	}
	return quoted, ids
}()

// keySet is a set of row keys.
type keySet uint64

func keysOf(keys ...rowKey) (s keySet) {
	for _, k := range keys {
		s |= 1 << k
	}
	return s
}

var (
	configKeys = keysOf(keyHardware, keyFramework, keyModel, keyPrecision, keySpecMethod, keyDisagg, keyIsMultinode,
		keyPrefillTP, keyPrefillEP, keyPrefillDPAttention, keyPrefillNumWorkers,
		keyDecodeTP, keyDecodeEP, keyDecodeDPAttention, keyDecodeNumWorkers, keyNumPrefillGPU, keyNumDecodeGPU)
	// requiredKeys must be there and not null; spec_method, isl and osl may be null.
	requiredKeys = configKeys | keysOf(keyISL, keyOSL, keyConc, keyMetrics, keyDate)
	nullableKeys = keysOf(keySpecMethod, keyISL, keyOSL)
	dumpKeys     = keysOf(keyConfigID, keyError, keyServerLogID)
	// dumpRequired are the keys a row of benchmark_results must have; its
	// configuration and run come from other tables.
	dumpRequired = keysOf(keyConfigID, keyWorkflowRunID, keyConc, keyDate)
)

// A rowMode is the table that rows come from.
type rowMode int

const (
	modeAPI    rowMode = iota // a BenchmarkRow
	modeConfig                // configs of a dump
	modeResult                // benchmark_results of a dump
)

// A rawRow is what a row's keys say before names are resolved and defaults filled in.
type rawRow struct {
	row      *record.InferenceXRow
	seen     keySet // keys present
	null     keySet // of those, null
	offs     [numRowKeys]int32
	configID int64
	mode     rowMode
}

// isText tells whether the row has a string under the key.
func (raw *rawRow) isText(id rowKey, b []byte) bool {
	return raw.seen&(1<<id) != 0 && b[raw.offs[id]] == '"'
}

// row decodes the API row that starts at b[0] and returns its length. The row is
// complete but for what another table of a dump supplies.
func (d *decoder) row(raw *rawRow, b []byte) (int, error) {
	d.found, d.extra, d.overfull = d.found[:0], d.extra[:0], false
	row := raw.row
	*row = record.InferenceXRow{Other: row.Other[:0]}
	raw.seen, raw.null, raw.configID = 0, 0, 0
	i := skipSpace(b, 1)
	if i < len(b) && b[i] == '}' {
		return i + 1, nil
	}
	previous := rowKey(noRowKey)
	for {
		if i >= len(b) {
			return 0, errShort
		}
		id := d.nextRow[previous]
		known := true
		var unknown string
		if q := rowQuoted[id]; len(b)-i > len(q) && string(b[i:i+len(q)]) == q {
			i += len(q)
		} else {
			if b[i] != '"' {
				return 0, syntax(i, "a key is a string in double quotes")
			}
			end, plain, err := scanString(b, i)
			if err != nil {
				return 0, err
			}
			text := d.text(b, i, end, plain)
			id, known = rowIDs[string(text)]
			if known && raw.mode != modeResult && dumpKeys&(1<<id) != 0 {
				known = false
			}
			if known {
				d.nextRow[previous] = id
			} else {
				unknown = d.intern(text)
			}
			i = end
		}
		value, err := scanColon(b, i)
		if err != nil {
			return 0, err
		}
		if value >= len(b) {
			return 0, errShort
		}
		i = value
		if known {
			if raw.seen&(1<<id) != 0 {
				d.problem(i, rowKeys[id], "duplicate-key", "the key stands twice in the row")
			}
			raw.seen |= 1 << id
			raw.offs[id] = int32(i)
			previous = id
			i, err = d.field(raw, id, b, i)
		} else {
			i, err = d.unknown(unknown, b, i)
		}
		if err != nil {
			return 0, err
		}
		more, next, err := scanSeparator(b, i, '}')
		if err != nil {
			return 0, err
		}
		i = next
		if !more {
			return i, nil
		}
	}
}

// unknown keeps the value of a key outside the reference.
func (d *decoder) unknown(key string, b []byte, i int) (int, error) {
	end, err := scanValue(b, i, false, 1)
	if err != nil {
		return 0, err
	}
	if d.full(len(d.extra), i, "", "keys outside the reference") {
		return end, nil
	}
	d.drift(i, key, driftKey, key, "")
	d.extra = append(d.extra, field{key, b[i:end], i})
	return end, nil
}

// field decodes the value of a known key at b[i] and returns the index after it.
func (d *decoder) field(raw *rawRow, id rowKey, b []byte, i int) (int, error) {
	if b[i] == 'n' {
		end, err := scanLiteral(b, i)
		raw.null |= 1 << id
		return end, err
	}
	row, cfg := raw.row, &raw.row.Config
	switch id {
	case keyHardware:
		return d.string(&cfg.Hardware, id, b, i)
	case keyFramework:
		return d.string(&cfg.Framework, id, b, i)
	case keyModel:
		return d.string(&cfg.Model, id, b, i)
	case keyPrecision:
		return d.string(&cfg.Precision, id, b, i)
	case keySpecMethod:
		return d.string(&cfg.SpecMethod, id, b, i)
	case keyBenchmarkType:
		return d.string(&row.BenchmarkType, id, b, i)
	case keyOffloadMode:
		return d.string(&row.OffloadMode, id, b, i)
	case keyImage:
		return d.string(&row.Image, id, b, i)
	case keyRecipeFingerprint:
		return d.string(&row.RecipeFingerprint, id, b, i)
	case keyDate:
		return d.string(&row.Date, id, b, i)
	case keyRunStartedAt:
		return d.string(&row.RunStartedAt, id, b, i)
	case keyRunURL:
		return d.string(&row.RunURL, id, b, i)
	case keyError:
		return d.string(&row.Error, id, b, i)

	case keyDisagg:
		return d.bool(&cfg.Disagg, id, b, i)
	case keyIsMultinode:
		return d.bool(&cfg.IsMultinode, id, b, i)
	case keyPrefillDPAttention:
		return d.bool(&cfg.PrefillDPAttention, id, b, i)
	case keyDecodeDPAttention:
		return d.bool(&cfg.DecodeDPAttention, id, b, i)

	case keyPrefillTP:
		return d.integer(&cfg.PrefillTP, id, 0, maxCount, b, i)
	case keyPrefillEP:
		return d.integer(&cfg.PrefillEP, id, 0, maxCount, b, i)
	case keyPrefillNumWorkers:
		return d.integer(&cfg.PrefillNumWorkers, id, 0, maxCount, b, i)
	case keyDecodeTP:
		return d.integer(&cfg.DecodeTP, id, 0, maxCount, b, i)
	case keyDecodeEP:
		return d.integer(&cfg.DecodeEP, id, 0, maxCount, b, i)
	case keyDecodeNumWorkers:
		return d.integer(&cfg.DecodeNumWorkers, id, 0, maxCount, b, i)
	case keyNumPrefillGPU:
		return d.integer(&cfg.NumPrefillGPU, id, 0, maxCount, b, i)
	case keyNumDecodeGPU:
		return d.integer(&cfg.NumDecodeGPU, id, 0, maxCount, b, i)
	case keyConc:
		return d.integer(&row.Conc, id, 1, maxLoad, b, i)
	case keyISL:
		return d.length(&row.ISL, 0, id, b, i)
	case keyOSL:
		return d.length(&row.OSL, 1, id, b, i)
	case keyID:
		return d.identifier(&row.ID, id, b, i)
	case keyWorkflowRunID:
		return d.identifier(&row.WorkflowRunID, id, b, i)
	case keyConfigID:
		return d.integer(&raw.configID, id, 0, maxID, b, i)

	case keyMetrics:
		if b[i] == '{' {
			return d.metrics(row, b, i)
		}
		d.problem(i, "metrics", "type", "metrics must be an object, this is %s", typeName(b[i]))
		return scanValue(b, i, false, 1)
	case keyWorkers:
		return d.compact(&row.Workers, b, i)
	case keyPowerInvalidReasons:
		return d.compact(&row.PowerInvalidReasons, b, i)
	case keyPowerAudit:
		return d.compact(&row.PowerAudit, b, i)
	}
	return scanValue(b, i, false, 1) // server_log_id
}

const (
	maxLoad = 1_000_000_000 // concurrency and token lengths
	maxID   = 1<<53 - 1
)

// string decodes a string; equal ones of one key in a row share memory.
func (d *decoder) string(dst *string, id rowKey, b []byte, i int) (int, error) {
	if b[i] != '"' {
		d.problem(i, rowKeys[id], "type", "%s must be a string, this is %s", rowKeys[id], typeName(b[i]))
		return scanValue(b, i, false, 1)
	}
	if last := d.last[id]; len(b)-i > len(last)+1 && b[i+1+len(last)] == '"' && string(b[i+1:i+1+len(last)]) == last && last != "" {
		*dst = last
		return i + len(last) + 2, nil
	}
	end, plain, err := scanString(b, i)
	if err != nil {
		return 0, err
	}
	*dst = d.intern(d.text(b, i, end, plain))
	if plain {
		d.last[id] = *dst
	}
	return end, nil
}

// bool decodes a boolean, also one written as a string.
func (d *decoder) bool(dst *bool, id rowKey, b []byte, i int) (int, error) {
	end, err := scanValue(b, i, false, 1)
	if err != nil {
		return 0, err
	}
	v, ok := boolean(b[i:end])
	*dst = v
	switch {
	case !ok:
		d.problem(i, rowKeys[id], "type", "%s must be true or false, this is %s", rowKeys[id], typeName(b[i]))
	case b[i] == '"':
		d.drift(i, rowKeys[id], driftType, rowKeys[id], "a string")
	}
	return end, nil
}

// boolean reads true, false, and the strings that raw artifacts have for them.
func boolean(raw []byte) (v, ok bool) {
	switch string(raw) {
	case "true", `"true"`, `"True"`:
		return true, true
	case "false", `"false"`, `"False"`:
		return false, true
	}
	return false, false
}

// integer decodes an integer, also one written as a string.
func (d *decoder) integer(dst *int64, id rowKey, least, most int64, b []byte, i int) (int, error) {
	v, end, err := d.scanInteger(rowKeys[id], least, most, b, i)
	*dst = v
	return end, err
}

func (d *decoder) scanInteger(key string, least, most int64, b []byte, i int) (v int64, end int, err error) {
	var ok bool
	switch c := b[i]; {
	case c == '-' || c-'0' < 10:
		n, end, err := scanNumber(b, i)
		if err != nil {
			return 0, 0, err
		}
		if v, ok = n.integer(b[i:end]); !ok {
			d.problem(i, key, "type", "%s must be an integer, this is %s", key, quoteWord(string(b[i:end])))
			return 0, end, nil
		}
		if v < least || v > most {
			d.problem(i, key, "range", "%s is %d, allowed is %d to %d", key, v, least, most)
		}
		return v, end, nil
	case c == '"':
		end, plain, err := scanString(b, i)
		if err != nil {
			return 0, 0, err
		}
		text := string(d.text(b, i, end, plain))
		if v, err = strconv.ParseInt(text, 10, 64); err != nil || text[0] == '+' {
			d.problem(i, key, "type", "%s must be an integer, this is the string %s", key, quoteWord(text))
			return 0, end, nil
		}
		d.drift(i, key, driftType, key, "a string")
		if v < least || v > most {
			d.problem(i, key, "range", "%s is %d, allowed is %d to %d", key, v, least, most)
		}
		return v, end, nil
	}
	if end, err = scanValue(b, i, false, 1); err == nil {
		d.problem(i, key, "type", "%s must be an integer, this is %s", key, typeName(b[i]))
	}
	return 0, end, err
}

// length decodes isl or osl. Rows of one length share it.
func (d *decoder) length(dst **int64, which int, id rowKey, b []byte, i int) (int, error) {
	v, end, err := d.scanInteger(rowKeys[id], 1, maxLoad, b, i)
	if err != nil {
		return 0, err
	}
	if p := d.lengths[which]; p == nil || *p != v {
		d.lengths[which] = d.int(v)
	}
	*dst = d.lengths[which]
	return end, nil
}

func (d *decoder) identifier(dst **int64, id rowKey, b []byte, i int) (int, error) {
	v, end, err := d.scanInteger(rowKeys[id], 0, maxID, b, i)
	if err != nil {
		return 0, err
	}
	*dst = d.int(v)
	return end, nil
}

// compact keeps a value as compact JSON.
func (d *decoder) compact(dst *string, b []byte, i int) (int, error) {
	end, err := scanValue(b, i, false, 1)
	if err != nil {
		return 0, err
	}
	d.scratch = appendCompact(d.scratch[:0], b[i:end])
	*dst = d.intern(d.scratch)
	return end, nil
}

// finish checks that the row is complete, resolves names and fills in defaults.
func (d *decoder) finish(raw *rawRow, b []byte) {
	row := raw.row
	failed := raw.mode == modeResult && raw.seen&^raw.null&keysOf(keyError) != 0
	required, nullable := requiredKeys, nullableKeys
	switch raw.mode {
	case modeConfig:
		required = configKeys | keysOf(keyID)
	case modeResult:
		required = dumpRequired
		if !failed {
			required |= keysOf(keyMetrics)
		}
	}
	if missing := required &^ (raw.seen &^ (raw.null &^ nullable)); missing != 0 {
		d.missing(missing, raw)
	}
	if raw.mode != modeResult {
		d.canonical(row, raw, b)
	}
	if raw.mode != modeConfig {
		d.defaults(row, raw, b)
	}
	row.Extra = compactObject(d.extra)
	for i := 1; i < len(d.extra); i++ { // sorted now
		if f := d.extra[i]; f.key == d.extra[i-1].key {
			d.problem(f.off, f.key, "duplicate-key", "the key stands twice in the row")
		}
	}
	fail(row, b, failed)
}

// missing reports each key that is absent or null.
func (d *decoder) missing(keys keySet, raw *rawRow) {
	for id := range rowKey(numRowKeys) {
		if keys&(1<<id) == 0 {
			continue
		}
		state := "is missing"
		off := 0
		if raw.null&(1<<id) != 0 {
			state, off = "is null", int(raw.offs[id])
		}
		d.problem(off, rowKeys[id], "missing-key", "%s %s: a benchmark row needs it", rowKeys[id], state)
	}
}

// defaults fills in what an absent key means and normalises days and times.
func (d *decoder) defaults(row *record.InferenceXRow, raw *rawRow, b []byte) {
	if row.BenchmarkType == "" {
		row.BenchmarkType = "single_turn"
	} else if !benchmarkTypes[row.BenchmarkType] {
		d.drift(int(raw.offs[keyBenchmarkType]), "benchmark_type", driftWord, "benchmark_type", row.BenchmarkType)
	}
	if row.OffloadMode == "" {
		row.OffloadMode = "off"
	} else if !offloadModes[row.OffloadMode] {
		d.drift(int(raw.offs[keyOffloadMode]), "offload_mode", driftWord, "offload_mode", row.OffloadMode)
	}
	if row.Date != "" {
		d.date(row, raw)
	} else if raw.isText(keyDate, b) {
		d.problem(int(raw.offs[keyDate]), "date", "date", "date is empty: it must be a UTC day, YYYY-MM-DD")
	}
	if row.RunStartedAt != "" {
		d.started(row, raw)
	}
	if row.RunURL != "" {
		d.run(row, raw)
	}
}

// date checks the day; the last one's result is kept.
func (d *decoder) date(row *record.InferenceXRow, raw *rawRow) {
	c := &d.names.date
	if c.raw != row.Date {
		name, plain, ok := day(row.Date)
		*c = nameCache{raw: row.Date, name: name, known: ok, flag: plain}
	}
	off := int(raw.offs[keyDate])
	if !c.known {
		d.problem(off, "date", "date", "date is %s: it must be a UTC day, YYYY-MM-DD", quoteWord(row.Date))
		return
	}
	if !c.flag && raw.mode == modeAPI {
		d.drift(off, "date", driftType, "date", "a timestamp")
	}
	row.Date = c.name
}

// started normalises run_started_at.
func (d *decoder) started(row *record.InferenceXRow, raw *rawRow) {
	c := &d.names.started
	if c.raw != row.RunStartedAt {
		t, plain, ok := moment(row.RunStartedAt)
		*c = nameCache{raw: row.RunStartedAt, name: t.Format(rfc3339), known: ok, flag: plain}
	}
	off := int(raw.offs[keyRunStartedAt])
	if !c.known {
		d.problem(off, "run_started_at", "timestamp", "run_started_at is %s: it must be a timestamp such as 2026-09-18T22:35:24Z", quoteWord(row.RunStartedAt))
		return
	}
	if !c.flag && raw.mode == modeAPI {
		d.drift(off, "run_started_at", driftType, "run_started_at", "a PostgreSQL timestamp")
	}
	row.RunStartedAt = c.name
}

// run reads the GitHub run out of run_url.
func (d *decoder) run(row *record.InferenceXRow, raw *rawRow) {
	c := &d.names.run
	if c.url != row.RunURL {
		c.url = row.RunURL
		c.id, c.attempt = runOf(row.RunURL)
		c.official = Official(row.RunURL)
	}
	row.GitHubRunID, row.RunAttempt, row.Official = c.id, c.attempt, c.official
	if c.id == 0 {
		d.drift(int(raw.offs[keyRunURL]), "run_url", driftWord, "run_url", row.RunURL)
	}
}

// A nameCache remembers how the last raw text was resolved.
type nameCache struct {
	raw, name   string
	known, flag bool
}

type nameCaches struct {
	hardware, framework, model, precision, spec, date, started nameCache
	run                                                        struct {
		url         string
		id, attempt int64
		official    bool
	}
}

// canonical replaces the names in the configuration by canonical ones and keeps
// the raw ones where they differ.
func (d *decoder) canonical(row *record.InferenceXRow, raw *rawRow, b []byte) {
	cfg, n := &row.Config, &d.names
	if c := &n.hardware; c.raw != cfg.Hardware || c.name == "" {
		c.raw = cfg.Hardware
		c.name, c.known = CanonicalHardware(c.raw)
	}
	if c := &n.framework; c.raw != cfg.Framework || c.name == "" {
		c.raw = cfg.Framework
		c.name, c.flag, c.known = CanonicalFramework(c.raw)
	}
	if c := &n.model; c.raw != cfg.Model || c.name == "" {
		c.raw = cfg.Model
		c.name, c.known = CanonicalModel(c.raw)
	}
	if c := &n.precision; c.raw != cfg.Precision || c.name == "" {
		c.raw = cfg.Precision
		c.name, c.known = CanonicalPrecision(c.raw)
	}
	if c := &n.spec; c.raw != cfg.SpecMethod || c.name == "" {
		c.raw = cfg.SpecMethod
		c.name, c.known = CanonicalSpecMethod(c.raw)
	}
	d.name(&n.hardware, keyHardware, &cfg.Hardware, &row.RawHardware, raw, b)
	d.name(&n.framework, keyFramework, &cfg.Framework, &row.RawFramework, raw, b)
	d.name(&n.model, keyModel, &cfg.Model, &row.RawModel, raw, b)
	d.name(&n.precision, keyPrecision, &cfg.Precision, &row.RawPrecision, raw, b)
	d.name(&n.spec, keySpecMethod, &cfg.SpecMethod, &row.RawSpecMethod, raw, b)
	if n.framework.flag {
		cfg.Disagg = true
	}
}

func (d *decoder) name(c *nameCache, id rowKey, name, kept *string, raw *rawRow, b []byte) {
	if c.raw == "" && id != keySpecMethod {
		if raw.isText(id, b) {
			d.problem(int(raw.offs[id]), rowKeys[id], "missing-key", "%s is empty: a benchmark row needs it", rowKeys[id])
		}
		return
	}
	if c.name != c.raw {
		*kept = c.raw
	}
	*name = c.name
	if !c.known {
		d.drift(int(raw.offs[id]), rowKeys[id], driftWord, rowKeys[id], c.raw)
	}
}
