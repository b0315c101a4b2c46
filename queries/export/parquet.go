package export

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/compress/zstd"

	"github.com/inference-sim/blis-warehouse/store"
)

// A parquetRow is a row of jsonl (see rowStart and what follows it) with the
// columns of csv (see leafNames), of which lists are lists here, and with two
// days. The tag unit is the unit of a number, about what the column means; both
// go into the file (see parquetMetadata) and into docs/parquet.md. A pointer is
// a column that can be NULL, and NULL is not known.
//
// A column that is added goes to the end: some engines match files of several
// versions by position.
type parquetRow struct {
	RowID          string  `parquet:"row_id,plain" about:"stable name to cite the row by, run/point/metric"`
	Run            string  `parquet:"run,dict" about:"name of the run"`
	DocumentSHA256 *string `parquet:"document_sha256,dict" about:"digest of the run's document: with row_id it names one version of a value; NULL for a run without a document"`
	Model          *string `parquet:"model,dict" about:"model that was served"`
	Engine         *string `parquet:"engine,dict" about:"serving engine"`
	EngineVersion  *string `parquet:"engine_version,dict" about:"its release"`
	Hardware       *string `parquet:"hardware,dict" about:"accelerator"`
	Fabric         *string `parquet:"fabric,dict" about:"network between nodes"`
	Nodes          *int64  `parquet:"nodes,dict" unit:"nodes" about:"size of the cluster"`
	GPUsPerNode    *int64  `parquet:"gpus_per_node,dict" unit:"GPUs" about:"accelerators of each node"`

	Pools []parquetPool `parquet:"pools,list" about:"pools of the deployment, empty where none is stated; engine is the stated settings as a JSON object, expert_parallel_width is derived; workers and dp_attention are stated by InferenceX alone, which does not state all the others"`

	WorkloadShape       *string `parquet:"workload_shape,dict" about:"name of the workload's shape, where it is one"`
	WorkloadTraceData   *string `parquet:"workload_trace_data,dict" about:"data of the workload's trace, where it is one"`
	WorkloadTraceSHA256 *string `parquet:"workload_trace_sha256,dict" about:"digest of the trace's data"`
	WorkloadISL         *int64  `parquet:"workload_isl,dict" unit:"tokens" about:"stated input length"`
	WorkloadOSL         *int64  `parquet:"workload_osl,dict" unit:"tokens" about:"stated output length"`
	Harness             *string `parquet:"harness,dict" about:"load generator"`
	HarnessVersion      *string `parquet:"harness_version,dict" about:"its release"`
	ImageDigest         *string `parquet:"image_digest,dict" about:"container image of the load generator"`
	MeasuredOn          *int32  `parquet:"measured_on,date,dict" about:"UTC day of the measurement, where the publisher states it"`
	RetrievedOn         *int32  `parquet:"retrieved_on,date,dict" about:"UTC day on which the sources were retrieved"`

	Point         string   `parquet:"point,dict" about:"id of the load level in its run"`
	Position      int64    `parquet:"position,dict" about:"index of the load level in its run, from 0"`
	Anchor        bool     `parquet:"anchor" about:"whether it is the load level that ratios are taken to, the first"`
	Concurrency   *int64   `parquet:"load_concurrency,dict" unit:"requests" about:"of the load: requests in flight"`
	RequestRate   *float64 `parquet:"load_request_rate,dict" unit:"requests/s" about:"of the load: requests sent"`
	MeanISL       *float64 `parquet:"mean_isl,dict" unit:"tokens" about:"realised mean input length"`
	MeanOSL       *float64 `parquet:"mean_osl,dict" unit:"tokens" about:"realised mean output length"`
	Completed     *int64   `parquet:"completed,dict" unit:"requests" about:"requests that succeeded"`
	Failed        *int64   `parquet:"failed,dict" unit:"requests" about:"requests that failed"`
	KVUtilization *float64 `parquet:"kv_utilization,dict" unit:"fraction 0 to 1" about:"use of the KV cache"`
	PrefixHitRate *float64 `parquet:"prefix_hit_rate,dict" unit:"fraction 0 to 1" about:"hit rate of the prefix cache"`
	Preemptions   *int64   `parquet:"preemptions,dict" unit:"count" about:"preempted requests"`
	NoiseSeeds    *int64   `parquet:"noise_seeds,dict" unit:"count" about:"repetitions that the noise was measured by"`
	NoiseCV       *float64 `parquet:"noise_cv,dict" unit:"fraction" about:"coefficient of variation among them"`

	Metric           string  `parquet:"metric,dict" about:"name of the metric in its run"`
	Formula          *string `parquet:"definition_formula,dict" about:"what is computed"`
	Statistic        *string `parquet:"definition_statistic,dict" about:"of a latency: mean, median, std, max or pNN"`
	Population       *string `parquet:"definition_population,dict" about:"what the statistic is taken over"`
	Denominator      *string `parquet:"definition_denominator,dict" about:"of a throughput: the time that is divided by"`
	Clock            *string `parquet:"definition_clock,dict" about:"whose clock: client or server"`
	StartEvent       *string `parquet:"definition_start_event,dict" about:"where the time begins"`
	StopEvent        *string `parquet:"definition_stop_event,dict" about:"where the time ends"`
	OutputLenSource  *string `parquet:"definition_output_len_source,dict" about:"where the number of output tokens is from"`
	Reasoning        *bool   `parquet:"definition_reasoning_counted_as_content" about:"whether reasoning tokens count as content"`
	PercentileMethod *string `parquet:"definition_percentile_method,dict" about:"how a percentile is interpolated"`
	DefinitionUnit   string  `parquet:"definition_unit,dict" about:"unit of value: ms, tokens_per_s or requests_per_s"`
	GPUScope         *string `parquet:"definition_gpu_scope,dict" about:"which GPUs a per-GPU figure was divided by: all, prefill, decode"`
	DefinitionCite   string  `parquet:"definition_cite,dict" about:"where the definition was read"`
	Unit             string  `parquet:"unit,dict" about:"the definition's unit again"`
	Cite             string  `parquet:"cite,dict" about:"the definition's source again"`

	Value         float64  `parquet:"value" unit:"that of the column unit" about:"the measured value"`
	ValueUS       *float64 `parquet:"value_us" unit:"µs" about:"a latency, decimally exact; NULL for what is no latency"`
	RatioToAnchor *float64 `parquet:"ratio_to_anchor" unit:"ratio" about:"value divided by the anchor's value of the metric; NULL where that has none or 0"`

	Verdict     string         `parquet:"verdict,dict" about:"computed: EXACT, PARTIAL or NOT_REPRODUCIBLE"`
	Resolution  *string        `parquet:"resolution,dict" about:"computed, of an EXACT run: STRICT or RESOLVED"`
	LicenceID   string         `parquet:"licence_id,dict" about:"licence of the run, an entry of its registry"`
	SPDX        *string        `parquet:"spdx,dict" about:"the licence's SPDX identifier"`
	Permits     []string       `parquet:"permits,list" parquet-element:",dict" about:"what the licence permitted when this was exported"`
	Attribution *string        `parquet:"attribution,dict" about:"line that a use of the row must carry"`
	Inputs      []parquetInput `parquet:"inputs,list" about:"files that the run was read from, by role and digest"`
}

type parquetPool struct {
	Role                 string `parquet:"role,dict"`
	Nodes                *int64 `parquet:"nodes,dict"`
	TP                   *int64 `parquet:"tp,dict"`
	PP                   *int64 `parquet:"pp,dict"`
	DP                   *int64 `parquet:"dp,dict"`
	DPLocal              *int64 `parquet:"dp_local,dict"`
	PCP                  *int64 `parquet:"pcp,dict"`
	DCP                  *int64 `parquet:"dcp,dict"`
	EnableExpertParallel *bool  `parquet:"enable_expert_parallel"`
	ExpertParallelWidth  *int64 `parquet:"expert_parallel_width,dict"`
	Engine               string `parquet:"engine,dict"`
	Workers              *int64 `parquet:"workers,dict"`
	DPAttention          *bool  `parquet:"dp_attention"`
}

type parquetInput struct {
	Role   string `parquet:"role,dict"`
	SHA256 string `parquet:"sha256,dict"`
}

const (
	// rowGroupRows bounds what is held in memory: a row group is written when
	// it is complete. Engines read row groups in parallel.
	rowGroupRows = 64 << 10

	// pageBytes is the size of a page before compression, and what the writer
	// sets aside for a column without NULLs.
	pageBytes = 64 << 10

	// rowsAtOnce is how many rows are handed to the writer at a time.
	rowsAtOnce = 1 << 10

	// layoutVersion is the version of the columns and of their meaning, in the
	// file's created_by.
	layoutVersion = "1"
)

// writeParquet writes the rows of a selection, those of jsonl in the same order,
// as one Parquet file or as a file for each partition, one after another.
func writeParquet(ctx context.Context, r *store.Reader, s *Selection, o Options, create Create, out *Outcome) error {
	if len(o.Partition) == 0 {
		return writeFile(create, "", func(w io.Writer) error { return parquetFile(ctx, r, s, o.Tool, w, out) })
	}
	parts, err := partitions(ctx, r, s, o.Partition)
	if err != nil {
		return err
	}
	for _, part := range parts {
		err := writeFile(create, part.folder+"/part-0.parquet", func(w io.Writer) error {
			return parquetFile(ctx, r, part.selection, o.Tool, w, out)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// parquetFile writes a Parquet file.
//
// Pages are of version 1 and compressed with zstd, strings and what repeats are
// dictionaries, and all columns have statistics: what DuckDB, Spark, ClickHouse
// and BigQuery read without any option. Unlike that of snappy, the encoder of
// zstd is the same code on all platforms, and so are the bytes. The library
// buffers what it writes.
func parquetFile(ctx context.Context, r *store.Reader, s *Selection, tool string, w io.Writer, out *Outcome) error {
	options, err := parquetOptions(s, tool, r.SchemaVersion())
	if err != nil {
		return err
	}
	file := parquet.NewGenericWriter[parquetRow](w, options...)
	err = readRuns(ctx, r, s.Runs, rowTables(), func(run *run) error {
		out.holdAll(run)
		return parquetRows(run, func(rows []parquetRow) error {
			if _, err := file.Write(rows); err != nil {
				return fmt.Errorf("export %s: %w", run.doc.Name, err)
			}
			return nil
		})
	})
	if err != nil {
		return err
	}
	return file.Close()
}

// parquetSchema is the schema of parquetRow. The library makes it once.
func parquetSchema() *parquet.Schema {
	return parquet.NewSchema("blis_warehouse_row", parquet.SchemaOf(parquetRow{}))
}

func parquetOptions(s *Selection, tool string, schemaVersion int64) ([]parquet.WriterOption, error) {
	options := []parquet.WriterOption{
		parquetSchema(),
		parquet.CreatedBy("blis-warehouse", layoutVersion, "parquet-go"),
		parquet.Compression(&zstd.Codec{Level: zstd.SpeedDefault}),
		parquet.DataPageVersion(1),
		parquet.MaxRowsPerRowGroup(rowGroupRows),
		parquet.PageBufferSize(pageBytes),
	}
	metadata, err := parquetMetadata(s, tool, schemaVersion)
	for key, value := range metadata { // the writer sorts them
		options = append(options, parquet.KeyValueMetadata(key, value))
	}
	return options, err
}

// parquetMetadata is what stands in a file's footer, so that it stays with the
// data: what the manifest says of the whole, as far as it is known before the
// file is complete, for the runs of this file.
func parquetMetadata(s *Selection, tool string, schemaVersion int64) (map[string]string, error) {
	m := NewManifest(s, Output{Format: "parquet", Outcome: &Outcome{}}, tool, schemaVersion)
	tier := ""
	if m.Tier != nil {
		tier = string(*m.Tier)
	}
	e := newEncoder()
	attributions, err := e.text(m.Attributions)
	if err != nil {
		return nil, err
	}
	columns, err := e.text(ParquetColumns())
	return map[string]string{
		"blis_warehouse.purpose":        string(m.Purpose),
		"blis_warehouse.tier":           tier,
		"blis_warehouse.tool":           m.Tool,
		"blis_warehouse.schema_version": strconv.FormatInt(m.SchemaVersion, 10),
		"blis_warehouse.attributions":   string(attributions),
		"blis_warehouse.columns":        string(columns),
	}, err
}

// parquetRows hands out the rows of a run, some at a time. They are valid until
// the next.
func parquetRows(r *run, write func([]parquetRow) error) error {
	dated, err := parquetDays(r)
	if err != nil {
		return fmt.Errorf("export %s: %w", r.doc.Name, err)
	}
	var rows []parquetRow
	err = eachRow(r, parquetPart, func(parts []setColumns) error {
		row := dated
		for _, set := range parts {
			set(&row)
		}
		if rows = append(rows, row); len(rows) < rowsAtOnce {
			return nil
		}
		err := write(rows)
		rows = rows[:0]
		return err
	})
	if err != nil {
		return err
	}
	return write(rows)
}

// parquetDays is a row with the days of a run, which no part has.
func parquetDays(r *run) (row parquetRow, err error) {
	if row.MeasuredOn, err = day(r.measuredOn); err == nil {
		row.RetrievedOn, err = day(r.retrievedOn)
	}
	return row, err
}

// setColumns sets the columns of a part of a row.
type setColumns func(row *parquetRow)

func parquetPart(part any) (setColumns, error) {
	switch p := part.(type) {
	case rowStart:
		return func(row *parquetRow) { row.RowID = p.RowID }, nil
	case rowRun:
		return parquetRun(&p)
	case rowPoint:
		return func(row *parquetRow) { row.setPoint(&p) }, nil
	case rowMetric:
		return func(row *parquetRow) { row.setMetric(&p) }, nil
	case rowValue:
		return func(row *parquetRow) { row.Value, row.ValueUS, row.RatioToAnchor = p.Value, p.ValueUS, p.RatioToAnchor }, nil
	case rowSource:
		return parquetSource(&p), nil
	}
	return nil, fmt.Errorf("no columns for a %T", part)
}

func parquetRun(p *rowRun) (setColumns, error) {
	pools := make([]parquetPool, len(p.Pools))
	for i := range p.Pools {
		var err error
		if pools[i], err = parquetPoolOf(&p.Pools[i]); err != nil {
			return nil, err
		}
	}
	return func(row *parquetRow) {
		row.Run, row.DocumentSHA256 = p.Run, p.DocumentSHA256
		row.Model, row.Engine, row.EngineVersion = p.Model, p.Engine, p.EngineVersion
		row.Hardware, row.Fabric, row.Nodes, row.GPUsPerNode = p.Hardware, p.Fabric, p.Nodes, p.GPUsPerNode
		row.Pools = pools
		if w := p.Workload; w != nil {
			row.WorkloadShape, row.WorkloadTraceData, row.WorkloadTraceSHA256 = w.Shape, w.Data, w.SHA256
			row.WorkloadISL, row.WorkloadOSL = w.ISL, w.OSL
		}
		row.Harness, row.HarnessVersion, row.ImageDigest = p.Harness, p.HarnessVersion, p.ImageDigest
	}, nil
}

func parquetPoolOf(p *rowPool) (parquetPool, error) {
	engine, err := newEncoder().text(p.Engine) // by sorted keys
	return parquetPool{
		Role: p.Role, Nodes: p.Nodes, TP: p.TP, PP: p.PP, DP: p.DP, DPLocal: p.DPLocal, PCP: p.PCP, DCP: p.DCP,
		EnableExpertParallel: p.EnableExpertParallel, ExpertParallelWidth: p.ExpertParallelWidth, Engine: string(engine),
		Workers: p.Workers, DPAttention: p.DPAttention,
	}, err
}

func (row *parquetRow) setPoint(p *rowPoint) {
	row.Point, row.Position, row.Anchor = p.Point, int64(p.Position), p.Anchor
	row.Concurrency, row.RequestRate = p.Load.Concurrency, p.Load.RequestRate
	row.MeanISL, row.MeanOSL, row.Completed, row.Failed = p.MeanISL, p.MeanOSL, p.Completed, p.Failed
	row.KVUtilization, row.PrefixHitRate, row.Preemptions = p.KVUtilization, p.PrefixHitRate, p.Preemptions
	if p.Noise != nil {
		row.NoiseSeeds, row.NoiseCV = p.Noise.Seeds, p.Noise.CV
	}
}

func (row *parquetRow) setMetric(m *rowMetric) {
	d := &m.Definition
	row.Metric, row.Unit, row.Cite = m.Metric, m.Unit, m.Cite
	row.Formula, row.Statistic, row.Population, row.Denominator, row.Clock = d.Formula, d.Statistic, d.Population, d.Denominator, d.Clock
	row.StartEvent, row.StopEvent, row.OutputLenSource = d.StartEvent, d.StopEvent, d.OutputLenSource
	row.Reasoning, row.PercentileMethod, row.GPUScope = d.Reasoning, d.PercentileMethod, d.GPUScope
	row.DefinitionUnit, row.DefinitionCite = d.Unit, d.Cite
}

func parquetSource(p *rowSource) setColumns {
	inputs := make([]parquetInput, len(p.Inputs))
	for i, in := range p.Inputs {
		inputs[i] = parquetInput(in)
	}
	return func(row *parquetRow) {
		row.Verdict, row.Resolution = p.Verdict, p.Resolution
		row.LicenceID, row.SPDX, row.Permits, row.Attribution = p.LicenceID, p.SPDX, p.Permits, p.Attribution
		row.Inputs = inputs
	}
}

// day is a date as Parquet counts it, in days from 1970-01-01, nil for "".
func day(date string) (*int32, error) {
	if date == "" {
		return nil, nil
	}
	t, err := time.Parse(time.DateOnly, date)
	if err != nil {
		return nil, fmt.Errorf("%q is no date: %w", date, err)
	}
	days := int32(t.Unix() / (24 * 60 * 60)) // midnight, so there is no rest
	return &days, nil
}
