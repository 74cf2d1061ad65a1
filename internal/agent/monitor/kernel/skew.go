package kernel

import (
	"context"
	"fmt"
	"net/http"
	"time"

	clocks "k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/serverclock"
)

// skew compares the host's clock with the API server's. Which of both is wrong it does not say; ClockUnsynchronized says whether the host's is
// synchronized.
type skew struct {
	// server is nil where no API server is asked.
	server    *serverclock.Clock
	threshold time.Duration
	clock     clocks.PassiveClock
}

func (s skew) find(context.Context) ([]evidence.Evidence, error) {
	if s.server == nil {
		return []evidence.Evidence{inapplicable(reason.ClockSkew, "", "no API server is asked here")}, nil
	}
	readings := s.server.Readings(s.clock.Now())
	if len(readings) == 0 {
		why := fmt.Sprintf("no answer of the API server in the last %d minutes had a date", int(serverclock.Fresh.Minutes()))
		return []evidence.Evidence{unreadable(reason.ClockSkew, "", why)}, nil
	}
	for _, r := range readings { // the newest that proves it
		least, threshold := r.Ahead()
		switch {
		case least > s.threshold, threshold < -s.threshold:
			return []evidence.Evidence{fault(reason.ClockSkew, "", "", differs(r))}, nil
		case least >= -s.threshold && threshold <= s.threshold:
			return nil, nil
		}
	}
	return []evidence.Evidence{unreadable(reason.ClockSkew, "", "the last answers do not tell: "+differs(readings[0]))}, nil
}

// differs describes the difference that an answer proves, and its precision.
func differs(r serverclock.Reading) string {
	least, threshold := r.Ahead()
	middle, bound, which := least+(threshold-least)/2, (threshold-least)/2, "ahead of"
	if middle < 0 {
		middle, which = -middle, "behind"
	}
	return fmt.Sprintf("the node's clock is %.1f s, give or take %.1f s, %s the API server's (Date: %s)",
		middle.Seconds(), bound.Seconds(), which, r.Date.Format(http.TimeFormat))
}
