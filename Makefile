# Only Go and make are needed: go fetches everything else, the tools of go.tools.mod included.
MAKEFLAGS += --no-print-directory --no-builtin-rules
.DEFAULT_GOAL := help

# The same for every go command, so that nothing is compiled twice. The agent must be static.
export CGO_ENABLED := 0

TOOL     := go tool -modfile=go.tools.mod
FUZZTIME ?= 10s
# What test waits for longest, which begins first, so that nothing that waits is left to the end.
SLOWEST  := ./test/incidents ./test/failover ./test/forecasts ./test/chart ./test/repair/... ./test/agent/... ./test/controller ./test/aws ./test/twin ./lab/nodes \
            ./test/action/... ./test/admission ./test/cluster ./test/repaircheck
# What quick tests: the packages outside of test/, and of those in it, whose tests concern several packages each, the fast checks of
# the sources. Without inprocess, which takes half a minute to link.
UNITS     = $$(go list ./... | grep -v -e /lab/controlplane/inprocess -e /test/) ./test/imports ./test/words
# Unit tests that take more than five seconds, by their names in any package. quick leaves them out.
SLOW     := TestAgentsAcceptReplicas|TestAnonymousTellsTheSame|TestBruteForce|TestGroupedAlikeInEachLanguage|TestIrreducibleInLargeCluster|TestRandomFaults|TestRoomSurvives|TestTractable
# How many runs of repair, and of failover, under random faults fuzz performs, in all.
RUNS     ?= 10000
# Which checks of the guard and conditions of failover unguarded takes out, as in CHECK=lease,witness, and in how many runs its lack must show.
CHECK    ?= all
UNGUARDED ?= 500
# How many questions truth asks, of made-up clusters from which seed on, the folder that it keeps disagreements in, and
# on how many labs at once.
QUESTIONS ?= 1000
SEED      ?= 1
KEEP      ?=
LABS      ?= 2
# On which cases descheduler compares, as in COMPARE=issue. If they are all, the documentation gets the tables.
COMPARE   ?=
# What bench runs, as in BENCH=Ready.
BENCH    ?= .

# What tests draw at random is drawn with one seed, so that a run fails for what was changed. Plain go test draws anew.
test quick race: export RAPID_SEED ?= 1

.PHONY: run
run: build ## Play the first incident on the lab, let naosu explain it, apply the remedy
	@bin/naosu-lab demo stranded-volume --naosu bin/naosu

.PHONY: build
build: go ## Build bin/naosu, bin/naosu-lab and bin/naosu-agent
	@go run ./hack/build -o bin/ ./cmd/naosu ./cmd/naosu-lab ./cmd/naosu-agent

# The programs that tests run (test/program), which stay the same files until their sources change.
.PHONY: programs
programs: go
	@go run ./hack/build -for-tests -o bin/test/ ./cmd/naosu ./cmd/naosu-lab ./cmd/naosu-agent k8s.io/kubernetes/cmd/kubectl

# Tests, their control planes and the linker hold little memory, and would spend up to a fifth of their time on collecting garbage.
test quick: export GOGC ?= 400

# Labs come before the tests that wait for them, since a scenario's deadlines pass on the wall clock, and take one processor
# each, since several run side by side.
test: export NAOSU_LAB_NICE ?= -5
test: export NAOSU_LAB_GOMAXPROCS ?= 1

# The packages that take longest come first. The linter does what go vet would do, and go vet would look at all of
# Kubernetes for it.
.PHONY: test
test: programs ## Run every test
	@NAOSU_PROGRAMS_BUILT=1 go test -vet=off -timeout 60m -p $$(hack/jobs.sh) -parallel 5 $(SLOWEST) ./...

.PHONY: quick
quick: go ## Run the fast unit tests, which need no cluster, no root and no built program
	@go test -vet=off -short -skip '^($(SLOW))$$' $(UNITS)
	@echo "Left out: slow tests, what needs a cluster, root or the built programs, and test/ but its checks of names and imports. make test runs them."

# The race detector needs cgo, with which everything is compiled once more.
.PHONY: race
race: go ## Run the unit tests, slow ones included, under the race detector
	@CGO_ENABLED=1 go test -vet=off -race -short ./api/... ./cmd/naosu/... ./cmd/naosu-agent/... ./internal/...

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
fuzz: go ## Run each fuzz target for FUZZTIME, and repair, failover and rebalancing in RUNS runs each under random faults
	@hack/fuzz.sh $(FUZZTIME)
	@hack/random-faults.sh $(RUNS)

.PHONY: unguarded
unguarded: go ## Take each check of the guard and each condition of failover out in turn, and run repair or failover under random faults until an invariant is violated
	@go test -vet=off ./test/repair -count=1 -v -timeout 12h -run '^TestWithout$$' -args -without '$(CHECK)' -runs $(UNGUARDED)
	@go test -vet=off ./test/failover/random -count=1 -v -timeout 12h -run '^TestWithout$$' -args -without '$(CHECK)' -runs $(UNGUARDED)

.PHONY: truth
truth: programs ## Hold forecasts about made-up clusters against what comes on the lab
	@TRUTH_QUESTIONS=$(QUESTIONS) TRUTH_SEED=$(SEED) TRUTH_KEEP=$(KEEP) TRUTH_LABS=$(LABS) NAOSU_PROGRAMS_BUILT=1 go test -vet=off -count=1 -parallel $(LABS) ./test/forecasts -run 'TestTruth$$' -v -timeout 24h

.PHONY: descheduler
descheduler: programs ## Hold naosu's plans against the descheduler on the lab, and write the tables into the documentation
	@COMPARE='$(or $(COMPARE),.)' NAOSU_PROGRAMS_BUILT=1 go test -vet=off -count=1 ./test/descheduler -run 'TestCompare$$' -v -timeout 2h -args $(if $(COMPARE),,-update)

.PHONY: stories
stories: build ## Play the five incidents in real time, and write the table and the picture of them into the documentation
	@go run ./hack/stories -play

.PHONY: failover
failover: programs ## Measure in real time how long failover takes after a fault, and write the table into the documentation
	@go run ./hack/failover

.PHONY: go
go:
	@hack/need-go.sh

.PHONY: help
help: ## List the targets
	@sed -n 's/^\([a-z]*\):.*## /\1	/p' Makefile
