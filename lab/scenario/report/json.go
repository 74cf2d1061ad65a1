// Package report shows what came of scenarios: as data, in the form that `naosu-lab run -o json` promises, and as text for
// a person: the timeline, each expectation with when it came true, and what a time scale could not scale.
package report

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"

	"github.com/naosu-dev/naosu/lab/scenario/play"
)

// Scenario is what came of a scenario's passes.
type Scenario struct {
	Name, Title string
	Passes      []play.Result
}

// Met is true when all passes are.
func (s Scenario) Met() bool {
	return !slices.ContainsFunc(s.Passes, func(p play.Result) bool { return !p.Met })
}

// Missed is true when a pass is not met, and the machine was not too slow to tell.
func (s Scenario) Missed() bool {
	return slices.ContainsFunc(s.Passes, func(p play.Result) bool { return !p.Met && !p.NotJudged })
}

type scenarioJSON struct {
	Scenario string     `json:"scenario"`
	Passes   []passJSON `json:"passes"`
}

type passJSON struct {
	With         string            `json:"with"`
	Events       []play.Event      `json:"events"`
	Expectations []expectationJSON `json:"expectations"`
	// Impact is not there for a pass that was not played.
	Impact *play.Impact `json:"impact,omitempty"`
	Met    bool         `json:"met"`
	// Judged is false when the machine was too slow to tell whether the pass would have been met.
	Judged bool `json:"judged"`
	// Lag is in seconds of real time.
	Lag float64 `json:"lag"`
	// NotPlayed says why the pass was not played, if it was not.
	NotPlayed string `json:"notPlayed,omitempty"`
}

type expectationJSON struct {
	Name   string `json:"name"`
	Met    bool   `json:"met"`
	Judged bool   `json:"judged"`
	// AtSeconds is scenario time since the start; null if it did not come true.
	AtSeconds *float64 `json:"atSeconds"`
}

// JSON writes one scenario as an object, several as an array.
func JSON(w io.Writer, scenarios []Scenario) error {
	shown := make([]scenarioJSON, 0, len(scenarios))
	for _, s := range scenarios {
		shown = append(shown, asJSON(s))
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	var data any = shown
	if len(shown) == 1 {
		data = shown[0]
	}
	if err := encoder.Encode(data); err != nil {
		return fmt.Errorf("writing the report: %w", err)
	}
	return nil
}

func asJSON(s Scenario) scenarioJSON {
	shown := scenarioJSON{Scenario: s.Name, Passes: []passJSON{}}
	for _, p := range s.Passes {
		pass := passJSON{
			With: p.With, Events: p.Events, Expectations: []expectationJSON{}, Met: p.Met, Judged: !p.NotJudged, Lag: p.LagSeconds, NotPlayed: p.NotPlayed,
		}
		if pass.Events == nil {
			pass.Events = []play.Event{}
		}
		if p.NotPlayed == "" {
			pass.Impact = &p.Impact
		}
		for _, e := range p.Expectations {
			pass.Expectations = append(pass.Expectations, expectationJSON{e.Name, e.Met, !e.NotJudged, e.AtSeconds})
		}
		shown.Passes = append(shown.Passes, pass)
	}
	return shown
}
