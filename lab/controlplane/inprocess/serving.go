package inprocess

import (
	"fmt"
	"net"

	"github.com/naosu-dev/naosu/lab/atomicfile"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/pki"
)

// serving is the certificate for the API server on its addresses and under its names within the cluster.
func (a authorities) serving(extra string) (cert, key []byte, err error) {
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
	return a.cluster.Server(string(controlplane.APIServer), names, addresses)
}

// authorities are all that the plane signs with.
type authorities struct {
	cluster    *pki.Authority
	frontProxy *pki.Authority
}

func openAuthorities(f *folder) (authorities, error) {
	cluster, err := pki.Open(f.pki(""), "ca")
	if err != nil {
		return authorities{}, err
	}
	frontProxy, err := pki.Open(f.pki(""), "front-proxy-ca")
	if err != nil {
		return authorities{}, err
	}
	return authorities{cluster, frontProxy}, pki.OpenKey(f.pki("sa.key"))
}

// writeServing signs what the API server serves with and shows to aggregated API servers.
func (a authorities) writeServing(f *folder, extra string) error {
	cert, key, err := a.serving(extra)
	if err != nil {
		return err
	}
	proxyCert, proxyKey, err := a.frontProxy.Client("front-proxy-client")
	if err != nil {
		return err
	}
	for name, content := range map[string][]byte{
		"apiserver" + certSuffix: cert, "apiserver" + keySuffix: key,
		"front-proxy-client" + certSuffix: proxyCert, "front-proxy-client" + keySuffix: proxyKey,
	} {
		if err := atomicfile.Write(f.pki(name), content, 0o600); err != nil {
			return err
		}
	}
	return nil
}

const (
	certSuffix = ".crt"
	keySuffix  = ".key"
)
