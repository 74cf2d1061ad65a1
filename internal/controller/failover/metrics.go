package failover

import (
	"maps"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

// What became of the attempt to change a pod.
const (
	changedResult  = "changed"
	conflictResult = "conflict"
	failedResult   = "failed"
)

// counts are what metrics report. The zero value is ready to use.
type counts struct {
	mu sync.Mutex
	// pods are those of the last reconcile, by policy and state.
	pods map[[2]string]float64
	// changes are attempts since the process began, by policy and result.
	changes map[[2]string]float64
	// declared are nodes declared out of service since the process began, by policy.
	declared map[string]float64
}

func (c *counts) setPods(policies []v1alpha1.FailoverPolicy, all []failoverpolicy.Assessment) {
	pods := map[[2]string]float64{}
	for i := range policies {
		for _, state := range failoverpolicy.States {
			pods[[2]string{policies[i].Name, string(state)}] = 0
		}
	}
	for i := range all {
		pods[[2]string{all[i].Policy.Name, string(all[i].State)}]++
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pods = pods
}

func (c *counts) add(policy, result string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.changes == nil {
		c.changes = map[[2]string]float64{}
	}
	c.changes[[2]string{policy, result}]++
}

func (c *counts) addDeclared(policy string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.declared == nil {
		c.declared = map[string]float64{}
	}
	c.declared[policy]++
}

// copies are the counts as they are now.
func (c *counts) copies() (pods, changes map[[2]string]float64, declared map[string]float64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return maps.Clone(c.pods), maps.Clone(c.changes), maps.Clone(c.declared)
}

var (
	podsDesc     = prometheus.NewDesc("naosu_failover_pods", "Pods that a FailoverPolicy decides for, by policy and state.", []string{"policy", "state"}, nil)
	changesDesc  = prometheus.NewDesc("naosu_failover_changes_total", "Attempts to change the tolerationSeconds of a pod, by policy and result.", []string{"policy", "result"}, nil)
	declaredDesc = prometheus.NewDesc("naosu_failover_nodes_out_of_service_total", "Nodes that were declared out of service, by policy.", []string{"policy"}, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	to <- podsDesc
	to <- changesDesc
	to <- declaredDesc
}

// Collect is prometheus.Collector's. It reads nothing of the API, and reports nothing where another process leads.
func (c *Reconciler) Collect(to chan<- prometheus.Metric) {
	if c.Elected != nil && !c.Elected() {
		return
	}
	pods, changes, declared := c.counts.copies()
	for labels, n := range pods {
		to <- prometheus.MustNewConstMetric(podsDesc, prometheus.GaugeValue, n, labels[:]...)
	}
	for labels, n := range changes {
		to <- prometheus.MustNewConstMetric(changesDesc, prometheus.CounterValue, n, labels[:]...)
	}
	for policy, n := range declared {
		to <- prometheus.MustNewConstMetric(declaredDesc, prometheus.CounterValue, n, policy)
	}
}
