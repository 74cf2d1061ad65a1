package audit

import (
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/view"
)

// limits are what flags leave out.
func (o *Options) limits(world *cluster.Snapshot) view.Limits {
	limits := view.Limits{Accepted: o.accepted.accepts}
	if !o.whole() {
		limits.Scope = func(ref change.Ref) bool { return o.asksAbout(world, ref) }
	}
	return limits
}

// asksAbout says whether flags ask about a thing. What has no namespace is always asked about.
func (o *Options) asksAbout(world *cluster.Snapshot, ref change.Ref) bool {
	if ref.Namespace == "" {
		return true
	}
	if o.namespace != "" && ref.Namespace != o.namespace {
		return false
	}
	if o.selector.Empty() {
		return true
	}
	object := world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name)
	return object != nil && o.selector.Matches(labels.Set(object.GetLabels())) || o.matchesPods(world, ref)
}

// matchesPods says whether pods of a workload match: their labels are often not its own.
func (o *Options) matchesPods(world *cluster.Snapshot, ref change.Ref) bool {
	for _, pod := range world.Pods() {
		if pod.Namespace != ref.Namespace || !o.selector.Matches(labels.Set(pod.Labels)) {
			continue
		}
		if top := world.Workload(pod); top != nil && top.GetName() == ref.Name {
			if kind, _ := cluster.KindOf(top); string(kind) == ref.Kind {
				return true
			}
		}
	}
	return false
}
