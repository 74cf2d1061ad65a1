package scheduling_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/scheduling"
)

// chosen is a Preemption with its victims' names.
type chosen struct {
	Node       string
	Victims    []string
	Violations int
}

func namesOf(found []scheduling.Preemption) []chosen {
	var names []chosen
	for _, p := range found {
		c := chosen{Node: p.Node, Violations: p.Violations}
		for _, v := range p.Victims {
			c.Victims = append(c.Victims, v.Name)
		}
		names = append(names, c)
	}
	return names
}

func budget(app string, allowed int32) *policyv1.PodDisruptionBudget {
	return &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: app},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}},
		Status:     policyv1.PodDisruptionBudgetStatus{DisruptionsAllowed: allowed},
	}
}

func TestPreempt(t *testing.T) {
	never := corev1.PreemptNever
	for name, tc := range map[string]struct {
		world []runtime.Object
		pod   *corev1.Pod
		want  []chosen
	}{
		"it fits without": {
			world: []runtime.Object{node("n1"), pod("a", asking("2", "1Gi"), on("n1"))},
			pod:   pod("p", priority(10)),
		},
		"the least important": {
			world: []runtime.Object{
				node("n1"), pod("a", asking("2", "1Gi"), priority(5), on("n1")), pod("b", asking("2", "1Gi"), priority(1), on("n1")),
			},
			pod:  pod("p", priority(10)),
			want: []chosen{{Node: "n1", Victims: []string{"b"}}},
		},
		"every equally good node": {
			world: []runtime.Object{
				node("n1"), node("n2"), node("n3"),
				pod("a", asking("4", "1Gi"), priority(1), on("n1")), pod("b", asking("4", "1Gi"), priority(1), on("n2")),
				pod("c", asking("4", "1Gi"), priority(2), on("n3")),
			},
			pod:  pod("p", priority(10)),
			want: []chosen{{Node: "n1", Victims: []string{"a"}}, {Node: "n2", Victims: []string{"b"}}},
		},
		"every one of equals": {
			world: []runtime.Object{
				node("n1"), pod("a", asking("2", "1Gi"), priority(1), on("n1")), pod("b", asking("2", "1Gi"), priority(1), on("n1")),
			},
			pod:  pod("p", priority(10)),
			want: []chosen{{Node: "n1", Victims: []string{"b"}}, {Node: "n1", Victims: []string{"a"}}},
		},
		"a node that is as good as the best if the scheduler spares its equals in another order": {
			world: []runtime.Object{
				node("n1"), pod("a", asking("4", "1Gi"), priority(1), on("n1")),
				node("n2"), pod("b", asking("2", "1Gi"), priority(1), on("n2")), pod("c", asking("1", "1Gi"), priority(1), on("n2")), pod("d", asking("1", "1Gi"), priority(1), on("n2")),
			},
			pod:  pod("p", asking("2", "1Gi"), priority(10)),
			want: []chosen{{Node: "n1", Victims: []string{"a"}}, {Node: "n2", Victims: []string{"b"}}},
		},
		"a budget is spared": {
			world: []runtime.Object{
				node("n1"), node("n2"), budget("a", 0),
				pod("a", asking("4", "1Gi"), priority(1), on("n1")), pod("b", asking("4", "1Gi"), priority(2), on("n2")),
			},
			pod:  pod("p", priority(10)),
			want: []chosen{{Node: "n2", Victims: []string{"b"}}},
		},
		"a budget is broken if there is no other way": {
			world: []runtime.Object{node("n1"), budget("a", 0), pod("a", asking("4", "1Gi"), on("n1"))},
			pod:   pod("p", priority(10)),
			want:  []chosen{{Node: "n1", Victims: []string{"a"}, Violations: 1}},
		},
		"never": {
			world: []runtime.Object{node("n1"), pod("a", asking("4", "1Gi"), on("n1"))},
			pod:   pod("p", priority(10), func(p *corev1.Pod) { p.Spec.PreemptionPolicy = &never }),
		},
		"not its equals": {
			world: []runtime.Object{node("n1"), pod("a", asking("4", "1Gi"), priority(10), on("n1"))},
			pod:   pod("p", priority(10)),
		},
		"no eviction helps against a taint": {
			world: []runtime.Object{node("n1", tainted("x", corev1.TaintEffectNoSchedule)), pod("a", asking("4", "1Gi"), on("n1"))},
			pod:   pod("p", priority(10)),
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := newJudge(t, tc.world...).Preempt(t.Context(), tc.pod)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, namesOf(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// TestPlacePreempts asks with many seeds: every choice that Preempt tells of is one that Place makes.
func TestPlacePreempts(t *testing.T) {
	for name, snapshot := range map[string][]runtime.Object{
		"on one of two nodes": {
			node("n1"), node("n2"), pod("a", asking("4", "1Gi"), priority(1), on("n1")), pod("b", asking("4", "1Gi"), priority(1), on("n2")),
		},
		"one of two equals on one node": {
			node("n1"), pod("a", asking("2", "1Gi"), priority(1), on("n1")), pod("b", asking("2", "1Gi"), priority(1), on("n1")),
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge, asks := newJudge(t, snapshot...), pod("p", priority(10))
			told, err := judge.Preempt(t.Context(), asks)
			if err != nil {
				t.Fatal(err)
			}
			made := map[string]bool{}
			for seed := range uint64(30) {
				judge.Reseed(seed)
				placement, err := judge.Place(t.Context(), asks)
				if err != nil {
					t.Fatal(err)
				}
				made[placement.Preemption.Victims[0].Name] = true
			}
			for _, p := range told {
				if victim := p.Victims[0].Name; !made[victim] {
					t.Errorf("%s is never the victim", victim)
				}
			}
		})
	}
}
