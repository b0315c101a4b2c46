package record

// InferenceXCapture is a request to the InferenceX API that came to an end, as
// the ledger of a captured folder has it. A text that is "" is not stated, and
// so is a Status of 0.
type InferenceXCapture struct {
	URL           string // without credentials
	StartedAt     string // RFC 3339 UTC, with milliseconds
	Outcome       string // complete, unchanged, refused, failed
	Operation     string // as the table of operations calls it
	Params        string // JSON object of texts
	FinalURL      string
	DurationMS    int64
	Attempts      int64
	Status        int64 // of HTTP
	File          string
	Size          int64  // of the file, nothing without one
	SHA256        string // of the file
	WireSize      int64  // bytes that came
	ContentType   string
	Encoding      string
	ETag          string
	LastModified  string
	Date          string
	Reason, Error string
}

// Texts returns the texts, which are stored as written.
func (c *InferenceXCapture) Texts() []string {
	return []string{c.URL, c.Operation, c.Params, c.FinalURL, c.File, c.ContentType, c.Encoding, c.ETag, c.LastModified, c.Date, c.Reason, c.Error}
}
