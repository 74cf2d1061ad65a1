package controller

import (
	"bytes"
	"context"
	"crypto/tls"
	"io"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/tools/clientcmd"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"
)

// TestMetricsAuthorization is who gets the metrics: those whom the API server authorizes, nobody when it does not answer, and
// everybody where that was chosen.
func TestMetricsAuthorization(t *testing.T) {
	needLab(t)
	way := newWay(t)
	// Without a lease it goes on when the API server is away.
	controller := start(t, "--kubeconfig", way.kubeconfig, "--leader-elect=false")
	listens(t, "https://"+controller.metrics)
	without, with, later := account(t, "without", false), account(t, "with", true), account(t, "later", true)
	for name, tc := range map[string]struct {
		token string
		want  int
	}{
		"nobody":            {"", http.StatusUnauthorized},
		"a forged token":    {"forged", http.StatusUnauthorized},
		"without the right": {without, http.StatusForbidden},
	} {
		if code, body := scrape(t, "https://"+controller.metrics, tc.token); code != tc.want || strings.Contains(body, "naosu_") {
			t.Errorf("%s: %d, want %d: %s", name, code, tc.want, body)
		}
	}
	if code, body := scrape(t, "https://"+controller.metrics, with); code != http.StatusOK || !strings.Contains(body, "naosu_watch_age_seconds ") {
		t.Errorf("with the right: %d %s", code, body)
	}
	if code, body := scrape(t, "http://"+controller.metrics, with); code == http.StatusOK || strings.Contains(body, "naosu_") {
		t.Errorf("without TLS: %d %s", code, body)
	}
	way.cut()
	if code, body := scrape(t, "https://"+controller.metrics, later); code < http.StatusInternalServerError || strings.Contains(body, "naosu_") {
		t.Errorf("with nobody to ask: %d %s", code, body)
	}
}

func TestMetricsWithoutAuthorization(t *testing.T) {
	controller := start(t, "--metrics-secure=false")
	listens(t, "http://"+controller.metrics)
	if code, body := scrape(t, "http://"+controller.metrics, ""); code != http.StatusOK || !strings.Contains(body, "naosu_watch_age_seconds ") {
		t.Errorf("%d %s", code, body)
	}
}

// listens waits until metrics are served: that begins beside the health endpoint.
func listens(t *testing.T, server string) {
	t.Helper()
	until(t, "metrics are served", func() bool {
		code, _ := scrape(t, server, "")
		return code != 0
	})
}

// scrape reads the metrics with an account's token, or with none. The code is zero where there is no whole answer.
func scrape(t *testing.T, server, token string) (code int, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{InsecureSkipVerify: true}} // Its certificate is self-signed.
	defer transport.CloseIdleConnections()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return 0, err.Error()
	}
	return response.StatusCode, string(text)
}

// account makes one, with the right that config/rbac has for those who read metrics or without, and returns a token of it.
func account(t *testing.T, name string, mayRead bool) (token string) {
	t.Helper()
	account := &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "metrics-" + name}}
	made := []client.Object{account}
	if mayRead {
		role := readerRole(t)
		role.Name = account.Name
		made = append(made, role, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: account.Name}, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role.Name},
			Subjects: []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: account.Namespace, Name: account.Name}},
		})
	}
	for _, o := range made {
		if err := shared.Create(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = shared.Delete(context.WithoutCancel(t.Context()), o) })
	}
	request := &authenticationv1.TokenRequest{}
	if err := shared.SubResource("token").Create(t.Context(), account, request); err != nil {
		t.Fatal(err)
	}
	return request.Status.Token
}

func readerRole(t *testing.T) *rbacv1.ClusterRole {
	t.Helper()
	data, err := os.ReadFile("../../config/rbac/metrics.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for document := range bytes.SplitSeq(data, []byte("---\n")) {
		var role rbacv1.ClusterRole
		if err := yaml.Unmarshal(document, &role); err == nil && role.Name == "naosu-metrics-reader" {
			return &role
		}
	}
	t.Fatal("config/rbac/metrics.yaml has no naosu-metrics-reader")
	return nil
}

// way leads to the API server until it is cut.
type way struct {
	kubeconfig string
	listener   net.Listener

	mu    sync.Mutex
	conns []net.Conn
	ended bool
}

func newWay(t *testing.T) *way {
	t.Helper()
	config, err := clientcmd.LoadFromFile(shared.Plane.KubeconfigPath())
	if err != nil {
		t.Fatal(err)
	}
	w := &way{kubeconfig: filepath.Join(t.TempDir(), "kubeconfig")}
	if w.listener, err = new(net.ListenConfig).Listen(t.Context(), "tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(w.cut)
	for _, cluster := range config.Clusters {
		server, err := url.Parse(cluster.Server)
		if err != nil {
			t.Fatal(err)
		}
		go w.lead(server.Host)
		server.Host = w.listener.Addr().String()
		cluster.Server = server.String()
	}
	if err := clientcmd.WriteToFile(*config, w.kubeconfig); err != nil {
		t.Fatal(err)
	}
	return w
}

func (w *way) lead(to string) {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return
		}
		out, err := new(net.Dialer).DialContext(context.Background(), "tcp", to)
		if err != nil {
			_ = in.Close()
			continue
		}
		if !w.keep(in, out) {
			return
		}
		for _, pair := range [][2]net.Conn{{in, out}, {out, in}} {
			go func() {
				_, _ = io.Copy(pair[0], pair[1])
				closeAll(pair[:])
			}()
		}
	}
}

// keep says whether the way is open still.
func (w *way) keep(conns ...net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns = append(w.conns, conns...)
	if w.ended {
		closeAll(w.conns)
	}
	return !w.ended
}

func (w *way) cut() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.ended = true
	_ = w.listener.Close()
	closeAll(w.conns)
}

func closeAll(conns []net.Conn) {
	for _, c := range conns {
		_ = c.Close()
	}
}
