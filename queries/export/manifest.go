package export

import (
	"bytes"
	"encoding/json"
	"io"
	"slices"
	"strings"
)

// File is a file that was exported.
type File struct {
	Path   string `json:"path"` // below the export's folder, with slashes
	SHA256 string `json:"sha256"`
	Size   int64  `json:"size"` // bytes
}

// Output is what was written, for the manifest.
type Output struct {
	Format  string
	Name    string // the file's or folder's name, "" for standard output
	SHA256  string // digest of the bytes; of a folder, of a line "<digest>  <path>" for each of Files, as sha256sum prints it
	Size    int64  // bytes
	Files   []File // of a folder, by path
	Options Options
	Outcome *Outcome
}

// Manifest says what an export holds, what it leaves out and why, and what its
// licences demand. It has no time in it: the same database gives the same
// manifest.
type Manifest struct {
	Purpose       Purpose       `json:"purpose"`
	Tier          *Tier         `json:"tier"` // exact for calibration, null for redistribution
	Format        string        `json:"format"`
	Coefficients  []string      `json:"coefficients,omitempty"` // sets that scenarios name
	ExcelSafe     bool          `json:"excel_safe,omitempty"`   // an apostrophe stands before text that a spreadsheet would run
	Partition     []string      `json:"partition,omitempty"`    // columns that the files of a folder are partitioned by
	File          *string       `json:"file"`                   // null for standard output
	SHA256        string        `json:"sha256"`
	Size          int64         `json:"size"`
	Tool          string        `json:"tool"`
	SchemaVersion int64         `json:"schema_version"` // of the database
	Counts        Counts        `json:"counts"`
	Named         bool          `json:"named"` // the runs were asked for by name
	Runs          []ManifestRun `json:"runs"`
	Unexpressed   []Unexpressed `json:"unexpressed"`     // what of the runs the format cannot hold
	LeftOut       []LeftOut     `json:"left_out"`        // catalog runs, and runs of which the format can hold nothing
	LeftOutSums   []Sum         `json:"left_out_other"`  // runs from elsewhere, counted
	Attributions  []string      `json:"attributions"`    // what a use of these runs must carry
	Files         []File        `json:"files,omitempty"` // of a folder
}

// ManifestRun is a run that an export holds.
type ManifestRun struct {
	Name           string  `json:"name"`
	DocumentSHA256 *string `json:"document_sha256"`
	LicenceID      string  `json:"licence_id"`
	SPDX           *string `json:"spdx"`
}

// NewManifest is the manifest of a selection that was written.
func NewManifest(s *Selection, out Output, tool string, schemaVersion int64) *Manifest {
	m := &Manifest{
		Purpose: s.Request.Purpose, Format: out.Format, File: orNull(out.Name), SHA256: out.SHA256, Size: out.Size, Files: out.Files,
		Tool: tool, SchemaVersion: schemaVersion, Counts: out.Outcome.Counts, Named: len(s.Request.Runs) > 0,
		Coefficients: out.Options.Coefficients, Partition: out.Options.Partition, ExcelSafe: out.Options.ExcelSafe,
		Runs: make([]ManifestRun, 0, len(s.Runs)), LeftOut: slices.Concat(s.LeftOut, out.Outcome.Unheld), LeftOutSums: slices.Clone(s.Sums),
		Unexpressed: slices.Clone(out.Outcome.Unexpressed), Attributions: []string{},
	}
	slices.SortFunc(m.LeftOut, func(a, b LeftOut) int { return strings.Compare(a.Name, b.Name) })
	unheld := map[string]bool{}
	for _, run := range out.Outcome.Unheld {
		unheld[run.Name] = true
	}
	switch s.Request.Purpose {
	case Calibration:
		tier := Exact
		m.Tier = &tier
	case Scoring:
		m.Tier = &s.Request.Tier
	}
	for i := range s.Runs {
		run := &s.Runs[i]
		if unheld[run.Name] {
			continue
		}
		m.Runs = append(m.Runs, ManifestRun{run.Name, orNull(run.DocumentSHA256), run.LicenceID, orNull(run.SPDX)})
		if run.attribution != "" {
			m.Attributions = append(m.Attributions, run.attribution)
		}
	}
	slices.Sort(m.Attributions)
	m.Attributions = slices.Compact(m.Attributions)
	if m.LeftOut == nil {
		m.LeftOut = []LeftOut{}
	}
	if m.Unexpressed == nil {
		m.Unexpressed = []Unexpressed{}
	}
	if m.LeftOutSums == nil {
		m.LeftOutSums = []Sum{}
	}
	return m
}

// Write writes the manifest as indented JSON.
func (m *Manifest) Write(w io.Writer) error {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(m); err != nil {
		return err
	}
	_, err := w.Write(b.Bytes())
	return err
}
