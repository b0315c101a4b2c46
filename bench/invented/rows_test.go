package invented

import (
	"bytes"
	"encoding/json"
	"testing"
)

func TestRows(t *testing.T) {
	const n = 1000
	var array, again, lines bytes.Buffer
	for to, form := range map[*bytes.Buffer]Form{&array: Array, &again: Array, &lines: Lines} {
		if err := Rows(to, n, form); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(array.Bytes(), again.Bytes()) {
		t.Error("two times are two inputs")
	}
	var rows []struct {
		Conc    int
		RunURL  string `json:"run_url"`
		Recipe  string `json:"recipe_fingerprint"`
		Metrics map[string]float64
	}
	if err := json.Unmarshal(array.Bytes(), &rows); err != nil || len(rows) != n {
		t.Fatal(len(rows), err)
	}
	if got := bytes.Count(lines.Bytes(), []byte("\n")); got != n {
		t.Errorf("%d lines", got)
	}
	metrics, runs := 0, 0
	for i, r := range rows {
		metrics += len(r.Metrics)
		if r.Conc == 1 {
			runs++
		} else if rows[i-1].Conc*2 != r.Conc || rows[i-1].Recipe != r.Recipe || rows[i-1].RunURL != r.RunURL {
			t.Fatalf("row %d does not go on with the run of the one before it", i)
		}
	}
	if perRow, perRun := metrics/n, n/runs; perRow < 34 || perRow > 38 || perRun < 5 || perRun > 9 {
		t.Errorf("%d metrics a row, %d rows a run", perRow, perRun)
	}
}
