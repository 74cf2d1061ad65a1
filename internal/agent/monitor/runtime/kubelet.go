package runtime

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
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

// kubelet requests the kubelet's /healthz. It answers "ok" as long as its sync loop runs
// (https://github.com/kubernetes/kubernetes/blob/v1.36.3/pkg/kubelet/kubelet.go, SyncLoopHealthCheck).
type kubelet struct {
	host     host.Host
	bus      *systemd.Bus
	url      string
	patience time.Duration
}

func (k *kubelet) find(ctx context.Context) ([]evidence.Evidence, error) {
	if k.url == "" {
		return inapplicable("runtime.kubeletHealthz is empty", reason.KubeletUnhealthy), nil
	}
	err := k.ask(ctx)
	switch {
	case err == nil:
		return nil, nil
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case errors.Is(err, syscall.ECONNREFUSED) && !hasKubelet(k.host):
		return inapplicable("there is no "+kubeletFolder, reason.KubeletUnhealthy), nil
	case errors.Is(err, syscall.ECONNREFUSED) && k.runs(ctx):
		return unreadable("the kubelet runs, but nothing listens at "+k.url+" (its healthzPort is another?)", reason.KubeletUnhealthy), nil
	}
	return []evidence.Evidence{{Reason: reason.KubeletUnhealthy, State: evidence.Fault, Raw: err.Error()}}, nil
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

// runs says whether the kubelet runs according to systemd.
func (k *kubelet) runs(ctx context.Context) bool {
	s, err := k.bus.Service(ctx, kubeletService)
	return err == nil && s.Active == "active"
}
