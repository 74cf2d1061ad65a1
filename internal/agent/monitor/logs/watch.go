package logs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// watch is one run of a Monitor.
type watch struct {
	m            *Monitor
	emit         monitor.Emit
	availability *availability
	positions    *positionStore
	// oomKills is used by the goroutine that reads the kernel's log alone.
	oomKills oomKills
}

// read processes a source's lines until there are no more. It returns nil if it has read all that there is.
func (w *watch) read(ctx context.Context, s source, next func(lineReader, context.Context) (line, error)) error {
	boot, err := w.m.host.Boot() // Its time changes when the clock is set.
	if err != nil {
		return err
	}
	f, err := s.open(boot, w.positions.all())
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	w.availability.note(s, nil)
	missing := f.missing()
	for log, why := range missing {
		w.availability.note(source{logs: []string{log}, optional: true}, why)
	}
	var lost uint64
	for {
		l, err := next(f, ctx)
		if now := f.lost(); now != lost {
			w.emitLost(s, lost, now)
			lost = now
		}
		if ended(err) {
			return nil
		}
		if err != nil {
			return err
		}
		if _, was := missing[l.log]; was && !l.foreign {
			delete(missing, l.log)
			w.availability.note(source{logs: []string{l.log}}, nil)
		}
		w.handle(l)
	}
}

// handle emits what a line is evidence of. A line whose time is unknown is no evidence.
func (w *watch) handle(l line) {
	if l.at.IsZero() {
		return
	}
	if l.log == kernelLog {
		w.oomKills.note(l.text, l.at)
	}
	results := w.m.logs[l.log].match(l.text)
	if len(results) == 0 {
		return
	}
	if l.onlyFor == "" {
		w.positions.set(cmp.Or(l.from, l.log), l.position)
		if l.log == kubeletLog && w.m.isRepeated(l.text) {
			return
		}
	}
	for _, h := range results {
		if l.onlyFor != "" && l.onlyFor != h.reason || !w.witnessed(h.reason, l) {
			continue
		}
		if !w.availability.applies(w.m.byID[h.reason]) {
			continue
		}
		if h.reason == reason.OOMKilling {
			h.entity = cmp.Or(w.oomKills.of(l.text, l.at), h.entity)
		}
		state := evidence.Fault
		if h.clears {
			state = evidence.Well
		}
		w.emit(evidence.Evidence{
			Reason: h.reason, Entity: h.entity, State: state, At: l.at, Source: displayName(l.log), Raw: truncate(l.text, maxRaw),
		})
	}
}

// lineRing holds the last lines of the kubelet.
type lineRing struct {
	texts [64]string
	next  int
}

// isRepeated says whether a line was read before, and remembers it. klog's header has microseconds and the thread, so that an equal line is the
// same one, which RKE2 has written into its file and into the journal.
func (m *Monitor) isRepeated(text string) bool {
	if !m.rke2 {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(m.recentLines.texts[:], text) {
		return true
	}
	m.recentLines.texts[m.recentLines.next] = text
	m.recentLines.next = (m.recentLines.next + 1) % len(m.recentLines.texts)
	return false
}

// displayName is how messages call a log.
func displayName(log string) string {
	switch log {
	case kernelLog:
		return "kernel log"
	case kubeletLog:
		return "kubelet's log"
	}
	if unit, is := strings.CutPrefix(log, unitPrefix); is {
		return "journal of " + unit
	}
	return log
}
