package forecasts

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestGeneratedWorlds says that made-up clusters have everything that they are to have, and that a seed makes the same one again.
func TestGeneratedWorlds(t *testing.T) {
	const worlds = 300
	var all strings.Builder
	tainted, zoned := 0, 0
	for seed := range uint64(worlds) {
		w := newWorld(seed)
		if diff := cmp.Diff(text(w.objects...), text(newWorld(seed).objects...)); diff != "" {
			t.Fatalf("world %d differs from itself:\n%s", seed, diff)
		}
		all.WriteString(text(w.objects...))
		for _, group := range w.groups {
			tainted += len(group.Taints)
			zoned += len(group.Zones)
		}
	}
	if tainted == 0 || zoned == 0 {
		t.Errorf("%d taints of groups, %d zones", tainted, zoned)
	}
	for _, has := range []string{
		"kind: Deployment", "kind: StatefulSet", "kind: DaemonSet", "kind: Job", "kind: Pod\n", "kind: ReplicaSet", "kind: PodDisruptionBudget",
		"kind: ResourceQuota", "kind: LimitRange", "kind: PersistentVolumeClaim", "volumeClaimTemplates", "ReadWriteOncePod",
		"type: Recreate", "paused: true", "type: OnDelete", "podManagementPolicy: Parallel", "suspend: true", "podFailurePolicy",
		"minAvailable", "maxUnavailable", "AlwaysAllow", "priorityClassName: low", "priorityClassName: patient",
		"runtimeClassName: heavy", "runtimeClassName: pinned", "nodeSelector", "operator: Exists", "DoNotSchedule", "ScheduleAnyway",
		"podAntiAffinity", "podAffinity", "hostPort", "schedulingGates", "restartPolicy: Always", "name: init\n", "limits:",
	} {
		if !strings.Contains(all.String(), has) {
			t.Errorf("no world of %d has %q", worlds, has)
		}
	}
}

// TestOmissions says when the answer keeps something back that the futures have.
func TestOmissions(t *testing.T) {
	waits := reality{
		Ending: ending{Workloads: map[string]string{"web": "1 waiting"}}, Worse: map[string][]string{"web": {"waits"}},
	}
	futures := func(with, without int) *forecast {
		f := &forecast{}
		for range with {
			f.endings = append(f.endings, ending{Workloads: map[string]string{"web": "1 waiting"}})
		}
		for range without {
			f.endings = append(f.endings, ending{Workloads: map[string]string{"web": "1 a"}})
		}
		return f
	}
	row := func(list, workload string) answer {
		return answer{lists: map[string]map[string]bool{list: {workload: true}}}
	}
	for name, tc := range map[string]struct {
		forecast *forecast
		answer   answer
		want     int
	}{
		"told":                        {futures(10, 0), row("waiting", "web"), 0},
		"told as delayed":             {futures(10, 0), row("delayed", "web"), 0},
		"told of another":             {futures(10, 0), row("waiting", "api"), 1},
		"told as something else":      {futures(10, 0), row("moved", "web"), 1},
		"kept back in half of them":   {futures(5, 5), answer{}, 1},
		"too rare for the answer":     {futures(1, 9), answer{}, 0},
		"only the answer is refused":  {futures(10, 0), answer{refused: "no"}, 1},
		"both say that it is refused": {&forecast{refused: "no"}, answer{refused: "no"}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			if differences := tc.forecast.omissions(waits, tc.answer); len(differences) != tc.want {
				t.Errorf("got %q, want %d", differences, tc.want)
			}
		})
	}
}

// TestPreemptionOmissions says when the answer keeps a preemption back: not if the workload ends like that mostly without one.
func TestPreemptionOmissions(t *testing.T) {
	came := reality{
		Ending: ending{Workloads: map[string]string{"web": "1 waiting"}}, Worse: map[string][]string{"web": {preempted}},
	}
	waiting := answer{lists: map[string]map[string]bool{"waiting": {"web": true}}}
	preempts := answer{lists: map[string]map[string]bool{preempted: {"web": true}}}
	for name, tc := range map[string]struct {
		with, without int
		answer        answer
		want          int
	}{
		"in most futures, kept back": {7, 3, waiting, 1},
		"in most futures, told":      {7, 3, preempts, 0},
		"in few futures, kept back":  {3, 7, waiting, 0},
	} {
		t.Run(name, func(t *testing.T) {
			f := &forecast{}
			for i := range tc.with + tc.without {
				e := ending{Fates: map[string]string{"web on n1": "1 gone"}, Workloads: map[string]string{"web": "1 waiting"}}
				if i < tc.with {
					e.Fates["web on n1"] = "1 " + preempted
				}
				f.endings = append(f.endings, e)
			}
			if differences := f.omissions(came, tc.answer); len(differences) != tc.want {
				t.Errorf("got %q, want %d", differences, tc.want)
			}
		})
	}
}
