package runtime

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

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
		none := evidence.Inapplicable // without systemd
		if diff := cmp.Diff(states{reason.KubeletFailed: none, reason.KubeletStopped: none, reason.KubeletUnhealthy: k.want}, found(t, &k.kubelet)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", what, diff)
		}
	}
}

// states are the states of the reasons that a look mentions.
type states map[reason.ID]evidence.State

func found(t *testing.T, k *kubelet) states {
	t.Helper()
	all, err := k.find(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	mentioned := states{}
	for _, e := range all {
		mentioned[e.Reason] = e.State
	}
	return mentioned
}

// ofUnit is a kubelet of a machine with systemd, whose endpoint is at url.
func ofUnit(t *testing.T, m *systemdtest.Machine, url string) *kubelet {
	t.Helper()
	if err := os.MkdirAll(m.Host.Path(kubeletFolder), 0o700); err != nil {
		t.Fatal(err)
	}
	k := &kubelet{host: m.Host, bus: systemd.New(m.Host), url: url, patience: time.Second}
	t.Cleanup(k.bus.Close)
	return k
}

var (
	// runsQuietly is a kubelet with healthzPort: 0, which runs and does not listen. That is no fault.
	runsQuietly = states{reason.KubeletUnhealthy: evidence.Unreadable}
	isStopped   = states{reason.KubeletStopped: evidence.Fault, reason.KubeletUnhealthy: evidence.Inapplicable}
	hasFailed   = states{reason.KubeletFailed: evidence.Fault, reason.KubeletUnhealthy: evidence.Inapplicable}
	// isUnhealthy is one that does not answer, although its unit has not ended.
	isUnhealthy = states{reason.KubeletUnhealthy: evidence.Fault}
)

// The unit tells a kubelet that was stopped from one that failed, from one that is being started or stopped, and from one that nobody started.
func TestKubeletUnit(t *testing.T) {
	const endsWith143 = "[Service]\nType=notify\nNotifyAccess=all\nExecStart=/bin/sh -c 'trap \"exit 143\" TERM; systemd-notify --ready; while :; do sleep 0.05; done'\n"
	m := systemdtest.Start(t)
	k := ofUnit(t, m, nobody(t))
	m.Unit("kubelet.service", lasting)
	for _, step := range []struct {
		what    string
		unit    string
		command []string
		want    states
	}{
		{"it was never started", lasting, nil, isStopped},
		{"it runs", lasting, []string{"start"}, runsQuietly},
		{"it was stopped", lasting, []string{"stop"}, isStopped},
		{"it fails", failing, []string{"start", "--wait"}, hasFailed},
		{"it flaps", flapping, []string{"start"}, isUnhealthy},
		{"it is being started", "[Service]\nType=notify\nExecStart=/bin/sleep infinity\nTimeoutStartSec=infinity\n", []string{"restart", "--no-block"}, isUnhealthy},
		{"it ends with 143 when it is told to", endsWith143, []string{"restart"}, runsQuietly},
		{"it was told to", endsWith143, []string{"stop"}, isStopped},
		{"it ended by itself, without an error", "[Service]\nExecStart=/bin/true\n", []string{"start", "--wait"}, isStopped},
		{"its failure is acknowledged", failing, []string{"start", "--wait"}, hasFailed},
		{"as systemctl reset-failed does", failing, []string{"reset-failed"}, isStopped},
	} {
		m.Unit("kubelet.service", step.unit)
		if len(step.command) > 0 {
			m.Systemctl(append(step.command, "kubelet.service")...)
		}
		var got states
		await(t, step.what, func() bool {
			got = found(t, k)
			return step.what != "it flaps" || got[reason.KubeletUnhealthy] == evidence.Fault // It runs for a tenth of a second at a time.
		})
		if diff := cmp.Diff(step.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", step.what, diff)
		}
	}
	none := evidence.Inapplicable
	onlySilent := states{reason.KubeletFailed: none, reason.KubeletStopped: none, reason.KubeletUnhealthy: evidence.Fault}
	k.ignore = []string{"kubelet*"}
	if diff := cmp.Diff(onlySilent, found(t, k)); diff != "" {
		t.Errorf("ignored (-want +got):\n%s", diff)
	}
	k.ignore = nil
	unit := filepath.Join(m.Host.Root, "units", "kubelet.service")
	if err := errors.Join(os.Remove(unit), os.Symlink("/dev/null", unit)); err != nil {
		t.Fatal(err)
	}
	m.Systemctl("daemon-reload")
	if diff := cmp.Diff(onlySilent, found(t, k)); diff != "" {
		t.Errorf("masked, as by a person (-want +got):\n%s", diff)
	}
	if err := os.Remove(unit); err != nil {
		t.Fatal(err)
	}
	m.Unit("kubelet.service", lasting)
	k.host = host.Host{Root: t.TempDir()}
	if diff := cmp.Diff(states{reason.KubeletUnhealthy: none}, found(t, k)); diff != "" {
		t.Errorf("a unit without a kubelet (-want +got):\n%s", diff)
	}
	k.host, k.url = m.Host, serve(t, agenttest.Port(t), &healthz{}).URL+"/healthz"
	if diff := cmp.Diff(states{}, found(t, k)); diff != "" {
		t.Errorf("another unit's kubelet answers (-want +got):\n%s", diff)
	}
}

func TestKubeletStopped(t *testing.T) {
	m := systemdtest.Start(t)
	m.Unit("kubelet.service", lasting)
	o := nothing()
	o.KubeletHealthz = ofUnit(t, m, nobody(t)).url
	w := watch(t, m.Host, o)
	m.Systemctl("start", "kubelet.service")
	w.Goes(reason.KubeletStopped, "")
	m.Systemctl("stop", "kubelet.service")
	w.Stands(reason.KubeletStopped, "", "ActiveState=inactive Result=success")
	m.Systemctl("start", "kubelet.service")
	w.Goes(reason.KubeletStopped, "")
}
