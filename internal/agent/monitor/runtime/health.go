package runtime

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// callTimeout is after how long a call that the runtime does not answer is made anew, because the runtime may have been restarted: the kubelet's
// default runtime-request-timeout.
const callTimeout = 2 * time.Minute

// runtimes are the container runtimes that a host may have.
type runtimes struct {
	host host.Host
	each []*endpoint
}

// endpoint is the socket of a container runtime.
type endpoint struct {
	// socket is its path on the host, path that in the agent's container.
	socket, path string
	client       *cri.Client
	status       inflight.Calls[[]cri.Condition]
}

func newRuntimes(h host.Host, sockets []string) *runtimes {
	r := &runtimes{host: h}
	for _, socket := range sockets {
		r.each = append(r.each, &endpoint{socket: socket, path: h.Path(socket), client: cri.New(h.Path(socket)), status: inflight.Calls[[]cri.Condition]{GiveUp: callTimeout}})
	}
	return r
}

// present returns the endpoints whose socket exists, and those that are gone: the runtime has run since the host booted, because its folder
// below /run exists and is not empty. An empty one was made for a pod to mount.
func (r *runtimes) present() (present, gone []*endpoint) {
	for _, e := range r.each {
		if _, err := os.Stat(e.path); err == nil {
			present = append(present, e)
		} else if filepath.Dir(e.socket) != "/run" && holdsAny(filepath.Dir(e.path)) {
			gone = append(gone, e)
		}
	}
	return present, gone
}

// holdsAny says whether a folder is not empty.
func holdsAny(folder string) bool {
	f, err := os.Open(folder)
	if err != nil {
		return false
	}
	defer f.Close()
	names, _ := f.Readdirnames(1)
	return len(names) > 0
}

// health requests the status of the runtimes.
type health struct {
	runtimes *runtimes
	patience time.Duration
}

func (h *health) find(ctx context.Context) ([]evidence.Evidence, error) {
	present, gone := h.runtimes.present()
	if !hasKubelet(h.runtimes.host) {
		gone = nil // Nothing here needs a runtime, and it may have been removed.
	}
	if len(present)+len(gone) == 0 {
		return inapplicable("no container runtime listens here", reason.ContainerRuntimeUnhealthy, reason.NetworkPluginNotReady), nil
	}
	var found []evidence.Evidence
	network, answered := []evidence.Evidence(nil), false
	for _, e := range present {
		conditions, err := e.status.Do(ctx, "", h.patience, e.client.Status)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case cri.Refused(err, cri.Unimplemented):
			gone = append(gone, e) // As Docker's containerd does, and one whose CRI plugin failed.
		case err != nil:
			found = append(found, e.unhealthy(err.Error()))
		default:
			answered = true
			faults, plugin := e.judge(conditions)
			found, network = append(found, faults...), append(network, plugin...)
		}
	}
	if !answered {
		found = append(found, h.missing(gone)...)
		network = unreadable("no container runtime answers", reason.NetworkPluginNotReady)
	}
	if !answered && len(found) == 0 {
		return inapplicable("no container runtime speaks CRI here", reason.ContainerRuntimeUnhealthy, reason.NetworkPluginNotReady), nil
	}
	return append(found, network...), nil
}

// missing is evidence of the runtimes that do not listen, where no other does and a kubelet needs one.
func (h *health) missing(gone []*endpoint) []evidence.Evidence {
	if !hasKubelet(h.runtimes.host) {
		return nil
	}
	var found []evidence.Evidence
	for _, e := range gone {
		why := "it does not speak CRI (its CRI plugin is off, or failed)"
		if _, err := os.Stat(e.path); errors.Is(err, fs.ErrNotExist) {
			why = "its socket is gone"
		}
		found = append(found, e.unhealthy(why))
	}
	return found
}

func (e *endpoint) unhealthy(why string) evidence.Evidence {
	return evidence.Evidence{Reason: reason.ContainerRuntimeUnhealthy, Entity: e.socket, State: evidence.Fault, Raw: why}
}

// judge is evidence of the conditions that the runtime reports, of itself and of its network plugin.
func (e *endpoint) judge(conditions []cri.Condition) (runtime, network []evidence.Evidence) {
	for _, c := range conditions {
		said := strings.TrimSpace(fmt.Sprintf("%s=false %s: %s", c.Type, c.Reason, c.Message))
		switch {
		case c.True:
		case c.Type == "RuntimeReady":
			runtime = append(runtime, e.unhealthy(said))
		case c.Type == "NetworkReady":
			network = append(network, evidence.Evidence{Reason: reason.NetworkPluginNotReady, State: evidence.Fault, Raw: said})
		}
	}
	return runtime, network
}
