#!/bin/sh
# Runs the tests of a package so many times, every second time with a busy loop on each core, as in
# "hack/flaky.sh ./test/agent 10 -- -run=Hung -timeout=5m", and says what failed how often and how long the runs took. What
# failed runs printed is kept. Flags of go test follow --, each as one word.
set -eu
cd "$(dirname "$0")/.."
if [ $# -lt 2 ]; then
	echo "usage: hack/flaky.sh PACKAGE N [-- FLAGS OF GO TEST]" >&2
	exit 2
fi
export NAOSU_LAB_NICE="${NAOSU_LAB_NICE--5}" NAOSU_LAB_GOMAXPROCS="${NAOSU_LAB_GOMAXPROCS-1}" # as make test has them
package=$1 runs=$2
shift 2
[ "${1-}" != -- ] || shift

kept=$(mktemp -d "${TMPDIR:-/tmp}/naosu-flaky.XXXXXX")
loops=
tests=
end() {
	# shellcheck disable=SC2086 # one word a process
	[ -z "$loops$tests" ] || kill $loops $tests 2>/dev/null || true
	loops=
	tests=
}
trap 'end; rm -f "$kept/test" "$kept/times"; rmdir "$kept" 2>/dev/null || true' EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

folder=$(go list -f '{{.Dir}}' "$package")
go test -c -o "$kept/test" "$@" "$package"
if [ ! -e "$kept/test" ]; then
	echo "$package has no tests"
	exit 2
fi

# The test binary knows go test's flags by other names, and none of those of the build.
number=$#
while [ "$number" -gt 0 ]; do
	flag=${1#-}
	flag=-${flag#-}
	shift
	number=$((number - 1))
	case ${flag%%=*} in
	-race | -vet | -tags | -ldflags | -gcflags | -trimpath | -mod | -modfile | -count) ;;
	-run | -skip | -v | -short | -timeout | -parallel | -cpu | -failfast | -shuffle | -fullpath) set -- "$@" "-test.${flag#-}" ;;
	*) set -- "$@" "$flag" ;;
	esac
done

# Each loop ends with this script, even if that is killed.
load() {
	for _ in $(seq "$(getconf _NPROCESSORS_ONLN)"); do
		sh -c 'while kill -0 "$0" 2>/dev/null; do :; done' $$ &
		loops="$loops $!"
	done
}

echo "== $package, $runs runs"
: >"$kept/times"
run=0
while [ "$run" -lt "$runs" ]; do
	run=$((run + 1))
	kind=idle
	[ $((run % 2)) -eq 1 ] || kind=busy
	[ "$kind" = idle ] || load
	began=$(date +%s)
	(cd "$folder" && exec "$kept/test" -test.paniconexit0 -test.timeout=60m "$@") >"$kept/run-$run.txt" 2>&1 &
	tests=$!
	result=ok
	wait "$tests" || result=FAILED
	tests=
	took=$(($(date +%s) - began))
	end
	wait
	echo "$kind $took $result" >>"$kept/times"
	echo "run $run, $kind: $result, $took s"
	[ "$result" = FAILED ] || rm "$kept/run-$run.txt"
done

for kind in idle busy; do
	sort -n -k 2 "$kept/times" | awk -v kind="$kind" '
		$1 == kind { took[n++] = $2; if ($3 != "ok") failed++ }
		END { if (n) printf "%s: %d runs, %d failed; they took %d s at least, %d s in the median, %d s at most\n", kind, n, failed, took[0], took[int(n / 2)], took[n - 1] }'
done
grep -q FAILED "$kept/times" || exit 0
echo "failed, of $runs runs:"
for said in "$kept"/run-*.txt; do
	sed -n 's/^ *--- FAIL: \([^ ]*\).*/\1/p' "$said" | sort -u | grep . || echo "(the run itself: it ended without naming a test)"
done | sort | uniq -c | sort -rn
echo "what failed runs printed: $kept"
exit 1
