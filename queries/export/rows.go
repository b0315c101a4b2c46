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

// Counts are what an export holds.
type Counts struct {
	Runs   int64 `json:"runs"`
	Points int64 `json:"points"`
	Values int64 `json:"values"` // a row of jsonl each
}

func (n *Counts) add(r *run) {
	n.Runs++
	n.Points += int64(len(r.points))
	for i := range r.points {
		n.Values += int64(len(r.points[i].values))
	}
}

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
		Nodes                int64          `json:"nodes"`
		TP                   int64          `json:"tp"`
		PP                   int64          `json:"pp"`
		DP                   int64          `json:"dp"`
		DPLocal              *int64         `json:"dp_local"`
		PCP                  *int64         `json:"pcp"`
		DCP                  *int64         `json:"dcp"`
		EnableExpertParallel *bool          `json:"enable_expert_parallel"`
		ExpertParallelWidth  *int64         `json:"expert_parallel_width"` // derived
		Engine               map[string]any `json:"engine"`                // stated settings, dotted for nested ones
	}
	rowWorkload struct {
		Shape  *string `json:"shape"`
		Data   *string `json:"trace_data"`
		SHA256 *string `json:"trace_sha256"`
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

// WriteRows writes the rows of a selection: a line of JSON for each run, point
// and metric, sorted by the run's name, the point's position and the metric.
// The bytes depend on nothing but the database.
func WriteRows(ctx context.Context, r *store.Reader, s *Selection, w io.Writer) (Counts, error) {
	var counts Counts
	err := readRuns(ctx, r, s.Runs, rowTables(), func(run *run) error {
		counts.add(run)
		lines, err := runLines(run)
		if err != nil {
			return fmt.Errorf("export %s: %w", run.doc.Name, err)
		}
		_, err = w.Write(lines)
		return err
	})
	return counts, err
}

// runLines are the rows of a run.
func runLines(r *run) ([]byte, error) {
	e := newEncoder()
	name := r.doc.Name
	head, source := e.members(runPart(r)), e.members(sourcePart(r))
	metrics, units := map[string][]byte{}, map[string]string{}
	for i := range r.doc.MetricDefs {
		d := &r.doc.MetricDefs[i]
		metrics[d.Name], units[d.Name] = e.members(metricPart(d)), d.Unit
	}
	var lines []byte
	for i := range r.points {
		p := &r.points[i]
		load := e.members(pointPart(p, i))
		for j := range p.values {
			v := &p.values[j]
			start := e.members(rowStart{rowID(name, p.ID, v.Metric)})
			measured := e.members(rowValue{v.inUnit, microseconds(v, units[v.Metric]), ratio(v.inUnit, r.anchor(v.Metric))})
			lines = append(lines, '{')
			lines = append(lines, bytes.Join([][]byte{start, head, load, metrics[v.Metric], measured, source}, []byte{','})...)
			lines = append(lines, "}\n"...)
		}
	}
	return lines, e.err
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

// encoder encodes parts of an object. Its first error is kept.
type encoder struct {
	b   bytes.Buffer
	enc *json.Encoder
	err error
}

func newEncoder() *encoder {
	e := &encoder{}
	e.enc = json.NewEncoder(&e.b)
	e.enc.SetEscapeHTML(false)
	return e
}

// members are the members of an object, without its braces.
func (e *encoder) members(object any) []byte {
	e.b.Reset()
	if err := e.enc.Encode(object); err != nil {
		if e.err == nil {
			e.err = err
		}
		return nil
	}
	text := bytes.TrimSuffix(e.b.Bytes(), []byte("}\n"))
	return bytes.Clone(text[1:])
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
	if w := d.Workload; w != nil {
		part.Workload = &rowWorkload{Shape: orNull(w.Shape)}
		if w.Trace != nil {
			part.Workload.Data, part.Workload.SHA256 = &w.Trace.Data, orNull(w.Trace.SHA256)
		}
	}
	return part
}

func poolPart(p *record.Pool) rowPool {
	l := &p.Parallel
	part := rowPool{
		Role: p.Role, Nodes: p.Nodes, TP: l.TP, PP: l.PP, DP: l.DP, DPLocal: l.DPLocal, PCP: l.PCP, DCP: l.DCP,
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
