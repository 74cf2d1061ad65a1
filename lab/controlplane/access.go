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

	"github.com/naosu-dev/naosu/lab/atomicfile"
	"github.com/naosu-dev/naosu/lab/controlplane/pki"
)

// loopback is where every plane listens.
const loopback = "127.0.0.1"

// mastersGroup is bound to cluster-admin by every cluster.
const mastersGroup = "system:masters"

// Access makes clients of one API server. It needs the authority's files and no connection.
type Access struct {
	authority *pki.Authority
	host      string
	admin     *rest.Config
}

// NewAccess is for the API server at a port of the loopback address, whose clients this authority signs for.
func NewAccess(ca *pki.Authority, port int) (*Access, error) {
	a := &Access{authority: ca, host: "https://" + net.JoinHostPort(loopback, strconv.Itoa(port))}
	var err error
	if a.admin, err = a.User("naosu-lab-admin", mastersGroup); err != nil {
		return nil, err
	}
	a.admin.QPS = -1
	return a, nil
}

// User is a client's configuration by a certificate that is signed for this user in these groups.
func (a *Access) User(name string, groups ...string) (*rest.Config, error) {
	cert, key, err := a.authority.Client(name, groups...)
	if err != nil {
		return nil, err
	}
	return &rest.Config{
		Host:            a.host,
		TLSClientConfig: rest.TLSClientConfig{CAData: a.authority.Certificate(), CertData: cert, KeyData: key},
	}, nil
}

// Admin is the administrator's configuration (group system:masters), without a limit on requests.
func (a *Access) Admin() *rest.Config { return rest.CopyConfig(a.admin) }

// WriteKubeconfig writes the administrator's kubeconfig.
func (a *Access) WriteKubeconfig(file string) error {
	return WriteKubeconfig(file, "naosu-lab", a.admin)
}

func (a *Access) serviceAccount(ctx context.Context, namespace, name string) (*rest.Config, error) {
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
		TLSClientConfig: rest.TLSClientConfig{CAData: a.authority.Certificate()},
	}, nil
}

// tokenSeconds is a year: nothing refreshes these tokens.
const tokenSeconds int64 = 365 * 24 * 60 * 60

// WriteKubeconfig writes a client's configuration to a file, whole and readable by its owner alone.
func WriteKubeconfig(file, context string, config *rest.Config) error {
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
	return atomicfile.Write(file, encoded, 0o600)
}
