# Becomes systemd as PID 1 of the namespaces it is started in. Arguments: the machine's folder, its cgroup.
set -e
echo 1 >"$2/cgroup.procs" 2>/dev/null || echo 0 >"$2/cgroup.procs"
exec unshare --cgroup --mount --propagation private /bin/sh -c '
	set -e
	mount -t proc proc /proc
	mount --bind "$1/run" /run
	mount --bind "$1/log" /var/log
	umount -l /sys/fs/cgroup
	mount -t cgroup2 cgroup2 /sys/fs/cgroup
	export container=naosu SYSTEMD_UNIT_PATH="$1/units" SYSTEMD_GENERATOR_PATH="$1/generators"
	export SYSTEMD_ENVIRONMENT_GENERATOR_PATH="$1/generators"
	exec /lib/systemd/systemd --system --show-status=false --log-target=journal
' systemd "$1"
