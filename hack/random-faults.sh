#!/bin/sh
# Runs node repair so many times under random faults, as in "hack/random-faults.sh 10000", on all cores, with a new seed each time or
# that in NAOSU_SEED. A run that fails is stored in test/repair/testdata/rapid, and from then on plain `go test` repeats it.
set -eu
cd "$(dirname "$0")/.."
cores=$(getconf _NPROCESSORS_ONLN)
each=$(((${1:-10000} + cores - 1) / cores))
export NAOSU_SEED="${NAOSU_SEED:-$(date +%s)}"
echo "== $((each * cores)) runs of repair, NAOSU_SEED=$NAOSU_SEED"
go test ./test/repair -run '^TestRandomFaults$' -v -timeout 12h -rapid.checks "$each"
