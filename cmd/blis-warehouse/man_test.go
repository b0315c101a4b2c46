package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// manualPages are all pages by name.
func manualPages() map[string]string {
	pages := map[string]string{"blis-warehouse": programPage()}
	for _, c := range commands() {
		pages[pageName(c.name)] = c.page()
	}
	return pages
}

// plain reads a page as a formatter would that knows the macros and escapes of
// our pages only, and returns its text. Whatever else it meets is an error.
func plain(t *testing.T, name, page string) string {
	t.Helper()
	escape := regexp.MustCompile(`\\(?:\[u([0-9A-F]{4,6})\]|\((aq|ga|ha|ti|dq)|([-e&])|.?)`)
	characters := map[string]string{"aq": "'", "ga": "`", "ha": "^", "ti": "~", "dq": `"`, "-": "-", "e": `\`, "&": ""}
	unescape := func(line string) string {
		if strings.ContainsAny(line, "-'`^~") && !strings.HasPrefix(line, ".") && !strings.Contains(line, `\-`) {
			t.Errorf("%s: a character that formatters replace in %q", name, line)
		}
		return escape.ReplaceAllStringFunc(line, func(e string) string {
			m := escape.FindStringSubmatch(e)
			if m[1] != "" {
				r, err := strconv.ParseInt(m[1], 16, 32)
				if err != nil {
					t.Fatal(err)
				}
				return string(rune(r))
			}
			c, ok := characters[m[2]+m[3]]
			if !ok {
				t.Errorf("%s: unknown escape %q in %q", name, e, line)
			}
			return c
		})
	}
	macro := regexp.MustCompile(`^\.(TH|SH|PP|TP|B|RS 2|RE|nf|fi|nh|ad l)(?: (.*))?$`)
	var b strings.Builder
	for line := range strings.Lines(page) {
		line = strings.TrimSuffix(line, "\n")
		if strings.HasPrefix(line, ".") || strings.HasPrefix(line, "'") {
			m := macro.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%s: %q is no macro of ours", name, line)
				continue
			}
			if m[1] != "B" {
				continue
			}
			line = m[2]
		}
		b.WriteString(unescape(line) + "\n")
	}
	return b.String()
}

// words are the words of text, however its lines are broken.
func words(text string) string { return strings.Join(strings.Fields(text), " ") }

// TestManualPages holds that the page of a command says all that its help does,
// in the same words, and that nothing in it is taken for a macro or an escape.
func TestManualPages(t *testing.T) {
	pages := manualPages()
	if len(pages) != len(commands())+1 {
		t.Fatalf("%d pages for %d commands", len(pages), len(commands()))
	}
	for _, c := range commands() {
		name := pageName(c.name)
		text := plain(t, name, pages[name])
		fs, _ := c.flags()
		description, examples := splitHelp(c.help)
		for _, part := range []string{name + " - " + c.summary, "blis-warehouse " + c.name + " " + c.synopsis(fs), description} {
			for _, paragraph := range strings.Split(part, "\n\n") {
				if !strings.Contains(words(text), words(paragraph)) {
					t.Errorf("%s does not say %q:\n%s", name, paragraph, text)
				}
			}
		}
		if examples == "" {
			t.Errorf("%s has no examples", name)
		}
		if !strings.Contains(text, "\n"+examples+"\n") {
			t.Errorf("%s does not show the examples line by line:\n%s\nin\n%s", name, examples, text)
		}
		for _, flag := range regexp.MustCompile(`(?m)^ +(?:-\w, )?(--[a-z-]+)`).FindAllStringSubmatch(fs.FlagUsages(), -1) {
			if !strings.Contains(text, flag[1]) {
				t.Errorf("%s does not name the flag %s", name, flag[1])
			}
		}
	}
	program := words(plain(t, "blis-warehouse", pages["blis-warehouse"]))
	for _, c := range commands() {
		if !strings.Contains(program, words(c.name+" "+c.args+" "+sentence(c.summary))) || !strings.Contains(program, pageName(c.name)+"(1)") {
			t.Errorf("the page of the program does not name %s", c.name)
		}
	}
}

// TestRoffText holds that text comes out of a page as it went in.
func TestRoffText(t *testing.T) {
	for _, text := range []string{".TH a", "'br", `a\b`, `\`, "--for -o", "it's `x` ^ ~", `say "it"`, "check-… ≤ 😀", ".", "", "a.b"} {
		if got := strings.TrimSuffix(plain(t, "text", roffText(text)+"\n"), "\n"); got != text {
			t.Errorf("%q came out as %q", text, got)
		}
	}
}

// TestHelpItems holds what is told as a list.
func TestHelpItems(t *testing.T) {
	p := &manPage{}
	p.text("Says who:\n  a, b\n      both\n  c   only\n      one\nand on.\n\nKept:\n  no meaning\n    deeper")
	want := "\n.PP\nSays who:\n.TP\n.B a, b\nboth\n.TP\n.B c\nonly one\n.PP\nand on.\n.PP\nKept:\n.TP\n.B no meaning\ndeeper\n"
	if got := "\n" + p.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	p = &manPage{}
	p.text("Kept:\n  as it is\n  here")
	if got, want := p.String(), ".PP\nKept:\n.PP\n.RS 2\n.nf\n  as it is\n  here\n.fi\n.RE\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestFormattedPages formats every page with the formatters that are there.
func TestFormattedPages(t *testing.T) {
	formatted := map[string][]string{
		"mandoc": {"mandoc", "-Tutf8", "-Owidth=300"},
		"groff":  {"groff", "-Kutf8", "-Tutf8", "-man", "-rLL=300n", "-ww", "-P-cbou"},
	}
	dir := t.TempDir()
	for name, page := range manualPages() {
		if err := os.WriteFile(filepath.Join(dir, name+".1"), []byte(page), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for formatter, args := range formatted {
		t.Run(formatter, func(t *testing.T) {
			if _, err := exec.LookPath(args[0]); err != nil {
				t.Skipf("NOT RUN: there is no %s on PATH, so manual pages were not formatted with it", args[0])
			}
			for _, c := range commands() {
				name := pageName(c.name)
				cmd := exec.CommandContext(t.Context(), args[0], append(args[1:], filepath.Join(dir, name+".1"))...)
				var stderr bytes.Buffer
				cmd.Stderr = &stderr
				out, err := cmd.Output()
				if err != nil || stderr.Len() > 0 {
					t.Errorf("%s: %v\n%s", name, err, stderr.Bytes())
				}
				shown := words(regexp.MustCompile(".\b").ReplaceAllString(string(out), "")) // bold is struck over
				_, examples := splitHelp(c.help)
				for example := range strings.Lines(examples) {
					if !strings.Contains(shown, words(example)) {
						t.Errorf("%s does not show %q:\n%s", name, example, out)
					}
				}
			}
		})
	}
	t.Run("lint", func(t *testing.T) {
		if _, err := exec.LookPath("mandoc"); err != nil {
			t.Skip("NOT RUN: there is no mandoc on PATH, so manual pages were not checked by it")
		}
		for name := range manualPages() {
			out, _ := exec.CommandContext(t.Context(), "mandoc", "-Tlint", "-Wwarning", filepath.Join(dir, name+".1")).Output()
			for line := range strings.Lines(string(out)) {
				// A build that does not know its commit has no date.
				if !strings.Contains(line, "missing date") && strings.Contains(line, ": ") {
					t.Error(strings.TrimPrefix(line, dir))
				}
			}
		}
	})
}

// TestManDirectory holds that all pages are written, also over earlier ones.
func TestManDirectory(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "man", "man1")
	for range 2 {
		var stdout, stderr bytes.Buffer
		if code := run([]string{"man", "--directory", dir}, strings.NewReader(""), &stdout, &stderr); code != exitDone || stdout.Len() > 0 {
			t.Fatalf("exit code %d, %s%s", code, stdout.Bytes(), stderr.Bytes())
		}
		for name, page := range manualPages() {
			got, err := os.ReadFile(filepath.Join(dir, name+".1"))
			if err != nil || string(got) != page {
				t.Errorf("%s: %v, %d bytes of %d", name, err, len(got), len(page))
			}
		}
	}
}
