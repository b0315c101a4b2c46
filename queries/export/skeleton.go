package export

import (
	"context"
	"fmt"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/queries/visible"
	"github.com/inference-sim/blis-warehouse/store"
	"github.com/inference-sim/blis-warehouse/store/record"
)

// Skeleton is the beginning of a MeasuredRun document for a run that came from
// InferenceX: what its rows state is filled in, what they do not state is left
// out and marked at its place, a comment line each,
//
//	# required: KEY: <what belongs here>
//	# to be EXACT: KEY: <what belongs here>
//
// which becomes the key where the words before it are deleted and the value
// stands in the place of <...>. With the required keys the document is valid,
// with the others too nothing of it stands against EXACT but its licence.
// Nothing is filled in by default.
//
// The origin is that of the run, "" where no run has the name. The content is
// nil for a run of another origin than inferencex.
func Skeleton(ctx context.Context, r *store.Reader, name string) (content []byte, origin string, err error) {
	s := &skeleton{widths: map[string]int64{}, flags: map[int][]string{}, requests: map[int]requests{}}
	chosen := Chosen{Name: name}
	err = query(ctx, r, "skeleton", map[string]any{"run": name}, func(c *cells) error {
		chosen.id, origin, chosen.LicenceID = c.whole(), c.text(), c.text()
		s.fill(c)
		return nil
	})
	if err != nil || origin != "inferencex" {
		return nil, origin, err
	}
	err = readRuns(ctx, r, []Chosen{chosen}, s.tables(), func(run *run) error {
		s.run = run
		content, err = s.encode()
		return err
	})
	if err != nil {
		return nil, origin, fmt.Errorf("make a skeleton of %s: %w", name, err)
	}
	return content, origin, nil
}

// skeleton is a run of InferenceX and what its rows state beyond a run. Unset
// is what they do not state.
type skeleton struct {
	*run
	gpus                            *int64 // that the parallel layout takes
	hiddenBy                        *int64 // the attempt that hides the run
	catalogModel, publisherModel    string
	framework, precision, spec      string
	githubRun                       *int64
	runURL                          string
	benchmark, offload, fingerprint string
	collapsed                       *int64
	images                          []string
	widths                          map[string]int64 // by the publisher's key
	texts                           []attribute      // by key
	flags                           map[int][]string // by the point's position, -1 for the run
	requests                        map[int]requests // by the point's position

	notes []string // the comments, see note
}

// attribute is a text that rows state among their metrics.
type attribute struct{ key, text string }

// requests are the requests of a point that rows count.
type requests struct{ total, successful *float64 }

// fill reads what the statement skeleton returns behind the run's identity.
func (s *skeleton) fill(c *cells) {
	s.gpus, s.hiddenBy = c.optWhole(), c.optWhole()
	s.catalogModel, s.publisherModel = c.text(), c.text()
	s.framework, s.precision, s.spec = c.text(), c.text(), c.text()
	s.githubRun, s.runURL = c.optWhole(), c.text()
	s.benchmark, s.offload, s.fingerprint, s.collapsed = c.text(), c.text(), c.text(), c.optWhole()
}

// tables are what a skeleton is made of.
func (s *skeleton) tables() []table {
	return []table{
		{"runs", fillRun}, {"definitions", fillDefinition}, {"points", fillPoint}, {"measurements", fillMeasurement},
		{"stated-pools", fillStatedPool}, {"skeleton-attributes", s.fillAttribute},
		{"skeleton-requests", s.fillRequests}, {"skeleton-flags", s.fillFlag},
	}
}

func (s *skeleton) fillAttribute(_ *run, c *cells) {
	key, width, text := c.text(), c.optWhole(), c.text()
	switch {
	case width != nil:
		s.widths[key] = *width
	case key == "image":
		s.images = append(s.images, text)
	default:
		s.texts = append(s.texts, attribute{key, text})
	}
}

func (s *skeleton) fillRequests(_ *run, c *cells) {
	s.requests[int(c.whole())] = requests{c.optNumber(), c.optNumber()}
}

func (s *skeleton) fillFlag(_ *run, c *cells) {
	at := -1
	if position := c.optWhole(); position != nil {
		at = int(*position)
	}
	code, meaning, subject := c.text(), c.text(), c.text()
	measured, expected := c.optNumber(), c.optNumber()
	text := fmt.Sprintf("flag %s: %s (%s", code, meaning, comment(subject))
	if measured != nil {
		text += ": " + visible.Number(*measured)
	}
	if expected != nil {
		text += ", held against " + visible.Number(*expected)
	}
	s.flags[at] = append(s.flags[at], text+")")
}

// noteKey stands in the place of a comment until the document is text: the
// YAML writer has comments only beside a key, and a block whose keys are all
// marked has none. No other line is the key and an integer, for strings are
// never folded.
const noteKey = "skeleton-note"

// note adds a comment to a mapping, which must not begin with it in a list.
func (s *skeleton) note(m *mapping, text string) {
	m.add(noteKey, plainNode(strconv.Itoa(len(s.notes))))
	s.notes = append(s.notes, text)
}

// required marks the place of a key without which the document is not valid.
func (s *skeleton) required(m *mapping, key, what string) {
	s.note(m, "required: "+key+": <"+what+">")
}

// exact marks the place of a key without which the run cannot be EXACT.
func (s *skeleton) exact(m *mapping, key, what string) {
	s.note(m, "to be EXACT: "+key+": <"+what+">")
}

// whole adds an integer, or marks its place as required.
func (s *skeleton) whole(m *mapping, key string, n *int64, what string) {
	if n == nil {
		s.required(m, key, what)
		return
	}
	m.whole(key, n)
}

// encode is the skeleton as text.
func (s *skeleton) encode() ([]byte, error) {
	text, err := s.document().encode()
	if err != nil {
		return nil, err
	}
	var b strings.Builder
	placed := 0
	for line := range strings.Lines(string(text)) {
		indent, number, found := strings.Cut(line, noteKey+": ")
		if i, err := strconv.Atoi(strings.TrimSuffix(number, "\n")); found && err == nil && strings.Trim(indent, " ") == "" {
			line = indent + "# " + s.notes[i] + "\n"
			placed++
		}
		b.WriteString(line)
	}
	if placed != len(s.notes) {
		return nil, fmt.Errorf("%d of %d comments have a line of their own", placed, len(s.notes))
	}
	return []byte(b.String()), nil
}

func (s *skeleton) document() *mapping {
	m := newMapping()
	s.writeHead(m)
	s.writeSource(m.mapping("source"))
	if s.catalogModel != "" {
		m.text("model", s.catalogModel)
	} else {
		s.exact(m, "model", "the catalog's model; the publisher's key is "+comment(s.publisherModel))
	}
	s.writeEngine(m)
	s.writeCluster(m.mapping("cluster"))
	s.writeDeployment(m.mapping("deployment"))
	s.exact(m, "workload", "the shape, or the trace, that reproduces the request stream")
	s.writeClient(m)
	defs := m.mapping("metric_defs")
	for i := range s.doc.MetricDefs {
		d := &s.doc.MetricDefs[i]
		s.writeDefinition(defs.mapping(d.Name), d)
	}
	s.writePoints(m)
	return m
}

func (s *skeleton) writeHead(m *mapping) {
	s.note(m, "A skeleton of a MeasuredRun, made from the InferenceX run "+comment(s.doc.Name)+".")
	s.note(m, "What its rows state is filled in, what they do not state is left out and marked. A key marked required must be")
	s.note(m, "filled in for the document to be valid, one marked to be EXACT for that verdict: put the value in the place of")
	s.note(m, "<...> and delete the words before the key. The blocks cluster and deployment may be left out whole: the run is")
	s.note(m, "then NOT_REPRODUCIBLE.")
	if s.hiddenBy != nil {
		s.note(m, fmt.Sprintf("Attempt %d of the same GitHub run hides this run.", *s.hiddenBy))
	}
	for _, flag := range s.flags[-1] {
		s.note(m, flag)
	}
	m.text("kind", "MeasuredRun")
	s.note(m, "The name is proposed: a catalog run may not have the name of a run of InferenceX. Runs of other layouts or lengths")
	s.note(m, "of the same GitHub run need names of their own.")
	m.text("name", s.proposedName())
	m.add("schema_version", plainNode("1"))
}

// proposedName is <model>-<hardware>-<framework>-<GitHub run>, with what the
// run's name ends in where its rows name no GitHub run.
func (s *skeleton) proposedName() string {
	model, tail := s.catalogModel, strings.TrimPrefix(s.doc.Name, "inferencex-")
	if model == "" {
		model = s.publisherModel
	}
	if s.githubRun != nil {
		tail = strconv.FormatInt(*s.githubRun, 10)
	}
	return slugOf(strings.Join([]string{model, s.hardware, s.framework, tail}, "-"))
}

// slugOf is text as a slug: lower-case letters and digits, joined by single
// hyphens and points.
func slugOf(text string) string {
	var b strings.Builder
	separator := ""
	for _, c := range strings.ToLower(text) {
		switch {
		case c >= 'a' && c <= 'z' || c >= '0' && c <= '9':
			if b.Len() > 0 {
				b.WriteString(separator)
			}
			b.WriteRune(c)
			separator = ""
		case c == '.' && separator == "":
			separator = "."
		default:
			separator = "-"
		}
	}
	return b.String()
}

func (s *skeleton) writeSource(m *mapping) {
	m.text("kind", s.doc.Source.Kind)
	adapter := m.mapping("adapter")
	s.required(adapter, "name", "the code that extracted the values: its path or name")
	s.required(adapter, "version", "its version")
	s.required(adapter, "sha256", "digest of its source, 64 lower-case hexadecimal digits")
	input := m.list("inputs").mapping()
	input.text("role", "report")
	if isWebURL(s.runURL) {
		s.note(input, "The address that the rows give of their run. The digest is that of the file they were read from: name that")
		s.note(input, "here where it lies elsewhere.")
		input.text("url", s.runURL)
	} else {
		address := comment(s.runURL)
		if address == "" {
			address = "none"
		}
		s.required(input, "path", "the file that the rows were read from, or url instead; the rows give "+address+" as the address of their run")
	}
	s.required(input, "sha256", "digest of that file, 64 lower-case hexadecimal digits")
	s.required(m.mapping("extraction"), "method", "how the values were read: json, sql_dump, ...")
	s.note(m, "A catalog needs an entry of this id that permits redistribute; EXACT needs one that permits score.")
	m.text("license_ref", s.doc.Source.LicenseRef)
}

// isWebURL tells an address that an input may state.
func isWebURL(address string) bool {
	u, err := url.Parse(address)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != ""
}

func (s *skeleton) writeEngine(m *mapping) {
	images := make([]string, len(s.images))
	for i, image := range s.images {
		images[i] = comment(image)
	}
	named := "The rows name no image"
	if len(images) > 0 {
		named = "The rows name the image " + strings.Join(images, " and ")
	}
	if s.doc.EngineVersion == "" {
		s.exact(m, "engine_version", "the engine's release. "+named)
		return
	}
	s.note(m, named+".")
	m.text("engine_version", s.doc.EngineVersion)
}

func (s *skeleton) writeCluster(m *mapping) {
	if s.hardware == "" {
		s.required(m, "hardware", "the accelerator")
	}
	m.text("hardware", s.hardware)
	nodes, what := s.stated(s.nodes), "nodes of the cluster"
	if nodes != nil && int64(len(s.statedPools)) > *nodes { // no document can say so
		what += "; the rows do not say that it has several, but every pool takes at least one"
		nodes = nil
	}
	s.whole(m, "nodes", nodes, what)
	what = "the rows do not state it"
	if s.gpus != nil {
		what += fmt.Sprintf("; their layout takes %d GPUs in all", *s.gpus)
	}
	s.whole(m, "gpus_per_node", s.gpusPerNode, what)
	if nodes == nil {
		s.required(m, "fabric", "what connects the nodes, where there is more than one")
	}
}

// stated is a number of nodes that the rows state. The first raw artifacts,
// which alone have no date, say nothing of nodes, and the warehouse has one
// for them.
func (s *skeleton) stated(nodes *int64) *int64 {
	if s.measuredOn == "" {
		return nil
	}
	return nodes
}

func (s *skeleton) writeDeployment(m *mapping) {
	m.text("kind", "Deployment")
	s.required(m, "name", "a name for the layout")
	for _, stated := range s.configuration() {
		s.note(m, "The rows state "+stated.key+" "+comment(stated.text)+".")
	}
	if s.collapsed != nil && *s.collapsed == 1 {
		s.note(m, "They state no split into prefill and decode: the width that both show is that of all GPUs, and is left out.")
	}
	if len(s.statedPools) == 0 {
		s.required(m, "pools", "the pools of the deployment")
		return
	}
	pools := m.list("pools")
	prefill := false
	for i := range s.statedPools {
		s.writePool(pools.mapping(), &s.statedPools[i])
		prefill = prefill || s.statedPools[i].role == "prefill"
	}
	if prefill {
		s.required(m, "pd_transfer", "a mapping with the connector between prefill and decode, {} where it is not known")
	}
}

// configuration is what the rows state of the deployment that has no key in
// the document, or none of the same meaning. The words that the warehouse puts
// where a row states nothing are not among it.
func (s *skeleton) configuration() []attribute {
	var stated []attribute
	for _, a := range append([]attribute{
		{"framework", s.framework}, {"precision", s.precision}, {"spec_method", s.spec}, {"offload_mode", s.offload}, {"recipe_fingerprint", s.fingerprint},
	}, s.texts...) {
		unstated := a.text == "" || a == attribute{"spec_method", "none"} || a == attribute{"offload_mode", "off"}
		if !unstated && !slices.Contains(stated, a) {
			stated = append(stated, a)
		}
	}
	return stated
}

func (s *skeleton) writePool(m *mapping, p *statedPool) {
	m.text("role", p.role)
	s.whole(m, "nodes", s.stated(p.nodes), "nodes of the pool")
	parallel := m.mapping("parallel")
	tp, pp := p.tp, p.pp
	if s.collapsed != nil && *s.collapsed == 1 {
		tp = nil
	}
	if pp == nil {
		pp = s.width(p.role, "pp")
	}
	if p.workers != nil && *p.workers > 0 {
		s.note(parallel, fmt.Sprintf("The rows state %d as the number of workers of this role; tp is the width of one.", *p.workers))
	}
	s.whole(parallel, "tp", tp, "tensor-parallel width")
	s.whole(parallel, "pp", pp, "pipeline-parallel width")
	what := "data-parallel width"
	if p.dpAttention != nil && *p.dpAttention {
		what += "; the rows state dp_attention"
	}
	s.whole(parallel, "dp", p.dp, what)
	parallel.whole("pcp", s.width(p.role, "pcp_size"))
	parallel.whole("dcp", s.width(p.role, "dcp_size"))
	if p.ep != nil && *p.ep > 1 {
		s.note(parallel, fmt.Sprintf("The rows state an expert-parallel width of %d; here it follows from enable_expert_parallel, tp, pcp and dp.", *p.ep))
	}
}

// width is a parallel width that all rows state among their metrics, nil where
// they do not, or state two.
func (s *skeleton) width(role, key string) *int64 {
	keys := []string{role + "_" + key}
	if role == "colocated" {
		keys = []string{key, "prefill_" + key, "decode_" + key}
	}
	var width *int64
	for _, k := range keys {
		n, ok := s.widths[k]
		switch {
		case !ok:
		case width == nil:
			width = &n
		case *width != n:
			return nil
		}
	}
	return width
}

func (s *skeleton) writeClient(m *mapping) {
	prompts := s.numPrompts()
	if s.doc.Client.Harness == "" && prompts == nil {
		s.required(m, "client", "a mapping with the load generator as its harness, {} where it is not known: the run then cannot be EXACT")
		return
	}
	client := m.mapping("client")
	if s.doc.Client.Harness == "" {
		s.exact(client, "harness", "the load generator; the rows are of the benchmark type "+comment(s.benchmark))
	}
	client.text("harness", s.doc.Client.Harness)
	client.whole("num_prompts", prompts)
}

// numPrompts is the number of requests of every level, nil where a level does
// not state it or states another.
func (s *skeleton) numPrompts() *int64 {
	var all *int64
	for i := range s.points {
		n := count(s.requests[i].total)
		if n == nil || all != nil && *all != *n {
			return nil
		}
		all = n
	}
	return all
}

// count is a number that counts something, nil for any other.
func count(x *float64) *int64 {
	if x == nil || *x < 0 || *x > 1<<53 || *x != float64(int64(*x)) {
		return nil
	}
	n := int64(*x)
	return &n
}

func (s *skeleton) writeDefinition(m *mapping, d *record.MetricDef) {
	writeDefinition(m, d)
	switch d.GPUScope {
	case "":
	case "all":
		s.note(m, "Divided by all GPUs.")
	default:
		s.note(m, "Divided by the "+comment(d.GPUScope)+" GPUs.")
	}
	for _, place := range s.unstated(d) {
		s.exact(m, place.key, place.text)
	}
}

// unstated are the keys that a complete definition has and this one has not.
func (s *skeleton) unstated(d *record.MetricDef) (places []attribute) {
	add := func(value, key, what string) {
		if value == "" {
			places = append(places, attribute{key, what})
		}
	}
	add(d.Formula, "formula", "the quantity")
	if d.Unit == "ms" {
		add(d.Statistic, "statistic", "mean, median, std, max or pNN")
	} else {
		add(d.Denominator, "denominator", "what the throughput is divided by")
	}
	add(d.Population, "population", "per_request, pooled_chunks or pooled_tokens")
	add(d.Clock, "clock", "client or server")
	return places
}

func (s *skeleton) writePoints(m *mapping) {
	if s.isl != nil || s.osl != nil {
		s.note(m, fmt.Sprintf("The rows state an input length of %s and an output length of %s tokens. They are requested, not served:", length(s.isl), length(s.osl)))
		s.note(m, "realized is left out.")
	}
	points := &list{&yaml.Node{Kind: yaml.SequenceNode}}
	for i := range s.points {
		values := valueTexts(s.points[i].values)
		if strings.Join(values, "") == "" {
			s.note(m, "The point "+comment(s.points[i].ID)+" is left out: its row states no value that a document may hold.")
			continue
		}
		s.writePoint(points.mapping(), i, values)
	}
	if len(points.node.Content) == 0 {
		s.required(m, "points", "the load levels")
		return
	}
	m.add("points", points.node)
}

// writePoint writes the point at a position with the texts of its values.
func (s *skeleton) writePoint(m *mapping, at int, values []string) {
	p := &s.points[at]
	m.text("id", p.ID)
	for _, flag := range s.flags[at] {
		s.note(m, flag)
	}
	load := m.mapping("load")
	load.whole("concurrency", p.Concurrency)
	load.number("request_rate", p.RequestRate)
	metrics := m.mapping("metrics")
	for i, text := range values {
		v := &p.values[i]
		if text == "" {
			s.note(metrics, fmt.Sprintf("%s is left out: the row states %s as %s.", comment(v.Metric), visible.Number(v.Value.Value), comment(v.RawKey)))
			continue
		}
		metric := metrics.mapping(v.Metric)
		metric.add("value", plainNode(text))
		metric.text("raw_key", v.RawKey)
	}
	m.whole("completed", count(s.requests[at].successful))
}

func valueTexts(values []value) []string {
	texts := make([]string, len(values))
	for i := range values {
		texts[i] = valueText(&values[i])
	}
	return texts
}

// valueText is a value in the unit of its definition, decimally exact where that is
// the reported one or a thousand times it. It is "" where no document may hold
// it: below 0, or beyond a double.
func valueText(v *value) string {
	x, places := v.inUnit, 0
	switch v.scale {
	case 1:
		x = v.Value.Value
	case 1000:
		x, places = v.Value.Value, 3
	}
	if x < 0 {
		return ""
	}
	text := shiftedText(x, places)
	if _, err := strconv.ParseFloat(text, 64); err != nil {
		return ""
	}
	return text
}

// shiftedText is x × 10^places in the grammar of JSON numbers: the digits are
// those of the shortest text that denotes x, so that nothing is rounded.
func shiftedText(x float64, places int) string {
	mantissa, exponent, _ := strings.Cut(strconv.FormatFloat(x, 'e', -1, 64), "e")
	e, err := strconv.Atoi(exponent)
	switch {
	case err != nil: // not finite
		return ""
	case x == 0:
		return "0"
	}
	e += places
	digits := strings.Replace(mantissa, ".", "", 1)
	switch {
	case e < -6 || e >= 21:
		return mantissa + "e" + strconv.Itoa(e)
	case e < 0:
		return "0." + strings.Repeat("0", -e-1) + digits
	case e+1 >= len(digits):
		return digits + strings.Repeat("0", e+1-len(digits))
	}
	return digits[:e+1] + "." + digits[e+1:]
}

// comment is a text of the rows within a comment: in quotes and escaped unless
// it is printable ASCII, so that it never ends the line.
func comment(text string) string {
	if strings.ContainsFunc(text, func(c rune) bool { return c < ' ' || c > '~' || c == '"' || c == '\\' }) {
		return strconv.QuoteToASCII(text)
	}
	return text
}

// length is a number of tokens in words.
func length(n *int64) string {
	if n == nil {
		return "unstated"
	}
	return strconv.FormatInt(*n, 10)
}
