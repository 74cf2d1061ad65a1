#!/bin/sh
# Installs from Debian what checks and tests use beside Go and make, and says what is absent here: a test that is
# skipped for it would otherwise look like one that passed.
set -eu

# Each line: command, Debian package.
wanted='
git git
e2fsck e2fsprogs
mksquashfs squashfs-tools
mkfs.xfs xfsprogs
mkfs.btrfs btrfs-progs
ethtool ethtool
ip iproute2
iptables-nft iptables
nft nftables
/lib/systemd/systemd systemd
dbus-daemon dbus
containerd containerd
runc runc
/usr/lib/cni/ptp containernetworking-plugins
aws awscli
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

if [ -n "$missing" ] && command -v apt-get >/dev/null && [ "$(id -u)" -eq 0 ]; then
	echo "installing$packages"
	export DEBIAN_FRONTEND=noninteractive
	# shellcheck disable=SC2086 # one word a package
	apt-get -qq update && apt-get -qq install -y --no-install-recommends $packages >/dev/null || true
fi
for command in $missing; do
	command -v "$command" >/dev/null || echo "absent: the command $command, not installable here"
done

# Each control plane of the lab takes eleven inotify instances, and several run side by side: with the kernel's default of 128, a systemd that a test
# starts then ends at once, for it gets none.
instances=/proc/sys/fs/inotify/max_user_instances
needed=1024
if [ "$(cat "$instances" 2>/dev/null || echo "$needed")" -lt "$needed" ]; then
	if echo "$needed" 2>/dev/null >"$instances"; then
		echo "fs.inotify.max_user_instances is $needed now, until the next boot"
	else
		echo "fs.inotify.max_user_instances is $(cat "$instances"), and tests that run side by side may need up to $needed"
	fi
fi

# What a test needs of the system itself.
disk=$(mktemp -d)
if mount -t tmpfs -o size=1m naosu "$disk" 2>/dev/null; then
	umount "$disk"
else
	echo "absent: the right to mount a small disk; lab/controlplane TestFullDisk is skipped"
fi
rmdir "$disk"
[ -c /dev/fuse ] || echo "absent: /dev/fuse; test/agent TestBlockDeviceStatus and TestBtrfsError are skipped"
