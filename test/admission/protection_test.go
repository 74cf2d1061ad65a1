package admission

import (
	"context"
	"fmt"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
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
