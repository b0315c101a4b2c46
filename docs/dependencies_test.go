package docs_test

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// modulePackage is what go list tells of a package in the program.
type modulePackage struct {
	ImportPath string
	Standard   bool
	Module     *struct {
		Path, Version, Dir string
		Main               bool
	}
}

// builtPackages are the packages that the program is built of, on Linux. It
// needs no network: what the tests were built with is in the module cache.
func builtPackages(t *testing.T) (all []modulePackage) {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), "go", "list", "-tags", "minimal", "-deps", "-json=ImportPath,Standard,Module", "./cmd/blis-warehouse")
	cmd.Dir = ".."
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux", "GOARCH=amd64")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("go list: %v\n%s", err, stderr.Bytes())
	}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var p modulePackage
		if err := d.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

// licenceTexts are sentences that only one licence has.
var licenceTexts = []struct{ licence, sentence string }{
	{"Apache-2.0", "Apache License Version 2.0, January 2004"},
	{"BSD-3-Clause", "may be used to endorse or promote products derived from this software without specific prior written permission"},
	{"BSD-2-Clause", "Redistribution and use in source and binary forms, with or without modification, are permitted provided that the following conditions are met"},
	{"MIT", "Permission is hereby granted, free of charge, to any person obtaining a copy of this software and associated documentation files"},
	{"public domain", "All of the code and documentation in SQLite has been dedicated to the public domain by the authors"},
	{"Apache-2.0", `Licensed under the Apache License, Version 2.0 (the "License")`},
}

// copyleft are words of licences that the program must not be under, and of such as are no open-source licence.
var copyleft = regexp.MustCompile(`(?i)GNU (lesser |library |affero )?general public|\b[AL]?GPL\b|mozilla public|\bMPL\b|eclipse public|common development and distribution|\bCDDL\b|` +
	`european union public|server side public|business source|commons clause|share-?alike|creative commons|non-?commercial`)

// readByPeople are files that no sentence classifies, by digest, with what
// reading them showed. A new version of one is to be read again.
var readByPeople = map[string]string{
	"96f408bfae65bf137fc2525d3ecb030271c50c1e90799f87abf8846d8dd505cc": "a grant of patents beside the licence",
	"5ae5bee3072a841376451b48d8cfcec7188e10543926d5870828d36c8a750dc5": "where the logo of its page is from; no part of the code",
	"f4a00ade8f4057ab0ea49097d9c459df8559fcf10ca78da0c950343fb7428d37": "MIT, BSD-3-Clause and public domain for what is linked; what it names as MPL-2.0 is compiled into nothing",
	"d3ba056adc2b7909e95681deaae397fb37c97ed491a920f491214f07b62c41d0": "FreeType License (BSD-like), of two to choose from",
	"f45cc618951fffe1470140692086f7ca8a46ba81fe147cf8416bd63fb4849c61": "SIL Open Font License 1.1 for the fonts, which may be passed on within any program",
	"8438c9c89b849131ead81d5435cb97fcf052df5b0b286dda8a2d4c29e6cb3fd0": "public domain",
}

// licenceFile is how a module's files about its terms are called.
var licenceFile = regexp.MustCompile(`(?i)^(licen[sc]e|copying|notice|patents|unlicense)`)

// classify returns the licence of a text, "" for none that is known.
func classify(content []byte) string {
	sum := sha256.Sum256(content)
	if read, ok := readByPeople[hex.EncodeToString(sum[:])]; ok {
		return read
	}
	text := strings.Join(strings.Fields(string(content)), " ")
	if copyleft.MatchString(text) {
		return ""
	}
	var found []string
	for _, l := range licenceTexts {
		switch {
		case !strings.Contains(text, l.sentence) || slices.Contains(found, l.licence):
		case l.licence == "BSD-2-Clause" && slices.Contains(found, "BSD-3-Clause"): // which has its sentence too
		default:
			found = append(found, l.licence)
		}
	}
	return strings.Join(found, ", ")
}

// dependencyTable lists the modules in the program with the licences that their files state.
func dependencyTable(t *testing.T) string {
	type module struct{ path, version, dir string }
	modules := map[module]bool{}
	for _, p := range builtPackages(t) {
		if p.Module != nil && !p.Module.Main {
			modules[module{p.Module.Path, p.Module.Version, p.Module.Dir}] = true
		}
	}
	if len(modules) < 10 {
		t.Errorf("only %d modules were found", len(modules))
	}
	var rows [][]string
	for m := range modules {
		entries, err := os.ReadDir(m.dir)
		if err != nil {
			t.Fatal(err)
		}
		files := 0
		for _, e := range entries {
			if !licenceFile.MatchString(e.Name()) || e.IsDir() {
				continue
			}
			content, err := os.ReadFile(filepath.Join(m.dir, e.Name()))
			if err != nil {
				t.Fatal(err)
			}
			licence := classify(content)
			if licence == "" {
				t.Errorf("%s %s: %s (sha256 %x) is under no licence that is known to be permissive: read it, and note what it is or do without the module", m.path, m.version, e.Name(), sha256.Sum256(content))
			}
			rows = append(rows, []string{code(m.path), m.version, code(e.Name()), licence})
			files++
		}
		if files == 0 {
			t.Errorf("%s %s: the module has no licence file", m.path, m.version)
		}
	}
	slices.SortFunc(rows, func(a, b []string) int { return cmp.Or(cmp.Compare(a[0], b[0]), cmp.Compare(a[2], b[2])) })
	return table([]string{"module", "version", "file", "licence"}, rows)
}

func TestClassify(t *testing.T) {
	own, err := os.ReadFile("../LICENSE")
	if err != nil {
		t.Fatal(err)
	}
	if got := classify(own); got != "Apache-2.0" {
		t.Errorf("the project's own licence is %q", got)
	}
	for _, text := range []string{"", "All rights reserved.", "GNU GENERAL PUBLIC LICENSE Version 3", string(own) + "\nwith the Commons Clause",
		"This Source Code Form is subject to the terms of the Mozilla Public License, v. 2.0."} {
		if got := classify([]byte(text)); got != "" {
			t.Errorf("%.40q is %q", text, got)
		}
	}
}

// farImports are the packages that reach beyond files. False are those that are in
// the program: fetch asks a server, and modules bring some in though nothing of ours
// calls them: pflag has flags for addresses, and the C library that SQLite is compiled
// against has all of C's.
var farImports = map[string]bool{"net": false, "net/http": false, "crypto/tls": false, "os/exec": false, "net/rpc": true, "net/smtp": true, "plugin": true, "log/syslog": true}

// mayReach are the packages of ours that may import some of farImports.
var mayReach = map[string][]string{"../loader/fetch": {"net/http"}}

// TestReachesNoFurther holds what SECURITY.md says: only the package of fetch
// opens a connection, and none starts a program.
func TestReachesNoFurther(t *testing.T) {
	for _, p := range builtPackages(t) {
		if farImports[p.ImportPath] {
			t.Errorf("the program contains %s", p.ImportPath)
		}
	}
	files, err := filepath.Glob("../*/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, pattern := range []string{"../*/*/*.go", "../*/*/*/*.go"} {
		more, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, more...)
	}
	if len(files) < 50 {
		t.Errorf("only %d files were found", len(files))
	}
	imports := regexp.MustCompile(`(?m)^\s*(?:[a-z_.]+ )?"([a-z/]+)"$`)
	reached := map[string]bool{}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") || strings.HasPrefix(file, "../bench/") { // bench is no part of the program: it starts others
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range imports.FindAllStringSubmatch(string(content), -1) {
			dir := filepath.ToSlash(filepath.Dir(file))
			switch _, far := farImports[m[1]]; {
			case far && slices.Contains(mayReach[dir], m[1]):
				reached[dir] = true
			case far:
				t.Errorf("%s imports %s", file, m[1])
			}
		}
	}
	if len(reached) != len(mayReach) {
		t.Errorf("of the packages that may open connections only %v do: the list is too long", reached)
	}
}

// TestReproducible holds that the program is the same bytes wherever it is built.
func TestReproducible(t *testing.T) {
	var first string
	for range 2 {
		dir := checkout(t)
		cmd := exec.CommandContext(t.Context(), "make", "--no-print-directory", "build")
		cmd.Dir = dir
		cmd.Env = environment()
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		content, err := os.ReadFile(filepath.Join(dir, "bin", "blis-warehouse"))
		if err != nil {
			t.Fatal(err)
		}
		if bytes.Contains(content, []byte(dir)) {
			t.Errorf("the program contains the path that it was built in")
		}
		sum := fmt.Sprintf("%x", sha256.Sum256(content))
		if first == "" {
			first = sum
		} else if sum != first {
			t.Errorf("in one directory it is %s, in another %s", first, sum)
		}
	}
}
