package status

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestPodState has the states that kubectl shows (pkg/printers/internalversion, TestPrintPod).
func TestPodState(t *testing.T) {
	waiting := func(reason string) corev1.ContainerState {
		return corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason}}
	}
	ended := func(code int32, reason string) corev1.ContainerState {
		return corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: code, Reason: reason}}
	}
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}
	of := func(states ...corev1.ContainerState) []corev1.ContainerStatus {
		var all []corev1.ContainerStatus
		for i, state := range states {
			all = append(all, corev1.ContainerStatus{Name: string(rune('a' + i)), State: state})
		}
		return all
	}
	always := corev1.ContainerRestartPolicyAlways
	sidecar := []corev1.Container{{Name: "a", RestartPolicy: &always}, {Name: "b"}}
	started := of(running, running)
	started[0].Started = new(true)
	for name, tc := range map[string]struct {
		pod  corev1.Pod
		want string
	}{
		"runs":                        {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(running)}}, "Running"},
		"has no node":                 {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending}}, "Pending"},
		"was evicted":                 {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, Reason: "Evicted"}}, "Evicted"},
		"is gated":                    {corev1.Pod{Spec: corev1.PodSpec{SchedulingGates: []corev1.PodSchedulingGate{{Name: "x"}}}, Status: corev1.PodStatus{Phase: corev1.PodPending}}, "SchedulingGated"},
		"is deleted":                  {corev1.Pod{ObjectMeta: metav1.ObjectMeta{DeletionTimestamp: &metav1.Time{Time: time.Unix(1, 0)}}, Status: corev1.PodStatus{Phase: corev1.PodRunning}}, "Terminating"},
		"the first that waits counts": {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(waiting("CrashLoopBackOff"), waiting("ImagePullBackOff"))}}, "CrashLoopBackOff"},
		"one completed, one runs":     {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodRunning, ContainerStatuses: of(ended(0, "Completed"), running)}}, "Running"},
		"all completed":               {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodSucceeded, ContainerStatuses: of(ended(0, "Completed"))}}, "Completed"},
		"no reason, an exit code":     {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: of(ended(3, ""))}}, "ExitCode:3"},
		"no reason, a signal": {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodFailed, ContainerStatuses: of(corev1.ContainerState{
			Terminated: &corev1.ContainerStateTerminated{Signal: 9, ExitCode: 137},
		})}}, "Signal:9"},
		"the second of two init containers": {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(ended(0, "Completed"), running)}}, "Init:1/2"},
		"an init container failed":          {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(ended(1, "Error"), waiting("PodInitializing"))}}, "Init:Error"},
		"an init container waits":           {corev1.Pod{Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: of(waiting("ImagePullBackOff"))}}, "Init:ImagePullBackOff"},
		"a sidecar has started": {corev1.Pod{
			Spec: corev1.PodSpec{InitContainers: sidecar}, Status: corev1.PodStatus{Phase: corev1.PodPending, InitContainerStatuses: started},
		}, "Init:1/2"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := PodState(&tc.pod); got != tc.want {
				t.Errorf("got %s, want %s", got, tc.want)
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
