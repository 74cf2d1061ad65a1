package tasks

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/monitor/network"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/internal/agent/source/link"
	"github.com/naosu-dev/naosu/internal/agent/tasks/fault"
)

// grace is how long a drill may take beyond what its reason's evidence takes.
const grace = 30 * time.Second

// The hops of a drill within the agent, in order.
const (
	hopFault    = "Fault"
	hopDetect   = "Detect"
	hopEvidence = "Evidence"
	hopReport   = "Report"
)

// Drills try the chain from a fault to the condition that would be written.
type Drills struct {
	Host    host.Host
	Network network.Options
	// Reasons are the catalogue as configured.
	Reasons []reason.Reason
	// Aside names the conditions that are left to other agents, and these.
	Aside func() map[string]string
	// Try asks the API server whether it would take a condition; it writes nothing.
	Try   func(context.Context, kube.Condition) error
	Clock clock.Clock
}

// cut is where the chain of a drill is cut.
type cut struct {
	hop string
	err error
}

func (c cut) Error() string { return fmt.Sprintf("cut at %s: %v", c.hop, c.err) }

// refuses says why a drill is not tried; empty if it is.
func (d *Drills) refuses(drill kube.Drill) string {
	r, known := d.find(drill.Reason)
	switch {
	case !known:
		return fmt.Sprintf("this agent knows no reason %s", drill.Reason)
	case drill.Condition != "" && drill.Condition != string(r.Condition):
		return fmt.Sprintf("%s turns %s, not %s", r.ID, r.Condition, drill.Condition)
	case !slices.Contains(fault.OfLinks, r.ID) && !kernelLine(r):
		return fmt.Sprintf("no harmless fault for this reason, %s: there is one for %s, and a line of the kernel's log, which proves the reader alone, for reasons of that log", r.ID, list(fault.OfLinks))
	}
	return ""
}

func (d *Drills) find(name string) (reason.Reason, bool) {
	id := reason.ID(name)
	if r, known := reason.Find(name); known {
		id = r.ID
	}
	i := slices.IndexFunc(d.Reasons, func(configured reason.Reason) bool { return configured.ID == id })
	if i < 0 {
		return reason.Reason{}, false
	}
	return d.Reasons[i], true
}

// run tries the chain, and calls passed with each hop. The condition is what would be written; message says what was not
// tried. An error is a cut.
func (d *Drills) run(ctx context.Context, drill kube.Drill, passed func(name, by string)) (condition kube.Condition, message string, err error) {
	r, _ := d.find(drill.Reason)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	look, message := d.links, "a real but harmless fault was told by the detector of real ones"
	if !slices.Contains(fault.OfLinks, r.ID) {
		look, message = d.line, fmt.Sprintf("the line proves the reader alone: the patterns of %s were not tried, and its evidence is made up", r.ID)
	}
	snapshot, err := d.weigh(ctx, r, drill.Nonce, look, passed)
	if err != nil {
		return kube.Condition{}, "", err
	}
	condition, err = d.report(ctx, r, snapshot)
	if err != nil {
		return kube.Condition{}, "", cut{hopReport, err}
	}
	passed(hopReport, "the API server would take the condition")
	return condition, message, nil
}

// faultInjector makes the fault of a reason, calls made with how, and then evidence until ctx ends. It is what differs between reasons.
type faultInjector func(ctx context.Context, r reason.Reason, nonce string, made func(how string), emit monitor.Emit) error

// weigh has evidence told until its reason stands.
func (d *Drills) weigh(ctx context.Context, r reason.Reason, nonce string, inject faultInjector, passed func(name, by string)) (evidence.Snapshot, error) {
	ctx, cancel := context.WithCancel(ctx)
	made, told, ended := make(chan string), make(chan evidence.Evidence), make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- inject(ctx, r, nonce, func(how string) { give(ctx, made, how) }, func(e evidence.Evidence) { give(ctx, told, e) })
	}()
	defer func() {
		cancel()
		for range ended { // Nothing of the fault is left then.
		}
	}()
	hop, store := hopFault, evidence.NewDrillStore([]reason.Reason{r}, nonce)
	late := d.Clock.After(r.Needs.For + grace)
	for {
		select {
		case <-ctx.Done():
			return evidence.Snapshot{}, context.Cause(ctx)
		case <-late:
			return evidence.Snapshot{}, cut{hop, errors.New("it did not come in time")}
		case err := <-ended:
			if c, is := errors.AsType[cut](err); is {
				return evidence.Snapshot{}, c
			}
			return evidence.Snapshot{}, cut{hop, cmp.Or(err, errors.New("the detector ended"))}
		case how := <-made:
			passed(hopFault, how)
			hop = hopDetect
		case e := <-told:
			if e.Reason != r.ID || e.State != evidence.Fault {
				continue
			}
			if hop == hopDetect {
				passed(hopDetect, e.Source)
				hop = hopEvidence
			}
			if r.Severity == reason.Off {
				return evidence.Snapshot{}, cut{hop, fmt.Errorf("%s is off in this agent's configuration", r.ID)}
			}
			e.Drill, e.Raw = nonce, "drill "+nonce+": "+e.Raw
			store.Add(e)
			if snapshot := store.Snapshot(e.At); len(snapshot.Standing) > 0 {
				passed(hopEvidence, fmt.Sprintf("%d signs since %s", snapshot.Standing[0].Count, snapshot.Standing[0].Since.UTC().Format(time.RFC3339)))
				return snapshot, nil
			}
		}
	}
}

// give sends what is received, unless ctx ends before.
func give[T any](ctx context.Context, to chan<- T, what T) {
	select {
	case to <- what:
	case <-ctx.Done():
	}
}

// links has links looked at in a network namespace of the agent's own.
func (d *Drills) links(ctx context.Context, r reason.Reason, _ string, made func(string), emit monitor.Emit) error {
	detector := network.Links(d.Network)
	name, err := d.watched()
	if err != nil {
		return err
	}
	how := "veth pair " + name + " in a network namespace of its own"
	return fault.Link(ctx, r.ID, name, detector, d.Clock, func() { made(how) }, func(e evidence.Evidence) {
		e.Source = detector.Name()
		emit(e)
	})
}

// watched is a link of the node of whose kind the detector watches those that must be up. The drill's is named like it.
func (d *Drills) watched() (string, error) {
	all, err := link.List()
	if err != nil {
		return "", err
	}
	for _, l := range all {
		if !l.Loopback && d.Network.Links.MatchString(l.Name) {
			return l.Name, nil
		}
	}
	return "", cut{hopDetect, fmt.Errorf("no link of this node has a name that is watched (network.links is %s)", d.Network.Links)}
}

// line has a line read from the kernel's log, and makes up the evidence that the reason's own would be.
func (d *Drills) line(ctx context.Context, r reason.Reason, nonce string, made func(string), emit monitor.Emit) error {
	if err := fault.Line(ctx, d.Host, nonce, d.Clock, func() { made("a line in " + fault.KernelLog) }); err != nil {
		return err
	}
	for range max(r.Needs.Count, 1) {
		emit(evidence.Evidence{
			Reason: r.ID, State: evidence.Fault, At: d.Clock.Now(), Source: "reader of " + fault.KernelLog + " alone: no pattern was tried",
			Raw: "made up: no line of " + string(r.ID) + "'s was logged",
		})
	}
	<-ctx.Done()
	return nil
}

// kernelLine says whether lines of the kernel's log tell a reason.
func kernelLine(r reason.Reason) bool {
	return slices.ContainsFunc(r.Matches, func(m reason.Match) bool { return m.Log == "kernel" })
}

// report makes the condition that would be written, and asks whether it could be.
func (d *Drills) report(ctx context.Context, r reason.Reason, p evidence.Snapshot) (kube.Condition, error) {
	if r.Severity != reason.Fatal {
		return kube.Condition{}, fmt.Errorf("%s is a warning on this node: it is told as an Event, and turns no condition", r.ID)
	}
	if other, is := d.Aside()[string(r.Condition)]; is {
		return kube.Condition{}, fmt.Errorf("%s is left to %s, which writes it", r.Condition, other)
	}
	condition := report.Verdict(p, r.Condition, r)
	return condition, d.Try(ctx, condition)
}

func list(ids []reason.ID) string {
	names := make([]string, 0, len(ids))
	for _, id := range ids {
		names = append(names, string(id))
	}
	return strings.Join(names, ", ")
}
