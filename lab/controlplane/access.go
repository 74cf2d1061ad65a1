package controlplane

import (
	"context"
	"fmt"
	"net"
	"strconv"

	authenticationv1 "k8s.io/api/authentication/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// mastersGroup is bound to cluster-admin by every cluster.
const mastersGroup = "system:masters"

// access makes clients of one API server. It needs the authority's files and no connection.
type access struct {
	authority *authority
	host      string
	admin     *rest.Config
}

func newAccess(ca *authority, port int) (*access, error) {
	a := &access{authority: ca, host: "https://" + net.JoinHostPort(loopback, strconv.Itoa(port))}
	var err error
	if a.admin, err = a.user("naosu-lab-admin", mastersGroup); err != nil {
		return nil, err
	}
	a.admin.QPS = -1
	return a, nil
}

func (a *access) user(name string, groups ...string) (*rest.Config, error) {
	cert, key, err := a.authority.client(name, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            a.host,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.ca(), CertData: cert, KeyData: key},
	}, nil
}

func (a *access) ca() []byte { return encodeCert(a.authority.cert.Raw) }

func (a *access) serviceAccount(ctx context.Context, namespace, name string) (*rest.Config, error) {
	client, err := kubernetes.NewForConfig(a.admin)
	if err != nil {
		return nil, err
	}
	request := &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(tokenSeconds)},
	}
	granted, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, name, request, metav1.CreateOptions{})
	if err != nil {
		return nil, fmt.Errorf("token for service account %s/%s: %w", namespace, name, err)
	}
	return &rest.Config{
		Host:            a.host,
		BearerToken:     granted.Status.Token,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.ca()},
	}, nil
}

// tokenSeconds is a year: nothing refreshes these tokens.
const tokenSeconds int64 = 365 * 24 * 60 * 60

// kubeconfig is a client's configuration as a file, whole and readable by its owner alone.
func kubeconfig(file, context string, config *rest.Config) error {
	content := clientcmdapi.NewConfig()
	content.Clusters[context] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	content.AuthInfos[context] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData, ClientKeyData: config.KeyData, Token: config.BearerToken,
	}
	content.Contexts[context] = &clientcmdapi.Context{Cluster: context, AuthInfo: context}
	content.CurrentContext = context
	encoded, err := clientcmd.Write(*content)
	if err != nil {
		return fmt.Errorf("encode kubeconfig: %w", err)
	}
	return writeFile(file, encoded, 0o600)
}

// serving is the certificate for the API server on its addresses and under its names within the cluster.
func (a *authority) serving(extra string) (cert, key []byte, err error) {
	names := []string{
		"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc", "kubernetes.default.svc.cluster.local",
	}
	addresses := []net.IP{net.ParseIP(loopback), net.ParseIP(serviceAddress)}
	switch ip := net.ParseIP(extra); {
	case ip == nil:
	case ip.IsUnspecified():
		own, err := net.InterfaceAddrs()
		if err != nil {
			return nil, nil, fmt.Errorf("addresses of this host: %w", err)
		}
		for _, address := range own {
			if network, is := address.(*net.IPNet); is {
				addresses = append(addresses, network.IP)
			}
		}
	default:
		addresses = append(addresses, ip)
	}
	return a.server(names, addresses)
}

// authorities are all that the plane signs with.
type authorities struct {
	cluster    *authority
	frontProxy *authority
}

func openAuthorities(f *folder) (authorities, error) {
	cluster, err := openAuthority(f.pki(""), "ca")
	if err != nil {
		return authorities{}, err
	}
	frontProxy, err := openAuthority(f.pki(""), "front-proxy-ca")
	if err != nil {
		return authorities{}, err
	}
	return authorities{cluster, frontProxy}, openKey(f.pki("sa.key"))
}

// writeServing signs what the API server serves with and shows to aggregated API servers.
func (a authorities) writeServing(f *folder, extra string) error {
	cert, key, err := a.cluster.serving(extra)
	if err != nil {
		return err
	}
	proxyCert, proxyKey, err := a.frontProxy.client("front-proxy-client")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"apiserver" + certSuffix: cert, "apiserver" + keySuffix: key,
		"front-proxy-client" + certSuffix: proxyCert, "front-proxy-client" + keySuffix: proxyKey,
	} {
		if err := writeFile(f.pki(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

const (
	certSuffix = ".crt"
	keySuffix  = ".key"
)
