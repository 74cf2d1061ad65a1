package finding

import (
	"time"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
)

// Forecast answers what changes would do.
type Forecast struct {
	Changes       []change.Change   `json:"changes"`
	Outcome       ForecastOutcome   `json:"outcome"`
	PDBViolations []BudgetViolation `json:"pdbViolations"`
	// Refused is what the API server would not take, where it was asked; it is not played.
	Refused []Refusal `json:"refused,omitempty"`
	// Addresses are the subnets of which another number of addresses is free in the end, of several futures in the first one.
	Addresses []ForecastAddresses `json:"addresses,omitempty"`
	// Unlaunched are the groups that could not launch all instances, because no subnet had an address for them.
	Unlaunched []Unlaunched `json:"unlaunched,omitempty"`
	// Findings are what the diagnosis of any of the futures finds and that of the present does not.
	Findings []Finding `json:"findings"`
	// Seeds is how many futures were simulated, each with another seed.
	Seeds       int   `json:"seeds"`
	NotModelled []Gap `json:"notModelled"`
}

// ForecastOutcome is what becomes of the pods that do not stay as they are, in any of the futures: a pod that fares differently in
// some of them is in more than one list.
type ForecastOutcome struct {
	Moved     []ForecastRow `json:"moved"`
	Waiting   []ForecastRow `json:"waiting"`
	Delayed   []ForecastRow `json:"delayed"`
	Preempted []ForecastRow `json:"preempted"`
	Lost      []ForecastRow `json:"lost"`
	Ended     []ForecastRow `json:"ended"`
	Created   []ForecastRow `json:"created"`
	// Counts is the length of each list by its name, and of those that stay.
	Counts map[string]int `json:"counts"`
}

// ForecastRow is the fate of one pod.
type ForecastRow struct {
	Pod change.Ref `json:"pod"`
	// From and To are nodes.
	From string           `json:"from,omitempty"`
	To   string           `json:"to,omitempty"`
	By   *change.Ref      `json:"by,omitempty"`
	Why  message.Sentence `json:"why,omitzero"`
	// Until is how long it takes or lasts, as far as it is known.
	Until *Duration `json:"until,omitempty"`
	// Chance is the share of the futures played in which it came so, NodeChance of those in which it came so and To is the same;
	// 1 is all.
	Chance     float64 `json:"chance"`
	NodeChance float64 `json:"nodeChance"`
}

// ForecastAddresses is how many addresses of a subnet are free, before and after the changes.
type ForecastAddresses struct {
	Subnet string `json:"subnet"`
	Zone   string `json:"zone,omitempty"`
	Before int64  `json:"before"`
	After  int64  `json:"after"`
}

// Unlaunched is a group that could not launch so many instances.
type Unlaunched struct {
	Group     string `json:"group"`
	Instances int    `json:"instances"`
}

// Refusal is an object that the API server does not take, in its own words.
type Refusal struct {
	Object change.Ref `json:"object"`
	Why    string     `json:"why"`
}

// Duration is a time.Duration that reads as one, such as "5m40s".
type Duration time.Duration

// MarshalText writes it as Go does.
func (d Duration) MarshalText() ([]byte, error) { return []byte(time.Duration(d).String()), nil }

// BudgetViolation is a PodDisruptionBudget that would not be kept to.
type BudgetViolation struct {
	Budget    change.Ref `json:"budget"`
	Allowed   int        `json:"allowed"`
	Disrupted int        `json:"disrupted"`
	// Chance is the share of the futures played in which it is not kept to; 1 is all.
	Chance float64 `json:"chance"`
}
