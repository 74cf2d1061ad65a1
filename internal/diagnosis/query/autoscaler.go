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
)

// ScaleStage is how far an autoscaler has come with a node for a pod.
type ScaleStage int

// The stages.
const (
	ScaleRefused ScaleStage = iota + 1 // no node would do, or none may be added
	ScaleAsked                         // a node has been asked for
	ScaleFailed                        // the cloud gave none
)

// Scaling is the last that one autoscaler says of a pod without a node.
type Scaling struct {
	Stage ScaleStage
	Event *corev1.Event
	// Source is who says it, as the Event has it.
	Source string
	// Karpenter says that it is Karpenter, which adds nodes of NodePools; cluster-autoscaler sizes groups.
	Karpenter bool
}

// scaleReasons are those of cluster-autoscaler's Events about pods.
//
// Sources: sigs.k8s.io/cluster-autoscaler, pkg/processors/status/eventing_scale_up_processor.go; k8s.io/gke-autoscaling,
// cluster-autoscaler's pkg/events.
var scaleReasons = map[string]ScaleStage{
	"NotTriggerScaleUp": ScaleRefused, "TriggeredScaleUp": ScaleAsked, "FailedScaleUp": ScaleFailed,
}

// karpenterReasons are those of Karpenter's Events about pods. The scheduler uses the first, too: who says it tells them apart.
//
// Source: sigs.k8s.io/karpenter, pkg/events/reason.go.
var karpenterReasons = map[string]ScaleStage{"FailedScheduling": ScaleRefused, "Nominated": ScaleAsked}

// karpenters are the names by which Karpenter reports, in EKS Auto Mode by the second.
var karpenters = []string{"karpenter", "eks-auto-mode/compute"}

// SourceOf is who reports an event, in the field of either events API; empty if it does not say.
func SourceOf(e *corev1.Event) string { return cmp.Or(e.ReportingController, e.Source.Component) }

// OfKarpenter says whether Karpenter reports an event.
func OfKarpenter(e *corev1.Event) bool { return slices.Contains(karpenters, SourceOf(e)) }

// Scalings are what the autoscalers say of a pod, the last of each, the newest first. Before a refusal because of a scale-up that
// failed stands that failure.
func Scalings(v View, pod *corev1.Pod) []Scaling {
	var all []Scaling
	last := map[string]Scaling{}
	for _, e := range v.Events(pod) {
		s := Scaling{Event: e, Source: SourceOf(e), Karpenter: OfKarpenter(e)}
		reasons := scaleReasons
		if s.Karpenter {
			reasons = karpenterReasons
		}
		s.Stage = reasons[e.Reason]
		newer, told := last[s.Source]
		if s.Stage == 0 || told && (s.Stage != ScaleFailed || !newer.backsOff()) {
			continue
		}
		if f := s.groupFailure(v); f != nil && !told {
			last[s.Source] = Scaling{Stage: ScaleFailed, Event: f, Source: SourceOf(f)}
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

// backsOff says whether groups are left alone after a scale-up that failed.
func (s Scaling) backsOff() bool {
	return s.Stage == ScaleRefused && strings.Contains(s.Event.Message, "in backoff after failed scale-up")
}

// groupFailure is the last Event by which cluster-autoscaler told of a scale-up that failed, in the cloud's words, if it bears on what
// it says of the pod: the node that was asked for did not come, or none is asked for since. Upstream tells this only of its
// ConfigMap.
//
// Source: sigs.k8s.io/cluster-autoscaler, pkg/clusterstate and pkg/core/scaleup/orchestrator/executor.go.
func (s Scaling) groupFailure(v View) *corev1.Event {
	if s.Stage != ScaleAsked && !s.backsOff() || s.Karpenter {
		return nil
	}
	_, _, asked := Occurrences(s.Event)
	for _, e := range v.EventsNamed(scaleStatus, "ScaleUpFailed", "FailedToScaleUpGroup", "ScaleUpTimedOut") {
		if _, _, failed := Occurrences(e); SourceOf(e) == s.Source && (s.backsOff() || !failed.Before(&asked)) {
			return e
		}
	}
	return nil
}

// scaleStatus is the ConfigMap that cluster-autoscaler tells its Events about groups of, where it runs with its defaults.
var scaleStatus = change.Ref{Kind: string(cluster.ConfigMap), Namespace: metav1.NamespaceSystem, Name: "cluster-autoscaler-status"}

// ScalingLinks are what the autoscalers say of a pod, each with what it means.
func ScalingLinks(v View, pod *corev1.Pod) []finding.Link {
	var links []finding.Link
	for _, s := range Scalings(v, pod) {
		links = append(links, finding.Link{Message: s.said(v), Evidence: []finding.Evidence{EventFact(s.Event)}})
		if s.refusedByLimit() != "" {
			links = append(links, LimitLinks(v, s.refusedByLimit())...)
		}
	}
	return links
}

// ScalingHeadline is what an autoscaler says that belongs into the answer's first sentence; empty if nothing does.
func ScalingHeadline(v View, pod *corev1.Pod) string {
	for _, s := range Scalings(v, pod) {
		if s.Stage != ScaleRefused || s.refusedByLimit() != "" {
			return s.said(v)
		}
	}
	return ""
}

// KarpenterTells says whether Karpenter has told why it adds no node for a pod, or that it does.
func KarpenterTells(v View, pod *corev1.Pod) bool {
	return slices.ContainsFunc(Scalings(v, pod), func(s Scaling) bool { return s.Karpenter })
}

func (s Scaling) said(v View) string {
	switch {
	case s.Stage == ScaleAsked:
		return s.asked(v)
	case s.Stage == ScaleFailed:
		zones, why := s.failure()
		return v.Say.Text(message.ScaleUpFailed, message.Args{"source": s.who(v), "zones": zones, "why": why, "quota": s.ForQuota()})
	case s.refusedByLimit() != "":
		return v.Say.Text(message.ScaleUpOverLimit, message.Args{"source": s.who(v), "pool": poolRef(s.refusedByLimit())})
	case s.Karpenter:
		return v.Say.Text(message.ScaleUpKarpenter, message.Args{"source": s.who(v), "says": strings.TrimPrefix(s.Event.Message, "Failed to schedule pod, ")})
	case groupsAtMaximum(s.Event) > 0:
		return v.Say.Text(message.CauseAutoscalerMax, message.Args{"n": groupsAtMaximum(s.Event), "others": scaleOthers(v, s.Event)})
	default:
		return v.Say.Text(message.CauseAutoscaler, message.Args{"reasons": scaleOthers(v, s.Event)})
	}
}

// who is the source in a sentence.
func (s Scaling) who(v View) string {
	return cmp.Or(s.Source, v.Say.Text(message.AutoscalerUnnamed, nil))
}

// atMaximum reads from cluster-autoscaler's words how many groups are at their maximum size
// (core/scaleup/orchestrator, MaxLimitReachedReason).
var atMaximum = regexp.MustCompile(`(\d+) max node group size reached`)

func groupsAtMaximum(e *corev1.Event) int {
	if found := atMaximum.FindStringSubmatch(e.Message); found != nil {
		n, _ := strconv.Atoi(found[1])
		return n
	}
	return 0
}

// AtMaximum says whether the last that an autoscaler said of a pod is that groups are at their maximum size. Those that suit
// the pod then are: it would have added a node to any other.
func AtMaximum(v View, pod *corev1.Pod) bool {
	return slices.ContainsFunc(Scalings(v, pod), func(s Scaling) bool { return s.Stage == ScaleRefused && !s.Karpenter && groupsAtMaximum(s.Event) > 0 })
}

// Scaled says whether an autoscaler has asked the cloud for a node for the pod since any came: then asking for a larger group
// helps no further.
func Scaled(v View, pod *corev1.Pod) bool {
	return slices.ContainsFunc(Scalings(v, pod), func(s Scaling) bool {
		return s.Stage == ScaleFailed || s.Stage == ScaleAsked && len(s.came(v)) == 0
	})
}

// scaleReason is one of cluster-autoscaler's reasons with the count of groups that it gives it for. A reason may have commas and
// numbers in it: what does not read so stands in the words of the one before.
var scaleReason = regexp.MustCompile(`(?:^|, )(\d{1,6}) `)

// knownReasons are reasons of cluster-autoscaler that have sentences (core/scaleup/orchestrator, skippedreasons.go). The maximum
// size has one of its own.
var knownReasons = map[string]message.ID{
	"in backoff after failed scale-up": message.ScaleReasonBackoff, "not ready for scale-up": message.ScaleReasonNotReady, "max node group size reached": "",
}

// scaleOthers are the reasons why groups would not do, without the maximum size, each with how many groups it is given for.
func scaleOthers(v View, e *corev1.Event) []string {
	_, text, ok := strings.Cut(e.Message, ": ")
	if !ok || !strings.HasPrefix(e.Message, "pod didn't trigger scale-up") {
		return nil
	}
	var all []string
	marks := scaleReason.FindAllStringSubmatchIndex(text, -1)
	if len(marks) == 0 {
		if text = strings.TrimSpace(text); text != "" {
			all = append(all, v.Say.Text(message.ScaleReasonWhole, message.Args{"says": text}))
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
		id, known := knownReasons[words]
		switch {
		case !known:
			id = message.ScaleReason
		case id == "":
			continue
		}
		all = append(all, v.Say.Text(id, message.Args{"n": n, "says": words}))
	}
	return all
}

// zonalFailure is GKE's sentence about a scale-up that failed (gke-autoscaling, zonalErrorMessageTemplate).
var zonalFailure = regexp.MustCompile(`(?s)^Node scale up in zones (.+?) associated with this pod failed: (.+?)\.?(?: Pod is at risk of not being scheduled\.?)?$`)

// failure is where a scale-up failed, if that is told, and why, in the cloud's words.
func (s Scaling) failure() (zones []string, why string) {
	if match := zonalFailure.FindStringSubmatch(s.Event.Message); match != nil {
		return strings.Split(match[1], ", "), match[2]
	}
	return nil, strings.TrimSuffix(s.Event.Message, ".")
}

// ForQuota says whether the cloud refused a node because a quota is used up.
func (s Scaling) ForQuota() bool {
	return s.Stage == ScaleFailed && OverQuota(s.Event.Message)
}

// overQuota are words by which clouds say that a quota is used up: Google's, Azure's and Amazon's error codes.
var overQuota = []string{"quota", "vcpulimitexceeded", "instancelimitexceeded", "maxspotinstancecountexceeded"}

// OverQuota says whether a cloud's words are about a quota.
func OverQuota(words string) bool {
	words = strings.ToLower(words)
	return slices.ContainsFunc(overQuota, func(word string) bool { return strings.Contains(words, word) })
}

// RegionOfFailure is the region where a scale-up failed, if its zones tell it as Google names them: us-central1-c is in us-central1.
func (s Scaling) RegionOfFailure() string {
	zones, _ := s.failure()
	if len(zones) == 0 {
		return ""
	}
	if match := googleZone.FindStringSubmatch(zones[0]); match != nil {
		return match[1]
	}
	return ""
}

var googleZone = regexp.MustCompile(`^([a-z]+-[a-z]+[0-9]+)-[a-z]$`)

// resized reads cluster-autoscaler's list of the groups that it made larger: [{NAME 0->1 (max: 9)}].
var resized = regexp.MustCompile(`\{(\S+) (\d+)->(\d+) \(max: (\d+)\)\}`)

// provisionTime is how long cluster-autoscaler waits for a node before it gives it up (--max-node-provision-time), and Karpenter
// for one to register.
const provisionTime = 15 * time.Minute

func (s Scaling) asked(v View) string {
	var groups []string
	for _, match := range resized.FindAllStringSubmatch(s.Event.Message, -1) {
		name := match[1][strings.LastIndex(match[1], "/")+1:] // Of Google's groups it gives addresses.
		groups = append(groups, v.Say.Text(message.ScaledGroup, message.Args{"group": name, "from": match[2], "to": match[3], "max": match[4]}))
	}
	_, _, last := Occurrences(s.Event)
	args := message.Args{"source": s.who(v), "groups": groups, "says": s.Event.Message, "age": "", "overdue": false, "came": v.Some(s.came(v)), "karpenter": s.Karpenter}
	if !last.IsZero() {
		age := v.World.Taken().Sub(last.Time)
		args["age"], args["overdue"] = duration.HumanDuration(age), age > provisionTime
	}
	return v.Say.Text(message.ScaleUpAsked, args)
}

// came are the nodes made since the autoscaler last asked for one.
func (s Scaling) came(v View) []change.Ref {
	_, _, last := Occurrences(s.Event)
	var refs []change.Ref
	for _, node := range v.World.Nodes() {
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
