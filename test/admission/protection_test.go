package admission

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/test/program"
)

// report is a Job that the policy of TestProtection selects.
func report(edits ...func(*batchv1.Job)) *batchv1.Job {
	j := &batchv1.Job{
		ObjectMeta: metav1.ObjectMeta{Namespace: "batch", GenerateName: "report-"},
		Spec: batchv1.JobSpec{Template: corev1.PodTemplateSpec{
			ObjectMeta: metav1.ObjectMeta{Labels: map[string]string{"app": "report"}},
			Spec:       corev1.PodSpec{RestartPolicy: corev1.RestartPolicyNever, Containers: []corev1.Container{{Name: "main", Image: "x"}}},
		}},
	}
	for _, edit := range edits {
		edit(j)
	}
	return j
}

// protects is a policy that gives such Jobs a class, which is in its status.
func (b *fixture) protects(t *testing.T) *v1alpha1.HeadroomPolicy {
	t.Helper()
	p := &v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: "jobs"}, Spec: v1alpha1.HeadroomPolicySpec{
		Mode: v1alpha1.ModeAuto,
		Protect: &v1alpha1.HeadroomProtection{
			NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: "batch"}},
			PodSelector: metav1.LabelSelector{MatchExpressions: []metav1.LabelSelectorRequirement{
				{Key: "app", Operator: metav1.LabelSelectorOpIn, Values: []string{"report", "nightly"}}, {Key: "test", Operator: metav1.LabelSelectorOpDoesNotExist},
			}},
		},
	}}
	b.create(t, p)
	t.Cleanup(func() { _ = b.admin.Delete(context.WithoutCancel(t.Context()), p) })
	b.gives(t, p, v1alpha1.HeadroomProtectedClass)
	return p
}

// gives writes into the policy's status, as the controller does, which class Jobs are given.
func (b *fixture) gives(t *testing.T, p *v1alpha1.HeadroomPolicy, class string) {
	t.Helper()
	before := p.DeepCopy()
	p.Status.Protection = &v1alpha1.HeadroomProtectionStatus{PriorityClassName: class}
	if err := b.admin.Status().Patch(t.Context(), p, client.MergeFrom(before)); err != nil {
		t.Fatal(err)
	}
}

// classed waits until such a Job, created without being stored, has a class; the API server learns of policies late.
func (b *fixture) classed(t *testing.T, want string) {
	t.Helper()
	b.soon(t, func(ctx context.Context) error {
		j := report()
		if err := b.admin.Create(ctx, j, client.DryRunAll); err != nil {
			return err
		}
		if got := j.Spec.Template.Spec.PriorityClassName; got != want {
			return fmt.Errorf("a new Job has the class %q, want %q", got, want)
		}
		return nil
	})
}

// TestProtection has a real API server give new Jobs the class of a policy, and their pods the priority. What a template says of priority stays.
func TestProtection(t *testing.T) {
	b := newFixture(t)
	b.create(t, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "batch"}})
	b.create(t, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "own"}, Value: 7})
	b.serviceAccount(t, "batch")
	b.classed(t, "")
	p := b.protects(t)
	b.classed(t, v1alpha1.HeadroomProtectedClass)

	for name, tc := range map[string]struct {
		edit func(*batchv1.Job)
		want string
	}{
		"selected":                  {func(*batchv1.Job) {}, v1alpha1.HeadroomProtectedClass},
		"selected by another value": {func(j *batchv1.Job) { j.Spec.Template.Labels["app"] = "nightly" }, v1alpha1.HeadroomProtectedClass},
		"another label":             {func(j *batchv1.Job) { j.Spec.Template.Labels["app"] = "web" }, ""},
		"no labels":                 {func(j *batchv1.Job) { j.Spec.Template.Labels = nil }, ""},
		"a label that must not be":  {func(j *batchv1.Job) { j.Spec.Template.Labels["test"] = "yes" }, ""},
		"labels of the Job only":    {func(j *batchv1.Job) { j.Labels, j.Spec.Template.Labels = j.Spec.Template.Labels, nil }, ""},
		"another namespace":         {func(j *batchv1.Job) { j.Namespace = "default" }, ""},
		"a class of its own":        {func(j *batchv1.Job) { j.Spec.Template.Spec.PriorityClassName = "own" }, "own"},
		"a priority of its own":     {func(j *batchv1.Job) { j.Spec.Template.Spec.Priority = ptr.To[int32](0) }, ""},
		"a preemption policy, likewise": {func(j *batchv1.Job) {
			j.Spec.Template.Spec.PreemptionPolicy = ptr.To(corev1.PreemptNever)
		}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			j := report(tc.edit)
			if err := b.admin.Create(t.Context(), j, client.DryRunAll); err != nil {
				t.Fatal(err)
			}
			if got := j.Spec.Template.Spec.PriorityClassName; got != tc.want {
				t.Errorf("it has the class %q, want %q", got, tc.want)
			}
		})
	}

	made := report()
	b.create(t, made)
	own := report(func(j *batchv1.Job) { j.Spec.Template.Spec.PriorityClassName = "own" })
	b.create(t, own)
	b.podsHave(t, made, v1alpha1.HeadroomProtectedPriority, corev1.PreemptNever)
	b.podsHave(t, own, 7, corev1.PreemptLowerPriority)

	b.gives(t, p, "another") // The spec has changed since the controller looked, or the class is gone.
	b.classed(t, "")
	b.gives(t, p, v1alpha1.HeadroomProtectedClass)
	b.classed(t, v1alpha1.HeadroomProtectedClass)
	for _, edit := range []func(*v1alpha1.HeadroomPolicy){
		func(p *v1alpha1.HeadroomPolicy) { p.Spec.Paused = true }, func(p *v1alpha1.HeadroomPolicy) { p.Spec.Paused, p.Spec.Mode = false, v1alpha1.ModeReport },
	} {
		edit(p)
		if err := b.admin.Update(t.Context(), p); err != nil {
			t.Fatal(err)
		}
		b.classed(t, "")
	}
	p.Spec.Mode = v1alpha1.ModeAuto
	if err := b.admin.Update(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	b.classed(t, v1alpha1.HeadroomProtectedClass)
	if err := b.admin.Delete(t.Context(), p); err != nil {
		t.Fatal(err)
	}
	b.classed(t, "")
}

// podsHave waits until the Job controller has created a pod of a Job, with a priority and a preemption policy.
func (b *fixture) podsHave(t *testing.T, j *batchv1.Job, priority int32, policy corev1.PreemptionPolicy) {
	t.Helper()
	b.soon(t, func(ctx context.Context) error {
		var pods corev1.PodList
		if err := b.admin.List(ctx, &pods, client.InNamespace(j.Namespace), client.MatchingLabels{batchv1.JobNameLabel: j.Name}); err != nil {
			return err
		}
		if len(pods.Items) != 1 || *pods.Items[0].Spec.Priority != priority || *pods.Items[0].Spec.PreemptionPolicy != policy {
			return fmt.Errorf("%s has %d pods: %+v", j.Name, len(pods.Items), pods.Items)
		}
		return nil
	})
}

// web is a Deployment or StatefulSet of the namespace shop that the policy of TestProtectionOfRollouts selects.
const webManifest = `
apiVersion: apps/v1
kind: %s
metadata: {name: %s, namespace: shop}
spec:
  replicas: 0
  serviceName: none
  selector: {matchLabels: {app: web}}
  template:
    metadata: {labels: {app: web}}
    spec:
      %s
      containers: [{name: main, image: "web:%d"}]
`

// shop has kubectl work on the namespace shop.
type shop struct {
	*fixture
	t          *testing.T
	kubeconfig string
}

func (b *fixture) shop(t *testing.T) shop {
	t.Helper()
	if err := b.admin.Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "shop"}}); client.IgnoreAlreadyExists(err) != nil {
		t.Fatal(err)
	}
	s := shop{b, t, filepath.Join(t.TempDir(), "kubeconfig")}
	if err := b.WriteKubeconfig(s.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return s
}

// kubectl runs the command with a manifest as its input, and returns what it prints.
func (s shop) kubectl(manifest string, args ...string) string {
	s.t.Helper()
	command := exec.CommandContext(s.t.Context(), program.Need(s.t, "kubectl"), append(args, "--kubeconfig="+s.kubeconfig, "--namespace=shop")...)
	command.Stdin = strings.NewReader(manifest)
	out, err := command.CombinedOutput()
	if err != nil {
		s.t.Fatalf("kubectl %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return string(out)
}

// manifest is one of a kind, with an entry of the pod's spec and a version of its image.
func (shop) manifest(kind, name, entry string, version int) string {
	text := fmt.Sprintf(webManifest, kind, name, entry, version)
	if kind != "StatefulSet" {
		text = strings.Replace(text, "  serviceName: none\n", "", 1)
	}
	return text
}

// state is the class in a template, and the template: only a change of it is rolled out.
func (s shop) state(what string) (class, template string) {
	s.t.Helper()
	class, template, _ = strings.Cut(s.kubectl("", "get", what, "-o", "jsonpath={.spec.template.spec.priorityClassName} {.spec.template}"), " ")
	return class, template
}

// protectsRollouts has a policy give such Deployments and StatefulSets a class.
func (s shop) protectsRollouts(name, class string) *v1alpha1.HeadroomPolicy {
	s.t.Helper()
	p := &v1alpha1.HeadroomPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeAuto, Protect: &v1alpha1.HeadroomProtection{
		Kinds:             []v1alpha1.HeadroomProtectedKind{v1alpha1.ProtectedDeployment, v1alpha1.ProtectedStatefulSet},
		NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: "shop"}}, PriorityClassName: class,
	}}}
	s.create(s.t, p)
	s.t.Cleanup(func() { _ = s.admin.Delete(context.WithoutCancel(s.t.Context()), p) })
	s.gives(s.t, p, class)
	return p
}

// given waits until a new Deployment has a class.
func (s shop) given(want string) {
	s.t.Helper()
	s.soon(s.t, func(context.Context) error {
		out := s.kubectl(s.manifest("Deployment", "new", "", 1), "create", "-f", "-", "--dry-run=server", "-o", "jsonpath={.spec.template.spec.priorityClassName}")
		if out != want {
			return fmt.Errorf("a new Deployment has the class %q, want %q", out, want)
		}
		return nil
	})
}

// TestProtectionOfRollouts has Deployments and StatefulSets given the class when they are created and when a request changes their template, and never rolls
// them out itself: no request that leaves the template as it is changes it.
func TestProtectionOfRollouts(t *testing.T) {
	b := newFixture(t)
	s := b.shop(t)
	for _, kind := range []string{"Deployment", "StatefulSet"} {
		s.kubectl(s.manifest(kind, "old", "", 1), "apply", "-f", "-")
	}
	s.hasReplicaSet("web:1")
	p := s.protectsRollouts("rollouts", v1alpha1.HeadroomProtectedClass)
	s.given(v1alpha1.HeadroomProtectedClass)

	for kind, want := range map[string]string{"Deployment": v1alpha1.HeadroomProtectedClass, "StatefulSet": v1alpha1.HeadroomProtectedClass, "DaemonSet": ""} {
		text := s.manifest(kind, "fresh", "", 1)
		if kind == "DaemonSet" {
			text = strings.Replace(text, "  replicas: 0\n", "", 1)
		}
		if got := s.kubectl(text, "create", "-f", "-", "--dry-run=server", "-o", "jsonpath={.spec.template.spec.priorityClassName}"); got != want {
			t.Errorf("a new %s has the class %q, want %q", kind, got, want)
		}
	}
	for entry, want := range map[string]string{"priorityClassName: system-node-critical": "system-node-critical", "priority: 7": "", "preemptionPolicy: PreemptLowerPriority": ""} {
		if got := s.kubectl(s.manifest("Deployment", "own", entry, 1), "create", "-f", "-", "--dry-run=server", "-o", "jsonpath={.spec.template.spec.priorityClassName}"); got != want {
			t.Errorf("with %s, the class is %q, want %q", entry, got, want)
		}
	}

	for _, kind := range []string{"Deployment", "StatefulSet"} {
		old := strings.ToLower(kind) + "/old"
		s.kubectl("", "scale", old, "--replicas=1")
		s.kubectl("", "scale", old, "--replicas=0")
		s.kubectl("", "annotate", old, "team=shop")
		s.kubectl("", "patch", old, "--patch", `{"spec":{"revisionHistoryLimit":5}}`)
		s.kubectl(s.manifest(kind, "old", "", 1), "apply", "-f", "-")
		if class, _ := s.state(old); class != "" {
			t.Errorf("%s has the class %q though no request has changed its template", old, class)
		}
		s.kubectl("", "rollout", "restart", old)
		if class, _ := s.state(old); class != v1alpha1.HeadroomProtectedClass {
			t.Errorf("%s has the class %q after a restart", old, class)
		}
		s.keeps(kind, old)
	}
	s.keepsAfterUndo()
	s.takesOwn()

	s.gives(t, p, "") // The controller has found that the class is gone, or the policy is paused: what templates have stays.
	s.given("")
	s.kubectl(s.manifest("Deployment", "old", "", 3), "apply", "-f", "-")
	if class, _ := s.state("deployment/old"); class != v1alpha1.HeadroomProtectedClass {
		t.Errorf("the class that is there is %q once no more is given", class)
	}
	s.kubectl("", "patch", "deployment/old", "--type=json", "--patch", `[{"op":"remove","path":"/spec/template/spec/priorityClassName"}]`)
	if class, _ := s.state("deployment/old"); class != "" {
		t.Errorf("the class %q cannot be removed", class)
	}
}

// keeps expects that requests which know nothing of the class leave the template as it is.
func (s shop) keeps(kind, name string) {
	s.t.Helper()
	_, before := s.state(name)
	live := s.kubectl("", "get", name, "-o", "json", "--show-managed-fields")
	without := regexp.MustCompile(`"priorityClassName": "[^"]*",\s*`).ReplaceAllString(live, "")
	if without == live {
		s.t.Fatalf("%s: there is no class to remove", name)
	}
	without = regexp.MustCompile(`"resourceVersion": "[^"]*",\s*`).ReplaceAllString(without, "")
	for _, request := range []struct {
		how string
		do  func()
	}{
		{"a client-side apply", func() { s.kubectl(s.manifest(kind, "old", "", 1), "apply", "-f", "-") }},
		{"a replacement without it", func() { s.kubectl(without, "replace", "-f", "-") }},
		{"its removal", func() {
			s.kubectl("", "patch", name, "--type=json", "--patch", `[{"op":"remove","path":"/spec/template/spec/priorityClassName"}]`)
		}},
		{"a server-side apply", func() {
			s.kubectl(s.manifest(kind, "old", "", 1), "apply", "-f", "-", "--server-side", "--field-manager=gitops", "--force-conflicts")
			s.kubectl(s.manifest(kind, "old", "", 1), "apply", "-f", "-", "--server-side", "--field-manager=gitops")
		}},
	} {
		request.do()
		if class, after := s.state(name); class != v1alpha1.HeadroomProtectedClass || after != before {
			s.t.Errorf("after %s, %s has the class %q and the template %s, before %s", request.how, name, class, after, before)
		}
	}
}

// hasReplicaSet waits until the Deployment controller has made a ReplicaSet with an image.
func (s shop) hasReplicaSet(image string) {
	s.t.Helper()
	s.soon(s.t, func(context.Context) error {
		if out := s.kubectl("", "get", "replicasets", "-o", "jsonpath={.items[*].spec.template.spec.containers[0].image}"); !strings.Contains(out, image) {
			return fmt.Errorf("there is no ReplicaSet of %s: %s", image, out)
		}
		return nil
	})
}

// keepsAfterUndo expects that an undone rollout, which is one itself, has the class.
func (s shop) keepsAfterUndo() {
	s.t.Helper()
	s.kubectl(s.manifest("Deployment", "old", "", 2), "apply", "-f", "-")
	s.hasReplicaSet("web:2")
	s.kubectl("", "rollout", "undo", "deployment/old", "--to-revision=1") // from before the policy
	image := s.kubectl("", "get", "deployment/old", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
	if class, _ := s.state("deployment/old"); class != v1alpha1.HeadroomProtectedClass || image != "web:1" {
		s.t.Errorf("after the rollout was undone, the class is %q and the image %s", class, image)
	}
}

// takesOwn expects that nobody owns the class that is given, so that an apply may set another; one that is removed is not replaced by that request.
func (s shop) takesOwn() {
	s.t.Helper()
	apply := func(entry string, version int) string {
		s.kubectl(s.manifest("Deployment", "applied", entry, version), "apply", "-f", "-", "--server-side", "--field-manager=gitops")
		class, _ := s.state("deployment/applied")
		return class
	}
	for i, step := range []struct {
		entry   string
		version int
		want    string
	}{
		{"", 1, v1alpha1.HeadroomProtectedClass},
		{"priorityClassName: system-node-critical", 1, "system-node-critical"},
		{"", 1, ""},
		{"", 1, ""},
		{"", 2, v1alpha1.HeadroomProtectedClass},
		{"priorityClassName: naosu-protected", 2, v1alpha1.HeadroomProtectedClass},
		{"", 2, v1alpha1.HeadroomProtectedClass},
	} {
		if got := apply(step.entry, step.version); got != step.want {
			s.t.Errorf("apply %d: the class is %q, want %q", i, got, step.want)
		}
	}
}

// TestProtectionOfSeveral has two policies select a Deployment, and an admission policy of somebody else set another class: what was given is not replaced by the
// class of another policy, and what somebody else sets stays.
func TestProtectionOfSeveral(t *testing.T) {
	b := newFixture(t)
	s := b.shop(t)
	b.create(t, &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: "another"}, Value: 9, PreemptionPolicy: ptr.To(corev1.PreemptNever)})
	s.protectsRollouts("first", v1alpha1.HeadroomProtectedClass)
	s.given(v1alpha1.HeadroomProtectedClass)
	s.kubectl(s.manifest("Deployment", "both", "", 1), "create", "-f", "-")
	s.protectsRollouts("second", "another")
	for i := range 100 { // Which policy is asked first is not defined; by now, the API server knows both.
		if s.kubectl(s.manifest("Deployment", "new", "", 1), "create", "-f", "-", "--dry-run=server", "-o", "jsonpath={.spec.template.spec.priorityClassName}") == "another" {
			break
		}
		if i == 99 {
			t.Fatal("the second policy gives no class")
		}
	}
	_, before := s.state("deployment/both")
	for range 10 {
		s.kubectl("", "patch", "deployment/both", "--type=json", "--patch", `[{"op":"remove","path":"/spec/template/spec/priorityClassName"}]`)
		if class, after := s.state("deployment/both"); class != v1alpha1.HeadroomProtectedClass || after != before {
			t.Fatalf("the class is %q, and the template %s, before %s", class, after, before)
		}
	}

	s.kubectl(`
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: everything}
spec:
  reinvocationPolicy: Never
  matchConstraints:
    resourceRules: [{apiGroups: [apps], apiVersions: [v1], resources: [deployments], operations: [CREATE, UPDATE]}]
  mutations:
  - patchType: JSONPatch
    jsonPatch: {expression: "[JSONPatch{op: 'add', path: '/spec/template/spec/priorityClassName', value: 'system-node-critical'}]"}
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: everything}
spec: {policyName: everything}
`, "create", "-f", "-")
	t.Cleanup(func() {
		for _, kind := range []string{"MutatingAdmissionPolicyBinding", "MutatingAdmissionPolicy"} {
			o := &unstructured.Unstructured{}
			o.SetAPIVersion("admissionregistration.k8s.io/v1")
			o.SetKind(kind)
			o.SetName("everything")
			_ = b.admin.Delete(context.WithoutCancel(t.Context()), o)
		}
	})
	s.given("system-node-critical")
	s.kubectl("", "annotate", "deployment/both", "by=everybody")
	if class, _ := s.state("deployment/both"); class != "system-node-critical" {
		t.Errorf("the class %q of somebody else's admission policy is replaced", class)
	}
}
