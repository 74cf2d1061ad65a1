package report

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// newBackoff waits a second at first and a minute at last: the agents of 5,000 nodes make some 110 requests a second while
// the API server is away, and are all back in the minute after it is.
func newBackoff(chance func() float64) kube.Backoff {
	return kube.Backoff{First: time.Second, Longest: time.Minute, Chance: chance}
}
