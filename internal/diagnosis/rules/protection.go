package rules

import (
	"context"
	"maps"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	resourcehelper "k8s.io/component-helpers/resource"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/protection"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// addProtection adds to a finding a HeadroomPolicy that protects the workloads whose pods the step preempts, with the pods that would be preempted instead;
// or that this does not help, because too few pods on their nodes have a lower priority.
func (s growthStep) addProtection(ctx context.Context, q query.Query, f *finding.Finding) {
	workloads := protectable(q.World, ownersOfPods(q.World, s.victims))
	if len(workloads) == 0 {
		return
	}
	policies := protectionPolicies(q.World, workloads)
	protected := podsProtectedBy(q.World, policies)
	preempted, ok := s.preemptedBeside(ctx, q, protected)
	switch {
	case !ok:
	case slices.ContainsFunc(preempted, func(p *corev1.Pod) bool { return slices.Contains(protected, p) }):
		f.RuledOut = append(f.RuledOut, finding.Link{Message: sentence.ProtectionInVain(q.Enumerate(ownersOfPods(q.World, protected)))})
	default:
		if remedy, ok := proposeProtection(q, workloads, policies); ok {
			remedy.Risk = sentence.RemedyProtectRisk(q.Enumerate(ownersOfPods(q.World, preempted)), len(preempted), areRolledOut(workloads))
			remedy.Verified = true
			f.Remedies = append(f.Remedies, remedy)
		}
	}
}

// protectable are the Jobs and CronJobs among workloads that are given the class of a policy. Their pods, once preempted, may fail them; those of Deployments
// and StatefulSets are recreated, so that these are chosen only where there is no Job. A template that says something of priority is given no class.
func protectable(world *cluster.Snapshot, workloads []change.Ref) []change.Ref {
	var jobs, others []change.Ref
	for _, ref := range workloads {
		o := world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name)
		if o == nil {
			continue
		}
		template := kube.PodTemplate(o)
		switch {
		case template == nil || template.Spec.PriorityClassName != "" || template.Spec.Priority != nil || template.Spec.PreemptionPolicy != nil:
		case isJobKind(ref):
			jobs = append(jobs, ref)
		case ref.Kind == string(v1alpha1.ProtectedDeployment) || ref.Kind == string(v1alpha1.ProtectedStatefulSet):
			others = append(others, ref)
		}
	}
	if len(jobs) > 0 {
		return jobs
	}
	return others
}

// areRolledOut says whether protectable workloads are given their class by a rollout: those that are no Jobs.
func areRolledOut(workloads []change.Ref) bool {
	return !slices.ContainsFunc(workloads, isJobKind)
}

// podsProtectedBy are the pods of all workloads that policies select.
func podsProtectedBy(world *cluster.Snapshot, policies []*v1alpha1.HeadroomPolicy) []*corev1.Pod {
	var pods []*corev1.Pod
	for _, policy := range policies {
		for _, pod := range protection.PodsOf(world, protection.Workloads(world, policy)) {
			if !slices.Contains(pods, pod) {
				pods = append(pods, pod)
			}
		}
	}
	return pods
}

// preemptedBeside are the pods that the step preempts if these have the priority of protected pods, without placeholders; false if that cannot be simulated.
func (s growthStep) preemptedBeside(ctx context.Context, q query.Query, protected []*corev1.Pod) ([]*corev1.Pod, bool) {
	q.Judge.Fork()
	defer q.Judge.Revert()
	if err := q.Judge.Apply(protection.Raise(protected, v1alpha1.HeadroomProtectedPriority)...); err != nil {
		return nil, false
	}
	o, err := simulation.Run(ctx, q.Judge, s.Changes(), simulation.Options{LeavePending: true})
	if err != nil {
		return nil, false
	}
	var pods []*corev1.Pod
	for _, fate := range o.Fates {
		pod := q.World.Pod(fate.Pod.Namespace, fate.Pod.Name)
		if (fate.Kind == outcome.Preempted || fate.Kind == outcome.Lost) && pod != nil && !placeholder(pod) {
			pods = append(pods, pod)
		}
	}
	return pods, true
}

// proposeProtection proposes policies that protect workloads, and those that hold room.
func proposeProtection(q query.Query, workloads []change.Ref, policies []*v1alpha1.HeadroomPolicy) (finding.Remedy, bool) {
	objects, held := make([]runtime.Object, len(policies)), false
	for i, policy := range policies {
		objects[i], held = policy, held || policy.StatesFailures()
	}
	command, err := change.Inline(objects...)
	if err != nil || len(objects) == 0 {
		return finding.Remedy{}, false
	}
	return finding.Remedy{
		Message: sentence.RemedyProtect(held, areRolledOut(workloads), q.Enumerate(workloads)), Change: change.Apply{From: "headroom", Objects: objects}, Command: command,
		Cost: sentence.RemedyProtectCost(held), Risk: sentence.RemedyProtectRisk(nil, 0, areRolledOut(workloads)),
	}, true
}

// protectionPolicies are one for each of the protectable workloads: it protects those with its pod labels, which may be all of a namespace.
func protectionPolicies(world *cluster.Snapshot, workloads []change.Ref) []*v1alpha1.HeadroomPolicy {
	var policies []*v1alpha1.HeadroomPolicy
	for _, ref := range workloads {
		labels := maps.Clone(kube.PodTemplate(world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name)).Labels)
		maps.DeleteFunc(labels, func(key, _ string) bool { // Those of one Job.
			return key == "controller-uid" || key == "job-name" || strings.HasPrefix(key, "batch.kubernetes.io/")
		})
		policy := headroomPolicy(ref.Namespace + "-" + ref.Name)
		policy.Spec.Protect = &v1alpha1.HeadroomProtection{
			NamespaceSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelMetadataName: ref.Namespace}},
			PodSelector:       metav1.LabelSelector{MatchLabels: labels}, PriorityClassName: v1alpha1.HeadroomProtectedClass,
		}
		if !isJobKind(ref) {
			policy.Spec.Protect.Kinds = []v1alpha1.HeadroomProtectedKind{v1alpha1.HeadroomProtectedKind(ref.Kind)}
		}
		policies = append(policies, policy)
	}
	return policies
}

// growthPolicy holds room for the growth of a DaemonSet, which is all that its pods request after it, on twice as many nodes as there are.
func growthPolicy(set *appsv1.DaemonSet, cpu resource.Quantity, nodes int) *v1alpha1.HeadroomPolicy {
	policy := headroomPolicy(set.Name)
	policy.Spec.Survive.Steps = []v1alpha1.HeadroomStep{{Namespace: set.Namespace, Name: set.Name, CPU: cpu}}
	pods := min(2*nodes, v1alpha1.MaxPlaceholders)
	room := resourcehelper.PodRequests(&corev1.Pod{Spec: set.Spec.Template.Spec}, resourcehelper.PodResourcesOptions{})
	most, memory := room.Cpu().DeepCopy(), room.Memory().DeepCopy()
	most.Add(cpu)
	most.Mul(int64(pods))
	memory.Mul(int64(pods))
	policy.Spec.MaxRoom = v1alpha1.HeadroomAmount{CPU: most, Memory: memory, Placeholders: new(int32(pods))}
	return policy
}

func headroomPolicy(name string) *v1alpha1.HeadroomPolicy {
	return &v1alpha1.HeadroomPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.HeadroomPolicyKind},
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: v1alpha1.HeadroomPolicySpec{Mode: v1alpha1.ModeAuto},
	}
}
