package status

import (
	"context"
	"fmt"
	"slices"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Status builds the explanation of an object that is not waiting for the scheduler.
type Status struct {
	query.Query
	finding.Explanation
	ref change.Ref
	// ToldElsewhere says that the problem is reported for objects that the subject depends on, if they are reported at all.
	ToldElsewhere bool
}

// PresentCodes are the codes of present problems, as opposed to risks.
var PresentCodes = []finding.Code{finding.N101, finding.N104, finding.N201, finding.N205, finding.N301, finding.N303, finding.N401, finding.N404, finding.N405, finding.N501, finding.N504}

// AppendFindings omits duplicates: several pods may have the same finding.
func AppendFindings(all, more []finding.Finding) []finding.Finding {
	for _, f := range more {
		if !slices.ContainsFunc(all, func(g finding.Finding) bool { return g.Code == f.Code && g.Message.Equal(f.Message) }) {
			all = append(all, f)
		}
	}
	return all
}

// Of reads the subject's own state, without the rules.
func Of(ctx context.Context, q query.Query) *Status {
	s := &Status{Query: q, Explanation: finding.Explanation{Subject: *q.Subject}, ref: *q.Subject}
	switch o := q.World.Object(cluster.Kind(q.Subject.Kind), q.Subject.Namespace, q.Subject.Name).(type) {
	case *corev1.Pod:
		s.pod(o)
		s.explainNamedServices(ctx, o)
	case *corev1.Node:
		s.node(o)
	case *corev1.PersistentVolumeClaim:
		s.claim(ctx, o)
	case *corev1.PersistentVolume:
		s.volume(o)
	case *appsv1.Deployment:
		s.deployment(ctx, o)
	case *appsv1.ReplicaSet:
		s.replicaSet(ctx, o)
	case *appsv1.StatefulSet:
		s.statefulSet(ctx, o)
	case *appsv1.DaemonSet:
		s.daemonSet(ctx, o)
	case *batchv1.Job:
		s.job(ctx, o)
	case *batchv1.CronJob:
		s.cronJob(ctx, o)
	case *custom.NodePool:
		s.nodePool(o)
	case *custom.NodeClaim:
		s.nodeClaim(o)
	case *custom.Workload:
		s.workload(o)
	case nil:
		s.deleted()
	default:
		s.otherObject(ctx, o)
	}
	return s
}

// otherObject explains objects that are not pods, workloads or volumes.
func (s *Status) otherObject(ctx context.Context, o metav1.Object) {
	switch o := o.(type) {
	case *policyv1.PodDisruptionBudget:
		s.budget(ctx, o)
	case *corev1.Service:
		s.service(ctx, o)
	case *autoscalingv2.HorizontalPodAutoscaler:
		s.horizontalPodAutoscaler(ctx, o)
	case *corev1.Namespace:
		s.namespace(ctx, o)
	case *corev1.ResourceQuota:
		s.quota(o)
	case *networkingv1.Ingress:
		s.ingress(ctx, o)
	default:
		s.set("", "", sentence.StatusUntold(s.ref))
	}
}

// set sets the subject's state as kubectl shows it, its severity, and the summary.
func (s *Status) set(state string, severity finding.Severity, summary message.Sentence) {
	s.State, s.Severity, s.Summary = state, severity, summary
}

// addCause adds a link to the chain of causes.
func (s *Status) addCause(said message.Sentence, evidence ...finding.Evidence) {
	s.Causes = append(s.Causes, finding.Link{Message: said, Evidence: evidence})
}

// joinLastCause adds the latest link to the summary if the summary is the link before it: if no command solves the problem, the summary says
// what does.
func (s *Status) joinLastCause() {
	if n := len(s.Causes); n > 1 && s.Summary.Equal(s.Causes[n-2].Message) {
		s.Summary = message.Sequence(s.Summary, s.Causes[n-1].Message)
	}
}

// addRemedies adds remedies without duplicates: several pods may have the same.
func (s *Status) addRemedies(proposals ...finding.Remedy) {
	for _, proposal := range proposals {
		if !slices.ContainsFunc(s.Remedies, func(r finding.Remedy) bool { return r.Command == proposal.Command && r.Message.Equal(proposal.Message) }) {
			s.Remedies = append(s.Remedies, proposal)
		}
	}
}

// advise adds a remedy in words: what has to be done elsewhere than in the cluster, or needs a decision that no command can contain.
func (s *Status) advise(what message.Sentence) { s.addRemedies(finding.Remedy{Message: what}) }

// addUnknown adds something that is not known and would be needed.
func (s *Status) addUnknown(about any, said message.Sentence) {
	s.Unknown = append(s.Unknown, finding.Gap{About: fmt.Sprint(about), Message: said})
}

// AddUnknownKinds adds those of the kinds that are not known and would have helped.
func (s *Status) AddUnknownKinds(kinds ...cluster.Kind) {
	s.Unknown = append(s.Unknown, s.UnknownKinds(kinds...)...)
}

// age is the time since then, as kubectl writes it, 0s if then is later than the Snapshot; empty if unknown.
func (s *Status) age(then metav1.Time) string {
	if then.IsZero() {
		return ""
	}
	return duration.HumanDuration(max(0, s.since(then)))
}

// since is the time between then and the snapshot.
func (s *Status) since(then metav1.Time) time.Duration { return s.World.Taken().Sub(then.Time) }

// Overdue is how long after its grace period a pod may still exist before it counts as stuck: the kubelet kills what still runs by then, and
// confirms that within seconds.
const Overdue = 30 * time.Second
