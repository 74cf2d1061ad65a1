#!/bin/sh
# Prints how many packages are tested at once: two for each processor, since tests on a cluster mostly wait, but no more
# than the free memory has room for, at 2 GiB each.
set -eu
processors=$(getconf _NPROCESSORS_ONLN)
jobs=$((processors * 2))
if [ -r /proc/meminfo ]; then
	room=$(awk '/^MemAvailable:/ { print int($2 / (2 * 1024 * 1024)) }' /proc/meminfo)
	[ "$room" -ge "$jobs" ] || jobs=$room
fi
[ "$jobs" -ge 1 ] || jobs=1
echo "$jobs"
