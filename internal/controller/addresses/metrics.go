package addresses

import (
	"slices"
	"sync"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/addresses"
)

// counts are what metrics report. The zero value is ready to use.
type counts struct {
	mu sync.Mutex
	// policy is the one that decides; empty if there is none, or nothing was read for it yet.
	policy string
	known  bool
	low    int
	// subnets are those of the nodes, as they were read last; nil if they could not be.
	subnets []addresses.Subnet
	// leaked are interfaces by decision, as they were read last.
	leaked []v1alpha1.InterfaceCount
	// deletions are those that ended since the process began, by policy and result.
	deletions map[[2]string]float64
}

// set replaces what was observed for the policy that decides.
func (c *counts) set(policy *v1alpha1.AddressPolicy, subnets []addresses.Subnet) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.policy, c.known, c.low, c.leaked, c.subnets = policy.Name, policy.Status.Unknown == nil, len(policy.Status.LowSubnets), policy.Status.Decisions, subnets
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

// subnetLabels are the labels of a metric of each subnet.
var subnetLabels = []string{"policy", "subnet", "zone"}

var (
	knownDesc     = prometheus.NewDesc("naosu_addresses_known", "Whether the network was read completely when it was read last.", []string{"policy"}, nil)
	lowDesc       = prometheus.NewDesc("naosu_addresses_low_subnets", "Subnets with few free addresses.", []string{"policy"}, nil)
	freeDesc      = prometheus.NewDesc("naosu_addresses_subnet_free", "Free addresses of a subnet of the nodes when it was read last.", subnetLabels, nil)
	sizeDesc      = prometheus.NewDesc("naosu_addresses_subnet_size", "Addresses of a subnet of the nodes, without those that AWS reserves.", subnetLabels, nil)
	heldDesc      = prometheus.NewDesc("naosu_addresses_subnet_held", "Addresses of a subnet that are held, by holder: pods, interfaces (the nodes' interfaces themselves), spare, leaked or other, while the network is known.", append(slices.Clone(subnetLabels), "holder"), nil)
	maximumDesc   = prometheus.NewDesc("naosu_addresses_subnet_free_at_maximum", "Addresses of a subnet that would be free if every Auto Scaling group grew to its maximum, negative if there are too few.", subnetLabels, nil)
	leakedDesc    = prometheus.NewDesc("naosu_addresses_interfaces", "Available interfaces of the VPC CNI, by what was decided about them, while the network is known.", []string{"policy", "decision"}, nil)
	deletionsDesc = prometheus.NewDesc("naosu_addresses_deletions_total", "Deletions of interfaces that ended, by policy and result: Done, Failed or Skipped.", []string{"policy", "result"}, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	for _, desc := range []*prometheus.Desc{knownDesc, lowDesc, freeDesc, sizeDesc, heldDesc, maximumDesc, leakedDesc, deletionsDesc} {
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
		c.counts.collectSubnets(to)
	}
	for labels, n := range c.counts.deletions {
		to <- prometheus.MustNewConstMetric(deletionsDesc, prometheus.CounterValue, n, labels[:]...)
	}
}

// collectSubnets reports what is known of each subnet. It is called with the lock held.
func (c *counts) collectSubnets(to chan<- prometheus.Metric) {
	for _, s := range c.subnets {
		if !s.Valid {
			continue
		}
		report := func(desc *prometheus.Desc, n int64, more ...string) {
			to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, float64(n), append([]string{c.policy, s.ID, s.Zone}, more...)...)
		}
		report(freeDesc, s.Free)
		report(sizeDesc, s.Size)
		if left, known := s.AtMaximum(); known {
			report(maximumDesc, left)
		}
		if c.known {
			for holder, n := range map[string]int64{"pods": s.Pods, "interfaces": s.Primary, "spare": s.Warm, "leaked": s.Leaked, "other": s.Other} {
				report(heldDesc, n, holder)
			}
		}
	}
}
