package tasks

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

const (
	// A watch lasts one to two hours, and the next begins within half a minute, both at random: the watches of all nodes end at the same time
	// when the API server stops.
	watchFor    = time.Hour
	watchSpread = 30 * time.Second
	// maxUnavailableWait bounds the time between two tries where the cluster has no Remediations, or the agent may not read them: 5,000
	// nodes make some two requests a second.
	maxUnavailableWait = time.Hour
)

// watch watches Remediations and starts their tasks until ctx ends.
func (w *Worker) watch(ctx context.Context) {
	failing := newBackoff()
	unavailable := kube.Backoff{First: time.Minute, Longest: maxUnavailableWait, Random: rand.Float64}
	var from, lastError string
	for ctx.Err() == nil {
		lasting := watchFor + time.Duration(rand.Float64()*float64(watchFor))
		last, err := w.Server.WatchRemediations(ctx, w.Node, from, lasting, func(r *kube.Remediation, gone bool) {
			failing.Succeeded()
			unavailable.Succeeded()
			w.start(ctx, r, gone)
		})
		if ctx.Err() != nil {
			return
		}
		from = last
		if err != nil && err.Error() != lastError && kube.Code(err) != http.StatusGone { // The resource version is too old; the next watch begins anew.
			lastError = err.Error()
			w.Log.Warn("Watching Remediations failed, and is tried again", "err", err)
		}
		now := w.Clock.Now()
		next := now.Add(time.Duration(rand.Float64() * float64(watchSpread)))
		switch kube.Code(err) {
		case http.StatusNotFound, http.StatusForbidden, http.StatusBadRequest: // No such API, no access, or no field selector.
			unavailable.Failed(now, err)
			next = unavailable.Until
		default:
			if err != nil {
				failing.Failed(now, err)
				next = failing.Until
			}
		}
		w.sleep(ctx, next)
	}
}
