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

// statTimeout bounds a call of stat or statfs, which reads from no disk as a rule.
const statTimeout = 5 * time.Second

// states finds filesystems that have become read-only or have shut down.
type states struct {
	mounts mounts
	stat   inflight.Calls[string]
	// writable are the filesystems that were seen to be writable, by mount point and device.
	writable map[string]bool
}

func (s *states) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := s.mounts.disks()
	if err != nil {
		return nil, err
	}
	return append(s.readonly(disks), s.shutdown(ctx, disks)...), ctx.Err()
}

// readonly finds filesystems that the kernel has made read-only, and those that were writable before: the node or pods need them, whoever
// changed it. A single read-only mount of a filesystem that is not the node's own is intended.
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
		case !disk.isNodes() && (disk.errorsReadonly() || disk.readonlyItself() && before[key]):
			found = append(found, evidence.Evidence{Reason: reason.VolumeReadonly, State: evidence.Fault, Entity: disk.at, Raw: disk.String()})
		case disk.isNodes() && (disk.errorsReadonly() || disk.readonly() && before[key]):
			found = append(found, evidence.Evidence{Reason: reason.ReadonlyFilesystem, State: evidence.Fault, Entity: disk.at, Raw: disk.String()})
		}
	}
	return found
}

// shutdown finds XFS filesystems that have shut down: then even stat of their root is an I/O error (fs/xfs/xfs_iops.c, xfs_vn_getattr), for which
// no disk is read.
func (s *states) shutdown(ctx context.Context, disks []filesystem) []evidence.Evidence {
	var found, unreadable []evidence.Evidence
	readable := false
	for _, disk := range disks {
		if disk.kind != "xfs" || !disk.isNodes() {
			continue
		}
		readable = true
		_, err := s.stat.Do(ctx, disk.at, statTimeout, func(context.Context) (string, error) { return s.mounts.reach(disk) })
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
	if !readable {
		return []evidence.Evidence{{Reason: reason.XfsShutdown, State: evidence.Inapplicable, Source: mountinfo, Raw: "no disk of the node is XFS"}}
	}
	return append(found, unreadable...)
}
