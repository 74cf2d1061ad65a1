package guard

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC) // a Wednesday

// oldNode is when nodes were made, long before anything was done to any.
var oldNode = now.Add(-90 * 24 * time.Hour)

// world is a proposal and facts, by which all checks allow until something is changed.
type world struct {
	Proposal
	Facts
}

func unhealthyNode(name string) Node {
	return Node{Name: name, Zone: "1a", Group: "workers", Image: "ami-1", InstanceType: "m5.large", AgentVersion: "1.0", Ready: true, Unhealthy: true, Created: oldNode, MachineKey: "m-" + name}
}

func healthyNode(name, zone string) Node {
	return Node{Name: name, Zone: zone, Group: "workers", Image: "ami-1", InstanceType: "m5.large", AgentVersion: "1.0", Ready: true, Created: oldNode, MachineKey: "m-" + name}
}

func allowedWorld() *world {
	number := func(n int) *intstr.IntOrString { return new(intstr.FromInt32(int32(n))) }
	span := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	nodes := []Node{
		unhealthyNode("n1"), healthyNode("n2", "1a"), healthyNode("n3", "1a"), healthyNode("n4", "1a"), healthyNode("n5", "1a"),
		healthyNode("n6", "1b"), healthyNode("n7", "1b"), healthyNode("n8", "1b"), healthyNode("n9", "1b"), healthyNode("n10", "1b"),
	}
	return &world{
		Proposal{
			Remediation: "r1", Node: unhealthyNode("n1"), Action: v1alpha1.ActionReboot, Confirmed: now.Add(-time.Minute), UnhealthySince: now.Add(-10 * time.Minute),
			Policy: v1alpha1.NodeRepairPolicySpec{
				Mode:     v1alpha1.ModeAuto,
				EarnAuto: new(int32(3)),
				Budgets:  v1alpha1.Budgets{Zone: number(1), Group: number(2), Cluster: number(3)},
				Brake:    v1alpha1.Brake{Nodes: 3, Percent: 20},
				MaintenanceWindow: &v1alpha1.MaintenanceWindow{
					Start: "11:00", OpenForMinutes: 120, TimeZone: "UTC",
				},
				NodeStartupGracePeriod: span(10 * time.Minute), CoolDown: span(10 * time.Minute), RememberFailure: span(24 * time.Hour),
			},
		},
		Facts{
			Now:          now,
			Leading:      Known(true, now),
			Ledger:       Known(ledger.Ledger{}, now),
			Nodes:        Known(nodes, now),
			APIServer:    Known(APIServer{Ready: true, Leases: 10}, now),
			ShiftedZones: Known([]string(nil), now),
			Outcome:      Known(outcome.Outcome{Compared: &outcome.Comparison{Futures: 3}}, now),
			Pods:         Known([]Pod{{Ref: pod("a"), Ready: true, Replicas: 2, ReadyElsewhere: 1}}, now),
			AsForecast:   Known(3, now),
			Repairers:    Known([]change.Ref(nil), now),
		},
	}
}

func (w *world) decide() Ruling { return Decide(Checks(), w.Proposal, w.Facts) }

func (w *world) nodes(change func(i int, n *Node)) {
	for i := range w.Nodes.Value {
		change(i, &w.Nodes.Value[i])
	}
}

func (w *world) enter(entries ...ledger.Entry) {
	w.Ledger.Value.Entries = append(w.Ledger.Value.Entries, entries...)
}

// harm has a pod fare worse in one of three futures.
func (w *world) harm(kind outcome.Kind) {
	c := w.Outcome.Value.Compared
	c.Worse, c.Harms = 1, append(c.Harms, outcome.Harm{Kind: kind, Pods: []change.Ref{pod("a")}, Futures: 1})
}

func pod(name string) change.Ref { return change.Ref{Kind: "Pod", Namespace: "shop", Name: name} }

func at(hour, minute int) time.Time { return time.Date(2026, 3, 4, hour, minute, 0, 0, time.UTC) }

// moment sets the clock, and has everything gathered at that time.
func (w *world) moment(t time.Time) {
	w.Now, w.Confirmed = t, t
	w.Leading.At, w.Ledger.At, w.Nodes.At, w.APIServer.At, w.ShiftedZones.At = t, t, t, t, t
	w.Outcome.At, w.Pods.At, w.AsForecast.At, w.Repairers.At = t, t, t, t
}
