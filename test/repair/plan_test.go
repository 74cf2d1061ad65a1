package repair

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	kubernetes "k8s.io/apimachinery/pkg/runtime"
	"pgregory.net/rapid"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// kind is something that goes wrong.
type kind string

const (
	rebootFixes      kind = "a fault that a reboot mends"
	rebootDoesNotFix kind = "a fault that outlives a reboot"
	falseReport      kind = "an agent that lies for a while"
	zoneUnhealthy    kind = "a fault of all machines of a zone"
	nodeOff          kind = "a machine off for a while"
	zoneOff          kind = "a zone off for a while"
	apiFails         kind = "an API server that fails calls, done and not"
	controllerKilled kind = "the controller killed"
	staleCache       kind = "a cache that hangs"
	cloudFails       kind = "a cloud that refuses, does not answer, or lies"
	cloudForbids     kind = "a cloud that refuses"
)

var kinds = []kind{
	rebootFixes, rebootFixes, rebootFixes, rebootFixes, rebootFixes, rebootFixes, rebootDoesNotFix, rebootDoesNotFix, falseReport, zoneUnhealthy, nodeOff, nodeOff, zoneOff, apiFails, controllerKilled, controllerKilled, staleCache, staleCache, cloudFails, cloudFails, cloudForbids, cloudForbids, cloudForbids,
	rejected, deleted, aborted, recreated, forged, forgedRun, edited, uncordoned, paused, paused, paused, copied, copied,
	removing, removing, removing, shutDown, shutDown, shutDown, shifted, claimed, claimed, annotated, annotatedPods, otherRepairs, otherRepairs, otherRepairs, agentStops, agentStops, agentStops, badImage, serverDown, serverDown, serverDown, leaseLost, leaseLost, leaseLost,
}

// fault is one thing that goes wrong, from a tick on, for so many.
type fault struct {
	Tick, For, Target int
	Kind              kind
}

// plan is what is drawn for a run: the cluster, the policy and the faults.
type plan struct {
	Nodes, Zones int
	// Floors are the least pods of workloads, Slack how many more each has. A workload whose floor is 0 has no PodDisruptionBudget.
	Floors        []int
	Slack         int
	ZoneBudget    int
	ClusterBudget int
	// PerDay is how many machines may be repaired in the run; 0 is any number.
	PerDay              int
	Proceed, Escalation bool
	// Brake says whether the policy has one of its own beside Kubernetes' idea of a disrupted zone.
	Brake bool
	// Room is how many pods a node takes; 0 is eight.
	Room int
	// Direct is whether the rules ask for machines to be replaced at once, without escalation.
	Direct bool
	// Earn is how many repairs must have turned out as forecast before one is done unasked, Approver whether a person approves each.
	Earn     int
	Approver bool
	// CoolDown and Grace are the policy's coolDown and nodeStartupGracePeriod in minutes; a coolDown of 0 is one minute.
	CoolDown, Grace int
	// Opens is after how many minutes the maintenance window opens, Open for how many; 0 is no window.
	Opens, Open int
	// Data is whether pods have data on their node alone, KeepData whether the policy keeps it.
	Data, KeepData bool
	// Foreign is whether another scheduler than the default one places the pods.
	Foreign bool
	// ControlPlane is how many nodes carry the control plane.
	ControlPlane int
	Faults       []fault
}

// faultTicks is for how many ticks faults are injected, and quietTicks for how many none is after that.
const (
	faultTicks = 40
	quietTicks = 80
)

func (p plan) ticks() int { return faultTicks + quietTicks }

func drawPlan(t *rapid.T) plan {
	p := plan{
		Nodes: rapid.IntRange(3, 7).Draw(t, "nodes"), Zones: rapid.IntRange(1, 3).Draw(t, "zones"),
		Floors:     rapid.SliceOfN(rapid.SampledFrom([]int{1, 1, 2, 3, 0}), 1, 2).Draw(t, "floors"),
		Slack:      rapid.SampledFrom([]int{1, 1, 0, 2}).Draw(t, "slack"),
		ZoneBudget: rapid.IntRange(1, 2).Draw(t, "zone budget"), ClusterBudget: rapid.IntRange(1, 2).Draw(t, "cluster budget"),
		PerDay:  rapid.SampledFrom([]int{0, 0, 1, 2}).Draw(t, "per day"),
		Proceed: rapid.Bool().Draw(t, "proceed"), Escalation: rapid.Bool().Draw(t, "ladder"), Brake: rapid.Bool().Draw(t, "brake"),
		Room:   rapid.SampledFrom([]int{0, 0, 0, 2, 3}).Draw(t, "room"),
		Direct: rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "direct"), Earn: rapid.SampledFrom([]int{0, 0, 0, 0, 0, 1}).Draw(t, "earn"),
		CoolDown: rapid.SampledFrom([]int{1, 1, 4}).Draw(t, "cool-down"), Grace: rapid.SampledFrom([]int{0, 0, 0, 3}).Draw(t, "grace"),
		Opens:        rapid.SampledFrom([]int{0, 0, 0, 0, 5, 14}).Draw(t, "opens"),
		Data:         rapid.SampledFrom([]bool{false, true}).Draw(t, "data"),
		KeepData:     rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "keep data"),
		Foreign:      rapid.SampledFrom([]bool{false, false, false, false, true}).Draw(t, "foreign"),
		ControlPlane: rapid.SampledFrom([]int{0, 3}).Draw(t, "control plane"),
	}
	// Where another scheduler places pods is unknown, so that nothing is done without approval.
	p.Approver = p.Foreign || rapid.SampledFrom([]bool{false, false, false, true}).Draw(t, "approver")
	p.Escalation = p.Escalation && !p.Direct
	if p.Opens > 0 {
		p.Open = 8
	}
	p.Faults = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fault {
		return fault{
			Tick: rapid.IntRange(1, faultTicks-20).Draw(t, "tick"), For: rapid.IntRange(1, 20).Draw(t, "for"),
			Target: rapid.OneOf(rapid.IntRange(0, 1), rapid.IntRange(0, 13)).Draw(t, "target"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
		}
	}), 1, 10).Draw(t, "faults")
	if p.Direct && rapid.Bool().Draw(t, "bad image") {
		p.Faults = append(p.Faults, fault{1, 1, 0, badImage})
	}
	return p
}

// workloads have pods to spare, or not, so that a drain is possible, or not.
func (p plan) workloads() []workload {
	var all []workload
	for i, floor := range p.Floors {
		one := workload{name: string(rune('a' + i)), replicas: floor + p.Slack, floor: floor, data: p.Data, foreign: p.Foreign}
		if floor == 0 {
			one.replicas = 2
		}
		all = append(all, one)
	}
	return all
}

// A brake's least nodes, and their share of a zone.
const (
	brakeNodes   = 2
	brakePercent = 50
)

// policy is Auto, and quicker than anybody would be.
func (p plan) policy() *v1alpha1.NodeRepairPolicy {
	policy := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "default"}}
	policy.Spec = v1alpha1.NodeRepairPolicySpec{
		Mode: v1alpha1.ModeAuto,
		Rules: []v1alpha1.RepairRule{
			{Name: "network", Condition: "NetworkingReady", Status: metav1.ConditionFalse, For: *minutes(1), Action: v1alpha1.ActionReboot},
			{Name: "silent", Condition: "Ready", Status: metav1.ConditionUnknown, For: *minutes(2), Action: v1alpha1.ActionReboot},
		},
		Budgets:      v1alpha1.Budgets{Zone: new(intstrOf(p.ZoneBudget)), Group: new(intstrOf(5)), Cluster: new(intstrOf(p.ClusterBudget))},
		Brake:        v1alpha1.Brake{Nodes: brakeNodes, Percent: brakePercent},
		Drain:        v1alpha1.Drain{Timeout: minutes(2), Fallback: v1alpha1.DrainGiveUp},
		Verification: v1alpha1.Verification{NodeWithin: minutes(4), Dwell: minutes(1), PodsWithin: minutes(2)},
		CoolDown:     minutes(max(1, p.CoolDown)), RememberFailure: minutes(60), NodeStartupGracePeriod: minutes(p.Grace),
	}
	if p.Direct {
		for i := range policy.Spec.Rules {
			policy.Spec.Rules[i].Action = v1alpha1.ActionReplace
		}
	}
	if p.Earn > 0 {
		policy.Spec.EarnAuto = new(int32(p.Earn))
	}
	if p.KeepData {
		policy.Spec.Drain.LocalData = v1alpha1.LocalDataKeep
	}
	if p.Open > 0 {
		policy.Spec.MaintenanceWindow = &v1alpha1.MaintenanceWindow{Start: fmt.Sprintf("00:%02d", p.Opens), OpenForMinutes: int32(p.Open), TimeZone: "UTC"}
	}
	policy.Spec.Budgets.MaxPerDay = new(int32(5000))
	if p.PerDay > 0 {
		policy.Spec.Budgets.MaxPerDay = new(int32(p.PerDay))
	}
	if !p.Brake {
		policy.Spec.Brake = v1alpha1.Brake{Nodes: 5000, Percent: 100}
	}
	if p.Proceed {
		policy.Spec.Drain.Fallback = v1alpha1.DrainProceed
	}
	if p.Escalation {
		policy.Spec.Escalation = []v1alpha1.EscalationStep{{Action: v1alpha1.ActionReboot, Attempts: 1}, {Action: v1alpha1.ActionReplace, Attempts: 1}}
	}
	return policy
}

func sets() client.ObjectList    { return &appsv1.ReplicaSetList{} }
func budgets() client.ObjectList { return &policyv1.PodDisruptionBudgetList{} }

func items(list client.ObjectList) []kubernetes.Object {
	all, err := meta.ExtractList(list)
	if err != nil {
		panic(err)
	}
	return all
}
