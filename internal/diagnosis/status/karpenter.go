package status

import (
	"slices"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// nodePool reports whether Karpenter can add nodes of a NodePool.
//
// Source: sigs.k8s.io/karpenter, pkg/apis/v1/nodepool_status.go.
func (s *Status) nodePool(pool *custom.NodePool) {
	nodes := 0
	for _, node := range s.World.Nodes() {
		if node.Labels[poolLabel] == pool.Name {
			nodes++
		}
	}
	var resources message.List
	for _, l := range query.LimitsOf(s.World, pool) {
		if l.Reached() {
			resources = append(resources, string(l.Resource))
		}
	}
	bad := badCondition(pool.Status.Conditions)
	switch {
	case bad != nil:
		s.set("NotReady", finding.Critical, sentence.PoolNotReady(s.ref, bad.Type, wordsOf(bad)))
		s.addCause(sentence.PoolNotReady(s.ref, bad.Type, wordsOf(bad)), conditionEvidence(s.ref, bad))
	case len(resources) > 0:
		s.set("Ready", finding.Warning, sentence.PoolAtLimit(s.ref, resources))
		s.addRemedies(s.LimitRemedy(pool.Name))
	default:
		s.set("Ready", "", sentence.PoolReady(s.ref, nodes))
	}
	s.Causes = append(s.Causes, query.LimitLinks(s.Query, pool.Name)...)
	s.insufficientCapacity(pool.Name)
	for _, e := range s.EventsNamed(s.ref, "DisruptionBlocked", "NoCompatibleInstanceTypes") {
		if query.FromKarpenter(e) {
			s.addCause(sentence.AutoscalerSays(query.EventSource(e), strings.TrimSuffix(e.Message, ".")), query.EventEvidence(e))
			break
		}
	}
	s.AddUnknownKinds(cluster.Node)
}

// badCondition is the first condition that is False, except Ready, which summarizes the others.
func badCondition(conditions []metav1.Condition) *metav1.Condition {
	for i, c := range conditions {
		if c.Status == metav1.ConditionFalse && c.Type != "Ready" {
			return &conditions[i]
		}
	}
	return nil
}

// wordsOf is a condition's message, or its reason.
func wordsOf(c *metav1.Condition) string {
	if c.Message != "" {
		return strings.TrimSuffix(c.Message, ".")
	}
	return c.Reason
}

// conditionEvidence is a condition of an object as evidence.
func conditionEvidence(ref change.Ref, c *metav1.Condition) finding.Evidence {
	value := strings.TrimSpace(string(c.Status) + " " + c.Reason)
	if c.Message != "" {
		value += ": " + c.Message
	}
	return facts.EvidenceSince(ref, "status.conditions["+c.Type+"]", value, c.LastTransitionTime)
}

// insufficientCapacity explains the last NodeClaim of a NodePool for which the cloud had no capacity. Karpenter deletes such a NodeClaim at
// once, so that only the Event remains; NodeClaims are named after their NodePool.
func (s *Status) insufficientCapacity(pool string) {
	var last *metav1.Time
	var link finding.Link
	for _, e := range s.World.AllEvents() {
		if e.Reason != "InsufficientCapacityError" || e.InvolvedObject.Kind != string(cluster.NodeClaim) || !strings.HasPrefix(e.InvolvedObject.Name, pool+"-") || !query.FromKarpenter(e) {
			continue
		}
		if _, _, at := query.Occurrences(e); last == nil || last.Before(&at) {
			last, link = &at, finding.Link{Message: sentence.PoolNoCapacity(query.EventSource(e), query.InvolvedObject(e), s.age(at), strings.TrimSuffix(e.Message, ".")), Evidence: []finding.Evidence{query.EventEvidence(e)}}
		}
	}
	if last != nil {
		s.Causes = append(s.Causes, link)
	}
}

// nodeClaimStages are the conditions of a NodeClaim in the order in which they become True, and the timeout after which Karpenter deletes the
// NodeClaim; the last has none.
//
// Source: sigs.k8s.io/karpenter, pkg/controllers/nodeclaim/lifecycle/liveness.go.
var nodeClaimStages = []struct {
	condition string
	within    time.Duration
}{
	{"Launched", 5 * time.Minute},
	{"Registered", 15 * time.Minute},
	{"Initialized", 0},
}

// nodeClaimTimeout is the time within which a registered node should be initialized; Karpenter has no timeout for that.
const nodeClaimTimeout = 10 * time.Minute

// nodeClaim explains the progress of a NodeClaim.
func (s *Status) nodeClaim(claim *custom.NodeClaim) {
	if claim.DeletionTimestamp != nil {
		s.set("Terminating", finding.Info, sentence.NodeClaimLeaving(s.ref))
		s.addCause(sentence.NodeClaimLeaving(s.ref), facts.EvidenceSince(s.ref, "metadata.deletionTimestamp", claim.DeletionTimestamp.UTC().Format(time.RFC3339), *claim.DeletionTimestamp))
		s.nodeClaimEvents()
		return
	}
	for _, stage := range nodeClaimStages {
		c := meta.FindStatusCondition(claim.Status.Conditions, stage.condition)
		if c != nil && c.Status == metav1.ConditionTrue {
			continue
		}
		why := ""
		since, evidence := claim.CreationTimestamp, facts.Evidence(s.ref, "status.conditions["+stage.condition+"]", "")
		if c != nil {
			evidence = conditionEvidence(s.ref, c)
			if !c.LastTransitionTime.IsZero() {
				since = c.LastTransitionTime
			}
			if stage.condition != "Launched" || c.Reason == "LaunchFailed" || c.Message != "" {
				why = wordsOf(c)
			}
		}
		severity := finding.Info
		switch waited := s.since(since); {
		case c != nil && c.Reason == "LaunchFailed", stage.within > 0 && waited > stage.within/2, stage.within == 0 && waited > nodeClaimTimeout:
			severity = finding.Warning
		}
		said := s.nodeClaimWaits(claim, stage.condition, s.age(since), why, int(stage.within/time.Minute))
		s.set("Not"+stage.condition, severity, said)
		s.addCause(said, evidence)
		s.nodeClaimEvents()
		return
	}
	s.set("Ready", "", sentence.NodeClaimReady(s.ref, facts.NodeRef(claim.Status.NodeName)))
	s.nodeClaimEvents()
}

// nodeClaimWaits names the condition that a NodeClaim waits for.
func (s *Status) nodeClaimWaits(claim *custom.NodeClaim, condition, age, why string, minutes int) message.Sentence {
	switch condition {
	case "Launched":
		return sentence.NodeClaimNotLaunched(s.ref, age, why, minutes)
	case "Registered":
		return sentence.NodeClaimNotRegistered(s.ref, age, why, minutes)
	default:
		return sentence.NodeClaimNotInitialized(claim.Status.NodeName != "", facts.NodeRef(claim.Status.NodeName), s.ref, age, why)
	}
}

// nodeClaimEvents are Karpenter's Events about a NodeClaim: the last of each reason.
func (s *Status) nodeClaimEvents() {
	var told []string
	for _, e := range s.EventsNamed(s.ref, "DisruptionBlocked", "Unconsolidatable", "InsufficientCapacityError", "NodeClassNotReady", "FailedDraining", "FailedConsistencyCheck") {
		if query.FromKarpenter(e) && !slices.Contains(told, e.Reason) {
			told = append(told, e.Reason)
			s.addCause(sentence.AutoscalerSays(query.EventSource(e), strings.TrimSuffix(e.Message, ".")), query.EventEvidence(e))
			for _, budget := range s.budgetsIn(e.Message) {
				s.budgetAllows(budget)
			}
		}
	}
}
