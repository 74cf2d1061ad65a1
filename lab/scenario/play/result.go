package play

import (
	"math"
	"slices"
	"time"

	"github.com/naosu-dev/naosu/lab/pace"
)

// Result is what came of a pass.
type Result struct {
	// With is the pass's name, Title what it shows in a line.
	With  string `json:"with"`
	Title string `json:"title"`
	// Events are the timeline, in order.
	Events []Event `json:"events"`
	// Impact is what the pass did to pods.
	Impact Impact `json:"impact"`
	// Expectations are in the order of the scenario.
	Expectations []Expectation `json:"expectations"`
	// Met is true when every expectation is, and every step could be played.
	Met bool `json:"met"`
	// NotJudged is true when it is not met, and the machine was too slow to tell whether it would have been.
	NotJudged bool `json:"notJudged,omitempty"`
	// LagSeconds is real time that the lab lost to the rest of the machine after the start. LagUsed is true when a deadline
	// was extended by it, or when something could not be judged for it.
	LagSeconds float64 `json:"lagSeconds"`
	LagUsed    bool    `json:"lagUsed,omitempty"`
	// NotPlayed says why the pass was not played at all, if it was not.
	NotPlayed string `json:"notPlayed,omitempty"`
	// Log is the end of what naosu's controller logged, if the pass is not met.
	Log string `json:"log,omitempty"`
	// Failure is what ended the pass early, if anything did.
	Failure string `json:"failure,omitempty"`
	// Nodes are the Node objects behind the names that the scenario gives.
	Nodes map[string]string `json:"nodes,omitempty"`
	// Claims are what volumes were claimed by, as namespace/name.
	Claims map[string]string `json:"claims,omitempty"`
	// Scale is the time scale; AtMinimum lists the settings that could not follow it.
	Scale     float64        `json:"scale"`
	AtMinimum []pace.Setting `json:"atMinimum,omitempty"`
	// StartReal is how long the start took to build, PlayReal the pass after it, both on the wall clock.
	StartReal time.Duration `json:"startReal"`
	PlayReal  time.Duration `json:"playReal"`
}

// judge says what follows for the pass from its expectations and from its early end, which the machine's lag may be the reason of.
func (r *Result) judge(unjudged bool) {
	missed := slices.ContainsFunc(r.Expectations, func(e Expectation) bool { return !e.Met && !e.NotJudged })
	open := slices.ContainsFunc(r.Expectations, func(e Expectation) bool { return e.NotJudged })
	r.Met = r.Failure == "" && !missed && !open
	r.NotJudged = !r.Met && !missed && (r.Failure == "" || unjudged)
}

// Sort is what an Event is about.
type Sort string

// The sorts of events.
const (
	Step     Sort = "step"
	Point    Sort = "point"
	Expected Sort = "expectation"
	Node     Sort = "node"
	Pod      Sort = "pod"
	Workload Sort = "workload"
	Volume   Sort = "volume"
	Cloud    Sort = "cloud"
	Repair   Sort = "repair"  // a Remediation
	Program  Sort = "program" // a command of naosu's
	Reported Sort = "event"   // a Kubernetes Event
)

// Event is one line of the timeline.
type Event struct {
	// AtSeconds is scenario time since the start.
	AtSeconds float64 `json:"atSeconds"`
	Sort      Sort    `json:"kind"`
	// Object is what it is about, such as "pod/redash/redis-0"; a step's or point's name.
	Object  string `json:"object,omitempty"`
	Message string `json:"message"`
	// Count is how often a Kubernetes Event was reported, the last time at LastAtSeconds.
	Count         int     `json:"count,omitempty"`
	LastAtSeconds float64 `json:"lastAtSeconds,omitempty"`
}

// Expectation is what came of one.
type Expectation struct {
	Name string `json:"name"`
	Met  bool   `json:"met"`
	// AtSeconds is when it came true for good, in scenario time since the start; nil if it did not.
	AtSeconds *float64 `json:"atSeconds"`
	// From is the point that its time is counted from, and FromSeconds when that was reached; nil if it was not.
	From        string   `json:"from"`
	FromSeconds *float64 `json:"fromSeconds,omitempty"`
	// OverrunSeconds is how long after its deadline it came true, in scenario time; lag had extended the deadline.
	OverrunSeconds float64 `json:"overrunSeconds,omitempty"`
	// NotJudged is true when it is not met, and the machine was too slow to tell whether it would have been.
	NotJudged bool `json:"notJudged,omitempty"`
	// Problem says why it is not met.
	Problem string `json:"problem,omitempty"`
	// That is the expression.
	That string `json:"that"`
}

// Update is one piece of changes from a pass that is being played.
type Update struct {
	AtSeconds float64 `json:"atSeconds"`
	// Activity is what the pass is at.
	Activity    string       `json:"activity,omitempty"`
	Event       *Event       `json:"event,omitempty"`
	Expectation *Expectation `json:"expectation,omitempty"`
}

// Observer hears of a pass while it is played. It is called from several goroutines, one at a time, and must not block.
type Observer func(Update)

// seconds is a duration as the results have it, to the hundredth.
func seconds(d time.Duration) float64 { return hundredths(d.Seconds()) }

func hundredths(seconds float64) float64 { return math.Round(seconds*100) / 100 }

func secondsOf(d time.Duration) *float64 {
	s := seconds(d)
	return &s
}
