#!/bin/sh
# Has the node agent watch a host on which faults come and go for so long, as in "hack/soak.sh 1h", and prints at the end what the
# agent took after each round. It fails if a condition does not go False and come back, or if the agent has grown. It needs root, and is alone in
# namespaces of its own.
set -eu
cd "$(dirname "$0")/.."
if [ $# -ne 1 ]; then
	echo "usage: hack/soak.sh DURATION" >&2
	exit 2
fi
NAOSU_FAULTS=$1 CGO_ENABLED=0 exec go test -vet=off ./test/agent -run '^TestSoakWithFaults$' -count=1 -v -timeout 24h
