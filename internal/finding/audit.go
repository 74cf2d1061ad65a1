package finding

// Audit is what is wrong with a cluster, and what would be.
type Audit struct {
	// Findings are the present and the foreseeable ones, most dangerous first.
	Findings []Finding `json:"findings"`
	// Accepted are findings that somebody has agreed to live with.
	Accepted []Accepted `json:"accepted"`
	// Unknown is what could not be read and might have led to a finding.
	Unknown []Gap `json:"unknown"`
}

// Accepted is a finding with the reason why it may stand.
type Accepted struct {
	Finding Finding `json:"finding"`
	Reason  string  `json:"reason"`
	Expires string  `json:"expires"`
}

// ranks orders severities, the most severe first.
var ranks = map[Severity]int{Critical: 0, Warning: 1, Info: 2}

// AtLeast says whether s is as severe as another, or more.
func (s Severity) AtLeast(other Severity) bool { return ranks[s] <= ranks[other] }

// Rank is smaller the more severe s is.
func (s Severity) Rank() int { return ranks[s] }
