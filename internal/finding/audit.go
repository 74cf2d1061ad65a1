package finding

// Audit is what is wrong with a cluster, and what would be.
type Audit struct {
	// Findings are the present and the foreseeable ones, most dangerous first.
	Findings []Finding `json:"findings"`
	// Accepted is what somebody has agreed to live with, and was found.
	Accepted []Accepted `json:"accepted"`
	// Unknown is what could not be read and might have led to a finding.
	Unknown []Gap `json:"unknown"`
}

// Accepted is a kind of finding about a thing that somebody has agreed to live with.
type Accepted struct {
	Code Code `json:"code"`
	// Subject is kind/name, or namespace/kind/name; each part may hold the wildcards of Go's path.Match.
	Subject string `json:"subject"`
	// Reason is why it may stand.
	Reason string `json:"reason"`
	// Expires is the last day on which it may, as in 2027-03-31.
	Expires string `json:"expires"`
}

// ranks orders severities, the most severe first.
var ranks = map[Severity]int{Critical: 0, Warning: 1, Info: 2}

// AtLeast says whether s is as severe as another, or more.
func (s Severity) AtLeast(other Severity) bool { return ranks[s] <= ranks[other] }

// Rank is smaller the more severe s is.
func (s Severity) Rank() int { return ranks[s] }
