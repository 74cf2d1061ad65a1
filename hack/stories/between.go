package main

import (
	"slices"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// between is what an impact was between two times, as if it had begun at the first one.
func between(i play.Impact, from, until float64) play.Impact {
	times := func(all []float64) []float64 {
		kept := []float64{}
		for _, at := range all {
			if at >= from && at < until {
				kept = append(kept, at-from)
			}
		}
		return kept
	}
	part := play.Impact{
		LengthSeconds: until - from, Workloads: []play.WorkloadImpact{}, Nodes: []play.NodeImpact{},
		PreemptedAt: times(i.PreemptedAt), FailedJobsAt: times(i.FailedJobsAt),
	}
	for _, w := range i.Workloads {
		if w.Outages = clip(w.Outages, from, until); len(w.Outages) > 0 {
			w.PodSeconds, w.LongestSeconds, w.Pods = sum(w.Outages)
			part.Workloads = append(part.Workloads, w)
		}
	}
	for _, n := range i.Nodes {
		if n.Outages = clip(n.Outages, from, until); len(n.Outages) > 0 {
			n.Seconds = 0
			for _, o := range n.Outages {
				n.Seconds += o.ToSeconds - o.FromSeconds
			}
			part.Nodes = append(part.Nodes, n)
		}
	}
	return part
}

// clip is the part of outages between two times.
func clip(all []play.Outage, from, until float64) []play.Outage {
	var kept []play.Outage
	for _, o := range all {
		o.FromSeconds, o.ToSeconds = max(o.FromSeconds, from)-from, min(o.ToSeconds, until)-from
		if o.FromSeconds < o.ToSeconds {
			kept = append(kept, o)
		}
	}
	return kept
}

// sum is the time of outages added up over the pods, the longest in a row, and the most pods at a time.
func sum(all []play.Outage) (podSeconds, longest float64, most int) {
	sorted := slices.SortedFunc(slices.Values(all), func(a, b play.Outage) int {
		if a.FromSeconds < b.FromSeconds {
			return -1
		}
		return 1
	})
	began, ends := -1.0, -1.0
	for _, o := range sorted {
		podSeconds += float64(o.Pods) * (o.ToSeconds - o.FromSeconds)
		most = max(most, o.Pods)
		if o.FromSeconds > ends {
			began = o.FromSeconds
		}
		ends = max(ends, o.ToSeconds)
		longest = max(longest, ends-began)
	}
	return podSeconds, longest, most
}
