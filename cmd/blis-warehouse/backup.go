package main

import (
	"context"
	"fmt"

	"github.com/spf13/pflag"

	"github.com/inference-sim/blis-warehouse/store"
)

func backupCommand() command {
	return command{
		name:    "backup",
		args:    "FILE",
		minArgs: 1,
		maxArgs: 1,
		summary: "write a consistent copy of the database to a new file",
		help: `The copy appears complete or not at all, and never replaces a file. It is a
database like any other: to restore it, put it in the database's place.

Examples:
  blis-warehouse backup warehouse-backup.db`,
		setup: setupBackup,
	}
}

func setupBackup(fs *pflag.FlagSet) runFunc {
	database := databaseFlags(fs)
	return func(ctx context.Context, env *environment, args []string) error {
		path := database.path(env)
		r, err := database.openSchema(ctx, env, 0) // refuses what is no warehouse
		if err != nil {
			return err
		}
		if err := r.Close(); err != nil {
			return err
		}
		if err := store.Backup(ctx, path, args[0], database.timeout()); err != nil {
			return interrupted(ctx, err)
		}
		return printText(env.stderr, fmt.Sprintf("%s: copied to %s\n", printable(path), printable(args[0])))
	}
}
