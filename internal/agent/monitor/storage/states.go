package storage

import (
	"context"
	"errors"
	"fmt"
	"syscall"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// statPatience bounds the look at one mount point, which asks no disk as a rule.
const statPatience = 5 * time.Second

// states finds filesystems that take no more writes.
type states struct {
	mounts mounts
	stat   inflight.Calls[string]
	// writable are the filesystems that were seen so, by mount point and device.
	writable map[string]bool
}

func (s *states) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := s.mounts.disks()
	if err != nil {
		return nil, err
	}
	return append(s.readonly(disks), s.shutdown(ctx, disks)...), ctx.Err()
}

// readonly finds what the kernel turned read-only, and what was writable before: whoever did that, the node cannot work with a disk of its
// own, nor pods with another. One of the mounts of another that is read-only is his business who mounted it.
func (s *states) readonly(disks []filesystem) []evidence.Evidence {
	if len(disks) == 0 {
		return []evidence.Evidence{
			{Reason: reason.ReadonlyFilesystem, State: evidence.Inapplicable, Raw: "no filesystem of a disk is mounted"},
			{Reason: reason.VolumeReadonly, State: evidence.Inapplicable, Raw: "no filesystem of a disk is mounted"},
		}
	}
	before := s.writable
	s.writable = map[string]bool{}
	var found []evidence.Evidence
	for _, disk := range disks {
		key := disk.at + " " + disk.device
		s.writable[key] = before[key] || !disk.readonly()
		switch {
		case !disk.own() && (disk.turned() || disk.readonlyItself() && before[key]):
			found = append(found, evidence.Evidence{Reason: reason.VolumeReadonly, State: evidence.Fault, Entity: disk.at, Raw: disk.String()})
		case disk.own() && (disk.turned() || disk.readonly() && before[key]):
			found = append(found, evidence.Evidence{Reason: reason.ReadonlyFilesystem, State: evidence.Fault, Entity: disk.at, Raw: disk.String()})
		}
	}
	return found
}

// shutdown finds XFS filesystems that have shut themselves down: even to look at their root is an I/O error then
// (fs/xfs/xfs_iops.c, xfs_vn_getattr), which no disk is asked for.
func (s *states) shutdown(ctx context.Context, disks []filesystem) []evidence.Evidence {
	var found, unreadable []evidence.Evidence
	some := false
	for _, disk := range disks {
		if disk.kind != "xfs" || !disk.own() {
			continue
		}
		some = true
		_, err := s.stat.Do(ctx, disk.at, statPatience, func(context.Context) (string, error) { return s.mounts.reach(disk) })
		switch {
		case errors.Is(err, syscall.EIO):
			found = append(found, evidence.Evidence{
				Reason: reason.XfsShutdown, State: evidence.Fault, Entity: disk.at, Source: "stat", Raw: fmt.Sprintf("%v (%s)", err, disk),
			})
		case err != nil:
			unreadable = append(unreadable, evidence.Evidence{
				Reason: reason.XfsShutdown, State: evidence.Unreadable, Source: "stat", Raw: err.Error(),
			})
		}
	}
	if !some {
		return []evidence.Evidence{{Reason: reason.XfsShutdown, State: evidence.Inapplicable, Source: mountinfo, Raw: "no disk of the node is XFS"}}
	}
	return append(found, unreadable...)
}
