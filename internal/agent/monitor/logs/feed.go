package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/journal"
	"github.com/naosu-dev/naosu/internal/agent/source/kmsg"
	"github.com/naosu-dev/naosu/internal/agent/source/logfile"
)

// source is where the lines of some logs come from.
type source struct {
	name string
	logs []string
	open func(boot host.Boot, past marks) (feed, error)
	// optional says that a host need not have it.
	optional bool
}

// line is one line of a log.
type line struct {
	log, text string
	// at is when it was logged; zero if nobody knows.
	at   time.Time
	mark mark
	// only is the one reason that it is read again for; empty of a line that is read for the first time.
	only reason.ID
	// from is where the line stands, if a log is in several places.
	from string
	// foreign says that it does not show the log to be written there: another program's log may be all that is in that place.
	foreign bool
}

// feed gives lines. Its errors are io.EOF where nothing more is buffered.
type feed interface {
	next(ctx context.Context) (line, error)
	buffered(ctx context.Context) (line, error)
	lost() uint64
	// missing are the logs of which it has never had a line, and why that is no sign of health.
	missing() map[string]error
	Close() error
}

// since is the wall's time, as its clock is now, of a time since boot: it can be compared with others of now, wherever the clock was
// put meanwhile.
func (m *Monitor) since(up time.Duration) (time.Time, error) {
	now, err := m.uptime()
	return m.clock.Now().Add(up - now), err
}

// uptime is the time since boot, as journald stamps entries with (CLOCK_MONOTONIC of clock_gettime(2)).
func uptime() (time.Duration, error) {
	var now unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &now); err != nil {
		return 0, fmt.Errorf("read the time since boot: %w", err)
	}
	return time.Duration(now.Nano()), nil
}

// openKernel opens the kernel's log.
func (m *Monitor) openKernel(boot host.Boot, past marks) (feed, error) {
	if m.options.Kernel == Journal {
		return m.openJournal(boot, past, kernelLog)
	}
	booted, err := m.since(0)
	if err != nil {
		return nil, err
	}
	reader, err := kmsg.Open(m.host.Path("/dev/kmsg"), booted, past[kernelLog].Seq, m.clock)
	if err == nil {
		return device{reader}, nil
	}
	if m.options.Kernel == Device {
		return nil, err
	}
	second, other := m.openJournal(boot, past, kernelLog)
	if other != nil {
		return nil, fmt.Errorf("%w; and %w", err, other)
	}
	return second, nil
}

func (m *Monitor) openUnits(units []string) func(host.Boot, marks) (feed, error) {
	return func(boot host.Boot, past marks) (feed, error) { return m.openJournal(boot, past, units...) }
}

// openJournal opens logs within the journal.
func (m *Monitor) openJournal(boot host.Boot, past marks, logs ...string) (feed, error) {
	up, err := m.uptime()
	if err != nil {
		return nil, err
	}
	var wants []journal.Want
	var of []within // of each
	for _, log := range logs {
		for unit, want := range wantsOf(log) {
			want.After = max(past[log].Up, up-m.horizon[log])
			wants, of = append(wants, want), append(of, within{log, unit})
		}
	}
	var folders []string
	for _, folder := range m.options.Journal {
		folders = append(folders, m.host.Path(folder))
	}
	reader, err := journal.Open(folders, wants, journal.Options{Boot: boot.ID, Poll: poll, Clock: m.clock})
	if err != nil {
		return nil, err
	}
	return entries{reader, of, m}, nil
}

// wantsOf are what in the journal is of a log, by unit.
func wantsOf(log string) map[string]journal.Want {
	if log == kernelLog {
		return map[string]journal.Want{"": journal.Kernel()}
	}
	units := []string{strings.TrimPrefix(log, unitPrefix)}
	if log == kubeletLog {
		units = slices.Concat(kubeletUnits, rke2Units)
	}
	wants := map[string]journal.Want{}
	for _, unit := range units {
		wants[unit] = journal.Unit(unit)
	}
	return wants
}

// openFile opens a log that is in a file.
func (m *Monitor) openFile(log, path string) func(host.Boot, marks) (feed, error) {
	return func(boot host.Boot, past marks) (feed, error) {
		reader, err := logfile.Open(m.host.Path(path), logfile.Options{From: past[path].File, Since: boot.At, Poll: poll, Clock: m.clock})
		if err != nil {
			return nil, err
		}
		return file{reader, log, path}, nil
	}
}

// device is the kernel's log, read from the kernel.
type device struct{ *kmsg.Reader }

func (d device) lost() uint64 { return d.Lost() }

func (d device) next(ctx context.Context) (line, error) {
	return d.own(func() (kmsg.Record, error) { return d.Next(ctx) })
}

func (d device) buffered(context.Context) (line, error) { return d.own(d.Buffered) }

// own is the next line that the kernel itself logged: what processes write there has another facility. A further part of a line may
// begin with anything, as the name of a process.
func (device) own(next func() (kmsg.Record, error)) (line, error) {
	for {
		r, err := next()
		if err != nil {
			return line{}, err
		}
		if r.Facility == kmsg.Kernel && !r.Continues {
			return line{log: kernelLog, text: r.Text, at: r.At, mark: mark{Seq: r.Seq + 1}}, nil
		}
	}
}

func (device) missing() map[string]error { return nil }

func (file) missing() map[string]error { return nil }

// missing is the kubelet's log where a kubelet is and has never written into the journal.
func (e entries) missing() map[string]error {
	if !slices.ContainsFunc(e.of, func(w within) bool { return w.log == kubeletLog }) {
		return nil
	}
	if err := e.m.missingKubelet(func(unit string) bool { return e.Has(slices.Index(e.of, within{kubeletLog, unit})) }); err != nil {
		return map[string]error{kubeletLog: err}
	}
	return nil
}

// missingKubelet is why a journal, which has lines of some units, has none of a kubelet.
func (m *Monitor) missingKubelet(has func(unit string) bool) error {
	if slices.ContainsFunc(kubeletUnits, has) {
		return nil
	}
	if _, err := os.Stat(m.host.Path("/var/lib/kubelet")); err != nil {
		return fmt.Errorf("no kubelet is on this host: %w", fs.ErrNotExist)
	}
	if m.rke2 {
		return fmt.Errorf("RKE2's kubelet logs to %s: %w", rke2File, fs.ErrNotExist)
	}
	if slices.ContainsFunc(rke2Units, has) {
		return fmt.Errorf("the journal has RKE2's own lines, and its kubelet logs to %s, which is not here", rke2File)
	}
	return fmt.Errorf("the journal has no line of a kubelet since boot, of none of %s; where it logs to a file other than %s, that is not read", strings.Join(kubeletUnits, ", "), rke2File)
}

// within is a log in the journal, and the unit that writes it.
type within struct{ log, unit string }

// entries are logs within the journal.
type entries struct {
	*journal.Reader
	of []within // of each Want
	m  *Monitor
}

func (e entries) lost() uint64 { return e.Lost() }

func (e entries) next(ctx context.Context) (line, error) {
	return e.whole(func() (journal.Entry, error) { return e.Next(ctx) })
}

func (e entries) buffered(context.Context) (line, error) { return e.whole(e.Buffered) }

// whole is the next entry that begins where a line begins: what a process has others write can be made to begin anywhere else.
func (e entries) whole(next func() (journal.Entry, error)) (line, error) {
	for {
		entry, err := next()
		if err != nil {
			return line{}, err
		}
		if !entry.Continues {
			at, err := e.m.since(entry.Up)
			of := e.of[entry.Want]
			return line{log: of.log, text: entry.Message, at: at, mark: mark{Up: entry.Up}, foreign: slices.Contains(rke2Units, of.unit)}, err
		}
	}
}

// file is a log file.
type file struct {
	*logfile.Reader
	log, path string
}

func (f file) lost() uint64 { return f.Lost() }

func (f file) next(ctx context.Context) (line, error) { return f.line(f.Next(ctx)) }

func (f file) buffered(context.Context) (line, error) { return f.line(f.Buffered()) }

func (f file) line(l logfile.Line, err error) (line, error) {
	if err != nil {
		return line{}, err
	}
	return line{log: f.log, text: l.Text, at: l.At, mark: mark{File: l.End}, from: f.path}, nil
}

// ended says that a log was read to the end of what it holds.
func ended(err error) bool { return errors.Is(err, io.EOF) }

// absent says that there is no such log.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
