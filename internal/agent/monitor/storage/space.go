package storage

import (
	"context"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/fsmap"
)

const (
	// leastFree is the share of a filesystem that must be free for its fragmentation to count. The free space of a full one is always
	// fragmented; the kubelet reports DiskPressure of it.
	leastFree = 0.05
	// mostRecords bounds what one look reads of one filesystem: 23 ms of CPU.
	mostRecords = 200_000
)

// space finds XFS filesystems whose free space is so fragmented that inodes cannot be allocated: "no space left on device", while df shows free
// space.
type space struct {
	mounts  mounts
	options XFS
	read    inflight.Calls[reading]
}

type reading struct {
	free  fsmap.Space
	total uint64
	block uint64
}

func (s *space) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := s.mounts.disks()
	if err != nil {
		return nil, err
	}
	var found, unreadable []evidence.Evidence
	readable := false
	for _, disk := range disks {
		if disk.kind != "xfs" || !disk.isNodes() {
			continue
		}
		readable = true
		got, err := s.read.Do(ctx, disk.at, statTimeout, func(context.Context) (reading, error) { return s.measure(disk) })
		if err != nil {
			unreadable = append(unreadable, evidence.Evidence{
				Reason: reason.XFSSmallAverageClusterSize, State: evidence.Unreadable, Raw: fmt.Sprintf("%s: %v", disk.at, err),
			})
		} else if s.options.fragmented(got) {
			found = append(found, evidence.Evidence{
				Reason: reason.XFSSmallAverageClusterSize, State: evidence.Fault, Entity: disk.at, Raw: got.String(),
			})
		}
	}
	if !readable {
		return []evidence.Evidence{{Reason: reason.XFSSmallAverageClusterSize, State: evidence.Inapplicable, Raw: "no disk of the node is XFS"}}, nil
	}
	return append(found, unreadable...), ctx.Err()
}

func (s *space) measure(disk filesystem) (reading, error) {
	path, err := s.mounts.reach(disk)
	if err != nil {
		return reading{}, err
	}
	folder, err := os.OpenFile(path, os.O_RDONLY|syscall.O_DIRECTORY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return reading{}, err
	}
	defer folder.Close()
	var stat unix.Statfs_t
	if err := unix.Fstatfs(int(folder.Fd()), &stat); err != nil {
		return reading{}, fmt.Errorf("measure %s: %w", path, err)
	}
	free, err := fsmap.Free(folder, mostRecords)
	return reading{free: free, total: stat.Blocks, block: uint64(stat.Bsize)}, err
}

// fragmented says whether there is enough free space for its fragmentation to count, and its extents are too small on average.
func (o XFS) fragmented(r reading) bool {
	if r.free.Extents == 0 || r.block == 0 || !r.free.Cut && float64(r.free.Bytes) < leastFree*float64(r.total*r.block) {
		return false
	}
	return r.blocks() < float64(o.SmallestAverage)
}

// blocks is the mean size of an extent of free space, in blocks.
func (r reading) blocks() float64 { return r.free.Average() / float64(r.block) }

func (r reading) String() string {
	extent := "all of it"
	if r.free.Cut {
		extent = fmt.Sprintf("the first records of each sixteenth, %d in all", r.free.Records)
	}
	return fmt.Sprintf("the average piece of free space has %.1f blocks of %d bytes: %d MiB in %d pieces (read: %s)",
		r.blocks(), r.block, r.free.Bytes>>20, r.free.Extents, extent)
}
