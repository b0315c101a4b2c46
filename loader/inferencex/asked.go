package inferencex

import "github.com/inference-sim/blis-warehouse/store/record"

// Some answers do not tell which operation they answer, or tell nothing at all:
// an empty list, the text of a log. What was asked for is then what the ledger of
// a captured folder says. It is never believed against the bytes: a file whose
// content tells is what its content tells.

// The kinds of content that several operations answer alike.
const (
	KindEmptyList   Kind = "empty-list"   // [], no rows of whatever it is
	KindEmptyObject Kind = "empty-object" // {}
	KindNames       Kind = "names"        // a list of texts
	KindIDs         Kind = "ids"          // an object of benchmark ids, such as of those that have logs or traces
)

// Ambiguous tells whether content of the kind is that of several operations, or of
// none that can be told: then it takes the operation that was asked for to read it.
func (k Kind) Ambiguous() bool {
	switch k {
	case KindEmptyList, KindEmptyObject, KindNames, KindIDs, "":
		return true
	}
	return false
}

// Asked is the kind of content that by itself is of kind k, where operation was
// asked for, "" for not known; server-log stands for a log as an attachment, whose
// text is the file. It is k where the content tells, and where the
// operation has no such answers.
func (k Kind) Asked(operation string) Kind {
	asked := Kind(operation)
	if rowsAsked(operation) {
		asked = KindRows
	}
	if operation == operationLog && (!k.Loadable() || k == KindEmptyList) { // a log may hold anything
		return operationLog
	}
	if asked.Loadable() && answers(k, operation) {
		return asked
	}
	return k
}

// answers tells whether an operation may answer with ambiguous content of a kind.
func answers(k Kind, operation string) bool {
	tables := record.InferenceXBodies(operation)
	list := tables[""] != nil || rowsAsked(operation)
	switch k {
	case KindEmptyList:
		return list
	case KindEmptyObject:
		return !list
	case KindNames:
		return operation == "server-log-files"
	case KindIDs:
		return tables[record.BodyByID] != nil || tables[record.BodyFlagByID] != nil
	}
	return false
}

// rowsAsked tells the operations that answer with benchmark rows.
func rowsAsked(operation string) bool {
	return operation == "benchmarks" || operation == "benchmarks-history"
}

// Answers tells whether content of the kind is an answer of the operation: where it
// is not, a ledger that says so is wrong. Content that is of no operation answers none.
func (k Kind) Answers(operation string) bool {
	if operation == "collectivex-latest" { // nothing in an answer tells the two apart
		operation = "collectivex-run"
	}
	return string(k) == operation || (k == KindRows || k == KindArtifact) && rowsAsked(operation)
}
