package rules

import (
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ownersWaiting are the owners that create no replacement until their deleted pods are gone. A ReplicaSet creates one at once.
func ownersWaiting(q query.Query, pods []*corev1.Pod) []finding.Link {
	var links []finding.Link
	for _, pod := range pods {
		link, ok := ownerWaiting(q, pod)
		if ok && !slices.ContainsFunc(links, func(l finding.Link) bool { return l.Message.Equal(link.Message) }) {
			links = append(links, link)
		}
	}
	return links
}

// ownerWaiting says how the owner of a deleted pod waits for its end; false if it does not.
//
// Sources: pkg/controller/job, FailureTarget and podReplacementPolicy; pkg/controller/deployment, rolloutRecreate; pkg/controller/
// daemon, podsShouldBeOnNode.
func ownerWaiting(q query.Query, pod *corev1.Pod) (finding.Link, bool) {
	switch owner := q.World.Owner(pod).(type) {
	case *batchv1.Job:
		return jobWaiting(q, owner)
	case *appsv1.DaemonSet:
		ref := facts.RefTo(cluster.DaemonSet, owner)
		return finding.Link{
			Message:  sentence.DaemonSetWaits(ref, facts.NodeRef(pod.Spec.NodeName)),
			Evidence: []finding.Evidence{facts.OwnerEvidence(facts.RefTo(cluster.Pod, pod), pod)},
		}, true
	case *appsv1.ReplicaSet:
		d, ok := q.World.Owner(owner).(*appsv1.Deployment)
		if !ok || d.Spec.Strategy.Type != appsv1.RecreateDeploymentStrategyType || owner.Annotations[status.Revision] == d.Annotations[status.Revision] {
			return finding.Link{}, false
		}
		ref := facts.RefTo(cluster.Deployment, d)
		return finding.Link{
			Message:  sentence.RecreateWaits(ref),
			Evidence: []finding.Evidence{facts.Evidence(ref, "spec.strategy.type", string(d.Spec.Strategy.Type))},
		}, true
	default:
		return finding.Link{}, false
	}
}

func jobWaiting(q query.Query, job *batchv1.Job) (finding.Link, bool) {
	ref := facts.RefTo(cluster.Job, job)
	var waiting any = "" // The CronJob that creates no other Job until this one has finished.
	if cron, ok := q.World.Owner(job).(*batchv1.CronJob); ok && cron.Spec.ConcurrencyPolicy == batchv1.ForbidConcurrent {
		waiting = facts.RefTo(cluster.CronJob, cron)
	}
	for _, kind := range []batchv1.JobConditionType{batchv1.JobFailureTarget, batchv1.JobSuccessCriteriaMet} {
		if c := kube.TrueJobCondition(job, kind); c != nil {
			return finding.Link{Message: sentence.JobWaitsToEnd(ref, waiting), Evidence: []finding.Evidence{
				facts.EvidenceSince(ref, "status.conditions["+string(c.Type)+"]", string(c.Status), c.LastTransitionTime),
			}}, true
		}
	}
	if p := job.Spec.PodReplacementPolicy; p != nil && *p == batchv1.Failed {
		return finding.Link{Message: sentence.JobWaitsToReplace(ref, waiting), Evidence: []finding.Evidence{
			facts.Evidence(ref, "spec.podReplacementPolicy", string(*p)),
		}}, true
	}
	return finding.Link{}, false
}
