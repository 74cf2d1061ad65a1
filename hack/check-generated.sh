#!/bin/sh
# Fails if `make generate` changes anything: what is generated must be committed with what it is generated from.
set -eu
cd "$(dirname "$0")/.."
before=$(git status --porcelain)
make generate
after=$(git status --porcelain)
if [ "$before" != "$after" ]; then
	echo "make generate changes files; run it and commit the result:"
	echo "$after"
	git --no-pager diff
	exit 1
fi
