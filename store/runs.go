package store

import (
	"errors"
	"fmt"
	"strings"

	"github.com/inference-sim/blis-warehouse/store/record"
)

// Admission is how a catalog run came into the warehouse: it decides which
// permits its licence must keep giving. A later, stricter admission of the
// same bytes replaces an earlier one, never the reverse.
type Admission string

// The admissions, from lax to strict.
const (
	AsFile    Admission = "file"    // a lone file: any licence
	AsLocal   Admission = "local"   // in a catalog under --local: score
	AsCatalog Admission = "catalog" // in a catalog: redistribute
)

func (a Admission) rank() int {
	switch a {
	case AsCatalog:
		return 2
	case AsLocal:
		return 1
	}
	return 0
}

// RunDocument is a checked run with the document it was read from.
type RunDocument struct {
	Run     *record.Run
	Content []byte
	SHA256  string
	As      Admission
}

// ErrNameTaken is a run of a document with the name of a run from InferenceX, or the reverse.
var ErrNameTaken = errors.New("a run of another origin has this name")

// Claim is a stated verdict or resolution that is not the computed one.
type Claim struct {
	Path                string // verdict or resolution
	Verdict, Resolution string // the computed ones, Resolution "" for none
	Reasons             []Reason
}

// Stored returns whether exactly this document is stored and in effect,
// admitted at least as strictly.
func (l *Load) Stored(name, sha256 string, as Admission) (bool, error) {
	var admitted string
	found, err := l.queryRow(`SELECT admitted_as FROM runs WHERE name = ? AND document_sha256 = ?`, []any{name, sha256}, &admitted)
	if err != nil {
		return false, fmt.Errorf("look for run %s: %w", name, err)
	}
	return found && Admission(admitted).rank() >= as.rank(), nil
}

// KnownRun is a run of a document as far as a load has to know it that does not read the document.
type KnownRun struct{ Name, Licence string }

// KnownRuns returns the runs in effect whose document a version of the program
// has loaded and found nothing the matter with, by the document's digest.
func (l *Load) KnownRuns(tool string) (map[string]KnownRun, error) {
	known := map[string]KnownRun{}
	err := l.query(`
		SELECT r.document_sha256, r.name, r.licence_id FROM runs r
		WHERE r.origin = 'catalog' AND EXISTS (
			SELECT 1 FROM documents d JOIN loads o ON o.load_id = d.load_id
			WHERE d.name = r.name AND d.sha256 = r.document_sha256 AND d.kind = 'MeasuredRun' AND d.status <> 'rejected' AND o.tool = ?
				AND NOT EXISTS (SELECT 1 FROM problems p WHERE p.document_id = d.document_id))`,
		[]any{tool}, func(scan func(dest ...any) error) error {
			var digest string
			var k KnownRun
			if err := scan(&digest, &k.Name, &k.Licence); err != nil {
				return err
			}
			known[digest] = k
			return nil
		})
	if err != nil {
		return nil, fmt.Errorf("list the known runs: %w", err)
	}
	return known, nil
}

// SaveRun stores a run, replacing an earlier version of the same name, also an
// evaluation run. Where
// its stated verdict is not the computed one it stores nothing and returns the claim.
func (l *Load) SaveRun(doc *RunDocument) (Status, *Claim, error) {
	status, claim, err := l.saveRun(doc)
	if err != nil {
		return "", nil, fmt.Errorf("store run %s: %w", doc.Run.Name, err)
	}
	return status, claim, nil
}

func (l *Load) saveRun(doc *RunDocument) (Status, *Claim, error) {
	var (
		runID            any
		content          int64
		origin, admitted string
		sha256           string
	)
	found, err := l.queryRow(`SELECT run_id, ifnull(content_id, 0), origin, admitted_as, ifnull(document_sha256, '') FROM runs WHERE name = ?`,
		[]any{doc.Run.Name}, &runID, &content, &origin, &admitted, &sha256)
	if err != nil {
		return "", nil, err
	}
	if found && origin == "inferencex" {
		return "", nil, ErrNameTaken
	}
	if found && sha256 == doc.SHA256 {
		if doc.As.rank() > Admission(admitted).rank() {
			_, err = l.exec(`UPDATE runs SET admitted_as = ? WHERE run_id = ?`, string(doc.As), runID)
		}
		return Unchanged, nil, err
	}
	if _, err := l.exec(`SAVEPOINT run`); err != nil {
		return "", nil, err
	}
	id, err := l.replaceRun(runID, doc)
	if err != nil {
		return "", nil, err
	}
	claim, err := l.falseClaim(id, doc.Run)
	if err != nil {
		return "", nil, err
	}
	if claim != nil {
		if _, err := l.exec(`ROLLBACK TO run`); err != nil {
			return "", nil, err
		}
		clear(l.definitionSets) // the run may have brought one, which is gone
	}
	if _, err := l.exec(`RELEASE run`); err != nil {
		return "", nil, err
	}
	if claim != nil {
		return Rejected, claim, nil
	}
	l.touched[id] = true
	if content != 0 {
		l.stale[content] = true
	}
	l.references = l.references || doc.Run.DuplicateOf != "" || doc.Run.Supersedes != "" || found
	if found {
		return Updated, nil, nil
	}
	return Added, nil, nil
}

// falseClaim compares what the run states with its computed verdict.
func (l *Load) falseClaim(runID int64, run *record.Run) (*Claim, error) {
	if run.Verdict == "" && run.Resolution == "" {
		return nil, nil
	}
	var c Claim
	found, err := l.queryRow(`SELECT path, verdict, ifnull(resolution, '') FROM stated_verdict_problems WHERE run_id = ?`, []any{runID},
		&c.Path, &c.Verdict, &c.Resolution)
	if err != nil || !found {
		return nil, err
	}
	c.Reasons, err = l.reasons(runID)
	return &c, err
}

// replaceRun writes a run under the key of the one it replaces, nil for none.
func (l *Load) replaceRun(old any, doc *RunDocument) (int64, error) {
	if err := l.replaceVersion(old, doc.Run.Name, doc.SHA256, doc.Content); err != nil {
		return 0, err
	}
	id, err := l.insertRun(old, doc)
	if err != nil {
		return 0, err
	}
	for _, step := range []func(int64, *record.Run) error{
		l.insertSource, l.insertClient, l.insertDeployment, l.insertRouter, l.insertWorkload, l.insertPoints, l.insertProvenance, l.insertDiffs,
	} {
		if err := step(id, doc.Run); err != nil {
			return 0, err
		}
	}
	return id, nil
}

// replaceVersion removes the run under the key old, nil for none, and keeps the
// document of the version that comes in its place.
func (l *Load) replaceVersion(old any, name, sha256 string, content []byte) error {
	if old != nil {
		// The rows of the run go with it. Its content stays until the derived tables are brought up to date.
		if _, err := l.exec(`DELETE FROM runs WHERE run_id = ?`, old); err != nil {
			return err
		}
	}
	if err := l.saveContent(sha256, content); err != nil {
		return err
	}
	_, err := l.exec(`INSERT INTO run_versions (name, sha256) VALUES (?, ?) ON CONFLICT DO NOTHING`, name, sha256)
	return err
}

func (l *Load) insertRun(id any, doc *RunDocument) (int64, error) {
	r := doc.Run
	members := make([]Member, len(r.MetricDefs))
	for i, d := range r.MetricDefs {
		members[i] = Member{Def: d, Scale: 1}
	}
	set, err := l.definitionSet(members)
	if err != nil {
		return 0, err
	}
	var hardware, fabric, nodes, gpusPerNode, gpusPerRack, gpus any
	if c := r.Cluster; c != nil {
		hardware, fabric, nodes, gpusPerNode = c.Hardware, text(c.Fabric), c.Nodes, c.GPUsPerNode
		gpusPerRack = optional(c.GPUsPerRack)
		if n := c.Nodes * c.GPUsPerNode; n/c.Nodes == c.GPUsPerNode { // NULL rather than wrong where the product overflows
			gpus = n
		}
	}
	var deployment, routerKind, workloadKind, workload any
	if r.Deployment != nil {
		deployment = r.Deployment.Name
	}
	if r.Router != nil {
		routerKind = r.Router.Kind
	}
	switch w := r.Workload; {
	case w == nil:
	case w.Trace != nil:
		workloadKind, workload = "trace", w.Trace.Data
	default:
		workloadKind, workload = "shape", w.Shape
	}
	var retrievedOn any
	if len(r.Source.RetrievedUTC) >= len("2006-01-02") {
		retrievedOn = r.Source.RetrievedUTC[:len("2006-01-02")]
	}
	return l.insert(`
		INSERT INTO runs (run_id, name, origin, admitted_as, document_sha256, schema_version, source_kind, licence_id,
			model, engine, engine_version, hardware, fabric, nodes, gpus_per_node, gpus_per_rack, gpus,
			deployment_name, router_kind, workload_kind, workload, harness, harness_version,
			stated_verdict, stated_resolution, duplicate_of, supersedes, retrieved_on, retrieved_utc, definition_set_id)
		VALUES (?, ?, 'catalog', ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, r.Name, string(doc.As), doc.SHA256, r.SchemaVersion, r.Source.Kind, r.Source.LicenseRef,
		text(r.Model), text(servingEngine(r)), text(r.EngineVersion), hardware, fabric, nodes, gpusPerNode, gpusPerRack, gpus,
		deployment, routerKind, workloadKind, workload, text(r.Client.Harness), text(r.Client.HarnessVersion),
		text(r.Verdict), text(r.Resolution), text(r.DuplicateOf), text(r.Supersedes), retrievedOn, text(r.Source.RetrievedUTC), set)
}

// engineWords maps a word of an image's name or of a trace's server type to the serving engine it names.
var engineWords = map[string]string{
	"vllm":         "vllm",
	"sglang":       "sglang",
	"trt":          "trt",
	"trtllm":       "trt",
	"tensorrt":     "trt",
	"tensorrt_llm": "trt",
	"atom":         "atom",
	"tilert":       "tilert",
}

// servingEngine is the engine that the trace header's server or the client's image names, "" where neither does.
func servingEngine(r *record.Run) string {
	if w := r.Workload; w != nil && w.Trace != nil && w.Trace.Server != nil {
		if engine := engineIn(w.Trace.Server.Type); engine != "" {
			return engine
		}
	}
	image, _, _ := strings.Cut(r.Client.ImageDigest, "@")
	return engineIn(image)
}

func engineIn(s string) string {
	words := strings.FieldsFunc(strings.ToLower(s), func(c rune) bool { return strings.ContainsRune("/-:. ", c) })
	for _, word := range words {
		if engine, ok := engineWords[word]; ok {
			return engine
		}
	}
	return ""
}

func (l *Load) insertSource(id int64, r *record.Run) error {
	s := &r.Source
	_, err := l.exec(`INSERT INTO adapters (run_id, name, version, sha256, extraction_method, label_verified) VALUES (?, ?, ?, ?, ?, ?)`,
		id, s.Adapter.Name, s.Adapter.Version, s.Adapter.SHA256, s.Extraction.Method, optional(s.Extraction.LabelVerified))
	if err != nil {
		return err
	}
	for i, selector := range s.Extraction.Selectors {
		if _, err := l.exec(`INSERT INTO selectors (run_id, position, selector) VALUES (?, ?, ?)`, id, i, selector); err != nil {
			return err
		}
	}
	for i := range s.Inputs {
		in := &s.Inputs[i]
		_, err := l.exec(`
			INSERT INTO source_inputs (run_id, position, role, url, repo, commit_id, path, git_blob, size, sha256, fetched_utc, note)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, i, in.Role, text(in.URL), text(in.Repo), text(in.Commit), text(in.Path), text(in.GitBlob), optional(in.Size), in.SHA256,
			text(in.FetchedUTC), text(in.Note))
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) insertClient(id int64, r *record.Run) error {
	c := &r.Client
	var rampStrategy, rampStart, rampEnd, tokRepo, tokRevision, tokSHA256, tokMode any
	if c.RampUp != nil {
		rampStrategy, rampStart, rampEnd = c.RampUp.Strategy, c.RampUp.Start, c.RampUp.End
	}
	if t := c.Tokenizer; t != nil {
		tokRepo, tokRevision, tokSHA256, tokMode = t.Repo, text(t.Revision), text(t.SHA256), text(t.Mode)
	}
	_, err := l.exec(`
		INSERT INTO clients (run_id, harness, harness_version, image_digest, seed, num_prompts, burstiness,
			ramp_up_strategy, ramp_up_start, ramp_up_end, num_warmups, ignore_eos, endpoint,
			tokenizer_repo, tokenizer_revision, tokenizer_sha256, tokenizer_mode, duration_s, grace_s)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, text(c.Harness), text(c.HarnessVersion), text(c.ImageDigest), optional(c.Seed), optional(c.NumPrompts), optional(c.Burstiness),
		rampStrategy, rampStart, rampEnd, optional(c.NumWarmups), optional(c.IgnoreEOS), text(c.Endpoint),
		tokRepo, tokRevision, tokSHA256, tokMode, optional(c.DurationS), optional(c.GraceS))
	if err != nil {
		return err
	}
	for i, arg := range c.Command {
		if _, err := l.exec(`INSERT INTO client_args (run_id, position, arg) VALUES (?, ?, ?)`, id, i, arg); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) insertDeployment(id int64, r *record.Run) error {
	if r.Cluster != nil {
		for i, storage := range r.Cluster.Storage {
			if _, err := l.exec(`INSERT INTO cluster_storage (run_id, position, storage) VALUES (?, ?, ?)`, id, i, storage); err != nil {
				return err
			}
		}
	}
	d := r.Deployment
	if d == nil {
		return nil
	}
	for i := range d.Pools {
		if err := l.insertPool(id, i, &d.Pools[i]); err != nil {
			return err
		}
	}
	if o := d.Offload; o != nil {
		_, err := l.exec(`INSERT INTO offloads (run_id, eviction_policy, prefetch_depth, connector, spec) VALUES (?, ?, ?, ?, ?)`,
			id, text(o.EvictionPolicy), optional(o.PrefetchDepth), text(o.Connector), text(o.Spec))
		if err != nil {
			return err
		}
		for i, t := range o.Tiers {
			if _, err := l.exec(`INSERT INTO offload_tiers (run_id, position, tier, bytes) VALUES (?, ?, ?, ?)`, id, i, t.Tier, t.Bytes); err != nil {
				return err
			}
		}
	}
	if d.PDTransfer != nil {
		if _, err := l.exec(`INSERT INTO pd_transfers (run_id, connector) VALUES (?, ?)`, id, text(d.PDTransfer.Connector)); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) insertPool(id int64, position int, p *record.Pool) error {
	_, err := l.exec(`
		INSERT INTO pools (run_id, position, role, nodes, tp, pp, dp, dp_local, pcp, dcp, enable_expert_parallel)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, position, p.Role, p.Nodes, p.Parallel.TP, p.Parallel.PP, p.Parallel.DP,
		optional(p.Parallel.DPLocal), optional(p.Parallel.PCP), optional(p.Parallel.DCP), optional(p.Parallel.EnableExpertParallel))
	if err != nil {
		return err
	}
	for _, s := range p.Settings {
		value := s.Value
		if b, ok := value.(bool); ok {
			value = optional(&b)
		}
		if _, err := l.exec(`INSERT INTO pool_settings (run_id, position, setting, value) VALUES (?, ?, ?, ?)`, id, position, s.Name, value); err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) insertRouter(id int64, r *record.Run) error {
	if r.Router == nil {
		return nil
	}
	var e record.EPP
	if r.Router.EPP != nil {
		e = *r.Router.EPP
	}
	_, err := l.exec(`
		INSERT INTO routers (run_id, kind, epp_version, epp_image, epp_config_path, epp_config_sha256, epp_flow_control)
		VALUES (?, ?, ?, ?, ?, ?, ?)`,
		id, r.Router.Kind, text(e.Version), text(e.Image), text(e.ConfigPath), text(e.ConfigSHA256), text(e.FlowControl))
	return err
}

func (l *Load) insertWorkload(id int64, r *record.Run) error {
	if r.Workload == nil || r.Workload.Trace == nil {
		return nil
	}
	t := r.Workload.Trace
	var s record.TraceServer
	if t.Server != nil {
		s = *t.Server
	}
	_, err := l.exec(`
		INSERT INTO traces (run_id, data, sha256, rows, trace_version, time_unit, mode, workload_seed, server_type, server_model,
			server_tensor_parallel, server_max_num_seqs, server_block_size, server_max_model_len, server_gpu_memory_utilization)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		id, t.Data, text(t.SHA256), optional(t.Rows), t.TraceVersion, t.TimeUnit, t.Mode, optional(t.WorkloadSeed), text(s.Type), text(s.Model),
		optional(s.TensorParallel), optional(s.MaxNumSeqs), optional(s.BlockSize), optional(s.MaxModelLen), optional(s.GPUMemoryUtilization))
	if err != nil {
		return err
	}
	for _, target := range t.SLOTargets {
		_, err := l.exec(`INSERT INTO slo_targets (run_id, class, ttft_ms, itl_ms, e2e_ms) VALUES (?, ?, ?, ?, ?)`,
			id, target.Class, optional(target.TTFTMs), optional(target.ITLMs), optional(target.E2EMs))
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) insertPoints(id int64, r *record.Run) error {
	for i := range r.Points {
		p := &r.Points[i]
		point, err := l.insert(`
			INSERT INTO points (run_id, position, id, concurrency, request_rate, completed, failed, mean_isl, mean_osl,
				kv_utilization, prefix_hit_rate, preemptions, noise_seeds, noise_cv)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, i, p.ID, optional(p.Concurrency), optional(p.RequestRate), optional(p.Completed), optional(p.Failed),
			optional(p.MeanISL), optional(p.MeanOSL), optional(p.KVUtilization), optional(p.PrefixHitRate), optional(p.Preemptions),
			optional(p.NoiseSeeds), optional(p.NoiseCV))
		if err != nil {
			return err
		}
		for j := range p.Metrics {
			v := &p.Metrics[j]
			_, err := l.exec(`INSERT INTO catalog_values (point_id, metric, value, report_label, raw_key, label_verified) VALUES (?, ?, ?, ?, ?, ?)`,
				point, v.Metric, v.Value, text(v.ReportLabel), text(v.RawKey), optional(v.LabelVerified))
			if err != nil {
				return err
			}
		}
	}
	return nil
}

func (l *Load) insertProvenance(id int64, r *record.Run) error {
	for i := range r.Provenance {
		p := &r.Provenance[i]
		args := make([]any, 0, 20)
		args = append(args, id, i, p.Setting)
		for _, s := range []*record.Stated{p.Report, p.Script, p.Artifact, p.BLIS} {
			if s == nil {
				args = append(args, nil, nil, nil)
				continue
			}
			args = append(args, s.Value, text(s.Ref), text(s.Commit))
		}
		args = append(args, p.Verdict, text(p.ResolvedBy), p.Material, text(p.Bound), text(p.Note))
		_, err := l.exec(`
			INSERT INTO provenance (run_id, position, setting, report_value, report_ref, report_commit, script_value, script_ref, script_commit,
				artifact_value, artifact_ref, artifact_commit, blis_value, blis_ref, blis_commit, verdict, resolved_by, material, bound, note)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`, args...)
		if err != nil {
			return err
		}
	}
	return nil
}

func (l *Load) insertDiffs(id int64, r *record.Run) error {
	for i := range r.Diff {
		d := &r.Diff[i]
		_, err := l.exec(`
			INSERT INTO diffs (run_id, position, path, measured, blis, kind, removable, owner_repo, material, bound, issue)
			VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
			id, i, d.Path, text(d.Measured), text(d.BLIS), d.Kind, optional(d.Removable), text(d.OwnerRepo), d.Material, text(d.Bound), text(d.Issue))
		if err != nil {
			return err
		}
	}
	return nil
}

// Verdict is a run's computed verdict with every reason against EXACT.
type Verdict struct {
	Verdict    string
	Resolution string // "" for none
	Reasons    []Reason
}

// Reason is a reason against EXACT: Code as in the view verdict_reasons, Path the offending field.
type Reason struct{ Code, Path, Detail string }

// Verdict returns a stored run's verdict.
func (l *Load) Verdict(name string) (*Verdict, error) {
	var v Verdict
	var id int64
	found, err := l.queryRow(`SELECT run_id, verdict, ifnull(resolution, '') FROM verdicts WHERE name = ?`, []any{name}, &id, &v.Verdict, &v.Resolution)
	if err != nil {
		return nil, fmt.Errorf("verdict of %s: %w", name, err)
	}
	if !found {
		return nil, fmt.Errorf("verdict of %s: no such run", name)
	}
	v.Reasons, err = l.reasons(id)
	if err != nil {
		return nil, fmt.Errorf("verdict of %s: %w", name, err)
	}
	return &v, nil
}

func (l *Load) reasons(runID int64) (all []Reason, err error) {
	err = l.query(`SELECT code, path, detail FROM verdict_reasons WHERE run_id = ? ORDER BY path, code`, []any{runID}, func(scan func(...any) error) error {
		var r Reason
		if err := scan(&r.Code, &r.Path, &r.Detail); err != nil {
			return err
		}
		all = append(all, r)
		return nil
	})
	return all, err
}

// FalseClaims returns the names of the stored runs whose stated verdict or
// resolution is not the computed one, as a changed registry can make it.
func (l *Load) FalseClaims() ([]string, error) {
	names, err := l.texts(`SELECT name FROM stated_verdict_problems ORDER BY name`)
	if err != nil {
		return nil, fmt.Errorf("look for stated verdicts that no longer hold: %w", err)
	}
	return names, nil
}
