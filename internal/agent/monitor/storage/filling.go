package storage

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kubeletfiles"
)

// filling finds filesystems of the node that will be full soon at the rate at which their use grows.
type filling struct {
	mounts  mounts
	options Filling
	finder  kubeletfiles.Finder
	clock   clock.PassiveClock
	measure func(filesystem) (usage, error)
	calls   inflight.Calls[usage]
	// trends are by device and mount point.
	trends map[string]*trends
}

// trends are a filesystem's. They begin anew if its size changes.
type trends struct {
	size          uint64
	since         time.Time
	bytes, inodes trend
}

// usage is how much of a filesystem is in use, by statfs(2).
type usage struct {
	bytes, inodes capacity
}

// capacity is the total of something, how much is in use, and how much is free to processes other than root's. all is zero for inodes on a
// filesystem that creates them as needed (btrfs).
type capacity struct{ all, used, free uint64 }

func newFilling(h host.Host, o Options) *filling {
	m := mounts{host: h, folders: o.Folders}
	return &filling{
		mounts: m, options: o.Filling, finder: kubeletfiles.Finder{Host: h}, clock: clock.RealClock{}, measure: m.statfs,
	}
}

func (f *filling) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := f.mounts.disks()
	if err != nil {
		return nil, err
	}
	evicts := f.eviction()
	before := f.trends
	f.trends = map[string]*trends{}
	var found, unknown []evidence.Evidence
	readable := false
	for _, disk := range disks {
		if !disk.isNodes() || disk.readonly() {
			continue
		}
		readable = true
		key := disk.device + " " + disk.at
		t := before[key]
		now, err := f.calls.Do(ctx, disk.at, statTimeout, func(context.Context) (usage, error) { return f.measure(disk) })
		if err != nil {
			unknown = append(unknown, f.unknown(disk.at, err.Error()))
			f.trends[key] = t
			continue
		}
		if t == nil || t.size != now.bytes.all {
			t = newTrends(f.clock.Now(), now)
		}
		f.trends[key] = t
		t.add(f.clock.Now(), now)
		if raw := t.judge(now, f.options.Within, evicts); raw != "" {
			found = append(found, evidence.Evidence{Reason: reason.FilesystemFillingUp, State: evidence.Fault, Entity: disk.at, Raw: raw})
		} else if !t.bytes.known() {
			why := fmt.Sprintf("measured since %s; it takes an hour", t.since.UTC().Format(time.RFC3339))
			unknown = append(unknown, f.unknown(disk.at, why))
		}
	}
	if !readable {
		return []evidence.Evidence{{Reason: reason.FilesystemFillingUp, State: evidence.Inapplicable, Raw: "no disk of the node is written to"}}, ctx.Err()
	}
	return append(found, unknown...), ctx.Err()
}

func (f *filling) unknown(at, why string) evidence.Evidence {
	return evidence.Evidence{Reason: reason.FilesystemFillingUp, State: evidence.Unreadable, Raw: at + ": " + why}
}

// eviction returns the thresholds below which the kubelet reports DiskPressure; none without a kubelet. If its configuration cannot be read,
// its defaults are assumed.
func (f *filling) eviction() kubeletfiles.Eviction {
	k, err := f.finder.Find()
	if errors.Is(err, kubeletfiles.ErrNone) {
		return kubeletfiles.Eviction{}
	}
	var c kubeletfiles.Config
	if err == nil {
		c, _ = k.Config()
	}
	return c.Eviction()
}

// newTrends begins the trends of a filesystem. A fall of use by a hundredth of its size is a cleanup.
func newTrends(at time.Time, now usage) *trends {
	return &trends{size: now.bytes.all, since: at, bytes: trend{cleanupDrop: now.bytes.all / 100}, inodes: trend{cleanupDrop: now.inodes.all / 100}}
}

func (t *trends) add(at time.Time, now usage) {
	t.bytes.add(sample{at, now.bytes.used})
	t.inodes.add(sample{at, now.inodes.used})
}

// judge says what will be full within a time; empty if nothing will, or if the kubelet reports it already.
func (t *trends) judge(now usage, within time.Duration, evicts kubeletfiles.Eviction) string {
	if rate := t.bytes.rate(); fillsWithin(now.bytes, rate, within, evicts.Bytes) {
		return fmt.Sprintf("at this rate it is full in %s: %d of %d MiB are free, and %.0f MiB more are in use each hour",
			timeLeft(now.bytes, rate), now.bytes.free>>20, now.bytes.all>>20, rate*3600/(1<<20))
	}
	if rate := t.inodes.rate(); fillsWithin(now.inodes, rate, within, evicts.Inodes) {
		return fmt.Sprintf("at this rate it is out of inodes in %s: %d of %d are free, and %.0f more are in use each hour",
			timeLeft(now.inodes, rate), now.inodes.free, now.inodes.all, rate*3600)
	}
	return ""
}

// fillsWithin says whether what is free will be in use within a time, at a rate per second, and the kubelet does not report it yet.
func fillsWithin(of capacity, rate float64, within time.Duration, evicts kubeletfiles.Least) bool {
	return rate > 0 && float64(of.free)/rate <= within.Seconds() && of.free > evicts.Of(of.all)
}

// timeLeft is after how long what is free will be in use at a rate: "3h20m".
func timeLeft(of capacity, rate float64) string {
	in := time.Duration(float64(of.free) / rate * float64(time.Second)).Round(time.Minute)
	return strings.TrimSuffix(in.String(), "0s")
}

// statfs measures a filesystem.
func (m mounts) statfs(disk filesystem) (usage, error) {
	path, err := m.reach(disk)
	if err != nil {
		return usage{}, err
	}
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return usage{}, err
	}
	defer folder.Close()
	var stat unix.Statfs_t
	if err := unix.Fstatfs(int(folder.Fd()), &stat); err != nil {
		return usage{}, fmt.Errorf("measure %s: %w", path, err)
	}
	block := uint64(stat.Frsize)
	return usage{
		bytes:  capacity{all: stat.Blocks * block, used: (stat.Blocks - stat.Bfree) * block, free: stat.Bavail * block},
		inodes: capacity{all: stat.Files, used: stat.Files - stat.Ffree, free: stat.Ffree},
	}, nil
}
