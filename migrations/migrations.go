// Package migrations holds the database's schema as numbered SQL: tables
// first, then views. It is not a place for data or for queries that people
// ask. Every table, view and column carries its meaning in a comment inside
// its own statement, so that SQLite keeps it and the data dictionary is read
// back from any database.
//
// A released migration never changes.
package migrations

import (
	"embed"
	"fmt"
	"io/fs"
	"strconv"
	"strings"
)

//go:embed *.sql
var files embed.FS

// FS returns the migrations as goose reads them.
func FS() fs.FS { return files }

// Latest returns the version of the newest migration, the schema version that
// this program reads and writes.
func Latest() int64 {
	entries, err := files.ReadDir(".")
	if err != nil || len(entries) == 0 {
		panic(fmt.Sprintf("migrations: the embedded files cannot be listed: %v", err))
	}
	name := entries[len(entries)-1].Name() // ReadDir sorts by name
	number, _, _ := strings.Cut(name, "_")
	version, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		panic(fmt.Sprintf("migrations: %s has no version number", name))
	}
	return version
}
