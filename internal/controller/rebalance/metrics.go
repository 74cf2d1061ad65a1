package rebalance

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"
)

// counts are what metrics report. The zero value is ready to use.
type counts struct {
	mu sync.Mutex
	// unbalanced are workloads that are out of balance, by policy, as of its last reconcile.
	unbalanced map[string]int
	// evictions are those that ended since the process began, by policy and result.
	evictions map[[2]string]float64
}

// setUnbalanced replaces what is known of all policies.
func (c *counts) setUnbalanced(unbalanced map[string]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unbalanced = unbalanced
}

func (c *counts) addEviction(policy, result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.evictions == nil {
		c.evictions = map[[2]string]float64{}
	}
	c.evictions[[2]string{policy, result}]++
}

var (
	unbalancedDesc = prometheus.NewDesc("naosu_rebalance_unbalanced_workloads", "Workloads that are out of balance, by the RebalancePolicy that decides for them.", []string{"policy"}, nil)
	evictionsDesc  = prometheus.NewDesc("naosu_rebalance_evictions_total", "Evictions that ended, by policy (empty for those that people requested) and result: Done, Failed or Skipped.", []string{"policy", "result"}, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	to <- unbalancedDesc
	to <- evictionsDesc
}

// Collect is prometheus.Collector's. It reads nothing of the API, and reports nothing where another process leads.
func (c *Reconciler) Collect(to chan<- prometheus.Metric) {
	if c.Elected != nil && !c.Elected() {
		return
	}
	c.counts.mu.Lock()
	defer c.counts.mu.Unlock()
	for policy, n := range c.counts.unbalanced {
		to <- prometheus.MustNewConstMetric(unbalancedDesc, prometheus.GaugeValue, float64(n), policy)
	}
	for labels, n := range c.counts.evictions {
		to <- prometheus.MustNewConstMetric(evictionsDesc, prometheus.CounterValue, n, labels[:]...)
	}
}
