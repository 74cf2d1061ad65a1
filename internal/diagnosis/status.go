package diagnosis

import (
	"context"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
)

// explainStatus says why a thing that is not waiting for the scheduler is as it is.
func explainStatus(ctx context.Context, v View) finding.Explanation {
	pod := v.pod()
	e := finding.Explanation{Subject: refTo(cluster.Pod, pod), State: podState(pod), Summary: podSummary(v, pod)}
	e.NotModelled = notModelled(v, pod)
	if pod.Status.Phase == corev1.PodPending {
		e.Findings, e.Unknown = find(ctx, Rules(), v)
	}
	if len(e.Findings) > 0 {
		e.Summary = e.Findings[0].Message
	}
	return e
}
