package network

import (
	"net"
	"net/http"
	"net/http/httptest"
	"os/exec"
	"path/filepath"
	"slices"
	"sync/atomic"
	"testing"

	"golang.org/x/net/dns/dnsmessage"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// nameserver answers questions with a code, and keeps silent while told to.
type nameserver struct {
	unavailable atomic.Bool
	code        atomic.Uint32
	// cut says of its answers that they are not whole.
	cut atomic.Bool
}

func serveNames(t *testing.T, address string) *nameserver {
	t.Helper()
	socket, err := (&net.ListenConfig{}).ListenPacket(t.Context(), "udp", address+":53")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = socket.Close() })
	s := &nameserver{}
	go func() {
		packet := make([]byte, 512)
		for {
			n, from, err := socket.ReadFrom(packet)
			if err != nil {
				return
			}
			var m dnsmessage.Message
			if m.Unpack(packet[:n]) != nil || s.unavailable.Load() {
				continue
			}
			m.Response, m.RCode, m.Truncated = true, dnsmessage.RCode(s.code.Load()), s.cut.Load()
			if answer, err := m.Pack(); err == nil {
				_, _ = socket.WriteTo([]byte("noise"), from)
				_, _ = socket.WriteTo(answer, from)
			}
		}
	}()
	return s
}

func TestDNSUnreachable(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	h := hostOf(t, map[string]string{resolvConf: "search example.org\nnameserver 127.0.0.1\nnameserver 127.0.0.2\noptions ndots:5\n"})
	first := serveNames(t, "127.0.0.1")
	serveNames(t, "127.0.0.2")
	m := dns(h, DefaultOptions())
	m.Period = localTimeout // A look at a silent server lasts as long, and must hold until it is over.
	w := watch(t, []reason.ID{reason.DNSUnreachable}, m)
	w.Goes(reason.DNSUnreachable, "127.0.0.1")
	first.unavailable.Store(true)
	w.Stands(reason.DNSUnreachable, "127.0.0.1")
	alone(t, w, "127.0.0.1")
	first.unavailable.Store(false)
	w.Goes(reason.DNSUnreachable, "127.0.0.1")
}

// What a server answers, and what that is taken for.
func TestNameserversAnswers(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	s := serveNames(t, "127.0.0.1")
	for code, reached := range map[dnsmessage.RCode]bool{
		dnsmessage.RCodeSuccess: true, dnsmessage.RCodeNameError: true, dnsmessage.RCodeRefused: true, dnsmessage.RCodeServerFailure: false,
	} {
		s.code.Store(uint32(code))
		for _, name := range []string{".", "example.org", "example.org."} {
			if _, err := ask(t.Context(), "udp", "127.0.0.1", name); (err == nil) != reached {
				t.Errorf("%s, %v: %v", name, code, err)
			}
		}
	}
	if _, err := ask(t.Context(), "udp", "127.0.0.9", "."); err == nil {
		t.Error("nobody is there, and answers")
	}
}

func TestNameservers(t *testing.T) {
	for text, want := range map[string][]string{
		"":                              nil,
		"# nameserver 10.0.0.1\nsearch": nil,
		"nameserver 10.0.0.1\nnameserver\t10.0.0.2 \nnameserver fe80::1%eth0\nnameserver 10.0.0.4\nnameserver": {"10.0.0.1", "10.0.0.2", "fe80::1%eth0"},
	} {
		if got := nameservers(text); !slices.Equal(got, want) {
			t.Errorf("%q: %q, not %q", text, got, want)
		}
	}
	if got, want := states(t, dns(hostOf(t, map[string]string{resolvConf: "\n"}), DefaultOptions())), []string{"Inapplicable DNSUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("no name server: %q, not %q", got, want)
	}
	if got, want := states(t, dns(hostOf(t, nil), DefaultOptions())), []string{"Unreadable DNSUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("no file: %q, not %q", got, want)
	}
}

func TestAPIServerUnreachable(t *testing.T) {
	var status atomic.Int32
	status.Store(http.StatusUnauthorized) // One that does not know us is reached all the same.
	address := agenttest.Port(t)
	server := serveTLS(t, address, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/livez" || len(r.Header["Authorization"]) > 0 {
			t.Errorf("asks %s with %v", r.URL, r.Header)
		}
		w.WriteHeader(int(status.Load()))
	}))
	defer server.Close()
	o := DefaultOptions()
	o.APIServer = server.URL
	w := watch(t, []reason.ID{reason.APIServerUnreachable}, briefly(apiServer(o)))
	w.Goes(reason.APIServerUnreachable, server.URL)
	status.Store(http.StatusBadGateway)
	w.Stands(reason.APIServerUnreachable, server.URL)
	status.Store(http.StatusOK)
	w.Goes(reason.APIServerUnreachable, server.URL)

	server.Close()
	w.Stands(reason.APIServerUnreachable, server.URL)
	defer serveTLS(t, address, http.NotFoundHandler()).Close()
	w.Goes(reason.APIServerUnreachable, server.URL)
}

func serveTLS(t *testing.T, address string, handler http.Handler) *httptest.Server {
	t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	server := &httptest.Server{Listener: listener, Config: &http.Server{Handler: handler, ReadHeaderTimeout: remoteTimeout}}
	server.StartTLS()
	return server
}

func TestNoAPIServer(t *testing.T) {
	if got, want := states(t, apiServer(DefaultOptions())), []string{"Inapplicable APIServerUnreachable"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}

func TestKubeProxyNotReady(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	binary := filepath.Join(t.TempDir(), "kube-proxy")
	run(t, "cp $(command -v sleep) "+binary)
	process := exec.CommandContext(t.Context(), binary, "infinity")
	if err := process.Start(); err != nil {
		t.Fatal(err)
	}
	var status atomic.Int32
	status.Store(http.StatusOK)
	listener, err := (&net.ListenConfig{}).Listen(t.Context(), "tcp", DefaultOptions().KubeProxy)
	if err != nil {
		t.Fatal(err)
	}
	old := http.NewServeMux() // before 1.28
	old.HandleFunc("/healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(int(status.Load())) })
	server := &http.Server{Handler: old, ReadHeaderTimeout: localTimeout}
	go func() { _ = server.Serve(listener) }()

	h := hostWith(t, nil)
	w := watch(t, []reason.ID{reason.KubeProxyNotReady}, briefly(kubeProxy(h, DefaultOptions())))
	w.Goes(reason.KubeProxyNotReady, "")
	status.Store(http.StatusServiceUnavailable)
	w.Stands(reason.KubeProxyNotReady, "")
	status.Store(http.StatusOK)
	w.Goes(reason.KubeProxyNotReady, "")

	write(t, h, podLogs+"/kube-system_kube-proxy-m5v9k_1f0e/kube-proxy/3.log", "")
	_ = process.Process.Kill()
	_ = process.Wait()
	_ = server.Close()
	w.Stands(reason.KubeProxyNotReady, "") // Its pod is there, and it is not.
}

func TestNoKubeProxy(t *testing.T) { // Cilium takes its place, k3s has it within itself.
	if !agenttest.Alone(t) {
		return
	}
	if got, want := states(t, kubeProxy(hostWith(t, nil), DefaultOptions())), []string{"Inapplicable KubeProxyNotReady"}; !slices.Equal(got, want) {
		t.Errorf("%q, not %q", got, want)
	}
}
