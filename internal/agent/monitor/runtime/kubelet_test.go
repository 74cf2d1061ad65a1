package runtime

import (
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/agenttest/systemdtest"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/systemd"
)

// kubeletHost has the folder of a kubelet.
func kubeletHost(t *testing.T) host.Host {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, kubeletFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(root, "proc"), 0o700); err != nil {
		t.Fatal(err)
	}
	return host.Host{Root: root}
}

// healthz answers as the kubelet's endpoint does: well, unwell, or not at all.
type healthz struct {
	unwell atomic.Bool
	silent atomic.Pointer[chan struct{}]
}

func (k *healthz) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if silent := k.silent.Load(); silent != nil {
		select {
		case <-*silent:
		case <-r.Context().Done():
		}
	}
	if k.unwell.Load() {
		http.Error(w, "[-]syncloop failed: reason withheld\nhealthz check failed", http.StatusInternalServerError)
		return
	}
	_, _ = w.Write([]byte("ok"))
}

func TestKubeletUnhealthy(t *testing.T) {
	health := &healthz{}
	address := agenttest.Port(t)
	server := serve(t, address, health)
	o := nothing()
	o.KubeletHealthz, o.Patience = server.URL+"/healthz", soon
	w := watch(t, kubeletHost(t), o)
	w.Goes(reason.KubeletUnhealthy, "")

	silence := make(chan struct{})
	health.silent.Store(&silence)
	w.Stands(reason.KubeletUnhealthy, "", "no answer")
	health.silent.Store(nil)
	close(silence)
	w.Goes(reason.KubeletUnhealthy, "")

	health.unwell.Store(true)
	w.Stands(reason.KubeletUnhealthy, "", "syncloop failed")
	health.unwell.Store(false)
	w.Goes(reason.KubeletUnhealthy, "")

	server.Close()
	w.Stands(reason.KubeletUnhealthy, "")
	defer serve(t, address, health).Close()
	w.Goes(reason.KubeletUnhealthy, "")
}

func serve(t *testing.T, address string, handler http.Handler) *httptest.Server {
	t.Helper()
	listener, err := listen(t, "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}}
	server.Start()
	return server
}

// nobody is an address at which nothing listens.
func nobody(t *testing.T) string {
	t.Helper()
	return "http://" + agenttest.Port(t) + "/healthz"
}

func TestKubeletThatIsNotThere(t *testing.T) {
	bare := host.Host{Root: t.TempDir()}
	for what, k := range map[string]struct {
		kubelet
		want evidence.State
	}{
		"a host without a kubelet": {kubelet{host: bare, url: nobody(t)}, evidence.Inapplicable},
		"an endpoint that is off":  {kubelet{host: kubeletHost(t)}, evidence.Inapplicable},
		"a kubelet that is down":   {kubelet{host: kubeletHost(t), url: nobody(t)}, evidence.Fault},
	} {
		k.bus, k.patience = systemd.New(k.host), time.Second
		found, err := k.find(t.Context())
		if err != nil || len(found) != 1 || found[0].State != k.want {
			t.Errorf("%s: %v, %v", what, found, err)
		}
	}
}

// With healthzPort: 0 the kubelet runs and does not listen, which is no fault.
func TestKubeletWithoutEndpoint(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("kubelet.service", lasting)
	if err := os.MkdirAll(m.Host.Path(kubeletFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	k := kubelet{host: m.Host, bus: systemd.New(m.Host), url: nobody(t), patience: time.Second}
	t.Cleanup(k.bus.Close)
	for _, step := range []struct {
		do   string
		want evidence.State
	}{{"start", evidence.Unreadable}, {"stop", evidence.Fault}} {
		m.Systemctl(step.do, "kubelet.service")
		found, err := k.find(t.Context())
		if err != nil || len(found) != 1 || found[0].State != step.want {
			t.Errorf("after its %s: %v, %v", step.do, found, err)
		}
	}
}
