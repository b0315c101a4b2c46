package catalog

import "github.com/inference-sim/blis-warehouse/store/record"

// The tables of a licence registry, after the MeasuredRun specification,
// Licence registry.

var registryTable = table[record.Registry]{
	text("kind", required, func(*record.Registry) *string { return new(string) }),
	list("sources", required, false, licenceTable, func(v *record.Registry) *[]record.Licence { return &v.Sources }),
}

var licenceTable = table[record.Licence]{
	text("id", required, func(v *record.Licence) *string { return &v.ID }, slug),
	text("title", required, func(v *record.Licence) *string { return &v.Title }),
	text("license", optional, func(v *record.Licence) *string { return &v.License }),
	text("status", required, func(v *record.Licence) *string { return &v.Status }, oneOf(vocabStatus)),
	texts("permits", optional, func(v *record.Licence) *[]string { return &v.Permits }, oneOf(vocabPermits)),
	list("evidence", optional, false, evidenceTable, func(v *record.Licence) *[]record.Evidence { return &v.Evidence }),
	text("attribution", optional, func(v *record.Licence) *string { return &v.Attribution }),
	text("note", optional, func(v *record.Licence) *string { return &v.Note }),
}

var evidenceTable = table[record.Evidence]{
	text("url", required, func(v *record.Evidence) *string { return &v.URL }, webURL),
	text("quote", required, func(v *record.Evidence) *string { return &v.Quote }),
	text("location", required, func(v *record.Evidence) *string { return &v.Location }),
}
