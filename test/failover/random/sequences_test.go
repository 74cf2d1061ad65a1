package random

import (
	"flag"
	"slices"

	"pgregory.net/rapid"
)

var sequenceFlag = flag.String("sequence", "", "have each run contain this sequence of faults")

// sequence is faults of one machine that follow one another so closely as independent ones hardly ever do.
type sequence struct {
	name  string
	parts []part
}

// part is a fault of a sequence. It begins between After and Until seconds after the part before it.
type part struct {
	Kind         kind
	After, Until int
	For          int
}

// sequences are drawn from in half of the runs.
var sequences = []sequence{
	{"one-zone-tries", []part{{Kind: dialsFail, For: 60}, {hostDead, 0, 3, 50}}},
	{"one-tries", []part{{Kind: oneDials, For: 60}, {hostDead, 0, 3, 50}}},
	{"two-cut-off", []part{{Kind: twoIsolated, For: 75}}},
	{"closed-and-cut-off", []part{{Kind: agentKilled, For: 90}, {twoIsolated, 1, 2, 75}}},
	{"zone-down", []part{{Kind: mostOfZoneDown, For: 90}}},
	{"reached-by-one", []part{{Kind: someCut, For: 60}}},
	{"cut-off-from-peers", []part{{Kind: peersCut, For: 60}}},
	{"off-in-old-caches", []part{{Kind: staleCache, For: 30}, {hostDead, 6, 14, 60}}},
	{"paused-in-old-caches", []part{{Kind: staleCache, For: 30}, {paused, 1, 3, 40}, {hostDead, 3, 10, 60}}},
	{"paused-before-proof", []part{{Kind: stoppedLate, For: 1}, {staleCache, 54, 58, 45}, {paused, 1, 3, 60}}},
	{"lead-lost-on-silence", []part{{Kind: hostDead, For: 60}, {leadLost, 3, 5, 1}}},
	{"terminated-on-silence", []part{{Kind: terminatedLate, For: 80}}},
	{"declared-by-hand", []part{{Kind: terminatedLate, For: 80}, {handTainted, 69, 73, 30}}},
	{"deleted-while-running", []part{{Kind: hostDead, For: 480}, {recreated, 68, 73, 1}}},
	{"clock-set-on-silence", []part{{Kind: hostDead, For: 60}, {leadersClock, 0, 8, 1}, {leadersClock, 0, 60, 1}}},
	{"sick-while-changed", []part{{Kind: apiSlow, For: 80}, {policyEdited, 0, 3, 1}, {runtimeDown, 3, 12, 60}}},
}

// drawSequence draws a sequence in half of the runs, or has it be the one of the flag.
func drawSequence(t *rapid.T) (sequence, bool) {
	number := rapid.IntRange(0, 2*len(sequences)-1).Draw(t, "sequence")
	if *sequenceFlag != "" {
		number = slices.IndexFunc(sequences, func(s sequence) bool { return s.name == *sequenceFlag })
	}
	if number >= len(sequences) {
		return sequence{}, false
	}
	return sequences[number], true
}

// faults are those of a sequence, on one machine.
func (s sequence) faults(t *rapid.T) (all []fault) {
	at, target := startSeconds+rapid.IntRange(0, faultSeconds-longest).Draw(t, "sequence at"), rapid.IntRange(0, 20).Draw(t, "sequence target")
	for _, one := range s.parts {
		at += rapid.IntRange(one.After, one.Until).Draw(t, "after")
		all = append(all, fault{At: at, For: one.For, Target: target, Kind: one.Kind})
	}
	return all
}

// besides is how many independent faults there are beside a sequence at most: more hide what it leads to.
const besides = 3

// add has a plan contain a sequence, and somebody ask for everything, in some runs after a longer silence than another, who wants to know only.
func (p *plan) add(t *rapid.T, s sequence) {
	p.Policies = []policyPlan{{NotReady: 60, Unreachable: 60, WhenOff: true, OnSilence: true, NotReadyOnSilence: true, SilentAfter: rapid.SampledFrom([]int{4, 4, 4, 10}).Draw(t, "silent after")}}
	if p.Policies[0].SilentAfter > 4 {
		p.Policies = append(p.Policies, policyPlan{Report: true, NotReady: 60, Unreachable: 60, OnSilence: true, SilentAfter: 3})
	}
	p.Workloads[0], p.Workloads[1] = workload{deployment, 5, false}, workload{claiming, 5, false}
	p.Faults = append(p.Faults[:min(len(p.Faults), besides)], s.faults(t)...)
}
