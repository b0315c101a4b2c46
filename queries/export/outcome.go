package export

import "slices"

// Counts are what an export holds.
type Counts struct {
	Runs   int64 `json:"runs"`
	Points int64 `json:"points"`
	Values int64 `json:"values"` // measured values, a row of jsonl each
}

// Outcome is what was written of a selection, and what its format could not
// hold.
type Outcome struct {
	Counts
	Unexpressed []Unexpressed // by run
	Unheld      []LeftOut     // the runs of which nothing was written, by name
}

// UnexpressedCodes are the codes of what a format could not hold, with their
// meaning.
func UnexpressedCodes() []Reason {
	return []Reason{
		{"request_rate", "the load states a request rate"},
		{"same_concurrency", "an earlier point of the run has the same concurrency"},
		{"not_a_mean", "a metric of a quantity that the format takes, with another statistic than the mean"},
		{"ambiguous", "several metrics of the run are the wanted mean"},
		{"unstated_formula", "a metric whose definition does not say what it is"},
		{"no_place", "a metric that the format has no member for"},
		{"no_mean", "points that have none of the means that the format needs"},
		{"no_anchor", "a metric without a value above 0 at the run's first point"},
		{"no_lengths", "a member that is null, for the workload's lengths are not known"},
		{"not_whole", "a mean length with a fraction where the format has an integer"},
		{"beyond_double", "a value that is beyond a double in microseconds"},
		{"missing_model", "the run states no model, which the format needs"},
		{"missing_engine_version", "the same of the engine's release"},
		{"missing_cluster", "the same of the cluster"},
		{"missing_deployment", "the same of the deployment"},
		{"missing_workload", "the same of the workload"},
		{"missing_harness", "the same of the load generator"},
	}
}

// Unexpressed is something of a run that a format could not hold. Its code is
// one of UnexpressedCodes.
type Unexpressed struct {
	Run     string   `json:"run"`
	Points  []string `json:"points"`  // ids in the order of the run, null for the run as a whole
	Metrics []string `json:"metrics"` // names in the run, sorted; null where it is not about metrics
	Reason
}

// hold counts a run of which something was written.
func (o *Outcome) hold(points, values int) {
	o.Runs++
	o.Points += int64(points)
	o.Values += int64(values)
}

// holdAll counts a run that was written with all its points and values.
func (o *Outcome) holdAll(r *run) {
	values := 0
	for i := range r.points {
		values += len(r.points[i].values)
	}
	o.hold(len(r.points), values)
}

// leave records what of a run was not written. Nothing else of the run was
// where held is false.
func (o *Outcome) leave(run string, unexpressed []Unexpressed, held bool) {
	o.Unexpressed = append(o.Unexpressed, unexpressed...)
	if held {
		return
	}
	left := LeftOut{Name: run}
	for _, u := range unexpressed {
		if !slices.Contains(left.Reasons, u.Reason) {
			left.Reasons = append(left.Reasons, u.Reason)
		}
	}
	o.Unheld = append(o.Unheld, left)
}
