#!/bin/sh
# Runs every fuzz target of the module for the given time each, as in "hack/fuzz.sh 30s". What a target finds is kept
# in its testdata/fuzz, and from then on plain `go test` replays it.
set -eu
cd "$(dirname "$0")/.."
time=${1:-10s}
targets=$(grep -rE '^func Fuzz[A-Za-z0-9_]*\(' --include='*_test.go' . | sed -E 's|/[^/:]*:func (Fuzz[A-Za-z0-9_]*).*| \1|')
if [ -z "$targets" ]; then
	echo "no package has a fuzz target"
	exit 0
fi
echo "$targets" | while read -r package target; do
	echo "== $package $target for $time"
	# An input is made smaller a few times only: without a bound that takes the first minute, and nothing new is tried.
	go test -run '^$' -fuzz "^$target\$" -fuzztime "$time" -fuzzminimizetime 100x "$package" </dev/null
done
