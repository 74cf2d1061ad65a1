package guard

import (
	"time"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Decision is what a check decides. The zero Decision is Deny, so that an empty verdict allows nothing.
type Decision uint8

// The decisions, worst first.
const (
	Deny  Decision = iota // stays until something is changed
	Delay                 // check again after RetryAfter
	Allow
)

func (d Decision) String() string {
	switch d {
	case Allow:
		return "Allow"
	case Delay:
		return "Delay"
	default:
		return "Deny"
	}
}

// Verdict is the result of one check.
type Verdict struct {
	Decision Decision
	// Reason is one word, as in a condition; empty with Allow.
	Reason  Reason
	Message message.Sentence
	// RetryAfter is when to check again after a Delay.
	RetryAfter time.Duration
}

// Check is one check of a proposal.
type Check struct {
	Name   string
	Decide func(Proposal, Facts) Verdict
}

// Named is a verdict with the name of its check.
type Named struct {
	Check string
	Verdict
}

// Ruling is the result of all checks.
type Ruling struct {
	// Named is the worst verdict; of delays, the longest.
	Named
	// All are the verdicts of all checks, in their order.
	All []Named
}

// Decide runs all checks. Without any, nothing is allowed.
func Decide(checks []Check, p Proposal, f Facts) Ruling {
	var ruling Ruling
	for i, check := range checks {
		verdict := Named{check.Name, check.Decide(p, f)}
		ruling.All = append(ruling.All, verdict)
		if i == 0 || worse(verdict.Verdict, ruling.Verdict) {
			ruling.Named = verdict
		}
	}
	return ruling
}

func worse(a, b Verdict) bool {
	if a.Decision == Delay && b.Decision == Delay {
		return a.RetryAfter > b.RetryAfter
	}
	return a.Decision < b.Decision
}

var allow = Verdict{Decision: Allow}

func deny(why Reason, said message.Sentence) Verdict {
	return Verdict{Deny, why, said, 0}
}

func delay(why Reason, retry time.Duration, said message.Sentence) Verdict {
	return Verdict{Delay, why, said, retry}
}

// unknown is the verdict of a check whose fact is missing.
func unknown(fact string) Verdict {
	return delay(Unknown, shortRetry, sentence.GuardUnknown(fact))
}

// When to check again: shortRetry for what changes by itself within minutes, longRetry for what people change.
const (
	shortRetry = time.Minute
	longRetry  = 5 * time.Minute
)
