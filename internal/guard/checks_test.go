package guard

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// row is one change to a world in which all checks allow, and what the one check then says.
type row struct {
	change func(*world)
	want   Decision
	reason Reason
	// retry is compared where it is not zero.
	retry time.Duration
}

func is(want Decision, reason Reason, change func(*world)) row { return row{change, want, reason, 0} }

func allowed(change func(*world)) row { return row{change: change, want: Allow} }

func forget[T any](fact func(*world) *Fact[T]) row {
	return is(Delay, Unknown, func(w *world) { *fact(w) = Fact[T]{} })
}

func ledgerOf(w *world) *Fact[ledger.Ledger]    { return &w.Ledger }
func nodesOf(w *world) *Fact[[]Node]            { return &w.Nodes }
func outcomeOf(w *world) *Fact[outcome.Outcome] { return &w.Outcome }
func podsOf(w *world) *Fact[[]Pod]              { return &w.Pods }

func keep(w *world) { w.Policy.Drain.LocalData = v1alpha1.LocalDataKeep }

func restart(w *world) { w.Action = v1alpha1.ActionRestartService }

func both(changes ...func(*world)) func(*world) {
	return func(w *world) {
		for _, change := range changes {
			change(w)
		}
	}
}

func ended(action v1alpha1.Action, ago time.Duration, result ledger.Result) func(*world) {
	return func(w *world) {
		w.enter(ledger.Entry{Remediation: "r0" + ago.String(), Node: "n1", Zone: "1a", Group: "workers", Action: action, Began: now.Add(-ago), Ended: now.Add(-ago), Result: result})
	}
}

func going(remediation, node, zone, group string) func(*world) {
	return func(w *world) {
		w.enter(ledger.Entry{Remediation: remediation, Node: node, Zone: zone, Group: group, Action: v1alpha1.ActionReplace, Began: now})
	}
}

// otherwise is a reboot of a machine that ended a moment ago, and the node of the proposal is i-1.
func otherwise(node, providerID string, result ledger.Result) func(*world) {
	return func(w *world) {
		w.Node.ProviderID = "aws:///1a/i-1"
		w.enter(ledger.Entry{Remediation: "r0", Node: node, ProviderID: providerID, Zone: "1x", Group: "x", Action: v1alpha1.ActionReboot, Began: now.Add(-time.Hour), Ended: now.Add(-time.Minute), Result: result})
	}
}

// inARow has so many machines replaced, one after the other, and the one that came last be unhealthy; change is made to the last entry.
func inARow(n int, change func(*ledger.Entry)) func(*world) {
	return func(w *world) {
		w.Action, w.Node.ProviderID, w.Node.Created = v1alpha1.ActionReplace, "aws:///1a/i-1", now.Add(-30*time.Minute)
		w.Policy.Budgets.MaxPerDay = new(int32(5000))
		for i := range n {
			at := now.Add(time.Duration(i-n) * time.Hour)
			e := ledger.Entry{
				Remediation: fmt.Sprint("r0-", i), Node: fmt.Sprint("gone-", i), ProviderID: fmt.Sprint("aws:///1a/i-gone-", i), Zone: "1a", Group: "workers", Image: "ami-1",
				Action: v1alpha1.ActionReplace, Began: at, Ended: at.Add(20 * time.Minute), Result: ledger.NotHelped, ConsecutiveReplacements: i,
			}
			if change != nil && i == n-1 {
				change(&e)
			}
			w.enter(e)
		}
	}
}

// lately has so many machines rebooted, an hour after the other, of ten in the group.
func lately(n int, change func(*ledger.Entry)) func(*world) {
	return func(w *world) {
		for i := range n {
			began := now.Add(-time.Duration(i+1) * time.Hour)
			e := ledger.Entry{Remediation: fmt.Sprint("r0-", i), Node: fmt.Sprint("m", i), Zone: "1b", Group: "workers", Action: v1alpha1.ActionReboot, Began: began, Ended: began.Add(time.Minute), Result: ledger.Helped}
			if change != nil {
				change(&e)
			}
			w.enter(e)
		}
	}
}

func perDayOf(n int32) func(*world) {
	return func(w *world) { w.Policy.Budgets.MaxPerDay = new(n) }
}

// double makes the group twice as large.
func double(w *world) {
	for i := range 10 {
		w.Nodes.Value = append(w.Nodes.Value, healthyNode(fmt.Sprint("n1", i), "1c"))
	}
}

func percent(text string) *intstr.IntOrString { return new(intstr.FromString(text)) }

// members are n1, n5 and n6 of the control plane.
func members(w *world) {
	w.Node.ControlPlane = true
	w.nodes(func(i int, n *Node) { n.ControlPlane = i == 0 || i == 4 || i == 5 })
}

// twoOut is where the node and another of its control plane are not Ready, so that each would wait for the other.
func twoOut(w *world) {
	w.Node.Ready, w.Nodes.Value[0].Ready, w.Nodes.Value[5].Ready = false, false, false
}

var table = map[string]map[string]row{
	"paused": {
		"paused": is(Delay, Paused, func(w *world) { w.Policy.Paused = true }),
	},
	"lease": {
		"another leads": is(Deny, NotLeading, func(w *world) { w.Leading.Value = false }),
		"not known":     forget(func(w *world) *Fact[bool] { return &w.Leading }),
	},
	"fresh": {
		"a fact is old":                   is(Delay, Stale, func(w *world) { w.Nodes.At = now.Add(-maxFactAge - time.Second) }),
		"a fact is just in time":          allowed(func(w *world) { w.Nodes.At = now.Add(-maxFactAge) }),
		"a fact is from tomorrow":         is(Delay, Stale, func(w *world) { w.Pods.At = now.Add(24 * time.Hour) }),
		"the evidence is old":             is(Delay, Stale, func(w *world) { w.Confirmed = now.Add(-maxEvidenceAge - time.Second) }),
		"two heartbeats are well":         allowed(func(w *world) { w.Confirmed = now.Add(-10 * time.Minute) }),
		"the evidence is from the future": is(Delay, Stale, func(w *world) { w.Confirmed = now.Add(ClockSkew + time.Second) }),
		"clocks are a little apart":       allowed(func(w *world) { w.Confirmed = now.Add(ClockSkew) }),
		"nobody saw the evidence":         is(Delay, Unknown, func(w *world) { w.Confirmed = time.Time{} }),
		"nobody says what time":           is(Delay, Unknown, func(w *world) { w.Now = time.Time{} }),
		"a missing fact is others":        allowed(func(w *world) { w.Pods.At = time.Time{} }),
	},
	"mode": {
		"report":                     is(Deny, ReportOnly, func(w *world) { w.Policy.Mode = v1alpha1.ModeReport }),
		"report, though approved":    is(Deny, ReportOnly, func(w *world) { w.Policy.Mode, w.Approval = v1alpha1.ModeReport, v1alpha1.Approved }),
		"no mode":                    is(Deny, ReportOnly, func(w *world) { w.Policy.Mode = "" }),
		"approve, nobody has spoken": is(Delay, AwaitingApproval, func(w *world) { w.Policy.Mode = v1alpha1.ModeApprove }),
		"approve, approved":          allowed(func(w *world) { w.Policy.Mode, w.Approval = v1alpha1.ModeApprove, v1alpha1.Approved }),
		"rejected":                   is(Deny, Rejected, func(w *world) { w.Approval = v1alpha1.Rejected }),
		"auto, not yet earned":       is(Delay, AwaitingApproval, func(w *world) { w.AsForecast.Value = 2 }),
		"auto, not earned, approved": allowed(func(w *world) { w.AsForecast.Value, w.Approval = 2, v1alpha1.Approved }),
		"auto, nothing to earn":      allowed(func(w *world) { w.AsForecast, w.Policy.EarnAuto = Fact[int]{}, nil }),
		"auto, record not known":     forget(func(w *world) *Fact[int] { return &w.AsForecast }),
	},
	"in-hand": {
		"a node that leaves": is(Delay, InHand, func(w *world) {
			w.enter(ledger.Entry{Remediation: "r2", Node: "n1", Action: v1alpha1.ActionReplace, Began: now.Add(-24 * time.Hour), Replacing: "uid"})
		}),
		"another Remediation":          is(Delay, InHand, going("r2", "n1", "1x", "other")),
		"its own":                      allowed(going("r1", "n1", "1a", "workers")),
		"another node":                 allowed(going("r2", "n2", "1a", "workers")),
		"the machine, by another name": is(Delay, InHand, both(otherwise("n9", "aws:///1a/i-1", ""), func(w *world) { w.Ledger.Value.Entries[0].Ended = time.Time{} })),
		"not known":                    forget(ledgerOf),
	},
	"leaving": {
		"a taint":        is(Delay, NodeLeaving, func(w *world) { w.Node.Leaving = "ToBeDeletedByClusterAutoscaler" }),
		"a service, too": is(Delay, NodeLeaving, both(restart, func(w *world) { w.Node.Leaving = "metadata.deletionTimestamp" })),
		"another node":   allowed(func(w *world) { w.Nodes.Value[1].Leaving = "karpenter.sh/disrupted" }),
	},
	"budgets": {
		"more than all":            is(Deny, BudgetZero, func(w *world) { w.Policy.Budgets.Group = percent("101%") }),
		"zone spent":               is(Delay, BudgetFull, going("r2", "n2", "1a", "other")),
		"group has one left":       allowed(going("r2", "n6", "1b", "workers")),
		"group spent":              is(Delay, BudgetFull, both(going("r2", "n6", "1b", "workers"), going("r3", "n7", "1c", "workers"))),
		"a node counts once":       allowed(both(going("r2", "n6", "1b", "workers"), going("r3", "n6", "1b", "workers"))),
		"cluster spent":            is(Delay, BudgetFull, both(going("r2", "m1", "1b", "a"), going("r3", "m2", "1c", "b"), going("r4", "m3", "1d", "c"))),
		"its own is no other":      allowed(going("r1", "n1", "1a", "workers")),
		"what ended is no more":    allowed(ended(v1alpha1.ActionReboot, time.Hour, ledger.Helped)),
		"percentage of five nodes": allowed(func(w *world) { w.Policy.Budgets.Zone = percent("20%") }),
		"percentage rounds to 0":   is(Deny, BudgetZero, func(w *world) { w.Policy.Budgets.Zone = percent("19%") }),
		"zero":                     is(Deny, BudgetZero, func(w *world) { w.Policy.Budgets.Cluster = percent("0%") }),
		"less than zero":           is(Deny, BudgetZero, func(w *world) { w.Policy.Budgets.Cluster = new(intstr.FromInt32(-1)) }),
		"left out":                 is(Deny, BudgetZero, func(w *world) { w.Policy.Budgets.Group = nil }),
		"no percentage":            is(Deny, BudgetZero, func(w *world) { w.Policy.Budgets.Group = percent("many") }),
		"ledger not known":         forget(ledgerOf),
		"nodes not known":          forget(nodesOf),
	},
	"zone-state": {
		"two of three":                        allowed(func(w *world) { w.nodes(func(i int, n *Node) { n.Ready = i >= 2 }); w.Nodes.Value = w.Nodes.Value[:3] }),
		"three of five, over 55 in a hundred": is(Delay, ZoneDisrupted, func(w *world) { w.nodes(func(i int, n *Node) { n.Ready = i >= 3 }) }),
		"two of five":                         allowed(func(w *world) { w.nodes(func(i int, n *Node) { n.Ready = i >= 2 }) }),
		"two of two":                          is(Delay, ZoneDisrupted, func(w *world) { w.nodes(func(i int, n *Node) { n.Ready = i >= 2 }); w.Nodes.Value = w.Nodes.Value[:2] }),
		"one of one":                          allowed(func(w *world) { w.nodes(func(i int, n *Node) { n.Ready = i >= 1 }); w.Nodes.Value = w.Nodes.Value[:1] }),
		"another zone":                        allowed(func(w *world) { w.nodes(func(i int, n *Node) { n.Ready = i < 5 }) }),
		"not known":                           forget(nodesOf),
	},
	"failing-together": {
		"three of an image": is(Delay, FailingTogether, func(w *world) { w.nodes(func(i int, n *Node) { n.Unhealthy = i == 0 || i == 5 || i == 6 }) }),
		"two":               allowed(func(w *world) { w.nodes(func(i int, n *Node) { n.Unhealthy = i == 0 || i == 5 }) }),
		"a small share":     allowed(both(func(w *world) { w.Policy.Brake.Percent = 61 }, func(w *world) { w.nodes(func(i int, n *Node) { n.Unhealthy = i < 3 }) })),
		"three with nothing common": allowed(func(w *world) {
			w.nodes(func(i int, n *Node) {
				n.Unhealthy = i < 3
				if i > 0 {
					*n = Node{Name: n.Name, Unhealthy: n.Unhealthy, Ready: true}
				}
			})
		}),
		"agent version alone": is(Delay, FailingTogether, func(w *world) {
			w.nodes(func(i int, n *Node) {
				if n.Unhealthy = i < 3; i > 0 {
					*n = Node{Name: n.Name, AgentVersion: "1.0", Unhealthy: n.Unhealthy, Ready: true}
				}
			})
		}),
		"no brake said": is(Delay, FailingTogether, func(w *world) { w.Policy.Brake = v1alpha1.Brake{} }),
		"not known":     forget(nodesOf),
	},
	"api-server": {
		"not ready":              is(Delay, APIServerUnhealthy, func(w *world) { w.APIServer.Value.Ready = false }),
		"most silent":            is(Delay, APIServerUnhealthy, func(w *world) { w.APIServer.Value.Expired = 6 }),
		"half silent":            allowed(func(w *world) { w.APIServer.Value.Expired = 5 }),
		"not known":              forget(func(w *world) *Fact[APIServer] { return &w.APIServer }),
		"no kubelet is heard of": is(Delay, Unknown, func(w *world) { w.APIServer.Value.Leases = 0 }),
	},
	"zonal-shift": {
		"under way": is(Delay, ZonalShift, func(w *world) { w.ShiftedZones.Value = []string{"1b"} }),
		"not known": forget(func(w *world) *Fact[[]string] { return &w.ShiftedZones }),
	},
	"new-node": {
		"a minute old":      {func(w *world) { w.Node.Created = now.Add(-time.Minute) }, Delay, NewNode, 9 * time.Minute},
		"old enough":        allowed(func(w *world) { w.Node.Created = now.Add(-10 * time.Minute) }),
		"made tomorrow":     is(Delay, NewNode, func(w *world) { w.Node.Created = now.Add(24 * time.Hour) }),
		"no grace":          allowed(func(w *world) { w.Node.Created, w.Policy.NodeStartupGracePeriod = now, &metav1.Duration{} }),
		"how long not said": is(Delay, NewNode, func(w *world) { w.Node.Created, w.Policy.NodeStartupGracePeriod = now.Add(-time.Hour), nil }),
		"not known":         is(Delay, Unknown, func(w *world) { w.Node.Created = time.Time{} }),
	},
	"one-machine": {
		"two nodes claim it":           is(Deny, MachineClaimedTwice, func(w *world) { w.Nodes.Value[7].MachineKey = w.Node.MachineKey }),
		"others share a machine":       allowed(func(w *world) { w.Nodes.Value[7].MachineKey = w.Nodes.Value[8].MachineKey }),
		"nodes that do not tell":       allowed(func(w *world) { w.Node.MachineKey = ""; w.nodes(func(_ int, n *Node) { n.MachineKey = "" }) }),
		"but the node itself is asked": allowed(both(restart, func(w *world) { w.Nodes.Value[7].MachineKey = w.Node.MachineKey })),
		"not known":                    forget(nodesOf),
	},
	"control-plane": {
		"the others are well":       allowed(members),
		"another is not Ready":      is(Delay, ControlPlaneDegraded, both(members, func(w *world) { w.Nodes.Value[5].Ready = false })),
		"another is being repaired": is(Delay, ControlPlaneDegraded, both(members, going("r2", "n6", "1x", "other"))),
		"another was repaired": allowed(both(members, func(w *world) {
			w.enter(ledger.Entry{Remediation: "r2", Node: "n6", Ended: now.Add(-time.Hour), Result: ledger.Helped})
		})),
		"one that is gone is being replaced": is(Delay, ControlPlaneDegraded, both(members, going("r2", "gone", "1x", "other"))),
		"a worker is being repaired":         allowed(both(members, going("r2", "n7", "1x", "other"))),
		"a worker is not Ready":              allowed(both(members, func(w *world) { w.Nodes.Value[6].Ready = false })),
		"its own repair":                     allowed(both(members, going("r1", "n1", "1x", "other"))),
		"it is not Ready itself":             allowed(both(members, func(w *world) { w.Node.Ready, w.Nodes.Value[0].Ready = false, false })),
		"neither it nor another is Ready":    is(Deny, ControlPlaneDegraded, both(members, twoOut)),
		"and the other is being repaired":    is(Delay, ControlPlaneDegraded, both(members, twoOut, going("r2", "n6", "1x", "other"))),
		"a worker, while one of them is out": allowed(both(members, func(w *world) { w.Node.ControlPlane, w.Nodes.Value[5].Ready = false, false })),
		"a service, too":                     is(Delay, ControlPlaneDegraded, both(members, restart, func(w *world) { w.Nodes.Value[5].Ready = false })),
		"ledger not known":                   is(Delay, Unknown, both(members, func(w *world) { w.Ledger = Fact[ledger.Ledger]{} })),
		"nodes not known":                    is(Delay, Unknown, both(members, func(w *world) { w.Nodes = Fact[[]Node]{} })),
	},
	"disruption-budgets": {
		"violated":                   is(Delay, DisruptionBudget, violate),
		"violated, but no pod moves": allowed(both(restart, violate)),
		"violated anyway":            allowed(func(w *world) { w.Outcome.Value.Violations = []outcome.Violation{{}} }),
		"not known":                  forget(outcomeOf),
		"not compared":               is(Delay, Unknown, func(w *world) { w.Outcome.Value.Compared = nil }),
	},
	"capacity": {
		"would wait anyway": allowed(func(w *world) {
			w.Outcome.Value.Fates = []outcome.Fate{{Kind: outcome.Waiting, Pod: pod("a")}, {Kind: outcome.Preempted, Pod: pod("b")}}
		}),
		"would wait":                 is(Delay, PodsWouldWait, func(w *world) { w.harm(outcome.Waiting) }),
		"would preempt":              is(Delay, PodsWouldPreempt, func(w *world) { w.harm(outcome.Preempted) }),
		"would be lost":              is(Delay, PodsWouldBeLost, func(w *world) { w.harm(outcome.Lost); w.harm(outcome.Waiting) }),
		"would wait, approved":       is(Delay, PodsWouldWait, both(approve, func(w *world) { w.harm(outcome.Waiting) })),
		"but no pod moves":           allowed(both(restart, func(w *world) { w.harm(outcome.Lost) })),
		"another scheduler's moves":  is(Delay, Unknown, guess),
		"another's, approved":        allowed(both(guess, approve)),
		"another's, rejected":        is(Delay, Unknown, both(guess, func(w *world) { w.Approval = v1alpha1.Rejected })),
		"another's, and one waits":   is(Delay, PodsWouldWait, both(guess, func(w *world) { w.harm(outcome.Waiting) })),
		"another's, but none moves":  allowed(both(restart, guess)),
		"not known":                  forget(outcomeOf),
		"not known, though approved": is(Delay, Unknown, both(approve, func(w *world) { w.Outcome = Fact[outcome.Outcome]{} })),
		"not compared":               is(Delay, Unknown, func(w *world) { w.Outcome.Value.Compared = nil }),
		"not known, none moves":      allowed(both(restart, func(w *world) { w.Outcome = Fact[outcome.Outcome]{} })),
	},
	"last-replica": {
		"the last ready":   is(Delay, LastReplica, func(w *world) { w.Pods.Value[0].ReadyElsewhere = 0 }),
		"a workload of 1":  allowed(func(w *world) { w.Pods.Value[0].Replicas, w.Pods.Value[0].ReadyElsewhere = 1, 0 }),
		"not ready itself": allowed(func(w *world) { w.Pods.Value[0].Ready, w.Pods.Value[0].ReadyElsewhere = false, 0 }),
		"but no pod moves": allowed(both(restart, func(w *world) { w.Pods.Value[0].ReadyElsewhere = 0 })),
		"not known":        forget(podsOf),
	},
	"local-data": {
		"kept":               is(Delay, LocalData, both(keep, func(w *world) { w.Pods.Value[0].LocalData = true })),
		"replaced, kept":     is(Delay, LocalData, both(keep, func(w *world) { w.Action, w.Pods.Value[0].LocalData = v1alpha1.ActionReplace, true })),
		"deleted":            allowed(func(w *world) { w.Policy.Drain.LocalData, w.Pods.Value[0].LocalData = v1alpha1.LocalDataDelete, true }),
		"not said":           allowed(func(w *world) { w.Pods.Value[0].LocalData = true }),
		"none":               allowed(keep),
		"but no pod moves":   allowed(both(keep, restart, func(w *world) { w.Pods.Value[0].LocalData = true })),
		"not known":          is(Delay, Unknown, both(keep, func(w *world) { w.Pods = Fact[[]Pod]{} })),
		"not known, no odds": allowed(func(w *world) { w.Pods = Fact[[]Pod]{} }),
	},
	"cool-down": {
		"lately":                       {ended(v1alpha1.ActionReboot, 4*time.Minute, ledger.Helped), Delay, CoolingDown, 6 * time.Minute},
		"long ago":                     allowed(ended(v1alpha1.ActionReboot, 10*time.Minute, ledger.Helped)),
		"another node":                 allowed(func(w *world) { w.enter(ledger.Entry{Remediation: "r0", Node: "n2", Ended: now}) }),
		"by another name":              is(Delay, CoolingDown, otherwise("n9", "aws:///1a/i-1", ledger.Helped)),
		"another machine, of the name": is(Delay, CoolingDown, otherwise("n1", "aws:///1a/i-9", ledger.Helped)),
		"how long not said":            is(Delay, CoolingDown, both(func(w *world) { w.Policy.CoolDown = nil }, ended(v1alpha1.ActionReboot, 24*time.Hour, ledger.Helped))),
		"not known":                    forget(ledgerOf),
	},
	"refused": {
		"a moment ago":       {ended(v1alpha1.ActionReboot, 4*time.Minute, ledger.Refused), Delay, ActionRefused, 6 * time.Minute},
		"long ago":           allowed(ended(v1alpha1.ActionReboot, 10*time.Minute, ledger.Refused)),
		"and still is":       is(Deny, ActionRefused, both(mayNot, ended(v1alpha1.ActionReboot, 23*time.Hour, ledger.Refused))),
		"and is not now":     allowed(both(func(w *world) { w.May = v1alpha1.MayYes }, ended(v1alpha1.ActionReboot, 10*time.Minute, ledger.Refused))),
		"may not, not tried": allowed(mayNot),
		"forgotten":          allowed(both(mayNot, ended(v1alpha1.ActionReboot, 24*time.Hour, ledger.Refused))),
		"another action":     allowed(ended(v1alpha1.ActionReplace, time.Minute, ledger.Refused)),
		"another node": allowed(both(mayNot, func(w *world) {
			w.enter(ledger.Entry{Remediation: "r0", Node: "n2", Action: v1alpha1.ActionReboot, Ended: now, Result: ledger.Refused})
		})),
		"twice": {both(ended(v1alpha1.ActionReboot, 15*time.Minute, ledger.Refused), ended(v1alpha1.ActionReboot, time.Hour, ledger.Refused)), Delay, ActionRefused, 5 * time.Minute},
		"twice, of one reboot that was done": allowed(both(
			ended(v1alpha1.ActionReboot, 15*time.Minute, ledger.Refused), ended(v1alpha1.ActionReboot, time.Hour, ledger.Helped), ended(v1alpha1.ActionReboot, 2*time.Hour, ledger.Refused),
		)),
		"since it was done": allowed(both(mayNot, ended(v1alpha1.ActionReboot, time.Hour, ledger.Helped), ended(v1alpha1.ActionReboot, 2*time.Hour, ledger.Refused))),
		"not since it was stopped": is(Deny, ActionRefused, both(
			mayNot, ended(v1alpha1.ActionReboot, time.Hour, ledger.Stopped), ended(v1alpha1.ActionReboot, 2*time.Hour, ledger.Refused),
		)),
		"a node that never rests": {both(func(w *world) { w.Policy.CoolDown.Duration = 0 }, ended(v1alpha1.ActionReboot, 4*time.Minute, ledger.Refused)), Delay, ActionRefused, 6 * time.Minute},
		"often":                   {often, Delay, ActionRefused, 23*time.Hour + 59*time.Minute},
		"not known":               forget(ledgerOf),
	},
	"did-not-help": {
		"refused":                       allowed(ended(v1alpha1.ActionReboot, time.Hour, ledger.Refused)),
		"did not":                       is(Deny, DidNotHelp, ended(v1alpha1.ActionReboot, time.Hour, ledger.NotHelped)),
		"result not known":              is(Deny, DidNotHelp, ended(v1alpha1.ActionReboot, time.Hour, "")),
		"helped":                        allowed(ended(v1alpha1.ActionReboot, time.Hour, ledger.Helped)),
		"stopped":                       allowed(ended(v1alpha1.ActionReboot, time.Hour, ledger.Stopped)),
		"another action":                allowed(ended(v1alpha1.ActionRestartService, time.Hour, ledger.NotHelped)),
		"forgotten":                     allowed(ended(v1alpha1.ActionReboot, 24*time.Hour, ledger.NotHelped)),
		"under another name":            is(Deny, DidNotHelp, otherwise("n9", "aws:///1a/i-1", ledger.NotHelped)),
		"another machine, of the name":  allowed(otherwise("n1", "aws:///1a/i-9", ledger.NotHelped)),
		"the name, by an older version": is(Deny, DidNotHelp, otherwise("n1", "", ledger.NotHelped)),
		"one of two attempts":           allowed(both(twice, ended(v1alpha1.ActionReboot, time.Hour, ledger.NotHelped))),
		"both attempts":                 is(Deny, DidNotHelp, both(twice, ended(v1alpha1.ActionReboot, time.Hour, ledger.NotHelped), ended(v1alpha1.ActionReboot, 2*time.Hour, ledger.NotHelped))),
		"how long not said":             is(Deny, DidNotHelp, both(func(w *world) { w.Policy.RememberFailure = nil }, ended(v1alpha1.ActionReboot, 29*24*time.Hour, ledger.NotHelped))),
		"not known":                     forget(ledgerOf),
	},
	"replace-loop": {
		"three in a row":                is(Deny, ReplaceLoop, inARow(3, nil)),
		"two in a row":                  allowed(inARow(2, nil)),
		"a reboot":                      allowed(both(inARow(3, nil), func(w *world) { w.Action = v1alpha1.ActionReboot })),
		"of another group":              allowed(inARow(3, func(e *ledger.Entry) { e.Group = "spare" })),
		"of another image":              allowed(inARow(3, func(e *ledger.Entry) { e.Image = "ami-0" })),
		"of an image not known":         is(Deny, ReplaceLoop, inARow(3, func(e *ledger.Entry) { e.Image = "" })),
		"its own image not known":       is(Deny, ReplaceLoop, both(inARow(3, nil), func(w *world) { w.Node.Image = "" })),
		"of another zone":               is(Deny, ReplaceLoop, inARow(3, func(e *ledger.Entry) { e.Zone = "1b" })),
		"it was there before":           allowed(both(inARow(3, nil), func(w *world) { w.Node.Created = oldNode })),
		"who knows since when":          is(Deny, ReplaceLoop, both(inARow(3, nil), func(w *world) { w.Node.Created = time.Time{} })),
		"the last goes on":              is(Deny, ReplaceLoop, inARow(3, func(e *ledger.Entry) { e.Ended, e.Result = time.Time{}, "" })),
		"the last helped for a while":   is(Deny, ReplaceLoop, inARow(3, func(e *ledger.Entry) { e.Result = ledger.Helped })),
		"nothing was done to the last":  allowed(inARow(3, func(e *ledger.Entry) { e.Result = ledger.Stopped })),
		"it is the last itself":         allowed(inARow(3, func(e *ledger.Entry) { e.ProviderID = "aws:///1a/i-1" })),
		"unhealthy a day after":         allowed(both(inARow(3, nil), func(w *world) { w.UnhealthySince = now.Add(24 * time.Hour) })),
		"unhealthy for long, held long": is(Deny, ReplaceLoop, both(inARow(3, nil), func(w *world) { w.Now = now.Add(10 * 24 * time.Hour) })),
		"unhealthy for an unknown time": is(Deny, ReplaceLoop, both(inARow(3, nil), func(w *world) { w.UnhealthySince = time.Time{} })),
		"how long not said":             is(Deny, ReplaceLoop, both(inARow(3, nil), func(w *world) { w.Policy.RememberFailure, w.UnhealthySince = nil, now.Add(28*24*time.Hour) })),
		"not known":                     forget(func(w *world) *Fact[ledger.Ledger] { w.Action = v1alpha1.ActionReplace; return &w.Ledger }),
	},
	"daily-limit": {
		"three of ten":          {lately(3, nil), Delay, DailyLimit, 24*time.Hour - 3*time.Hour},
		"two of ten":            allowed(lately(2, nil)),
		"five of ten":           {lately(5, nil), Delay, DailyLimit, 24*time.Hour - 3*time.Hour},
		"three of twenty":       allowed(both(lately(3, nil), double)),
		"four of twenty":        is(Delay, DailyLimit, both(lately(4, nil), double)),
		"as the policy says":    is(Delay, DailyLimit, both(lately(1, nil), perDayOf(1))),
		"less than it says":     allowed(both(lately(9, nil), perDayOf(10))),
		"whatever they did":     is(Delay, DailyLimit, lately(3, func(e *ledger.Entry) { e.Result = ledger.NotHelped })),
		"they go on":            is(Delay, DailyLimit, lately(3, func(e *ledger.Entry) { e.Ended, e.Result = time.Time{}, "" })),
		"nothing was done":      allowed(lately(3, func(e *ledger.Entry) { e.Result = ledger.Stopped })),
		"they were refused":     allowed(lately(3, func(e *ledger.Entry) { e.Result = ledger.Refused })),
		"services":              allowed(lately(3, func(e *ledger.Entry) { e.Action = v1alpha1.ActionRestartService })),
		"another group":         allowed(lately(3, func(e *ledger.Entry) { e.Group = "spare" })),
		"a day ago":             allowed(lately(3, func(e *ledger.Entry) { e.Began = e.Began.Add(-23 * time.Hour) })),
		"its own is one":        allowed(lately(3, func(e *ledger.Entry) { e.Remediation, e.Ended, e.Result = "r1", time.Time{}, "" })),
		"a service is no such":  allowed(both(restart, lately(3, nil))),
		"another of its name":   is(Delay, DailyLimit, lately(3, func(e *ledger.Entry) { e.Remediation = "r1" })),
		"ledger not known":      forget(ledgerOf),
		"nodes not known":       forget(nodesOf),
		"services need no fact": allowed(both(restart, func(w *world) { w.Ledger = Fact[ledger.Ledger]{} })),
	},
	"window": {
		"none":              allowed(func(w *world) { w.Policy.MaintenanceWindow = nil }),
		"opens as it opens": allowed(func(w *world) { w.moment(at(11, 0)) }),
		"just closed":       {func(w *world) { w.moment(at(13, 0)) }, Delay, WindowClosed, 22 * time.Hour},
		"not yet":           {func(w *world) { w.moment(at(10, 59)) }, Delay, WindowClosed, time.Minute},
		"past midnight":     allowed(func(w *world) { w.Policy.MaintenanceWindow.Start = "23:30"; w.moment(at(0, 30)) }),
		"another day":       {func(w *world) { w.Policy.MaintenanceWindow.Days = []v1alpha1.Weekday{"Thursday"} }, Delay, WindowClosed, 23 * time.Hour},
		"next week":         {func(w *world) { w.Policy.MaintenanceWindow.Days = []v1alpha1.Weekday{"Wednesday"}; w.moment(at(13, 0)) }, Delay, WindowClosed, 7*24*time.Hour - 2*time.Hour},
		"by Tokyo's clock": allowed(func(w *world) {
			w.Policy.MaintenanceWindow.Start, w.Policy.MaintenanceWindow.TimeZone = "20:30", "Asia/Tokyo"
		}),
		"a zone unheard of":    is(Delay, Unknown, func(w *world) { w.Policy.MaintenanceWindow.TimeZone = "Asia/Edo" }),
		"a start that is none": is(Delay, Unknown, func(w *world) { w.Policy.MaintenanceWindow.Start = "noon" }),
		"but no pod moves":     allowed(both(restart, func(w *world) { w.moment(at(13, 0)) })),
	},
	"do-not-disrupt": {
		"the node, Karpenter's":         is(Deny, DoNotDisrupt, func(w *world) { w.Node.Annotations = map[string]string{"karpenter.sh/do-not-disrupt": "true"} }),
		"the node, naosu's":             is(Deny, DoNotDisrupt, func(w *world) { w.Node.Annotations = map[string]string{"naosu.dev/do-not-disrupt": "true"} }),
		"the node, though no pod moves": is(Deny, DoNotDisrupt, both(restart, func(w *world) { w.Node.Annotations = map[string]string{"naosu.dev/do-not-disrupt": "true"} })),
		"false":                         allowed(annotate("karpenter.sh/do-not-disrupt", "false")),
		"a pod, Karpenter's":            is(Delay, DoNotDisrupt, annotate("karpenter.sh/do-not-disrupt", "true")),
		"a pod, naosu's":                is(Delay, DoNotDisrupt, annotate("naosu.dev/do-not-disrupt", "true")),
		"a pod, the autoscaler's":       is(Delay, DoNotDisrupt, annotate("cluster-autoscaler.kubernetes.io/safe-to-evict", "false")),
		"a pod that may be evicted":     allowed(annotate("cluster-autoscaler.kubernetes.io/safe-to-evict", "true")),
		"a pod, but none moves":         allowed(both(restart, annotate("naosu.dev/do-not-disrupt", "true"))),
		"not known":                     forget(podsOf),
	},
	"competing": {
		"another":   is(Deny, CompetingWith, func(w *world) { w.Repairers.Value = []change.Ref{{Kind: "MachineHealthCheck", Name: "all"}} }),
		"not known": forget(func(w *world) *Fact[[]change.Ref] { return &w.Repairers }),
	},
}

func violate(w *world) {
	c := w.Outcome.Value.Compared
	c.Violating, c.Violations = 1, []outcome.Violation{{Budget: change.Ref{Kind: "PodDisruptionBudget", Name: "shop"}}}
}

func guess(w *world) { w.Outcome.Value.Compared.Guessed = []change.Ref{pod("a")} }

func approve(w *world) { w.Approval = v1alpha1.Approved }

func mayNot(w *world) { w.May = v1alpha1.MayNo }

// often has the action refused so often that no duration holds the time for which it rests.
func often(w *world) {
	for i := range 70 {
		ended(v1alpha1.ActionReboot, time.Duration(i+1)*time.Minute, ledger.Refused)(w)
	}
}

func twice(w *world) {
	w.Policy.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot, Attempts: 2}}
}

func annotate(key, value string) func(*world) {
	return func(w *world) { w.Pods.Value[0].Annotations = map[string]string{key: value} }
}

func TestChecks(t *testing.T) {
	if ruling := allowedWorld().decide(); ruling.Decision != Allow {
		t.Fatalf("the world that is changed below is not allowed: %s %s", ruling.Check, ruling.Reason)
	}
	for _, check := range Checks() {
		if len(table[check.Name]) == 0 {
			t.Errorf("%s has no row", check.Name)
		}
		for name, row := range table[check.Name] {
			t.Run(check.Name+"/"+name, func(t *testing.T) {
				w := allowedWorld()
				row.change(w)
				got := check.Decide(w.Proposal, w.Facts)
				if got.Decision != row.want || got.Reason != row.reason || row.retry != 0 && got.RetryAfter != row.retry {
					t.Fatalf("got %s %s after %s, want %s %s after %s", got.Decision, got.Reason, got.RetryAfter, row.want, row.reason, row.retry)
				}
				if got.Decision == Delay && got.RetryAfter <= 0 {
					t.Error("a delay that says not how long")
				}
				said(t, got)
			})
		}
	}
}

// said demands that a verdict that does not allow is said in both languages, with all its values.
func said(t *testing.T, v Verdict) {
	t.Helper()
	if v.Decision == Allow {
		return
	}
	for _, printer := range []message.Printer{message.English(), message.Japanese()} {
		text := printer.Say(v.Message)
		if text == "" || strings.HasPrefix(text, string(v.Message.ID)) || strings.Contains(text, "<no value>") {
			t.Errorf("%s is said as %q", v.Reason, text)
		}
	}
}

// TestNoCheckIsDead takes each check out in turn: a world that it alone holds back must then be let through.
func TestNoCheckIsDead(t *testing.T) {
	for i, check := range Checks() {
		missed := false
		for _, row := range table[check.Name] {
			w := allowedWorld()
			row.change(w)
			rest := slices.Delete(Checks(), i, i+1)
			if w.decide().Decision != Allow && Decide(rest, w.Proposal, w.Facts).Decision == Allow {
				missed = true
			}
		}
		if !missed {
			t.Errorf("without %s nothing would be let through that is not", check.Name)
		}
	}
}
