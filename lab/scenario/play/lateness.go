package play

import (
	"context"
	"fmt"
	"time"

	"github.com/naosu-dev/naosu/lab/lag"
)

// How much lag may excuse: one in lagShare of the time since the point, and lagReal of real time.
const (
	lagShare = 4
	lagReal  = 10 * time.Second
)

// lagBreaks is how much of the scenario's time, lost within ten seconds of real time, may end what holds, however little was lost before: Kubernetes takes
// a node for unreachable that it has not heard of for 50 s, and nodes are heard of every 10 s.
//
// Source: the defaults of --node-monitor-grace-period, and of nodeLeaseDurationSeconds, a quarter of which lies between two renewals.
const lagBreaks = 30 * time.Second

// lateness is the machine's lag as a condition meets it, in scenario time.
type lateness struct {
	// before is what was lost shortly before its point was noted, by which that may have been noted late.
	before time.Duration
	// since is what was lost since the point; nil is nothing. It is asked only where a verdict depends on it, for it measures.
	since func() time.Duration
	// recent is what was lost in the last ten seconds of real time; nil is nothing.
	recent func() time.Duration
	// always is the part of the bound that does not grow with time.
	always time.Duration
	// unjudged names what was not judged before in the pass: what fails after it may follow from it.
	unjudged string
}

func (l lateness) lost() time.Duration {
	if l.since == nil {
		return 0
	}
	return l.since()
}

// bound is how much of it may excuse something, at a time since the point.
func (l lateness) bound(now time.Duration) time.Duration { return now/lagShare + l.always }

// beyond says whether there is more than that, so that a failure could not be judged.
func (l lateness) beyond(now time.Duration) bool { return l.lost() > l.bound(now) }

// excuse says why something that fails cannot be judged, or "".
func (l lateness) excuse(now time.Duration) string {
	if l.beyond(now) {
		return fmt.Sprintf("there are %s of lag, too much to judge it", tenth(l.lost()))
	}
	return l.follows()
}

// follows says what a failure may follow from that was not judged, or "".
func (l lateness) follows() string {
	if l.unjudged == "" {
		return ""
	}
	return fmt.Sprintf("it may follow from %s, which was not judged", l.unjudged)
}

// breaks says whether so much was just lost that what held may have ended for it.
func (l lateness) breaks() bool { return l.recent != nil && l.recent() >= lagBreaks }

// extension is what a deadline is extended by.
func (l lateness) extension(now time.Duration) time.Duration { return min(l.lost(), l.bound(now)) }

// meter measures lag from the moment at which a pass begins to be built.
type meter struct {
	read  func() lag.Reading
	began time.Time
}

func startMeter(ctx context.Context) (m meter, stop context.CancelFunc) {
	ctx, stop = context.WithCancel(ctx)
	return meter{lag.Start(ctx).Read, time.Now()}, stop
}

// judge makes an error of playing one that is ErrNotJudged, if there was more lag than the bound. That ctx ended is no
// failure.
func (m meter) judge(ctx context.Context, err error) error {
	if err == nil || ctx.Err() != nil {
		return err
	}
	l := lateness{since: func() time.Duration { return m.read().Lost }, always: lagReal}
	if !l.beyond(time.Since(m.began)) {
		return err
	}
	return fmt.Errorf("%w; %w (lag: %s)", err, ErrNotJudged, tenth(l.lost()))
}
