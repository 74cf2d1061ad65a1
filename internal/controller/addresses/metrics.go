package addresses

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// counts are what metrics report. The zero value is ready to use.
type counts struct {
	mu sync.Mutex
	// policy is the one that decides; empty if there is none, or nothing was read for it yet.
	policy string
	known  bool
	low    int
	// leaked are interfaces by decision, as they were read last.
	leaked []v1alpha1.InterfaceCount
	// deletions are those that ended since the process began, by policy and result.
	deletions map[[2]string]float64
}

// set replaces what was observed for the policy that decides.
func (c *counts) set(policy *v1alpha1.AddressPolicy) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.policy, c.known, c.low, c.leaked = policy.Name, policy.Status.Unknown == nil, len(policy.Status.LowSubnets), policy.Status.Decisions
}

// clear says that no policy decides.
func (c *counts) clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.policy = ""
}

func (c *counts) addDeletion(policy, result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.deletions == nil {
		c.deletions = map[[2]string]float64{}
	}
	c.deletions[[2]string{policy, result}]++
}

var (
	knownDesc     = prometheus.NewDesc("naosu_addresses_known", "Whether the network was read completely when it was read last.", []string{"policy"}, nil)
	lowDesc       = prometheus.NewDesc("naosu_addresses_low_subnets", "Subnets with few free addresses.", []string{"policy"}, nil)
	leakedDesc    = prometheus.NewDesc("naosu_addresses_interfaces", "Available interfaces of the VPC CNI, by what was decided about them, while the network is known.", []string{"policy", "decision"}, nil)
	deletionsDesc = prometheus.NewDesc("naosu_addresses_deletions_total", "Deletions of interfaces that ended, by policy and result: Done, Failed or Skipped.", []string{"policy", "result"}, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{knownDesc, lowDesc, leakedDesc, deletionsDesc} {
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
	if policy := c.counts.policy; policy != "" {
		known := 0.0
		if c.counts.known {
			known = 1
			for _, one := range c.counts.leaked {
				to <- prometheus.MustNewConstMetric(leakedDesc, prometheus.GaugeValue, float64(one.Interfaces), policy, one.Reason)
			}
		}
		to <- prometheus.MustNewConstMetric(knownDesc, prometheus.GaugeValue, known, policy)
		to <- prometheus.MustNewConstMetric(lowDesc, prometheus.GaugeValue, float64(c.counts.low), policy)
	}
	for labels, n := range c.counts.deletions {
		to <- prometheus.MustNewConstMetric(deletionsDesc, prometheus.CounterValue, n, labels[:]...)
	}
}
