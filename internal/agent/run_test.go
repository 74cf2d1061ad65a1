package agent_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

var down = reason.Reason{ID: "Down", Condition: reason.NetworkingReady, Severity: reason.Fatal, Needs: reason.Needs{For: 10 * time.Second}}

// testAgent is an agent that watches one link, which the test sets down and up.
type testAgent struct {
	agent *agent.Agent

	mu       sync.Mutex
	down     bool
	broken   error
	snapshot evidence.Snapshot
	log      bytes.Buffer // written by several goroutines through a slog.Handler, and read once they have ended
}

func newTestAgent(folder string) *testAgent {
	s := &testAgent{}
	s.agent = &agent.Agent{
		Monitors:     []monitor.Monitor{monitor.Periodic{Title: "links", IDs: []reason.ID{"Down"}, Period: 10 * time.Second, Find: s.look}},
		Reasons:      []reason.Reason{down},
		EvidenceFile: &agent.EvidenceFile{Folder: folder, Boot: "boot"},
		Show:         func(p evidence.Snapshot) { s.mu.Lock(); s.snapshot = p; s.mu.Unlock() },
		Clock:        clock.RealClock{},
		Log:          slog.New(slog.NewTextHandler(&s.log, nil)),
	}
	return s
}

func (s *testAgent) look(context.Context) ([]evidence.Evidence, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.down {
		return []evidence.Evidence{{Reason: "Down", Entity: "eth1", State: evidence.Fault, Raw: "down"}}, s.broken
	}
	return nil, s.broken
}

// run lets the agent watch for a while of the bubble's time.
func (s *testAgent) run(t *testing.T, during ...func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- s.agent.Run(ctx) }()
	for _, do := range during {
		s.mu.Lock()
		do()
		s.mu.Unlock()
		time.Sleep(time.Minute) //nolint:forbidigo // the bubble's clock
		synctest.Wait()
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

func (s *testAgent) holds(t *testing.T, standing, unknown int) func() {
	return func() {
		t.Helper()
		if len(s.snapshot.Standing) != standing || len(s.snapshot.Unknown) != unknown {
			t.Errorf("%+v stands and %+v is unknown; want %d and %d", s.snapshot.Standing, s.snapshot.Unknown, standing, unknown)
		}
	}
}

func TestAgent(t *testing.T) {
	folder := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := newTestAgent(folder)
		s.run(t,
			func() {},
			s.holds(t, 0, 0),
			func() { s.down = true },
			s.holds(t, 1, 0),
			func() { s.broken = errors.New("no netlink"); s.down = false },
			s.holds(t, 0, 1), // what cannot be read is not well
			func() { s.broken = nil },
			s.holds(t, 0, 0),
			func() { s.down = true },
		)
		since := s.snapshot.Standing[0].Since

		again := newTestAgent(folder)
		again.down = true
		again.run(t, func() {}, again.holds(t, 1, 0))
		if !again.snapshot.Standing[0].Since.Equal(since) {
			t.Errorf("a restart forgot since when: %v, was %v", again.snapshot.Standing[0].Since, since)
		}

		rebooted := newTestAgent(folder)
		rebooted.agent.EvidenceFile.Boot = "another boot"
		rebooted.run(t, func() {}, rebooted.holds(t, 0, 0))
	})
}

// endingMonitor is a monitor that ends each time.
type endingMonitor struct{ runs int }

func (*endingMonitor) Name() string                             { return "ending" }
func (*endingMonitor) Reasons() []reason.ID                     { return []reason.ID{"Down"} }
func (*endingMonitor) Look(context.Context, monitor.Emit) error { return nil }
func (e *endingMonitor) Run(_ context.Context, _ monitor.Emit) error {
	e.runs++
	return errors.New("broken pipe")
}

func TestAMonitorThatEnds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s, m := newTestAgent(t.TempDir()), &endingMonitor{}
		s.agent.Monitors = []monitor.Monitor{m}
		s.run(t, func() {}, func() {}, s.holds(t, 0, 1))
		if m.runs < 2 || m.runs > 7 {
			t.Errorf("in three minutes it was run %d times", m.runs)
		}
		if want := `level=WARN msg="Monitor ended, and is started again" monitor=ending retryAfter=30s err="broken pipe"`; !strings.Contains(s.log.String(), want) {
			t.Errorf("it logged\n%s", s.log.String())
		}
	})
}

// A folder that cannot be written is no reason not to watch, nor to fail in the end.
func TestMemoryThatCannotBeKept(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newTestAgent(filepath.Join(file, "folder"))
		s.down = true
		s.run(t, func() {}, s.holds(t, 1, 0))
		if !strings.Contains(s.log.String(), `level=WARN msg="Evidence is not saved for the next run" err=`) {
			t.Errorf("it logged\n%s", s.log.String())
		}
	})
}

// Evidence that cannot be read is no reason not to watch.
func TestDamagedMemory(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(filepath.Join(folder, "evidence.json"), []byte(`{"boot":"boot","entr`), 0o600); err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		s := newTestAgent(folder)
		s.down = true
		s.run(t, func() {}, s.holds(t, 1, 0))
		if !strings.Contains(s.log.String(), `level=WARN msg="Evidence of the last run is lost" err=`) {
			t.Errorf("it logged\n%s", s.log.String())
		}
	})
}
