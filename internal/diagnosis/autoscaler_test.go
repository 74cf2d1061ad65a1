package diagnosis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
)

// spoken is an Event about the waiting pod of the autoscaler tests, or about a ConfigMap.
type spoken struct {
	by, reason, message string
	ago                 time.Duration
	status              bool // about cluster-autoscaler's ConfigMap
}

// TestAutoscalersAnswer lets autoscalers say different things of a pod that no node has room for.
func TestAutoscalersAnswer(t *testing.T) {
	const ca, upstream = "cluster-autoscaler", "Scale-up failed for group eks-a: VcpuLimitExceeded: You have requested more vCPU capacity than your current vCPU limit of 32 allows"
	asked := func(ago time.Duration) spoken {
		return spoken{by: ca, reason: "TriggeredScaleUp", message: "pod triggered scale-up: [{https://www.googleapis.com/compute/v1/projects/p/zones/z/instanceGroups/gke-x 3->4 (max: 9)} {b 0->1 (max: 2)}]", ago: ago}
	}
	failed := spoken{by: ca, reason: "FailedScaleUp", message: "Node scale up in zones us-central1-c, us-central1-a associated with this pod failed: GCE out of resources, GCE quota exceeded. Pod is at risk of not being scheduled.", ago: 5 * time.Minute}
	refused := func(why string) spoken {
		return spoken{by: ca, reason: "NotTriggerScaleUp", message: "pod didn't trigger scale-up: " + why, ago: time.Minute}
	}
	karpenter := func(by, why string) spoken {
		return spoken{by: by, reason: "FailedScheduling", message: "Failed to schedule pod, " + why, ago: time.Minute}
	}
	const size, raise = "gcloud container clusters resize", "--max-nodes 4"
	for name, tc := range map[string]struct {
		events []spoken
		came   bool
		says   []string
		not    []string
	}{
		"nothing":               {nil, false, []string{size}, []string{"According to"}},
		"a node is asked for":   {[]spoken{asked(3 * time.Minute)}, false, []string{"According to cluster-autoscaler, a node was requested 3m ago: gke-x from 3 to 4 (its maximum is 9) and b from 0 to 1 (its maximum is 2)"}, []string{size, "overdue"}},
		"it is overdue":         {[]spoken{asked(16 * time.Minute)}, false, []string{"is overdue", "requested 16m ago"}, []string{size}},
		"it came, and no good":  {[]spoken{asked(8 * time.Minute)}, true, []string{"Since then node/new has joined, but the pod still has no node", size}, []string{"overdue"}},
		"it failed":             {[]spoken{asked(8 * time.Minute), failed}, false, []string{"the cloud did not provide a node in us-central1-c or us-central1-a: GCE out of resources, GCE quota exceeded.", "gcloud compute regions describe us-central1"}, []string{size, "a node was requested"}},
		"asked again since":     {[]spoken{asked(2 * time.Minute), failed}, false, []string{"a node was requested"}, []string{"did not provide"}},
		"failed, and backs off": {[]spoken{failed, refused("1 in backoff after failed scale-up, 2 Insufficient cpu")}, false, []string{"GCE quota exceeded.", "1 node group is in backoff after a failed scale-up", "2 node groups: Insufficient cpu"}, []string{size}},
		"out of machines":       {[]spoken{{by: ca, reason: "FailedScaleUp", message: "GCE out of resources", ago: time.Minute}}, false, []string{"GCE out of resources"}, []string{"quota", size}},
		"told of the group only": {
			[]spoken{refused("1 in backoff after failed scale-up"), {by: ca, reason: "FailedToScaleUpGroup", message: upstream, ago: 9 * time.Minute, status: true}},
			false,
			[]string{"vCPU limit of 32 allows", "until the quota is raised", "gcloud compute regions describe asia-northeast1"},
			[]string{size},
		},
		"told of the group since": {
			[]spoken{asked(10 * time.Minute), {by: ca, reason: "ScaleUpFailed", message: "Failed adding 1 nodes to group a due to OtherErrorClass.Quota; source errors: Quota 'CPUS' exceeded.  Limit: 24.0 in region us-central1.", ago: 9 * time.Minute, status: true}},
			false,
			[]string{"Quota 'CPUS' exceeded."},
			[]string{"a node was requested", size},
		},
		"told of the group before":  {[]spoken{asked(2 * time.Minute), {by: ca, reason: "ScaleUpTimedOut", message: "Nodes added to group a failed to register within 15m", ago: 9 * time.Minute, status: true}}, false, []string{"a node was requested"}, []string{"failed to register"}},
		"told by somebody else":     {[]spoken{refused("1 in backoff after failed scale-up"), {by: "mallory", reason: "ScaleUpFailed", message: "Quota", ago: time.Minute, status: true}}, false, nil, []string{"Quota"}},
		"all at their maximum":      {[]spoken{refused("1 max node group size reached")}, false, []string{"1 node group is at the maximum size", raise}, []string{size}},
		"at the maximum, and more":  {[]spoken{refused("2 node(s) had untolerated taint {a: 1, 2}, 1 max node group size reached, 1 not ready for scale-up")}, false, []string{"1 node group is at the maximum size (2 node groups: node(s) had untolerated taint {a: 1, 2}; 1 node group is not ready for scale-up)"}, []string{size}},
		"a count beyond all bounds": {[]spoken{refused("99999999999999999999 max node group size reached")}, false, []string{"The autoscaler adds no node"}, nil},
		"the whole cluster":         {[]spoken{refused("max total nodes in cluster reached")}, false, []string{"max total nodes in cluster reached"}, nil},
		"older words":               {[]spoken{{by: ca, reason: "NotTriggerScaleUp", message: "pod didn't trigger scale-up (it wouldn't fit if a new node is added): 1 Insufficient cpu", ago: time.Minute}}, false, []string{"1 node group: Insufficient cpu"}, nil},
		"no words":                  {[]spoken{{by: "", reason: "NotTriggerScaleUp", message: "", ago: time.Minute}}, false, []string{"The autoscaler adds no node"}, nil},
		"a limit":                   {[]spoken{karpenter("karpenter", "all available instance types exceed limits for nodepool (NodePool=gpu-a)")}, false, []string{"nodepool/gpu-a has reached its limits", "kubectl edit nodepool gpu-a"}, nil},
		"a limit, of several": {
			[]spoken{karpenter("eks-auto-mode/compute", `incompatible with nodepool "a", did not tolerate x=y:NoSchedule; node limits have been exhausted for nodepool (NodePool=b)`)},
			false,
			[]string{"According to eks-auto-mode/compute, nodepool/b has reached its limits"},
			nil,
		},
		"a limit, forged":               {[]spoken{karpenter("karpenter", `exceed limits for nodepool: "a; rm -rf /"`)}, false, []string{"no node can be added"}, []string{"kubectl edit"}},
		"a limit, in the scheduler's":   {[]spoken{karpenter("default-scheduler", `exceed limits for nodepool: "a"`)}, false, nil, []string{"nodepool", "According to"}},
		"words of Karpenter's unknown":  {[]spoken{karpenter("karpenter", "something\nnew {{.}} %s")}, false, []string{"According to karpenter, no node can be added: something\nnew {{.}} %s"}, nil},
		"Karpenter expects a NodeClaim": {[]spoken{{by: "karpenter", reason: "Nominated", message: "Pod should schedule on: nodeclaim/a-x7", ago: time.Minute}}, false, []string{"a node was requested 60s ago: Pod should schedule on: nodeclaim/a-x7"}, []string{size}},
	} {
		t.Run(name, func(t *testing.T) {
			objects := slices.DeleteFunc(clustertest.Load(t, "testdata/upstream/google-cloud-containers-126.yaml"), func(o runtime.Object) bool {
				e, ok := o.(*corev1.Event)
				return ok && e.Source.Component != "default-scheduler"
			})
			about := change.Ref{Kind: "Pod", Namespace: "apps", Name: "api-api7d8f9-x2x2x"}
			for _, o := range objects {
				if pod, ok := o.(*corev1.Pod); ok && pod.Name == about.Name {
					for _, said := range tc.events {
						objects = append(objects, said.about(pod))
					}
				}
			}
			if tc.came {
				objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "new", CreationTimestamp: metav1.Time{Time: now.Add(-6 * time.Minute)}}})
			}
			e := diagnosis.Explain(t.Context(), question(t, objects, everything(), &about))
			said := answerOf(e)
			for _, words := range tc.says {
				if !strings.Contains(said, words) {
					t.Errorf("it does not say %q: %s", words, said)
				}
			}
			for _, words := range tc.not {
				if strings.Contains(said, words) {
					t.Errorf("it says %q: %s", words, said)
				}
			}
		})
	}
}

func (s spoken) about(pod *corev1.Pod) *corev1.Event {
	e := &corev1.Event{
		ObjectMeta:     metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name + "." + s.reason},
		InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name, UID: pod.UID},
		Reason:         s.reason, Message: s.message, Source: corev1.EventSource{Component: s.by},
		FirstTimestamp: metav1.Time{Time: now.Add(-s.ago)}, LastTimestamp: metav1.Time{Time: now.Add(-s.ago)},
	}
	if s.status {
		e.Namespace = metav1.NamespaceSystem
		e.InvolvedObject = corev1.ObjectReference{Kind: string(cluster.ConfigMap), Namespace: metav1.NamespaceSystem, Name: "cluster-autoscaler-status"}
	}
	return e
}
