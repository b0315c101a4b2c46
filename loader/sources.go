package loader

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/inference-sim/blis-warehouse/loader/catalog"
	"github.com/inference-sim/blis-warehouse/loader/fetch/ledger"
	"github.com/inference-sim/blis-warehouse/loader/inferencex"
)

// sourceKind is what a file is read as.
type sourceKind int

const (
	yamlDocument     sourceKind = iota // a run or a registry
	capture                            // InferenceX rows
	dump                               // a folder with the tables of InferenceX's database
	ledgerOfCaptures                   // what a folder's captures are from, which makes no row
)

// source is a file (or dump folder) to read.
type source struct {
	path    string // absolute, or "-" for standard input
	root    string // the directory that was named and out of which no link may lead, "" for a file that was named itself
	printed string // relative to the working directory where it lies below it
	kind    sourceKind
	place   place
	group   string // the directory that groups raw artifacts into runs
	found   bool   // found in a directory rather than named: what is no document of ours is passed over
	name    string // the file's name where it once was, "" where that is here

	captured  *ledger.Capture // what the ledger of its folder says of it, nil where none does
	operation string          // that was asked for, as a ledger says of these very bytes, "" where their content tells or none does
}

// fileName is the name of the file, which may tell what is in it.
func (s source) fileName() string {
	if s.name != "" {
		return s.name
	}
	return filepath.Base(s.path)
}

// place is where a file stands in a catalog.
type place struct {
	inCatalog bool
	registry  bool   // it is the catalog's sources.yaml
	licence   string // the directory, which must be the run's license_ref
	name      string // the file name without .yaml, which must be the run's name
	misplaced string // why it may not be where it is, "" where it may
}

// gathered is what the arguments of a command name.
type gathered struct {
	sources []source // in path order, InferenceX data in the order of the arguments
	skipped []string // files of directories that are passed over, as printed
	kept    []string // captures that a ledger tells of and that cannot be loaded yet, as printed
	ledgers []*capturedFolder
}

// gatherer collects sources from paths.
type gatherer struct {
	workDir string
	inputs  *steady
	root    string         // the directory being searched, as the argument names it
	seen    map[string]int // index in out.sources by absolute path
	out     gathered
}

// gather lists what the paths name: files, catalogs, and directories that are searched.
func gather(workDir string, paths []string, inputs *steady) (*gathered, error) {
	g := &gatherer{workDir: workDir, inputs: inputs, seen: map[string]int{}}
	for _, p := range paths {
		if err := g.argument(p); err != nil {
			return nil, err
		}
	}
	// Documents need an order that does not depend on the arguments; captures keep the arguments' order, in which the later wins.
	if err := g.named(); err != nil {
		return nil, err
	}
	slices.SortStableFunc(g.out.sources, func(a, b source) int {
		if a.kind != yamlDocument || b.kind != yamlDocument {
			return int(min(a.kind, capture)) - int(min(b.kind, capture))
		}
		return strings.Compare(a.printed, b.printed)
	})
	return &g.out, nil
}

func (g *gatherer) argument(p string) error {
	if p == "-" {
		g.add(source{path: "-", printed: "-", group: "~stdin"}) // sorts behind every directory
		return nil
	}
	if !filepath.IsAbs(p) {
		p = filepath.Join(g.workDir, p)
	}
	p = filepath.Clean(p)
	g.root = ""
	info, err := os.Stat(p)
	switch {
	case err != nil:
		return fmt.Errorf("read %s: %w", g.printed(p), err)
	case info.IsDir():
		g.root = p
		if root := catalogRoot(p); root != "" {
			return g.catalog(root)
		}
		first, firstSkipped := len(g.out.sources), len(g.out.skipped)
		if err := g.directory(p); err != nil {
			return err
		}
		return g.settle(first, firstSkipped)
	case !info.Mode().IsRegular():
		return fmt.Errorf("read %s: neither a regular file nor a directory; - reads standard input", g.printed(p))
	}
	return g.file(p, false)
}

// catalogRoot returns the measurements directory of the catalog at dir, "" where dir is none.
func catalogRoot(dir string) string {
	if filepath.Base(dir) == "measurements" {
		return dir
	}
	if info, err := os.Lstat(filepath.Join(dir, "measurements")); err == nil && info.IsDir() { // a link to it is one like others
		return filepath.Join(dir, "measurements")
	}
	return ""
}

// catalog lists the documents of the measurements directory root.
func (g *gatherer) catalog(root string) error {
	return g.walk(root, func(p string, odd string) error {
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		pl, ok := placeIn(filepath.ToSlash(rel))
		if odd == linkToDirectory {
			pl, ok = place{inCatalog: true}, true // it may hold runs, which would be missed without a word
		}
		if !ok {
			g.skip(p)
			return nil
		}
		if odd != "" {
			pl.misplaced = "this is " + odd + ": a catalog holds regular files and directories"
		}
		g.add(source{path: p, root: g.root, printed: g.printed(p), place: pl})
		return nil
	})
}

// placeIn tells where a file of a catalog stands from its path below
// measurements. Files that are not YAML are none of a catalog's documents.
func placeIn(rel string) (place, bool) {
	ext := filepath.Ext(rel)
	if lower := strings.ToLower(ext); lower != ".yaml" && lower != ".yml" {
		return place{}, false
	}
	pl := place{inCatalog: true}
	parts := strings.Split(rel, "/")
	base := parts[len(parts)-1]
	switch {
	case rel == "sources.yaml":
		pl.registry = true
	case base == "sources.yaml" || base == "sources.yml":
		pl.misplaced = "a catalog has one licence registry, measurements/sources.yaml"
	case len(parts) != 2:
		pl.misplaced = "a run of a catalog lives at measurements/<license_ref>/<name>.yaml"
	case ext != ".yaml":
		pl.misplaced = "a run of a catalog is named <name>.yaml, not " + ext
	default:
		pl.licence, pl.name = parts[0], strings.TrimSuffix(base, ext)
	}
	return pl, true
}

// directory searches a directory that is no catalog for documents and captures.
func (g *gatherer) directory(dir string) error {
	if tables := dumpFiles(dir); tables != nil {
		g.add(source{path: dir, root: g.root, printed: g.printed(dir), kind: dump})
		return g.beside(dir, tables)
	}
	return g.walk(dir, func(p string, odd string) error {
		switch strings.ToLower(filepath.Ext(p)) {
		case ".yaml", ".yml", ".json", ".jsonl", ".ndjson", ".gz", ".csv":
			if odd == "" {
				return g.file(p, true)
			}
		}
		g.skip(p)
		return nil
	})
}

// dumpFiles lists the tables of a folder that is a dump of InferenceX's database; nil where it is none.
func dumpFiles(dir string) []string {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil
	}
	defer root.Close()
	if !inferencex.IsDump(root.FS()) {
		return nil
	}
	return inferencex.DumpFiles(root.FS())
}

// beside passes over what lies in a dump's folder and is none of its tables.
func (g *gatherer) beside(dir string, tables []string) error {
	return filepath.WalkDir(dir, func(p string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return fmt.Errorf("read %s: %w", g.printed(p), err)
		case p == dir:
		case strings.HasPrefix(e.Name(), "."):
			if e.IsDir() {
				return fs.SkipDir
			}
		case e.IsDir(), filepath.Dir(p) == dir && slices.Contains(tables, e.Name()):
		default:
			g.skip(p)
		}
		return nil
	})
}

// What stands in a directory and is neither a file nor a directory.
const (
	linkToDirectory = "a link to a directory"
	brokenLink      = "a link that leads to no file"
	linkOutside     = "a link that leads out of the directory that was named, or is absolute"
	noRegularFile   = "no regular file"
)

// walk calls each for the files below dir in path order, links to files
// included; odd says what is no regular file. A catalog or dump below it is taken
// as one; links to directories and out of the directory that was named are not
// followed, hidden files are passed over.
func (g *gatherer) walk(dir string, each func(path, odd string) error) error {
	entries, err := os.ReadDir(dir) // sorted by name
	if err != nil {
		return fmt.Errorf("read %s: %w", g.printed(dir), err)
	}
	for _, e := range entries {
		p := filepath.Join(dir, e.Name())
		switch mode := e.Type(); {
		case strings.HasPrefix(e.Name(), "."):
			continue
		case mode.IsDir() && e.Name() == "measurements":
			err = g.catalog(p)
		case mode.IsDir() && dumpFiles(p) != nil:
			err = g.directory(p)
		case mode.IsDir():
			err = g.walk(p, each)
		default:
			err = each(p, g.oddity(p, mode))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// oddity says what is at p where that is no regular file and no link to one within the root.
func (g *gatherer) oddity(p string, mode fs.FileMode) string {
	if mode.IsRegular() {
		return ""
	}
	if mode&fs.ModeSymlink == 0 {
		return noRegularFile
	}
	switch info, err := os.Stat(p); {
	case err != nil:
		return brokenLink
	case info.IsDir():
		return linkToDirectory
	case !info.Mode().IsRegular():
		return noRegularFile
	}
	f, err := openFile(g.root, p)
	if err != nil {
		return linkOutside
	}
	f.Close()
	return ""
}

// openFile opens the regular file at path. Where root is not "", no link leads
// out of it on the way, whatever was changed since the search. Something else in
// the file's place is an error, a FIFO too, which is not waited for.
func openFile(root, path string) (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK
	f, err := openIn(root, path, flags)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New("it is no regular file any more")
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

func openIn(root, path string, flags int) (*os.File, error) {
	if root == "" {
		return os.OpenFile(path, flags, 0)
	}
	dir, err := os.OpenRoot(root)
	if err != nil {
		return nil, err
	}
	defer dir.Close()
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return nil, err
	}
	return dir.OpenFile(rel, flags, 0)
}

func (g *gatherer) skip(p string) { g.out.skipped = append(g.out.skipped, g.printed(p)) }

// file adds a file, whose content tells what it is.
func (g *gatherer) file(p string, found bool) error {
	s := source{path: p, root: g.root, printed: g.printed(p), group: artifactGroup(p), found: found}
	f, err := g.inputs.open(s.root, p)
	if err != nil {
		return fmt.Errorf("read %s: %w", s.printed, err)
	}
	defer f.Close()
	var of inferencex.Kind
	if s.kind, of, err = sniff(f, filepath.Base(p)); err != nil {
		return fmt.Errorf("read %s: %w", s.printed, err)
	}
	if s.kind == ledgerOfCaptures {
		return g.ledger(f, &s)
	}
	if s.kind == yamlDocument && inferencex.IsLogName(p) {
		if err := g.unlessDocument(f, &s); err != nil {
			return err
		}
	}
	if found && (s.kind == capture && !of.Loadable() || s.kind == yamlDocument && strings.EqualFold(filepath.Ext(p), ".csv")) { // a file that is named is refused with a sentence instead
		g.skip(p)
		return nil
	}
	g.add(s)
	return nil
}

// unlessDocument makes a text that mentions nothing of a document a capture, whose
// reader says what it takes to load it.
func (g *gatherer) unlessDocument(f *steadyFile, s *source) error {
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", s.printed, err)
	}
	head, err := io.ReadAll(io.LimitReader(f, sniffBytes))
	if err != nil {
		return fmt.Errorf("read %s: %w", s.printed, err)
	}
	if !catalog.Mentions(head) {
		s.kind = capture
	}
	return nil
}

// ledger reads the ledger of a captured folder, once.
func (g *gatherer) ledger(f *steadyFile, s *source) error {
	if slices.ContainsFunc(g.out.ledgers, func(l *capturedFolder) bool { return l.path == s.path }) {
		return nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", s.printed, err)
	}
	folder, err := readLedger(f, s.path, s.printed)
	if err == nil {
		err = f.done()
	}
	if err != nil {
		return err
	}
	g.out.ledgers = append(g.out.ledgers, folder)
	return nil
}

// artifactGroup names the directory of a file by its last two names: neither
// where a tree lies nor how it was named on the command line matters, and two
// experiments with a folder results each do not become one.
func artifactGroup(p string) string {
	dir := filepath.Dir(p)
	return filepath.ToSlash(filepath.Join(filepath.Base(filepath.Dir(dir)), filepath.Base(dir)))
}

// add adds a source once. One that is named again as part of a catalog takes its place in the catalog.
func (g *gatherer) add(s source) {
	if i, ok := g.seen[s.path]; ok {
		if s.place.inCatalog {
			g.out.sources[i] = s
		}
		return
	}
	g.seen[s.path] = len(g.out.sources)
	g.out.sources = append(g.out.sources, s)
}

func (g *gatherer) printed(p string) string {
	if rel, err := filepath.Rel(g.workDir, p); err == nil && filepath.IsLocal(rel) {
		return filepath.ToSlash(rel)
	}
	return p
}

// sniff tells from its beginning what a file is, and of a capture what its content is.
func sniff(r io.Reader, name string) (kind sourceKind, of inferencex.Kind, err error) {
	head := make([]byte, sniffBytes)
	n, err := io.ReadFull(r, head)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return 0, "", err
	}
	head = head[:n]
	zipped := bytes.HasPrefix(head, []byte{0x1f, 0x8b})
	if zipped {
		plain := make([]byte, sniffBytes)
		n := 0
		if z, err := gzip.NewReader(bytes.NewReader(head)); err == nil {
			n, _ = io.ReadFull(z, plain) // what follows head is missing: the error says nothing
		}
		head = plain[:n]
	}
	of, ok := inferencex.Sniff(head, name)
	switch {
	case !ok && !zipped && isLedger(head):
		return ledgerOfCaptures, "", nil
	case ok:
		return capture, of, nil
	case zipped: // never a document: the reader of captures says what is wrong
		return capture, "", nil
	}
	return yamlDocument, "", nil
}

const sniffBytes = 64 << 10
