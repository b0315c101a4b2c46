package record

// InferenceXTableRow is a row of a dump's table that is no benchmark row: a
// pointer to one of the types below.
type InferenceXTableRow interface {
	// Place returns where the row stands. It may be written to.
	Place() *InferenceXPlace
	// Texts returns the row's texts, of which some are stored as written.
	Texts() []string
}

// InferenceXPlace is where a row of a dump stands.
type InferenceXPlace struct {
	Table    string // the table's name in the dump: eval_results
	Position int    // 1-based position of the row in its table
	Line     int    // 1-based line where the row starts
}

// Place returns the place itself, for the rows that embed one.
func (p *InferenceXPlace) Place() *InferenceXPlace { return p }

// InferenceXAttempt is an attempt of a GitHub workflow run. The zero value is none.
type InferenceXAttempt struct {
	GitHubRunID int64
	RunAttempt  int64 // from 1
}

// InferenceXWorkflowRun is a row of workflow_runs. A text that is "" is not stated.
type InferenceXWorkflowRun struct {
	InferenceXPlace
	InferenceXAttempt
	Name, Status, Conclusion, HeadSHA, HeadBranch, HTMLURL string
	CreatedAt, RunStartedAt                                string // RFC 3339 UTC
	Date                                                   string // YYYY-MM-DD, a UTC day
}

// Texts returns the row's texts.
func (r *InferenceXWorkflowRun) Texts() []string {
	return []string{r.Name, r.Status, r.Conclusion, r.HeadSHA, r.HeadBranch, r.HTMLURL}
}

// InferenceXEvaluation is a row of eval_results.
type InferenceXEvaluation struct {
	InferenceXPlace
	InferenceXAttempt // none where the row names none
	Config            InferenceXConfig
	Task              string
	Date              string // YYYY-MM-DD, a UTC day
	ISL, OSL, Conc    *int64 // nil where not stated
	LMEvalVersion     string // "" where not stated
	Metrics           []InferenceXOther
}

// Texts returns the row's texts, the keys and texts of its metrics included.
func (r *InferenceXEvaluation) Texts() []string {
	c := &r.Config
	all := []string{r.Task, r.LMEvalVersion, c.Hardware, c.Framework, c.Model, c.Precision, c.SpecMethod}
	for _, m := range r.Metrics {
		all = append(all, m.Key, m.Text)
	}
	return all
}

// InferenceXRunStats is a row of run_stats.
type InferenceXRunStats struct {
	InferenceXPlace
	InferenceXAttempt
	Hardware       string // canonical name
	Date           string // YYYY-MM-DD, a UTC day
	Success, Total int64  // jobs; Total may be 0
}

// Texts returns the row's texts.
func (r *InferenceXRunStats) Texts() []string { return []string{r.Hardware} }

// InferenceXChangelogEntry is a row of changelog_entries. A text that is "" is not stated.
type InferenceXChangelogEntry struct {
	InferenceXPlace
	InferenceXAttempt            // none where the row names none
	Date                  string // YYYY-MM-DD, a UTC day
	BaseRef, HeadRef      string
	ConfigKeys            string // compact JSON list of strings
	Description, PullLink string
}

// Texts returns the row's texts.
func (r *InferenceXChangelogEntry) Texts() []string {
	return []string{r.BaseRef, r.HeadRef, r.ConfigKeys, r.Description, r.PullLink}
}

// InferenceXAvailability is a row of availability, canonical names.
type InferenceXAvailability struct {
	InferenceXPlace
	Model, Precision, Hardware, Framework, SpecMethod string
	Disagg                                            bool
	BenchmarkType                                     string // single_turn where absent
	ISL, OSL                                          *int64 // nil for agentic traces
	Date                                              string // YYYY-MM-DD, a UTC day
}

// Texts returns the row's texts.
func (r *InferenceXAvailability) Texts() []string {
	return []string{r.Model, r.Precision, r.Hardware, r.Framework, r.SpecMethod, r.BenchmarkType}
}
