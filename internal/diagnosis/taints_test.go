package diagnosis_test

import (
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// A taint that a controller sets and removes is never to be tolerated or removed; one that a person added may be.
func TestRemediesOfTaints(t *testing.T) {
	for key, want := range map[string]struct{ tolerate, remove bool }{
		"dedicated":                  {true, true},
		corev1.TaintNodeOutOfService: {false, true},

		corev1.TaintNodeUnschedulable:                           {},
		corev1.TaintNodeNotReady:                                {},
		corev1.TaintNodeUnreachable:                             {},
		corev1.TaintNodeDiskPressure:                            {},
		corev1.TaintNodeMemoryPressure:                          {},
		corev1.TaintNodePIDPressure:                             {},
		corev1.TaintNodeNetworkUnavailable:                      {},
		"node.cloudprovider.kubernetes.io/uninitialized":        {},
		kube.TaintNodeShutdown:                                  {},
		kube.TaintToBeDeleted:                                   {},
		kube.TaintDeletionCandidate:                             {},
		kube.TaintDisrupted:                                     {},
		"karpenter.sh/unregistered":                             {},
		"node.cluster.x-k8s.io/uninitialized":                   {},
		"cni.istio.io/not-ready":                                {},
		"node.cilium.io/agent-not-ready":                        {},
		"ebs.csi.aws.com/agent-not-ready":                       {},
		"startup-taint.cluster-autoscaler.kubernetes.io/dns":    {},
		"ignore-taint.cluster-autoscaler.kubernetes.io/dns":     {},
		"readiness.k8s.io/network":                              {},
		"cloud.google.com/impending-node-termination":           {},
		"aws-node-termination-handler/spot-itn":                 {},
		"aws-node-termination-handler/scheduled-maintenance":    {},
		"aws-node-termination-handler/rebalance-recommendation": {},
		"naosu.dev/silent":                                      {},
	} {
		for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute} {
			taint := corev1.Taint{Key: key, Effect: effect}
			explained := explain(t, waitsForTaintedNode(taint), everything())
			tolerate, remove := false, false
			for _, remedy := range remediesOf(explained) {
				tolerate = tolerate || strings.Contains(remedy.Command, "tolerations")
				remove = remove || strings.Contains(remedy.Command, "kubectl taint")
			}
			if tolerate != want.tolerate || remove != want.remove {
				t.Errorf("%s: tolerate is proposed: %v, remove: %v; want %+v", taint.ToString(), tolerate, remove, want)
			}
		}
	}
}

// Where the kind of a taint's owner was not read, nothing is said of whether the owner exists.
func TestOwnersOfTaintsNotRead(t *testing.T) {
	for name, tc := range map[string]struct {
		taint   string
		unread  []cluster.Kind
		says    string
		unknown string
	}{
		"driver":                      {"ebs.csi.aws.com/agent-not-ready", nil, "No DaemonSet ebs-csi-node was found", ""},
		"driver, not read":            {"ebs.csi.aws.com/agent-not-ready", []cluster.Kind{cluster.DaemonSet}, "", "DaemonSet"},
		"agent without a known name":  {"example.com/agent-not-ready", []cluster.Kind{cluster.DaemonSet}, "Check whether it runs there.", ""},
		"cloud controller":            {"node.cloudprovider.kubernetes.io/uninitialized", nil, "No cloud controller manager was found", ""},
		"cloud controller, not read":  {"node.cloudprovider.kubernetes.io/uninitialized", []cluster.Kind{cluster.Deployment, cluster.DaemonSet}, "", "Deployment, DaemonSet"},
		"cloud controller, half read": {"node.cloudprovider.kubernetes.io/uninitialized", []cluster.Kind{cluster.DaemonSet}, "", "DaemonSet"},
	} {
		t.Run(name, func(t *testing.T) {
			known := everything()
			for _, kind := range tc.unread {
				delete(known, kind)
			}
			e := explain(t, waitsForTaintedNode(corev1.Taint{Key: tc.taint, Effect: corev1.TaintEffectNoSchedule}), known)
			said := answerOf(e)
			if !strings.Contains(said, tc.says) || tc.says == "" && strings.Contains(said, "was found") {
				t.Errorf("%q is not said, or that something was not found: %s", tc.says, said)
			}
			gaps := slices.Clone(e.Unknown)
			for _, f := range e.Findings {
				gaps = append(gaps, f.Unknown...)
			}
			if tells := slices.ContainsFunc(gaps, func(g finding.Gap) bool { return g.About == tc.unknown }); tells != (tc.unknown != "") {
				t.Errorf("unknown: %+v, want one about %q", gaps, tc.unknown)
			}
		})
	}
}

// A forecast of a taint does not advise to undo the taint.
func TestForecastOfTaintKeepsIt(t *testing.T) {
	objects := waitsForTaintedNode(corev1.Taint{})
	for _, o := range objects {
		switch o := o.(type) {
		case *corev1.Node:
			o.Spec.Taints = nil
		case *corev1.Pod:
			o.Spec.NodeName = "n0"
			o.Status = corev1.PodStatus{Phase: corev1.PodRunning}
		}
	}
	q := question(t, objects, everything(), nil)
	taint := corev1.Taint{Key: "dedicated", Value: "batch", Effect: corev1.TaintEffectNoExecute}
	forecast, err := diagnosis.Forecast(t.Context(), q, []change.Change{change.Taint{Node: "n0", Taint: taint}}, simulation.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if len(forecast.Outcome.Waiting) != 1 || len(forecast.Findings) == 0 {
		t.Fatalf("the evicted pod does not wait: %+v", forecast)
	}
	for _, f := range forecast.Findings {
		for _, remedy := range f.Remedies {
			if strings.Contains(remedy.Command, "tolerations") || strings.Contains(remedy.Command, "kubectl taint") {
				t.Errorf("the forecast of %s advises: %s", taint.ToString(), remedy.Command)
			}
		}
	}
}

// remediesOf are all remedies of an explanation.
func remediesOf(e finding.Explanation) []finding.Remedy {
	all := e.Remedies
	for _, f := range e.Findings {
		all = append(all, f.Remedies...)
	}
	return all
}

// waitsForTaintedNode is a Deployment's pod that waits, and a ready node that has the taint.
func waitsForTaintedNode(taint corev1.Taint) []runtime.Object {
	controller := true
	spec := corev1.PodSpec{Containers: []corev1.Container{{Name: "web", Image: "web"}}}
	labels := map[string]string{"app": "web"}
	selector := &metav1.LabelSelector{MatchLabels: labels}
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: spec}
	return []runtime.Object{
		&corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Name: "web-1", Namespace: "shop", UID: "web-1", Labels: labels,
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web-r", UID: "web-r", Controller: &controller}},
			},
			Spec: spec,
			Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
				{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonUnschedulable},
			}},
		},
		&appsv1.Deployment{
			ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "web"},
			Spec:       appsv1.DeploymentSpec{Selector: selector, Template: template},
		},
		&appsv1.ReplicaSet{
			ObjectMeta: metav1.ObjectMeta{
				Name: "web-r", Namespace: "shop", UID: "web-r", Labels: labels,
				OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "Deployment", Name: "web", UID: "web", Controller: &controller}},
			},
			Spec: appsv1.ReplicaSetSpec{Selector: selector, Template: template},
		},
		&corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "n0", Labels: map[string]string{corev1.LabelHostname: "n0"}},
			Spec:       corev1.NodeSpec{Taints: []corev1.Taint{taint}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{corev1.ResourcePods: resource.MustParse("10"), corev1.ResourceCPU: resource.MustParse("2")},
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}},
			},
		},
	}
}
