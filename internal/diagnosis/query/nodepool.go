package query

import (
	"maps"
	"regexp"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// nodePoolLimitExceeded matches Karpenter's message about a NodePool whose limits allow no further node: `... exceed limits for
// nodepool: "default"` until v1.3, `... exceed limits for nodepool (NodePool=default)` since.
//
// Source: sigs.k8s.io/karpenter, pkg/controllers/provisioning/scheduling/scheduler.go.
var nodePoolLimitExceeded = regexp.MustCompile(`(?:exceed limits|limits have been exhausted) for nodepool:? ?(?:\(NodePool=|")([a-z0-9](?:[a-z0-9.-]*[a-z0-9])?)[)"]`)

// limitingNodePool is the NodePool whose limit keeps Karpenter from adding a node; empty if none is named.
func (s AutoscalerReport) limitingNodePool() string {
	if s.Karpenter && s.Stage == ScaleUpRefused {
		if match := nodePoolLimitExceeded.FindStringSubmatch(s.Event.Message); match != nil {
			return match[1]
		}
	}
	return ""
}

// poolRef is the reference to a NodePool.
func poolRef(name string) change.Ref { return change.Ref{Kind: string(cluster.NodePool), Name: name} }

// Limit is a NodePool's limit of a resource.
type Limit struct {
	Resource corev1.ResourceName
	// Max is the limit, Used the current amount.
	Max, Used resource.Quantity
	// Next is the amount with one more node like the largest that has this resource; Used if there is none.
	Next resource.Quantity
}

// Reached reports whether the limit is reached.
func (l Limit) Reached() bool { return l.Used.Cmp(l.Max) >= 0 }

// LimitsOf are a NodePool's limits, by name.
func LimitsOf(world *cluster.Snapshot, pool *custom.NodePool) []Limit {
	var all []Limit
	for _, name := range slices.Sorted(maps.Keys(pool.Spec.Limits)) {
		l := Limit{Resource: name, Max: pool.Spec.Limits[name], Used: pool.Status.Resources[name]}
		largest := resource.Quantity{}
		for _, node := range world.Nodes() {
			if node.Labels["karpenter.sh/nodepool"] != pool.Name {
				continue
			}
			have := node.Status.Capacity[name]
			if name == "nodes" {
				have = resource.MustParse("1")
			}
			if have.Cmp(largest) > 0 {
				largest = have
			}
		}
		l.Next = l.Used.DeepCopy()
		l.Next.Add(largest)
		all = append(all, l)
	}
	return all
}

// LimitEvidence are a limit and the current amount.
func LimitEvidence(pool *custom.NodePool, l Limit) []finding.Evidence {
	ref := facts.RefTo(cluster.NodePool, pool)
	all := []finding.Evidence{facts.Evidence(ref, "spec.limits["+string(l.Resource)+"]", l.Max.String())}
	if has, ok := pool.Status.Resources[l.Resource]; ok {
		all = append(all, facts.Evidence(ref, "status.resources["+string(l.Resource)+"]", has.String()))
	}
	return all
}

// LimitLinks are the limits of a NodePool that it has reached, or that one more node like its largest would exceed. If there are
// none, they are all limits, since the NodePool may use smaller or larger nodes than the existing ones.
func LimitLinks(q Query, name string) []finding.Link {
	pool := q.World.NodePool(name)
	if pool == nil {
		return nil
	}
	var links, rest []finding.Link
	for _, l := range LimitsOf(q.World, pool) {
		link := finding.Link{Message: sentence.PoolLimit(poolRef(name), l.Max.String(), string(l.Resource), l.Used.String(), l.Reached(), l.Next.Cmp(l.Max) > 0, l.Next.String()), Evidence: LimitEvidence(pool, l)}
		if l.Reached() || l.Next.Cmp(l.Max) > 0 {
			links = append(links, link)
		} else {
			rest = append(rest, link)
		}
	}
	if len(links) == 0 {
		return rest
	}
	return links
}

// LimitRemedy raises the limits of a NodePool that do not allow one more node like its largest. If they are not known, it opens the
// NodePool for editing.
func (q Query) LimitRemedy(name string) finding.Remedy {
	raised, steps := map[string]string{}, message.List(nil)
	if pool := q.World.NodePool(name); pool != nil {
		for _, l := range LimitsOf(q.World, pool) {
			if l.Next.Cmp(l.Max) > 0 {
				raised[string(l.Resource)] = l.Next.String()
				steps = append(steps, sentence.PoolLimitStep(string(l.Resource), l.Max.String(), l.Next.String()))
			}
		}
	}
	return finding.Remedy{
		Message: sentence.RemedyPoolLimit(poolRef(name), steps),
		Command: change.Limit(name, raised),
		Cost:    sentence.RemedyPoolLimitCost(), Risk: sentence.RemedyPoolLimitRisk(),
	}
}
