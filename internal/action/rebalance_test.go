package action

import (
	"strconv"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
)

var rebalanceStart = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// evictions is a Remediation of three evictions: two of one owner in the first wave, and one in the second.
func evictions(phase v1alpha1.Phase, steps ...v1alpha1.Step) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: "r"}}
	r.Status.Phase, r.Status.Steps, r.Status.Forecast = phase, steps, &v1alpha1.Forecast{}
	for i, pod := range []struct {
		name, owner, node string
		wave              int
	}{{"web-1", "web", "n2", 1}, {"web-2", "web", "n3", 1}, {"api-1", "api", "n3", 2}} {
		r.Spec.Changes = append(r.Spec.Changes, v1alpha1.Eviction("shop", pod.name, types.UID(pod.name), pod.wave))
		r.Status.Forecast.Pods = append(r.Status.Forecast.Pods, v1alpha1.PodForecast{
			Namespace: "shop", Name: pod.name, Change: int32(i), Fate: "Moved", Node: pod.node, Nodes: []string{pod.node},
			Owner: &v1alpha1.OwnerReference{Kind: "ReplicaSet", Name: pod.owner, UID: types.UID(pod.owner)},
		})
	}
	return r
}

// open is a step that has not ended, and over one that has.
func open(name v1alpha1.StepName, change int32, ago time.Duration) v1alpha1.Step {
	return v1alpha1.Step{Name: name, Change: change, StartedAt: metav1.NewMicroTime(rebalanceStart.Add(-ago))}
}

func over(name v1alpha1.StepName, change int32, result v1alpha1.StepResult, node string) v1alpha1.Step {
	s := open(name, change, time.Minute)
	s.EndedAt, s.Result = new(metav1.NewMicroTime(rebalanceStart)), result
	if node != "" {
		s.Operation = "node/" + node
	}
	return s
}

// created is a world with pods that were created half a minute ago, each an owner and a node.
func created(pods ...[2]string) *cluster.Snapshot {
	contents := cluster.Contents{Taken: rebalanceStart}
	for i, pod := range pods {
		contents.Objects = append(contents.Objects, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{
				Namespace: "shop", Name: pod[0] + "-new-" + string(rune('a'+i)), UID: types.UID("new-" + string(rune('a'+i))), CreationTimestamp: metav1.NewTime(rebalanceStart.Add(-30 * time.Second)),
				OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", Name: pod[0], UID: types.UID(pod[0]), Controller: new(true)}},
			},
			Spec:   corev1.PodSpec{NodeName: pod[1]},
			Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}},
		})
	}
	return cluster.New(contents)
}

// told is what a transition does, in a word or two.
func told(t rebalanceTransition) string {
	text := string(t.effect)
	if t.end != nil {
		text += " end:" + string(t.end.result) + t.end.operation
	}
	if t.begin != nil {
		text += " begin:" + string(t.begin.Name) + strconv.Itoa(int(t.begin.Change))
	}
	if t.conclude != nil {
		text += " " + t.conclude.reason
	}
	if text == "" && t.requeueAfter > 0 {
		text = "wait"
	}
	return text
}

func TestNextEviction(t *testing.T) {
	const act, wait, done, failed = v1alpha1.StepAct, v1alpha1.StepWait, v1alpha1.StepDone, v1alpha1.StepFailed
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", UID: "web-1"}}
	running := func(steps ...v1alpha1.Step) *v1alpha1.Remediation { return evictions(v1alpha1.PhaseRunning, steps...) }
	protected := pod.DeepCopy()
	protected.Annotations = map[string]string{v1alpha1.DoNotDisruptAnnotation: "true"}
	annotated := running(open(act, 0, 0))
	annotated.Annotations = map[string]string{v1alpha1.RemediationAbortAnnotation: "true"}
	rejected := running(open(act, 0, 0))
	rejected.Spec.Approval = v1alpha1.Rejected
	deleted := running(open(act, 0, 0))
	deleted.DeletionTimestamp = new(metav1.NewTime(rebalanceStart))
	forgotten := running(open(act, 0, 0))
	forgotten.Status.Forecast = nil
	firstWave := []v1alpha1.Step{over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, done, "n2"), over(wait, 1, done, "n3")}
	for name, tc := range map[string]struct {
		r    *v1alpha1.Remediation
		edit func(*rebalanceObservation)
		want string
	}{
		"proposed":                        {evictions(v1alpha1.PhaseProposed), nil, "start"},
		"proposed, and obsolete":          {evictions(v1alpha1.PhaseProposed), func(s *rebalanceObservation) { s.obsolete = true }, " NotNeeded"},
		"the policy is gone":              {evictions(v1alpha1.PhaseProposed), func(s *rebalanceObservation) { s.policy = nil }, " NotAsked"},
		"ended":                           {evictions(v1alpha1.PhaseEnded), nil, ""},
		"being deleted":                   {deleted, nil, ""},
		"aborted":                         {annotated, nil, " end:Skipped Aborted"},
		"rejected":                        {rejected, nil, " end:Skipped Rejected"},
		"a pod that is there":             {running(open(act, 0, 0)), func(s *rebalanceObservation) { s.pod = pod }, "evictPod"},
		"a pod that is gone":              {running(open(act, 0, 0)), nil, " end:Done"},
		"a pod that may not go":           {running(open(act, 0, evictTimeout+time.Second)), func(s *rebalanceObservation) { s.pod = pod }, " end:Failed"},
		"the next of the wave":            {running(over(act, 0, done, "")), nil, " begin:Act1"},
		"none after one that failed":      {running(over(act, 0, failed, "")), nil, " GaveUp"},
		"the wave has gone":               {running(over(act, 0, done, ""), over(act, 1, done, "")), nil, " begin:Wait0"},
		"waited for, what has gone":       {running(over(act, 0, done, ""), over(act, 1, failed, "")), nil, " begin:Wait0"},
		"nothing in its place":            {running(over(act, 0, done, ""), over(act, 1, done, ""), open(wait, 0, 0)), nil, "wait"},
		"nothing in its place for long":   {running(over(act, 0, done, ""), over(act, 1, done, ""), open(wait, 0, replacedTimeout+time.Second)), nil, " end:Failed"},
		"a pod in its place":              {running(over(act, 0, done, ""), over(act, 1, done, ""), open(wait, 0, 0)), func(s *rebalanceObservation) { s.world = created([2]string{"web", "n3"}) }, " end:Donenode/n3"},
		"another's pod":                   {running(over(act, 0, done, ""), over(act, 1, done, ""), open(wait, 0, 0)), func(s *rebalanceObservation) { s.world = created([2]string{"api", "n3"}) }, "wait"},
		"one pod in place of two":         {running(over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, done, "n3"), open(wait, 1, 0)), func(s *rebalanceObservation) { s.world = created([2]string{"web", "n3"}) }, "wait"},
		"two pods in place of two":        {running(over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, done, "n3"), open(wait, 1, 0)), func(s *rebalanceObservation) { s.world = created([2]string{"web", "n3"}, [2]string{"web", "n2"}) }, " end:Donenode/n2"},
		"the next wave":                   {running(firstWave...), nil, "nextWave"},
		"none of the wave while paused":   {running(over(act, 0, done, "")), func(s *rebalanceObservation) { s.policy.Spec.Paused = true }, " begin:Wait0"},
		"not evicted while paused":        {running(open(act, 0, 0)), func(s *rebalanceObservation) { s.pod, s.policy.Spec.Paused = pod, true }, " end:Skipped"},
		"not evicted in mode Report":      {running(open(act, 0, 0)), func(s *rebalanceObservation) { s.pod, s.policy.Spec.Mode = pod, v1alpha1.ModeReport }, " end:Skipped"},
		"not evicted without approval":    {running(open(act, 0, 0)), func(s *rebalanceObservation) { s.pod, s.policy.Spec.Mode = pod, v1alpha1.ModeApprove }, " end:Skipped"},
		"a pod that people protect":       {running(open(act, 0, 0)), func(s *rebalanceObservation) { s.pod = protected }, " end:Failed"},
		"gone, and paused":                {running(open(act, 0, 0)), func(s *rebalanceObservation) { s.policy.Spec.Paused = true }, " end:Done"},
		"no next wave while paused":       {running(firstWave...), func(s *rebalanceObservation) { s.policy.Spec.Paused = true }, " NotAsked"},
		"the two have changed places":     {running(over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, done, "n3"), over(wait, 1, done, "n2")), nil, "nextWave"},
		"one elsewhere":                   {running(over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, done, "n9"), over(wait, 1, done, "n3")), nil, "nextWave"},
		"none after one that is lost":     {running(over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, failed, ""), over(wait, 1, done, "n3")), nil, " DidNotHelp"},
		"all":                             {running(append(firstWave, over(act, 2, done, ""), over(wait, 2, done, "n3"))...), nil, "nextWave"},
		"no forecast":                     {forgotten, nil, " end:Skipped GaveUp"},
		"no steps":                        {running(), nil, " GaveUp"},
		"a step of an unknown eviction":   {running(open(act, 7, 0)), nil, " end:Skipped GaveUp"},
		"a wait for what was not evicted": {running(open(wait, 0, 0)), nil, " end:Skipped GaveUp"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rebalanceObservation{now: rebalanceStart, policy: &v1alpha1.RebalancePolicy{Spec: v1alpha1.RebalancePolicySpec{Mode: v1alpha1.ModeAuto}}, world: created()}
			if tc.edit != nil {
				tc.edit(&s)
			}
			if got := told(nextEviction(tc.r, s)); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// What follows a wave depends on the balance; where pods have landed only tells how a plan is given up.
func TestAfterWave(t *testing.T) {
	const act, wait, done = v1alpha1.StepAct, v1alpha1.StepWait, v1alpha1.StepDone
	first := func(nodes ...string) []v1alpha1.Step {
		return []v1alpha1.Step{over(act, 0, done, ""), over(act, 1, done, ""), over(wait, 0, done, nodes[0]), over(wait, 1, done, nodes[1])}
	}
	second := func(node string) []v1alpha1.Step {
		return append(first("n2", "n3"), over(act, 2, done, ""), over(wait, 2, done, node))
	}
	for name, tc := range map[string]struct {
		steps []v1alpha1.Step
		holds bool
		want  string
	}{
		"the rest holds":                   {first("n2", "n3"), true, " begin:Act2"},
		"the rest holds, one elsewhere":    {first("n2", "n9"), true, " begin:Act2"},
		"the rest does not":                {first("n2", "n3"), false, " GaveUp"},
		"the rest does not, one elsewhere": {first("n2", "n9"), false, " NotAsForecast"},
		"in balance":                       {second("n3"), true, " AsForecast"},
		"in balance, one elsewhere":        {second("n9"), true, " AsForecast"},
		"not in balance":                   {second("n3"), false, " NotAsForecast"},
	} {
		t.Run(name, func(t *testing.T) {
			s := rebalanceObservation{now: rebalanceStart, policy: &v1alpha1.RebalancePolicy{}}
			if got := told(afterWave(evictions(v1alpha1.PhaseRunning, tc.steps...), s, tc.holds)); got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
		})
	}
}

// Whatever a status says, the next transition is decided without a panic, and no pod is evicted that the plan does not name.
func TestForgedEvictions(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		r := evictions(rapid.SampledFrom([]v1alpha1.Phase{"", v1alpha1.PhaseProposed, v1alpha1.PhaseRunning, v1alpha1.PhaseEnded}).Draw(t, "phase"))
		if rapid.Bool().Draw(t, "no subject") {
			r.Spec.Changes[0].Subject = nil
		}
		r.Status.Forecast.Pods = r.Status.Forecast.Pods[:rapid.IntRange(0, 3).Draw(t, "forecasts")]
		for range rapid.IntRange(0, 6).Draw(t, "steps") {
			step := over(
				rapid.SampledFrom([]v1alpha1.StepName{v1alpha1.StepAct, v1alpha1.StepWait, v1alpha1.StepDrain}).Draw(t, "name"), rapid.Int32Range(0, 5).Draw(t, "change"),
				rapid.SampledFrom([]v1alpha1.StepResult{v1alpha1.StepDone, v1alpha1.StepFailed, v1alpha1.StepSkipped}).Draw(t, "result"), rapid.SampledFrom([]string{"", "n2", "n3", "n9"}).Draw(t, "node"))
			if rapid.Bool().Draw(t, "open") {
				step.EndedAt, step.Result = nil, ""
			}
			r.Status.Steps = append(r.Status.Steps, step)
		}
		s := rebalanceObservation{now: rebalanceStart, policy: &v1alpha1.RebalancePolicy{}, world: created([2]string{"web", "n2"}, [2]string{"api", "n3"})}
		next := nextEviction(r, s)
		if next.begin != nil && int(next.begin.Change) >= len(r.Spec.Changes) {
			t.Fatalf("an eviction begins that the plan does not have: %d", next.begin.Change)
		}
	})
}
