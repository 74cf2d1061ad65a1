package play

import (
	"fmt"
	"time"
)

// tracker follows one condition over time. All times are scenario time since the point it counts from.
type tracker struct {
	notBefore, deadline, holds time.Duration

	state trackerState
	// since is when the condition last became true.
	since time.Duration
	// problem says why it failed, or could not be judged.
	problem string
	// extension is how much the deadline was moved for lag when it was last looked at.
	extension time.Duration
}

type trackerState int

const (
	waiting trackerState = iota // for the condition to become true
	holding                     // it is true and has to stay so
	met
	failed
	unjudged // it would have failed, but the machine may be why
)

func (t *tracker) settled() bool { return t.state >= met }

// observe takes in what the condition is now, and how late the machine is.
func (t *tracker) observe(now time.Duration, value bool, l lateness) {
	switch {
	case t.settled():
	case value && t.state == holding:
		t.hold(now)
	case value && now < t.notBefore:
		t.since = now
		t.soon(now, l)
	case value && now > t.limit(now, l):
		t.fail(now, l, "came true after %s, later than %s", now.Round(10*time.Millisecond), t.allowed())
	case value:
		t.state, t.since = holding, now
		t.hold(now)
	case now < t.limit(now, l):
		t.state = waiting
	case t.state == holding:
		t.end(now, l)
	default:
		t.fail(now, l, "did not come true within %s", t.allowed())
	}
}

func (t *tracker) hold(now time.Duration) {
	if now-t.since >= t.holds {
		t.state = met
	}
}

// limit is the deadline with what lag adds to it. Before the deadline nothing depends on lag.
func (t *tracker) limit(now time.Duration, l lateness) time.Duration {
	if now >= t.deadline {
		t.extension = l.extension(now)
	}
	return t.deadline + t.extension
}

// allowed says the deadline for a reader.
func (t *tracker) allowed() string {
	if t.extension == 0 {
		return t.deadline.String()
	}
	return fmt.Sprintf("%s and %s of lag", t.deadline, tenth(t.extension))
}

// tenth is lag as the report shows it.
func tenth(d time.Duration) time.Duration { return d.Round(100 * time.Millisecond) }

// overrun is how much later than its deadline the condition came true, which lag allowed.
func (t *tracker) overrun() time.Duration { return max(0, t.since-t.deadline) }

// fail settles that the condition does not hold, or that it cannot be judged.
func (t *tracker) fail(now time.Duration, l lateness, format string, args ...any) {
	t.state, t.problem = failed, fmt.Sprintf(format, args...)
	t.excuse(l.excuse(now))
}

// excuse has a failure not judged, if anything excuses it.
func (t *tracker) excuse(why string) {
	if why != "" {
		t.state = unjudged
		t.problem += "; " + why
	}
}

// end settles that the condition no longer holds.
func (t *tracker) end(now time.Duration, l lateness) {
	t.fail(now, l, "was true for only %s of the %s it should hold", (now - t.since).Round(10*time.Millisecond), t.holds)
	if t.state == failed && l.breaks() {
		t.excuse(fmt.Sprintf("there were just %s of lag, which may be why", tenth(l.recent())))
	}
}

// soon settles that the condition came true too soon. Lag moves notBefore by nothing; but its point may have been noted late,
// and then more time has passed than was counted.
func (t *tracker) soon(now time.Duration, l lateness) {
	t.state = failed
	t.problem = fmt.Sprintf("came true after %s, sooner than the %s it should take", now.Round(10*time.Millisecond), t.notBefore)
	if now+l.before >= t.notBefore && l.before > 0 {
		t.excuse(fmt.Sprintf("its point may have been noted %s late for lag", tenth(l.before)))
	} else {
		t.excuse(l.follows())
	}
}

// because adds to a failure why the condition does not hold now.
func (t *tracker) because(explain func() string) {
	if t.state != failed && t.state != unjudged || explain == nil {
		return
	}
	if why := explain(); why != "" {
		t.problem += ": " + why
	}
}

// next is when the tracker has to be asked again although nothing has changed.
func (t *tracker) next() time.Duration {
	if t.state == holding {
		return t.since + t.holds
	}
	return t.deadline + t.extension
}
