package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

func migrateCommand() command {
	return command{
		name:    "migrate",
		summary: "bring the database to this program's schema, after a backup",
		help: `Creates an empty database where there is none. An older one is migrated in a
copy, which then takes its place at once; the file as it was becomes the backup,
whose path is printed. To go back, put the backup in the database's place: there
are no migrations downwards. A newer database, another program's or a damaged one
is refused and left alone.

Examples:
  blis-warehouse migrate
  blis-warehouse migrate --db measurements.db
  blis-warehouse migrate --db for-an-older-program.db --to 17`,
		setup: setupMigrate,
	}
}

func setupMigrate(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	to := fs.Int64("to", migrations.Latest(), "create with, or migrate to, the schema `VERSION`")
	return func(ctx context.Context, env *environment, _ []string) error {
		if *to < 1 || *to > migrations.Latest() {
			return &usageError{message: fmt.Sprintf("--to is a schema from 1 to %d", migrations.Latest()), command: "migrate"}
		}
		path := database.path(env)
		w, err := store.OpenWriter(ctx, path, store.WriterOptions{Create: true, Schema: *to, BusyTimeout: database.timeout()})
		if err != nil {
			return interrupted(ctx, err)
		}
		defer w.Close()
		if err := w.Publish(); err != nil {
			return interrupted(ctx, err)
		}
		path = printable(path)
		switch {
		case w.Version > *to:
			return fmt.Errorf("%s has schema version %d: to go back to %d put a backup of that schema in its place", path, w.Version, *to)
		case w.Backup != "":
			return printText(env.stderr, fmt.Sprintf("%s: schema %d migrated to %d; the backup is %s\n", path, w.Version, *to, printable(w.Backup)))
		case w.Version == 0:
			return printText(env.stderr, fmt.Sprintf("%s: created with schema %d\n", path, *to))
		}
		return printText(env.stderr, fmt.Sprintf("%s: schema %d is up to date\n", path, w.Version))
	}
}
