package storage

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// probe writes to each disk of the node, syncs, and reads back. A call that hangs is a fault, too: other processes' calls to that disk hang as
// well.
type probe struct {
	mounts  mounts
	options Probe
	calls   inflight.Calls[struct{}]
}

func (p *probe) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := p.mounts.disks()
	if err != nil {
		return nil, err
	}
	// A read-only filesystem is the matter of ReadonlyFilesystem, or intended.
	disks = slices.DeleteFunc(disks, func(disk filesystem) bool { return !disk.isNodes() || disk.readonly() })
	if len(disks) == 0 {
		return []evidence.Evidence{{Reason: reason.DiskProbeFailed, State: evidence.Inapplicable, Raw: "the node writes to no disk"}}, nil
	}
	answers := make([]error, len(disks))
	var asking sync.WaitGroup
	for i, disk := range disks {
		asking.Go(func() {
			_, answers[i] = p.calls.Do(ctx, disk.at, p.options.Patience, func(context.Context) (struct{}, error) { return struct{}{}, p.try(disk) })
		})
	}
	asking.Wait()
	var faults, unreadable []evidence.Evidence
	for i, disk := range disks {
		e := evidence.Evidence{Reason: reason.DiskProbeFailed, State: judge(answers[i]), Entity: disk.at, Raw: fmt.Sprintf("%s: %v", disk.at, answers[i])}
		switch e.State {
		case evidence.Fault:
			faults = append(faults, e)
		case evidence.Unreadable:
			unreadable = append(unreadable, e)
		}
	}
	return append(faults, unreadable...), ctx.Err()
}

// unrelatedErrors are errors that are caused by the agent's privileges or limits, not by a disk.
var unrelatedErrors = []error{
	errNotVisible, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EOPNOTSUPP, syscall.EISDIR, syscall.ENOENT, syscall.EMFILE, syscall.ENFILE,
	syscall.ENOMEM, context.Canceled, context.DeadlineExceeded,
}

// judge classifies the result of a probe: Fault only for a disk's errors. A full disk is well: the kubelet reports DiskPressure.
func judge(answer error) evidence.State {
	is := func(err error) bool { return errors.Is(answer, err) }
	switch {
	case answer == nil, is(syscall.ENOSPC), is(syscall.EDQUOT):
		return evidence.Well
	case slices.ContainsFunc(unrelatedErrors, is):
		return evidence.Unreadable
	}
	return evidence.Fault
}

// try probes a disk in the first of its folders that the agent may write to.
func (p *probe) try(disk filesystem) error {
	var last error
	for _, folder := range append(slices.Clone(disk.folders), Path(disk.at)) {
		path := p.mounts.host.Path(string(folder))
		last = disk.shows(path)
		if last == nil {
			last = tryDisk(path, time.Now())
		}
		if judge(last) != evidence.Unreadable {
			return last
		}
	}
	return last
}

// tryDisk writes an unnamed file (O_TMPFILE) in a folder, which is deleted when it is closed, and reads it back from the disk.
func tryDisk(path string, now time.Time) error {
	fd, err := unix.Open(path, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("open a file in %s: %w", path, err)
	}
	file := os.NewFile(uintptr(fd), path)
	defer file.Close()
	wrote := bytes.Repeat(fmt.Appendf(nil, "%-64d", now.UnixNano()), 64)
	if _, err := file.Write(wrote); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	// Without this the page cache would be read.
	if err := unix.Fadvise(fd, 0, 0, unix.FADV_DONTNEED); err != nil {
		return fmt.Errorf("forget what was written: %w", err)
	}
	read := make([]byte, len(wrote))
	if _, err := file.ReadAt(read, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if !bytes.Equal(read, wrote) {
		return fmt.Errorf("%s gives back other than what was written", path)
	}
	return nil
}
