package inprocess

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/component-base/configz"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app"
	"k8s.io/kubernetes/cmd/kube-controller-manager/app/options"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// controllerManagerFlags set up one that leaves nodes' addresses and instances to a cloud controller manager. It serves
// nothing of its own: its metrics are in the API server's, as they share a process.
func (p *local) controllerManagerFlags() []string {
	pki := p.folder.pki
	return []string{
		"--kubeconfig=" + p.folder.conf(controlplane.ControllerManager),
		"--allocate-node-cidrs=false",
		"--cloud-provider=external",
		"--cluster-signing-cert-file=" + pki("ca.crt"),
		"--cluster-signing-key-file=" + pki("ca.key"),
		"--controllers=*,bootstrap-signer-controller,token-cleaner-controller",
		"--leader-elect=false",
		"--root-ca-file=" + pki("ca.crt"),
		"--secure-port=0",
		"--service-account-private-key-file=" + pki("sa.key"),
		"--use-service-account-credentials=true",
		fmt.Sprintf("--kube-api-qps=%d", clientQPS),
		fmt.Sprintf("--kube-api-burst=%d", clientBurst),
	}
}

func (p *local) controllerManagerOptions() (*options.KubeControllerManagerOptions, error) {
	s, err := options.NewKubeControllerManagerOptions()
	if err != nil {
		return nil, err
	}
	sets := s.Flags(app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases())
	return s, parse(controlplane.ControllerManager, sets, s.Logs, p.flags[controlplane.ControllerManager])
}

func (p *local) runControllerManager(ctx context.Context, ready func()) error {
	s, err := p.controllerManagerOptions()
	if err != nil {
		return err
	}
	config, err := s.Config(ctx, app.KnownControllers(), app.ControllersDisabledByDefault(), app.ControllerAliases())
	if err != nil {
		return err
	}
	acts, err := p.watchControllers(ctx)
	if err != nil {
		return err
	}
	go func() {
		if acts() == nil {
			ready()
		}
	}()
	defer configz.Delete(app.ConfigzName) // registered by Run, which a second Run would find
	return app.Run(ctx, config.Complete())
}

// watchControllers returns a wait for controllers to act. The manager does not report when they run, so one of their objects
// is removed before: kube-node-lease's copy of the root certificate, which is not used and is created again.
func (p *local) watchControllers(ctx context.Context) (func() error, error) {
	client, err := kubernetes.NewForConfig(p.access.Admin())
	if err != nil {
		return nil, err
	}
	probes := client.CoreV1().ConfigMaps(corev1.NamespaceNodeLease)
	if err := probes.Delete(ctx, rootCA, metav1.DeleteOptions{}); err != nil && !apierrors.IsNotFound(err) {
		return nil, fmt.Errorf("prepare for controllers: %w", err)
	}
	there := func(_ any, err error) bool { return err == nil }
	return func() error {
		return wait.PollUntilContextCancel(ctx, probePeriod, true, func(ctx context.Context) (bool, error) {
			return there(probes.Get(ctx, rootCA, metav1.GetOptions{})) &&
				there(client.CoreV1().ServiceAccounts(metav1.NamespaceDefault).Get(ctx, "default", metav1.GetOptions{})), nil
		})
	}, nil
}

const (
	rootCA = "kube-root-ca.crt"
)
