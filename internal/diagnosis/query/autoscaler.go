package query

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/duration"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// ScaleUpStage is how far an autoscaler has come with a node for a pod.
type ScaleUpStage int

// The stages.
const (
	ScaleUpRefused   ScaleUpStage = iota + 1 // no node would do, or none may be added
	ScaleUpRequested                         // a node has been asked for
	ScaleUpFailed                            // the cloud gave none
)

// AutoscalerReport is the last that one autoscaler says of a pod without a node.
type AutoscalerReport struct {
	Stage ScaleUpStage
	Event *corev1.Event
	// Source is who says it, as the Event has it.
	Source string
	// Karpenter says that it is Karpenter, which adds nodes of NodePools; cluster-autoscaler sizes groups.
	Karpenter bool
}

// clusterAutoscalerStages are those of cluster-autoscaler's Events about pods.
//
// Sources: sigs.k8s.io/cluster-autoscaler, pkg/processors/status/eventing_scale_up_processor.go; k8s.io/gke-autoscaling,
// cluster-autoscaler's pkg/events.
var clusterAutoscalerStages = map[string]ScaleUpStage{
	"NotTriggerScaleUp": ScaleUpRefused, "TriggeredScaleUp": ScaleUpRequested, "FailedScaleUp": ScaleUpFailed,
}

// karpenterStages are those of Karpenter's Events about pods. The scheduler uses the first, too: who says it tells them apart.
//
// Source: sigs.k8s.io/karpenter, pkg/events/reason.go.
var karpenterStages = map[string]ScaleUpStage{"FailedScheduling": ScaleUpRefused, "Nominated": ScaleUpRequested}

// karpenterSources are the names by which Karpenter reports, in EKS Auto Mode by the second.
var karpenterSources = []string{"karpenter", "eks-auto-mode/compute"}

// EventSource is who reports an event, in the field of either events API; empty if it does not say.
func EventSource(e *corev1.Event) string { return cmp.Or(e.ReportingController, e.Source.Component) }

// FromKarpenter reports whether Karpenter reports an event.
func FromKarpenter(e *corev1.Event) bool { return slices.Contains(karpenterSources, EventSource(e)) }

// AutoscalerReports are what the autoscalers say of a pod, the last of each, the newest first. Before a refusal because of a scale-up that
// failed stands that failure.
func AutoscalerReports(q Query, pod *corev1.Pod) []AutoscalerReport {
	var all []AutoscalerReport
	last := map[string]AutoscalerReport{}
	for _, e := range q.Events(pod) {
		s := AutoscalerReport{Event: e, Source: EventSource(e), Karpenter: FromKarpenter(e)}
		reasons := clusterAutoscalerStages
		if s.Karpenter {
			reasons = karpenterStages
		}
		s.Stage = reasons[e.Reason]
		newer, told := last[s.Source]
		if s.Stage == 0 || told && (s.Stage != ScaleUpFailed || !newer.inBackoff()) {
			continue
		}
		if f := s.failedScaleUp(q); f != nil && !told {
			last[s.Source] = AutoscalerReport{Stage: ScaleUpFailed, Event: f, Source: EventSource(f)}
			all = append(all, last[s.Source])
			continue
		}
		last[s.Source] = s
		if all = append(all, s); told { // The failure tells more than that it is not tried again yet.
			slices.Reverse(all[len(all)-2:])
		}
	}
	return all
}

// inBackoff reports whether groups are left alone after a scale-up that failed.
func (s AutoscalerReport) inBackoff() bool {
	return s.Stage == ScaleUpRefused && strings.Contains(s.Event.Message, "in backoff after failed scale-up")
}

// failedScaleUp is the last Event by which cluster-autoscaler told of a scale-up that failed, in the cloud's words, if it bears on what
// it says of the pod: the node that was asked for did not come, or none is asked for since. Upstream tells this only of its
// ConfigMap.
//
// Source: sigs.k8s.io/cluster-autoscaler, pkg/clusterstate and pkg/core/scaleup/orchestrator/executor.go.
func (s AutoscalerReport) failedScaleUp(q Query) *corev1.Event {
	if s.Stage != ScaleUpRequested && !s.inBackoff() || s.Karpenter {
		return nil
	}
	_, _, asked := Occurrences(s.Event)
	for _, e := range q.EventsNamed(clusterAutoscalerStatus, "ScaleUpFailed", "FailedToScaleUpGroup", "ScaleUpTimedOut") {
		if _, _, failed := Occurrences(e); EventSource(e) == s.Source && (s.inBackoff() || !failed.Before(&asked)) {
			return e
		}
	}
	return nil
}

// clusterAutoscalerStatus is the ConfigMap that cluster-autoscaler tells its Events about groups of, where it runs with its defaults.
var clusterAutoscalerStatus = change.Ref{Kind: string(cluster.ConfigMap), Namespace: metav1.NamespaceSystem, Name: "cluster-autoscaler-status"}

// AutoscalerLinks are what the autoscalers say of a pod, each with what it means.
func AutoscalerLinks(q Query, pod *corev1.Pod) []finding.Link {
	var links []finding.Link
	for _, s := range AutoscalerReports(q, pod) {
		links = append(links, finding.Link{Message: s.sentence(q), Evidence: []finding.Evidence{EventEvidence(s.Event)}})
		if s.limitingNodePool() != "" {
			links = append(links, LimitLinks(q, s.limitingNodePool())...)
		}
	}
	return links
}

// AutoscalerSummary is what an autoscaler says that belongs into the answer's first sentence; empty if nothing does.
func AutoscalerSummary(q Query, pod *corev1.Pod) message.Sentence {
	for _, s := range AutoscalerReports(q, pod) {
		if s.Stage != ScaleUpRefused || s.limitingNodePool() != "" {
			return s.sentence(q)
		}
	}
	return message.Sentence{}
}

// KarpenterReports reports whether Karpenter has told why it adds no node for a pod, or that it does.
func KarpenterReports(q Query, pod *corev1.Pod) bool {
	return slices.ContainsFunc(AutoscalerReports(q, pod), func(s AutoscalerReport) bool { return s.Karpenter })
}

func (s AutoscalerReport) sentence(q Query) message.Sentence {
	switch {
	case s.Stage == ScaleUpRequested:
		return s.requestedSentence(q)
	case s.Stage == ScaleUpFailed:
		zones, why := s.failedZones()
		return sentence.ScaleUpFailed(s.sourceName(), message.ListOf(zones), why, s.QuotaExceeded())
	case s.limitingNodePool() != "":
		return sentence.ScaleUpOverLimit(s.sourceName(), poolRef(s.limitingNodePool()))
	case s.Karpenter:
		return sentence.ScaleUpKarpenter(s.sourceName(), strings.TrimPrefix(s.Event.Message, "Failed to schedule pod, "))
	case countGroupsAtMaximum(s.Event) > 0:
		return sentence.CauseAutoscalerMax(countGroupsAtMaximum(s.Event), scaleUpReasons(s.Event))
	default:
		return sentence.CauseAutoscaler(scaleUpReasons(s.Event))
	}
}

// sourceName is the source in a sentence.
func (s AutoscalerReport) sourceName() message.Sentence {
	if s.Source == "" {
		return sentence.AutoscalerUnnamed()
	}
	return message.Verbatim(s.Source)
}

// maxSizeReached reads from cluster-autoscaler's words how many groups are at their maximum size
// (core/scaleup/orchestrator, MaxLimitReachedReason).
var maxSizeReached = regexp.MustCompile(`(\d+) max node group size reached`)

func countGroupsAtMaximum(e *corev1.Event) int {
	if found := maxSizeReached.FindStringSubmatch(e.Message); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

// GroupsAtMaximum reports whether the last that an autoscaler said of a pod is that groups are at their maximum size. Those that suit the
// pod then are: it would have added a node to any other.
func GroupsAtMaximum(q Query, pod *corev1.Pod) bool {
	return slices.ContainsFunc(AutoscalerReports(q, pod), func(s AutoscalerReport) bool {
		return s.Stage == ScaleUpRefused && !s.Karpenter && countGroupsAtMaximum(s.Event) > 0
	})
}

// ScaleUpPending reports whether an autoscaler has asked the cloud for a node for the pod since any came: then asking for a larger group
// helps no further.
func ScaleUpPending(q Query, pod *corev1.Pod) bool {
	return slices.ContainsFunc(AutoscalerReports(q, pod), func(s AutoscalerReport) bool {
		return s.Stage == ScaleUpFailed || s.Stage == ScaleUpRequested && len(s.nodesSince(q)) == 0
	})
}

// scaleUpReason is one of cluster-autoscaler's reasons with the count of groups that it gives it for. A reason may have commas and
// numbers in it: what does not read so stands in the words of the one before.
var scaleUpReason = regexp.MustCompile(`(?:^|, )(\d{1,6}) `)

// scaleUpReasonMessages are reasons of cluster-autoscaler that have sentences (core/scaleup/orchestrator, skippedreasons.go). The maximum
// size has one of its own.
var scaleUpReasonMessages = map[string]func(n int) message.Sentence{
	"in backoff after failed scale-up": sentence.ScaleReasonBackoff, "not ready for scale-up": sentence.ScaleReasonNotReady, "max node group size reached": nil,
}

// scaleUpReasons are the reasons why groups would not do, without the maximum size, each with how many groups it is given for.
func scaleUpReasons(e *corev1.Event) message.List {
	_, text, ok := strings.Cut(e.Message, ": ")
	if !ok || !strings.HasPrefix(e.Message, "pod didn't trigger scale-up") {
		return nil
	}
	var all message.List
	marks := scaleUpReason.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, sentence.ScaleReasonWhole(text))
		}
		return all
	}
	for i, mark := range marks {
		end := len(text)
		if i+1 < len(marks) {
			end = marks[i+1][0]
		}
		n, _ := strconv.Atoi(text[mark[2]:mark[3]])
		words := strings.TrimSpace(text[mark[1]:end])
		switch said, known := scaleUpReasonMessages[words]; {
		case !known:
			all = append(all, sentence.ScaleReason(n, words))
		case said != nil:
			all = append(all, said(n))
		}
	}
	return all
}

// zonalScaleUpFailure is GKE's sentence about a scale-up that failed (gke-autoscaling, zonalErrorMessageTemplate).
var zonalScaleUpFailure = regexp.MustCompile(`(?s)^Node scale up in zones (.+?) associated with this pod failed: (.+?)\.?(?: Pod is at risk of not being scheduled\.?)?$`)

// failedZones is where a scale-up failed, if that is told, and why, in the cloud's words.
func (s AutoscalerReport) failedZones() (zones []string, why string) {
	if match := zonalScaleUpFailure.FindStringSubmatch(s.Event.Message); match != nil {
		return strings.Split(match[1], ", "), match[2]
	}
	return nil, strings.TrimSuffix(s.Event.Message, ".")
}

// QuotaExceeded reports whether the cloud refused a node because a quota is used up.
func (s AutoscalerReport) QuotaExceeded() bool {
	return s.Stage == ScaleUpFailed && IsQuotaError(s.Event.Message)
}

// quotaErrors are words by which clouds say that a quota is used up: Google's, Azure's and Amazon's error codes.
var quotaErrors = []string{"quota", "vcpulimitexceeded", "instancelimitexceeded", "maxspotinstancecountexceeded"}

// IsQuotaError reports whether a cloud's words are about a quota.
func IsQuotaError(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc(quotaErrors, func(word string) bool { return strings.Contains(words, word) })
}

// RegionOfFailure is the region where a scale-up failed, if its zones tell it as Google names them: us-central1-c is in us-central1.
func (s AutoscalerReport) RegionOfFailure() string {
	zones, _ := s.failedZones()
	if len(zones) == 0 {
		return ""
	}
	if match := googleZone.FindStringSubmatch(zones[0]); match != nil {
		return match[1]
	}
	return ""
}

var googleZone = regexp.MustCompile(`^([a-z]+-[a-z]+[0-9]+)-[a-z]$`)

// resizedGroup reads cluster-autoscaler's list of the groups that it made larger: [{NAME 0->1 (max: 9)}].
var resizedGroup = regexp.MustCompile(`\{(\S+) (\d+)->(\d+) \(max: (\d+)\)\}`)

// nodeProvisionTimeout is how long cluster-autoscaler waits for a node before it gives it up (--max-node-provision-time), and Karpenter
// for one to register.
const nodeProvisionTimeout = 15 * time.Minute

func (s AutoscalerReport) requestedSentence(q Query) message.Sentence {
	var groups message.List
	for _, match := range resizedGroup.FindAllStringSubmatch(s.Event.Message, -1) {
		name := match[1][strings.LastIndex(match[1], "/")+1:] // Of Google's groups it gives addresses.
		groups = append(groups, sentence.ScaledGroup(name, match[2], match[3], match[4]))
	}
	_, _, last := Occurrences(s.Event)
	ago, overdue := "", false
	if !last.IsZero() {
		age := q.World.Taken().Sub(last.Time)
		ago, overdue = duration.HumanDuration(age), age > nodeProvisionTimeout
	}
	return sentence.ScaleUpAsked(s.sourceName(), ago, groups, s.Event.Message, q.Enumerate(s.nodesSince(q)), overdue, s.Karpenter)
}

// nodesSince are the nodes made since the autoscaler last asked for one.
func (s AutoscalerReport) nodesSince(q Query) []change.Ref {
	_, _, last := Occurrences(s.Event)
	var refs []change.Ref
	for _, node := range q.World.Nodes() {
		if !last.IsZero() && node.CreationTimestamp.After(last.Time) {
			refs = append(refs, facts.RefTo(cluster.Node, node))
		}
	}
	return refs
}

// Occurrences reads how often and when an event happened, written through either events API.
func Occurrences(e *corev1.Event) (count int, first, last metav1.Time) {
	count, first, last = int(e.Count), e.FirstTimestamp, e.LastTimestamp
	if first.IsZero() {
		first = metav1.Time{Time: e.EventTime.Time}
	}
	if last.IsZero() {
		last = first
	}
	if e.Series != nil {
		count, last = int(e.Series.Count), metav1.Time{Time: e.Series.LastObservedTime.Time}
	}
	return count, first, last
}
