package docs_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// pictureShown is a picture that docs/pictures.md shows.
var pictureShown = regexp.MustCompile(`\]\(pictures/([a-z-]+)\.svg\)`)

// TestPictures holds that the pictures in the documents are what the command
// that stands beneath each makes.
func TestPictures(t *testing.T) {
	const doc = "docs/pictures.md"
	text := read(t, doc)
	shown := pictureShown.FindAllStringSubmatch(text, -1)
	if len(shown) < 3 {
		t.Errorf("%s shows %d pictures", doc, len(shown))
	}
	database := filepath.Join(t.TempDir(), "pictures.db")
	run(t, "load", "--db", database, "testdata/demo/catalog", "testdata/demo/captures")
	for _, m := range shown {
		name := m[1] + ".svg"
		command := regexp.MustCompile(`(?m)^\$ blis-warehouse (plot .*) -o ` + regexp.QuoteMeta(name) + `$`).FindStringSubmatch(text)
		if command == nil {
			t.Errorf("%s shows %s, and not how it is made", doc, name)
			continue
		}
		want := run(t, append(strings.Fields(command[1]), "--db", database, "-o", "-")...)
		file := "docs/pictures/" + name
		if *update {
			write(t, file, want)
		}
		if read(t, file) != want {
			t.Errorf("%s is not what the program draws: go test ./docs -update", file)
		}
	}
	files, err := os.ReadDir("pictures")
	if err != nil {
		t.Fatal(err)
	}
	if len(files) != len(shown) {
		t.Errorf("docs/pictures has %d files, %s shows %d", len(files), doc, len(shown))
	}
}
