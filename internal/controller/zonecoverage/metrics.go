package zonecoverage

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// counts are what metrics report: the zones of each policy as last observed, by its name. The zero value is ready to use.
type counts struct {
	mu    sync.Mutex
	zones map[string][]v1alpha1.HeadroomZoneStatus
}

// set notes the zones of a policy.
func (c *counts) set(policy string, zones []v1alpha1.HeadroomZoneStatus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.zones == nil {
		c.zones = map[string][]v1alpha1.HeadroomZoneStatus{}
	}
	c.zones[policy] = zones
}

// keep drops all policies but some.
func (c *counts) keep(policies []v1alpha1.HeadroomPolicy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	kept := map[string][]v1alpha1.HeadroomZoneStatus{}
	for i := range policies {
		if zones, known := c.zones[policies[i].Name]; known {
			kept[policies[i].Name] = zones
		}
	}
	c.zones = kept
}

var (
	coveredDesc = prometheus.NewDesc("naosu_zone_covered", "Whether usable nodes of a zone fit the pods of its volumes, by HeadroomPolicy: 1 or 0; left out if it is not known.", []string{"policy", "zone"}, nil)
	podsDesc    = prometheus.NewDesc("naosu_zone_placeholder_pods", "Placeholder pods that hold room in a zone, by HeadroomPolicy.", []string{"policy", "zone"}, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	to <- coveredDesc
	to <- podsDesc
}

// Collect is prometheus.Collector's. It reads nothing of the API, and reports nothing where another process leads.
func (c *Reconciler) Collect(to chan<- prometheus.Metric) {
	if c.Elected != nil && !c.Elected() {
		return
	}
	c.counts.mu.Lock()
	defer c.counts.mu.Unlock()
	for policy, zones := range c.counts.zones {
		for _, z := range zones {
			if z.Covered != metav1.ConditionUnknown {
				covered := 0.0
				if z.Covered == metav1.ConditionTrue {
					covered = 1
				}
				to <- prometheus.MustNewConstMetric(coveredDesc, prometheus.GaugeValue, covered, policy, z.Name)
			}
			to <- prometheus.MustNewConstMetric(podsDesc, prometheus.GaugeValue, float64(z.Placeholders), policy, z.Name)
		}
	}
}
