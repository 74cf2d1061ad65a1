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
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// probe writes to each disk, has it kept, and reads it back. A hang is the fault itself: the calls of whoever works with
// that disk hang as well.
type probe struct {
	host    host.Host
	options Probe
	list    *patient[[]folder]
	disks   *patient[error]
	// known are the folders that were there when that could last be told.
	known []folder
}

// folder is where a disk is probed.
type folder struct{ name, path string }

func (p *probe) find(ctx context.Context) ([]evidence.Evidence, error) {
	folders, err := p.list.ask(ctx, "", p.options.Patience, p.folders)
	if err == nil {
		p.known = folders
	} else if folders = p.known; folders == nil {
		return nil, err
	}
	if len(folders) == 0 {
		return []evidence.Evidence{{Reason: reason.DiskProbeFailed, State: evidence.Inapplicable, Raw: "none of the folders is here"}}, nil
	}
	answers := make([]error, len(folders))
	var asking sync.WaitGroup
	for i, f := range folders {
		asking.Go(func() {
			answer, err := p.disks.ask(ctx, f.name, p.options.Patience, func() error { return tryDisk(f.path, time.Now()) })
			answers[i] = errors.Join(err, answer)
		})
	}
	asking.Wait()
	var found []evidence.Evidence
	for i, f := range folders {
		if state := judge(answers[i]); state != evidence.Well {
			found = append(found, evidence.Evidence{
				Reason: reason.DiskProbeFailed, State: state, Entity: f.name, Raw: fmt.Sprintf("%s: %v", f.name, answers[i]),
			})
		}
	}
	slices.SortStableFunc(found, func(a, b evidence.Evidence) int { return rank(a) - rank(b) })
	return found, ctx.Err()
}

// rank has Faults told first, what could not be read last.
func rank(e evidence.Evidence) int {
	if e.State == evidence.Fault {
		return 0
	}
	return 1
}

// folders are those that are there, the first of each device. One that does not even answer what device it is on is one.
func (p *probe) folders() []folder {
	var there []folder
	seen := map[uint64]bool{}
	for _, name := range p.options.Folders {
		path := p.host.Path(string(name))
		var stat syscall.Stat_t
		err := syscall.Stat(path, &stat)
		if errors.Is(err, syscall.ENOENT) || err == nil && seen[stat.Dev] {
			continue
		}
		if err == nil {
			seen[stat.Dev] = true
		}
		there = append(there, folder{name: string(name), path: path})
	}
	return there
}

// judge tells a disk's fault from what else may fail. A full disk is the kubelet's DiskPressure, one that takes no writes
// ReadonlyFilesystem, or the agent's own read-only view of it.
func judge(answer error) evidence.State {
	for _, tellsNothing := range []error{
		syscall.EROFS, syscall.EACCES, syscall.EPERM, syscall.EOPNOTSUPP, syscall.EISDIR, syscall.ENOENT, syscall.EMFILE, syscall.ENFILE,
		syscall.ENOMEM, context.Canceled, context.DeadlineExceeded,
	} {
		if errors.Is(answer, tellsNothing) {
			return evidence.Unreadable
		}
	}
	if answer == nil || errors.Is(answer, syscall.ENOSPC) || errors.Is(answer, syscall.EDQUOT) {
		return evidence.Well
	}
	return evidence.Fault
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
