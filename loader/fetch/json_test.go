package fetch

import (
	"bufio"
	"encoding/json"
	"io"
	"math/rand/v2"
	"runtime"
	"strings"
	"testing"
)

func scan(text string) error {
	return (&jsonScanner{r: bufio.NewReaderSize(strings.NewReader(text), 16)}).document()
}

// TestScannerAgreesWithEncodingJSON holds, over changed and cut JSON, that the
// scanner takes what encoding/json takes, and that what is cut breaks off.
func TestScannerAgreesWithEncodingJSON(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	seeds := []string{`{"a":[1,-0.5e+3,{"b":null,"":true}],"c\u00e9\n":"\"\\","d":false}`, `[]`, "\t{} \r\n", `[[[]],"x",0,10,1e5,-1E-2]`, `"\ud800"`, `12`, `-0`, `tru`, `"`, `{"a":1,}`, `[1,]`, `01`, `1.`, `-`, `{"a" :1 , "b":2}`}
	const alphabet = "{}[]\",:\\/u0123456789abtrueflsn-+.eE \n\x00\x1f\xff"
	verdicts := map[bool]int{}
	for i := range 60_000 {
		text := []byte(seeds[i%len(seeds)])
		for range random.IntN(3) {
			at := random.IntN(len(text))
			switch random.IntN(3) {
			case 0:
				text[at] = alphabet[random.IntN(len(alphabet))]
			case 1:
				text = append(text[:at:at], text[min(at+1, len(text)):]...)
			case 2:
				text = text[:at]
			}
			if len(text) == 0 {
				break
			}
		}
		err, valid := scan(string(text)), json.Valid(text)
		verdicts[valid]++
		if (err == nil) != valid {
			t.Fatalf("%q: %v, encoding/json says %v", text, err, valid)
		}
	}
	if verdicts[true] < 1000 || verdicts[false] < 1000 {
		t.Errorf("one-sided: %v", verdicts)
	}
	whole := seeds[0]
	for i := range len(whole) {
		if err := scan(whole[:i]); err != io.EOF {
			t.Errorf("%q: %v", whole[:i], err)
		}
	}
	if err := scan(strings.Repeat("[", maxDepth) + strings.Repeat("]", maxDepth)); err != nil {
		t.Error(err)
	}
	if err := scan(strings.Repeat("[", maxDepth+1)); err != errDepth {
		t.Errorf("nested too deep: %v", err)
	}
}

// TestLongStringsTakeNoMemory holds that a string which a small compressed body makes is not held.
func TestLongStringsTakeNoMemory(t *testing.T) {
	const size = 64 << 20
	long := io.MultiReader(strings.NewReader(`["`), io.LimitReader(letters{}, size), strings.NewReader(`"]`))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	if err := checkJSON(long, size+4); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if used := after.TotalAlloc - before.TotalAlloc; used > 4<<20 {
		t.Errorf("%d bytes were allocated", used)
	}
	row := newDecoder(io.MultiReader(strings.NewReader(`["`), io.LimitReader(letters{}, 2*maxValueRead), strings.NewReader(`"]`)))
	var v []string
	if err := row.Decode(&v); err != errLongValue {
		t.Errorf("planning read a value of %d bytes: %v", 2*maxValueRead, err)
	}
}

// letters are without end.
type letters struct{}

func (letters) Read(p []byte) (int, error) {
	for i := range p {
		p[i] = 'a'
	}
	return len(p), nil
}
