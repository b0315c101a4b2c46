package loader

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gopkg.in/yaml.v3"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/queries/export"
	"github.com/inference-sim/blis-warehouse/store"
)

// specimen is a run document that is valid.
type specimen struct {
	file          string // where it comes from
	name, licence string
	content       string
}

// TestExportedDocumentsLoadToTheSameRows holds that every valid document of the
// conformance cases and of the project's own test data comes back from an
// export as a document that is valid and loads to the same rows in all tables.
// What depends on the document's bytes, on its file's place or on how it was
// admitted is no row of the run.
func TestExportedDocumentsLoadToTheSameRows(t *testing.T) {
	t.Run("conformance cases", func(t *testing.T) { roundTripAll(t, conformanceDocuments(t)) })
	t.Run("test data", func(t *testing.T) {
		roundTripAll(t, slices.Concat(documentsBelow(t, "../testdata/demo/catalog"), documentsBelow(t, "../queries/export/testdata/catalog"),
			documentsBelow(t, "../testdata/demo/files")))
	})
}

// roundTripAll takes valid documents through an export and back, and counts them: none may be left out.
func roundTripAll(t *testing.T, all []specimen) {
	t.Helper()
	left := map[string]bool{}
	for _, s := range all {
		left[s.file] = true
	}
	t.Logf("%d documents", len(left))
	for len(all) > 0 {
		batch, rest := oneOfEachName(all)
		all = rest
		// A document that states its verdict is valid only where its licence gives it.
		for _, permits := range []string{everything, "redistribute"} {
			valid, invalid := partition(t, batch, permits)
			batch = invalid
			if len(valid) == 0 {
				continue
			}
			roundTrip(t, valid, permits)
			for _, s := range valid {
				delete(left, s.file)
			}
		}
		for _, s := range batch {
			t.Errorf("%s is valid under no licence", s.file)
		}
	}
	for file := range left {
		t.Errorf("%s was left out", file)
	}
}

// conformanceDocuments are the run documents that the conformance cases call
// valid, and those of the catalogs of the view cases that are. The test is
// skipped, aloud, where the cases are not at hand.
func conformanceDocuments(t *testing.T) []specimen {
	t.Helper()
	root := filepath.Join("..", "..", "shared", "conformance")
	cases, err := os.ReadFile(filepath.Join(root, "cases.jsonl"))
	if err != nil {
		t.Skipf("the conformance cases are not at hand: only the project's own documents are tried: %v", err)
	}
	var all []specimen
	for line := range strings.Lines(string(cases)) {
		var c struct {
			Documents []struct {
				File  string
				Valid bool
			}
		}
		if err := json.Unmarshal([]byte(line), &c); err != nil {
			t.Fatal(err)
		}
		for _, d := range c.Documents {
			if !d.Valid {
				continue
			}
			s, kind := specimenOf(t, filepath.Join(root, d.File))
			switch kind {
			case "MeasuredRun":
				all = append(all, s)
			case "MeasurementSources":
			default:
				t.Errorf("%s is of kind %q", s.file, kind)
			}
		}
	}
	if len(all) < 200 {
		t.Errorf("only %d valid documents in %s", len(all), root)
	}
	return append(all, documentsBelow(t, filepath.Join(root, "views"))...)
}

// documentsBelow are the valid run documents of a folder.
func documentsBelow(t *testing.T, dir string) []specimen {
	t.Helper()
	var all []specimen
	err := filepath.WalkDir(dir, func(path string, e os.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".yaml" {
			return err
		}
		if s, kind := specimenOf(t, path); kind == "MeasuredRun" {
			all = append(all, s)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	open, rest := partitionAll(t, all, everything)
	closed, _ := partitionAll(t, rest, "redistribute")
	if len(open) == 0 {
		t.Errorf("none of %d documents below %s is valid", len(all), dir)
	}
	return append(open, closed...)
}

// specimenOf is the document in a file, with its kind, "" where it is not YAML.
func specimenOf(t *testing.T, path string) (s specimen, kind string) {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil { // what holds the shape of a credential is kept encoded
		encoded, missing := os.ReadFile(path + ".b64")
		if missing != nil {
			t.Fatal(err)
		}
		if content, err = io.ReadAll(base64.NewDecoder(base64.StdEncoding, strings.NewReader(string(encoded)))); err != nil {
			t.Fatal(err)
		}
	}
	var d struct {
		Kind, Name string
		Source     struct {
			LicenseRef string `yaml:"license_ref"`
		}
	}
	if err := yaml.Unmarshal(content, &d); err != nil {
		return specimen{file: path}, ""
	}
	return specimen{path, d.Name, d.Source.LicenseRef, string(content)}, d.Kind
}

// oneOfEachName are documents of different names, and the rest.
func oneOfEachName(all []specimen) (some, rest []specimen) {
	seen := map[string]bool{}
	for _, s := range all {
		if seen[s.name] {
			rest = append(rest, s)
		} else {
			some = append(some, s)
		}
		seen[s.name] = true
	}
	return some, rest
}

func partitionAll(t *testing.T, all []specimen, permits string) (valid, invalid []specimen) {
	t.Helper()
	for len(all) > 0 {
		batch, rest := oneOfEachName(all)
		all = rest
		v, i := partition(t, batch, permits)
		valid, invalid = append(valid, v...), append(invalid, i...)
	}
	return valid, invalid
}

// partition tells the documents that are valid under licences with these
// permits. Their names differ.
func partition(t *testing.T, batch []specimen, permits string) (valid, invalid []specimen) {
	t.Helper()
	if len(batch) == 0 {
		return nil, nil
	}
	w := newWorld(t, filesOf(batch, permits))
	report, err := Validate(context.Background(), []string{filepath.Join(w.dir, "runs"), filepath.Join(w.dir, "sources.yaml")}, w.options())
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{}
	for _, d := range report.Documents {
		if !d.Valid {
			refused[filepath.Base(d.File)] = true
		}
	}
	for _, s := range batch {
		if refused[s.name+".yaml"] {
			invalid = append(invalid, s)
		} else {
			valid = append(valid, s)
		}
	}
	return valid, invalid
}

// filesOf are documents as lone files, with a registry of the licences that they cite.
func filesOf(batch []specimen, permits string) map[string]string {
	licences, files := map[string]string{}, map[string]string{}
	for _, s := range batch {
		licences[s.licence] = permits
		files["runs/"+s.name+".yaml"] = s.content
	}
	files["sources.yaml"] = registryYAML(licences)
	return files
}

// roundTrip loads documents, exports them, loads what came out into a fresh
// database, and compares.
func roundTrip(t *testing.T, batch []specimen, permits string) {
	t.Helper()
	w := newWorld(t, filesOf(batch, permits))
	w.load("first.db", w.options(), filepath.Join(w.dir, "sources.yaml"), filepath.Join(w.dir, "runs"))
	var names []string
	for _, s := range batch {
		names = append(names, s.name)
	}
	files := exportedCatalog(t, filepath.Join(w.dir, "first.db"), names)
	if len(files) != len(batch)+1 {
		t.Fatalf("%d files for %d documents", len(files), len(batch))
	}
	w.write(files)
	for _, d := range w.load("second.db", w.options(), filepath.Join(w.dir, "exported")).Documents {
		for _, p := range d.Problems {
			if p.Severity == "error" {
				t.Errorf("%s:%d: %s: %s", d.File, p.Line, p.Path, p.Message)
			}
		}
	}
	of := func(db string) []string {
		return w.logicalContentBut(db, "document_contents", "run_versions", "registries", "registry_versions", "licence_claims",
			"runs.document_sha256", "runs.admitted_as", "licences.registry_id")
	}
	want := of("first.db")
	if len(want) < 20*len(batch) {
		t.Errorf("%d rows for %d documents: the comparison shows nothing", len(want), len(batch))
	}
	compareContent(t, "loaded from the export", of("second.db"), want)
}

// exportedCatalog are the files of an export of runs as documents.
func exportedCatalog(t *testing.T, db string, names []string) map[string]string {
	t.Helper()
	r, err := store.OpenReader(t.Context(), db, store.ReaderOptions{SchemaVersion: migrations.Latest()})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s, err := export.Select(t.Context(), r, export.Request{Purpose: export.Redistribution, Runs: names, Documents: true})
	if err != nil || len(s.Refused) > 0 {
		t.Fatalf("%v, refused: %v", err, s.Refused)
	}
	files := map[string]string{}
	_, err = export.FormatNamed("yaml").Write(t.Context(), r, s, export.Options{}, func(path string) (io.WriteCloser, error) {
		return &textFile{files: files, name: "exported/" + path}, nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

// textFile is a file that is among files once it is closed.
type textFile struct {
	strings.Builder
	files map[string]string
	name  string
}

func (f *textFile) Close() error {
	f.files[f.name] = f.String()
	return nil
}
