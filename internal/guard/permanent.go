package guard

// Permanent says whether waiting does not change a verdict, so that somebody must change something first. That is every Deny, and
// a pause: it delays only so that what waits goes on as soon as it is lifted. An approval is not meant: it is given to each
// Remediation in turn.
func (v Verdict) Permanent() bool { return v.Decision == Deny || v.Reason == Paused }
