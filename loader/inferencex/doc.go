// Package inferencex reads benchmark data of InferenceX: the JSON bodies of its
// public API, the raw artifacts its benchmark jobs leave behind, and the dumps
// of its database. Bytes go in; normalised record.InferenceXRow values, problems
// and a summary of drift come out. It knows no database and no clock.
//
// It is not a client of the API and it judges no value: a row is one measured
// point as the publisher states it, with canonical names beside the raw ones.
//
// The one design choice is a JSON reader written for this shape. A file is read
// in blocks of at most 1 MiB; a row is decoded straight into the columns of its
// record, fully validated, without allocating per value; a row cut by the end of
// a block is decoded again from its start when more bytes are there.
package inferencex
