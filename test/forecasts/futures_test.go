package forecasts

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

const (
	// minFutures and maxFutures are how many futures are played of a change: twice as many each time, until the chance that
	// reality is a future of the simulation and still unlike all that were played is estimated at no more than missed. If it is
	// unlike all, which a rare one can be in spite of the estimate, maxFutures are played.
	minFutures, maxFutures = 400, 12800
	missed                 = 0.0002
)

// futures are what a change may bring.
type futures struct {
	endings []ending
	// nodes counts, for each workload and node, the futures that have a pod of that workload there.
	nodes map[string]map[string]int
}

// futures plays a change from several seeds, until there are enough of them.
func (b *fixture) futures(before *cluster.Snapshot, c change.Change) futures {
	b.Helper()
	for seeds := minFutures; ; seeds *= 2 {
		f := b.play(before, c, seeds)
		if chance := f.chanceOfAnother(); chance <= missed || seeds >= maxFutures {
			b.Logf("%d futures; the chance of another is about %.4f", seeds, chance)
			return f
		}
	}
}

// play plays a change from so many seeds.
func (b *fixture) play(before *cluster.Snapshot, c change.Change, seeds int) futures {
	b.Helper()
	judge, err := scheduling.New(b.Context(), before, scheduling.Options{})
	b.must(err)
	f := futures{nodes: map[string]map[string]int{}}
	b.must(simulation.EachFuture(b.Context(), judge, []change.Change{c}, simulation.Options{Seeds: seeds}, func(o outcome.Outcome) error {
		f.add(before, o)
		return nil
	}))
	return f
}

// differences returns what has happened that is in no future.
func (f *futures) differences(before, after *cluster.Snapshot, last func(*corev1.Pod) *corev1.Pod) []string {
	differences := realEnding(before, after, last).differences(f.endings)
	for workload, list := range places(before, after, byNode) {
		for _, place := range list {
			if f.nodes[workload][place] == 0 {
				differences = append(differences, fmt.Sprintf("a pod of %s is on %s, where no future has one", workload, place))
			}
		}
	}
	return differences
}

func (f *futures) add(before *cluster.Snapshot, o outcome.Outcome) {
	f.endings = append(f.endings, forecastEnding(before, o))
	for workload, list := range places(before, o.World, byNode) {
		if f.nodes[workload] == nil {
			f.nodes[workload] = map[string]int{}
		}
		seen := map[string]bool{}
		for _, place := range list {
			if !seen[place] {
				seen[place] = true
				f.nodes[workload][place]++
			}
		}
	}
}

// chanceOfAnother estimates how likely the next future is unlike all of these in something that is compared: for each of
// those, by the share of what was seen only once (Good and Turing's estimate of what was not seen), added up.
func (f *futures) chanceOfAnother() float64 {
	once := 0
	count := func(seen map[string]int) {
		for _, n := range seen {
			if n == 1 {
				once++
			}
		}
	}
	for place := range f.endings[0].Fates {
		count(countOf(f.endings, func(e ending) string { return e.Fates[place] }))
	}
	workloads := map[string]bool{}
	for _, e := range f.endings {
		for workload := range e.Workloads {
			workloads[workload] = true
		}
	}
	for workload := range workloads {
		count(countOf(f.endings, func(e ending) string { return e.Workloads[workload] }))
		count(f.nodes[workload])
	}
	return float64(once) / float64(len(f.endings))
}
