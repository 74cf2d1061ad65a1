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
	m       *Monitor
	emit    monitor.Emit
	silence *silence
	marks   *keeper
	// kills is of the one who reads the kernel's log.
	kills kills
}

// read takes a source's lines until there are no more. It gives nil if that was all there is.
func (w *watch) read(ctx context.Context, s source, next func(feed, context.Context) (line, error)) error {
	boot, err := w.m.host.Boot() // Its time moves with the clock.
	if err != nil {
		return err
	}
	f, err := s.open(boot, w.marks.all())
	if err != nil {
		return err
	}
	defer func() { _ = f.Close() }()
	w.silence.note(s, nil)
	missing := f.missing()
	for log, why := range missing {
		w.silence.note(source{logs: []string{log}, optional: true}, why)
	}
	var lost uint64
	for {
		l, err := next(f, ctx)
		if now := f.lost(); now != lost {
			w.tellLost(s, lost, now)
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
			w.silence.note(source{logs: []string{l.log}}, nil)
		}
		w.take(l)
	}
}

// take tells what a line is evidence of. One of nobody knows when is of none.
func (w *watch) take(l line) {
	if l.at.IsZero() {
		return
	}
	if l.log == kernelLog {
		w.kills.note(l.text, l.at)
	}
	hits := w.m.logs[l.log].match(l.text)
	if len(hits) == 0 {
		return
	}
	if l.only == "" {
		w.marks.set(cmp.Or(l.from, l.log), l.mark)
		if l.log == kubeletLog && w.m.again(l.text) {
			return
		}
	}
	for _, h := range hits {
		if l.only != "" && l.only != h.reason || !w.witnessed(h.reason, l) {
			continue
		}
		if !w.silence.applies(w.m.about[h.reason]) {
			continue
		}
		if h.reason == reason.OOMKilling {
			h.entity = cmp.Or(w.kills.of(l.text, l.at), h.entity)
		}
		state := evidence.Fault
		if h.clears {
			state = evidence.Well
		}
		w.emit(evidence.Evidence{
			Reason: h.reason, Entity: h.entity, State: state, At: l.at, Source: named(l.log), Raw: clip(l.text, maxRaw),
		})
	}
}

// recent are lines taken lately.
type recent struct {
	texts [64]string
	next  int
}

// again says whether a line was taken before, and notes it. klog stamps lines to the microsecond, with the thread: what is the same
// is the same line, which RKE2 wrote into its file and into the journal.
func (m *Monitor) again(text string) bool {
	if !m.rke2 {
		return false
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if slices.Contains(m.twice.texts[:], text) {
		return true
	}
	m.twice.texts[m.twice.next] = text
	m.twice.next = (m.twice.next + 1) % len(m.twice.texts)
	return false
}

// named is how people call a log.
func named(log string) string {
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
