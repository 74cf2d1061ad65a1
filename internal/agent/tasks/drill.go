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

// drillMargin is how long a drill may take beyond the time that the evidence of its reason takes.
const drillMargin = 30 * time.Second

// The hops of a drill within the agent, in order.
const (
	hopFault    = "Fault"
	hopDetect   = "Detect"
	hopEvidence = "Evidence"
	hopReport   = "Report"
)

// Drills test the chain from a fault to the condition that would be written.
type Drills struct {
	Host    host.Host
	Network network.Options
	// Reasons are the catalogue as configured.
	Reasons []reason.Reason
	// OtherWriters returns the managers that other agents write conditions with, by condition.
	OtherWriters func() map[string]string
	// Try asks the API server, by a dry run, whether it would accept a condition.
	Try   func(context.Context, kube.Condition) error
	Clock clock.Clock
}

// hopError is the error of a hop that was not passed.
type hopError struct {
	hop string
	err error
}

func (c hopError) Error() string { return fmt.Sprintf("failed at %s: %v", c.hop, c.err) }

// whyRefused is why a drill is refused; empty if it is not.
func (d *Drills) whyRefused(drill kube.Drill) string {
	r, known := d.find(drill.Reason)
	switch {
	case !known:
		return fmt.Sprintf("this agent knows no reason %s", drill.Reason)
	case drill.Condition != "" && drill.Condition != string(r.Condition):
		return fmt.Sprintf("%s turns %s, not %s", r.ID, r.Condition, drill.Condition)
	case !slices.Contains(fault.LinkReasons, r.ID) && !kernelLine(r):
		return fmt.Sprintf("no harmless fault for this reason, %s: there is one for %s, and a line of the kernel's log, which proves the reader alone, for reasons of that log", r.ID, list(fault.LinkReasons))
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

// run tests the chain, and calls passed after each hop. condition is what would be written; message says what was not tested. An error is a
// hopError, or ctx's.
func (d *Drills) run(ctx context.Context, drill kube.Drill, passed func(name, by string)) (condition kube.Condition, message string, err error) {
	r, _ := d.find(drill.Reason)
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	inject, message := d.injectLinkFault, "a real but harmless fault was told by the detector of real ones"
	if !slices.Contains(fault.LinkReasons, r.ID) {
		inject, message = d.injectLine, fmt.Sprintf("the line proves the reader alone: the patterns of %s were not tried, and its evidence is made up", r.ID)
	}
	snapshot, err := d.awaitEvidence(ctx, r, drill.Nonce, inject, passed)
	if err != nil {
		return kube.Condition{}, "", err
	}
	condition, err = d.checkCondition(ctx, r, snapshot)
	if err != nil {
		return kube.Condition{}, "", hopError{hopReport, err}
	}
	passed(hopReport, "the API server would take the condition")
	return condition, message, nil
}

// faultInjector makes the fault of a reason, calls made with a description of it, and then emits evidence until ctx ends.
type faultInjector func(ctx context.Context, r reason.Reason, nonce string, made func(how string), emit monitor.Emit) error

// awaitEvidence injects a fault and collects its evidence until the reason stands.
func (d *Drills) awaitEvidence(ctx context.Context, r reason.Reason, nonce string, inject faultInjector, passed func(name, by string)) (evidence.Snapshot, error) {
	ctx, cancel := context.WithCancel(ctx)
	made, emitted, ended := make(chan string), make(chan evidence.Evidence), make(chan error, 1)
	go func() {
		defer close(ended)
		ended <- inject(ctx, r, nonce, func(how string) { send(ctx, made, how) }, func(e evidence.Evidence) { send(ctx, emitted, e) })
	}()
	defer func() {
		cancel()
		for range ended { // When it has ended, the fault is removed.
		}
	}()
	hop, store := hopFault, evidence.NewDrillStore([]reason.Reason{r}, nonce)
	deadline := d.Clock.After(r.Needs.For + drillMargin)
	for {
		select {
		case <-ctx.Done():
			return evidence.Snapshot{}, context.Cause(ctx)
		case <-deadline:
			return evidence.Snapshot{}, hopError{hop, errors.New("it did not come in time")}
		case err := <-ended:
			if c, is := errors.AsType[hopError](err); is {
				return evidence.Snapshot{}, c
			}
			return evidence.Snapshot{}, hopError{hop, cmp.Or(err, errors.New("the detector ended"))}
		case how := <-made:
			passed(hopFault, how)
			hop = hopDetect
		case e := <-emitted:
			if e.Reason != r.ID || e.State != evidence.Fault {
				continue
			}
			if hop == hopDetect {
				passed(hopDetect, e.Source)
				hop = hopEvidence
			}
			if r.Severity == reason.Off {
				return evidence.Snapshot{}, hopError{hop, fmt.Errorf("%s is off in this agent's configuration", r.ID)}
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

// send sends a value, unless ctx ends before it is received.
func send[T any](ctx context.Context, to chan<- T, what T) {
	select {
	case to <- what:
	case <-ctx.Done():
	}
}

// injectLinkFault makes the fault of a link in a network namespace of its own, in which the detector of links looks.
func (d *Drills) injectLinkFault(ctx context.Context, r reason.Reason, _ string, made func(string), emit monitor.Emit) error {
	detector := network.Links(d.Network)
	name, err := d.watchedLink()
	if err != nil {
		return err
	}
	how := "veth pair " + name + " in a network namespace of its own"
	return fault.BreakLink(ctx, r.ID, name, detector, d.Clock, func() { made(how) }, func(e evidence.Evidence) {
		e.Source = detector.Name()
		emit(e)
	})
}

// watchedLink is the name of a link of the node that the detector watches. The drill's link has the same name.
func (d *Drills) watchedLink() (string, error) {
	all, err := link.List()
	if err != nil {
		return "", err
	}
	for _, l := range all {
		if !l.Loopback && d.Network.Links.MatchString(l.Name) {
			return l.Name, nil
		}
	}
	return "", hopError{hopDetect, fmt.Errorf("no link of this node has a name that is watched (network.links is %s)", d.Network.Links)}
}

// injectLine writes a line into the kernel's log and reads it back, and then emits made-up evidence of the reason.
func (d *Drills) injectLine(ctx context.Context, r reason.Reason, nonce string, made func(string), emit monitor.Emit) error {
	if err := fault.LogLine(ctx, d.Host, nonce, d.Clock, func() { made("a line in " + fault.KernelLog) }); err != nil {
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

// kernelLine says whether a reason has patterns of the kernel's log.
func kernelLine(r reason.Reason) bool {
	return slices.ContainsFunc(r.Matches, func(m reason.Match) bool { return m.Log == "kernel" })
}

// checkCondition returns the condition that would be written. The error is why it would not be.
func (d *Drills) checkCondition(ctx context.Context, r reason.Reason, p evidence.Snapshot) (kube.Condition, error) {
	if r.Severity != reason.Fatal {
		return kube.Condition{}, fmt.Errorf("%s is a warning on this node: it is told as an Event, and turns no condition", r.ID)
	}
	if other, is := d.OtherWriters()[string(r.Condition)]; is {
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
