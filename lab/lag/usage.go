package lag

import (
	"fmt"
	"os"
	"time"

	"github.com/prometheus/procfs"
)

// tick is the unit of CPU time in /proc/PID/stat: USER_HZ is 100 wherever Go runs.
const tick = time.Second / 100

// reader reads what the machine's processes use from /proc.
type reader struct {
	proc procfs.FS
	// own says of each process whether it is this one or descends from it. Who its parent was when it was first seen
	// decides, so that it stays what it was when its parent ends.
	own map[int]bool
}

// newReader fails where there is no /proc.
func newReader() (*reader, error) {
	proc, err := procfs.NewDefaultFS()
	if err != nil {
		return nil, fmt.Errorf("opening /proc: %w", err)
	}
	return &reader{proc: proc, own: map[int]bool{os.Getpid(): true}}, nil
}

func (r *reader) read() (*usage, error) {
	stat, err := r.proc.Stat()
	if err != nil {
		return nil, fmt.Errorf("reading the machine's CPU time: %w", err)
	}
	total := stat.CPUTotal
	u := &usage{
		processors: len(stat.CPU),
		all:        seconds(total.User + total.Nice + total.System + total.IRQ + total.SoftIRQ),
		stolen:     seconds(total.Steal),
	}
	if u.own, err = r.used(); err != nil {
		return nil, err
	}
	u.threads, err = r.threads()
	return u, err
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// used is the CPU time of this process and its descendants. Only those and processes that are new are read.
func (r *reader) used() (time.Duration, error) {
	procs, err := r.proc.AllProcs()
	if err != nil {
		return 0, fmt.Errorf("listing processes: %w", err)
	}
	var used time.Duration
	known, parents := map[int]bool{}, map[int]int{}
	times := map[int]time.Duration{}
	for _, p := range procs {
		own, seen := r.own[p.PID]
		if seen && !own {
			known[p.PID] = false
			continue
		}
		stat, err := p.Stat()
		if err != nil {
			continue // it has ended
		}
		times[p.PID] = time.Duration(int(stat.UTime+stat.STime)+stat.CUTime+stat.CSTime) * tick
		if seen {
			known[p.PID] = true
		} else {
			parents[p.PID] = stat.PPID
		}
	}
	for pid := range parents {
		known[pid] = descends(pid, parents, r.own)
	}
	for pid, t := range times {
		if known[pid] {
			used += t
		}
	}
	r.own = known
	return used, nil
}

// descends follows the parents of a process that is new to one that is known.
func descends(pid int, parents map[int]int, own map[int]bool) bool {
	for range len(parents) {
		parent, isNew := parents[pid]
		if !isNew {
			break
		}
		pid = parent
	}
	return own[pid]
}

// threads are those of this process.
func (r *reader) threads() (map[int]thread, error) {
	all, err := r.proc.AllThreads(os.Getpid())
	if err != nil {
		return nil, fmt.Errorf("listing threads: %w", err)
	}
	threads := map[int]thread{}
	for _, t := range all {
		stat, err := t.Schedstat()
		if err != nil {
			continue // it has ended, or this kernel does not count
		}
		threads[t.PID] = thread{ran: time.Duration(stat.RunningNanoseconds), waited: time.Duration(stat.WaitingNanoseconds)}
	}
	return threads, nil
}
