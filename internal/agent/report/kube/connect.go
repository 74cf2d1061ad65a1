package kube

import (
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"k8s.io/client-go/transport"

	"github.com/naosu-dev/naosu/internal/agent/source/kubeconfig"
)

// Connect makes a Client for a kubeconfig file's current context or, without one, for the API server of the cluster that the agent's pod is in.
// It makes no request. Renewed tokens and client certificates are read again (transport.NewCachedFileTokenSource), and the proxies of the
// environment or the kubeconfig are used.
func Connect(kubeconfig string) (*Client, error) {
	server, how, err := inCluster()
	if kubeconfig != "" {
		server, how, err = read(kubeconfig)
	}
	if err != nil {
		return nil, err
	}
	at, err := url.Parse(server)
	if err != nil || at.Host == "" {
		return nil, fmt.Errorf("API server %q is no URL", server)
	}
	how.UserAgent = Manager
	round, err := transport.New(how)
	if err != nil {
		return nil, fmt.Errorf("connect to %s: %w", server, err)
	}
	return &Client{server: at, http: &http.Client{Transport: round}, firstTimeout: firstTimeout, idleTimeout: idleTimeout}, nil
}

// account is the folder in which a pod has its service account's token and CA certificate.
const account = "/var/run/secrets/kubernetes.io/serviceaccount"

func inCluster() (string, *transport.Config, error) {
	host, port := os.Getenv("KUBERNETES_SERVICE_HOST"), os.Getenv("KUBERNETES_SERVICE_PORT")
	if host == "" || port == "" {
		return "", nil, errors.New("not in a pod (no KUBERNETES_SERVICE_HOST): --kubeconfig is needed")
	}
	return "https://" + net.JoinHostPort(host, port), &transport.Config{
		BearerTokenFile: account + "/token",
		TLS:             transport.TLSConfig{CAFile: account + "/ca.crt"},
	}, nil
}

func read(path string) (server string, how *transport.Config, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return "", nil, fmt.Errorf("read kubeconfig: %w", err)
	}
	cluster, user, err := kubeconfig.Current(data)
	if err == nil {
		server = cluster.Server
		how, err = configure(cluster, user, filepath.Dir(path))
	}
	if err != nil {
		return "", nil, fmt.Errorf("kubeconfig %s: %w", path, err)
	}
	return server, how, nil
}

// configure is how to connect; files are named relative to the kubeconfig's folder.
func configure(c kubeconfig.Cluster, u kubeconfig.User, folder string) (*transport.Config, error) {
	if u.Exec != nil || u.Provider != nil || u.Username != "" {
		return nil, errors.New("the agent runs no command for its credentials: give it a token, tokenFile or client certificate")
	}
	in := func(file string) string {
		if file == "" || filepath.IsAbs(file) {
			return file
		}
		return filepath.Join(folder, file)
	}
	how := &transport.Config{
		BearerToken: u.Token, BearerTokenFile: in(u.TokenFile),
		TLS: transport.TLSConfig{
			CAFile: in(c.CAFile), ServerName: c.ServerName, Insecure: c.Insecure,
			CertFile: in(u.CertFile), KeyFile: in(u.KeyFile), ReloadTLSFiles: u.CertFile != "" && u.KeyFile != "",
		},
	}
	var errs [4]error
	how.TLS.CAData, errs[0] = base64.StdEncoding.DecodeString(c.CAData)
	how.TLS.CertData, errs[1] = base64.StdEncoding.DecodeString(u.CertData)
	how.TLS.KeyData, errs[2] = base64.StdEncoding.DecodeString(u.KeyData)
	if c.Proxy != "" {
		var to *url.URL
		to, errs[3] = url.Parse(c.Proxy)
		how.Proxy = http.ProxyURL(to)
	}
	return how, errors.Join(errs[:]...)
}
