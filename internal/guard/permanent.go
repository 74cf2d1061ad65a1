package guard

import "slices"

// lastingReasons are the reasons of delays that a person must end: a pause, and a pod that no controller would create again. They are
// delays so that the repair continues as soon as they are gone.
var lastingReasons = []Reason{Paused, PodsWouldBeLost}

// Permanent says whether a verdict stays until a person changes something: every Deny, and delays of a lasting reason. A missing
// approval is not permanent: it is given to each Remediation in turn.
func (v Verdict) Permanent() bool {
	return v.Decision == Deny || slices.Contains(lastingReasons, v.Reason)
}
