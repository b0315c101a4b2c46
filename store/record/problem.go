package record

// Severities of a problem. An error refuses its document, a warning is stored beside it.
const (
	Error   = "error"
	Warning = "warning"
)

// Problem is one mistake in a document. It never carries the text of a credential.
type Problem struct {
	Severity string // Error or Warning
	Path     string // dotted path within the document, "" for the document as a whole
	Line     int    // 1-based; 0 where no line is known
	Rule     string // the rule's name, kebab-case
	Message  string // what is wrong and what is allowed
}
