package headroom

import (
	"slices"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
)

// counts are what metrics report. The zero value is ready to use.
type counts struct {
	mu sync.Mutex
	// policies are the last assessments by name of the policy, and names their names by UID.
	policies map[string]headroompolicy.Assessment
	bound    timings
	restored timings
}

// timings are times that were measured: their number, their sum and those of at most as many seconds as a bucket has.
type timings struct {
	count   uint64
	sum     float64
	buckets map[float64]uint64
}

// buckets are upper bounds in seconds.
var buckets = []float64{0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600}

func (t *timings) observe(took time.Duration) {
	if t.buckets == nil {
		t.buckets = map[float64]uint64{}
	}
	t.count++
	t.sum += took.Seconds()
	for _, most := range buckets {
		if took.Seconds() <= most {
			t.buckets[most]++
		}
	}
}

func (c *counts) set(policy string, a headroompolicy.Assessment) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.policies == nil {
		c.policies = map[string]headroompolicy.Assessment{}
	}
	c.policies[policy] = a
}

// keep drops all policies but some.
func (c *counts) keep(names []string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for name := range c.policies {
		if !slices.Contains(names, name) {
			delete(c.policies, name)
		}
	}
}

func (c *counts) observeBound(_ types.UID, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.bound.observe(took)
}

func (c *counts) observeRestored(_ string, took time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.restored.observe(took)
}

var (
	coveredDesc = prometheus.NewDesc("naosu_headroom_covered", "Whether the bound placeholder pods of a HeadroomPolicy survive every failure that it states: 1 or 0; left out if it is not known.", []string{"policy"}, nil)
	podsDesc    = prometheus.NewDesc("naosu_headroom_placeholder_pods", "Placeholder pods by HeadroomPolicy and state: wanted, bound or pending.", []string{"policy", "state"}, nil)
	boundDesc   = prometheus.NewDesc("naosu_headroom_preemptor_bound_seconds", "Time from the preemption of a placeholder pod until another pod is bound to its node.", nil, nil)
	restoreDesc = prometheus.NewDesc("naosu_headroom_restored_seconds", "Time from the first preemption of a placeholder pod of a HeadroomPolicy until its room survives every failure again.", nil, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{coveredDesc, podsDesc, boundDesc, restoreDesc} {
		to <- desc
	}
}

// Collect is prometheus.Collector's. It reads nothing of the API, and reports nothing where another process leads.
func (c *Reconciler) Collect(to chan<- prometheus.Metric) {
	if c.Elected != nil && !c.Elected() {
		return
	}
	c.counts.mu.Lock()
	defer c.counts.mu.Unlock()
	for policy, a := range c.counts.policies {
		if a.Covered != metav1.ConditionUnknown {
			covered := 0.0
			if a.Covered == metav1.ConditionTrue {
				covered = 1
			}
			to <- prometheus.MustNewConstMetric(coveredDesc, prometheus.GaugeValue, covered, policy)
		}
		for state, held := range map[string]*v1alpha1.HeadroomHeld{"wanted": a.Wanted, "bound": a.Bound, "pending": a.Pending} {
			if held != nil {
				to <- prometheus.MustNewConstMetric(podsDesc, prometheus.GaugeValue, float64(held.Placeholders), policy, state)
			}
		}
	}
	for _, h := range []struct {
		desc *prometheus.Desc
		timings
	}{{boundDesc, c.counts.bound}, {restoreDesc, c.counts.restored}} {
		to <- prometheus.MustNewConstHistogram(h.desc, h.count, h.sum, h.filled())
	}
}

// filled are the buckets, also those without a time.
func (t *timings) filled() map[float64]uint64 {
	all := map[float64]uint64{}
	for _, most := range buckets {
		all[most] = t.buckets[most]
	}
	return all
}
