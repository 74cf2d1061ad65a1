package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// kubeletFolder is the kubelet's folder, which only a host with a kubelet has.
const kubeletFolder = "/var/lib/kubelet"

func hasKubelet(h host.Host) bool {
	_, err := os.Stat(h.Path(kubeletFolder))
	return err == nil
}

// kubelet looks at the kubelet's unit, and requests its /healthz. That answers "ok" as long as its sync loop runs
// (https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kubelet.go, SyncLoopHealthCheck).
type kubelet struct {
	host     host.Host
	bus      *systemd.Bus
	url      string
	patience time.Duration
	ignore   []string
}

func (*kubelet) reasons() []reason.ID {
	return []reason.ID{reason.KubeletFailed, reason.KubeletStopped, reason.KubeletUnhealthy}
}

// find reports a kubelet whose unit has ended for that, and not for its silence too. One that answers runs, whatever its unit is called.
func (k *kubelet) find(ctx context.Context) ([]evidence.Evidence, error) {
	unit, active := k.checkUnit(ctx)
	var err error
	if k.url != "" {
		err = k.ask(ctx)
	}
	refused := errors.Is(err, syscall.ECONNREFUSED)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case k.url == "":
		return append(unit, inapplicable("runtime.kubeletHealthz is empty", reason.KubeletUnhealthy)...), nil
	case err == nil:
		return slices.DeleteFunc(unit, isFault), nil
	case slices.ContainsFunc(unit, isFault):
		return append(unit, inapplicable(kubeletService+" does not run", reason.KubeletUnhealthy)...), nil
	case refused && !hasKubelet(k.host):
		return append(unit, inapplicable("there is no "+kubeletFolder, reason.KubeletUnhealthy)...), nil
	case refused && active:
		why := "the kubelet runs, but nothing listens at " + k.url + " (its healthzPort is another?)"
		return append(unit, unreadable(why, reason.KubeletUnhealthy)...), nil
	}
	return append(unit, evidence.Evidence{Reason: reason.KubeletUnhealthy, State: evidence.Fault, Raw: err.Error()}), nil
}

func isFault(e evidence.Evidence) bool { return e.State == evidence.Fault }

// checkUnit is evidence of the kubelet's unit, and whether it is active. One that systemd is about to start or stop has not ended.
func (k *kubelet) checkUnit(ctx context.Context) (found []evidence.Evidence, active bool) {
	s, err := k.bus.Service(ctx, kubeletService)
	switch {
	case errors.Is(err, systemd.ErrAbsent):
		return inapplicable(err.Error(), reason.KubeletFailed, reason.KubeletStopped), false
	case err != nil:
		return unreadable(err.Error(), reason.KubeletFailed, reason.KubeletStopped), false
	case s.Load != "loaded" || ignored(k.ignore, kubeletService):
		return inapplicable("systemd has no "+kubeletService+", or it is ignored", reason.KubeletFailed, reason.KubeletStopped), s.Active == "active"
	case s.Active != "failed" && s.Active != "inactive" || s.Job != 0:
		return nil, s.Active == "active"
	}
	expected, err := k.expected(ctx, s)
	if err == nil && !expected {
		return nil, false
	}
	how, failure := readEnd(ctx, k.bus, s)
	if err := errors.Join(err, failure); err != nil {
		return unreadable(err.Error(), reason.KubeletFailed, reason.KubeletStopped), false
	}
	fault := evidence.Evidence{Reason: reason.KubeletFailed, State: evidence.Fault, Raw: how.raw}
	if how.stopped {
		fault.Reason = reason.KubeletStopped
	}
	return []evidence.Evidence{fault}, false
}

// expected says whether the kubelet's unit should run: it was started since the host booted, or, as systemd forgets that of a unit that is not
// enabled and has stopped, the host has a kubelet, and asking its endpoint shows whether another unit runs it, as with K3s.
func (k *kubelet) expected(ctx context.Context, s systemd.Service) (bool, error) {
	if k.url != "" && hasKubelet(k.host) {
		return true, nil
	}
	began, err := k.bus.Began(ctx, s)
	return !began.IsZero(), err
}

// ask makes a request on a new connection. A kubelet that hangs may still accept connections, because the kernel does that.
func (k *kubelet) ask(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, k.patience)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, k.url, nil)
	if err != nil {
		return err
	}
	response, err := (&http.Transport{DisableKeepAlives: true}).RoundTrip(request)
	if errors.Is(err, context.DeadlineExceeded) {
		return fmt.Errorf("no answer from %s within %v", k.url, k.patience)
	}
	if err != nil {
		return err
	}
	defer response.Body.Close()
	said, err := io.ReadAll(io.LimitReader(response.Body, 1<<10))
	if err == nil && response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", response.Status, strings.TrimSpace(string(said)))
	}
	return err
}
