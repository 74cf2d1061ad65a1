package cli

import (
	"cmp"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/reason/duration"
	"github.com/naosu-dev/naosu/internal/locale"
)

// reasonOutput is a reason as reasons -o json prints it. Texts are in one language, durations as in Kubernetes' objects: "10m".
type reasonOutput struct {
	Condition reason.Condition `json:"condition"`
	Reason    reason.ID        `json:"reason"`
	Severity  reason.Severity  `json:"severity"`
	Action    reason.Action    `json:"action"`
	Aliases   []reason.ID      `json:"aliases,omitempty"`
	Entity    string           `json:"entity,omitempty"`
	Hardware  reason.Hardware  `json:"hardware,omitempty"`
	Means     string           `json:"means"`
	Reads     string           `json:"reads"`
	Needs     needsOutput      `json:"needs"`
	Clears    clearsOutput     `json:"clears"`
	// Basis is the evidence of a fatal reason.
	Basis   *basisOutput   `json:"basis,omitempty"`
	Matches []matchOutput  `json:"matches,omitempty"`
	Own     string         `json:"own,omitempty"`
	Witness *witnessOutput `json:"witness,omitempty"`
}

// needsOutput is a count within a time, or for how long each check must find the fault.
type needsOutput struct {
	Count  int    `json:"count,omitempty"`
	Within string `json:"within,omitempty"`
	For    string `json:"for,omitempty"`
}

type clearsOutput struct {
	Quiet string `json:"quiet,omitempty"`
	For   string `json:"for,omitempty"`
}

type basisOutput struct {
	Kind reason.BasisKind `json:"kind"`
	Text string           `json:"text"`
}

type matchOutput struct {
	Log     string `json:"log"`
	Pattern string `json:"pattern"`
	Except  string `json:"except,omitempty"`
	Clears  bool   `json:"clears,omitempty"`
}

type witnessOutput struct {
	Unit    string `json:"unit,omitempty"`
	Counter string `json:"counter,omitempty"`
}

func outputOf(r reason.Reason, language string) reasonOutput {
	out := reasonOutput{
		Condition: r.Condition, Reason: r.ID, Severity: r.Severity, Action: r.Action, Aliases: r.Aliases, Entity: r.Entity, Hardware: r.Hardware,
		Means: r.Means.In(language), Reads: r.Reads, Own: r.Own,
		Needs:  needsOutput{Count: r.Needs.Count, Within: brief(r.Needs.Within), For: brief(r.Needs.For)},
		Clears: clearsOutput{Quiet: brief(r.Clears.Quiet), For: brief(r.Clears.For)},
	}
	if language == locale.Japanese {
		out.Reads = cmp.Or(r.ReadsJA, r.Reads)
	}
	if r.Basis != (reason.Basis{}) {
		out.Basis = &basisOutput{Kind: r.Basis.Kind, Text: r.Basis.Text.In(language)}
	}
	if r.Witness != (reason.SecondWitness{}) {
		out.Witness = &witnessOutput{Unit: r.Witness.Unit, Counter: r.Witness.Counter}
	}
	for _, m := range r.Matches {
		out.Matches = append(out.Matches, matchOutput{Log: m.Log, Pattern: m.Pattern, Except: m.Except, Clears: m.Clears})
	}
	return out
}

// brief is a duration as text; empty if it is zero.
func brief(d time.Duration) string {
	if d == 0 {
		return ""
	}
	return duration.In(locale.English, d)
}
