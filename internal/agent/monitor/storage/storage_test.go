package storage

import (
	"errors"
	"fmt"
	"math"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	mountfile "github.com/moby/sys/mountinfo"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/ebs"
	"github.com/naosu-dev/naosu/internal/agent/source/fsmap"
)

// node is what is mounted on a node: each line one of mountinfo (man 5 proc).
const node = `
24 1 259:1 / / rw,noatime shared:1 - xfs /dev/nvme0n1p1 rw,seclabel,attr2,inode64
26 24 259:1 /usr /usr ro,noatime shared:2 - xfs /dev/nvme0n1p1 rw,seclabel,attr2,inode64
30 24 259:3 / /var/lib/containerd rw,noatime shared:9 - ext4 /dev/nvme1n1 rw,errors=remount-ro
40 24 7:1 / /snap/core/1 ro,nodev,relatime shared:10 - squashfs /dev/loop1 ro
41 24 0:44 / /run/overlay rw,relatime shared:11 - overlay none ro,lowerdir=/a:/b
42 24 0:45 / /var/lib/kubelet/pods/1/volumes/kubernetes.io~projected/t rw,relatime shared:12 - tmpfs none rw
50 24 259:5 / /var/lib/kubelet/plugins/kubernetes.io/csi/ebs.csi.aws.com/0a/globalmount rw,relatime shared:13 - ext4 /dev/nvme2n1 rw
51 24 259:5 / /var/lib/kubelet/pods/1/volumes/kubernetes.io~csi/pv/mount rw,relatime shared:13 - ext4 /dev/nvme2n1 rw
52 24 259:6 / /var/lib/kubelet/plugins/kubernetes.io/csi/ebs.csi.aws.com/0b/globalmount ro,relatime shared:14 - xfs /dev/nvme3n1 ro,norecovery
53 24 253:4 / /run/containerd/io.containerd.runtime.v2.task/k8s.io/x/rootfs rw,relatime shared:15 - xfs /dev/dm-4 rw
54 24 9:0 / /mnt/k8s-disks/0 rw,relatime shared:18 - xfs /dev/md0 rw
55 24 9:0 /kubelet /var/lib/kubelet rw,relatime shared:18 - xfs /dev/md0 rw
60 24 259:9 / /mnt/old\040disk ro,relatime shared:16 - ext4 /dev/nvme4n1 ro`

const (
	staged  = "/var/lib/kubelet/plugins/kubernetes.io/csi/ebs.csi.aws.com/0a/globalmount"
	staged2 = "/var/lib/kubelet/plugins/kubernetes.io/csi/ebs.csi.aws.com/0b/globalmount"
	rootfs  = "/run/containerd/io.containerd.runtime.v2.task/k8s.io/x/rootfs"
)

func disksOf(t *testing.T, lines string) []filesystem {
	t.Helper()
	all, err := mountfile.GetMountsFromReader(strings.NewReader(strings.TrimSpace(lines)), nil)
	if err != nil {
		t.Fatal(err)
	}
	return mounts{folders: DefaultOptions().Folders}.filesystems(all)
}

// The node's own disks are those that hold its folders, and known by the mount that does.
func TestDisks(t *testing.T) {
	over := "\n70 24 0:50 / /var/log rw,relatime shared:17 - tmpfs none rw"
	got := map[string][]Path{}
	for _, disk := range disksOf(t, node+over) {
		got[disk.at] = disk.folders
	}
	want := map[string][]Path{
		"/": {"/var/lib/containers", "/var/lib", "/"}, "/var/lib/containerd": {"/var/lib/containerd"}, "/var/lib/kubelet": {"/var/lib/kubelet"},
		"/mnt/old disk": nil, staged: nil, staged2: nil, rootfs: nil,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestReadonly(t *testing.T) {
	edit := func(pairs ...string) string { return strings.NewReplacer(pairs...).Replace(node) }
	for name, c := range map[string]struct {
		before, now string
		want        map[string]reason.ID
	}{
		"well":                        {before: node, now: node},
		"the first look":              {now: node},
		"kernels before 6.15":         {now: edit("rw,errors", "ro,errors"), want: map[string]reason.ID{"/var/lib/containerd": reason.ReadonlyFilesystem}},
		"kernels from 6.15 on":        {now: edit("errors=remount-ro", "errors=remount-ro,emergency_ro"), want: map[string]reason.ID{"/var/lib/containerd": reason.ReadonlyFilesystem}},
		"ext4 that was shut down":     {now: edit("errors=remount-ro", "errors=remount-ro,shutdown"), want: map[string]reason.ID{"/var/lib/containerd": reason.ReadonlyFilesystem}},
		"a volume":                    {now: edit("/dev/nvme2n1 rw", "/dev/nvme2n1 ro"), want: map[string]reason.ID{staged: reason.VolumeReadonly}},
		"by hand, not seen before":    {now: edit("/ / rw", "/ / ro", "nvme0n1p1 rw", "nvme0n1p1 ro")},
		"by hand":                     {before: node, now: edit("/ / rw", "/ / ro", "nvme0n1p1 rw", "nvme0n1p1 ro"), want: map[string]reason.ID{"/": reason.ReadonlyFilesystem}},
		"the mount alone, by hand":    {before: node, now: edit("/ / rw", "/ / ro"), want: map[string]reason.ID{"/": reason.ReadonlyFilesystem}},
		"a volume remounted by hand":  {before: node, now: edit("globalmount rw", "globalmount ro", "/dev/nvme2n1 rw", "/dev/nvme2n1 ro"), want: map[string]reason.ID{staged: reason.VolumeReadonly}},
		"a volume mounted so":         {now: edit("globalmount rw", "globalmount ro", "/dev/nvme2n1 rw", "/dev/nvme2n1 ro")},
		"a volume's mount, by hand":   {before: node, now: edit("globalmount rw", "globalmount ro")},
		"another disk in its place":   {before: node, now: edit("259:3 / /var/lib/containerd rw", "259:7 / /var/lib/containerd ro", "rw,errors", "ro,errors")},
		"mounted read-only elsewhere": {now: edit("k8s-disks/0 rw", "k8s-disks/0 ro")},
		"turned, mounted read-only elsewhere": {
			now:  edit("k8s-disks/0 rw", "k8s-disks/0 ro", "/dev/md0 rw", "/dev/md0 ro"),
			want: map[string]reason.ID{"/var/lib/kubelet": reason.ReadonlyFilesystem},
		},
		"unmounted": {before: edit("rw,errors", "ro,errors"), now: edit("/var/lib/containerd", "/elsewhere")},
	} {
		t.Run(name, func(t *testing.T) {
			s := &states{writable: map[string]bool{}}
			s.readonly(disksOf(t, c.before))
			got := map[string]reason.ID{}
			for _, e := range s.readonly(disksOf(t, c.now)) {
				if e.State != evidence.Fault || e.Raw == "" {
					t.Errorf("%+v", e)
				}
				got[e.Entity] = e.Reason
			}
			if c.want == nil {
				c.want = map[string]reason.ID{}
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSmall(t *testing.T) {
	o := DefaultOptions().XFS
	const block, total = 4096, 1 << 20
	free := func(extents, blocks uint64) fsmap.Space { return fsmap.Space{Extents: extents, Bytes: blocks * block} }
	cut := free(100, 1000)
	cut.Cut = true
	for name, c := range map[string]struct {
		space fsmap.Space
		want  bool
	}{
		"large pieces":                {free(10, total/2), false},
		"just large enough":           {free(10_000, 160_000), false},
		"just too small":              {free(10_001, 160_000), true},
		"full, which is DiskPressure": {free(50_000, 50_000), false},
		"a twentieth free":            {free(52_429, 52_429), true},
		"nothing free":                {free(0, 0), false},
		"read in part":                {cut, true},
	} {
		if got := o.fragmented(reading{free: c.space, total: total, block: block}); got != c.want {
			t.Errorf("%s: %v, want %v", name, got, c.want)
		}
	}
}

func TestJudge(t *testing.T) {
	for _, c := range []struct {
		answer error
		want   evidence.State
	}{
		{nil, evidence.Well},
		{syscall.ENOSPC, evidence.Well},
		{syscall.EDQUOT, evidence.Well},
		{syscall.EACCES, evidence.Unreadable},
		{fmt.Errorf("/host: %w", errNotVisible), evidence.Unreadable},
		{syscall.EOPNOTSUPP, evidence.Unreadable},
		{syscall.EIO, evidence.Fault},
		{syscall.ENXIO, evidence.Fault},
		{inflight.NoAnswerError{Since: time.Unix(0, 0)}, evidence.Fault},
		{errors.New("gives back other than what was written"), evidence.Fault},
	} {
		if got := judge(errors.Join(nil, c.answer)); got != c.want {
			t.Errorf("%v: %s, want %s", c.answer, got, c.want)
		}
	}
}

func TestHeldBack(t *testing.T) {
	o := DefaultOptions().EBS // 50 s of ten minutes
	before := map[string]ebs.Exceeded{"vol-a": {VolumeIOPS: time.Hour}, "vol-b": {VolumeIOPS: time.Hour}}
	now := map[string]ebs.Exceeded{
		"vol-a": {VolumeIOPS: time.Hour + 50*time.Second, VolumeThroughput: 51 * time.Second, InstanceThroughput: 10 * time.Minute},
		"vol-b": {VolumeIOPS: time.Second}, // attached anew
		"vol-c": {VolumeIOPS: time.Hour},   // not seen before
	}
	got := map[reason.ID]string{}
	for _, e := range o.throttled(before, now) {
		got[e.Reason] = e.Entity
	}
	want := map[reason.ID]string{reason.EBSVolumeThroughputExceeded: "vol-a", reason.EBSInstanceThroughputExceeded: "vol-a"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

const stat = "4242 (a (b) c) S 1 4242 4242 0 -1 4194304 1 2 3 4 5 6 7 8 20 0 1 0 99 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 0 1234 19 20"

func TestParseStat(t *testing.T) {
	command, who, waited, err := parseStat(stat)
	if want := (process{pid: "4242", start: "99"}); err != nil || command != "a (b) c" || who != want || waited != 12340*time.Millisecond {
		t.Errorf("%q, %+v, %v, %v", command, who, waited, err)
	}
}

func FuzzParseStat(f *testing.F) {
	f.Add(stat)
	f.Add("1 (x")
	f.Add(fmt.Sprintf("1 (x) %s%d", strings.Repeat("1 ", 39), uint64(math.MaxUint64)))
	f.Fuzz(func(t *testing.T, line string) {
		if _, who, _, err := parseStat(line); err != nil && who != (process{}) {
			t.Errorf("%+v with an error", who)
		}
	})
}

func TestOptionsAreChecked(t *testing.T) {
	for text, right := range map[string]bool{"/var/lib": true, "/": true, "var/lib": false, "": false} {
		var p Path
		if err := p.UnmarshalText([]byte(text)); (err == nil) != right {
			t.Errorf("path %q: %v", text, err)
		}
	}
	for text, right := range map[string]bool{"1": true, "16": true, "0": false, "-1": false, "many": false} {
		var b Blocks
		if err := b.UnmarshalText([]byte(text)); (err == nil) != right {
			t.Errorf("blocks %q: %v", text, err)
		}
	}
}
