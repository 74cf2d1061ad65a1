package report

import (
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// newBackoff waits a second at first and a minute at most: the agents of 5,000 nodes make some 110 requests a second while the API server does
// not answer, and all have reported within a minute after it does.
func newBackoff(random func() float64) kube.Backoff {
	return kube.Backoff{First: time.Second, Longest: time.Minute, Random: random}
}
