package export

import (
	"math"
	"math/big"
	"math/rand/v2"
	"strconv"
	"testing"

	"github.com/inference-sim/blis-warehouse/store/record"
)

func ptr[T any](v T) *T { return &v }

func TestExpertParallelWidth(t *testing.T) {
	for _, test := range []struct {
		name string
		p    record.Parallel
		want *int64
	}{
		{"not stated", record.Parallel{TP: 4, DP: 2}, ptr(int64(1))},
		{"disabled", record.Parallel{TP: 4, DP: 2, EnableExpertParallel: ptr(false)}, ptr(int64(1))},
		{"enabled", record.Parallel{TP: 4, DP: 2, EnableExpertParallel: ptr(true)}, ptr(int64(8))},
		{"pcp off", record.Parallel{TP: 4, DP: 2, PCP: ptr(int64(0)), EnableExpertParallel: ptr(true)}, ptr(int64(8))},
		{"pcp on", record.Parallel{TP: 4, PP: 7, DP: 2, PCP: ptr(int64(3)), DCP: ptr(int64(5)), EnableExpertParallel: ptr(true)}, ptr(int64(24))},
		{"beyond 64 bits", record.Parallel{TP: 1 << 62, DP: 2, EnableExpertParallel: ptr(true)}, nil},
	} {
		got := expertParallelWidth(&test.p)
		if (got == nil) != (test.want == nil) || got != nil && *got != *test.want {
			t.Errorf("%s: %v, want %v", test.name, got, test.want)
		}
	}
}

// TestShifted compares with exact rational arithmetic on the decimal text, and
// holds that multiplying doubles would not do.
func TestShifted(t *testing.T) {
	for x, want := range map[float64]float64{0: 0, 16.9: 16900, 4.35: 4350, 1e22: 1e25, 5e-324: 5e-321, 0.0000001: 0.0001} {
		if got := shifted(x, 3); got == nil || *got != want {
			t.Errorf("shifted(%v, 3) = %v, want %v", x, got, want)
		}
	}
	for _, x := range []float64{1e307, math.Inf(1)} {
		if got := shifted(x, 3); got != nil {
			t.Errorf("shifted(%v, 3) = %v, want nil", x, *got)
		}
	}
	random := rand.New(rand.NewPCG(1, 2))
	differ := 0
	for range 10000 {
		x := random.Float64() * math.Pow(10, float64(random.IntN(6)))
		exact, ok := new(big.Rat).SetString(strconv.FormatFloat(x, 'g', -1, 64))
		if !ok {
			t.Fatal(x)
		}
		want, _ := exact.Mul(exact, big.NewRat(1000, 1)).Float64()
		if got := shifted(x, 3); got == nil || *got != want {
			t.Fatalf("shifted(%v, 3) = %v, want %v", x, got, want)
		}
		if x*1000 != want {
			differ++
		}
	}
	if differ == 0 {
		t.Error("no sample tells shifting from multiplying")
	}
}

func TestMicroseconds(t *testing.T) {
	milliseconds := &value{Value: record.Value{Value: 4.35}, inUnit: 4.35, scale: 1}
	seconds := &value{Value: record.Value{Value: 0.00435}, inUnit: 0.00435 * 1000, scale: 1000}
	for _, v := range []*value{milliseconds, seconds} {
		if got := microseconds(v, "ms"); got == nil || *got != 4350 {
			t.Errorf("%+v: %v µs, want 4350", v, got)
		}
	}
	if got := microseconds(milliseconds, "tokens_per_s"); got != nil {
		t.Errorf("a throughput has %v µs", *got)
	}
}

func TestRatio(t *testing.T) {
	if got := ratio(3, ptr(2.0)); got == nil || *got != 1.5 {
		t.Errorf("3 to 2: %v", got)
	}
	for _, anchor := range []*float64{nil, ptr(0.0), ptr(5e-324)} {
		if got := ratio(3, anchor); got != nil {
			t.Errorf("ratio to %v is %v, want none", anchor, *got)
		}
	}
}

func TestRowIDIsUnambiguous(t *testing.T) {
	if got := rowID("run-1", "c1", "ttft_p50"); got != "run-1/c1/ttft_p50" {
		t.Error(got)
	}
	seen := map[string]bool{}
	for _, parts := range [][2]string{{"a/b", "c"}, {"a", "b/c"}, {"a%2Fb", "c"}, {"a", "b%2Fc"}} {
		id := rowID("run", parts[0], parts[1])
		if seen[id] {
			t.Errorf("%s twice", id)
		}
		seen[id] = true
	}
}
