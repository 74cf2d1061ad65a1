package tasks

import (
	"context"
	"math/rand/v2"
	"net/http"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// undertake says that the agent does what a Remediation asks for, or refuses it. It returns the Remediation as it was then, or
// nil if there is nothing to do. The API server takes the word only if nothing has changed since the Remediation was read: what
// was asked long ago is not done.
func (w *Worker) undertake(ctx context.Context, r *kube.Remediation) *kube.Remediation {
	try := newBackoff()
	for ; ctx.Err() == nil; w.sleep(ctx, try.Until) {
		uid := w.UID()
		if uid == "" {
			try.Failed(w.Clock.Now(), nil)
			continue
		}
		say := kube.Report{State: kube.Accepted, Message: "undertaken"}
		if why := w.refuses(r, uid); why != "" {
			say.State, say.Message = kube.Refused, why
		} else if earlier := r.Status.Agent; earlier != nil {
			say.At, say.Message = earlier.At, "undertaken before the agent was started again"
		}
		err := w.say(ctx, r, say)
		switch {
		case kube.Code(err) == http.StatusConflict:
			if r = w.again(ctx, r); r == nil || w.asks(r) == nothing {
				return nil
			}
		case kube.Code(err) == http.StatusNotFound, err == nil && say.State == kube.Refused:
			return nil
		case err == nil:
			return r
		default:
			w.failed(&try, err)
		}
	}
	return nil
}

// tell reports on a Remediation, until the API server takes it or has it no more.
func (w *Worker) tell(ctx context.Context, r *kube.Remediation, say kube.Report) {
	try := newBackoff()
	for ; ctx.Err() == nil; w.sleep(ctx, try.Until) {
		err := w.say(ctx, r, say)
		switch {
		case kube.Code(err) == http.StatusConflict:
			now := w.again(ctx, r)
			if now == nil {
				return
			}
			r.Metadata = now.Metadata
		case kube.Code(err) == http.StatusNotFound, err == nil:
			return
		default:
			w.failed(&try, err)
		}
	}
}

// again is a Remediation as it is now; nil if it is gone, or another one of that name.
func (w *Worker) again(ctx context.Context, r *kube.Remediation) *kube.Remediation {
	try := newBackoff()
	for ; ctx.Err() == nil; w.sleep(ctx, try.Until) {
		now, err := w.Server.Remediation(ctx, r.Metadata.Name)
		switch {
		case err == nil && now.Metadata.UID == r.Metadata.UID:
			return now
		case kube.Code(err) == http.StatusNotFound, err == nil:
			return nil
		default:
			w.failed(&try, err)
		}
	}
	return nil
}

// say reports on a Remediation as it was read, once.
func (w *Worker) say(ctx context.Context, r *kube.Remediation, say kube.Report) error {
	if say.At.IsZero() {
		say.At.Time = w.Clock.Now()
	}
	say.Version = w.Version
	version, err := w.Server.Report(ctx, r.Metadata.Name, r.Metadata.ResourceVersion, say)
	if err != nil {
		return err
	}
	r.Metadata.ResourceVersion = version
	if say.State != kube.Accepted || len(say.Hops) == 0 {
		w.Log.Info("Reported on a Remediation", "remediation", r.Metadata.Name, "state", say.State, "message", say.Message)
	}
	return nil
}

func (w *Worker) failed(try *kube.Backoff, err error) {
	w.Log.Warn("Reporting on a Remediation failed, and is tried again", "err", err)
	try.Failed(w.Clock.Now(), err)
}

// newBackoff is for what the API server does not take.
func newBackoff() kube.Backoff {
	return kube.Backoff{First: time.Second, Longest: time.Minute, Chance: rand.Float64}
}

func (w *Worker) sleep(ctx context.Context, until time.Time) {
	if wait := until.Sub(w.Clock.Now()); wait > 0 {
		select {
		case <-ctx.Done():
		case <-w.Clock.After(wait):
		}
	}
}
