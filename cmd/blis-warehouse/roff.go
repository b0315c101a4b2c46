package main

import (
	"fmt"
	"regexp"
	"runtime/debug"
	"strings"

	"github.com/spf13/pflag"
)

// manPage is a manual page in the macros of man(7), as groff and mandoc read them.
// Whatever is given to its methods is text: nothing in it is taken for a macro
// or an escape, and a hyphen is the hyphen that a shell reads.
type manPage struct {
	strings.Builder
	begun bool // a section begins: its first paragraph needs no macro
}

// newPage begins a page of section 1. It is dated only where the build knows
// the time of its commit, so that one program always prints the same page.
func newPage(name, summary string) *manPage {
	p := &manPage{}
	info, _ := debug.ReadBuildInfo()
	fmt.Fprintf(p, ".TH %s 1 %s %s %s\n", roffArgument(strings.ToUpper(name)), roffArgument(commitDay(info)),
		roffArgument("blis-warehouse "+versionsOf(info).program), roffArgument("blis-warehouse manual"))
	p.WriteString(".nh\n.ad l\n")
	p.section("NAME")
	fmt.Fprintf(p, "%s \\- %s\n", roffText(name), roffText(summary))
	return p
}

// commitDay is the day of the commit that the program was built from,
// YYYY-MM-DD, empty where the build does not know it.
func commitDay(info *debug.BuildInfo) string {
	if info == nil {
		return ""
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.time" && len(s.Value) >= len("2006-01-02") {
			return s.Value[:len("2006-01-02")]
		}
	}
	return ""
}

func (p *manPage) section(title string) {
	fmt.Fprintf(p, ".SH %s\n", roffArgument(title))
	p.begun = true
}

func (p *manPage) synopsis(program, arguments string) {
	fmt.Fprintf(p, ".B %s\n", roffText(program))
	if arguments != "" {
		p.WriteString(roffText(arguments) + "\n")
	}
}

// part parts what follows from what is before it.
func (p *manPage) part() {
	if !p.begun {
		p.WriteString(".PP\n")
	}
	p.begun = false
}

// paragraph writes text as a paragraph, filled.
func (p *manPage) paragraph(text string) {
	p.part()
	p.WriteString(roffText(strings.Join(strings.Fields(text), " ")) + "\n")
}

// item writes a term and what it means.
func (p *manPage) item(term, text string) {
	p.begun = false
	fmt.Fprintf(p, ".TP\n.B %s\n%s\n", roffText(term), roffText(strings.Join(strings.Fields(text), " ")))
}

// verbatim writes lines as they are.
func (p *manPage) verbatim(lines string) {
	p.part()
	p.WriteString(".RS 2\n.nf\n")
	for line := range strings.Lines(lines) {
		p.WriteString(roffText(strings.TrimSuffix(line, "\n")) + "\n")
	}
	p.WriteString(".fi\n.RE\n")
}

// text writes the paragraphs of a help. Lines that are indented by two columns
// are items where a term and, two or more columns further, its meaning can be
// told, and stay as they are where not.
func (p *manPage) text(help string) {
	for _, block := range regexp.MustCompile(`\n{2,}`).Split(strings.Trim(help, "\n"), -1) {
		var filled, indented []string
		for line := range strings.Lines(block) {
			line = strings.TrimRight(line, "\n")
			if strings.HasPrefix(line, " ") {
				indented = append(indented, line)
			} else if len(indented) == 0 {
				filled = append(filled, line)
			} else {
				p.block(filled, indented)
				filled, indented = []string{line}, nil
			}
		}
		p.block(filled, indented)
	}
}

// block writes a paragraph and the indented lines beneath it.
func (p *manPage) block(filled, indented []string) {
	if filled != nil {
		p.paragraph(strings.Join(filled, " "))
	}
	if indented == nil {
		return
	}
	items, ok := helpItems(indented)
	if !ok {
		p.verbatim(strings.Join(indented, "\n"))
		return
	}
	for _, i := range items {
		p.item(i.term, i.text)
	}
}

// helpItem is a term of a list in a help and what it means.
type helpItem struct{ term, text string }

var itemLine = regexp.MustCompile(`^  (\S+(?: \S+)*)(?:  +(\S.*))?$`)

// helpItems reads indented lines as a list; ok is false where an item has no meaning.
func helpItems(lines []string) (items []helpItem, ok bool) {
	for _, line := range lines {
		if m := itemLine.FindStringSubmatch(line); m != nil {
			items = append(items, helpItem{m[1], m[2]})
		} else if len(items) > 0 {
			items[len(items)-1].text += " " + strings.TrimSpace(line)
		} else {
			return nil, false
		}
	}
	for _, i := range items {
		if i.text == "" {
			return nil, false
		}
	}
	return items, true
}

// flags writes an item for each flag.
func (p *manPage) flags(fs *pflag.FlagSet) {
	fs.VisitAll(func(f *pflag.Flag) {
		value, usage := pflag.UnquoteUsage(f)
		term := "--" + f.Name
		if f.Shorthand != "" {
			term = "-" + f.Shorthand + ", " + term
		}
		if value != "" && f.NoOptDefVal == "" {
			term += " " + value
		}
		if shown := defaultOf(f); shown != "" {
			usage += " (default " + shown + ")"
		}
		p.item(term, usage)
	})
}

// defaultOf is the default of a flag where there is one to tell.
func defaultOf(f *pflag.Flag) string {
	switch f.DefValue {
	case "", "0", "false", "[]", "0s":
		return ""
	}
	return f.DefValue
}

func (p *manPage) exitStatus() {
	p.section("EXIT STATUS")
	for _, e := range exitCodes() {
		p.item(fmt.Sprint(e.code), e.meaning)
	}
}

func (p *manPage) seeAlso(names []string) {
	p.section("SEE ALSO")
	var links []string
	for _, name := range names {
		links = append(links, roffText(name)+"(1)")
	}
	p.WriteString(strings.Join(links, ",\n") + "\n")
}

// roffText is text in which nothing is a macro or an escape. It is one line.
func roffText(text string) string {
	var b strings.Builder
	if strings.HasPrefix(text, ".") || strings.HasPrefix(text, "'") {
		b.WriteString(`\&`)
	}
	for _, r := range text {
		switch {
		case r == '\\':
			b.WriteString(`\e`)
		case r == '-':
			b.WriteString(`\-`)
		case r == '\'':
			b.WriteString(`\(aq`)
		case r == '`':
			b.WriteString(`\(ga`)
		case r == '^':
			b.WriteString(`\(ha`)
		case r == '~':
			b.WriteString(`\(ti`)
		case r == '"':
			b.WriteString(`\(dq`)
		case r > '~':
			fmt.Fprintf(&b, `\[u%04X]`, r)
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// roffArgument is text as one argument of a macro.
func roffArgument(text string) string { return `"` + roffText(text) + `"` }
