package export

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"

	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// A row is one line of JSON, an object with the members of rowStart, rowRun,
// rowPoint, rowMetric, rowValue and rowSource in this order. The parts that
// many rows share are encoded once. Unknown is null everywhere.
type (
	rowStart struct {
		RowID string `json:"row_id"` // <run>/<point>/<metric>, see rowID
	}

	// rowRun is what was measured: the same in all rows of a run.
	rowRun struct {
		Run            string       `json:"run"`
		DocumentSHA256 *string      `json:"document_sha256"` // digest of the run's document
		Model          *string      `json:"model"`
		Engine         *string      `json:"engine"`
		EngineVersion  *string      `json:"engine_version"`
		Hardware       *string      `json:"hardware"`
		Fabric         *string      `json:"fabric"`
		Nodes          *int64       `json:"nodes"`
		GPUsPerNode    *int64       `json:"gpus_per_node"`
		Pools          []rowPool    `json:"pools"`
		Workload       *rowWorkload `json:"workload"`
		Harness        *string      `json:"harness"`
		HarnessVersion *string      `json:"harness_version"`
		ImageDigest    *string      `json:"image_digest"` // of the client
	}
	rowPool struct {
		Role                 string         `json:"role"`
		Nodes                *int64         `json:"nodes"`
		TP                   *int64         `json:"tp"`
		PP                   *int64         `json:"pp"`
		DP                   *int64         `json:"dp"`
		DPLocal              *int64         `json:"dp_local"`
		PCP                  *int64         `json:"pcp"`
		DCP                  *int64         `json:"dcp"`
		EnableExpertParallel *bool          `json:"enable_expert_parallel"`
		ExpertParallelWidth  *int64         `json:"expert_parallel_width"` // derived; as stated where no deployment is
		Engine               map[string]any `json:"engine"`                // stated settings, dotted for nested ones
		Workers              *int64         `json:"workers"`               // of the role, as InferenceX states them
		DPAttention          *bool          `json:"dp_attention"`          // as InferenceX states it
	}
	rowWorkload struct {
		Shape  *string `json:"shape"`
		Data   *string `json:"trace_data"`
		SHA256 *string `json:"trace_sha256"`
		ISL    *int64  `json:"isl"` // stated lengths, tokens; a point's realised ones are mean_isl and mean_osl
		OSL    *int64  `json:"osl"`
	}

	// rowPoint is the load level: the same in all rows of a point.
	rowPoint struct {
		Point         string    `json:"point"`
		Position      int       `json:"position"`
		Anchor        bool      `json:"anchor"` // whether it is the point that ratios are taken to
		Load          rowLoad   `json:"load"`
		MeanISL       *float64  `json:"mean_isl"` // realised
		MeanOSL       *float64  `json:"mean_osl"`
		Completed     *int64    `json:"completed"`
		Failed        *int64    `json:"failed"`
		KVUtilization *float64  `json:"kv_utilization"`
		PrefixHitRate *float64  `json:"prefix_hit_rate"`
		Preemptions   *int64    `json:"preemptions"`
		Noise         *rowNoise `json:"noise"`
	}
	rowLoad struct {
		Concurrency *int64   `json:"concurrency"`
		RequestRate *float64 `json:"request_rate"` // requests per second
	}
	rowNoise struct {
		Seeds *int64   `json:"seeds"`
		CV    *float64 `json:"cv"`
	}

	// rowMetric is the metric: the same in all rows of a run and metric.
	rowMetric struct {
		Metric     string        `json:"metric"`
		Definition rowDefinition `json:"definition"`
		Unit       string        `json:"unit"` // the definition's, as is cite
		Cite       string        `json:"cite"`
	}
	rowDefinition struct {
		Formula          *string `json:"formula"`
		Statistic        *string `json:"statistic"`
		Population       *string `json:"population"`
		Denominator      *string `json:"denominator"`
		Clock            *string `json:"clock"`
		StartEvent       *string `json:"start_event"`
		StopEvent        *string `json:"stop_event"`
		OutputLenSource  *string `json:"output_len_source"`
		Reasoning        *bool   `json:"reasoning_counted_as_content"`
		PercentileMethod *string `json:"percentile_method"`
		Unit             string  `json:"unit"`
		GPUScope         *string `json:"gpu_scope"`
		Cite             string  `json:"cite"`
	}

	// rowValue is what was measured, in the definition's unit.
	rowValue struct {
		Value         float64  `json:"value"`
		ValueUS       *float64 `json:"value_us"`        // a latency in µs, decimally exact
		RatioToAnchor *float64 `json:"ratio_to_anchor"` // null where the anchor has no value or 0
	}

	// rowSource is what the row may be used for and where it comes from: the
	// same in all rows of a run.
	rowSource struct {
		Verdict     string     `json:"verdict"`    // computed
		Resolution  *string    `json:"resolution"` // computed
		LicenceID   string     `json:"licence_id"`
		SPDX        *string    `json:"spdx"`
		Permits     []string   `json:"permits"`
		Attribution *string    `json:"attribution"`
		Inputs      []rowInput `json:"inputs"` // the files the run was read from
	}
	rowInput struct {
		Role   string `json:"role"`
		SHA256 string `json:"sha256"`
	}
)

// writeJSONL writes a row of each measured value as a line of JSON.
func writeJSONL(ctx context.Context, r *store.Reader, s *Selection, _ Options, create Create, out *Outcome) error {
	e := newEncoder()
	return writeRows(ctx, r, s, create, out, nil, func(w io.Writer, row [][]byte) error {
		line := append([]byte{'{'}, bytes.Join(row, []byte{','})...)
		_, err := w.Write(append(line, "}\n"...))
		return err
	}, e.members)
}

// writeRows writes the rows of a selection to one file: a row for each measured
// value, in the order of the run's name, the point's position and the metric,
// behind a header. A row comes as its parts, each encoded by encode; a part
// that several rows share is encoded once.
func writeRows(ctx context.Context, r *store.Reader, s *Selection, create Create, out *Outcome, header []byte,
	write func(w io.Writer, row [][]byte) error, encode func(part any) ([]byte, error)) error {
	return writeFile(create, "", func(w io.Writer) error {
		if _, err := w.Write(header); err != nil {
			return err
		}
		return readRuns(ctx, r, s.Runs, rowTables(), func(run *run) error {
			out.holdAll(run)
			return eachRow(run, encode, func(row [][]byte) error { return write(w, row) })
		})
	})
}

// eachRow calls each for the encoded parts of every row of a run. P is what a
// part is encoded as.
func eachRow[P any](r *run, encode func(part any) (P, error), each func(row []P) error) error {
	var failed error
	part := func(p any) P {
		b, err := encode(p)
		if err != nil && failed == nil {
			failed = fmt.Errorf("export %s: %w", r.doc.Name, err)
		}
		return b
	}
	head, source := part(runPart(r)), part(sourcePart(r))
	metrics, units := map[string]P{}, map[string]string{}
	for i := range r.doc.MetricDefs {
		d := &r.doc.MetricDefs[i]
		metrics[d.Name], units[d.Name] = part(metricPart(d)), d.Unit
	}
	for i := range r.points {
		p := &r.points[i]
		load := part(pointPart(p, i))
		for j := range p.values {
			v := &p.values[j]
			start := part(rowStart{rowID(r.doc.Name, p.ID, v.Metric)})
			measured := part(rowValue{v.inUnit, microseconds(v, units[v.Metric]), ratio(v.inUnit, r.anchor(v.Metric))})
			if failed != nil {
				return failed
			}
			if err := each([]P{start, head, load, metrics[v.Metric], measured, source}); err != nil {
				return err
			}
		}
	}
	return failed
}

// anchor is the value of a metric at the first point, nil where that has none.
func (r *run) anchor(metric string) *float64 {
	for i := range r.points[0].values {
		if v := &r.points[0].values[i]; v.Metric == metric {
			return &v.inUnit
		}
	}
	return nil
}

// encoder encodes values as JSON on one line.
type encoder struct {
	b     bytes.Buffer
	enc   *json.Encoder
	excel bool // of csv: see Options.ExcelSafe
}

func newEncoder() *encoder {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.b)
	e.enc.SetEscapeHTML(false)
	return e
}

// text is a value as JSON.
func (e *encoder) text(v any) ([]byte, error) {
	e.b.Reset()
	if err := e.enc.Encode(v); err != nil {
		return nil, err
	}
	return bytes.Clone(bytes.TrimSuffix(e.b.Bytes(), []byte{'\n'})), nil
}

// members are the members of an object, without its braces.
func (e *encoder) members(object any) ([]byte, error) {
	text, err := e.text(object)
	if err != nil {
		return nil, err
	}
	return text[1 : len(text)-1], nil
}

func runPart(r *run) rowRun {
	d := &r.doc
	part := rowRun{
		Run: d.Name, DocumentSHA256: orNull(r.documentSHA256),
		Model: orNull(d.Model), Engine: orNull(r.engine), EngineVersion: orNull(d.EngineVersion),
		Hardware: orNull(r.hardware), Fabric: orNull(r.fabric), Nodes: r.nodes, GPUsPerNode: r.gpusPerNode,
		Harness: orNull(d.Client.Harness), HarnessVersion: orNull(d.Client.HarnessVersion), ImageDigest: orNull(d.Client.ImageDigest),
		Pools: []rowPool{},
	}
	if d.Deployment != nil {
		for i := range d.Deployment.Pools {
			part.Pools = append(part.Pools, poolPart(&d.Deployment.Pools[i]))
		}
	}
	for i := range r.statedPools {
		part.Pools = append(part.Pools, statedPoolPart(&r.statedPools[i]))
	}
	if d.Workload != nil || r.isl != nil || r.osl != nil {
		part.Workload = &rowWorkload{ISL: r.isl, OSL: r.osl}
	}
	if w := d.Workload; w != nil {
		part.Workload.Shape = orNull(w.Shape)
		if w.Trace != nil {
			part.Workload.Data, part.Workload.SHA256 = &w.Trace.Data, orNull(w.Trace.SHA256)
		}
	}
	return part
}

func statedPoolPart(p *statedPool) rowPool {
	return rowPool{
		Role: p.role, Nodes: p.nodes, TP: p.tp, PP: p.pp, DP: p.dp, ExpertParallelWidth: p.ep, Engine: map[string]any{},
		Workers: p.workers, DPAttention: p.dpAttention,
	}
}

func poolPart(p *record.Pool) rowPool {
	l := &p.Parallel
	part := rowPool{
		Role: p.Role, Nodes: &p.Nodes, TP: &l.TP, PP: &l.PP, DP: &l.DP, DPLocal: l.DPLocal, PCP: l.PCP, DCP: l.DCP,
		EnableExpertParallel: l.EnableExpertParallel, ExpertParallelWidth: expertParallelWidth(l),
		Engine: map[string]any{}, // encoded by sorted keys
	}
	for _, s := range p.Settings {
		part.Engine[s.Name] = s.Value
	}
	return part
}

func pointPart(p *point, position int) rowPoint {
	part := rowPoint{
		Point: p.ID, Position: position, Anchor: position == 0, Load: rowLoad{p.Concurrency, p.RequestRate},
		MeanISL: p.MeanISL, MeanOSL: p.MeanOSL, Completed: p.Completed, Failed: p.Failed,
		KVUtilization: p.KVUtilization, PrefixHitRate: p.PrefixHitRate, Preemptions: p.Preemptions,
	}
	if p.NoiseSeeds != nil {
		part.Noise = &rowNoise{p.NoiseSeeds, p.NoiseCV}
	}
	return part
}

func metricPart(d *record.MetricDef) rowMetric {
	return rowMetric{
		Metric: d.Name,
		Definition: rowDefinition{
			Formula: orNull(d.Formula), Statistic: orNull(d.Statistic), Population: orNull(d.Population), Denominator: orNull(d.Denominator),
			Clock: orNull(d.Clock), StartEvent: orNull(d.StartEvent), StopEvent: orNull(d.StopEvent), OutputLenSource: orNull(d.OutputLenSource),
			Reasoning: d.ReasoningCountedAsContent, PercentileMethod: orNull(d.PercentileMethod), Unit: d.Unit, GPUScope: orNull(d.GPUScope),
			Cite: d.Cite,
		},
		Unit: d.Unit,
		Cite: d.Cite,
	}
}

func sourcePart(r *run) rowSource {
	l := r.licence
	part := rowSource{
		Verdict: r.verdict, Resolution: orNull(r.resolution),
		LicenceID: l.ID, SPDX: orNull(l.License), Permits: l.Permits, Attribution: orNull(l.Attribution), Inputs: []rowInput{},
	}
	for i := range r.doc.Source.Inputs {
		in := &r.doc.Source.Inputs[i]
		part.Inputs = append(part.Inputs, rowInput{in.Role, in.SHA256})
	}
	return part
}

// orNull is nil for an unset string.
func orNull(s string) *string {
	if s == "" {
		return nil
	}
	return &s
}
