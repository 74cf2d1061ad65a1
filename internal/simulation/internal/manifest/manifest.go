package manifest

import (
	"cmp"
	"context"
	"reflect"
	"slices"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/engine"
	"github.com/naosu-dev/naosu/internal/simulation/internal/nodelifecycle"
	"github.com/naosu-dev/naosu/internal/simulation/internal/podtemplate"
	"github.com/naosu-dev/naosu/internal/simulation/internal/workload"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Applier applies and patches objects.
type Applier struct {
	engine   *engine.Engine
	workload *workload.Controllers
	nodes    *nodelifecycle.Controller
}

// New is an applier that acts through an engine.
func New(e *engine.Engine, w *workload.Controllers, n *nodelifecycle.Controller) *Applier {
	return &Applier{engine: e, workload: w, nodes: n}
}

// Apply creates or updates objects: first what pods depend on, then budgets, then workloads and pods.
func (m *Applier) Apply(ctx context.Context, c change.Apply) error {
	order := make([]int, len(c.Objects))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(applyOrder(c.Objects[a]), applyOrder(c.Objects[b])) })
	var uncertain []change.Ref
	for _, i := range order {
		o := c.Objects[i]
		if policy, is := o.(*v1alpha1.FailoverPolicy); is {
			if err := m.applyFailoverPolicy(policy); err != nil {
				return err
			}
			continue
		}
		object, ok := o.(metav1.Object)
		kind, held := cluster.Kind(""), false
		if ok {
			kind, held = cluster.KindOf(object)
		}
		if !held {
			m.noteUnmodelledKind(o)
			continue
		}
		ref := change.Ref{Kind: string(kind), Namespace: object.GetNamespace(), Name: object.GetName()}
		before := m.engine.World().Object(kind, ref.Namespace, ref.Name)
		object, err := m.mergeManifest(c, i, ref, before)
		if err != nil {
			return err
		}
		if m.isUncertain(c, i, before, object) {
			uncertain = append(uncertain, ref)
		}
		if !c.Stored || c.Manifest(i) != nil {
			m.engine.NoteUnknownAdmission()
			m.engine.RecordAdmission(object, operationOn(before))
		}
		if err := m.put(ctx, ref, before, object, c.Stored); err != nil {
			return err
		}
	}
	m.noteUncertain(uncertain, c.ServerSide)
	return nil
}

// put creates an object, or updates the one that is there before. What the API server has stored is valid.
func (m *Applier) put(ctx context.Context, ref change.Ref, before, object metav1.Object, stored bool) error {
	if before == nil {
		object.SetUID(m.engine.Names.UID())
		object.SetCreationTimestamp(*m.engine.APITime())
		return m.createObject(object)
	}
	if err := validate(ref, object, before); err != nil && !stored {
		return err
	}
	m.noteApplied(before, object)
	return m.updateObject(ctx, before, object)
}

// applyFailoverPolicy changes the running pods as naosu's controller does. Pods that are made later keep the default.
func (m *Applier) applyFailoverPolicy(policy *v1alpha1.FailoverPolicy) error {
	if !policy.Acts() {
		return nil
	}
	for _, a := range failoverpolicy.Assess(m.engine.World(), []v1alpha1.FailoverPolicy{*policy}) {
		if a.State != failoverpolicy.Due {
			continue
		}
		next := a.Pod.DeepCopy()
		for _, c := range a.Changes {
			next.Spec.Tolerations[failoverpolicy.Index(next.Spec.Tolerations, c.Key)].TolerationSeconds = &c.Seconds
		}
		if err := m.engine.Edit(cluster.Put(next)); err != nil {
			return err
		}
	}
	return nil
}

// operationOn is the operation by which an object is applied: an update if it exists.
func operationOn(before metav1.Object) registrationv1.OperationType {
	if before == nil {
		return registrationv1.Create
	}
	return registrationv1.Update
}

func (m *Applier) noteUnmodelledKind(o runtime.Object) {
	what := o.GetObjectKind().GroupVersionKind().Kind
	if object, ok := o.(metav1.Object); ok {
		what += "/" + object.GetName()
	}
	m.engine.Gaps.Note(what, sentence.GapKind(what))
}

// applyOrder is an object's rank among those applied together.
func applyOrder(o runtime.Object) int {
	switch o.(type) {
	case *appsv1.Deployment, *appsv1.StatefulSet, *appsv1.DaemonSet, *appsv1.ReplicaSet, *batchv1.Job, *batchv1.CronJob, *corev1.Pod:
		return 2
	case *policyv1.PodDisruptionBudget:
		return 1
	default:
		return 0
	}
}

// inheritFromLive copies to a manifest what the live object has and a manifest does not carry.
func inheritFromLive(next, before metav1.Object) {
	next.SetUID(before.GetUID())
	next.SetCreationTimestamp(before.GetCreationTimestamp())
	next.SetOwnerReferences(before.GetOwnerReferences())
	next.SetAnnotations(podtemplate.InheritedAnnotations(next.GetAnnotations(), before.GetAnnotations()))
	if template := podtemplate.Of(next); template != nil {
		podtemplate.Inherit(template, podtemplate.Of(before))
	}
	switch next := next.(type) {
	case *appsv1.Deployment:
		next.Spec.Replicas = cmp.Or(next.Spec.Replicas, before.(*appsv1.Deployment).Spec.Replicas)
		next.Status = before.(*appsv1.Deployment).Status
	case *appsv1.StatefulSet:
		next.Spec.Replicas = cmp.Or(next.Spec.Replicas, before.(*appsv1.StatefulSet).Spec.Replicas)
		next.Status = before.(*appsv1.StatefulSet).Status
	case *appsv1.DaemonSet:
		next.Status = before.(*appsv1.DaemonSet).Status
	case *batchv1.Job:
		next.Status = before.(*batchv1.Job).Status
	case *corev1.Node:
		next.Status = before.(*corev1.Node).Status
	case *corev1.PersistentVolumeClaim:
		was := before.(*corev1.PersistentVolumeClaim)
		next.Spec.VolumeName, next.Status = was.Spec.VolumeName, was.Status
		next.Spec.StorageClassName = cmp.Or(next.Spec.StorageClassName, was.Spec.StorageClassName)
	case *corev1.PersistentVolume:
		next.Status = before.(*corev1.PersistentVolume).Status
	}
}

// noteApplied notes that a workload whose template seems unchanged may differ in the values of its environment.
func (m *Applier) noteApplied(before, next metav1.Object) {
	was, now := podtemplate.Of(before), podtemplate.Of(next)
	if now != nil && !m.engine.World().Values(next).HasKey() && podtemplate.LacksValues(now) && podtemplate.Same(was, now) {
		set := workloadRef(next)
		m.engine.Gaps.Note(set, sentence.GapEnvironment(set))
	}
}

// notePatched notes that a patch which seems to change a template may set an environment variable to the value that it has.
func (m *Applier) notePatched(before, next metav1.Object) {
	was, now := podtemplate.Of(before), podtemplate.Of(next)
	if now == nil || m.engine.World().Values(next).HasKey() || podtemplate.Same(was, now) {
		return
	}
	now = now.DeepCopy()
	podtemplate.Inherit(now, was)
	if podtemplate.Same(was, now) && podtemplate.LacksValues(now) {
		set := workloadRef(next)
		m.engine.Gaps.Note(set, sentence.GapEnvPatched(set))
	}
}

func workloadRef(o metav1.Object) string {
	kind, _ := cluster.KindOf(o)
	return change.Ref{Kind: string(kind), Name: o.GetName()}.String()
}

// newLike is an empty object of the same type.
func newLike(o runtime.Object) runtime.Object {
	return reflect.New(reflect.TypeOf(o).Elem()).Interface().(runtime.Object)
}

// validate is a RefusedError if the API server would reject the update of an object.
func validate(ref change.Ref, next, before metav1.Object) error {
	if err := admission.Validate(next.(runtime.Object), before.(runtime.Object)); err != nil {
		return outcome.RefusedError{Object: ref, Err: err}
	}
	return nil
}
