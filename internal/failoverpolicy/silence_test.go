package failoverpolicy

import (
	"fmt"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func onSilence(after int32) func(*v1alpha1.FailoverPolicy) {
	return func(p *v1alpha1.FailoverPolicy) {
		p.Spec.ReplaceOnSilence, p.Spec.SilentAfterSeconds = v1alpha1.ReplaceReplicated, after
	}
}

func replicas(n int32) *appsv1.ReplicaSet {
	set := replicaSet()
	set.Spec.Replicas = &n
	return set
}

func volume(source corev1.VolumeSource) func(*corev1.Pod) {
	return func(p *corev1.Pod) { p.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: source}} }
}

func TestOnSilenceReplaced(t *testing.T) {
	three := replicas(3)
	ofDeployment := func(desired, now int32) []runtime.Object {
		set := replicas(now)
		set.OwnerReferences = owned("Deployment", "web")
		return []runtime.Object{set, &appsv1.Deployment{ObjectMeta: meta("web"), Spec: appsv1.DeploymentSpec{Replicas: &desired}}}
	}
	for name, tc := range map[string]struct {
		pod    func(*corev1.Pod)
		owners []runtime.Object
		policy func(*v1alpha1.FailoverPolicy)
		quiet  time.Duration
		want   bool
	}{
		"a replica":                     {want: true},
		"in mode Report":                {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Mode = v1alpha1.ModeReport }, want: true},
		"not silent for long enough":    {quiet: 4*time.Second - 1},
		"a policy that waits longer":    {policy: onSilence(5)},
		"never":                         {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.ReplaceOnSilence = v1alpha1.ReplaceNever }},
		"stored by an older version":    {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.ReplaceOnSilence = "" }},
		"paused":                        {policy: func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }},
		"on another node":               {pod: func(p *corev1.Pod) { p.Spec.NodeName = "n2" }},
		"being deleted":                 {pod: func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }},
		"ended":                         {pod: func(p *corev1.Pod) { p.Status.Phase = corev1.PodFailed }},
		"a bare pod":                    {pod: func(p *corev1.Pod) { p.OwnerReferences = nil }},
		"of a StatefulSet":              {pod: ownedBy("StatefulSet", "web"), owners: []runtime.Object{statefulSet(1)}},
		"of a DaemonSet":                {pod: ownedBy("DaemonSet", "web")},
		"of a Job":                      {pod: ownedBy("Job", "web")},
		"its ReplicaSet is gone":        {owners: []runtime.Object{}},
		"the only replica":              {owners: []runtime.Object{replicas(1)}},
		"no number of replicas":         {owners: []runtime.Object{replicaSet()}},
		"of a Deployment":               {owners: ofDeployment(2, 1), want: true},
		"the only one of a Deployment":  {owners: ofDeployment(1, 2)},
		"with a claim":                  {pod: volume(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}})},
		"with a claim of its own":       {pod: volume(corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}})},
		"with an empty folder":          {pod: volume(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}), want: true},
		"with a device":                 {pod: func(p *corev1.Pod) { p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}} }},
		"it tolerates everything":       {pod: has(corev1.Toleration{Operator: corev1.TolerationOpExists})},
		"it tolerates a node not ready": {pod: has(defaults()...), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			edit := tc.pod
			if edit == nil {
				edit = func(*corev1.Pod) {}
			}
			owners := tc.owners
			if owners == nil {
				owners = []runtime.Object{three}
			}
			set := []func(*v1alpha1.FailoverPolicy){onSilence(4)}
			if tc.policy != nil {
				set = append(set, tc.policy)
			}
			quiet := tc.quiet
			if quiet == 0 {
				quiet = 4 * time.Second
			}
			world := worldOf(append(owners, node("n1"), node("n2"), pod(edit))...)
			got, _ := OnSilence(world, []v1alpha1.FailoverPolicy{policy("web", set...)}, "n1", quiet)
			if is := len(got) == 1; is != tc.want {
				t.Errorf("replacements %v, want one: %t", got, tc.want)
			}
		})
	}
}

func TestOnSilenceUnready(t *testing.T) {
	ready := func(p *corev1.Pod) {
		p.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	}
	unready := func(p *v1alpha1.FailoverPolicy) { p.Spec.NotReadyOnSilence = v1alpha1.NotReadyUnreplaced }
	set := func(edit func(*v1alpha1.FailoverPolicySpec)) func(*v1alpha1.FailoverPolicy) {
		return func(p *v1alpha1.FailoverPolicy) { edit(&p.Spec) }
	}
	for name, tc := range map[string]struct {
		pod    func(*corev1.Pod)
		policy func(*v1alpha1.FailoverPolicy)
		quiet  time.Duration
		want   bool
	}{
		"of a StatefulSet":                  {want: true},
		"of a DaemonSet":                    {pod: ownedBy("DaemonSet", "web"), want: true},
		"of a Job":                          {pod: ownedBy("Job", "web"), want: true},
		"a bare pod":                        {pod: func(p *corev1.Pod) { p.OwnerReferences = nil }, want: true},
		"replaced":                          {pod: ownedBy("ReplicaSet", "web")},
		"could be replaced, but is not":     {pod: ownedBy("ReplicaSet", "web"), policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.ReplaceOnSilence = v1alpha1.ReplaceNever }), want: true},
		"not ready":                         {pod: func(p *corev1.Pod) { p.Status.Conditions[0].Status = corev1.ConditionFalse }},
		"without conditions":                {pod: func(p *corev1.Pod) { p.Status.Conditions = nil }},
		"being deleted":                     {pod: func(p *corev1.Pod) { p.DeletionTimestamp = new(metav1.Now()) }},
		"ended":                             {pod: func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }},
		"on another node":                   {pod: func(p *corev1.Pod) { p.Spec.NodeName = "n2" }},
		"not silent for long enough":        {quiet: 4*time.Second - 1},
		"in mode Report":                    {policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.Mode = v1alpha1.ModeReport }), want: true},
		"paused":                            {policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.Paused = true })},
		"never":                             {policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.NotReadyOnSilence = v1alpha1.NotReadyNever })},
		"stored by an older version":        {policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.NotReadyOnSilence = "" })},
		"of a namespace not selected":       {pod: func(p *corev1.Pod) { p.Namespace = "elsewhere" }, policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.PodSelector.MatchLabels = map[string]string{"x": "y"} })},
		"a policy that replaces no pod":     {policy: set(func(s *v1alpha1.FailoverPolicySpec) { s.ReplaceOnSilence = v1alpha1.ReplaceNever }), want: true},
		"its own claim holds a StatefulSet": {pod: volume(corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}), want: true},
	} {
		t.Run(name, func(t *testing.T) {
			edits := []func(*corev1.Pod){ownedBy("StatefulSet", "web"), ready}
			if tc.pod != nil {
				edits = append(edits, tc.pod)
			}
			policies := []func(*v1alpha1.FailoverPolicy){onSilence(4), unready}
			if tc.policy != nil {
				policies = append(policies, tc.policy)
			}
			quiet := tc.quiet
			if quiet == 0 {
				quiet = 4 * time.Second
			}
			world := worldOf(node("n1"), node("n2"), replicas(3), statefulSet(3), pod(edits...))
			_, got := OnSilence(world, []v1alpha1.FailoverPolicy{policy("web", policies...)}, "n1", quiet)
			if is := len(got) == 1; is != tc.want {
				t.Errorf("set not ready %v, want one: %t", got, tc.want)
			}
		})
	}
}

func TestSilentAfter(t *testing.T) {
	unready := func(p *v1alpha1.FailoverPolicy) {
		p.Spec.NotReadyOnSilence, p.Spec.SilentAfterSeconds = v1alpha1.NotReadyUnreplaced, 5
	}
	paused := func(p *v1alpha1.FailoverPolicy) { p.Spec.Paused = true }
	for _, tc := range []struct {
		policies []v1alpha1.FailoverPolicy
		want     time.Duration
	}{
		{nil, 0},
		{[]v1alpha1.FailoverPolicy{policy("a")}, 0},
		{[]v1alpha1.FailoverPolicy{policy("a", onSilence(10)), policy("b", onSilence(6)), policy("c")}, 6 * time.Second},
		{[]v1alpha1.FailoverPolicy{policy("a", onSilence(10)), policy("b", onSilence(6), paused)}, 10 * time.Second},
		{[]v1alpha1.FailoverPolicy{policy("a", onSilence(10)), policy("b", unready)}, 5 * time.Second},
	} {
		if got := SilentAfter(tc.policies); got != tc.want {
			t.Errorf("%v, want %v", got, tc.want)
		}
	}
}

func TestSpoke(t *testing.T) {
	declared := Declaration{By: "failoverpolicy/web", BootID: "b1", RenewTime: new(metav1.NewMicroTime(start))}
	for name, tc := range map[string]struct {
		declared Declaration
		node     func(*corev1.Node)
		lease    *coordinationv1.Lease
		want     bool
	}{
		"silent":                      {declared, nil, lease(start), false},
		"silent, and not ready yet":   {declared, ready(corev1.ConditionUnknown), lease(start), false},
		"booted":                      {declared, func(n *corev1.Node) { n.Status.NodeInfo.BootID = "b2" }, lease(start), true},
		"renewed":                     {declared, nil, lease(start.Add(time.Microsecond)), true},
		"renewed, its clock set back": {declared, nil, lease(start.Add(-time.Hour)), true},
		"its Lease is gone":           {declared, nil, nil, false},
		"had no Lease, and has one":   {Declaration{By: "x", BootID: "b1"}, nil, lease(start), true},
		"it cannot be read":           {Declaration{}, nil, lease(start), true},
		"nor read, and is not ready":  {Declaration{}, ready(corev1.ConditionUnknown), lease(start), false},
	} {
		n := node("n1", ready(corev1.ConditionTrue), func(n *corev1.Node) { n.Status.NodeInfo.BootID = "b1" })
		if tc.node != nil {
			tc.node(n)
		}
		if got := tc.declared.Spoke(n, tc.lease); got != tc.want {
			t.Errorf("%s: %t, want %t", name, got, tc.want)
		}
	}
}

// Where many nodes fail at the same time, it is not this node that has failed.
func TestSilenceObstacle(t *testing.T) {
	const zones = 3
	for name, tc := range map[string]struct {
		nodes, notReady, silent int // notReady are in the zone of the silent node, silent elsewhere
		want                    string
	}{
		"nothing else":                    {nodes: 9},
		"two of two others are not ready": {nodes: 9, notReady: 2},
		"three of four others":            {nodes: 15, notReady: 3, want: "3 of the 4 other nodes"},
		"three of six others":             {nodes: 21, notReady: 3},
		"another is silent":               {nodes: 9, silent: 1, want: "1 other nodes are silent"},
		"another of twenty-one is silent": {nodes: 21, silent: 1},
		"two others of twenty-one":        {nodes: 21, silent: 2, want: "2 other nodes are silent"},
	} {
		var all []runtime.Object
		notReady, silent := tc.notReady, tc.silent
		for i := range tc.nodes {
			n := node(fmt.Sprintf("n%02d", i), ready(corev1.ConditionTrue))
			n.Labels = map[string]string{corev1.LabelTopologyZone: fmt.Sprintf("z%d", i%zones)}
			switch {
			case i%zones == 0 && i > 0 && notReady > 0:
				ready(corev1.ConditionUnknown)(n)
				notReady--
			case i%zones == 1 && silent > 0:
				n.Annotations = map[string]string{SilentAnnotation: "{}"}
				silent--
			}
			all = append(all, n)
		}
		world := worldOf(all...)
		got := SilenceObstacle(world, world.Node("n00"))
		if (got == "") != (tc.want == "") || !strings.Contains(got, tc.want) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
