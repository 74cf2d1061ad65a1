package repair

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// HopName is the name of a step of a drill.
type HopName string

// The hops of a drill, in their order: the agent's, and the controller's. A drill that sets a condition has Raise, Wait, Action
// and Verify.
const (
	HopAgent    HopName = "Agent" // takes it up
	HopFault    HopName = "Fault"
	HopDetect   HopName = "Detect"
	HopEvidence HopName = "Evidence"
	HopReport   HopName = "Report"

	HopController HopName = "Controller" // takes it up
	HopMatch      HopName = "Match"
	HopAssess     HopName = "Assess"
	HopGuard      HopName = "Guard"
	HopAction     HopName = "Action"

	HopRaise  HopName = "Raise"
	HopWait   HopName = "Wait"
	HopVerify HopName = "Verify"
)

// Hop is a hop that was passed.
type Hop struct {
	Name HopName          `json:"name"`
	At   metav1.MicroTime `json:"at"`
	// Latency is the time since the hop before, as a Go duration.
	Latency string `json:"latency"`
	// Says is the message of the component that passed it.
	Says string `json:"says,omitempty"`
}

// dryRunHops are the hops of a dry run, in order.
var dryRunHops = []HopName{HopAgent, HopFault, HopDetect, HopEvidence, HopReport, HopController, HopMatch, HopAssess, HopGuard, HopAction}

// hopsByStep are the hops of the controller's steps. Its step Detect is that it has the agent's evidence.
var hopsByStep = map[v1alpha1.StepName]HopName{
	v1alpha1.StepDetect: HopController, v1alpha1.StepMatch: HopMatch, v1alpha1.StepAssess: HopAssess, v1alpha1.StepGuard: HopGuard, v1alpha1.StepAct: HopAction,
}

// progress is the progress of a drill.
type progress struct {
	hops []Hop
	// failedAt is the hop that was not passed, and why is the reason; both are empty if none failed.
	failedAt HopName
	why      string
	// over says whether no more hops will come.
	over bool
}

// next is the hop that is expected next.
func (p progress) next() HopName {
	if n := len(p.hops); n > 0 {
		return dryRunHops[min(slices.Index(dryRunHops, p.hops[n-1].Name)+1, len(dryRunHops)-1)]
	}
	return dryRunHops[0]
}

// follow is the progress of a drill by its Remediation; began is when it was created.
func follow(r *v1alpha1.Remediation, began time.Time) progress {
	p := progress{hops: []Hop{}}
	pass := func(name HopName, at metav1.MicroTime, says string) {
		before := began
		if n := len(p.hops); n > 0 {
			before = p.hops[n-1].At.Time
		}
		// A latency below zero comes from a clock skew.
		p.hops = append(p.hops, Hop{name, at, max(0, at.Sub(before)).Round(time.Millisecond).String(), says})
	}
	if agent := r.Status.Agent; agent != nil {
		p.agent(agent, pass)
	}
	for _, step := range r.Status.Steps {
		hop, known := hopsByStep[step.Name]
		switch {
		case !known || step.EndedAt == nil:
		case step.Result == v1alpha1.StepFailed:
			p.failedAt, p.why = hop, step.Message
		default:
			pass(hop, *step.EndedAt, step.Message)
		}
	}
	p.end(r)
	return p
}

// end reads whether it is over, and names the hop where nobody has.
func (p *progress) end(r *v1alpha1.Remediation) {
	p.over = p.failedAt != "" || r.Status.Phase == v1alpha1.PhaseEnded
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	if p.over && p.failedAt == "" && (end == nil || end.Status != metav1.ConditionTrue) {
		p.failedAt = p.next()
		if end != nil {
			p.why = end.Message
		}
	}
	if agent := r.Status.Agent; agent != nil && p.failedAt == HopController && (agent.State == v1alpha1.AgentFailed || agent.State == v1alpha1.AgentRefused) {
		p.failedAt, p.why = p.next(), agent.Message // The controller only tells that the agent said so.
	}
}

// agent adds the hops within the agent.
func (p *progress) agent(agent *v1alpha1.AgentReport, pass func(HopName, metav1.MicroTime, string)) {
	if agent.State == v1alpha1.AgentRefused {
		p.failedAt, p.why = HopAgent, agent.Message
		return
	}
	taken := agent.At
	if len(agent.Hops) > 0 && agent.Hops[0].At.Before(&taken) {
		taken = agent.Hops[0].At // at is since when it is in its state, which has changed since.
	}
	pass(HopAgent, taken, agent.Version)
	for _, hop := range agent.Hops {
		pass(HopName(hop.Name), hop.At, hop.By)
	}
	if agent.State == v1alpha1.AgentFailed {
		p.failedAt, p.why = p.next(), agent.Message
	}
}
