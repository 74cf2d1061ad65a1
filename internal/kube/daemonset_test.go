package kube_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/controller/daemon"
	daemonutil "k8s.io/kubernetes/pkg/controller/daemon/util"

	"github.com/naosu-dev/naosu/internal/kube"
)

func named(operator corev1.NodeSelectorOperator, names ...string) corev1.NodeSelectorRequirement {
	return corev1.NodeSelectorRequirement{Key: metav1.ObjectNameField, Operator: operator, Values: names}
}

func term(fields ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	return corev1.NodeSelectorTerm{MatchFields: fields}
}

func onLinux(fields ...corev1.NodeSelectorRequirement) corev1.NodeSelectorTerm {
	one := term(fields...)
	one.MatchExpressions = []corev1.NodeSelectorRequirement{{Key: corev1.LabelOSStable, Operator: corev1.NodeSelectorOpIn, Values: []string{"linux"}}}
	return one
}

func podWithTerms(terms ...corev1.NodeSelectorTerm) *corev1.Pod {
	pod := &corev1.Pod{}
	pod.Spec.Affinity = &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{
		RequiredDuringSchedulingIgnoredDuringExecution: &corev1.NodeSelector{NodeSelectorTerms: terms},
	}}
	return pod
}

// TestTargetNodeName holds it to the controller's own function, and OnlyNodeName to what the scheduler says of the same pods: terms
// are alternatives to the latter, and the former takes the first.
func TestTargetNodeName(t *testing.T) {
	in, notIn := corev1.NodeSelectorOpIn, corev1.NodeSelectorOpNotIn
	running := podWithTerms(term(named(in, "a")))
	running.Spec.NodeName = "b"
	for name, tc := range map[string]struct {
		pod          *corev1.Pod
		target, only string
	}{
		"no affinity":                 {&corev1.Pod{}, "", ""},
		"no required affinity":        {&corev1.Pod{Spec: corev1.PodSpec{Affinity: &corev1.Affinity{NodeAffinity: &corev1.NodeAffinity{}}}}, "", ""},
		"no terms":                    {podWithTerms(), "", ""},
		"as the controller writes it": {podWithTerms(term(named(in, "a"))), "a", "a"},
		"runs elsewhere":              {running, "b", "b"},
		"any node but one":            {podWithTerms(term(named(notIn, "a"))), "", ""},
		"but one, then one":           {podWithTerms(term(named(notIn, "a"), named(in, "b"))), "b", "b"},
		"two terms, two nodes":        {podWithTerms(term(named(in, "a")), term(named(in, "b"))), "a", ""},
		"two terms, one node":         {podWithTerms(term(named(in, "a")), onLinux(named(in, "a"))), "a", "a"},
		"a term by label first":       {podWithTerms(onLinux(), term(named(in, "a"))), "a", ""},
		"a term by label last":        {podWithTerms(term(named(in, "a")), onLinux()), "a", ""},
		"two nodes in a term":         {podWithTerms(term(named(in, "a", "b"))), "", ""},
		"two nodes, then one":         {podWithTerms(term(named(in, "a", "b")), term(named(in, "c"))), "", ""},
		"one node and another":        {podWithTerms(term(named(in, "a"), named(in, "b"))), "a", ""},
		"one node of two":             {podWithTerms(term(named(in, "a", "b"), named(in, "b"))), "", "b"},
		"another field":               {podWithTerms(term(corev1.NodeSelectorRequirement{Key: "metadata.namespace", Operator: in, Values: []string{"a"}})), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			theirs, _ := daemonutil.GetTargetNodeName(tc.pod) // The name is empty where there is an error.
			if got := kube.TargetNodeName(tc.pod); got != tc.target || got != theirs {
				t.Errorf("target %q, want %q; Kubernetes says %q", got, tc.target, theirs)
			}
			if got := kube.OnlyNodeName(tc.pod); got != tc.only {
				t.Errorf("only node %q, want %q", got, tc.only)
			}
		})
	}
}

func daemonSet(spec corev1.PodSpec) *appsv1.DaemonSet {
	return &appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: corev1.PodTemplateSpec{Spec: spec}}}
}

// TestDaemonPods holds the tolerations of a DaemonSet's pods, and the nodes that it should have pods on, to the controller's own
// functions: each template against each taint.
func TestDaemonPods(t *testing.T) {
	templates := map[string]corev1.PodSpec{
		"plain":               {},
		"on the host network": {HostNetwork: true},
		"tolerates for a minute": {Tolerations: []corev1.Toleration{
			{Key: corev1.TaintNodeUnreachable, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(60))},
			{Key: "dedicated", Operator: corev1.TolerationOpEqual, Value: "batch", Effect: corev1.TaintEffectNoSchedule},
		}},
		"tolerates one twice": {Tolerations: []corev1.Toleration{
			{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(1))},
			{Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: new(int64(2))},
		}},
		"tolerates everything": {Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}},
		"compares numbers":     {Tolerations: []corev1.Toleration{{Key: "level", Operator: corev1.TolerationOpGt, Value: "1"}}},
		"on this node":         {NodeName: "node"},
		"on another node":      {NodeName: "other"},
		"selects a label":      {NodeSelector: map[string]string{"disk": "ssd"}},
		"selects no label":     {NodeSelector: map[string]string{"disk": "hdd"}},
	}
	var taints []corev1.Taint
	for _, key := range []string{
		corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable, corev1.TaintNodeDiskPressure, corev1.TaintNodeMemoryPressure,
		corev1.TaintNodePIDPressure, corev1.TaintNodeUnschedulable, corev1.TaintNodeNetworkUnavailable, corev1.TaintNodeOutOfService,
	} {
		for _, effect := range []corev1.TaintEffect{corev1.TaintEffectNoSchedule, corev1.TaintEffectNoExecute, corev1.TaintEffectPreferNoSchedule} {
			taints = append(taints, corev1.Taint{Key: key, Effect: effect})
		}
	}
	taints = append(taints,
		corev1.Taint{Key: "dedicated", Value: "batch", Effect: corev1.TaintEffectNoSchedule},
		corev1.Taint{Key: "dedicated", Value: "web", Effect: corev1.TaintEffectNoSchedule},
		corev1.Taint{Key: "level", Value: "2", Effect: corev1.TaintEffectNoSchedule},
	)
	should, shouldNot := 0, 0
	for name, template := range templates {
		theirs := template.DeepCopy()
		daemonutil.AddOrUpdateDaemonPodTolerations(theirs)
		before := slices.Clone(template.Tolerations)
		if diff := cmp.Diff(theirs.Tolerations, kube.DaemonTolerations(&template), cmpopts.EquateEmpty()); diff != "" {
			t.Errorf("%s: tolerations (-Kubernetes +naosu):\n%s", name, diff)
		}
		if diff := cmp.Diff(before, template.Tolerations); diff != "" {
			t.Errorf("%s: the template was changed:\n%s", name, diff)
		}
		for _, taint := range taints {
			node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "node", Labels: map[string]string{"disk": "ssd"}}}
			node.Spec.Taints = []corev1.Taint{taint}
			want, _ := daemon.NodeShouldRunDaemonPod(klog.Logger{}, node, daemonSet(*template.DeepCopy()))
			if got := kube.ShouldRunDaemonPod(daemonSet(template), node); got != want {
				t.Errorf("%s, %s: should run is %t, Kubernetes says %t", name, taint.ToString(), got, want)
			}
			if want {
				should++
			} else {
				shouldNot++
			}
		}
	}
	if should == 0 || shouldNot == 0 {
		t.Errorf("%d pairs should run a pod, %d should not: the cases tell nothing apart", should, shouldNot)
	}
}
