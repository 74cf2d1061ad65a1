package report

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// script plays a planner against an API server that takes what it is given, second by second.
type script struct {
	t       *testing.T
	planner *planner
	node    *kube.Node
	now     time.Time
	away    error // what the API server answers, if it does not do as asked
	// said are the writes, "17:40:01 KernelReady=True/NoFault …" or "17:40:01 event Reason entity xCount".
	said []string
}

func play(t *testing.T) *script {
	node := &kube.Node{Metadata: kube.Metadata{Name: "n1", UID: "u1"}}
	s := &script{t: t, node: node, now: start, planner: newPlanner("n1", reasons, func() float64 { return 0.5 })}
	return s
}

func (s *script) see() { s.planner.observe(kube.Seen{Node: s.node, First: true}, s.now) }

func (s *script) update(p evidence.Snapshot) { s.planner.update(p, s.now) }

// run lets time pass.
func (s *script) run(lasting time.Duration) {
	for end := s.now.Add(lasting); s.now.Before(end); s.now = s.now.Add(time.Second) {
		s.once()
	}
}

func (s *script) once() {
	if due, next := s.planner.due(s.now); len(due) > 0 {
		if next := next; !next.IsZero() {
			s.t.Errorf("%v: a patch is due, and at %v", s.now, next)
		}
		s.patch(due)
	}
	if n, _ := s.planner.events.next(s.now); n != nil && s.planner.shown != nil {
		e := n.object(s.node.Metadata)
		if s.away == nil {
			s.say(fmt.Sprintf("event %s %s x%d", e.Reason, e.Message, e.Count))
		}
		s.planner.events.wrote(n, s.away, s.now)
	}
}

func (s *script) patch(due []kube.Condition) {
	if s.away != nil {
		s.planner.written(nil, s.away, s.now)
		return
	}
	var words []string
	next := &kube.Node{Metadata: s.node.Metadata}
	for _, c := range due {
		words = append(words, fmt.Sprintf("%s=%s/%s", strings.TrimSuffix(c.Type, "Ready"), c.Status, c.Reason))
	}
	next.Status.Conditions = append(next.Status.Conditions, due...)
	for _, c := range s.node.Status.Conditions {
		if _, is := next.Condition(c.Type); !is {
			next.Status.Conditions = append(next.Status.Conditions, c)
		}
	}
	// What the agent writes is no longer another's.
	var left []managedfields.Field
	for _, f := range s.node.Metadata.ManagedFields {
		var still []string
		for kind := range managedfields.Others([]managedfields.Field{f}) {
			if !strings.Contains(strings.Join(words, " "), strings.TrimSuffix(kind, "Ready")+"=") {
				still = append(still, kind)
			}
		}
		if len(still) > 0 {
			left = append(left, writes(f.Manager, f.Time, still...))
		}
	}
	next.Metadata.ManagedFields = left
	s.node = next
	s.say(strings.Join(words, " "))
	s.planner.written(next, nil, s.now)
}

func (s *script) say(what string) { s.said = append(s.said, s.now.Format(time.TimeOnly)+" "+what) }

// heard checks what was said since it was called last.
func (s *script) heard(want ...string) {
	s.t.Helper()
	if got := strings.Join(s.said, "\n"); got != strings.Join(want, "\n") {
		s.t.Errorf("until %s it said\n%s\nwant\n%s", s.now.Format(time.TimeOnly), got, strings.Join(want, "\n"))
	}
	s.said = nil
}

// writes are the fields of conditions that a manager wrote.
func writes(manager string, at time.Time, kinds ...string) managedfields.Field {
	var keys []string
	for _, kind := range kinds {
		keys = append(keys, fmt.Sprintf(`"k:{\"type\":\"%s\"}":{".":{},"f:lastHeartbeatTime":{},"f:message":{},"f:status":{}}`, kind))
	}
	return managedfields.Field{Manager: manager, Subresource: "status", Time: at, FieldsV1: []byte(`{"f:status":{"f:conditions":{` + strings.Join(keys, ",") + `}}}`)}
}

const well = "Kernel=True/NoFault Networking=True/NoFault Storage=True/NoFault ContainerRuntime=True/NoFault"

func down(raw string) evidence.Snapshot {
	return evidence.Snapshot{Standing: []evidence.Standing{stands("Down", "eth1", 0, raw)}}
}

func TestPlannerWritesOnChangeAndHeartbeat(t *testing.T) {
	s := play(t)
	s.update(evidence.Snapshot{})
	s.run(10 * time.Second)
	s.heard() // it has not seen the node
	s.see()
	s.run(11 * time.Minute)
	s.heard("17:40:12 "+well, "17:45:12 "+well, "17:50:12 "+well)

	s.update(down("eth1 is down"))
	s.run(time.Minute)
	s.heard("17:51:10 event Down eth1: eth1 is down x1", "17:51:12 Kernel=True/NoFault Networking=False/Down Storage=True/NoFault ContainerRuntime=True/NoFault")
	c, _ := s.node.Condition("NetworkingReady")
	if want := start.Add(11*time.Minute + 12*time.Second); !c.LastTransitionTime.Equal(want) {
		t.Errorf("transition at %v, want %v", c.LastTransitionTime, want)
	}
	s.update(down("other words"))
	s.run(time.Minute)
	s.heard()
	s.update(evidence.Snapshot{})
	s.run(time.Minute)
	s.heard("17:53:12 " + well)
}

func TestPlannerAfterRestart(t *testing.T) {
	s := play(t)
	s.see()
	s.update(down("eth1 is down"))
	s.run(10 * time.Second)
	s.said = nil

	s.planner = newPlanner("n1", reasons, func() float64 { return 0.5 })
	s.see()
	s.update(evidence.Snapshot{Unknown: []evidence.Gap{{Reason: "Down", Why: "not looked at yet"}}})
	s.run(30 * time.Second)
	s.heard() // no monitor has checked yet: nothing is written
	s.update(down("eth1 is down"))
	s.run(30 * time.Second)
	s.heard("17:40:40 event Down eth1: eth1 is down x1") // the same Event as before
	s.update(evidence.Snapshot{Unknown: []evidence.Gap{{Reason: "Down", Why: "cannot be read"}}})
	s.run(2 * time.Minute)
	s.heard("17:42:12 Kernel=True/NoFault Networking=Unknown/NotKnown Storage=True/NoFault ContainerRuntime=True/NoFault")
}

func TestPlannerFlapping(t *testing.T) {
	s := play(t)
	s.see()
	for i := range 60 {
		if i%2 == 0 {
			s.update(down("eth1 is down"))
		} else {
			s.update(evidence.Snapshot{})
		}
		s.run(2 * time.Second)
	}
	patches := 0
	for _, said := range s.said {
		if !strings.Contains(said, "event") {
			patches++
		}
	}
	if patches > 12 {
		t.Errorf("%d patches in 120 s", patches)
	}
}

func TestPlannerStandsAside(t *testing.T) {
	s := play(t)
	s.update(evidence.Snapshot{})
	s.node.Metadata.ManagedFields = []managedfields.Field{writes("eks-node-monitoring-agent", start.Add(-time.Minute), "NetworkingReady"), writes("kubelet", start, "Ready")}
	s.see()
	const rest = "Kernel=True/NoFault Storage=True/NoFault ContainerRuntime=True/NoFault"
	s.run(time.Minute)
	aside := func(at string) string {
		return at + " event StandsAside NetworkingReady: eks-node-monitoring-agent writes it, naosu-agent leaves it alone until that has been silent for 15 minutes x1"
	}
	s.heard(aside("17:40:00"), "17:40:02 "+rest)

	// It goes on writing, and the condition stays its own, whatever is found.
	for range 4 {
		s.node.Metadata.ManagedFields = []managedfields.Field{writes("eks-node-monitoring-agent", s.now, "NetworkingReady")}
		s.planner.observe(kube.Seen{Node: s.node}, s.now)
		s.run(5 * time.Minute)
	}
	s.heard("17:45:02 "+rest, "17:50:02 "+rest, "17:55:02 "+rest, "18:00:02 "+rest)

	// It is silent from 17:56 on.
	s.run(11 * time.Minute)
	s.heard("18:05:02 "+rest, "18:10:02 "+rest, "18:11:02 Kernel=True/NoFault Networking=True/NoFault Storage=True/NoFault ContainerRuntime=True/NoFault")

	// And comes back.
	s.node.Metadata.ManagedFields = []managedfields.Field{writes("eks-node-monitoring-agent", s.now, "NetworkingReady")}
	s.planner.observe(kube.Seen{Node: s.node}, s.now)
	s.run(5 * time.Minute)
	if len(s.said) != 2 || !strings.HasSuffix(s.said[1], rest) {
		t.Errorf("said %q", s.said)
	}
}

func TestPlannerKeepsWhatTheServerDoesNotTake(t *testing.T) {
	s := play(t)
	s.update(evidence.Snapshot{})
	s.see()
	s.run(time.Minute)
	s.said = nil
	s.away = errors.New("connection refused")
	s.update(down("eth1 is down"))
	s.run(time.Minute)
	s.update(evidence.Snapshot{}) // it has come and gone
	s.run(time.Minute)
	s.away = nil
	s.run(2 * time.Minute)
	if len(s.said) != 1 || !strings.Contains(s.said[0], "event Down eth1: eth1 is down x1") {
		t.Errorf("said %q", s.said)
	}
	if len(s.planner.events.waiting) > 0 {
		t.Errorf("%d Events still wait", len(s.planner.events.waiting))
	}
}

func TestPlannerNodeGoneAndBack(t *testing.T) {
	s := play(t)
	s.update(evidence.Snapshot{})
	s.see()
	s.run(10 * time.Second)
	s.planner.observe(kube.Seen{}, s.now)
	s.run(10 * time.Minute)
	s.heard("17:40:02 " + well)
	s.node = &kube.Node{Metadata: kube.Metadata{Name: "n1", UID: "u2"}}
	s.see()
	s.run(10 * time.Second)
	s.heard("17:50:12 " + well)
}

func TestBackoff(t *testing.T) {
	for name, tc := range map[string]struct {
		err  error
		want []time.Duration
	}{
		"no answer": {errors.New("connection refused"), []time.Duration{1500 * time.Millisecond / 2, 1500 * time.Millisecond, 3 * time.Second, 6 * time.Second, 12 * time.Second, 24 * time.Second, 45 * time.Second, 45 * time.Second}},
		"busy":      {fmt.Errorf("x: %w", &kube.Error{Code: 429, RetryAfter: 7 * time.Second}), []time.Duration{7750 * time.Millisecond, 8500 * time.Millisecond}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBackoff(func() float64 { return 0.5 })
			for i, want := range tc.want {
				b.Failed(start, tc.err)
				if got := b.Until.Sub(start); got != want {
					t.Errorf("try %d: %v, want %v", i, got, want)
				}
			}
			b.Succeeded()
			b.Failed(start, errors.New("x"))
			if got := b.Until.Sub(start); got != 750*time.Millisecond {
				t.Errorf("after a success: %v", got)
			}
		})
	}
}

// A flood of warnings is written bit by bit, stands before no fatal reason, and drops the oldest if it is too large.
func TestEventsUnderAFlood(t *testing.T) {
	s := play(t)
	s.see()
	var flood evidence.Snapshot
	for i := range 400 {
		flood.Standing = append(flood.Standing, stands("Slow", fmt.Sprint(i), 0, "slow"))
	}
	s.update(flood)
	s.run(time.Minute)
	if len(s.said) != 11 { // with the conditions
		t.Errorf("in the first minute: %d writes", len(s.said))
	}
	s.said = nil
	flood.Standing = append(flood.Standing, stands("Down", "eth1", 0, "eth1 is down"))
	s.update(flood)
	s.run(10 * time.Second)
	if len(s.said) == 0 || !strings.Contains(s.said[0], "event Down eth1") {
		t.Errorf("said %q", s.said)
	}
	s.said = nil
	s.run(time.Hour)
	events := 0
	for _, said := range s.said {
		if strings.Contains(said, "event Slow") {
			events++
		}
	}
	if events != 12 {
		t.Errorf("in an hour: %d events", events)
	}
	s.update(evidence.Snapshot{})
	s.update(evidence.Snapshot{})
	if len(s.planner.events.waiting) != maxPast || s.planner.events.lost != 400-10-12-maxPast {
		t.Errorf("%d wait, %d are lost", len(s.planner.events.waiting), s.planner.events.lost)
	}
}
