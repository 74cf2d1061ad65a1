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

// source is a place from which the lines of some logs are read: the kernel's device, the journal or a file.
type source struct {
	name string
	logs []string
	open func(boot host.Boot, restored positions) (lineReader, error)
	// optional says that a host need not have it.
	optional bool
}

// line is one line of a log.
type line struct {
	log, text string
	// at is when it was logged; zero if that is unknown.
	at       time.Time
	position position
	// onlyFor is the reason for which it is processed again, because the reason's witness agrees now; empty of a line that is new.
	onlyFor reason.ID
	// from is the place that the line was read from, if its log is in several.
	from string
	// foreign says that the line does not prove that the log is written to this place: it may be another program's.
	foreign bool
}

// lineReader reads lines. next waits for one; buffered does not, and returns io.EOF where there is none.
type lineReader interface {
	next(ctx context.Context) (line, error)
	buffered(ctx context.Context) (line, error)
	lost() uint64
	// missing are the logs of which there never was a line, with the reason why that does not mean that all is well.
	missing() map[string]error
	Close() error
}

// since converts a time since boot to the time of the real-time clock as it is set now, so that a clock that was set meanwhile does not matter.
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
func (m *Monitor) openKernel(boot host.Boot, restored positions) (lineReader, error) {
	if m.options.Kernel == Journal {
		return m.openJournal(boot, restored, kernelLog)
	}
	booted, err := m.since(0)
	if err != nil {
		return nil, err
	}
	reader, err := kmsg.Open(m.host.Path("/dev/kmsg"), booted, restored[kernelLog].Seq, m.clock)
	if err == nil {
		return kmsgReader{reader}, nil
	}
	if m.options.Kernel == Device {
		return nil, err
	}
	second, other := m.openJournal(boot, restored, kernelLog)
	if other != nil {
		return nil, fmt.Errorf("%w; and %w", err, other)
	}
	return second, nil
}

func (m *Monitor) openUnits(units []string) func(host.Boot, positions) (lineReader, error) {
	return func(boot host.Boot, restored positions) (lineReader, error) {
		return m.openJournal(boot, restored, units...)
	}
}

// openJournal opens logs within the journal.
func (m *Monitor) openJournal(boot host.Boot, restored positions, logs ...string) (lineReader, error) {
	up, err := m.uptime()
	if err != nil {
		return nil, err
	}
	var wants []journal.Want
	var of []within // of each of wants
	for _, log := range logs {
		for unit, want := range wantsOf(log) {
			want.After = max(restored[log].Up, up-m.maxAge[log])
			wants, of = append(wants, want), append(of, within{log, unit})
		}
	}
	var folders []string
	for _, folder := range m.options.Journal {
		folders = append(folders, m.host.Path(folder))
	}
	reader, err := journal.Open(folders, wants, journal.Options{Boot: boot.ID, Poll: pollInterval, Clock: m.clock})
	if err != nil {
		return nil, err
	}
	return journalReader{reader, of, m}, nil
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
func (m *Monitor) openFile(log, path string) func(host.Boot, positions) (lineReader, error) {
	return func(boot host.Boot, restored positions) (lineReader, error) {
		reader, err := logfile.Open(m.host.Path(path), logfile.Options{From: restored[path].File, Since: boot.At, Poll: pollInterval, Clock: m.clock})
		if err != nil {
			return nil, err
		}
		return file{reader, log, path}, nil
	}
}

// kmsgReader reads the kernel's log from its device.
type kmsgReader struct{ *kmsg.Reader }

func (d kmsgReader) lost() uint64 { return d.Lost() }

func (d kmsgReader) next(ctx context.Context) (line, error) {
	return d.nextOfKernel(func() (kmsg.Record, error) { return d.Next(ctx) })
}

func (d kmsgReader) buffered(context.Context) (line, error) { return d.nextOfKernel(d.Buffered) }

// nextOfKernel returns the next line that the kernel itself logged: what processes write has another facility. Continuations of a line are
// left out, because they may begin with any text, such as the name of a process.
func (kmsgReader) nextOfKernel(next func() (kmsg.Record, error)) (line, error) {
	for {
		r, err := next()
		if err != nil {
			return line{}, err
		}
		if r.Facility == kmsg.Kernel && !r.Continues {
			return line{log: kernelLog, text: r.Text, at: r.At, position: position{Seq: r.Seq + 1}}, nil
		}
	}
}

func (kmsgReader) missing() map[string]error { return nil }

func (file) missing() map[string]error { return nil }

// missing is the kubelet's log on a host whose kubelet has never written to the journal.
func (e journalReader) missing() map[string]error {
	if !slices.ContainsFunc(e.of, func(w within) bool { return w.log == kubeletLog }) {
		return nil
	}
	if err := e.m.missingKubelet(func(unit string) bool { return e.Has(slices.Index(e.of, within{kubeletLog, unit})) }); err != nil {
		return map[string]error{kubeletLog: err}
	}
	return nil
}

// missingKubelet is why the journal has no lines of a kubelet, given the units that it has lines of.
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

// within is a log in the journal and the systemd unit that writes it.
type within struct{ log, unit string }

// journalReader reads logs from the journal.
type journalReader struct {
	*journal.Reader
	of []within // of each Want
	m  *Monitor
}

func (e journalReader) lost() uint64 { return e.Lost() }

func (e journalReader) next(ctx context.Context) (line, error) {
	return e.nextWhole(func() (journal.Entry, error) { return e.Next(ctx) })
}

func (e journalReader) buffered(context.Context) (line, error) { return e.nextWhole(e.Buffered) }

// nextWhole returns the next entry that is a line from its beginning: a later part of a line may begin with text that a workload chose.
func (e journalReader) nextWhole(next func() (journal.Entry, error)) (line, error) {
	for {
		entry, err := next()
		if err != nil {
			return line{}, err
		}
		if !entry.Continues {
			at, err := e.m.since(entry.Up)
			of := e.of[entry.Want]
			return line{log: of.log, text: entry.Message, at: at, position: position{Up: entry.Up}, foreign: slices.Contains(rke2Units, of.unit)}, err
		}
	}
}

// file reads a log from a file.
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
	return line{log: f.log, text: l.Text, at: l.At, position: position{File: l.End}, from: f.path}, nil
}

// ended says whether an error is that there are no more lines.
func ended(err error) bool { return errors.Is(err, io.EOF) }

// absent says whether an error is that there is no such log.
func absent(err error) bool { return errors.Is(err, fs.ErrNotExist) }
