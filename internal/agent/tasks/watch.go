package tasks

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

const (
	// A watch lasts one to two hours, and half a minute may pass until the next: all end at once when the API server does.
	watchFor    = time.Hour
	watchSpread = 30 * time.Second
	// seldom bounds how long after the last try a cluster without Remediations, or one that shows the agent none, is asked
	// again: 5,000 nodes do so some two times a second.
	seldom = time.Hour
)

// watch takes up what Remediations ask for until ctx ends.
func (w *Worker) watch(ctx context.Context) {
	failing := newBackoff()
	barred := kube.Backoff{First: time.Minute, Longest: seldom, Chance: rand.Float64}
	var from, said string
	for ctx.Err() == nil {
		lasting := watchFor + time.Duration(rand.Float64()*float64(watchFor))
		last, err := w.Server.WatchRemediations(ctx, w.Node, from, lasting, func(r *kube.Remediation, gone bool) {
			failing.Succeeded()
			barred.Succeeded()
			w.take(ctx, r, gone)
		})
		if ctx.Err() != nil {
			return
		}
		from = last
		if err != nil && err.Error() != said && kube.Code(err) != http.StatusGone { // What is gone is told anew.
			said = err.Error()
			w.Log.Warn("Watching Remediations failed, and is tried again", "err", err)
		}
		now := w.Clock.Now()
		next := now.Add(time.Duration(rand.Float64() * float64(watchSpread)))
		switch kube.Code(err) {
		case http.StatusNotFound, http.StatusForbidden, http.StatusBadRequest: // There are none, none to be seen, none to select.
			barred.Failed(now, err)
			next = barred.Until
		default:
			if err != nil {
				failing.Failed(now, err)
				next = failing.Until
			}
		}
		w.sleep(ctx, next)
	}
}
