// Package docs_test holds the documents to the program: every command that
// README.md and docs/*.md show is run and its output compared, the generated
// parts are generated again, and every command and query has its place.
//
// "go test ./docs -update" writes outputs and generated parts anew; read the
// difference before keeping it.
package docs_test

import (
	"bytes"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"
)

var update = flag.Bool("update", false, "write what the documents show of the program anew")

// program is the directory that holds the program under test.
var program string

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(testMain(m))
}

func testMain(m *testing.M) int {
	dir, err := os.MkdirTemp("", "blis-warehouse-docs-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	program = dir
	build := exec.Command("go", "build", "-trimpath", "-tags", "minimal", "-o", filepath.Join(dir, "blis-warehouse"), "./cmd/blis-warehouse")
	build.Dir = ".."
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "build the program: %v\n%s", err, out)
		return 1
	}
	return m.Run()
}

// documents are the Markdown files of the project, relative to its root.
func documents(t *testing.T) []string {
	t.Helper()
	docs, err := filepath.Glob("*.md")
	if err != nil {
		t.Fatal(err)
	}
	all := []string{"README.md", "SECURITY.md"}
	for _, d := range docs {
		all = append(all, "docs/"+d)
	}
	return all
}

func read(t *testing.T, file string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join("..", file))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

func write(t *testing.T, file, content string) {
	t.Helper()
	if err := os.WriteFile(filepath.Join("..", file), []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// TestSessions runs every command in the console blocks of the documents: a
// line that begins with "$ " is a command, which lines that begin with "> "
// continue; those after it are what it prints on standard output and standard
// error together. Commands of one document run in
// one copy of the project, in order, each in a shell of its own, and must end
// with 0. "cd DIRECTORY" is for the commands after it too. A line "..." stands
// for any number of lines.
func TestSessions(t *testing.T) {
	for _, doc := range documents(t) {
		t.Run(doc, func(t *testing.T) {
			t.Parallel()
			text := read(t, doc)
			dir := ""
			got := replaceSessions(text, func(command, want string) string {
				if slices.Contains(notRun, command) {
					return want
				}
				if dir == "" {
					dir = checkout(t)
				}
				if to, ok := strings.CutPrefix(command, "cd "); ok {
					dir = filepath.Join(dir, to)
					if info, err := os.Stat(dir); err != nil || !info.IsDir() {
						t.Errorf("$ %s: there is no such directory", command)
					}
					return want
				}
				return runSession(t, dir, command, want)
			})
			if got != text {
				write(t, doc, got)
			}
		})
	}
}

// notRun are the commands that a test cannot run: they run the tests.
var notRun = []string{"make test", "make check"}

var consoleBlock = regexp.MustCompile("(?ms)^```console\n(.*?)^```$")

// replaceSessions calls each for every command of a document and returns the
// document with what it returns as the commands' output.
func replaceSessions(text string, each func(command, output string) string) string {
	return consoleBlock.ReplaceAllStringFunc(text, func(block string) string {
		var b strings.Builder
		b.WriteString("```console\n")
		lines := strings.SplitAfter(consoleBlock.FindStringSubmatch(block)[1], "\n")
		for i := 0; i < len(lines); {
			command, isCommand := strings.CutPrefix(lines[i], "$ ")
			if !isCommand {
				b.WriteString(lines[i])
				i++
				continue
			}
			shown := lines[i]
			for i++; i < len(lines) && strings.HasPrefix(lines[i], "> "); i++ {
				shown += lines[i]
				command += lines[i][len("> "):]
			}
			var output string
			for ; i < len(lines) && !strings.HasPrefix(lines[i], "$ "); i++ {
				output += lines[i]
			}
			b.WriteString(shown + each(strings.TrimSuffix(command, "\n"), output))
		}
		return b.String() + "```"
	})
}

// runSession runs a command and compares what it prints with want. It returns
// what the document should show.
func runSession(t *testing.T, dir, command, want string) string {
	t.Helper()
	if tool, _, _ := strings.Cut(command, " "); tool == "sqlite3" {
		if _, err := exec.LookPath(tool); err != nil {
			t.Logf("NOT RUN: there is no %s on PATH for $ %s", tool, command)
			return want
		}
	}
	cmd := exec.CommandContext(t.Context(), "bash", "-c", command)
	cmd.Dir = dir
	cmd.Env = environment()
	out, err := cmd.CombinedOutput()
	got := string(out)
	if err != nil {
		t.Errorf("$ %s\n%s%v", command, got, err)
		return want
	}
	got = strings.ReplaceAll(got, "\r\n", "\n") // the documents have one kind of line
	if got != "" && !strings.HasSuffix(got, "\n") {
		got += "\n"
	}
	if shows(want, got) {
		return want
	}
	if *update {
		return got
	}
	t.Errorf("$ %s\nprints\n%sthe document shows\n%s", command, got, want)
	return want
}

// shows reports whether want, in which a line "..." stands for any lines, is got.
func shows(want, got string) bool {
	var pattern strings.Builder
	pattern.WriteString(`\A`)
	for _, line := range strings.SplitAfter(want, "\n") {
		if line == "...\n" {
			pattern.WriteString(`(?:.*\n)*?`)
		} else {
			pattern.WriteString(regexp.QuoteMeta(line))
		}
	}
	return regexp.MustCompile(pattern.String() + `\z`).MatchString(got)
}

func TestShows(t *testing.T) {
	for _, tt := range []struct {
		want, got string
		same      bool
	}{
		{"a\n", "a\n", true}, {"a\n", "a\nb\n", false}, {"a.\n", "ab\n", false}, {"", "", true}, {"", "a\n", false},
		{"a\n...\nd\n", "a\nb\nc\nd\n", true}, {"a\n...\nd\n", "a\nd\n", true}, {"...\n", "a\nb\n", true}, {"a\n...\n", "b\n", false},
	} {
		if shows(tt.want, tt.got) != tt.same {
			t.Errorf("%q shows %q: want %v", tt.want, tt.got, tt.same)
		}
	}
}

// environment has the program first on PATH and nothing of make or of the user's database.
func environment() []string {
	var env []string
	for _, v := range os.Environ() {
		name, _, _ := strings.Cut(v, "=")
		if !strings.HasPrefix(name, "MAKE") && !slices.Contains([]string{"MFLAGS", "BIN", "GOFLAGS", "BLIS_WAREHOUSE_DB", "PATH"}, name) {
			env = append(env, v)
		}
	}
	return append(env, "GOFLAGS=-buildvcs=false", "PATH="+program+":"+os.Getenv("PATH"))
}

// checkout copies what the project is built and tried with into a new directory.
func checkout(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for _, name := range []string{"Makefile", "go.mod", "go.sum", "cmd", "docs", "loader", "store", "migrations", "queries", "testdata"} {
		err := filepath.WalkDir(filepath.Join("..", name), func(p string, e fs.DirEntry, err error) error {
			if err != nil {
				return err
			}
			to := filepath.Join(dir, strings.TrimPrefix(p, ".."))
			if e.IsDir() {
				return os.MkdirAll(to, 0o755)
			}
			content, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			return os.WriteFile(to, content, 0o644)
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// run runs the program in the project's root and returns its standard output.
func run(t *testing.T, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), filepath.Join(program, "blis-warehouse"), args...)
	cmd.Dir = ".."
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s", strings.Join(args, " "), err, stderr.Bytes())
	}
	return string(out)
}

// TestMakeDemo holds that the demonstration ends well, also the second time, and
// shows the same.
func TestMakeDemo(t *testing.T) {
	dir := checkout(t)
	var first string
	for range 2 {
		cmd := exec.CommandContext(t.Context(), "make", "--no-print-directory", "demo")
		cmd.Dir = dir
		cmd.Env = environment()
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		if first == "" {
			first = string(out)
		} else if first != string(out) {
			t.Errorf("the second time it prints\n%s", out)
		}
	}
	for _, want := range []string{"NOT_REPRODUCIBLE", "blocked_by", "Near duplicates", "Against EXACT:", "0 findings"} {
		if !strings.Contains(first, want) {
			t.Errorf("%q is not shown in\n%s", want, first)
		}
	}
}

var (
	inlineCommand = regexp.MustCompile("`(blis-warehouse [a-z][^`]*)`")
	placeholders  = strings.NewReplacer("help COMMAND", "help explain", "query NAME", "query coverage", "schema NAME", "schema runs", "show RUN", "show demo-h100-tp4")
)

// TestInlineCommands runs the commands that the documents name in their text,
// on a database with all of the demonstration data.
func TestInlineCommands(t *testing.T) {
	db := demoDatabase(t)
	n := 0
	for _, doc := range documents(t) {
		for _, m := range inlineCommand.FindAllStringSubmatch(read(t, doc), -1) {
			args := strings.Fields(placeholders.Replace(m[1]))[1:]
			cmd := exec.CommandContext(t.Context(), filepath.Join(program, "blis-warehouse"), args...)
			cmd.Env = append(environment(), "BLIS_WAREHOUSE_DB="+db)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Errorf("%s: %s: %v\n%s", doc, m[1], err, out)
			}
			n++
		}
	}
	if n < 3 {
		t.Errorf("only %d commands were found", n)
	}
}

var relativeLink = regexp.MustCompile(`\]\(([a-zA-Z0-9_./-]*)(?:#([a-z0-9_-]+))?\)`)

// TestLinks holds that the documents link to files that are there, and to
// headings that these have.
func TestLinks(t *testing.T) {
	for _, doc := range documents(t) {
		for _, m := range relativeLink.FindAllStringSubmatch(read(t, doc), -1) {
			target := doc
			if m[1] != "" {
				target = filepath.Join(filepath.Dir(doc), m[1])
			}
			if _, err := os.Stat(filepath.Join("..", target)); err != nil {
				t.Errorf("%s: %v", doc, err)
			} else if m[2] != "" && !slices.Contains(anchors(read(t, target)), m[2]) {
				t.Errorf("%s: %s has no heading #%s", doc, target, m[2])
			}
		}
	}
}

var (
	fencedBlock = regexp.MustCompile("(?ms)^```.*?^```$")
	headingLine = regexp.MustCompile(`(?m)^#{1,6} (.*)$`)
)

// anchors are the anchors of a document's headings, as pages of Markdown make them.
func anchors(text string) (all []string) {
	for _, m := range headingLine.FindAllStringSubmatch(fencedBlock.ReplaceAllString(text, ""), -1) {
		all = append(all, anchor(m[1]))
	}
	return all
}

// anchor is the anchor of a heading.
func anchor(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r):
			return r
		}
		return -1
	}, strings.ToLower(heading))
}

// TestHelpExamples runs the examples in the help of every command, on a
// database with all of the demonstration data.
func TestHelpExamples(t *testing.T) {
	dir := checkout(t)
	if err := os.Mkdir(filepath.Join(dir, "runs"), 0o755); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{ // the names that the help of load gives
		"runs/my-run.yaml": "testdata/demo/files/demo-lone-file.yaml",
		"sources.yaml":     "testdata/demo/catalog/measurements/sources.yaml",
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(read(t, from)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "report.sql"), []byte("SELECT name FROM runs ORDER BY name"), 0o644); err != nil {
		t.Fatal(err)
	}
	shell := func(command string) (string, error) {
		cmd := exec.CommandContext(t.Context(), "bash", "-c", "fpath=(. .); "+command) // what zsh has
		cmd.Dir = dir
		cmd.Env = append(environment(), "HOME="+dir)
		out, err := cmd.CombinedOutput()
		return string(out), err
	}
	if out, err := shell("blis-warehouse load testdata/demo/catalog testdata/demo/captures"); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if err := os.MkdirAll(filepath.Join(dir, ".config/fish/completions"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, command := range commandNames(t) {
		_, examples, ok := strings.Cut(run(t, "help", command), "\nExamples:\n")
		if !ok {
			t.Errorf("the help of %s has no examples", command)
		}
		examples, _, _ = strings.Cut(examples, "\n\n")
		if !strings.Contains(examples, "blis-warehouse "+command) {
			t.Errorf("no example of %s runs it:\n%s", command, examples)
		}
		for _, example := range strings.Split(strings.ReplaceAll(strings.TrimRight(examples, "\n"), "\\\n", ""), "\n") {
			out, err := shell(strings.TrimSpace(example))
			findings := strings.Contains(example, "--check") && strings.Contains(fmt.Sprint(err), "exit status 1")
			if err != nil && !findings {
				t.Errorf("%s: %v\n%s", example, err, out)
			}
		}
	}
}

// commandNames are the commands as the program lists them.
func commandNames(t *testing.T) []string {
	t.Helper()
	_, list, _ := strings.Cut(run(t, "help"), "\nCommands:\n")
	list, _, _ = strings.Cut(list, "\n\n")
	var names []string
	for _, line := range strings.Split(list, "\n") {
		if name := strings.Fields(line)[0]; name != "help" {
			names = append(names, name)
		}
	}
	return names
}

// TestIndex holds that docs/README.md leads to every other page.
func TestIndex(t *testing.T) {
	index := read(t, "docs/README.md")
	for _, doc := range documents(t) {
		if name, ok := strings.CutPrefix(doc, "docs/"); ok && name != "README.md" && !strings.Contains(index, "]("+name+")") {
			t.Errorf("docs/README.md does not lead to %s", name)
		}
	}
}
