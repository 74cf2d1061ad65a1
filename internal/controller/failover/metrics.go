package failover

import (
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/nodeliveness"
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
	// nodes are those of the last look at the streams, by what they are taken for.
	nodes map[nodeliveness.State]int
	// witnessed are nodes whose silence could be confirmed.
	witnessed int
	// silent are nodes declared silent since the process began.
	silent float64
	// replaced are pods of silent nodes that were deleted, by policy.
	replaced map[string]float64
	// notReady are pods of silent nodes that were set not ready, by policy.
	notReady map[string]float64
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

func (c *counts) setNodes(nodes map[nodeliveness.State]int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.nodes = nodes
}

func (c *counts) setWitnessed(nodes int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.witnessed = nodes
}

func (c *counts) addSilent() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.silent++
}

func (c *counts) addReplaced(policy string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.replaced == nil {
		c.replaced = map[string]float64{}
	}
	c.replaced[policy]++
}

func (c *counts) addNotReady(policy string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.notReady == nil {
		c.notReady = map[string]float64{}
	}
	c.notReady[policy]++
}

var (
	podsDesc     = prometheus.NewDesc("naosu_failover_pods", "Pods that a FailoverPolicy decides for, by policy and state.", []string{"policy", "state"}, nil)
	changesDesc  = prometheus.NewDesc("naosu_failover_changes_total", "Attempts to change the tolerationSeconds of a pod, by policy and result.", []string{"policy", "result"}, nil)
	declaredDesc = prometheus.NewDesc("naosu_failover_nodes_out_of_service_total", "Nodes that were declared out of service, by policy.", []string{"policy"}, nil)
	nodesDesc    = prometheus.NewDesc("naosu_failover_nodes", "Nodes by what their heartbeats say: NotWatched, Alive, Suspect, Reachable, Unconfirmed, Correlated or Silent.", []string{"liveness"}, nil)
	witnessDesc  = prometheus.NewDesc("naosu_failover_nodes_witnessed", "Nodes that enough other nodes have reached for their silence to be confirmed. Each replica reports its own.", nil, nil)
	silentDesc   = prometheus.NewDesc("naosu_failover_nodes_silent_total", "Nodes that were declared silent.", nil, nil)
	replacedDesc = prometheus.NewDesc("naosu_failover_pods_replaced_total", "Pods of silent nodes that were deleted, so that they are replaced, by policy.", []string{"policy"}, nil)
	notReadyDesc = prometheus.NewDesc("naosu_failover_pods_set_not_ready_total", "Pods of silent nodes whose condition Ready was set to False, by policy.", []string{"policy"}, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	to <- podsDesc
	to <- changesDesc
	to <- declaredDesc
	to <- nodesDesc
	to <- witnessDesc
	to <- silentDesc
	to <- replacedDesc
	to <- notReadyDesc
}

// Collect is prometheus.Collector's. It reads nothing of the API. Where another process leads, it reports only how ready this one is to.
func (c *Reconciler) Collect(to chan<- prometheus.Metric) {
	c.counts.collectWitnessed(to)
	if c.Elected != nil && !c.Elected() {
		return
	}
	c.counts.collect(to)
}

func (c *counts) collectWitnessed(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.nodes != nil { // Otherwise, no policy asks for it.
		to <- prometheus.MustNewConstMetric(witnessDesc, prometheus.GaugeValue, float64(c.witnessed))
	}
}

func (c *counts) collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for labels, n := range c.pods {
		to <- prometheus.MustNewConstMetric(podsDesc, prometheus.GaugeValue, n, labels[:]...)
	}
	for labels, n := range c.changes {
		to <- prometheus.MustNewConstMetric(changesDesc, prometheus.CounterValue, n, labels[:]...)
	}
	for policy, n := range c.declared {
		to <- prometheus.MustNewConstMetric(declaredDesc, prometheus.CounterValue, n, policy)
	}
	if c.nodes == nil {
		return // No policy asks for it.
	}
	for _, state := range nodeliveness.States {
		to <- prometheus.MustNewConstMetric(nodesDesc, prometheus.GaugeValue, float64(c.nodes[state]), string(state))
	}
	to <- prometheus.MustNewConstMetric(silentDesc, prometheus.CounterValue, c.silent)
	for policy, n := range c.replaced {
		to <- prometheus.MustNewConstMetric(replacedDesc, prometheus.CounterValue, n, policy)
	}
	for policy, n := range c.notReady {
		to <- prometheus.MustNewConstMetric(notReadyDesc, prometheus.CounterValue, n, policy)
	}
}
