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

// probe writes to each disk of the node, has it kept, and reads it back. A hang is the fault itself: the calls of whoever
// works with that disk hang as well.
type probe struct {
	mounts  mounts
	options Probe
	asked   inflight.Calls[struct{}]
}

func (p *probe) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := p.mounts.disks()
	if err != nil {
		return nil, err
	}
	// What takes no writes is ReadonlyFilesystem's, or so by intention.
	disks = slices.DeleteFunc(disks, func(disk filesystem) bool { return !disk.own() || disk.readonly() })
	if len(disks) == 0 {
		return []evidence.Evidence{{Reason: reason.DiskProbeFailed, State: evidence.Inapplicable, Raw: "the node writes to no disk"}}, nil
	}
	answers := make([]error, len(disks))
	var asking sync.WaitGroup
	for i, disk := range disks {
		asking.Go(func() {
			_, answers[i] = p.asked.Do(ctx, disk.at, p.options.Patience, func(context.Context) (struct{}, error) { return struct{}{}, p.try(disk) })
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

// tellsNothing are errors that say nothing of a disk, but of what the agent may do.
var tellsNothing = []error{
	errUnseen, syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EOPNOTSUPP, syscall.EISDIR, syscall.ENOENT, syscall.EMFILE, syscall.ENFILE,
	syscall.ENOMEM, context.Canceled, context.DeadlineExceeded,
}

// judge tells a disk's fault from what else may fail. A full disk is the kubelet's DiskPressure.
func judge(answer error) evidence.State {
	is := func(err error) bool { return errors.Is(answer, err) }
	switch {
	case answer == nil, is(syscall.ENOSPC), is(syscall.EDQUOT):
		return evidence.Well
	case slices.ContainsFunc(tellsNothing, is):
		return evidence.Unreadable
	}
	return evidence.Fault
}

// try tries a disk in the first of its folders that the agent may write to.
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

// tryDisk writes a file without a name in a folder, which is gone however this ends, and reads it back from the disk.
func tryDisk(path string, now time.Time) error {
	fd, err := unix.Open(path, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err != nil {
		return fmt.Errorf("open a file in %s: %w", path, err)
	}
	file := os.NewFile(uintptr(fd), path) //nolint:gosec // a descriptor
	defer file.Close()
	wrote := bytes.Repeat(fmt.Appendf(nil, "%-64d", now.UnixNano()), 64)
	if _, err := file.Write(wrote); err != nil {
		return err
	}
	if err := file.Sync(); err != nil {
		return err
	}
	// Without this the page cache would answer, which knows what the disk should hold.
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
