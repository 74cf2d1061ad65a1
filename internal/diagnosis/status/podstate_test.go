package status

import (
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	"k8s.io/kubernetes/pkg/printers"
	"k8s.io/kubernetes/pkg/printers/internalversion"
)

// stateOf is what kubectl's printer writes in STATUS.
func stateOf(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	generator := printers.NewTableGenerator()
	internalversion.AddHandlers(generator)
	var internal core.Pod
	if err := corev1conversion.Convert_v1_Pod_To_core_Pod(pod.DeepCopy(), &internal, nil); err != nil {
		t.Fatal(err)
	}
	table, err := generator.GenerateTable(&internal, printers.GenerateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(table.ColumnDefinitions, func(c metav1.TableColumnDefinition) bool { return c.Name == "Status" })
	return table.Rows[0].Cells[at].(string)
}

// TestPodState holds each state to kubectl's printer.
func TestPodState(t *testing.T) {
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	ended := func(code int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
	}
	killed := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{Signal: 9, ExitCode: 137}}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	of := func(states ...corev1.ContainerState) []corev1.ContainerStatus {
		var all []corev1.ContainerStatus
		for i, state := range states {
			all = append(all, corev1.ContainerStatus{Name: string(rune('a' + i)), State: state, Ready: state.Running != nil})
		}
		return all
	}
	is := func(kind corev1.PodConditionType) []corev1.PodCondition {
		return []corev1.PodCondition{{Type: kind, Status: corev1.ConditionTrue}}
	}
	always := corev1.ContainerRestartPolicyAlways
	sidecar := corev1.PodSpec{InitContainers: []corev1.Container{{Name: "a", RestartPolicy: &always}, {Name: "b"}}}
	inits := corev1.PodSpec{InitContainers: []corev1.Container{{Name: "a"}, {Name: "b"}}}
	started := of(running, running)
	started[0].Started = new(true)
	deleted := metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}
	for name, tc := range map[string]struct {
		pod  corev1.Pod
		want string
	}{
		"runs":             {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(running)}}, "Running"},
		"has no node":      {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending}}, "Pending"},
		"has a node alone": {corev1.Pod{Spec: corev1.PodSpec{NodeName: "n"}, Status: corev1.PodStatus{Phase: corev1.PodPending}}, "Pending"},
		"is created":       {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: of(waiting("ContainerCreating"))}}, "ContainerCreating"},
		"was evicted":      {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}}, "Evicted"},
		"was evicted while it ran": {corev1.Pod{Status: corev1.PodStatus{
			Phase: corev1.PodFailed, Reason: "Evicted", ContainerStatuses: of(ended(137, "ContainerStatusUnknown")),
		}}, "ContainerStatusUnknown"},
		"is gated": {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, Conditions: []corev1.PodCondition{
			{Type: corev1.PodScheduled, Status: corev1.ConditionFalse, Reason: corev1.PodReasonSchedulingGated},
		}}}, "SchedulingGated"},
		"is deleted":                      {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodRunning}}, "Terminating"},
		"is deleted, and waited":          {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodPending, ContainerStatuses: of(waiting("ImagePullBackOff"))}}, "Terminating"},
		"is deleted and succeeded":        {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: of(ended(0, "Completed"))}}, "Completed"},
		"is deleted and failed":           {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: of(ended(1, "Error"))}}, "Error"},
		"is deleted and was evicted":      {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}}, "Evicted"},
		"is deleted, its node is lost":    {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodRunning, Reason: "NodeLost"}}, "Unknown"},
		"ended, deleted, its node lost":   {corev1.Pod{ObjectMeta: deleted, Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "NodeLost"}}, "Unknown"},
		"its node is lost":                {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, Reason: "NodeLost"}}, "NodeLost"},
		"the first that waits counts":     {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(waiting("CrashLoopBackOff"), waiting("ImagePullBackOff"))}}, "CrashLoopBackOff"},
		"one completed, one runs":         {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(ended(0, "Completed"), running)}}, "NotReady"},
		"one completed, the pod is ready": {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(ended(0, "Completed"), running), Conditions: is(corev1.PodReady)}}, "Running"},
		"one completed, one failed":       {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(ended(0, "Completed"), ended(2, "Error"))}}, "Error"},
		"all completed":                   {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: of(ended(0, "Completed"))}}, "Completed"},
		"no reason, an exit code":         {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: of(ended(3, ""))}}, "ExitCode:3"},
		"no reason, a signal":             {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: of(killed)}}, "Signal:9"},
		"the second of two init containers": {corev1.Pod{
			Spec: inits, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(ended(0, "Completed"), running)},
		}, "Init:1/2"},
		"the second was not reported":      {corev1.Pod{Spec: inits, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(running)}}, "Init:0/2"},
		"an init container failed":         {corev1.Pod{Spec: inits, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(ended(1, "Error"), waiting("PodInitializing"))}}, "Init:Error"},
		"an init container failed, a code": {corev1.Pod{Spec: inits, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(ended(3, ""))}}, "Init:ExitCode:3"},
		"an init container was killed":     {corev1.Pod{Spec: inits, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(killed)}}, "Init:Signal:9"},
		"an init container waits":          {corev1.Pod{Spec: inits, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(waiting("ImagePullBackOff"))}}, "Init:ImagePullBackOff"},
		"a sidecar has started":            {corev1.Pod{Spec: sidecar, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: started}}, "Init:1/2"},
		"an init container runs again, later": {corev1.Pod{Spec: inits, Status: corev1.PodStatus{
			Phase: corev1.PodRunning, InitContainerStatuses: of(running), ContainerStatuses: of(waiting("CrashLoopBackOff")), Conditions: is(corev1.PodInitialized),
		}}, "CrashLoopBackOff"},
	} {
		t.Run(name, func(t *testing.T) {
			if got, theirs := PodState(&tc.pod), stateOf(t, &tc.pod); got != tc.want || got != theirs {
				t.Errorf("got %s, want %s; kubectl shows %s", got, tc.want, theirs)
			}
		})
	}
}

func TestSleepDuration(t *testing.T) {
	for _, tc := range []struct {
		command []string
		want    time.Duration
	}{
		{[]string{"sleep", "30"}, 30 * time.Second},
		{[]string{"/bin/sleep", "1.5m"}, 90 * time.Second},
		{[]string{"/bin/sh", "-c", "sleep 2h"}, 2 * time.Hour},
		{[]string{"sh", "-ec", "  exec   sleep 5s "}, 5 * time.Second},
		{[]string{"sleep", "infinity"}, endless},
		{[]string{"sleep", "99999999999999999999d"}, endless},
		{[]string{"sh", "-c", "sleep 5; nginx -s quit"}, 0}, // It does something else as well.
		{[]string{"sh", "-c", "sleep $DELAY"}, 0},
		{[]string{"sleep"}, 0},
		{[]string{"sleep", "5", "6"}, 0},
		{[]string{"nosleep", "5"}, 0},
		{nil, 0},
	} {
		if got := sleepDuration(tc.command); got != tc.want {
			t.Errorf("%q: got %s, want %s", tc.command, got, tc.want)
		}
	}
}
