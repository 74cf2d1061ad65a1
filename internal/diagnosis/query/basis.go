package query

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Basis lists the limits of an answer about where a pod can run: rules of another version, an assumed profile, and what
// is not modelled.
func (q Query) Basis(pod *corev1.Pod) []finding.Gap {
	about := func(said message.Sentence) finding.Gap { return finding.Gap{About: "scheduling", Message: said} }
	if q.Judge == nil {
		return []finding.Gap{about(sentence.NoJudge())}
	}
	if !q.Judge.Models(pod) {
		return []finding.Gap{about(sentence.OtherScheduler(facts.SchedulerOf(pod)))}
	}
	b := q.Judge.Basis()
	var gaps []finding.Gap
	if theirs, err := version.ParseGeneric(q.World.Server()); err == nil {
		if ours, err := version.ParseGeneric(b.Version); err == nil && (theirs.Major() != ours.Major() || theirs.Minor() != ours.Minor()) {
			gaps = append(gaps, about(sentence.OtherVersion(q.World.Server(), b.Version)))
		}
	} else {
		gaps = append(gaps, about(sentence.UnknownVersion(b.Version)))
	}
	if b.Default {
		gaps = append(gaps, about(sentence.DefaultProfile(b.Version)))
	}
	for _, what := range b.NotModelled {
		gaps = append(gaps, about(sentence.RuleNotModelled(what)))
	}
	if q.World.Knowledge(cluster.Pod) != cluster.Complete {
		gaps = append(gaps, about(sentence.SomePods()))
	}
	if kinds := q.unknownOf(cluster.CSINode, cluster.VolumeAttachment); len(kinds) > 0 && facts.MountsClaim(pod) {
		gaps = append(gaps, about(sentence.NoAttachLimits(message.ListOf(kinds))))
	}
	if facts.SelectsNamespaces(pod) && !q.Known(cluster.Namespace) {
		gaps = append(gaps, about(sentence.NoNamespaces()))
	}
	return gaps
}

// unknownOf are the kinds that are not known.
func (q Query) unknownOf(kinds ...cluster.Kind) []string {
	var missing []string
	for _, kind := range kinds {
		if !q.Known(kind) {
			missing = append(missing, string(kind))
		}
	}
	return missing
}
