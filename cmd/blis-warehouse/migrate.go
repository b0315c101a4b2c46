package main

import (
	"context"
	"fmt"
	"time"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/migrations"
	"github.com/inference-sim/blis-warehouse/store"
)

func migrateCommand() command {
	return command{
		name:    "migrate",
		summary: "bring the database to this program's schema, after a backup",
		help: `Creates an empty database where there is none. An older one is copied beside
itself first, and the copy's path printed; to go back, put the copy in its place.
A newer database, another program's or a damaged one is refused and left alone.

Examples:
  blis-warehouse migrate
  blis-warehouse migrate --db measurements.db`,
		setup: setupMigrate,
	}
}

func setupMigrate(fs *pflag.FlagSet) runFunc {
	database := databaseFlag(fs)
	busy := fs.Duration("busy-timeout", 5*time.Second, "how long to wait for another process that writes the database")
	return func(ctx context.Context, env *environment, _ []string) error {
		path := env.databasePath(*database)
		w, err := store.OpenWriter(ctx, path, store.WriterOptions{Create: true, BusyTimeout: *busy})
		if err != nil {
			return interrupted(ctx, err)
		}
		defer w.Close()
		if err := w.Publish(); err != nil {
			return interrupted(ctx, err)
		}
		switch {
		case w.Backup != "":
			return printText(env.stderr, fmt.Sprintf("%s: schema %d migrated to %d; the backup is %s\n", path, w.Version, migrations.Latest(), w.Backup))
		case w.Version == 0:
			return printText(env.stderr, fmt.Sprintf("%s: created with schema %d\n", path, migrations.Latest()))
		}
		return printText(env.stderr, fmt.Sprintf("%s: schema %d is up to date\n", path, w.Version))
	}
}
