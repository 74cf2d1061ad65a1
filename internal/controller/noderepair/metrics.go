package noderepair

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/repairpolicy"
)

// verdicts counts the guard's verdicts. The zero value is ready to use.
type verdicts struct {
	mu    sync.Mutex
	count map[verdict]float64
}

type verdict struct{ check, decision, reason string }

func (v *verdicts) add(ruling guard.Ruling) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.count == nil {
		v.count = map[verdict]float64{}
	}
	for _, one := range ruling.All {
		v.count[verdict{one.Check, one.Decision.String(), string(one.Reason)}]++
	}
}

var (
	remediationsDesc = prometheus.NewDesc("naosu_remediations", "Remediations in the cluster, by policy, action, phase and outcome.", []string{"policy", "action", "phase", "outcome"}, nil)
	unhealthyDesc    = prometheus.NewDesc("naosu_unhealthy_nodes", "Nodes that meet a rule of a policy that selects them, or that are not Ready.", nil, nil)
	verdictsDesc     = prometheus.NewDesc("naosu_guard_verdicts_total", "Verdicts of the guard, by check, decision and reason.", []string{"check", "decision", "reason"}, nil)
	reservedDesc     = prometheus.NewDesc("naosu_ledger_reservations", "Nodes currently disrupted by naosu, according to the ledger when this process last read or wrote it.", nil, nil)
	readDesc         = prometheus.NewDesc("naosu_ledger_read_timestamp_seconds", "Unix time at which this process last read or wrote the ledger.", nil, nil)
	ageDesc          = prometheus.NewDesc("naosu_watch_age_seconds", "Age of the cluster data that the controller acts on, in seconds.", nil, nil)
)

// Describe is prometheus.Collector's.
func (*Reconciler) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{remediationsDesc, unhealthyDesc, verdictsDesc, reservedDesc, readDesc, ageDesc} {
		to <- one
	}
}

// Collect is prometheus.Collector's. It reads nothing of the API: naosu's own objects come from the manager's cache, the nodes from
// the watch, and the ledger is as it was last read. What is not known is left out, not reported as zero; so is all but the watch's age
// where another process leads.
func (c *Reconciler) Collect(to chan<- prometheus.Metric) {
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	world := c.World()
	if taken := world.Taken(); !taken.IsZero() {
		gauge(ageDesc, c.Clock.Since(taken).Seconds())
	}
	if c.Elected != nil && !c.Elected() {
		return // The leader reports the same objects.
	}
	c.collectOwn(world, gauge)
	if c.Records.Last != nil {
		if ongoing, at, known := c.Records.Last.Ongoing(); known {
			gauge(reservedDesc, float64(ongoing))
			gauge(readDesc, float64(at.UnixMilli())/1000)
		}
	}
	c.verdicts.mu.Lock()
	defer c.verdicts.mu.Unlock()
	for v, n := range c.verdicts.count {
		to <- prometheus.MustNewConstMetric(verdictsDesc, prometheus.CounterValue, n, v.check, v.decision, v.reason)
	}
}

// collectOwn reports naosu's own objects, and the nodes that they are about.
func (c *Reconciler) collectOwn(world *cluster.Snapshot, gauge func(*prometheus.Desc, float64, ...string)) {
	const timeout = 5 * time.Second // until the cache has synced
	ctx, cancel := context.WithTimeout(context.Background(), timeout)
	defer cancel()
	own, err := c.objects(ctx)
	if err != nil {
		return
	}
	if world.Knowledge(cluster.Node).Known() {
		gauge(unhealthyDesc, float64(len(repairpolicy.Unhealthy(own.policies, world.Nodes()))))
	}
	kept := map[[4]string]float64{}
	for i := range own.remediations {
		r := &own.remediations[i]
		kept[[4]string{r.Spec.Policy.Name, string(r.Spec.Action()), string(r.Status.Phase), outcomeOf(r)}]++
	}
	for labels, n := range kept {
		gauge(remediationsDesc, n, labels[:]...)
	}
}
