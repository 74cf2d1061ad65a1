package tasks

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// accept reports that the agent accepts the task of a Remediation, or refuses it. It returns the Remediation as it was then, or nil if there is
// nothing to do. The report has the resource version, so that the API server rejects it if the Remediation has changed since it was read: an
// outdated task is not performed.
func (w *Worker) accept(ctx context.Context, r *kube.Remediation) *kube.Remediation {
	try := newBackoff()
	for ; ctx.Err() == nil; w.sleep(ctx, try.Until) {
		uid := w.UID()
		if uid == "" {
			try.Failed(w.Clock.Now(), nil)
			continue
		}
		update := kube.Report{State: kube.Accepted, Message: "undertaken"}
		if why := w.whyRefused(r, uid); why != "" {
			update.State, update.Message = kube.Refused, why
		} else if earlier := r.Status.Agent; earlier != nil {
			update.At, update.Message = earlier.At, "undertaken before the agent was started again"
		}
		err := w.tryReport(ctx, r, update)
		switch {
		case kube.Code(err) == http.StatusConflict:
			if r = w.reread(ctx, r); r == nil || w.taskOf(r) == nothing {
				return nil
			}
		case kube.Code(err) == http.StatusNotFound, err == nil && update.State == kube.Refused:
			return nil
		case err == nil:
			return r
		default:
			w.retryLater(&try, err)
		}
	}
	return nil
}

// sendReport writes a report on a Remediation. It tries until the API server accepts it, or the Remediation is gone.
func (w *Worker) sendReport(ctx context.Context, r *kube.Remediation, update kube.Report) {
	try := newBackoff()
	for ; ctx.Err() == nil; w.sleep(ctx, try.Until) {
		err := w.tryReport(ctx, r, update)
		switch {
		case kube.Code(err) == http.StatusConflict:
			now := w.reread(ctx, r)
			if now == nil {
				return
			}
			r.Metadata = now.Metadata
		case kube.Code(err) == http.StatusNotFound, err == nil:
			return
		default:
			w.retryLater(&try, err)
		}
	}
}

// reread reads a Remediation again; nil if it is gone, or is another one of the same name.
func (w *Worker) reread(ctx context.Context, r *kube.Remediation) *kube.Remediation {
	try := newBackoff()
	for ; ctx.Err() == nil; w.sleep(ctx, try.Until) {
		now, err := w.Server.Remediation(ctx, r.Metadata.Name)
		switch {
		case err == nil && now.Metadata.UID == r.Metadata.UID:
			return now
		case kube.Code(err) == http.StatusNotFound, err == nil:
			return nil
		default:
			w.retryLater(&try, err)
		}
	}
	return nil
}

// tryReport tries once to write a report on a Remediation as it was read.
func (w *Worker) tryReport(ctx context.Context, r *kube.Remediation, update kube.Report) error {
	if update.At.IsZero() {
		update.At.Time = w.Clock.Now()
	}
	update.Version = w.Version
	version, err := w.Server.Report(ctx, r.Metadata.Name, r.Metadata.ResourceVersion, update)
	if err != nil {
		return err
	}
	r.Metadata.ResourceVersion = version
	if update.State != kube.Accepted || len(update.Hops) == 0 {
		w.Log.Info("Reported on a Remediation", "remediation", r.Metadata.Name, "state", update.State, "message", update.Message)
	}
	return nil
}

func (w *Worker) retryLater(try *kube.Backoff, err error) {
	w.Log.Warn("Reporting on a Remediation failed, and is tried again", "err", err)
	try.Failed(w.Clock.Now(), err)
}

// newBackoff is for requests that the API server does not accept.
func newBackoff() kube.Backoff {
	return kube.Backoff{First: time.Second, Longest: time.Minute, Random: rand.Float64}
}

func (w *Worker) sleep(ctx context.Context, until time.Time) {
	if wait := until.Sub(w.Clock.Now()); wait > 0 {
		select {
		case <-ctx.Done():
		case <-w.Clock.After(wait):
		}
	}
}
