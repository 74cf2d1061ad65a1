package conformance

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/repair/memory"
)

// Other controllers would count budgets anew, and end pods of nodes that do not exist.
func TestMain(m *testing.M) {
	testbed.Main(m, controlplane.Options{Flags: map[controlplane.Component][]string{
		controlplane.ControllerManager: {"--controllers=-disruption-controller,-pod-garbage-collector-controller"},
	}})
}

// TestConformance makes the same calls on both, and demands the same answers.
func TestConformance(t *testing.T) {
	env := testbed.Shared(t)
	live, err := client.New(env.AdminConfig(), client.Options{Scheme: scheme.Scheme})
	if err != nil {
		t.Fatal(err)
	}
	for name, play := range plays {
		t.Run(name, func(t *testing.T) {
			want := told(t, live, play)
			made := memory.New(scheme.Scheme, []client.Object{&corev1.Pod{}, &corev1.Node{}, &policyv1.PodDisruptionBudget{}})
			if diff := cmp.Diff(want, told(t, made.Client, play)); diff != "" {
				t.Errorf("the real one and the one in memory differ (-real +memory):\n%s", diff)
			}
			t.Logf("both: %q", want)
		})
	}
}

// script makes calls and notes what came of them.
type script struct {
	*testing.T
	c     client.Client
	ns    string
	notes []string
}

func told(t *testing.T, c client.Client, play func(*script)) []string {
	s := &script{T: t, c: c, ns: namespace(t)}
	ns := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: s.ns}}
	s.must(c.Create(t.Context(), ns))
	// The account that pods of the namespace run as; a controller may be quicker to make it.
	s.must(client.IgnoreAlreadyExists(c.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "default", Namespace: s.ns}})))
	t.Cleanup(func() { _ = c.Delete(context.WithoutCancel(t.Context()), ns) })
	play(s)
	return s.notes
}

// namespace is one for each test.
func namespace(t *testing.T) string {
	_, name, _ := strings.Cut(strings.ToLower(t.Name()), "/")
	return strings.NewReplacer("_", "-", ",", "").Replace(name)
}

func (s *script) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// note is what came of a call: "ok", or the reason of the refusal and whose budget it was for.
func (s *script) note(what string, err error) {
	answer := "ok"
	if err != nil {
		answer = fmt.Sprint(apierrors.ReasonForError(err))
		if apierrors.HasStatusCause(err, policyv1.DisruptionBudgetCause) {
			answer += " for a budget"
		}
	}
	s.notes = append(s.notes, what+": "+answer)
}

// state is whether the pod is there, whether it is ending, and what its budget still allows.
func (s *script) state() {
	var pod corev1.Pod
	is := "there"
	switch err := s.c.Get(s.Context(), s.key("pod"), &pod); {
	case apierrors.IsNotFound(err):
		is = "gone"
	case err != nil:
		s.Fatal(err)
	case pod.DeletionTimestamp != nil:
		is = "ending"
	}
	var budget policyv1.PodDisruptionBudget
	if err := s.c.Get(s.Context(), s.key("budget"), &budget); err == nil {
		is += fmt.Sprintf(", %d allowed, %d disrupted", budget.Status.DisruptionsAllowed, len(budget.Status.DisruptedPods))
	}
	s.notes = append(s.notes, "the pod is "+is)
}

func (s *script) key(name string) types.NamespacedName {
	return types.NamespacedName{Namespace: s.ns, Name: name}
}

// pod is one on a node, in a phase, ready or not.
func (s *script) pod(phase corev1.PodPhase, ready corev1.ConditionStatus, change ...func(*corev1.Pod)) *corev1.Pod {
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: s.ns, Labels: map[string]string{"app": "web"}},
		Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "c", Image: "i"}}},
	}
	for _, c := range change {
		c(pod)
	}
	s.must(s.c.Create(s.Context(), pod))
	pod.Status.Phase = phase
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}
	s.must(s.c.Status().Update(s.Context(), pod))
	return pod
}

func (s *script) budget(name string, allowed, healthy, desired int32, change ...func(*policyv1.PodDisruptionBudget)) {
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: s.ns},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": "web"}}},
	}
	for _, c := range change {
		c(budget)
	}
	s.must(s.c.Create(s.Context(), budget))
	budget.Status = policyv1.PodDisruptionBudgetStatus{ObservedGeneration: budget.Generation, DisruptionsAllowed: allowed, CurrentHealthy: healthy, DesiredHealthy: desired, ExpectedPods: 3}
	s.must(s.c.Status().Update(s.Context(), budget))
}

func (s *script) evict(pod *corev1.Pod, options *metav1.DeleteOptions) {
	s.note("evict", s.c.SubResource("eviction").Create(s.Context(), pod, &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, Namespace: pod.Namespace}, DeleteOptions: options}))
	s.state()
}
