package main

import (
	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

// databaseFlag declares --db on fs. Its value is for databasePath.
func databaseFlag(fs *pflag.FlagSet) *string {
	return fs.String("db", "", "the database `FILE` (default $BLIS_WAREHOUSE_DB, else warehouse.db)")
}

// databasePath is the database that a command works on: the command's own flag,
// the flag before the command, the environment variable, warehouse.db.
func (env *environment) databasePath(flag string) string {
	switch {
	case flag != "":
		return flag
	case env.database != "":
		return env.database
	}
	return "warehouse.db"
}

// openReader opens the existing database at path for reading.
func openReader(path string) (*store.Reader, error) {
	return store.OpenReader(path, store.ReaderOptions{SchemaVersion: migrations.Latest()})
}
