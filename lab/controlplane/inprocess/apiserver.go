package inprocess

import (
	"context"
	"net"
	"time"

	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
	"k8s.io/kubernetes/cmd/kube-apiserver/app/options"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

const (
	serviceRange   = "10.96.0.0/16"
	serviceAddress = "10.96.0.1" // the kubernetes service: always the first of the range
	issuer         = "https://kubernetes.default.svc.cluster.local"

	// nowhere is in the kubernetes service's endpoints when the server listens on loopback only, which the API does
	// not accept there. The address is reserved for documentation (RFC 5737).
	nowhere = "192.0.2.1"
)

// apiServerFlags set up a server as managed clusters run it: RBAC, the default admission plugins, bound service account
// tokens, aggregation.
func (p *local) apiServerFlags() []string {
	advertised := nowhere
	if ip := net.ParseIP(p.options.BindAddress); ip.To4() != nil && !ip.IsLoopback() && !ip.IsUnspecified() {
		advertised = ip.String()
	}
	pki := p.folder.pki
	return []string{
		"--advertise-address=" + advertised,
		"--allow-privileged=true",
		"--authorization-mode=Node,RBAC",
		"--client-ca-file=" + pki("ca.crt"),
		"--enable-bootstrap-token-auth=true",
		"--etcd-servers=unix://" + p.folder.socket(),
		"--proxy-client-cert-file=" + pki("front-proxy-client.crt"),
		"--proxy-client-key-file=" + pki("front-proxy-client.key"),
		"--requestheader-allowed-names=front-proxy-client",
		"--requestheader-client-ca-file=" + pki("front-proxy-ca.crt"),
		"--requestheader-extra-headers-prefix=X-Remote-Extra-",
		"--requestheader-group-headers=X-Remote-Group",
		"--requestheader-username-headers=X-Remote-User",
		"--service-account-issuer=" + issuer,
		"--service-account-key-file=" + pki("sa.key"),
		"--service-account-signing-key-file=" + pki("sa.key"),
		"--service-cluster-ip-range=" + serviceRange,
		"--tls-cert-file=" + pki("apiserver.crt"),
		"--tls-private-key-file=" + pki("apiserver.key"),
		// Stop within a second or two instead of a minute: requests in flight get a retry, watches are ended.
		"--shutdown-send-retry-after=true",
		"--shutdown-watch-termination-grace-period=1s",
	}
}

func (p *local) apiServerOptions() (*options.ServerRunOptions, error) {
	s := options.NewServerRunOptions()
	return s, parse(controlplane.APIServer, s.Flags(), s.Logs, p.flags[controlplane.APIServer])
}

func (p *local) runAPIServer(ctx context.Context, ready func()) error {
	s, err := p.apiServerOptions()
	if err != nil {
		return err
	}
	listener := p.reserved
	if p.reserved = nil; listener == nil {
		if listener, err = listenAt(ctx, p.options.BindAddress, p.port); err != nil {
			return err
		}
	}
	defer func() { _ = listener.Close() }()
	s.SecureServing.Listener = listener
	s.SecureServing.BindPort = p.port
	completed, err := s.Complete(ctx)
	if err != nil {
		return err
	}
	if errs := completed.Validate(); len(errs) != 0 {
		return utilerrors.NewAggregate(errs)
	}
	go p.awaitAPIServer(ctx, ready)
	return serve(ctx, completed)
}

// serve is app.Run but for the version.
func serve(ctx context.Context, o options.CompletedOptions) error {
	config, err := app.NewConfig(o)
	if err != nil {
		return err
	}
	stamp(config)
	completed, err := config.Complete()
	if err != nil {
		return err
	}
	server, err := app.CreateServerChain(completed)
	if err != nil {
		return err
	}
	prepared, err := server.PrepareRun()
	if err != nil {
		return err
	}
	return prepared.Run(ctx)
}

// probePeriod is how often a component that starts is asked whether it is ready. A probe takes CPU from what it waits for.
const probePeriod = 100 * time.Millisecond

// awaitAPIServer calls ready once the server reports ready, which includes its default namespaces, roles and priority classes.
func (p *local) awaitAPIServer(ctx context.Context, ready func()) {
	client, err := kubernetes.NewForConfig(p.access.Admin())
	if err != nil {
		return
	}
	probe := client.Discovery().RESTClient().Get().AbsPath("/readyz").Timeout(5 * time.Second)
	err = wait.PollUntilContextCancel(ctx, probePeriod, true, func(ctx context.Context) (bool, error) {
		return probe.Do(ctx).Error() == nil, nil
	})
	if err == nil {
		ready()
	}
}
