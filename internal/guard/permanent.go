package guard

import "slices"

// lasting are the reasons of delays that somebody must lift: a pause, and a pod that nothing would make again. They delay only so
// that what waits goes on as soon as they are gone.
var lasting = []Reason{Paused, PodsWouldBeLost}

// Permanent says whether waiting does not change a verdict, so that somebody must change something first. That is every Deny, and
// a delay that lasts. An approval is not meant: it is given to each Remediation in turn.
func (v Verdict) Permanent() bool { return v.Decision == Deny || slices.Contains(lasting, v.Reason) }
