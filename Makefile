# Needs Go and make. "make help" lists the targets.

GO          ?= go
BIN         ?= bin
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOVULNCHECK ?= golang.org/x/vuln/cmd/govulncheck@v1.9.0
RACE        ?= Concurrency|InterruptedAnywhere|Catalog|OneName|Capture|Stdin|RebuildMissing|Reader|AtOnce|Lock
# minimal leaves out of the plotting library what writes formats that no picture has (docs/dependencies.md).
TAGS         = minimal
# of them, what runs nothing at the same time and is slow under the detector
RACE_SKIP    ?= Again|RealCaptures|Fact|Conflict|OneName|OddThings|Hostile
DEMO         = $(BIN)/blis-warehouse --db $(BIN)/demo.db

.PHONY: build man demo test soak check vuln race bench bench-peers fuzz clean help

build: ## build the program, static, into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -tags $(TAGS) -o $(BIN)/blis-warehouse ./cmd/blis-warehouse

man: build ## write the manual pages into bin/man, where man finds them while bin is on PATH
	$(BIN)/blis-warehouse man --directory $(BIN)/man/man1

demo: build ## load invented data into a fresh database and look at it
	@rm -f $(BIN)/demo.db
	$(DEMO) load testdata/demo/catalog
	$(DEMO) load testdata/demo/captures/benchmarks.json testdata/demo/captures/benchmarks-history.json
	@echo; echo "Which runs may be scored, and what blocks the others:"
	$(DEMO) query scorable-runs --param origin=catalog
	@echo; echo "Which runs measured the same, and which of them to keep:"
	$(DEMO) duplicates
	@echo; echo "What keeps the nearest runs from EXACT:"
	$(DEMO) query nearest-to-exact --param limit=5
	@echo; echo "One of them, and what would make it EXACT:"
	$(DEMO) explain demo-h100-tp4
	@echo; echo "The standing checks:"
	$(DEMO) check
	@echo; echo "The database is $(BIN)/demo.db: try $(DEMO) query"

# A package may take minutes on a machine that has other work.
test: ## run the tests
	$(GO) test -timeout 30m ./...

# Each figure may be given: make soak SOAK_KILLS=1000. The last ones are in docs/reliability.md.
SOAK_KILLS     ?= 100
SOAK_ROWS      ?= 1000
SOAK_LOAD_ROWS ?= 1000000
SOAK_RACES     ?= 100
SOAK_DAMAGES   ?= 1000
SOAK_CROWDS    ?= 50
SOAK            = CrowdedReaders|Killed|InterruptedAnywhere|ReadersBeside|LoadersAtOnce|DamagedDatabase

soak: ## kill, race and damage it for hours, and print the figures
	SOAK_KILLS=$(SOAK_KILLS) SOAK_ROWS=$(SOAK_ROWS) SOAK_LOAD_ROWS=$(SOAK_LOAD_ROWS) SOAK_RACES=$(SOAK_RACES) SOAK_DAMAGES=$(SOAK_DAMAGES) SOAK_CROWDS=$(SOAK_CROWDS) \
		$(GO) test ./cmd/blis-warehouse -run '$(SOAK)' -v -timeout 12h

check: ## formatting, vet, static analysis, pinned modules, known vulnerabilities, tests
	@unformatted=$$(gofmt -l $$($(GO) list -f '{{.Dir}}' ./...)); if [ -n "$$unformatted" ]; then echo "gofmt is needed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(GO) mod verify
	@$(MAKE) --no-print-directory vuln
	$(MAKE) --no-print-directory test

# Exit code 3 of govulncheck is a finding. Whatever else keeps it from an
# answer, most often that its database cannot be reached, is said and is no finding.
vuln: ## look for known vulnerabilities in what the program calls, which needs the network
	@mkdir -p $(BIN)
	@code=; GOBIN=$(abspath $(BIN)) $(GO) install $(GOVULNCHECK) >$(BIN)/vuln.log 2>&1 && { $(BIN)/govulncheck ./... >$(BIN)/vuln.log 2>&1; code=$$?; } || code=$${code:-1}; \
	case $$code in \
	0) echo "govulncheck: no known vulnerability" ;; \
	3) cat $(BIN)/vuln.log; exit 1 ;; \
	*) echo "NOT RUN: govulncheck, so nothing is known about vulnerabilities: $$(tail -n 1 $(BIN)/vuln.log)" ;; \
	esac

race: ## run the tests of what runs at the same time under the race detector, which needs a C compiler
	GORACE=atexit_sleep_ms=0 CGO_ENABLED=1 $(GO) test -race -short -timeout 15m -run '$(RACE)' -skip '$(RACE_SKIP)' ./loader ./loader/fetch ./store

bench: ## run the benchmarks; BENCH_ROWS=1000000 and BLIS_WAREHOUSE_BENCH_1M=1 add a million points to loads and to the duplicate sweep
	$(GO) test -run '^$$' -bench . -benchmem -timeout 1h ./...

bench-peers: build ## compare a load with other tools; BENCH_ARGS="-n 1000000 -rounds 3 -modules DIR"
	$(GO) run ./bench peers $(BENCH_ARGS) $(BIN)/blis-warehouse

FUZZTIME ?= 1m

fuzz: ## run every fuzz target for FUZZTIME (default 1m), one after the other, and print its executions
	@mkdir -p $(BIN)
	@for package in $$($(GO) list ./...); do \
		for target in $$($(GO) test -list '^Fuzz' $$package | grep '^Fuzz'); do \
			$(GO) test -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 20x -parallel 1 $$package > $(BIN)/fuzz.log 2>&1 \
				|| { cat $(BIN)/fuzz.log; exit 1; }; \
			echo "$$package $$target: $$(grep -o 'execs: [0-9]*' $(BIN)/fuzz.log | tail -n 1)"; \
		done; \
	done

clean: ## remove what the targets made
	rm -rf $(BIN)

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 8
