package noderepair

import (
	"context"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/repair"
)

// verdicts counts what the guard said against going on. The zero value is ready.
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
	remediationsDesc = prometheus.NewDesc("naosu_remediations", "Remediations that are kept, by policy, action, phase and outcome.", []string{"policy", "action", "phase", "outcome"}, nil)
	unhealthyDesc    = prometheus.NewDesc("naosu_unhealthy_nodes", "Nodes that meet a rule of a policy that selects them, or that are not Ready.", nil, nil)
	verdictsDesc     = prometheus.NewDesc("naosu_guard_verdicts_total", "Verdicts of the guard, by check, decision and reason.", []string{"check", "decision", "reason"}, nil)
	reservedDesc     = prometheus.NewDesc("naosu_ledger_reservations", "Nodes that are out by naosu's doing, as the ledger has them.", nil, nil)
	ageDesc          = prometheus.NewDesc("naosu_watch_age_seconds", "How old what is known of the cluster is.", nil, nil)
)

// Describe is prometheus.Collector's.
func (*Concern) Describe(to chan<- *prometheus.Desc) {
	for _, one := range []*prometheus.Desc{remediationsDesc, unhealthyDesc, verdictsDesc, reservedDesc, ageDesc} {
		to <- one
	}
}

// Collect is prometheus.Collector's. What cannot be read now is left out, rather than told as none.
func (c *Concern) Collect(to chan<- prometheus.Metric) {
	const patience = 5 * time.Second
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	gauge := func(desc *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(desc, prometheus.GaugeValue, value, labels...)
	}
	world := c.World()
	gauge(ageDesc, c.Clock.Since(world.Taken()).Seconds())
	if own, err := c.objects(ctx); err == nil {
		gauge(unhealthyDesc, float64(len(repair.Unhealthy(own.policies, world.Nodes()))))
		kept := map[[4]string]float64{}
		for i := range own.remediations {
			r := &own.remediations[i]
			kept[[4]string{r.Spec.Policy.Name, string(r.Spec.Action), string(r.Status.Phase), outcomeOf(r)}]++
		}
		for labels, n := range kept {
			gauge(remediationsDesc, n, labels[:]...)
		}
	}
	if ledger, err := c.Records.ReadLedger(ctx); err == nil {
		reserved := 0
		for _, e := range ledger.Entries {
			if e.Ended.IsZero() {
				reserved++
			}
		}
		gauge(reservedDesc, float64(reserved))
	}
	c.verdicts.mu.Lock()
	defer c.verdicts.mu.Unlock()
	for v, n := range c.verdicts.count {
		to <- prometheus.MustNewConstMetric(verdictsDesc, prometheus.CounterValue, n, v.check, v.decision, v.reason)
	}
}
