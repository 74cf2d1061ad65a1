package controller

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net/http"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/record"
)

// Each replica, of which one leads, receives heartbeats with a certificate that the one published ConfigMap verifies, and lets nobody in
// without a token.
func TestHeartbeatCertificates(t *testing.T) {
	var addresses []string
	for range 2 {
		address := agenttest.Port(t)
		start(t, "--heartbeat-address", address)
		addresses = append(addresses, address)
	}
	for _, address := range addresses {
		until(t, "a replica receives heartbeats", func() bool { return refusesStrangers(t, address) == nil })
	}
}

// refusesStrangers returns nil if the server at an address has a valid certificate, speaks HTTP/2, and answers 401 without a token.
func refusesStrangers(t *testing.T, address string) error {
	t.Helper()
	var published corev1.ConfigMap
	if err := shared.Get(t.Context(), client.ObjectKey{Namespace: record.DefaultNamespace, Name: record.HeartbeatCAName}, &published); err != nil {
		return err
	}
	roots := x509.NewCertPool()
	if !roots.AppendCertsFromPEM([]byte(published.Data["ca.crt"])) {
		return errors.New("no certificate is published")
	}
	transport := &http.Transport{TLSClientConfig: &tls.Config{RootCAs: roots, ServerName: heartbeat.ServerName, MinVersion: tls.VersionTLS13}, ForceAttemptHTTP2: true}
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://"+address+heartbeat.Path, http.NoBody)
	if err != nil {
		return err
	}
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusUnauthorized || response.ProtoMajor != 2 {
		return fmt.Errorf("%s %s", response.Proto, response.Status)
	}
	return nil
}
