# Needs Go and make. "make help" lists the targets.

GO          ?= go
BIN         ?= bin
STATICCHECK ?= honnef.co/go/tools/cmd/staticcheck@v0.8.2
DEMO         = $(BIN)/blis-warehouse --db $(BIN)/demo.db

.PHONY: build demo test check bench clean help

build: ## build the program, static, into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -o $(BIN)/blis-warehouse ./cmd/blis-warehouse

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

test: ## run the tests
	$(GO) test ./...

check: ## formatting, vet, static analysis, tests
	@unformatted=$$(gofmt -l $$($(GO) list -f '{{.Dir}}' ./...)); if [ -n "$$unformatted" ]; then echo "gofmt is needed:"; echo "$$unformatted"; exit 1; fi
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	$(MAKE) --no-print-directory test

bench: ## run the benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

clean: ## remove what the targets made
	rm -rf $(BIN)

help: ## list the targets
	@sed -n 's/^\([a-z]*\):.*## \(.*\)/\1\t\2/p' Makefile | expand -t 8
