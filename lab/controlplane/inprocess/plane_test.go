package inprocess_test

import (
	"context"
	"crypto/x509"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/inprocess"
	"github.com/naosu-dev/naosu/lab/controlplane/planetest"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// TestPlane looks at one plane from all sides, then at what it leaves.
func TestPlane(t *testing.T) {
	testbed.Need(t)
	o := controlplane.Options{
		DataDir:     t.TempDir(),
		BindAddress: "127.0.0.2",
		Flags: map[controlplane.Component][]string{
			controlplane.APIServer: {
				"--default-not-ready-toleration-seconds=31", "--default-unreachable-toleration-seconds=32",
			},
			controlplane.ControllerManager: {"--node-monitor-grace-period=1h"}, // the test's node has no heart
		},
	}
	plane, client := planetest.Start(t, inprocess.Start, o)
	b := fixture{plane, client, o}
	t.Run("version", b.version)
	t.Run("kubeconfig", b.kubeconfig)
	t.Run("tls", b.tls)
	t.Run("log", b.log)
	t.Run("bind address", b.bindAddress)
	t.Run("user", func(t *testing.T) { planetest.User(t, b.plane, b.client) })
	t.Run("service account", b.serviceAccount)
	t.Run("deployment", b.deployment)
	t.Run("second plane", b.secondPlane)
	t.Run("folder in use", b.folderInUse)
	t.Run("components", b.components)
	if err := plane.Stop(); err != nil {
		t.Fatal(err)
	}
	if plane.Err() != nil {
		t.Errorf("Err after Stop = %v, want none", plane.Err())
	}
	t.Run("restarts", b.restarts)
	t.Run("damage", b.damage)
}

// fixture is the plane under test.
type fixture struct {
	plane   *controlplane.Plane
	client  kubernetes.Interface
	options controlplane.Options
}

// version is that of the modules the plane is built from.
func (b fixture) version(t *testing.T) {
	info, err := b.client.Discovery().ServerVersion()
	if err != nil {
		t.Fatal(err)
	}
	pinned, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", "k8s.io/kubernetes").Output()
	if err != nil {
		t.Fatal(err)
	}
	if want := strings.TrimSpace(string(pinned)); info.GitVersion != want {
		t.Errorf("the server says it is %s, want %s as in go.mod", info.GitVersion, want)
	}
}

func (b fixture) kubeconfig(t *testing.T) {
	if b.plane.KubeconfigPath() != filepath.Join(b.plane.DataDir(), "kubeconfig") {
		t.Errorf("kubeconfig is at %s", b.plane.KubeconfigPath())
	}
	info := planetest.Must(os.Stat(b.plane.KubeconfigPath()))
	if info.Mode() != 0o600 {
		t.Errorf("kubeconfig's mode is %v, want 0600", info.Mode())
	}
	config := planetest.Must(clientcmd.BuildConfigFromFlags("", b.plane.KubeconfigPath()))
	if config.Insecure || !strings.HasPrefix(config.Host, "https://127.0.0.1:") {
		t.Errorf("kubeconfig leads to %s, insecure: %v", config.Host, config.Insecure)
	}
	client := planetest.Connect(config)
	if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("list secrets as b.clientistrator: %v", err)
	}
}

func (b fixture) tls(t *testing.T) {
	other, _, err := certutil.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	config := b.plane.AdminConfig()
	config.CAData = other
	client := planetest.Connect(config)
	_, err = client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if unknown := (x509.UnknownAuthorityError{}); !errors.As(err, &unknown) {
		t.Errorf("with another CA: got %v, want unknown authority", err)
	}
	for _, name := range []string{"localhost", "kubernetes.default.svc", "127.0.0.2", "10.96.0.1"} {
		config := b.plane.AdminConfig()
		config.ServerName = name
		client := planetest.Connect(config)
		if _, err := client.Discovery().ServerVersion(); err != nil {
			t.Errorf("server is not %s: %v", name, err)
		}
	}
}

func (b fixture) log(t *testing.T) {
	content := planetest.Must(os.ReadFile(filepath.Join(b.plane.DataDir(), "controlplane.log")))
	if !strings.Contains(string(content), "Version") {
		t.Errorf("the log does not hold what components say at their start:\n%s", content)
	}
}

func (b fixture) bindAddress(t *testing.T) {
	config := b.plane.AdminConfig()
	_, port, _ := strings.Cut(strings.TrimPrefix(config.Host, "https://"), ":")
	config.Host = "https://" + net.JoinHostPort(b.options.BindAddress, port)
	client := planetest.Connect(config)
	if _, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("list namespaces at %s: %v", config.Host, err)
	}
}

func (b fixture) serviceAccount(t *testing.T) {
	if _, err := b.plane.ConfigForServiceAccount(t.Context(), "default", "nobody"); !apierrors.IsNotFound(err) {
		t.Errorf("missing service account: got %v, want not found", err)
	}
	config := planetest.Must(b.plane.ConfigForServiceAccount(t.Context(), "default", "default"))
	account := planetest.Connect(config)
	_, err := account.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	planetest.WantForbidden(t, err)
	planetest.Bind(t, b.client, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "default"})
	planetest.Eventually(t, "the account may list nodes", func(ctx context.Context) error {
		_, err := account.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	})
}

// deployment needs the controller manager, the scheduler and the API server's admission to work together.
func (b fixture) deployment(t *testing.T) {
	planetest.MakeNode(t, b.client, "node-1")
	planetest.MakeDeployment(t, b.client, "web")
	planetest.Eventually(t, "the deployment's pod is bound", func(ctx context.Context) error { return planetest.Bound(ctx, b.client, "web", "node-1") })
	pods := planetest.Must(b.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"}))
	seconds := map[string]int64{}
	for _, toleration := range pods.Items[0].Spec.Tolerations {
		seconds[toleration.Key] = *toleration.TolerationSeconds
	}
	want := map[string]int64{corev1.TaintNodeNotReady: 31, corev1.TaintNodeUnreachable: 32}
	if diff := cmp.Diff(want, seconds); diff != "" {
		t.Errorf("default tolerations by flags (-want +got):\n%s", diff)
	}
}

func (b fixture) secondPlane(t *testing.T) {
	_, err := inprocess.Start(t.Context(), controlplane.Options{})
	planetest.WantError(t, err, "already runs a control plane", "StartChild")
}

func (b fixture) folderInUse(t *testing.T) {
	_, err := startChild(t.Context(), controlplane.Options{DataDir: b.options.DataDir})
	planetest.WantError(t, err, b.options.DataDir, "in use by another control plane")
}

// restarts starts a folder's plane again, first while something else has its port, then twice as it was.
func (b fixture) restarts(t *testing.T) {
	o := b.options
	old := b.plane.AdminConfig()
	squatter := planetest.Must(new(net.ListenConfig).Listen(t.Context(), "tcp", strings.TrimPrefix(old.Host, "https://")))
	defer squatter.Close()

	p, client := planetest.Start(t, inprocess.Start, o)
	moved := p.AdminConfig()
	if moved.Host == old.Host {
		t.Errorf("the plane has port %s, which is another's", old.Host)
	}
	if diff := cmp.Diff(string(old.CAData), string(moved.CAData)); diff != "" {
		t.Errorf("certificate authority changed over a restart (-before +after):\n%s", diff)
	}
	if err := planetest.Bound(t.Context(), client, "web", "node-1"); err != nil {
		t.Errorf("objects after a restart: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}

	o.Flags = nil
	p, _ = planetest.Start(t, inprocess.Start, o)
	client2 := planetest.Connect(moved)
	planetest.MakePod(t, client2, "with-defaults") // by a client of the earlier run
	pod := planetest.Must(client2.CoreV1().Pods("default").Get(t.Context(), "with-defaults", metav1.GetOptions{}))
	for _, toleration := range pod.Spec.Tolerations {
		if *toleration.TolerationSeconds != 300 {
			t.Errorf("%s is tolerated %d s: an earlier plane's flag has stayed in the process", toleration.Key, *toleration.TolerationSeconds)
		}
	}
	t.Run("fatal", fixture{plane: p}.fatal)
}

// fatal does what Kubernetes does where it gives up. It ends the plane and nothing else.
func (b fixture) fatal(t *testing.T) {
	returned := make(chan bool, 1)
	go func() {
		defer close(returned)
		klog.Fatal("nothing works any more")
		returned <- true
	}()
	<-b.plane.Done()
	planetest.WantError(t, b.plane.Err(), "nothing works any more")
	if <-returned {
		t.Error("klog.Fatal returned to its caller")
	}
}
