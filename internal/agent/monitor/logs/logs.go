// Package logs is the monitor of log lines: it applies the patterns of all reasons to the logs that they name. A log is "kernel", "kubelet",
// "unit:NAME" (a systemd unit's journal), or a file's path.
package logs

import (
	"context"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"sync"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

const (
	kernelLog  = "kernel"
	unitPrefix = "unit:"

	maxEntity = 256  // bytes
	maxRaw    = 1024 // bytes of a line that evidence quotes

	pollInterval = time.Second      // of files and of the journal
	retryDelay   = 30 * time.Second // after a log could not be read
)

// Options are what may be configured.
type Options struct {
	// Kernel is the source of the kernel log: kmsg (/dev/kmsg), journal, or auto (/dev/kmsg if it can be read, else the journal).
	Kernel From `yaml:"kernel"`
	// Journal is the folders of the systemd journal.
	Journal []string `yaml:"journal"`
}

// From is where the kernel's log is read.
type From string

// Auto is Device where that may be read, else Journal. The device is not read by root alone: it takes CAP_SYSLOG where
// kernel.dmesg_restrict is 1, and a container must be given it.
const (
	Auto    From = "auto"
	Device  From = "kmsg"
	Journal From = "journal"
)

// UnmarshalText reads one, as a configuration file has it.
func (f *From) UnmarshalText(text []byte) error {
	if all := []From{Auto, Device, Journal}; !slices.Contains(all, From(text)) {
		return fmt.Errorf("%q is none of %q", text, all)
	}
	*f = From(text)
	return nil
}

// DefaultOptions hold where nothing is configured.
func DefaultOptions() Options {
	return Options{Kernel: Auto, Journal: []string{"/var/log/journal", "/run/log/journal"}}
}

// Monitors watch the logs of a host for the reasons, as configured, that have patterns. How far each log was processed is kept in folder, so
// that a line is not counted twice after a restart; if it is empty, nothing is kept.
func Monitors(h host.Host, o Options, reasons []reason.Reason, folder string) []monitor.Monitor {
	return []monitor.Monitor{New(h, o, reasons, folder)}
}

// Monitor watches logs.
type Monitor struct {
	host    host.Host
	options Options
	clock   clock.Clock
	uptime  func() (time.Duration, error)
	logs    map[string]patterns
	reasons []reason.ID
	logsOf  map[reason.ID][]string
	byID    map[reason.ID]reason.Reason
	// maxAge is how old a line of each log may be and still count as evidence; older ones are not read.
	maxAge map[string]time.Duration
	folder string
	// witnesses are those of own reasons (OwnWitness of the configuration).
	witnesses map[reason.ID]*witness
	// rke2 says that RKE2's kubelet has left a log file.
	rke2 bool

	mu   sync.Mutex
	lost map[string]uint64
	// recentLines are the last lines of the kubelet's log where it is in two places, which both have each line.
	recentLines lineRing
}

// New makes the Monitor of Monitors.
func New(h host.Host, o Options, reasons []reason.Reason, folder string) *Monitor {
	m := &Monitor{
		host: h, options: o, clock: clock.RealClock{}, uptime: uptime, folder: folder, logs: compile(reasons), lost: map[string]uint64{},
		reasons: []reason.ID{reason.LogLinesLost}, logsOf: map[reason.ID][]string{}, byID: map[reason.ID]reason.Reason{}, maxAge: map[string]time.Duration{},
	}
	m.witnesses = newWitnesses(h, m, reasons)
	if _, err := os.Stat(h.Path(rke2File)); err == nil {
		m.rke2 = true
	}
	for _, r := range reasons {
		if len(r.Matches) > 0 && r.Severity != reason.Off {
			m.reasons = append(m.reasons, r.ID)
			m.byID[r.ID] = r
			if m.witnesses[r.ID] != nil {
				m.logsOf[r.ID] = append(m.logsOf[r.ID], witnessLog(r.ID))
			}
			for _, match := range r.Matches {
				for _, log := range m.places(match.Log) {
					if !slices.Contains(m.logsOf[r.ID], log) {
						m.logsOf[r.ID] = append(m.logsOf[r.ID], log)
					}
				}
				m.maxAge[match.Log] = max(m.maxAge[match.Log], r.Needs.Within, r.Clears.Quiet)
			}
		}
	}
	for log := range m.logs {
		m.logsOf[reason.LogLinesLost] = append(m.logsOf[reason.LogLinesLost], m.places(log)...)
	}
	slices.Sort(m.logsOf[reason.LogLinesLost])
	return m
}

// places are the places that a log is read from: the journal and, where RKE2's kubelet has left one, a file.
func (m *Monitor) places(log string) []string {
	if log == kubeletLog && m.rke2 {
		return []string{kubeletLog, rke2File}
	}
	return []string{log}
}

// Name is the monitor's.
func (*Monitor) Name() string { return "logs" }

// Reasons are those with patterns, and LogLinesLost.
func (m *Monitor) Reasons() []reason.ID { return m.reasons }

// Lost is how many lines of each log could not be read since the monitor began: they were overwritten, dropped by journald,
// or damaged.
func (m *Monitor) Lost() map[string]uint64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	return maps.Clone(m.lost)
}

// Look reads what the logs hold now, and keeps nothing.
func (m *Monitor) Look(ctx context.Context, emit monitor.Emit) error {
	return m.watch(emit, "", func(s source, w *watch) {
		if err := w.read(ctx, s, lineReader.buffered); err != nil {
			w.availability.note(s, err)
		}
	})
}

// Run follows the logs. A log that cannot be read is tried again every half minute.
func (m *Monitor) Run(ctx context.Context, emit monitor.Emit) error {
	return m.watch(emit, m.folder, func(s source, w *watch) {
		for ctx.Err() == nil {
			err := w.read(ctx, s, lineReader.next)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				w.availability.note(s, err)
			}
			select {
			case <-ctx.Done():
			case <-m.clock.After(retryDelay):
			}
		}
	})
}

// watch calls with for each source, all at the same time.
func (m *Monitor) watch(emit monitor.Emit, folder string, with func(source, *watch)) error {
	boot, err := m.host.Boot()
	if err != nil {
		return err
	}
	positions := newPositionStore(folder, boot.ID, m.clock)
	w := &watch{m: m, emit: emit, availability: newAvailability(m, emit, positions), positions: positions, oomKills: oomKills{host: m.host}}
	var running sync.WaitGroup
	for _, s := range m.sources() {
		running.Go(func() { with(s, w) })
	}
	running.Wait()
	return w.positions.close()
}

// sources are the sources of the logs: one for the kernel, one for all units, one for each file. Each witness is one, too: its lines are those
// that were read before the witness agreed, and it cannot be opened while the witness cannot be asked.
func (m *Monitor) sources() []source {
	var all []source
	var units []string
	for log := range m.logs {
		switch {
		case log == kernelLog:
			all = append(all, source{name: kernelLog, logs: []string{log}, open: m.openKernel})
		case log == kubeletLog, strings.HasPrefix(log, unitPrefix):
			units = append(units, log)
			for _, path := range m.places(log)[1:] {
				all = append(all, source{name: path, logs: []string{path}, open: m.openFile(log, path), optional: true})
			}
		default:
			all = append(all, source{name: log, logs: []string{log}, open: m.openFile(log, log), optional: true})
		}
	}
	if len(units) > 0 {
		slices.Sort(units)
		all = append(all, source{name: "journal", logs: units, open: m.openUnits(units), optional: true})
	}
	for id, own := range m.witnesses {
		all = append(all, source{name: witnessLog(id), logs: []string{witnessLog(id)}, open: own.open, optional: true})
	}
	return all
}

// emitLost emits evidence if more lines of a source are lost than before.
func (w *watch) emitLost(s source, before, now uint64) {
	if now <= before {
		return
	}
	w.m.mu.Lock()
	w.m.lost[s.name] += now - before
	w.m.mu.Unlock()
	w.emit(evidence.Evidence{
		Reason: reason.LogLinesLost, Entity: s.name, State: evidence.Fault, At: w.m.clock.Now(), Source: s.name,
		Raw: fmt.Sprintf("%d lines lost", now-before),
	})
}
