package logs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

const (
	// witnessAge is for how long an answer of a witness is used again: a flood of lines asks no more often.
	witnessAge = time.Second
	// maxPending is how many lines of a reason wait for its witness at most.
	maxPending = 100
	// witnessTimeout bounds a question to systemd.
	witnessTimeout = 5 * time.Second
)

// witness is a reason.SecondWitness on a host. It is safe for concurrent use.
type witness struct {
	of  reason.SecondWitness
	m   *Monitor
	bus *systemd.Bus

	// within is for how long a line waits for the witness.
	within time.Duration

	mu     sync.Mutex
	asked  time.Time
	agrees bool
	err    error
	// pending are the last lines with which it did not agree: the fault may show in the witness a little later.
	pending []line
}

// newWitnesses are the witnesses of the own reasons that need one.
func newWitnesses(h host.Host, m *Monitor, reasons []reason.Reason) map[reason.ID]*witness {
	all := map[reason.ID]*witness{}
	for _, r := range reasons {
		if r.Witness != (reason.SecondWitness{}) && r.Severity != reason.Off {
			all[r.ID] = &witness{of: r.Witness, m: m, bus: systemd.New(h), within: r.Needs.Within}
		}
	}
	return all
}

// witnessLog is the name, among those of logs, under which is recorded whether a reason's witness can be asked.
func witnessLog(id reason.ID) string { return "witness of " + string(id) }

// witnessed says whether a line counts as evidence of a reason now. If the reason's own witness does not agree yet, the line waits for it.
func (w *watch) witnessed(id reason.ID, l line) bool {
	if agrees, needs := witnesses[id]; needs {
		return agrees(w.m.host)
	}
	own := w.m.witnesses[id]
	if own == nil {
		return true
	}
	agrees, err := own.ask()
	w.availability.note(source{logs: []string{witnessLog(id)}, optional: true}, err)
	if !agrees || err != nil {
		l.onlyFor = id
		own.enqueue(l)
		return false
	}
	return true
}

// enqueue keeps a line until the witness agrees.
func (w *witness) enqueue(l line) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if n := len(w.pending); n > 0 && w.pending[n-1] == l {
		return // The line is about another entity, too.
	}
	w.pending = append(w.pending, l)
	if extra := len(w.pending) - maxPending; extra > 0 {
		w.pending = append(w.pending[:0], w.pending[extra:]...)
	}
}

// open asks the witness once; its error makes the reason Unreadable, which without its witness is not known to be well.
func (w *witness) open(host.Boot, positions) (lineReader, error) {
	if _, err := w.ask(); err != nil {
		return nil, err
	}
	return pendingLines{w}, nil
}

// pendingLines reads the lines that wait for a witness.
type pendingLines struct{ *witness }

// next returns the first line that waits and is not too old, once the witness agrees.
func (l pendingLines) next(context.Context) (line, error) {
	if agrees, err := l.ask(); !agrees || err != nil {
		return line{}, io.EOF
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	for len(l.pending) > 0 {
		first := l.pending[0]
		l.pending = l.pending[1:]
		if l.m.clock.Now().Sub(first.at) <= l.within {
			return first, nil
		}
	}
	return line{}, io.EOF
}

func (l pendingLines) buffered(ctx context.Context) (line, error) { return l.next(ctx) }
func (pendingLines) lost() uint64                                 { return 0 }
func (pendingLines) missing() map[string]error                    { return nil }
func (pendingLines) Close() error                                 { return nil }

// ask asks whether the witness agrees. An error that is fs.ErrNotExist says that this host has no such witness.
func (w *witness) ask() (bool, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	now := w.m.clock.Now()
	if age := now.Sub(w.asked); w.asked.IsZero() || age < 0 || age >= witnessAge {
		w.asked = now
		w.agrees, w.err = w.read()
	}
	return w.agrees, w.err
}

func (w *witness) read() (bool, error) {
	if w.of.Unit == "" {
		return counted(w.m.host, w.of.Counter)
	}
	ctx, cancel := context.WithTimeout(context.Background(), witnessTimeout)
	defer cancel()
	service, err := w.bus.Service(ctx, w.of.Unit)
	if errors.Is(err, systemd.ErrAbsent) {
		return false, fmt.Errorf("witness %s: %w: %w", w.of.Unit, err, fs.ErrNotExist)
	}
	if err != nil {
		return false, fmt.Errorf("witness %s: %w", w.of.Unit, err)
	}
	return service.Active == "failed", nil
}

// counted says whether one of the files that a pattern names holds a number above zero.
func counted(h host.Host, pattern string) (bool, error) {
	files, err := filepath.Glob(h.Path(pattern))
	if err == nil && len(files) == 0 {
		err = fs.ErrNotExist
	}
	if err != nil {
		return false, fmt.Errorf("witness %s: %w", pattern, err)
	}
	var errs []error
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			errs = append(errs, fmt.Errorf("witness: %w", err))
			continue
		}
		n, err := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64)
		if err != nil {
			errs = append(errs, fmt.Errorf("witness %s holds no whole number", file))
		}
		if err == nil && n > 0 {
			return true, nil
		}
	}
	return false, errors.Join(errs...)
}
