package random

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// kind is something that goes wrong, or that somebody does.
type kind string

// The kinds. What is said of a machine is of the target's.
const (
	poweredOff     kind = "a machine is stopped in the cloud, and started again"
	hostDead       kind = "a machine is off, and the cloud says that it runs"
	terminated     kind = "a machine is terminated, and its Node stays"
	terminatedLate kind = "a machine is off, a minute later it is terminated, and its Node is deleted"
	renamed        kind = "a machine is terminated, and another has a Node of its name"
	rebooted       kind = "a machine reboots without a goodbye"
	vmPaused       kind = "a machine stands still, and goes on, perhaps with another wall clock"
	stoppedLate    kind = "a kubelet stops, and a minute later its machine is stopped in the cloud"
	kubeletStopped kind = "a kubelet stops"
	runtimeDown    kind = "a kubelet reports that it is not ready"
	leasesLate     kind = "a kubelet renews its Lease late"
	clockStepped   kind = "the wall clock of a machine is set back"
	leadersClock   kind = "the wall clock of the controller that leads is set, an hour ahead or back"
	recreated      kind = "a Node is deleted and registered again"

	agentKilled  kind = "an agent is killed"
	agentGoodbye kind = "an agent ends"
	agentHangs   kind = "an agent hangs"

	apiCut         kind = "a machine is cut off from the API server alone"
	replicasCut    kind = "a machine is cut off from the controller alone"
	peersCut       kind = "a machine is cut off from all others, and not from the API server"
	someCut        kind = "a machine is cut off from all but one other"
	outboundLost   kind = "what a machine sends is lost"
	inboundLost    kind = "what is sent to a machine is lost"
	isolated       kind = "a machine is cut off"
	zoneCut        kind = "a zone is cut off"
	probesSlow     kind = "probes are slow"
	quietAtOnce    kind = "two machines are off at the same time"
	twoIsolated    kind = "two machines are cut off at the same time, and one is back sooner"
	dialsFail      kind = "the agents of all zones but one can open no connections"
	oneDials       kind = "the agents of all machines but one can open no connections"
	mostOfZoneDown kind = "the kubelets of all machines of a zone but one stop, and then that is off"

	apiFails kind = "the API server fails calls, done and not"
	apiSlow  kind = "the API server is slow"
	apiDown  kind = "the API server is down"
	touched  kind = "somebody writes to every object all the time"

	replicaKilled  kind = "the controller that leads is killed"
	replicaPaused  kind = "the controller that leads stands still, and goes on"
	replicasPaused kind = "all replicas of the controller stand still, and go on"
	staleCache     kind = "caches hang"
	leadLost       kind = "another takes the lead"

	cloudFails   kind = "the cloud does not answer"
	cloudForbids kind = "the cloud forbids"
	cloudUnknown kind = "the cloud knows no machine"
	cloudSlow    kind = "the cloud is slow"

	tainted       kind = "others taint a node"
	handTainted   kind = "a person declares a node out of service by hand"
	cordoned      kind = "a person cordons a node"
	taintRemoved  kind = "a person removes the taints of naosu"
	noteRemoved   kind = "a person removes the annotations of naosu"
	noteGarbled   kind = "a person garbles the annotations of naosu"
	confirmed     kind = "a machine is off, the cloud says that it runs, and a person confirms that it is off"
	paused        kind = "a policy is paused"
	reportOnly    kind = "a policy is set to Report"
	policyDeleted kind = "a policy is deleted"
	policyEdited  kind = "a policy's seconds are edited"
	policyNever   kind = "a policy no longer asks for anything but seconds"
	scaledDown    kind = "a workload is scaled to one replica"
)

// kinds are drawn from, some more often than others.
var kinds = []kind{
	poweredOff, poweredOff, poweredOff, poweredOff, poweredOff, hostDead, hostDead, terminated, terminated, terminatedLate, terminatedLate, renamed, rebooted, rebooted, rebooted, vmPaused, vmPaused, stoppedLate, stoppedLate,
	kubeletStopped, kubeletStopped, runtimeDown, leasesLate, clockStepped, leadersClock, recreated, agentKilled, agentGoodbye, agentHangs, agentHangs,
	apiCut, replicasCut, replicasCut, peersCut, peersCut, someCut, someCut, outboundLost, inboundLost, isolated, isolated, zoneCut, probesSlow, quietAtOnce, twoIsolated, dialsFail, oneDials, mostOfZoneDown, mostOfZoneDown,
	apiFails, apiFails, apiSlow, apiSlow, apiDown, touched, replicaKilled, replicaKilled, replicaKilled, replicaPaused, replicaPaused, replicasPaused, staleCache, staleCache, leadLost,
	cloudFails, cloudForbids, cloudUnknown, cloudSlow,
	tainted, handTainted, cordoned, taintRemoved, noteRemoved, noteGarbled, confirmed, confirmed, paused, paused, reportOnly, policyDeleted, policyEdited, policyNever, scaledDown,
}

// fault is one thing that goes wrong, from a second of the run on, for so many seconds.
type fault struct {
	At, For, Target int
	Kind            kind
}

// load is the kind of a workload.
type load string

const (
	deployment  load = "Deployment"
	replicaSet  load = "ReplicaSet"
	claiming    load = "ReplicaSet with a claim"
	ephemeral   load = "ReplicaSet with an ephemeral claim"
	stateful    load = "StatefulSet"
	job         load = "Job"
	bare        load = "bare pod"
	daemon      load = "DaemonSet"
	everywhere  load = "ReplicaSet that tolerates every taint"
	explicitSet load = "Deployment whose template specifies seconds"
)

var loads = []load{deployment, deployment, deployment, replicaSet, replicaSet, claiming, ephemeral, stateful, stateful, job, bare, daemon, everywhere, explicitSet}

// workload has pods.
type workload struct {
	Kind     load
	Replicas int
	// Back says that it is in the namespace back, not in shop.
	Back bool
}

// policyPlan is a FailoverPolicy. It selects pods of a namespace, or of both.
type policyPlan struct {
	Report, Paused bool
	// Namespace is shop, back, or empty for both.
	Namespace             string
	NotReady, Unreachable int
	WhenOff, OnSilence    bool
	NotReadyOnSilence     bool
	SilentAfter           int
}

// plan is what is drawn for a run.
type plan struct {
	Nodes, Zones int
	Workloads    []workload
	Policies     []policyPlan
	Faults       []fault
	// Last is the machine that is switched off alone after all faults are over, to be replaced on silence and declared out of service.
	Last int
}

// The phases of a run, in seconds.
const (
	startSeconds = 20  // before the first fault
	faultSeconds = 200 // in which faults begin
	longest      = 90  // that a fault lasts
	settle       = 120 // after the last fault has ended, until everything must be as before
	offSeconds   = 110 // for which the last machine is off
	backSeconds  = 75  // after it is on again
)

func drawPlan(t *rapid.T) plan {
	p := plan{
		Nodes: rapid.SampledFrom([]int{4, 4, 5, 6, 7, 8, 12, 21}).Draw(t, "nodes"), Zones: rapid.IntRange(1, 3).Draw(t, "zones"),
		Last: rapid.IntRange(0, 20).Draw(t, "last"),
	}
	p.Workloads = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) workload {
		return workload{rapid.SampledFrom(loads).Draw(t, "kind"), rapid.IntRange(1, 5).Draw(t, "replicas"), rapid.IntRange(0, 3).Draw(t, "namespace") == 0}
	}), 2, 6).Draw(t, "workloads")
	p.Policies = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) policyPlan {
		return policyPlan{
			Report: rapid.IntRange(0, 4).Draw(t, "report") == 0, Paused: rapid.IntRange(0, 6).Draw(t, "paused") == 0,
			Namespace: rapid.SampledFrom([]string{"", "shop", "shop", "back"}).Draw(t, "of"),
			NotReady:  rapid.SampledFrom([]int{60, 30, 300}).Draw(t, "not ready"), Unreachable: rapid.SampledFrom([]int{60, 30, 120}).Draw(t, "unreachable"),
			WhenOff: rapid.IntRange(0, 3).Draw(t, "when off") > 0, OnSilence: rapid.IntRange(0, 3).Draw(t, "on silence") > 0,
			NotReadyOnSilence: rapid.Bool().Draw(t, "not ready on silence"), SilentAfter: rapid.SampledFrom([]int{4, 4, 3, 10}).Draw(t, "silent after"),
		}
	}), 1, 3).Draw(t, "policies")
	p.Faults = rapid.SliceOfN(rapid.Custom(func(t *rapid.T) fault {
		return fault{
			At:     startSeconds + rapid.IntRange(0, faultSeconds).Draw(t, "at"),
			For:    rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(10, longest)).Draw(t, "for"),
			Target: rapid.OneOf(rapid.IntRange(0, 1), rapid.IntRange(0, 20)).Draw(t, "target"), Kind: rapid.SampledFrom(kinds).Draw(t, "kind"),
		}
	}), 0, 10).Draw(t, "faults")
	if s, drawn := drawSequence(t); drawn {
		p.add(t, s)
	}
	return p
}

// end is how long the run is, in seconds, and faultsEnd when all faults have ended.
func (p plan) end() int { return p.faultsEnd() + settle + offSeconds + backSeconds }

func (p plan) faultsEnd() int {
	end := startSeconds
	for _, f := range p.Faults {
		end = max(end, f.At+f.For)
	}
	return end
}

func (p plan) policies() []v1alpha1.FailoverPolicy {
	var all []v1alpha1.FailoverPolicy
	for i, one := range p.Policies {
		policy := v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("policy-%d", i), Generation: 1}}
		policy.Spec = v1alpha1.FailoverPolicySpec{
			Mode: v1alpha1.ModeAuto, Paused: one.Paused, NotReadySeconds: int32(one.NotReady), UnreachableSeconds: int32(one.Unreachable),
			OutOfService: v1alpha1.OutOfServiceNever, ReplaceOnSilence: v1alpha1.ReplaceNever, NotReadyOnSilence: v1alpha1.NotReadyNever, SilentAfterSeconds: int32(one.SilentAfter),
		}
		if one.Report {
			policy.Spec.Mode = v1alpha1.ModeReport
		}
		if one.Namespace != "" {
			policy.Spec.NamespaceSelector.MatchLabels = map[string]string{corev1.LabelMetadataName: one.Namespace}
		}
		if one.WhenOff {
			policy.Spec.OutOfService = v1alpha1.OutOfServiceWhenOff
		}
		if one.OnSilence {
			policy.Spec.ReplaceOnSilence = v1alpha1.ReplaceReplicated
		}
		if one.NotReadyOnSilence {
			policy.Spec.NotReadyOnSilence = v1alpha1.NotReadyUnreplaced
		}
		all = append(all, policy)
	}
	return all
}
