package failoverpolicy

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

const (
	notReady    = corev1.TaintNodeNotReady
	unreachable = corev1.TaintNodeUnreachable
)

func tolerate(key string, seconds int64) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
}

// defaults are the tolerations that the API server gives.
func defaults() []corev1.Toleration {
	return []corev1.Toleration{tolerate(notReady, 300), tolerate(unreachable, 300)}
}

func both(seconds int64) []corev1.Toleration {
	return []corev1.Toleration{tolerate(notReady, seconds), tolerate(unreachable, seconds)}
}

func policy(name string, edits ...func(*v1alpha1.FailoverPolicy)) v1alpha1.FailoverPolicy {
	p := v1alpha1.FailoverPolicy{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec:       v1alpha1.FailoverPolicySpec{Mode: v1alpha1.ModeAuto, NotReadySeconds: 40, UnreachableSeconds: 60},
	}
	for _, edit := range edits {
		edit(&p)
	}
	return p
}

func node(name string, edits ...func(*corev1.Node)) *corev1.Node {
	n := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	for _, edit := range edits {
		edit(n)
	}
	return n
}

func tainted(key string, effect corev1.TaintEffect) func(*corev1.Node) {
	return func(n *corev1.Node) { n.Spec.Taints = append(n.Spec.Taints, corev1.Taint{Key: key, Effect: effect}) }
}

func owned(kind, name string) []metav1.OwnerReference {
	return []metav1.OwnerReference{{Kind: kind, Name: name, UID: types.UID(name), Controller: new(true)}}
}

// pod is one of the ReplicaSet web on the node n1, as the API server admits it.
func pod(edits ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", UID: "p1", Labels: map[string]string{"app": "web"}, OwnerReferences: owned("ReplicaSet", "web")},
		Spec:       corev1.PodSpec{NodeName: "n1", Tolerations: defaults()},
		Status:     corev1.PodStatus{Phase: corev1.PodRunning},
	}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

func has(tolerations ...corev1.Toleration) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Tolerations = tolerations }
}

func ownedBy(kind, name string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.OwnerReferences = owned(kind, name) }
}

func meta(name string) metav1.ObjectMeta {
	return metav1.ObjectMeta{Namespace: "shop", Name: name, UID: types.UID(name), Generation: 2}
}

func template(tolerations ...corev1.Toleration) corev1.PodTemplateSpec {
	return corev1.PodTemplateSpec{Spec: corev1.PodSpec{Tolerations: tolerations}}
}

func replicaSet(tolerations ...corev1.Toleration) *appsv1.ReplicaSet {
	return &appsv1.ReplicaSet{ObjectMeta: meta("web"), Spec: appsv1.ReplicaSetSpec{Template: template(tolerations...)}}
}

func statefulSet(observed int64) *appsv1.StatefulSet {
	return &appsv1.StatefulSet{
		ObjectMeta: meta("db"), Spec: appsv1.StatefulSetSpec{Template: template()},
		Status: appsv1.StatefulSetStatus{ObservedGeneration: observed, UpdateRevision: "r2"},
	}
}

func revision(of string) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Labels = map[string]string{appsv1.ControllerRevisionHashLabelKey: of} }
}

func worldOf(objects ...runtime.Object) *cluster.Snapshot {
	return cluster.New(cluster.Contents{Objects: objects})
}

// What is compared of an Assessment.
type assessed struct {
	State   State
	Reason  Reason
	Changes []Change
}

var (
	due        = assessed{State: Due, Changes: []Change{{notReady, 40}, {unreachable, 60}}}
	waiting    = assessed{State: Waiting, Changes: due.Changes}
	covered    = assessed{State: Covered}
	isExplicit = assessed{State: Explicit}
)

func unsupported(reason Reason) assessed { return assessed{State: Unsupported, Reason: reason} }

func TestAssess(t *testing.T) {
	healthy := node("n1")
	exists := func(key string, effect corev1.TaintEffect) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: effect}
	}
	forever := exists(unreachable, corev1.TaintEffectNoExecute)
	for name, tc := range map[string]struct {
		pod   *corev1.Pod
		owner runtime.Object
		node  *corev1.Node
		want  assessed
	}{
		"defaults":                             {pod(), replicaSet(), healthy, due},
		"one is changed already":               {pod(has(tolerate(notReady, 40), tolerate(unreachable, 300))), replicaSet(), healthy, assessed{State: Due, Changes: due.Changes[1:]}},
		"both are changed already":             {pod(has(tolerate(notReady, 40), tolerate(unreachable, 60))), replicaSet(), healthy, covered},
		"an earlier policy's, shorter":         {pod(has(both(30)...)), replicaSet(), healthy, due},
		"behind others":                        {pod(has(append([]corev1.Toleration{exists("gpu", "")}, defaults()...)...)), replicaSet(), healthy, due},
		"a Job's":                              {pod(ownedBy("Job", "once")), &batchv1.Job{ObjectMeta: meta("once")}, healthy, due},
		"a ReplicationController's":            {pod(ownedBy("ReplicationController", "rc")), &corev1.ReplicationController{ObjectMeta: meta("rc"), Spec: corev1.ReplicationControllerSpec{Template: new(template())}}, healthy, due},
		"a ReplicationController without any":  {pod(ownedBy("ReplicationController", "rc")), &corev1.ReplicationController{ObjectMeta: meta("rc")}, healthy, unsupported(UnknownOwner)},
		"the node is tainted":                  {pod(), replicaSet(), node("n1", tainted(notReady, corev1.TaintEffectNoExecute)), waiting},
		"the node is tainted for scheduling":   {pod(), replicaSet(), node("n1", tainted(unreachable, corev1.TaintEffectNoSchedule)), waiting},
		"the node has another taint":           {pod(), replicaSet(), node("n1", tainted("gpu", corev1.TaintEffectNoExecute)), due},
		"the node is not Ready, not tainted":   {pod(), replicaSet(), node("n1", func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionFalse }), waiting},
		"the node has never reported":          {pod(), replicaSet(), node("n1", func(n *corev1.Node) { n.Status.Conditions = nil }), waiting},
		"the node is deleted":                  {pod(), replicaSet(), node("n1", func(n *corev1.Node) { n.DeletionTimestamp = &metav1.Time{} }), waiting},
		"the node is gone":                     {pod(), replicaSet(), node("n2"), waiting},
		"no node yet":                          {pod(func(p *corev1.Pod) { p.Spec.NodeName = "" }), replicaSet(), healthy, waiting},
		"covered on a failed node":             {pod(has(tolerate(notReady, 40), tolerate(unreachable, 60))), replicaSet(), node("n1", tainted(notReady, corev1.TaintEffectNoExecute)), covered},
		"bare":                                 {pod(func(p *corev1.Pod) { p.OwnerReferences = nil }), replicaSet(), healthy, unsupported(BarePod)},
		"an owner that does not control":       {pod(func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil }), replicaSet(), healthy, unsupported(BarePod)},
		"static":                               {pod(ownedBy("Node", "n1"), func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }), replicaSet(), healthy, unsupported(StaticPod)},
		"a DaemonSet's":                        {pod(ownedBy("DaemonSet", "web")), replicaSet(), healthy, unsupported(DaemonSetPod)},
		"a DaemonSet's, that is gone":          {pod(ownedBy("DaemonSet", "gone")), replicaSet(), healthy, unsupported(DaemonSetPod)},
		"the owner is gone":                    {pod(ownedBy("ReplicaSet", "gone")), replicaSet(), healthy, unsupported(UnknownOwner)},
		"another owner of that name":           {pod(func(p *corev1.Pod) { p.OwnerReferences[0].UID = "another" }), replicaSet(), healthy, unsupported(UnknownOwner)},
		"an owner of an unknown kind":          {pod(ownedBy("SparkApplication", "web")), replicaSet(), healthy, unsupported(UnknownOwner)},
		"a StatefulSet's":                      {pod(ownedBy("StatefulSet", "db"), revision("r2")), statefulSet(2), healthy, due},
		"a StatefulSet's, of another revision": {pod(ownedBy("StatefulSet", "db"), revision("r1")), statefulSet(2), healthy, unsupported(UnknownTemplate)},
		"a StatefulSet just changed":           {pod(ownedBy("StatefulSet", "db"), revision("r2")), statefulSet(1), healthy, unsupported(UnknownTemplate)},
		"a StatefulSet's without a revision":   {pod(ownedBy("StatefulSet", "db")), statefulSet(2), healthy, unsupported(UnknownTemplate)},
		"explicit 300":                         {pod(), replicaSet(defaults()...), healthy, isExplicit},
		"explicit 300, shortened at admission": {pod(has(both(60)...)), replicaSet(defaults()...), healthy, assessed{State: Due, Changes: []Change{{notReady, 300}, {unreachable, 300}}}},
		"explicit 120":                         {pod(has(both(120)...)), replicaSet(both(120)...), healthy, isExplicit},
		"explicit 120, but the pod has 60":     {pod(has(both(60)...)), replicaSet(both(120)...), healthy, isExplicit},
		"explicit 0":                           {pod(has(both(0)...)), replicaSet(both(0)...), healthy, isExplicit},
		"explicit for ever":                    {pod(has(exists(notReady, corev1.TaintEffectNoExecute), forever)), replicaSet(exists(notReady, corev1.TaintEffectNoExecute), forever), healthy, isExplicit},
		"explicit for all taints":              {pod(has(exists("", ""))), replicaSet(exists("", "")), healthy, isExplicit},
		"explicit for all NoExecute taints":    {pod(has(exists("", corev1.TaintEffectNoExecute))), replicaSet(exists("", corev1.TaintEffectNoExecute)), healthy, isExplicit},
		"explicit without an effect":           {pod(has(exists(unreachable, ""), tolerate(notReady, 300))), replicaSet(exists(unreachable, "")), healthy, assessed{State: Due, Changes: due.Changes[:1]}},
		"only for scheduling is not explicit":  {pod(has(append([]corev1.Toleration{exists("", corev1.TaintEffectNoSchedule)}, defaults()...)...)), replicaSet(exists("", corev1.TaintEffectNoSchedule)), healthy, due},
		"one is explicit, one covered":         {pod(has(tolerate(notReady, 300), tolerate(unreachable, 60))), replicaSet(tolerate(notReady, 300)), healthy, covered},
		"explicit for a value":                 {pod(has(corev1.Toleration{Key: unreachable, Operator: corev1.TolerationOpEqual, Value: "x"}, tolerate(notReady, 40))), replicaSet(corev1.Toleration{Key: unreachable, Operator: corev1.TolerationOpEqual, Value: "x"}), healthy, covered},
		"a webhook's for ever":                 {pod(has(forever, tolerate(notReady, 40))), replicaSet(), healthy, unsupported(UnknownToleration)},
		"a webhook's for ever, behind":         {pod(has(append(defaults(), exists("", ""))...)), replicaSet(), healthy, due},
		"a webhook's for ever, before":         {pod(has(append([]corev1.Toleration{exists("", "")}, defaults()...)...)), replicaSet(), healthy, unsupported(UnknownToleration)},
		"a webhook's 600":                      {pod(has(both(600)...)), replicaSet(), healthy, unsupported(UnknownToleration)},
		"a webhook's 0":                        {pod(has(both(0)...)), replicaSet(), healthy, unsupported(UnknownToleration)},
		"a webhook's -1":                       {pod(has(both(-1)...)), replicaSet(), healthy, unsupported(UnknownToleration)},
		"two of one key, the first decides":    {pod(has(tolerate(unreachable, 60), tolerate(unreachable, 300), tolerate(notReady, 40))), replicaSet(), healthy, covered},
		"two of one key, the first for ever":   {pod(has(forever, tolerate(unreachable, 300), tolerate(notReady, 40))), replicaSet(), healthy, unsupported(UnknownToleration)},
		"none, with the admission plugin off":  {pod(has()), replicaSet(), healthy, unsupported(UnknownToleration)},
		"one is changed, one cannot be":        {pod(has(tolerate(notReady, 300), forever)), replicaSet(), healthy, assessed{State: Due, Changes: due.Changes[:1]}},
	} {
		t.Run(name, func(t *testing.T) {
			before := tc.pod.DeepCopy()
			all := Assess(worldOf(tc.pod, tc.owner, tc.node), []v1alpha1.FailoverPolicy{policy("a")})
			if len(all) != 1 {
				t.Fatalf("%d pods are assessed", len(all))
			}
			if diff := cmp.Diff(tc.want, assessed{all[0].State, all[0].Reason, all[0].Changes}); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(before, tc.pod); diff != "" {
				t.Errorf("the pod was modified: %s", diff)
			}
		})
	}
}

func TestWhichPolicyDecides(t *testing.T) {
	report := func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }
	paused := func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }
	of := func(app string) func(*v1alpha1.FailoverPolicy) {
		return func(p *v1alpha1.FailoverPolicy) { p.Spec.PodSelector.MatchLabels = map[string]string{"app": app} }
	}
	in := func(team string) func(*v1alpha1.FailoverPolicy) {
		return func(p *v1alpha1.FailoverPolicy) {
			p.Spec.NamespaceSelector.MatchLabels = map[string]string{"team": team}
		}
	}
	invalid := func(p *v1alpha1.FailoverPolicy) { p.Spec.PodSelector.MatchLabels = map[string]string{"a role": "x"} }
	shop := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop", Labels: map[string]string{"team": "sales"}}}
	for name, tc := range map[string]struct {
		pod      *corev1.Pod
		policies []v1alpha1.FailoverPolicy
		want     string
	}{
		"none":                             {pod(), nil, ""},
		"the first by name":                {pod(), []v1alpha1.FailoverPolicy{policy("b"), policy("a")}, "a"},
		"one that acts before others":      {pod(), []v1alpha1.FailoverPolicy{policy("a", report), policy("b", paused), policy("c")}, "c"},
		"none acts":                        {pod(), []v1alpha1.FailoverPolicy{policy("b", report), policy("a", paused)}, "a"},
		"the first does not select it":     {pod(), []v1alpha1.FailoverPolicy{policy("a", of("api")), policy("b", of("web"))}, "b"},
		"nor the namespace":                {pod(), []v1alpha1.FailoverPolicy{policy("a", in("ops")), policy("b", in("sales"))}, "b"},
		"both selectors must select":       {pod(), []v1alpha1.FailoverPolicy{policy("a", in("sales"), of("api"))}, ""},
		"an invalid selector selects none": {pod(), []v1alpha1.FailoverPolicy{policy("a", invalid)}, ""},
		"an ended pod":                     {pod(func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }), []v1alpha1.FailoverPolicy{policy("a")}, ""},
		"a pod that is being deleted":      {pod(func(p *corev1.Pod) { p.DeletionTimestamp = &metav1.Time{} }), []v1alpha1.FailoverPolicy{policy("a")}, ""},
		"a namespace that is not known":    {pod(func(p *corev1.Pod) { p.Namespace = "other" }), []v1alpha1.FailoverPolicy{policy("a", in("sales")), policy("b")}, "b"},
	} {
		t.Run(name, func(t *testing.T) {
			got := ""
			for _, a := range Assess(worldOf(shop, tc.pod, replicaSet(), node("n1")), tc.policies) {
				got += a.Policy.Name
			}
			if got != tc.want {
				t.Errorf("%q decides, want %q", got, tc.want)
			}
		})
	}
}

// Once the changes are made, nothing is left to be done, whatever a pod's tolerations are.
func TestChangesConverge(t *testing.T) {
	kinds := []corev1.Toleration{
		tolerate(notReady, 300), tolerate(notReady, 30), tolerate(unreachable, 300), tolerate(unreachable, 0), tolerate("", 300), tolerate("", 60),
		{Key: unreachable, Operator: corev1.TolerationOpExists},
		{Operator: corev1.TolerationOpExists},
		{Key: notReady, Value: "x", Effect: corev1.TaintEffectNoExecute},
	}
	var lists [][]corev1.Toleration
	for i := range kinds {
		lists = append(lists, kinds[i:i+1])
		for j := range kinds {
			lists = append(lists, []corev1.Toleration{kinds[i], kinds[j]})
		}
	}
	for _, of := range append(lists, nil) {
		for _, list := range append(lists, nil) {
			p := pod(func(p *corev1.Pod) {
				for i := range list {
					p.Spec.Tolerations = append(p.Spec.Tolerations[:i], *list[i].DeepCopy())
				}
			})
			world := worldOf(replicaSet(of...), node("n1"), p)
			for _, c := range Assess(world, []v1alpha1.FailoverPolicy{policy("a")})[0].Changes {
				if c.Seconds != 40 && c.Seconds != 60 && c.Seconds != 300 {
					t.Fatalf("%v, %v: %v", of, list, c)
				}
				p.Spec.Tolerations[Index(p.Spec.Tolerations, c.Key)].TolerationSeconds = &c.Seconds
			}
			if left := Assess(world, []v1alpha1.FailoverPolicy{policy("a")})[0]; len(left.Changes) > 0 {
				t.Fatalf("template %v, pod %v: still to do: %v", of, list, left.Changes)
			}
		}
	}
}

func TestCount(t *testing.T) {
	a, b := policy("a"), policy("b")
	all := []Assessment{{Policy: &a, State: Due}, {Policy: &a, State: Covered}, {Policy: &b, State: Due}, {Policy: &a, State: Due}}
	if diff := cmp.Diff(map[State]int32{Due: 2, Covered: 1}, Count(all, "a")); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// BenchmarkAssess assesses 10,000 pods under three policies, as the controller does whenever something has changed.
func BenchmarkAssess(b *testing.B) {
	world := clustertest.Big(1000, 10_000)
	var policies []v1alpha1.FailoverPolicy
	for i := range 3 {
		policies = append(policies, policy(fmt.Sprint(i), func(p *v1alpha1.FailoverPolicy) {
			if i < 2 {
				p.Spec.PodSelector.MatchLabels = map[string]string{"app": fmt.Sprint(i)}
			}
		}))
	}
	pods := 0
	for b.Loop() {
		pods = len(Assess(world, policies))
	}
	b.ReportMetric(float64(pods), "pods")
}
