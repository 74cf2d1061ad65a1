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

// ScaleUpStage is the stage of an autoscaler's scale-up for a pod.
type ScaleUpStage int

// The stages.
const (
	ScaleUpRefused   ScaleUpStage = iota + 1 // no node would be suitable, or none may be added
	ScaleUpRequested                         // a node was requested
	ScaleUpFailed                            // the cloud provided none
)

// AutoscalerReport is an autoscaler's last report about a Pending pod.
type AutoscalerReport struct {
	Stage ScaleUpStage
	Event *corev1.Event
	// Source is the component that reports it, as in the Event.
	Source string
	// Karpenter is set for Karpenter, which adds nodes of NodePools; cluster-autoscaler resizes groups.
	Karpenter bool
}

// clusterAutoscalerStages are the stages by the reasons of cluster-autoscaler's Events about pods.
//
// Sources: sigs.k8s.io/cluster-autoscaler, pkg/processors/status/eventing_scale_up_processor.go; k8s.io/gke-autoscaling,
// cluster-autoscaler's pkg/events.
var clusterAutoscalerStages = map[string]ScaleUpStage{
	"NotTriggerScaleUp": ScaleUpRefused, "TriggeredScaleUp": ScaleUpRequested, "FailedScaleUp": ScaleUpFailed,
}

// karpenterStages are the stages by the reasons of Karpenter's Events about pods. The scheduler uses the first reason, too; the source
// distinguishes them.
//
// Source: sigs.k8s.io/karpenter, pkg/events/reason.go.
var karpenterStages = map[string]ScaleUpStage{"FailedScheduling": ScaleUpRefused, "Nominated": ScaleUpRequested}

// karpenterSources are the sources of Karpenter's Events; the second is that of EKS Auto Mode.
var karpenterSources = []string{"karpenter", "eks-auto-mode/compute"}

// EventSource is the component that reported an Event, from the field of either events API; empty if not set.
func EventSource(e *corev1.Event) string { return cmp.Or(e.ReportingController, e.Source.Component) }

// FromKarpenter reports whether an Event is Karpenter's.
func FromKarpenter(e *corev1.Event) bool { return slices.Contains(karpenterSources, EventSource(e)) }

// AutoscalerReports are the last report of each autoscaler about a pod, the newest first. A refusal that follows from a failed scale-up
// comes after that failure.
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
		if all = append(all, s); told { // The failure says more than that there is no retry yet.
			slices.Reverse(all[len(all)-2:])
		}
	}
	return all
}

// inBackoff reports whether groups are not scaled up because of an earlier failure.
func (s AutoscalerReport) inBackoff() bool {
	return s.Stage == ScaleUpRefused && strings.Contains(s.Event.Message, "in backoff after failed scale-up")
}

// failedScaleUp is the last Event of cluster-autoscaler about a failed scale-up, with the cloud's message, if it matters for the report
// about the pod: the requested node did not come, or none has been requested since. Upstream, such Events are only about its ConfigMap.
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

// clusterAutoscalerStatus is the ConfigMap that cluster-autoscaler's Events about groups refer to by default.
var clusterAutoscalerStatus = change.Ref{Kind: string(cluster.ConfigMap), Namespace: metav1.NamespaceSystem, Name: "cluster-autoscaler-status"}

// AutoscalerLinks are the autoscalers' reports about a pod, each with its meaning.
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

// AutoscalerSummary is the part of an autoscaler's report that belongs in the summary; empty if none does.
func AutoscalerSummary(q Query, pod *corev1.Pod) message.Sentence {
	for _, s := range AutoscalerReports(q, pod) {
		if s.Stage != ScaleUpRefused || s.limitingNodePool() != "" {
			return s.sentence(q)
		}
	}
	return message.Sentence{}
}

// KarpenterReports reports whether Karpenter has reported why it adds no node for a pod, or that it adds one.
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

// sourceName is the source as named in a sentence.
func (s AutoscalerReport) sourceName() message.Sentence {
	if s.Source == "" {
		return sentence.AutoscalerUnnamed()
	}
	return message.Verbatim(s.Source)
}

// maxSizeReached matches the number of groups at their maximum size in cluster-autoscaler's message (core/scaleup/orchestrator,
// MaxLimitReachedReason).
var maxSizeReached = regexp.MustCompile(`(\d+) max node group size reached`)

func countGroupsAtMaximum(e *corev1.Event) int {
	if found := maxSizeReached.FindStringSubmatch(e.Message); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

// GroupsAtMaximum reports whether an autoscaler's last report about a pod is that groups are at their maximum size. Then all suitable
// groups are: otherwise, it would have added a node.
func GroupsAtMaximum(q Query, pod *corev1.Pod) bool {
	return slices.ContainsFunc(AutoscalerReports(q, pod), func(s AutoscalerReport) bool {
		return s.Stage == ScaleUpRefused && !s.Karpenter && countGroupsAtMaximum(s.Event) > 0
	})
}

// ScaleUpPending reports whether an autoscaler has requested a node for the pod and none has been added since: then resizing a group does
// not help.
func ScaleUpPending(q Query, pod *corev1.Pod) bool {
	return slices.ContainsFunc(AutoscalerReports(q, pod), func(s AutoscalerReport) bool {
		return s.Stage == ScaleUpFailed || s.Stage == ScaleUpRequested && len(s.nodesSince(q)) == 0
	})
}

// scaleUpReason matches one of cluster-autoscaler's reasons and the number of groups that it applies to. A reason may contain commas and
// numbers: what does not match is part of the reason before.
var scaleUpReason = regexp.MustCompile(`(?:^|, )(\d{1,6}) `)

// scaleUpReasonMessages are the sentences for reasons of cluster-autoscaler (core/scaleup/orchestrator, skippedreasons.go), except the
// maximum size.
var scaleUpReasonMessages = map[string]func(n int) message.Sentence{
	"in backoff after failed scale-up": sentence.ScaleReasonBackoff, "not ready for scale-up": sentence.ScaleReasonNotReady, "max node group size reached": nil,
}

// scaleUpReasons are the reasons why groups are not suitable, except the maximum size, each with the number of groups.
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

// zonalScaleUpFailure matches GKE's message about a failed scale-up (gke-autoscaling, zonalErrorMessageTemplate).
var zonalScaleUpFailure = regexp.MustCompile(`(?s)^Node scale up in zones (.+?) associated with this pod failed: (.+?)\.?(?: Pod is at risk of not being scheduled\.?)?$`)

// failedZones are the zones in which a scale-up failed, if known, and the cloud's message.
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

// quotaErrors are the clouds' error codes for a used-up quota: Google's, Azure's and Amazon's.
var quotaErrors = []string{"quota", "vcpulimitexceeded", "instancelimitexceeded", "maxspotinstancecountexceeded"}

// IsQuotaError reports whether a cloud's message is about a quota.
func IsQuotaError(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc(quotaErrors, func(word string) bool { return strings.Contains(words, word) })
}

// RegionOfFailure is the region in which a scale-up failed, derived from zone names of Google Cloud: us-central1-c is in us-central1.
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

// resizedGroup matches cluster-autoscaler's list of groups that it resized: [{NAME 0->1 (max: 9)}].
var resizedGroup = regexp.MustCompile(`\{(\S+) (\d+)->(\d+) \(max: (\d+)\)\}`)

// nodeProvisionTimeout is how long cluster-autoscaler waits for a node (--max-node-provision-time), and Karpenter for one to register.
const nodeProvisionTimeout = 15 * time.Minute

func (s AutoscalerReport) requestedSentence(q Query) message.Sentence {
	var groups message.List
	for _, match := range resizedGroup.FindAllStringSubmatch(s.Event.Message, -1) {
		name := match[1][strings.LastIndex(match[1], "/")+1:] // Google's groups are named by URL.
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

// nodesSince are the nodes that were created after the autoscaler last requested one.
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

// Occurrences is how often and when an Event occurred, from the fields of either events API.
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
