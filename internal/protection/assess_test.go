package protection_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/protection"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

const never = corev1.PreemptNever

func class(name string, value int32, edits ...func(*schedulingv1.PriorityClass)) *schedulingv1.PriorityClass {
	c := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value, PreemptionPolicy: new(never)}
	for _, edit := range edits {
		edit(c)
	}
	return c
}

func job(name, app, class string, conditions ...batchv1.JobConditionType) *batchv1.Job {
	template := w.Template(app, "1")
	template.Spec.Priority, template.Spec.PriorityClassName = nil, class
	j := &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: batchv1.JobSpec{Template: template}}
	for _, kind := range conditions {
		j.Status.Conditions = append(j.Status.Conditions, batchv1.JobCondition{Type: kind, Status: corev1.ConditionTrue})
	}
	return j
}

func policy(edits ...func(*v1alpha1.HeadroomPolicy)) *v1alpha1.HeadroomPolicy {
	p := &v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: "jobs"}, Spec: v1alpha1.HeadroomPolicySpec{
		Mode:    v1alpha1.ModeAuto,
		Protect: &v1alpha1.HeadroomProtection{PriorityClassName: v1alpha1.HeadroomProtectedClass},
	}}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

// known is a world of which everything is known but some kinds.
func known(unread []cluster.Kind, objects ...runtime.Object) *cluster.Snapshot {
	contents := cluster.Contents{Knowledge: map[cluster.Kind]cluster.Knowledge{}}
	for _, kind := range cluster.Kinds() {
		if contents.Knowledge[kind] = cluster.Complete; slices.Contains(unread, kind) {
			contents.Knowledge[kind] = cluster.Forbidden
		}
	}
	contents.Objects = objects
	return cluster.New(contents)
}

// TestAssess has a class given only where nothing speaks against it.
func TestAssess(t *testing.T) {
	ours := class(v1alpha1.HeadroomProtectedClass, v1alpha1.HeadroomProtectedPriority)
	named := func(name string) func(*v1alpha1.HeadroomPolicy) {
		return func(p *v1alpha1.HeadroomPolicy) { p.Spec.Protect.PriorityClassName = name }
	}
	preempting := func(c *schedulingv1.PriorityClass) { c.PreemptionPolicy = nil }
	byDefault := func(c *schedulingv1.PriorityClass) { c.GlobalDefault = true }
	for name, tc := range map[string]struct {
		policy    *v1alpha1.HeadroomPolicy
		classes   []runtime.Object
		admission protection.Admission
		unread    []cluster.Kind
		vain      []change.NamespacedRef
		status    metav1.ConditionStatus
		reason    string
		given     bool
	}{
		"nothing is in the way":        {status: "True", reason: "Protected", given: true},
		"the class does not exist":     {policy: policy(named("gone")), status: "False", reason: "NoPriorityClass"},
		"a class that preempts":        {classes: []runtime.Object{class(ours.Name, ours.Value, preempting)}, status: "False", reason: "ClassPreempts"},
		"a class of Kubernetes":        {policy: policy(named("system-node-critical")), status: "False", reason: "SystemClass"},
		"a class below the default":    {classes: []runtime.Object{ours, class("high", ours.Value, byDefault)}, status: "False", reason: "ClassTooLow"},
		"a class above the default":    {classes: []runtime.Object{ours, class("low", ours.Value-1, byDefault)}, status: "True", reason: "Protected", given: true},
		"a class below zero":           {classes: []runtime.Object{class(ours.Name, -1)}, status: "False", reason: "ClassTooLow"},
		"mode Report":                  {policy: policy(func(p *v1alpha1.HeadroomPolicy) { p.Spec.Mode = v1alpha1.ModeReport }), status: "False", reason: "ReportOnly"},
		"paused":                       {policy: policy(func(p *v1alpha1.HeadroomPolicy) { p.Spec.Paused = true }), status: "False", reason: "Paused"},
		"an older API server":          {admission: protection.NotServed, status: "False", reason: "NotServed"},
		"no admission policy":          {admission: protection.NotInstalled, status: "False", reason: "NotInstalled"},
		"an unreadable one":            {admission: protection.NotReadable, status: "Unknown", reason: "NotPermitted"},
		"Jobs that cannot be read":     {unread: []cluster.Kind{cluster.Job}, status: "Unknown", reason: "Unread"},
		"classes that cannot be read":  {unread: []cluster.Kind{cluster.PriorityClass}, status: "Unknown", reason: "Unread"},
		"protected Jobs are preempted": {vain: []change.NamespacedRef{{Kind: "Job", Name: "a"}}, status: "False", reason: "TooMany", given: true},
		"a selector that is not valid": {policy: policy(func(p *v1alpha1.HeadroomPolicy) {
			p.Spec.Protect.PodSelector.MatchLabels = map[string]string{"a/b/c": "d"}
		}), status: "False", reason: "InvalidSelector"},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.policy == nil {
				tc.policy = policy()
			}
			if tc.classes == nil {
				tc.classes = []runtime.Object{ours}
			}
			if tc.admission == "" {
				tc.admission = protection.Installed
			}
			a := protection.Assess(known(tc.unread, tc.classes...), tc.policy, tc.admission, tc.vain)
			if a.Protected != tc.status || a.Reason != tc.reason || (a.Status.PriorityClassName != "") != tc.given {
				t.Errorf("it is %s, %s, and gives %q", a.Protected, a.Reason, a.Status.PriorityClassName)
			}
		})
	}
}

// TestCount counts Jobs that have not finished, by the priority that their class gives.
func TestCount(t *testing.T) {
	world := known(nil, class(v1alpha1.HeadroomProtectedClass, v1alpha1.HeadroomProtectedPriority), class("higher", v1alpha1.HeadroomProtectedPriority+1), class("lower", 1),
		job("protected", "report", v1alpha1.HeadroomProtectedClass), job("higher", "report", "higher"), job("own", "report", "lower"), job("plain", "report", ""),
		job("ended", "report", "", batchv1.JobComplete), job("failed", "report", "", batchv1.JobFailed), job("other", "other", ""))
	p := policy(func(p *v1alpha1.HeadroomPolicy) {
		p.Spec.Protect.PodSelector.MatchLabels = map[string]string{"app": "report"}
	})
	a := protection.Assess(world, p, protection.Installed, nil)
	if diff := cmp.Diff([]v1alpha1.HeadroomProtectedWorkloads{{Kind: v1alpha1.ProtectedJob, Protected: 2, Exposed: 2}}, a.Status.Workloads); diff != "" {
		t.Error(diff)
	}
}

// TestKinds counts the workloads of the kinds that the policy has, by what their templates say.
func TestKinds(t *testing.T) {
	given := w.Template("report", "1")
	given.Spec.Priority, given.Spec.PriorityClassName = nil, v1alpha1.HeadroomProtectedClass
	being := w.Deployment("deleted", w.Template("report", "1"), "n1")
	being[0].(*appsv1.Deployment).DeletionTimestamp = &metav1.Time{}
	objects := w.Of(class(v1alpha1.HeadroomProtectedClass, v1alpha1.HeadroomProtectedPriority), job("a", "report", ""),
		w.Deployment("given", given, "n1"), w.Deployment("exposed", w.Template("report", "1"), "n1"), w.Deployment("other", w.Template("web", "1"), "n1"), being,
		w.StatefulSet("db", w.Template("report", "1"), "n1"))
	for name, tc := range map[string]struct {
		kinds []v1alpha1.HeadroomProtectedKind
		want  []v1alpha1.HeadroomProtectedWorkloads
		says  string
	}{
		"by default": {nil, []v1alpha1.HeadroomProtectedWorkloads{{Kind: "Job", Exposed: 1}}, "New Job objects are given the PriorityClass naosu-protected. 1 existing Job has a lower priority"},
		"Deployments": {
			[]v1alpha1.HeadroomProtectedKind{"Deployment"},
			[]v1alpha1.HeadroomProtectedWorkloads{{Kind: "Deployment", Protected: 1, Exposed: 1}},
			"New Deployment objects are given the PriorityClass naosu-protected. 1 existing Deployment or StatefulSet has",
		},
		"all": {
			[]v1alpha1.HeadroomProtectedKind{"StatefulSet", "Deployment", "Job"},
			[]v1alpha1.HeadroomProtectedWorkloads{{Kind: "Job", Exposed: 1}, {Kind: "Deployment", Protected: 1, Exposed: 1}, {Kind: "StatefulSet", Exposed: 1}},
			"New Job, Deployment and StatefulSet objects are given",
		},
	} {
		p := policy(func(p *v1alpha1.HeadroomPolicy) {
			p.Spec.Protect.PodSelector.MatchLabels, p.Spec.Protect.Kinds = map[string]string{"app": "report"}, tc.kinds
		})
		a := protection.Assess(known(nil, objects...), p, protection.Installed, nil)
		if diff := cmp.Diff(tc.want, a.Status.Workloads); diff != "" || !strings.HasPrefix(message.English().Say(a.Why), tc.says) {
			t.Errorf("%s: %s (-want +got):\n%s", name, message.English().Say(a.Why), diff)
		}
	}
	p := policy(func(p *v1alpha1.HeadroomPolicy) {
		p.Spec.Protect.Kinds = []v1alpha1.HeadroomProtectedKind{"Deployment"}
	})
	for kind, want := range map[cluster.Kind]string{cluster.Deployment: "Unread", cluster.ReplicaSet: "Unread", cluster.Job: "Protected", cluster.StatefulSet: "Protected"} {
		if a := protection.Assess(known([]cluster.Kind{kind}, objects...), p, protection.Installed, nil); a.Reason != want {
			t.Errorf("without %s objects: %s, want %s", kind, a.Reason, want)
		}
	}
}

// TestPreempted has a DaemonSet grow on a node that is full: protection is in vain where every other pod on it is protected, too.
func TestPreempted(t *testing.T) {
	grown := func(set w.Objects) w.Objects { // The template requests more than the pod does yet.
		for _, o := range set {
			if pod, is := o.(*corev1.Pod); is {
				pod.Spec.Containers[0].Resources.Requests = w.Template("", "200m").Spec.Containers[0].Resources.Requests
			}
		}
		return set
	}
	for name, tc := range map[string]struct {
		other string
		want  int
		kinds []v1alpha1.HeadroomProtectedKind
	}{
		"another pod is lower": {"web", 0, nil}, "all are protected": {"report", 1, nil}, "others are not protected": {"report", 0, []v1alpha1.HeadroomProtectedKind{"Deployment"}},
		"a Deployment, too": {"report", 1, []v1alpha1.HeadroomProtectedKind{"Deployment", "Job"}},
	} {
		t.Run(name, func(t *testing.T) {
			agent := w.Template("agent", "400m", w.Priority(2_000_000_000))
			objects := w.Of(w.Node("n1", "a", w.CPU("1")), grown(w.DaemonSet("agent", agent, "n1")),
				w.Deployment("a", w.Template("report", "400m"), "n1"), w.Job("b", 0, w.Template(tc.other, "400m"), "n1"))
			if tc.kinds == nil {
				objects = w.Of(w.Node("n1", "a", w.CPU("1")), grown(w.DaemonSet("agent", agent, "n1")),
					w.Job("a", 0, w.Template("report", "400m"), "n1"), w.Job("b", 0, w.Template(tc.other, "400m"), "n1"))
			}
			all := append([]runtime.Object{class(v1alpha1.HeadroomProtectedClass, v1alpha1.HeadroomProtectedPriority)}, objects...)
			p := policy(func(p *v1alpha1.HeadroomPolicy) {
				p.Spec.Protect.PodSelector.MatchLabels, p.Spec.Protect.Kinds = map[string]string{"app": "report"}, tc.kinds
			})
			jobs, err := protection.Preempted(t.Context(), known(nil, all...), p)
			if err != nil || len(jobs) != tc.want {
				t.Errorf("%v are preempted (%v), want %d", jobs, err, tc.want)
			}
		})
	}
}
