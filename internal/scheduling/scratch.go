package scheduling

import fwk "k8s.io/kube-scheduler/framework"

// scratch is room that sweeps use again one after the other: at thousands of nodes, and thousands of sweeps a second,
// making it anew would cost more than the plugins do.
type scratch struct {
	slots    []*slot
	infos    []fwk.NodeInfo
	statuses []*fwk.Status
	asked    []int
	scores   []int64
	totals   []int64
	list     fwk.NodeScoreList
	domains  []scored
	verdicts []judged
	spread   []fwk.NodeInfo
}

// scored is a score that holds for the look it was given in.
type scored struct {
	look  int
	score int64
}

// judged is the same of a filter's verdict.
type judged struct {
	look    int
	verdict *fwk.Status
}

// sized is a buffer of n, of which nothing is promised.
func sized[S ~[]T, T any](buffer *S, n int) S {
	if cap(*buffer) < n {
		*buffer = make(S, n+n/4)
	}
	return (*buffer)[:n]
}
