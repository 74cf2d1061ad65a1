#!/bin/sh
# Says in one line that Go is missing or too old for this module, and fails; says nothing otherwise.
# Go 1.21 and later fetch the version that go.mod asks for by themselves, unless GOTOOLCHAIN=local forbids it.
set -eu
cd "$(dirname "$0")/.."
need=$(sed -n 's/^go //p' go.mod)

# version prints the "1.26.8" of the go command's "go version go1.26.8 linux/amd64".
version() {
	go version | sed -n 's/^go version go\([0-9.]*\).*/\1/p'
}

# new_enough VERSION compares major and minor version with what go.mod needs.
new_enough() {
	have_major=${1%%.*} have_rest=${1#*.}
	need_major=${need%%.*} need_rest=${need#*.}
	have_minor=${have_rest%%.*} need_minor=${need_rest%%.*}
	[ "$have_major" -gt "$need_major" ] || { [ "$have_major" -eq "$need_major" ] && [ "$have_minor" -ge "$need_minor" ]; }
}

if ! command -v go >/dev/null; then
	echo "naosu needs Go $need or later, and there is no go command: see https://go.dev/dl" >&2
	exit 1
fi
have=$(GOTOOLCHAIN=local version)
new_enough "${have:-0.0}" && exit 0
have_fetched=$(version) || have_fetched=
new_enough "${have_fetched:-0.0}" && exit 0
echo "naosu needs Go $need or later, and this is Go ${have:-of an unknown version}: see https://go.dev/dl" >&2
exit 1
