package diagnosis

import (
	"cmp"
	"context"
	"regexp"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Scope selects the pods and workloads of a question without a subject.
type Scope struct {
	// Namespace selects one namespace; empty selects all.
	Namespace string
	// Selector selects by labels; nil selects everything.
	Selector labels.Selector
}

func (s Scope) holds(o metav1.Object) bool {
	return (s.Namespace == "" || s.Namespace == o.GetNamespace()) && s.selects(o)
}

func (s Scope) selects(o metav1.Object) bool {
	return s.Selector == nil || s.Selector.Matches(labels.Set(o.GetLabels()))
}

// workloadKinds are the kinds that create pods, or Jobs.
var workloadKinds = []cluster.Kind{
	cluster.Deployment, cluster.StatefulSet, cluster.DaemonSet, cluster.ReplicaSet, cluster.Job, cluster.CronJob,
}

// Overview explains every pod that should run and does not, and every workload that lacks pods for a reason that none of its pods
// shows.
func Overview(ctx context.Context, q query.Query, scope Scope) finding.Overview {
	q.PresentOnly, q.ExplainFunc = true, Explain
	q = q.WithOnce()
	var all []finding.Explanation
	elsewhere, told := 0, map[string]bool{}
	shared := map[string]int{}
	for _, pod := range q.World.Pods() {
		if ctx.Err() != nil || !scope.selects(pod) || !shouldRunButDoesNot(q, pod) {
			continue
		}
		if !scope.holds(pod) {
			elsewhere++
			continue
		}
		for _, owner := range owners(q.World, pod) {
			told[string(owner.GetUID())] = true
		}
		key := explanationKey(q, pod)
		if i, ok := shared[key]; ok {
			all[i].Alike = append(all[i].Alike, facts.RefTo(cluster.Pod, pod))
			continue
		}
		shared[key] = len(all)
		all = append(all, q.Explain(ctx, facts.RefTo(cluster.Pod, pod)))
	}
	for _, kind := range workloadKinds {
		for _, o := range q.World.Objects(kind) {
			if scope.holds(o) && !facts.HoldsRoom(o) && !told[string(o.GetUID())] && isTopLevel(q, o) && critical(ctx, q, facts.RefTo(kind, o)) {
				all = append(all, q.Explain(ctx, facts.RefTo(kind, o)))
			}
		}
	}
	overview := finding.Overview{Elsewhere: elsewhere, Unknown: gapsOf(q, append([]cluster.Kind{cluster.Pod}, workloadKinds...))}
	overview.Explanations = query.List(slices.Concat(Causes(all)...))
	return overview
}

// critical reports whether a workload's state is critical, without running the rules, which only add to it.
func critical(ctx context.Context, q query.Query, ref change.Ref) bool {
	q.Subject = &ref
	return status.Of(ctx, q).Severity == finding.Critical
}

// shouldRunButDoesNot reports whether a pod should run and does not. Placeholder pods of HeadroomPolicies never count. Failed pods count only if nothing replaces them, and pods that
// are being deleted only if they are overdue.
func shouldRunButDoesNot(q query.Query, pod *corev1.Pod) bool {
	switch {
	case facts.HoldsRoom(pod):
		return false
	case pod.DeletionTimestamp != nil:
		return q.World.Taken().Sub(pod.DeletionTimestamp.Time) > status.Overdue
	case pod.Status.Phase == corev1.PodFailed:
		return metav1.GetControllerOfNoCopy(pod) == nil
	case pod.Status.Phase == corev1.PodSucceeded:
		return false
	default:
		return !status.IsKnownWell(q, pod)
	}
}

// owners are a pod's controllers, from the direct to the topmost.
func owners(world *cluster.Snapshot, pod *corev1.Pod) []metav1.Object {
	var owners []metav1.Object
	for owner := world.Owner(pod); owner != nil; owner = world.Owner(owner) {
		owners = append(owners, owner)
	}
	return owners
}

// explanationKey is the same for pods with the same explanation: those of one controller, in one state, on one node. Pods with claims
// are explained one by one.
func explanationKey(q query.Query, pod *corev1.Pod) string {
	owner := metav1.GetControllerOfNoCopy(pod)
	claims := facts.MountsClaim(pod)
	if owner == nil || claims || facts.WaitsForNode(pod) && owner.Kind == string(cluster.DaemonSet) {
		return pod.Namespace + "/" + pod.Name
	}
	place := ""
	if pod.Spec.NodeName != "" && query.NodeUnavailable(q.World, pod.Spec.NodeName) {
		place = pod.Spec.NodeName
	}
	return strings.Join([]string{string(owner.UID), status.PodState(pod), place}, " ")
}

// isTopLevel reports whether a workload's own state is examined: what a CronJob or Deployment owns is part of its state.
func isTopLevel(q query.Query, o metav1.Object) bool { return q.World.Owner(o) == nil }

// gapsOf are the gaps of a question that requires these kinds.
func gapsOf(q query.Query, kinds []cluster.Kind) []finding.Gap {
	s := status.Status{Query: q}
	s.Unknown = q.PartialGaps()
	s.AddUnknownKinds(kinds...)
	return query.List(s.Unknown)
}

// Causes groups explanations with the same cause, ordered by severity and then by the number of subjects.
func Causes(all []finding.Explanation) [][]finding.Explanation {
	var groups [][]finding.Explanation
	byCause := map[string]int{}
	for _, e := range all {
		code, said := cause(e)
		key := string(code) + said.Key()
		i, ok := byCause[key]
		if !ok {
			i = len(groups)
			byCause[key] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	slices.SortStableFunc(groups, compareGroups)
	return groups
}

// MergeSimilar merges causes that differ only in amounts: pods that lack more or less of a resource, or that have been restarted more
// or less often. The cause with the most subjects comes first.
func MergeSimilar(causes []RootCause) []RootCause {
	var groups []RootCause
	bySymptom := map[string]int{}
	for _, cause := range causes {
		key := symptom(cause.Explanations[0])
		i, ok := bySymptom[key]
		if !ok {
			i = len(groups)
			bySymptom[key] = i
			groups = append(groups, RootCause{})
		}
		groups[i].Explanations = append(groups[i].Explanations, cause.Explanations...)
		groups[i].Dependents = append(groups[i].Dependents, cause.Dependents...)
	}
	slices.SortStableFunc(groups, compareRootCauses)
	return groups
}

func compareGroups(a, b []finding.Explanation) int {
	return cmp.Or(cmp.Compare(a[0].Severity.Rank(), b[0].Severity.Rank()), cmp.Compare(concerned(b), concerned(a)))
}

// amounts matches amounts in the messages of other programs.
var amounts = regexp.MustCompile(`[0-9][0-9.]*(m|[KMGTPE]i?)?\b`)

// restarts are the sentences with a container's number of restarts as n.
var restarts = []message.ID{message.Crashes, message.CrashesOOM, message.CrashesProbe, message.CrashesFormat}

// symptom is a key of an explanation's cause, without amounts. For resources that nodes lack, only their kind counts; other numbers,
// such as exit codes, distinguish causes.
func symptom(e finding.Explanation) string {
	code, said := cause(e)
	return string(code) + said.Map(func(in message.ID, name string, value any) any {
		if code != finding.N504 {
			if name == "n" && slices.Contains(restarts, in) {
				return 0
			}
			return value
		}
		switch v := value.(type) {
		case int:
			return 0
		case string:
			return amounts.ReplaceAllString(v, "#")
		case change.Ref:
			if v.Kind == string(cluster.Node) {
				return change.Ref{Kind: v.Kind}
			}
		}
		return value
	}).Key()
}

// concerned is the number of subjects of explanations.
func concerned(all []finding.Explanation) int {
	n := 0
	for _, e := range all {
		n += 1 + len(e.Alike)
	}
	return n
}

// cause is an explanation's text without the names of its subjects, and the code of its finding.
func cause(e finding.Explanation) (finding.Code, message.Sentence) {
	subjects, code := []change.Ref{e.Subject}, finding.Code("")
	for _, f := range e.Findings {
		if f.Message.Equal(e.Summary) {
			subjects, code = append(subjects, f.Subjects...), f.Code
			break
		}
	}
	return code, e.Summary.Map(func(_ message.ID, _ string, value any) any {
		ref, ok := value.(change.Ref)
		if named, is := value.(change.NamespacedRef); is {
			ref, ok = change.Ref(named), true
		}
		if ok && ref.Kind != string(cluster.Node) && slices.ContainsFunc(subjects, func(s change.Ref) bool {
			return s.Kind == ref.Kind && s.Name == ref.Name && (s.Namespace == ref.Namespace || ref.Namespace == "")
		}) {
			return change.Ref{Kind: ref.Kind}
		}
		return value
	})
}
