package docs_test

import (
	"os/exec"
	"strings"
	"testing"
)

// TestDigestScript holds that docs/digest.py, which knows nothing but
// docs/integrity.md, and the program compute the same digests.
func TestDigestScript(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		t.Skip("NOT RUN: there is no python3 on PATH, so nothing but Go's tests holds that the digest is what docs/integrity.md says")
	}
	db := demoDatabase(t)
	for _, flags := range [][]string{nil, {"--tables"}} {
		script := exec.CommandContext(t.Context(), python, append([]string{"digest.py", db, "integrity.md"}, flags...)...)
		out, err := script.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		want := run(t, append([]string{"digest", "--db", db}, flags...)...)
		if flags != nil { // the program's form, without its header
			want = run(t, "digest", "--db", db, "--tables", "--format", "tsv")
			_, want, _ = strings.Cut(strings.ReplaceAll(want, "\t", " "), "\n")
		}
		if string(out) != want {
			t.Errorf("digest.py %v prints\n%sthe program\n%s", flags, out, want)
		}
	}
}
