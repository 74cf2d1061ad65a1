package nodes

import (
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// TestResumedPods takes up pods that a real kubelet has reported on: nothing of what it said is written anew.
func TestResumedPods(t *testing.T) {
	begun := metav1.NewTime(epoch.Add(-time.Hour))
	conditions := func(ready corev1.ConditionStatus) []corev1.PodCondition {
		var all []corev1.PodCondition
		for _, kind := range []corev1.PodConditionType{
			corev1.PodReadyToStartContainers, corev1.PodInitialized, corev1.PodReady, corev1.ContainersReady, corev1.PodScheduled,
		} {
			c := corev1.PodCondition{Type: kind, Status: corev1.ConditionTrue, LastTransitionTime: begun}
			if ready != corev1.ConditionTrue && (kind == corev1.PodReady || kind == corev1.ContainersReady) {
				c.Status, c.Reason, c.Message = ready, "ContainersNotReady", "containers with unready status: [app]"
			}
			all = append(all, c)
		}
		return all
	}
	status := func(phase corev1.PodPhase, ready corev1.ConditionStatus, app corev1.ContainerStatus) corev1.PodStatus {
		app.Name, app.Image = "app", "registry.example.com/app:1"
		return corev1.PodStatus{
			Phase: phase, Conditions: conditions(ready), StartTime: &begun,
			HostIP: "10.0.0.1", HostIPs: []corev1.HostIP{{IP: "10.0.0.1"}, {IP: "2001:db8::1"}},
			PodIP: "10.0.7.7", PodIPs: []corev1.PodIP{{IP: "10.0.7.7"}, {IP: "2001:db8::7"}},
			ContainerStatuses: []corev1.ContainerStatus{app},
		}
	}
	for name, reported := range map[string]corev1.PodStatus{
		"running": status(corev1.PodRunning, corev1.ConditionTrue, corev1.ContainerStatus{
			ContainerID: "containerd://4f2a", ImageID: "registry.example.com/app@sha256:77", Ready: true, Started: new(true), RestartCount: 3,
			State:                corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: begun}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled", FinishedAt: begun}},
			VolumeMounts:         []corev1.VolumeMountStatus{{Name: "data", MountPath: "/data"}},
			User:                 &corev1.ContainerUser{Linux: &corev1.LinuxContainerUser{UID: 7}},
		}),
		"its image cannot be pulled": status(corev1.PodPending, corev1.ConditionFalse, corev1.ContainerStatus{
			Started: new(false),
			State:   corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "ImagePullBackOff", Message: "Back-off pulling image"}},
		}),
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{
				Spec: corev1.PodSpec{
					RestartPolicy: corev1.RestartPolicyAlways, Containers: []corev1.Container{{Name: "app", Image: "registry.example.com/app:1"}},
				},
				Status: reported,
			}
			pod.Annotations = map[string]string{AnnotationStartDelay: "1000h"}
			s := syncInput{now: epoch, canStart: true}
			l, _ := advance(pod, resume(pod), s)
			l.hasSandbox = true
			now := statusOf(pod, &pod.Status, l, addresses{pod: pod.Status.PodIP, host: pod.Status.HostIP}, s)
			patch, err := statusPatch(pod.UID, &pod.Status, now)
			if err != nil || patch != nil {
				t.Errorf("it is reported anew: %s %v", patch, err)
			}
		})
	}
}
