# Only Go and make are needed: go fetches everything else, the tools of go.tools.mod included.
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help

TOOL     := go tool -modfile=go.tools.mod
FUZZTIME ?= 10s
# How many nights of repair under random faults fuzz plays, in all.
NIGHTS   ?= 10000
# What bench runs, as in BENCH=Ready.
BENCH    ?= .

.PHONY: run
run: build ## Play the first incident on the lab, let naosu explain it, apply the remedy
	@bin/naosu-lab demo stranded-volume --naosu bin/naosu

.PHONY: build
build: go ## Build bin/naosu, bin/naosu-lab and bin/naosu-agent
	@go run ./hack/build -o bin/ ./cmd/naosu ./cmd/naosu-lab
	@CGO_ENABLED=0 go build -o bin/ ./cmd/naosu-agent

# Tests that play incidents wait more than they work, so more of them run at once than there are cores.
.PHONY: test
test: build ## Run every test
	@go test -timeout 30m -parallel 5 ./...

# The first lint type-checks all that is imported, and would take 6.5 GiB if it were let.
.PHONY: lint
lint: go ## Check style and the import rules
	@GOMEMLIMIT=5GiB $(TOOL) golangci-lint run ./...

.PHONY: fmt
fmt: go ## Format the code
	@$(TOOL) golangci-lint fmt ./...

.PHONY: generate
generate: go ## Write again what is generated from the code
	@go generate ./...

.PHONY: bench
bench: go ## Run the benchmarks and print one table
	@go run ./hack/bench -bench '$(BENCH)'

.PHONY: fuzz
fuzz: go ## Run each fuzz target for FUZZTIME, and repair through NIGHTS of random faults
	@hack/fuzz.sh $(FUZZTIME)
	@hack/nights.sh $(NIGHTS)

.PHONY: go
go:
	@hack/need-go.sh

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile
