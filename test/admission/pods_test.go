package admission

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

const (
	notReady    = corev1.TaintNodeNotReady
	unreachable = corev1.TaintNodeUnreachable
)

// web is a pod of a ReplicaSet, or one that says so.
func web(name string, edits ...func(*corev1.Pod)) *corev1.Pod {
	p := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: "default", Name: name, Labels: map[string]string{"app": "web"},
			OwnerReferences: []metav1.OwnerReference{{APIVersion: "apps/v1", Kind: "ReplicaSet", Name: "web", UID: "u", Controller: new(true)}},
		},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	for _, edit := range edits {
		edit(p)
	}
	return p
}

func exactly(key string, seconds int64) corev1.Toleration {
	return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
}

// secondsOf are the tolerationSeconds of a pod, in the order of the taints; -1 where there are none.
func secondsOf(p *corev1.Pod) string {
	var all []string
	for _, key := range failoverpolicy.Taints {
		seconds := int64(-1)
		for _, t := range p.Spec.Tolerations {
			if t.Key == key && t.TolerationSeconds != nil {
				seconds = *t.TolerationSeconds
			}
		}
		all = append(all, fmt.Sprint(seconds))
	}
	return strings.Join(all, " ")
}

// The controller has every right on pods here that RBAC can give.
func TestPods(t *testing.T) {
	b := newFixture(t)
	b.serviceAccount(t, "default")
	const (
		noPod, noSpec, noMetadata = "makes no pods", "nothing but tolerations", "of a pod's metadata the controller writes nothing"
		noToleration              = "nothing but the tolerationSeconds of"
		first                     = `{"key":"node.kubernetes.io/not-ready","operator":"Exists","effect":"NoExecute","tolerationSeconds":%s}`
		second                    = `{"key":"node.kubernetes.io/unreachable","operator":"Exists","effect":"NoExecute","tolerationSeconds":%s}`
		gpu                       = `{"key":"gpu","operator":"Exists","effect":"NoExecute","tolerationSeconds":%s}`
	)
	tolerations := func(a, b, c string, more ...string) string {
		list := append([]string{fmt.Sprintf(gpu, c), fmt.Sprintf(first, a), fmt.Sprintf(second, b)}, more...)
		return `{"spec":{"tolerations":[` + strings.Join(list, ",") + `]}}`
	}
	for name, tc := range map[string]struct{ patch, why string }{
		"both":                       {tolerations("60", "30", "7"), ""},
		"as they are":                {tolerations("300", "300", "7"), ""},
		"below the bounds":           {tolerations("29", "60", "7"), noToleration},
		"beyond the bounds":          {tolerations("301", "60", "7"), noToleration},
		"for ever":                   {tolerations("null", "60", "7"), noToleration},
		"at once":                    {tolerations("60", "0", "7"), noToleration},
		"another taint":              {tolerations("60", "60", "60"), noToleration},
		"one more":                   {tolerations("60", "60", "7", `{"key":"more","operator":"Exists"}`), noToleration},
		"one more of the same taint": {tolerations("60", "60", "7", fmt.Sprintf(first, "60")), noToleration},
		"one for everything":         {tolerations("60", "60", "7", `{"operator":"Exists"}`), noToleration},
		"a label":                    {`{"metadata":{"labels":{"a":"b"}}}`, noMetadata},
		"a label taken away":         {`{"metadata":{"labels":null}}`, noMetadata},
		"an annotation":              {`{"metadata":{"annotations":{"a":"b"}}}`, noMetadata},
		"a finalizer":                {`{"metadata":{"finalizers":["a.example/b"]}}`, noMetadata},
		"its owner":                  {`{"metadata":{"ownerReferences":null}}`, noMetadata},
		"a deadline":                 {`{"spec":{"activeDeadlineSeconds":1}}`, noSpec},
		"both and a label":           {`{"metadata":{"labels":{"a":"b"}},` + tolerations("60", "60", "7")[1:], noMetadata},
		"its status, which is lost":  {`{"status":{"phase":"Failed"}}`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			pod := web("p-"+strings.ReplaceAll(strings.ReplaceAll(name, " ", "-"), ",", ""), func(p *corev1.Pod) {
				p.Spec.Tolerations = []corev1.Toleration{exactly("gpu", 7), exactly(notReady, 300), exactly(unreachable, 300)}
			})
			b.create(t, pod)
			wantRefused(t, b.as(t, controller).Patch(t.Context(), pod.DeepCopy(), merge(tc.patch)), tc.why)
		})
	}
	asController := b.as(t, controller)
	pod := web("other")
	b.create(t, pod)
	wantRefused(t, asController.Patch(t.Context(), pod.DeepCopy(), jsonPatch(`[{"op":"replace","path":"/spec/containers/0/image","value":"j"}]`)), noSpec)
	wantRefused(t, asController.Create(t.Context(), web("new"), client.DryRunAll), noPod)
	wantRefused(t, asController.SubResource("ephemeralcontainers").Patch(t.Context(), pod.DeepCopy(), merge(`{"spec":{"ephemeralContainers":[{"name":"e","image":"i"}]}}`), client.DryRunAll), noPod)
	eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: pod.Namespace, Name: pod.Name}}
	if err := asController.SubResource("eviction").Create(t.Context(), pod.DeepCopy(), eviction); err != nil {
		t.Errorf("an eviction: %v", err)
	}
	if err := b.admin.Patch(t.Context(), web("p-both"), merge(`{"metadata":{"labels":{"a":"b"}}}`), client.DryRunAll); err != nil {
		t.Errorf("an administrator's patch: %v", err)
	}
}

// Of the status of a pod the controller writes only that the pod is not ready.
func TestPodStatus(t *testing.T) {
	b := newFixture(t)
	b.serviceAccount(t, "default")
	const noStatus = "of a pod's status the controller writes nothing"
	pod := web("status", func(p *corev1.Pod) { p.Spec.NodeName = "played" }) // The scheduler leaves its conditions alone.
	b.create(t, pod)
	pod.Status.Phase = corev1.PodRunning
	pod.Status.Conditions = []corev1.PodCondition{
		{Type: corev1.PodScheduled, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()},
		{Type: corev1.PodReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.Now()},
		{Type: corev1.ContainersReady, Status: corev1.ConditionFalse, Reason: "Played", LastTransitionTime: metav1.Now()},
	}
	if err := b.admin.Status().Update(t.Context(), pod); err != nil {
		t.Fatal(err)
	}
	asController := b.as(t, controller)
	for name, tc := range map[string]struct{ patch, why string }{
		"not ready":                {`[{"op":"replace","path":"/status/conditions/1/status","value":"False"}]`, ""},
		"not known to be ready":    {`[{"op":"replace","path":"/status/conditions/1/status","value":"Unknown"}]`, noStatus},
		"another condition":        {`[{"op":"replace","path":"/status/conditions/0/status","value":"False"}]`, noStatus},
		"one that is false":        {`[{"op":"replace","path":"/status/conditions/2/status","value":"True"}]`, noStatus},
		"a reason beside it":       {`[{"op":"replace","path":"/status/conditions/1/status","value":"False"},{"op":"add","path":"/status/conditions/1/reason","value":"x"}]`, noStatus},
		"a condition more":         {`[{"op":"add","path":"/status/conditions/-","value":{"type":"x.example/y","status":"True"}}]`, noStatus},
		"a condition less":         {`[{"op":"remove","path":"/status/conditions/2"}]`, noStatus},
		"all conditions less":      {`[{"op":"remove","path":"/status/conditions"}]`, noStatus},
		"a condition for another":  {`[{"op":"replace","path":"/status/conditions/2","value":{"type":"Ready","status":"False"}}]`, noStatus},
		"that it has failed":       {`[{"op":"replace","path":"/status/phase","value":"Failed"}]`, noStatus},
		"not ready and failed":     {`[{"op":"replace","path":"/status/conditions/1/status","value":"False"},{"op":"replace","path":"/status/phase","value":"Failed"}]`, noStatus},
		"an address":               {`[{"op":"add","path":"/status/podIP","value":"10.0.0.1"}]`, noStatus},
		"not ready, and its label": {`[{"op":"replace","path":"/status/conditions/1/status","value":"False"},{"op":"replace","path":"/metadata/labels/app","value":"x"}]`, "of a pod's metadata the controller writes nothing"},
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, asController.Status().Patch(t.Context(), pod.DeepCopy(), jsonPatch(tc.patch), client.DryRunAll), tc.why)
		})
	}
	if changed, err := action.SetNotReady(t.Context(), asController, asController, pod, time.Now()); !changed || err != nil {
		t.Fatalf("changed %t, %v", changed, err)
	}
	var after corev1.Pod
	if err := b.admin.Get(t.Context(), client.ObjectKeyFromObject(pod), &after); err != nil {
		t.Fatal(err)
	}
	if got := after.Status.Conditions[1]; got.Type != corev1.PodReady || got.Status != corev1.ConditionFalse {
		t.Errorf("it has %+v", after.Status.Conditions)
	}
	wantRefused(t, asController.Status().Patch(t.Context(), &after, jsonPatch(`[{"op":"replace","path":"/status/conditions/1/status","value":"True"}]`), client.DryRunAll), noStatus)
}

// The controller deletes only pods that another of their ReplicaSet replaces, and that hold nothing back.
func TestDeletePods(t *testing.T) {
	b := newFixture(t)
	b.serviceAccount(t, "default")
	const noClaim, noGrace = "only pods of ReplicaSets", "with a grace period"
	volume := func(source corev1.VolumeSource) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = append(p.Spec.Volumes, corev1.Volume{Name: "v", VolumeSource: source})
		}
	}
	owner := func(edit func(*metav1.OwnerReference)) func(*corev1.Pod) {
		return func(p *corev1.Pod) { edit(&p.OwnerReferences[0]) }
	}
	claim := corev1.PersistentVolumeClaimSpec{AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}, Resources: corev1.VolumeResourceRequirements{
		Requests: corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
	}}
	for name, tc := range map[string]struct {
		edit    func(*corev1.Pod)
		options client.DeleteOption
		why     string
	}{
		"a replica":               {},
		"with an empty folder":    {edit: volume(corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})},
		"with a claim":            {edit: volume(corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: "c"}}), why: noClaim},
		"with a claim of its own": {edit: volume(corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{Spec: claim}}}), why: noClaim},
		"of a StatefulSet":        {edit: owner(func(r *metav1.OwnerReference) { r.Kind = "StatefulSet" }), why: noClaim},
		"of another API's kind":   {edit: owner(func(r *metav1.OwnerReference) { r.APIVersion = "example.com/v1" }), why: noClaim},
		"not controlled":          {edit: owner(func(r *metav1.OwnerReference) { r.Controller = nil }), why: noClaim},
		"bare":                    {edit: func(p *corev1.Pod) { p.OwnerReferences = nil }, why: noClaim},
		"by force":                {options: client.GracePeriodSeconds(0), why: noGrace},
		"after a second":          {options: client.GracePeriodSeconds(1)},
	} {
		t.Run(name, func(t *testing.T) {
			pod := web("d-"+strings.ToLower(strings.NewReplacer(" ", "-", "'", "").Replace(name)), func(p *corev1.Pod) { p.Spec.NodeName = node })
			if tc.edit != nil {
				tc.edit(pod)
			}
			b.create(t, pod)
			options := []client.DeleteOption{client.DryRunAll}
			if tc.options != nil {
				options = append(options, tc.options)
			}
			wantRefused(t, b.as(t, controller).Delete(t.Context(), pod.DeepCopy(), options...), tc.why)
		})
	}
}

// serviceAccount lets pods be made in a namespace before a controller has made the account.
func (b *fixture) serviceAccount(t *testing.T, namespace string) {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "default"}}
	if err := b.admin.Create(t.Context(), account); err != nil && !apierrors.IsAlreadyExists(err) {
		t.Fatal(err)
	}
}

// What the controller does with a pod is what its admission policy lets it do; and nothing on a node that is not healthy.
func TestSetTolerationSeconds(t *testing.T) {
	b := newFixture(t)
	b.serviceAccount(t, "default")
	for name, ready := range map[string]string{"healthy": "True", "down": "False"} {
		n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
		b.create(t, n)
		now := time.Now().UTC().Format(time.RFC3339)
		status := fmt.Sprintf(`{"status":{"conditions":[{"type":"Ready","status":%q,"lastHeartbeatTime":%q,"lastTransitionTime":%q}]}}`, ready, now, now)
		if err := b.admin.Status().Patch(t.Context(), n.DeepCopy(), merge(status)); err != nil {
			t.Fatal(err)
		}
		// Registration taints a node; the node lifecycle controller takes that away, or sees that it is right.
		b.soon(t, func(ctx context.Context) error {
			if err := b.admin.Get(ctx, client.ObjectKeyFromObject(n), n); err != nil || failoverpolicy.Healthy(n) != (ready == "True") {
				return fmt.Errorf("%s has %v: %w", name, n.Spec.Taints, err)
			}
			return nil
		})
	}
	changes := []failoverpolicy.Change{{Key: notReady, Seconds: 40}, {Key: unreachable, Seconds: 60}}
	asController := b.as(t, controller)
	for name, want := range map[string]string{"healthy": "40 60", "down": "300 300"} {
		pod := web("on-"+name, func(p *corev1.Pod) { p.Spec.NodeName = name })
		b.create(t, pod)
		changed, err := action.SetTolerationSeconds(t.Context(), asController, asController, pod, changes)
		if err != nil || changed != (name == "healthy") {
			t.Errorf("%s: changed %v, %v", name, changed, err)
		}
		var after corev1.Pod
		if err := b.admin.Get(t.Context(), client.ObjectKeyFromObject(pod), &after); err != nil {
			t.Fatal(err)
		}
		if got := secondsOf(&after); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	// A pod that changes between the reading and the writing is left alone.
	stale := web("stale", func(p *corev1.Pod) { p.Spec.NodeName = "healthy" })
	b.create(t, stale)
	read := stale.DeepCopy()
	if err := b.admin.Patch(t.Context(), stale, merge(`{"metadata":{"labels":{"a":"b"}}}`)); err != nil {
		t.Fatal(err)
	}
	_, err := action.SetTolerationSeconds(t.Context(), asController, reader{asController, read}, read, changes)
	if !apierrors.IsConflict(err) {
		t.Errorf("a pod that has changed since: %v", err)
	}
}

// reader reads a pod as it was.
type reader struct {
	client.Client
	was *corev1.Pod
}

func (r reader) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	if pod, is := o.(*corev1.Pod); is {
		r.was.DeepCopyInto(pod)
		return nil
	}
	return r.Client.Get(ctx, key, o, opts...)
}

// New pods get the seconds of the FailoverPolicies that select them.
func TestNewPods(t *testing.T) {
	b := newFixture(t)
	b.serviceAccount(t, "default")
	b.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "other", Labels: map[string]string{"team": "ops"}}})
	b.serviceAccount(t, "other")
	selector := func(text ...string) metav1.LabelSelector {
		s := metav1.LabelSelector{}
		for _, one := range text {
			key, value, _ := strings.Cut(one, "=")
			metav1.AddLabelToSelector(&s, key, value)
		}
		return s
	}
	failover := func(name string, mode v1alpha1.Mode, paused bool, namespaces, pods metav1.LabelSelector) *v1alpha1.FailoverPolicy {
		return &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.FailoverPolicySpec{
			Mode: mode, Paused: paused, NamespaceSelector: namespaces, PodSelector: pods, NotReadySeconds: 40, UnreachableSeconds: 60,
		}}
	}
	expression := func(key string, operator metav1.LabelSelectorOperator, values ...string) metav1.LabelSelector {
		return metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{{Key: key, Operator: operator, Values: values}}}
	}
	for _, p := range []*v1alpha1.FailoverPolicy{
		failover("labels", v1alpha1.ModeAuto, false, selector(), selector("case=labels")),
		failover("reports", v1alpha1.ModeReport, false, selector(), selector("case=reports")),
		failover("paused", v1alpha1.ModeAuto, true, selector(), selector("case=paused")),
		failover("namespace", v1alpha1.ModeAuto, false, selector("team=ops"), selector("case=namespace")),
		failover("in", v1alpha1.ModeAuto, false, selector(), expression("in", metav1.LabelSelectorOpIn, "a", "b")),
		failover("not-in", v1alpha1.ModeAuto, false, selector("team=ops"), expression("case", metav1.LabelSelectorOpNotIn, "x", "namespace", "nothing")),
		failover("exists", v1alpha1.ModeAuto, false, selector(), expression("exists", metav1.LabelSelectorOpExists)),
		failover("absent", v1alpha1.ModeAuto, false, expression("team", metav1.LabelSelectorOpDoesNotExist), selector("case=absent")),
	} {
		b.create(t, p)
		t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), p) })
	}
	labelled := func(key, value string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Labels = map[string]string{key: value} }
	}
	in := func(namespace string) func(*corev1.Pod) { return func(p *corev1.Pod) { p.Namespace = namespace } }
	tolerating := func(all ...corev1.Toleration) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Tolerations = all }
	}
	ownedBy := func(version, kind string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.OwnerReferences[0].APIVersion, p.OwnerReferences[0].Kind = version, kind }
	}
	create := func(ctx context.Context, pod *corev1.Pod) (string, error) {
		err := b.admin.Create(ctx, pod, client.DryRunAll)
		return secondsOf(pod), err
	}
	b.soon(t, func(ctx context.Context) error { // as soon as the API server has the policy and its parameters
		got, err := create(ctx, web("canary", labelled("case", "absent")))
		if err != nil || got != "40 60" {
			return fmt.Errorf("new pods get %s: %w", got, err)
		}
		return nil
	})
	const set, unset = "40 60", "300 300"
	for name, tc := range map[string]struct {
		pod  *corev1.Pod
		want string
	}{
		"by label":                       {web("p", labelled("case", "labels")), set},
		"by no label":                    {web("p", func(p *corev1.Pod) { p.Labels = nil }), unset},
		"by another value":               {web("p", labelled("case", "label")), unset},
		"mode Report":                    {web("p", labelled("case", "reports")), unset},
		"paused":                         {web("p", labelled("case", "paused")), unset},
		"by namespace":                   {web("p", labelled("case", "namespace"), in("other")), set},
		"in another namespace":           {web("p", labelled("case", "namespace")), unset},
		"In":                             {web("p", labelled("in", "b")), set},
		"In, another":                    {web("p", labelled("in", "c")), unset},
		"NotIn":                          {web("p", labelled("case", "y"), in("other")), set},
		"NotIn, without the label":       {web("p", labelled("b", "y"), in("other")), set},
		"NotIn, one of them":             {web("p", labelled("case", "nothing"), in("other")), unset},
		"Exists":                         {web("p", labelled("exists", "")), set},
		"DoesNotExist of the namespace":  {web("p", labelled("case", "absent")), set},
		"DoesNotExist, but it does":      {web("p", labelled("case", "absent"), labelled("case", "nothing"), in("other")), unset},
		"a StatefulSet's":                {web("p", labelled("case", "labels"), ownedBy("apps/v1", "StatefulSet")), set},
		"a Job's":                        {web("p", labelled("case", "labels"), ownedBy("batch/v1", "Job")), set},
		"a ReplicationController's":      {web("p", labelled("case", "labels"), ownedBy("v1", "ReplicationController")), set},
		"a DaemonSet's":                  {web("p", labelled("case", "labels"), ownedBy("apps/v1", "DaemonSet")), unset},
		"another API's ReplicaSet":       {web("p", labelled("case", "labels"), ownedBy("extensions.example.com/v1", "ReplicaSet")), unset},
		"bare":                           {web("p", labelled("case", "labels"), func(p *corev1.Pod) { p.OwnerReferences = nil }), unset},
		"an owner that does not control": {web("p", labelled("case", "labels"), func(p *corev1.Pod) { p.OwnerReferences[0].Controller = nil }), unset},
		"explicit 120":                   {web("p", labelled("case", "labels"), tolerating(exactly(notReady, 120), exactly(unreachable, 120))), "120 120"},
		"one is explicit":                {web("p", labelled("case", "labels"), tolerating(exactly(notReady, 120))), "120 60"},
		"explicit for ever":              {web("p", labelled("case", "labels"), tolerating(corev1.Toleration{Operator: corev1.TolerationOpExists})), "-1 -1"},
		"others before and behind":       {web("p", labelled("case", "labels"), tolerating(corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}, corev1.Toleration{Key: "a", Value: "b"})), set},
		"300 for another taint":          {web("p", labelled("case", "labels"), tolerating(exactly("gpu", 300))), set},
	} {
		t.Run(name, func(t *testing.T) {
			given := len(tc.pod.Spec.Tolerations)
			got, err := create(t.Context(), tc.pod)
			if err != nil || got != tc.want {
				t.Errorf("it gets %s, want %s: %v", got, tc.want, err)
			}
			for _, other := range tc.pod.Spec.Tolerations[:given] {
				if other.Key == "gpu" && other.TolerationSeconds != nil && *other.TolerationSeconds != 300 {
					t.Errorf("another toleration has become %v", other)
				}
			}
		})
	}
}
