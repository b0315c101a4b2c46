package main

import (
	"context"
	"encoding/json"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/store"
)

func metadataCommand() command {
	return command{
		name:    "metadata",
		summary: "print datasette's metadata: sources, licences, columns with units, and the named queries",
		help: `Prints a metadata.json for datasette, which serves the database as web pages and
as JSON: title and description of the database with every licence that its runs
cite, a description of every table, view and column with its unit, what to sort
and filter by, and the named queries as datasette's own, with a field for each
parameter. Tables that serve the program alone are hidden.

datasette knows a database by the name of its file without the ending; --name
is for a copy with another name. It reads the queries from --config since 1.0,
from --metadata before; both take the same file.

Examples:
  blis-warehouse metadata -o metadata.json
  blis-warehouse metadata --name published --force -o metadata.json`,
		setup: setupMetadata,
	}
}

func setupMetadata(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	name := fs.String("name", "", "the `NAME` of the database in datasette (default the name of the file without its ending)")
	out := &rowOutput{}
	fs.StringVarP(&out.file, "output", "o", "-", "write to `FILE`, which appears complete or not at all; - is standard output")
	fs.BoolVar(&out.force, "force", false, "let -o overwrite a file")
	return func(ctx context.Context, env *environment, _ []string) error {
		path := database.path(env)
		relations, err := store.Dictionary(ctx)
		if err != nil {
			return interrupted(ctx, err)
		}
		r, err := database.open(ctx, env)
		if err != nil {
			return err
		}
		defer r.Close()
		licences, err := runNamed(ctx, r, "licence-terms", nil)
		if err != nil {
			return err
		}
		if *name == "" {
			*name = databaseName(path)
		}
		return out.write(env, path, func(w io.Writer) error {
			e := json.NewEncoder(jsonText{w})
			e.SetEscapeHTML(false)
			e.SetIndent("", "  ")
			return e.Encode(datasetteMetadata(*name, relations, citedLicences(licences)))
		})
	}
}

// databaseName is the name that datasette gives to a database by its file's.
func databaseName(path string) string {
	base := filepath.Base(path)
	if stem := strings.TrimSuffix(base, filepath.Ext(base)); stem != "" {
		return stem
	}
	return base
}
