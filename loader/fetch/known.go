package fetch

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
)

// known is what a folder holds of one server: the newest response of each
// address, by operation, and sorted by address.
type known struct {
	folder string
	stored map[string][]ledger.Capture
}

// knownOf collects what states say of the server at base.
func knownOf(folder, base string, states map[string]ledger.State) *known {
	k := &known{folder, map[string][]ledger.Capture{}}
	for _, url := range slices.Sorted(maps.Keys(states)) {
		if s := states[url].Stored; s != nil && strings.HasPrefix(url, base+"/") {
			k.stored[s.Operation] = append(k.stored[s.Operation], *s)
		}
	}
	return k
}

// rows decodes every element of the arrays that an operation's responses are.
func rows[T any](k *known, operation string, each func(row T)) error {
	return k.files(operation, func(c *ledger.Capture, d *decoder) error {
		if t, err := d.Token(); err != nil || t != json.Delim('[') {
			return fmt.Errorf("not a list: %v", cmp.Or(err, fmt.Errorf("it begins with %v", t)))
		}
		for d.More() {
			var row T
			if err := d.Decode(&row); err != nil {
				return err
			}
			each(row)
		}
		return nil
	})
}

// bodies decodes every response of an operation.
func bodies[T any](k *known, operation string, each func(c *ledger.Capture, body T)) error {
	return k.files(operation, func(c *ledger.Capture, d *decoder) error {
		var body T
		if err := d.Decode(&body); err != nil {
			return err
		}
		each(c, body)
		return nil
	})
}

// maxValueRead bounds a value that planning holds in memory: a row, or a whole
// response of those that are no lists of rows. The API's have some kB.
const maxValueRead = 64 << 20

var errLongValue = fmt.Errorf("a value in it is longer than %d MiB", maxValueRead>>20)

// decoder decodes values of a bounded length each.
type decoder struct {
	*json.Decoder
	from *io.LimitedReader
}

func newDecoder(r io.Reader) *decoder {
	from := &io.LimitedReader{R: r, N: maxValueRead}
	return &decoder{json.NewDecoder(from), from}
}

// Decode reads the next value into v.
func (d *decoder) Decode(v any) error {
	err := d.Decoder.Decode(v)
	if err != nil && d.from.N <= 0 {
		return errLongValue
	}
	d.from.N = maxValueRead
	return err
}

func (k *known) files(operation string, each func(*ledger.Capture, *decoder) error) error {
	for _, c := range k.stored[operation] {
		f, err := openRegular(filepath.Join(k.folder, c.File))
		if err != nil {
			return fmt.Errorf("read the %s that was captured: %w", operation, err)
		}
		err = each(&c, newDecoder(f))
		f.Close()
		if err != nil {
			if err == io.EOF {
				err = io.ErrUnexpectedEOF
			}
			return fmt.Errorf("read the %s that was captured, %s: %w", operation, c.File, err)
		}
	}
	return nil
}

// integer is a whole number, which the API serves as a number or in a string; 0 where there is none.
type integer int64

// UnmarshalJSON reads a number, a number in a string, or null. Anything else is 0 too.
func (n *integer) UnmarshalJSON(b []byte) error {
	text := strings.Trim(string(b), `"`)
	if i, err := strconv.ParseInt(text, 10, 64); err == nil {
		*n = integer(i)
	} else if f, err := strconv.ParseFloat(text, 64); err == nil && f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		*n = integer(f)
	}
	return nil
}

func (n integer) String() string { return strconv.FormatInt(int64(n), 10) }

// combination is what planning needs of a row of availability.
type combination struct {
	Model         string  `json:"model"`
	ISL           integer `json:"isl"`
	OSL           integer `json:"osl"`
	BenchmarkType string  `json:"benchmark_type"`
}

func (c *combination) agentic() bool { return c.BenchmarkType == agentic }

// agentic is the benchmark type without fixed lengths.
const agentic = "agentic_traces"

// combinations are those of availability, each once, sorted.
func (k *known) combinations() ([]combination, error) {
	found := map[combination]bool{}
	err := rows(k, "availability", func(c combination) { found[c] = true })
	return slices.SortedFunc(maps.Keys(found), func(a, b combination) int {
		return cmp.Or(cmp.Compare(a.Model, b.Model), cmp.Compare(a.BenchmarkType, b.BenchmarkType), cmp.Compare(a.ISL, b.ISL), cmp.Compare(a.OSL, b.OSL))
	}), err
}

func (k *known) models() (all []values, err error) {
	combinations, err := k.combinations()
	for _, c := range combinations {
		all = append(all, values{"model": displayName(c.Model)})
	}
	return all, err
}

func (k *known) sequences() (all []values, err error) {
	combinations, err := k.combinations()
	for _, c := range combinations {
		switch v := (values{"model": displayName(c.Model)}); {
		case c.agentic():
			v["benchmarkType"] = agentic
			all = append(all, v)
		case c.ISL > 0 && c.OSL > 0:
			v["isl"], v["osl"] = c.ISL.String(), c.OSL.String()
			all = append(all, v)
		}
	}
	return all, err
}

// workloads asks for both views of each model, with the lengths that it was measured at.
func (k *known) workloads() (all []values, err error) {
	combinations, err := k.combinations()
	lengths := map[string][]string{}
	for _, c := range combinations {
		if of := c.ISL.String() + "x" + c.OSL.String(); c.ISL > 0 && c.OSL > 0 && !slices.Contains(lengths[c.Model], of) {
			lengths[c.Model] = append(lengths[c.Model], of)
		}
	}
	for _, model := range slices.Sorted(maps.Keys(lengths)) {
		for _, view := range []string{"points", "scores"} {
			all = append(all, values{"model": model, "workloads": strings.Join(lengths[model], ","), "view": view})
		}
	}
	return all, err
}

// A dataset is what planning needs of a dataset's record.
type dataset struct {
	Slug          string  `json:"slug"`
	Conversations integer `json:"conversation_count"`
}

func (k *known) slugs() (all []values, err error) {
	err = rows(k, "datasets", func(d dataset) { all = append(all, values{"slug": d.Slug}) })
	return all, err
}

// pageSize is the largest page of conversations that the API serves.
const pageSize = 200

func (k *known) pages() (all []values, err error) {
	err = rows(k, "datasets", func(d dataset) {
		for offset := integer(0); offset < max(d.Conversations, 1); offset += pageSize {
			if len(all) > maxPlanned {
				return
			}
			all = append(all, values{"slug": d.Slug, "limit": strconv.Itoa(pageSize), "offset": offset.String(), "sort": "id"})
		}
	})
	return all, err
}

func (k *known) conversations() (all []values, err error) {
	type page struct {
		Items []struct {
			ID string `json:"conv_id"`
		} `json:"items"`
	}
	err = bodies(k, "conversations", func(c *ledger.Capture, p page) {
		for _, item := range p.Items {
			all = append(all, values{"slug": c.Params["slug"], "convId": item.ID})
		}
	})
	return all, err
}

// contractVersion is the version of the collective benchmarks' contract that the reference names.
const contractVersion = "1"

func (k *known) version() ([]values, error) { return []values{{"version": contractVersion}}, nil }

func (k *known) collectives() (all []values, err error) {
	type list struct {
		Runs []struct {
			ID integer `json:"run_id"`
		} `json:"runs"`
	}
	err = bodies(k, "collectivex-runs", func(_ *ledger.Capture, l list) {
		for _, run := range l.Runs {
			if run.ID > 0 {
				all = append(all, values{"runId": run.ID.String(), "version": contractVersion})
			}
		}
	})
	return all, err
}

// benchmark is what planning needs of a benchmark row.
type benchmark struct {
	ID            integer `json:"id"`
	Hardware      string  `json:"hardware"`
	Framework     string  `json:"framework"`
	Model         string  `json:"model"`
	Precision     string  `json:"precision"`
	SpecMethod    string  `json:"spec_method"`
	BenchmarkType string  `json:"benchmark_type"`
	RunURL        string  `json:"run_url"`
}

// ids are those of the captured benchmark rows, sorted.
func (k *known) ids() ([]integer, error) {
	found := map[integer]bool{}
	err := rows(k, "benchmarks", func(b benchmark) {
		if b.ID > 0 {
			found[b.ID] = true
		}
	})
	return slices.Sorted(maps.Keys(found)), err
}

// groups asks for the siblings of one row of each group, the one with the smallest id: they have the same.
func (k *known) groups() (all []values, err error) {
	first := map[benchmark]integer{}
	err = rows(k, "benchmarks", func(b benchmark) {
		id := b.ID
		b.ID = 0
		if known, ok := first[b]; id > 0 && (!ok || id < known) {
			first[b] = id
		}
	})
	return eachID(slices.Sorted(maps.Values(first))), err
}

func eachID(ids []integer) (all []values) {
	for _, id := range ids {
		all = append(all, values{"id": id.String()})
	}
	return all
}

// batches are lists of at most size ids.
func batches(ids []integer, size int) (all []values) {
	for batch := range slices.Chunk(ids, size) {
		texts := make([]string, len(batch))
		for i, id := range batch {
			texts[i] = id.String()
		}
		all = append(all, values{"ids": strings.Join(texts, ",")})
	}
	return all
}

func (k *known) batchesOf500() ([]values, error) {
	ids, err := k.ids()
	return batches(ids, 500), err
}

// available are the ids of which an operation says that there is something.
func (k *known) available(operation string) ([]integer, error) {
	found := map[integer]bool{}
	err := bodies(k, operation, func(_ *ledger.Capture, of map[string]any) {
		for text, there := range of {
			if id, err := strconv.ParseInt(text, 10, 64); err == nil && id > 0 && there == true {
				found[integer(id)] = true
			}
		}
	})
	return slices.Sorted(maps.Keys(found)), err
}

func (k *known) logged() ([]values, error) { return k.eachAvailable("log-availability") }

func (k *known) logFiles() (all []values, err error) {
	err = bodies(k, "server-log-files", func(c *ledger.Capture, files []string) {
		for _, file := range files {
			all = append(all, values{"id": c.Params["id"], "file": file})
		}
	})
	return all, err
}

func (k *known) traced() ([]values, error) { return k.eachAvailable("trace-availability") }

func (k *known) eachAvailable(operation string) ([]values, error) {
	ids, err := k.available(operation)
	return eachID(ids), err
}

func (k *known) tracedBatches() ([]values, error) {
	ids, err := k.available("trace-availability")
	return batches(ids, 200), err
}
