package controller

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/rest"
	certutil "k8s.io/client-go/util/cert"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"
)

// The certificate that is given is the one that is shown, and what is spoken is HTTP/1.1.
func TestMetricsCertificate(t *testing.T) {
	folder := t.TempDir()
	certificate, key, err := certutil.GenerateSelfSignedCertKey("naosu-controller-metrics.naosu-system.svc", []net.IP{net.IPv4(127, 0, 0, 1)}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, data := range map[string][]byte{"tls.crt": certificate, "tls.key": key} {
		if err := os.WriteFile(filepath.Join(folder, name), data, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	trusted := x509.NewCertPool()
	if !trusted.AppendCertsFromPEM(certificate) {
		t.Fatal("the certificate is none")
	}
	address := serveMetrics(t, Options{MetricsAddress: "127.0.0.1:0", MetricsSecure: true, MetricsCertPath: folder})
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: trusted}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, "https://"+address+"/metrics", nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", "Bearer anybody's")
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK || response.Proto != "HTTP/1.1" {
		t.Errorf("%s %s", response.Proto, response.Status)
	}
}

// serveMetrics serves metrics, with an API server that knows everybody and lets everybody do everything.
func serveMetrics(t *testing.T, o Options) (address string) {
	t.Helper()
	api := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { reviewed(w, r.URL.Path) }))
	t.Cleanup(api.Close)
	metrics, err := server.NewServer(metricsServer(o), &rest.Config{Host: api.URL}, http.DefaultClient)
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(t.Context())
	ended := make(chan error)
	go func() { ended <- metrics.Start(ctx) }()
	t.Cleanup(func() {
		stop()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	err = wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, time.Minute, true, func(context.Context) (bool, error) {
		address = metrics.(interface{ GetBindAddr() string }).GetBindAddr()
		return address != "", nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return address
}
