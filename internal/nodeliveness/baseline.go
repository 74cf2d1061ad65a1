package nodeliveness

import (
	"slices"
	"time"

	"k8s.io/apimachinery/pkg/types"
)

// A node's witnesses are nodes that have reached it while it lived: in some networks, security groups let none reach a kubelet's port.
const (
	// witnesses is how many are to reach each node, and minWitnesses how many must agree that a node cannot be reached.
	witnesses    = 4
	minWitnesses = 2
	// zoneWitnesses is how many of them are taken from one zone, if there are more zones.
	zoneWitnesses = 2
	// maxTries is how many nodes are tried as witnesses of a node, and maxLooked how many are considered.
	maxTries  = 12
	maxLooked = 128
	// baselineInterval is the time between two tries of a witness, and baselineLasts how long one that succeeded counts.
	baselineInterval = 5 * time.Minute
	baselineLasts    = 12 * time.Minute
	// baselineRetry is the time until more witnesses are looked for where there are too few, and failedRetry the time until one is tried again that could not try or has
	// not answered, which says nothing of whether it reaches the node.
	baselineRetry = 10 * time.Second
	failedRetry   = time.Minute
	// maxBaselines limits the probes of one Observe, so that those of a large cluster are spread.
	maxBaselines = 50
)

// baselines are the probes that find out which nodes can be witnesses of which.
func (d *Detector) baselines(now time.Time) []Probe {
	var probes []Probe
	for _, f := range d.order {
		if len(probes) >= maxBaselines {
			return probes
		}
		if f.Address == "" || now.Before(f.nextBaseline) || !d.beats(f, now) {
			continue
		}
		chosen, known := d.chooseWitnesses(now, f)
		f.nextBaseline = now.Add(baselineInterval)
		if known+len(chosen) < witnesses || len(chosen) > 0 {
			f.nextBaseline = now.Add(baselineRetry)
		}
		for _, w := range chosen {
			f.asked[w] = now
			probes = append(probes, Probe{Witness: w, Target: f.UID, Address: f.Address})
		}
	}
	return probes
}

// chooseWitnesses are the nodes that are to try to reach a node, so that enough have lately, and how many have.
func (d *Detector) chooseWitnesses(now time.Time, f *followed) (chosen []types.UID, known int) {
	perZone := map[string]int{}
	tries := 0
	for uid, at := range f.asked {
		w := d.nodes[uid]
		switch {
		case w == nil || now.Sub(at) >= baselineInterval:
		case now.Sub(f.baseline[uid]) < baselineInterval && d.beats(w, now):
			known++
			perZone[w.Zone]++
			tries++
		default:
			tries++
		}
	}
	for _, pass := range []struct{ limit, has int }{{zoneWitnesses, spread(perZone)}, {witnesses, known}} { // The second only where one zone has too few others.
		for i := 1; i < min(len(d.order), maxLooked) && pass.has+len(chosen) < witnesses && tries < maxTries; i++ {
			w := d.order[(f.at+i)%len(d.order)]
			if last, asked := f.asked[w.UID]; asked && now.Sub(last) < baselineInterval || !d.beats(w, now) || perZone[w.Zone] >= pass.limit || slices.Contains(chosen, w.UID) {
				continue
			}
			chosen = append(chosen, w.UID)
			perZone[w.Zone]++
			tries++
		}
	}
	return chosen, known
}

// spread is how many witnesses there are, without those that one zone has too many of.
func spread(perZone map[string]int) (n int) {
	for _, in := range perZone {
		n += min(in, zoneWitnesses)
	}
	return n
}
