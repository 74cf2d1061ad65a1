package scheduling

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

// PlainFit is Fit without what makes it fast.
var PlainFit = (*Judge).plainFit

// PlainPreempt is Preempt without what makes it fast.
func (j *Judge) PlainPreempt(ctx context.Context, pod *corev1.Pod) ([]Preemption, error) {
	a, err := j.attempt(ctx, pod)
	if err != nil {
		return nil, err
	}
	return a.preempt(ctx, &j.tenants, otherOrders)
}

// Requests is how many requests the plugins have sent to a cluster.
func Requests(j *Judge) int64 { return j.refusal.requests.Load() }

// Bind has the plugins bind a pod.
func Bind(ctx context.Context, j *Judge, pod *corev1.Pod, node string) error {
	p, err := j.profile(pod)
	if err != nil {
		return err
	}
	return p.framework.RunBindPlugins(ctx, framework.NewCycleState(), pod, node).AsError()
}

// Client is what plugins write with.
func Client(j *Judge) kubernetes.Interface {
	return j.profiles[corev1.DefaultSchedulerName].framework.ClientSet()
}

// Forget makes the judge forget which nodes have changed.
func Forget(j *Judge) {
	news := &j.board.news
	news.forgotten, news.slots = news.forgotten+len(news.slots)+1, nil
}
