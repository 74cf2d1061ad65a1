#!/bin/sh
# Runs node repair, failover and rebalancing so many times each under random faults, as in "hack/random-faults.sh 10000", on all cores, with a new seed
# each time or that in NAOSU_SEED. A run that fails is stored in the package's testdata/rapid, and from then on plain `go test` repeats it.
# A second argument names one of them, as in test/repair.
set -eu
cd "$(dirname "$0")/.."
cores=$(getconf _NPROCESSORS_ONLN)
each=$(((${1:-10000} + cores - 1) / cores))
export NAOSU_SEED="${NAOSU_SEED:-$(date +%s)}"
for of in ${2:-test/repair test/failover/random internal/controller/rebalance}; do
	echo "== $((each * cores)) runs of $of, NAOSU_SEED=$NAOSU_SEED"
	go test -vet=off "./$of" -run '^TestRandomFaults$' -v -timeout 12h -rapid.checks "$each"
done
