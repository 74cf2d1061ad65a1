package headroom

import (
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// answer is what the verb says, as data.
type answer struct {
	Failures []failure `json:"failures"`
	// Reserve is the room that survives all of the failures, each by itself, and what could be given back; left out with --room=false.
	Reserve *headroom.Reserve `json:"reserve,omitempty"`
	// Policies are the HeadroomPolicies of the cluster; left out if there are none.
	Policies []policy `json:"policies,omitempty"`
	// Unknown is what is not known, and why.
	Unknown     []finding.Gap `json:"unknown"`
	NotModelled []finding.Gap `json:"notModelled"`
}

// failure is one with what it is called.
type failure struct {
	Name message.Sentence `json:"name"`
	headroom.Answer
}

func answerOf(report *headroom.Report) answer {
	a := answer{Reserve: report.Reserve, Failures: []failure{}, Unknown: []finding.Gap{}, NotModelled: []finding.Gap{}}
	for _, one := range report.Answers {
		f := failure{headroom.NameOf(one.Failure), one}
		a.Failures = append(a.Failures, f)
		a.Unknown = append(a.Unknown, f.gaps()...)
	}
	for _, gap := range report.NotModelled {
		a.NotModelled = append(a.NotModelled, finding.Gap{About: gap.About, Message: gap.Why})
	}
	return a
}

// gaps are why the cost of a failure is not known, or not of all its cases.
func (f failure) gaps() []finding.Gap {
	gap := func(why message.Sentence) []finding.Gap { return []finding.Gap{{About: string(f.Kind), Message: why}} }
	switch f.Status {
	case headroom.Unread:
		var kinds message.List
		for _, kind := range f.Unread {
			kinds = append(kinds, string(kind))
		}
		return gap(sentence.HeadroomUnread(f.Name, kinds))
	case headroom.NotComputed:
		most := headroom.MostNodesForTwo
		if f.Kind == headroom.Rotation {
			most = headroom.MostRotated
		}
		return gap(sentence.HeadroomTooMany(f.Name, most))
	case headroom.Failed:
		return gap(sentence.HeadroomFailed(f.Name))
	}
	if f.Unplayed > 0 {
		return gap(sentence.HeadroomUnplayed(f.Name, f.Unplayed))
	}
	return nil
}

// costly is the number of failures that have a cost.
func (a answer) costly() int {
	n := 0
	for _, f := range a.Failures {
		if f.Costly > 0 {
			n++
		}
	}
	return n
}

func (a answer) unknown() int {
	n := 0
	for _, f := range a.Failures {
		if f.Status != headroom.Known {
			n++
		}
	}
	return n
}

// undecided is the number of failures that may have a cost that is not known.
func (a answer) undecided() int {
	n := a.unknown()
	for _, f := range a.Failures {
		if f.Unplayed > 0 {
			n++
		}
	}
	return n
}
