package main

import (
	"context"
	"time"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

// database is the database that a command works on, as its flags say.
type database struct {
	file string
	busy time.Duration
}

// databaseFlags declares --db and --busy-timeout on fs.
func databaseFlags(fs *pflag.FlagSet) *database {
	d := &database{}
	databaseFlag(fs, &d.file)
	fs.DurationVar(&d.busy, "busy-timeout", store.DefaultBusyTimeout, "wait for other processes for up to `TIME`, such as 30s or 2m; 0 waits for none")
	return d
}

// databaseFlag declares --db on fs.
func databaseFlag(fs *pflag.FlagSet, file *string) {
	fs.StringVar(file, "db", "", "the database `FILE` (default $BLIS_WAREHOUSE_DB, else warehouse.db)")
}

// path is the path of the database: the command's own flag, the flag before the
// command, the environment variable, warehouse.db.
func (d *database) path(env *environment) string {
	switch {
	case d.file != "":
		return d.file
	case env.database != "":
		return env.database
	}
	return "warehouse.db"
}

// timeout is how long the store waits for other processes, in its terms.
func (d *database) timeout() time.Duration {
	if d.busy <= 0 {
		return -1
	}
	return d.busy
}

// open opens the existing database for reading.
func (d *database) open(ctx context.Context, env *environment) (*store.Reader, error) {
	return d.openSchema(ctx, env, migrations.Latest())
}

// openSchema opens the existing database for reading where it has that schema; 0 takes any.
func (d *database) openSchema(ctx context.Context, env *environment, schema int64) (*store.Reader, error) {
	r, err := store.OpenReader(ctx, d.path(env), store.ReaderOptions{SchemaVersion: schema, BusyTimeout: d.timeout()})
	if err != nil {
		return nil, interrupted(ctx, err)
	}
	return r, nil
}
