#!/bin/sh
# Plays so many nights of node repair under random faults, as in "hack/nights.sh 10000", on all cores: others each time, or those
# of the number in NAOSU_NIGHTS. A night that fails is kept in test/repair/testdata/rapid, and from then on plain `go test` replays it.
set -eu
cd "$(dirname "$0")/.."
cores=$(getconf _NPROCESSORS_ONLN)
each=$(((${1:-10000} + cores - 1) / cores))
export NAOSU_NIGHTS="${NAOSU_NIGHTS:-$(date +%s)}"
echo "== $((each * cores)) nights of repair, NAOSU_NIGHTS=$NAOSU_NIGHTS"
go test ./test/repair -run '^TestNights$' -v -timeout 12h -rapid.checks "$each"
