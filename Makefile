# Everything that a person types. Each target installs what it needs: Debian's
# packages through apt, the page and the weights through npm's lock file.

SHELL := /bin/bash
.DELETE_ON_ERROR:
.DEFAULT_GOAL := help

VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
LDFLAGS := -s -w -X main.version=$(VERSION)
# The release build uses the processor's vector instructions where Go offers them.
RELEASE := $(if $(filter amd64,$(shell go env GOARCH)),GOEXPERIMENT=simd)
LINTER  := github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0

MODULES := web/node_modules/.package-lock.json
WEIGHTS := assets/use-lite/int8.weights
PDFIUM  := assets/pdfium/pdfium.wasm
PAGE    := assets/web/index.html
PDFS    := bin/pdfs

# The page's sources, without spaces in their names.
PAGE_SOURCES := $(shell find web -path web/node_modules -prune -o -type f \( -path 'web/src/*' -o -path 'web/public/*' -o -name index.html -o -name 'vite.config.*' -o -name 'svelte.config.*' \) -print 2>/dev/null)

.PHONY: help run build test race clients lint bench probes crash soak assets pdfs fmt clean browser compiler poppler tesseract

help: ## Show this list
	@grep -hE '^[a-z]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

run: build ## Build everything and serve on http://127.0.0.1:8420
	bin/confidant serve

build: assets ## Build bin/confidant
	$(RELEASE) go build -trimpath -ldflags '$(LDFLAGS)' -o bin/confidant ./cmd/confidant

assets: $(WEIGHTS) $(PDFIUM) $(PAGE) ## Install and build what the binary embeds

$(MODULES): web/package-lock.json
	cd web && npm ci
	@touch $@

$(WEIGHTS): $(MODULES)
	go run ./internal/embed/uselite/pack
	@touch $@

# With its licence, as that asks for.
$(PDFIUM): $(MODULES)
	mkdir -p $(@D)
	cp web/node_modules/@embedpdf/pdfium/LICENSE.pdfium web/node_modules/@embedpdf/pdfium/dist/pdfium.wasm $(@D)
	@touch $@

$(PAGE): $(MODULES) $(PAGE_SOURCES)
	cd web && npm run build

test: assets browser compiler pdfs poppler tesseract ## Run every test: Go with the race detector, the page, real clients
	go vet ./...
	CONFIDANT_TEST_PDFS=$(CURDIR)/$(PDFS) go test -race -timeout 20m ./...
	go test -count=1 ./internal/crash # it builds what it kills, which the test cache does not see
	$(if $(RELEASE),$(RELEASE) go test ./internal/embed/uselite/... ./internal/search/vector/...)
	cd web && npm run check && npm test
	cd web && npm run test:browser
	$(MAKE) clients

race: assets compiler pdfs poppler tesseract ## Run the Go tests with the race detector, twice
	go test -race -count=2 -timeout 40m ./...

clients: build browser pdfs ## Run the npm clients and a browser against the built binary
	cd web && npm run test:clients

lint: ## Run the pinned linter (.golangci.yml explains its exceptions)
	go run $(LINTER) run ./...

bench: assets pdfs poppler ## Print the benchmarks, each as a ratio to a baseline of the same run
	go run ./internal/bench

probes: build pdfs poppler ## Ask for pages of real PDFs, and count how often they are found
	bin/confidant bench pages --pdfs $(PDFS)

crash: assets pdfs ## Kill the server in 100 turns, 20 imports and 20 libraries and look at what is left
	go run ./internal/crash --rounds 100 --imports 20 --files 20

soak: assets pdfs ## Longer runs: 1,000 kills, ten minutes of fuzzing for each decoder
	go run ./internal/crash --rounds 1000 --imports 200 --files 100
	.ci/fuzz 10m

pdfs: ## Fetch real PDFs: manuals of Debian's packages
	@.ci/pdfs $(PDFS)

fmt: ## Format the Go code
	gofmt -w $$(git ls-files '*.go')

clean: ## Remove what was built
	rm -rf bin web/node_modules
	find assets -mindepth 1 -not -name assets.go -delete

# Debian's packages, only when they are missing.
browser:
	@command -v chromium >/dev/null || .ci/apt chromium

# pdftotext reads PDFs without us, so that we can be compared with it.
poppler:
	@command -v pdftotext >/dev/null || .ci/apt poppler-utils

# The text of pictures and scans.
tesseract:
	@command -v tesseract >/dev/null || .ci/apt tesseract-ocr

compiler:
	@command -v gcc >/dev/null || .ci/apt gcc libc6-dev
