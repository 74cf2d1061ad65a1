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
	// problem says why it failed.
	problem string
}

type trackerState int

const (
	waiting trackerState = iota // for the condition to become true
	holding                     // it is true and has to stay so
	met
	failed
)

func (t *tracker) settled() bool { return t.state == met || t.state == failed }

// observe takes in what the condition is now.
func (t *tracker) observe(now time.Duration, value bool) {
	switch {
	case t.settled():
	case !value && t.state == holding && now >= t.deadline:
		t.fail("was true for only %s of the %s it should hold", (now - t.since).Round(10*time.Millisecond), t.holds)
	case !value:
		t.state = waiting
		if now >= t.deadline {
			t.fail("did not come true within %s", t.deadline)
		}
	case t.state == waiting && now < t.notBefore:
		t.since = now
		t.fail("came true after %s, sooner than the %s it should take", now.Round(10*time.Millisecond), t.notBefore)
	case t.state == waiting && now > t.deadline:
		t.fail("came true after %s, later than %s", now.Round(10*time.Millisecond), t.deadline)
	case t.state == waiting:
		t.state, t.since = holding, now
		t.hold(now)
	default:
		t.hold(now)
	}
}

func (t *tracker) hold(now time.Duration) {
	if now-t.since >= t.holds {
		t.state = met
	}
}

func (t *tracker) fail(format string, args ...any) {
	t.state, t.problem = failed, fmt.Sprintf(format, args...)
}

// because adds to a failure why the condition does not hold now.
func (t *tracker) because(explain func() string) {
	if t.state != failed || explain == nil {
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
	return t.deadline
}
