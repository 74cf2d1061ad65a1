#!/bin/sh
# Installs from Debian what checks and tests use beside Go and make. What cannot be installed is named; a test that
# needs it then says so and fails, for a test that skips in silence proves nothing.
set -eu

# Each line: command, Debian package.
wanted='
git git
'

missing=
packages=
while read -r command package; do
	if [ -n "$command" ] && ! command -v "$command" >/dev/null; then
		missing="$missing $command"
		packages="$packages $package"
	fi
done <<EOF
$wanted
EOF
[ -n "$missing" ] || exit 0

echo "installing$packages"
if command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # one word a package
	apt-get -qq update && apt-get -qq install -y --no-install-recommends $packages >/dev/null || true
fi
for command in $missing; do
	command -v "$command" >/dev/null || echo "absent and not installable here: $command" >&2
done
