package reclaim

import (
	"errors"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/internal/cloud"
)

const (
	// Pause is between one deletion and the calls for the next. EC2 admits five a second in an account and region, which the VPC CNI needs, too.
	//
	// Source: https://docs.aws.amazon.com/ec2/latest/devguide/ec2-api-throttling.html.
	Pause = time.Second
	// fresh is for how long a description is good enough for the deletion to follow.
	fresh = 5 * time.Second
)

// CallKind is the kind of a Call.
type CallKind string

// The kinds.
const (
	// DryRun asks EC2 once a run whether the deletion would be allowed.
	DryRun CallKind = "DryRun"
	// Describe reads the interface again, right before it is deleted.
	Describe CallKind = "Describe"
	// Delete deletes it.
	Delete CallKind = "Delete"
)

// Call is a call to EC2.
type Call struct {
	Kind CallKind
	// ID is the interface's.
	ID string
	// NotBefore is the earliest time of the call.
	NotBefore time.Time
}

// Outcome is what became of an interface that a run was to delete.
type Outcome string

// The outcomes.
const (
	Deleted Outcome = "Deleted"
	// Gone: there was no such interface when it was described again.
	Gone Outcome = "Gone"
	// Spared: it was not eligible any more when it was described again.
	Spared Outcome = "Spared"
	// Refused: EC2 refused to delete it, because it is in use or a service manages it.
	Refused Outcome = "Refused"
	// Unsure: EC2 did not answer, so that it may be deleted or not.
	Unsure Outcome = "Unsure"
)

// Result is what became of one interface.
type Result struct {
	ID      string
	Outcome Outcome
	// Reason is why it was spared.
	Reason Reason
	// Err is EC2's answer where it was refused, or none came.
	Err error
}

// Run is one run of deletions. Next returns the call to be made, and one of Tried, Described and Deleted takes its answer.
type Run struct {
	scope Scope
	seen  map[string]Observation
	queue []string
	// allowed says that the dry run has passed, describedAt is when the interface that is next was described, and deletedAt when the last was deleted.
	allowed                bool
	describedAt, deletedAt time.Time
	results                []Result
	stopped                error
}

// NewRun is a run that deletes the interfaces that are eligible, the first first, as far as Limits allow. earlier are the observations that the decisions
// rest on.
func (s Scope) NewRun(decisions []Decision, earlier []Observation) *Run {
	r := &Run{scope: s, seen: map[string]Observation{}}
	for _, o := range earlier {
		r.seen[o.ID] = o
	}
	for _, d := range decisions {
		if d.Reason == Eligible && len(r.queue) < s.MaxDeletions {
			r.queue = append(r.queue, d.Interface.ID)
		}
	}
	return r
}

// Continue has the run go on where another of the same plan ended: the dry run has passed, and the last deletion was at a time.
func (r *Run) Continue(deletedAt time.Time) { r.allowed, r.deletedAt = true, deletedAt }

// MayDelete says whether a dry run has passed.
func (r *Run) MayDelete() bool { return r.allowed }

// Next is the next call; false if the run has ended.
func (r *Run) Next(now time.Time) (Call, bool) {
	switch {
	case r.stopped != nil || len(r.queue) == 0:
		return Call{}, false
	case !r.allowed:
		return Call{Kind: DryRun, ID: r.queue[0]}, true
	case r.describedAt.IsZero() || now.Sub(r.describedAt) > fresh || now.Before(r.describedAt):
		call := Call{Kind: Describe, ID: r.queue[0]}
		if !r.deletedAt.IsZero() {
			call.NotBefore = r.deletedAt.Add(Pause)
		}
		return call, true
	default:
		return Call{Kind: Delete, ID: r.queue[0]}, true
	}
}

// Tried takes the answer to a DryRun.
func (r *Run) Tried(err error) {
	switch {
	case err == nil:
		r.allowed = true
	case ofOne(err):
		r.done(Result{Outcome: Refused, Err: err})
	default:
		r.stopped = err
	}
}

// Described takes the answer to a Describe: the interface, or nil if there is none.
func (r *Run) Described(i *cloud.Interface, err error, now time.Time) {
	switch {
	case err != nil:
		r.stopped = err
		return
	case i == nil:
		r.done(Result{Outcome: Gone})
		return
	}
	r.scope.Now = now
	seen := r.seen[r.queue[0]]
	if reason := r.scope.Decide(*i, &seen); reason != Eligible {
		r.done(Result{Outcome: Spared, Reason: reason})
		return
	}
	r.describedAt = now
}

// Deleted takes the answer to a Delete.
func (r *Run) Deleted(err error, now time.Time) {
	r.deletedAt = now
	switch {
	case err == nil:
		r.done(Result{Outcome: Deleted})
	case ofOne(err):
		r.done(Result{Outcome: Refused, Err: err})
	case errors.Is(err, cloud.ErrUnsure):
		r.done(Result{Outcome: Unsure, Err: err})
		r.stopped = err
	default:
		r.stopped = err
	}
}

// ofOne says whether an error concerns one interface. Any other, such as a missing permission or a throttled call, would meet the next one, too.
func ofOne(err error) bool {
	return errors.Is(err, cloud.ErrInterfaceInUse) || errors.Is(err, cloud.ErrInterfaceManaged)
}

// done ends the work on the interface that is next.
func (r *Run) done(of Result) {
	of.ID = r.queue[0]
	r.results = append(r.results, of)
	r.queue, r.describedAt = r.queue[1:], time.Time{}
}

// Results are what became of the interfaces so far, in their order.
func (r *Run) Results() []Result { return slices.Clone(r.results) }

// Stopped is why the run ended before its time; nil if it did not.
func (r *Run) Stopped() error { return r.stopped }

// Keep are the observations without those of interfaces that the run is done with: one that is still there is observed anew, and takes its turn after the
// others.
func (r *Run) Keep(observations []Observation) []Observation {
	return slices.DeleteFunc(slices.Clone(observations), func(o Observation) bool {
		return slices.ContainsFunc(r.results, func(done Result) bool { return done.ID == o.ID })
	})
}
