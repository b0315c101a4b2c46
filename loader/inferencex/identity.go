package inferencex

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strconv"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// RunIdentity returns the name of the run that a row belongs to and the digest
// of the run's identity. Rows of one run differ in concurrency only; the image
// is no part of it, for some captures leave it out.
//
// The name is inferencex-<run id>-<attempt>-<12 hex>, inferencex-<date>-<12 hex>
// where the row names no GitHub run, artifact-<12 hex> for a raw artifact; the
// hex digits begin the digest, SHA-256 of the text that AppendIdentity makes.
func RunIdentity(row *record.InferenceXRow) (name string, digest [32]byte) {
	var buf [768]byte
	digest = sha256.Sum256(AppendIdentity(buf[:0], row))
	return runName(row, digest), digest
}

// AppendIdentity appends the text that identifies the row's run. Names in
// warehouses depend on it: it never changes. One line per field, key=value and a
// line feed, in this order:
//
//	inferencex 1
//	run=<run id>/<attempt>, or date=<YYYY-MM-DD> and url=<text> where run_url names no run,
//	  or artifacts=<text> for a raw artifact
//	hardware framework model precision spec_method
//	disagg is_multinode
//	prefill_tp prefill_ep prefill_dp_attention prefill_num_workers
//	decode_tp decode_ep decode_dp_attention decode_num_workers
//	num_prefill_gpu num_decode_gpu
//	benchmark_type isl osl offload_mode recipe_fingerprint
//
// Names are canonical. A text is its length in bytes, a colon and its bytes;
// an integer is decimal; a boolean is 0 or 1; null, and an empty text, is "-".
func AppendIdentity(b []byte, row *record.InferenceXRow) []byte {
	c := &row.Config
	b = append(b, "inferencex 1\n"...)
	switch {
	case row.ArtifactDigest != "":
		b = appendText(b, "artifacts=", row.ArtifactRun)
	case row.GitHubRunID != 0:
		b = append(b, "run="...)
		b = strconv.AppendInt(b, row.GitHubRunID, 10)
		b = append(b, '/')
		b = strconv.AppendInt(b, row.RunAttempt, 10)
		b = append(b, '\n')
	default:
		b = append(append(append(b, "date="...), row.Date...), '\n')
		b = appendText(b, "url=", row.RunURL)
	}
	b = appendText(b, "hardware=", c.Hardware)
	b = appendText(b, "framework=", c.Framework)
	b = appendText(b, "model=", c.Model)
	b = appendText(b, "precision=", c.Precision)
	b = appendText(b, "spec_method=", c.SpecMethod)
	b = appendBool(b, "disagg=", c.Disagg)
	b = appendBool(b, "is_multinode=", c.IsMultinode)
	b = appendInt(b, "prefill_tp=", c.PrefillTP)
	b = appendInt(b, "prefill_ep=", c.PrefillEP)
	b = appendBool(b, "prefill_dp_attention=", c.PrefillDPAttention)
	b = appendInt(b, "prefill_num_workers=", c.PrefillNumWorkers)
	b = appendInt(b, "decode_tp=", c.DecodeTP)
	b = appendInt(b, "decode_ep=", c.DecodeEP)
	b = appendBool(b, "decode_dp_attention=", c.DecodeDPAttention)
	b = appendInt(b, "decode_num_workers=", c.DecodeNumWorkers)
	b = appendInt(b, "num_prefill_gpu=", c.NumPrefillGPU)
	b = appendInt(b, "num_decode_gpu=", c.NumDecodeGPU)
	b = appendText(b, "benchmark_type=", row.BenchmarkType)
	b = append(appendLength(append(b, "isl="...), row.ISL), '\n')
	b = append(appendLength(append(b, "osl="...), row.OSL), '\n')
	b = appendText(b, "offload_mode=", row.OffloadMode)
	return appendText(b, "recipe_fingerprint=", row.RecipeFingerprint)
}

func runName(row *record.InferenceXRow, digest [32]byte) string {
	b := make([]byte, 0, 64)
	switch {
	case row.ArtifactDigest != "":
		b = append(b, "artifact-"...)
	case row.GitHubRunID != 0:
		b = append(b, "inferencex-"...)
		b = strconv.AppendInt(b, row.GitHubRunID, 10)
		b = append(b, '-')
		b = strconv.AppendInt(b, row.RunAttempt, 10)
		b = append(b, '-')
	default:
		b = append(append(append(b, "inferencex-"...), row.Date...), '-')
	}
	return string(hex.AppendEncode(b, digest[:6]))
}

// runNames are the names that runName gives.
var runNames = regexp.MustCompile(`^(artifact|inferencex-([0-9]+-[0-9]+|[0-9]{4}-[0-9]{2}-[0-9]{2}))-[0-9a-f]{12}$`)

// IsRunName tells whether a name is one that a run of InferenceX may have. A
// document may not have it: which of the two came first would matter.
func IsRunName(name string) bool { return runNames.MatchString(name) }

func appendText(b []byte, key, v string) []byte {
	b = append(b, key...)
	if v == "" {
		return append(b, '-', '\n')
	}
	b = strconv.AppendInt(b, int64(len(v)), 10)
	b = append(append(b, ':'), v...)
	return append(b, '\n')
}

func appendInt(b []byte, key string, v int64) []byte {
	return append(strconv.AppendInt(append(b, key...), v, 10), '\n')
}

func appendBool(b []byte, key string, v bool) []byte {
	b = append(b, key...)
	if v {
		return append(b, '1', '\n')
	}
	return append(b, '0', '\n')
}

// An Identifier is RunIdentity for rows in sequence: rows of a capture that
// follow one another are mostly of one run, and the last answer is then given again.
type Identifier struct {
	text, last []byte
	name       string
	digest     [32]byte
}

// Run returns the same as RunIdentity.
func (id *Identifier) Run(row *record.InferenceXRow) (name string, digest [32]byte) {
	id.text = AppendIdentity(id.text[:0], row)
	if !bytes.Equal(id.text, id.last) {
		id.digest = sha256.Sum256(id.text)
		id.name = runName(row, id.digest)
		id.text, id.last = id.last, id.text
	}
	return id.name, id.digest
}
