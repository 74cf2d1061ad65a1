package controlplane_test

import (
	"crypto/x509"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"context"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	certutil "k8s.io/client-go/util/cert"
	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// TestPlane looks at one plane from all sides, in an order that matters only where it says so.
func TestPlane(t *testing.T) {
	o := controlplane.Options{
		DataDir:     t.TempDir(),
		BindAddress: "127.0.0.2",
		Flags: map[controlplane.Component][]string{controlplane.APIServer: {
			"--default-not-ready-toleration-seconds=31", "--default-unreachable-toleration-seconds=32",
		}},
	}
	p, client := start(t, controlplane.Start, o)
	t.Run("kubeconfig", func(t *testing.T) { testKubeconfig(t, p) })
	t.Run("tls", func(t *testing.T) { testTLS(t, p) })
	t.Run("log", func(t *testing.T) { testLog(t, p) })
	t.Run("bind address", func(t *testing.T) { testBindAddress(t, p, o.BindAddress) })
	t.Run("user", func(t *testing.T) { testUser(t, p, client) })
	t.Run("service account", func(t *testing.T) { testServiceAccount(t, p, client) })
	t.Run("deployment", func(t *testing.T) { testDeployment(t, client) })
	t.Run("second plane", testSecondPlane)
	t.Run("folder in use", func(t *testing.T) { testFolderInUse(t, o.DataDir) })
	t.Run("components", func(t *testing.T) { testComponents(t, p, client) })
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	if p.Err() != nil {
		t.Errorf("Err after Stop = %v, want none", p.Err())
	}
	t.Run("restarts", func(t *testing.T) { testRestarts(t, o, p) })
	t.Run("damage", func(t *testing.T) { testDamage(t, o) })
}

func testKubeconfig(t *testing.T, p *controlplane.Plane) {
	if p.KubeconfigPath() != filepath.Join(p.DataDir(), "kubeconfig") {
		t.Errorf("kubeconfig is at %s", p.KubeconfigPath())
	}
	info := must[os.FileInfo](t)(os.Stat(p.KubeconfigPath()))
	if info.Mode() != 0o600 {
		t.Errorf("kubeconfig's mode is %v, want 0600", info.Mode())
	}
	config := must[*rest.Config](t)(clientcmd.BuildConfigFromFlags("", p.KubeconfigPath()))
	if config.Insecure || !strings.HasPrefix(config.Host, "https://127.0.0.1:") {
		t.Errorf("kubeconfig leads to %s, insecure: %v", config.Host, config.Insecure)
	}
	client := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
	if _, err := client.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("list secrets as administrator: %v", err)
	}
}

func testTLS(t *testing.T, p *controlplane.Plane) {
	other, _, err := certutil.GenerateSelfSignedCertKey("localhost", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	config := p.AdminConfig()
	config.CAData = other
	client := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
	_, err = client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{})
	if unknown := (x509.UnknownAuthorityError{}); !errors.As(err, &unknown) {
		t.Errorf("with another CA: got %v, want unknown authority", err)
	}
	for _, name := range []string{"localhost", "kubernetes.default.svc", "127.0.0.2", "10.96.0.1"} {
		config := p.AdminConfig()
		config.ServerName = name
		client := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
		if _, err := client.ServerVersion(); err != nil {
			t.Errorf("server is not %s: %v", name, err)
		}
	}
}

func testLog(t *testing.T, p *controlplane.Plane) {
	content := must[[]byte](t)(os.ReadFile(filepath.Join(p.DataDir(), "controlplane.log")))
	if !strings.Contains(string(content), "Version") {
		t.Errorf("the log does not hold what components say at their start:\n%s", content)
	}
}

func testBindAddress(t *testing.T, p *controlplane.Plane, address string) {
	config := p.AdminConfig()
	_, port, _ := strings.Cut(strings.TrimPrefix(config.Host, "https://"), ":")
	config.Host = "https://" + net.JoinHostPort(address, port)
	client := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
	if _, err := client.CoreV1().Namespaces().List(t.Context(), metav1.ListOptions{}); err != nil {
		t.Errorf("list namespaces at %s: %v", config.Host, err)
	}
}

func testUser(t *testing.T, p *controlplane.Plane, admin kubernetes.Interface) {
	config := must[*rest.Config](t)(p.ConfigForUser("jane", "viewers", "others"))
	jane := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
	_, err := jane.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	wantForbidden(t, err)
	bind(t, admin, rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: rbacv1.GroupKind, Name: "viewers"})
	eventually(t, "jane may list nodes as a viewer", func(ctx context.Context) error {
		_, err := jane.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	})
	_, err = jane.CoreV1().Secrets("").List(t.Context(), metav1.ListOptions{})
	wantForbidden(t, err)
}

func testServiceAccount(t *testing.T, p *controlplane.Plane, admin kubernetes.Interface) {
	if _, err := p.ConfigForServiceAccount(t.Context(), "default", "nobody"); !apierrors.IsNotFound(err) {
		t.Errorf("missing service account: got %v, want not found", err)
	}
	config := must[*rest.Config](t)(p.ConfigForServiceAccount(t.Context(), "default", "default"))
	account := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(config))
	_, err := account.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	wantForbidden(t, err)
	bind(t, admin, rbacv1.Subject{Kind: rbacv1.ServiceAccountKind, Namespace: "default", Name: "default"})
	eventually(t, "the account may list nodes", func(ctx context.Context) error {
		_, err := account.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
		return err
	})
}

// bind lets a subject read nodes.
func bind(t *testing.T, admin kubernetes.Interface, subject rbacv1.Subject) {
	t.Helper()
	name := metav1.ObjectMeta{Name: "nodes-for-" + subject.Name}
	role := &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{{APIGroups: []string{""}, Resources: []string{"nodes"}, Verbs: []string{"list"}}}}
	must[*rbacv1.ClusterRole](t)(admin.RbacV1().ClusterRoles().Create(t.Context(), role, metav1.CreateOptions{}))
	binding := &rbacv1.ClusterRoleBinding{
		ObjectMeta: name, Subjects: []rbacv1.Subject{subject},
		RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name},
	}
	must[*rbacv1.ClusterRoleBinding](t)(admin.RbacV1().ClusterRoleBindings().Create(t.Context(), binding, metav1.CreateOptions{}))
}

// testDeployment needs the controller manager, the scheduler and the API server's admission to work together.
func testDeployment(t *testing.T, client kubernetes.Interface) {
	makeNode(t, client, "node-1")
	makeDeployment(t, client, "web")
	eventually(t, "the deployment's pod is bound", func(ctx context.Context) error { return bound(ctx, client, "web", "node-1") })
	pods := must[*corev1.PodList](t)(client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=web"}))
	seconds := map[string]int64{}
	for _, toleration := range pods.Items[0].Spec.Tolerations {
		seconds[toleration.Key] = *toleration.TolerationSeconds
	}
	want := map[string]int64{corev1.TaintNodeNotReady: 31, corev1.TaintNodeUnreachable: 32}
	if diff := cmp.Diff(want, seconds); diff != "" {
		t.Errorf("default tolerations by flags (-want +got):\n%s", diff)
	}
}

func testSecondPlane(t *testing.T) {
	_, err := controlplane.Start(t.Context(), controlplane.Options{})
	wantError(t, err, "already runs a control plane", "StartChild")
}

func testFolderInUse(t *testing.T, dir string) {
	_, err := controlplane.StartChild(t.Context(), controlplane.Options{DataDir: dir})
	wantError(t, err, dir, "in use by another control plane")
}

// testRestarts starts a folder's plane again, first while something else has its port, then twice as it was.
func testRestarts(t *testing.T, o controlplane.Options, before *controlplane.Plane) {
	old := before.AdminConfig()
	squatter := must[net.Listener](t)(net.Listen("tcp", strings.TrimPrefix(old.Host, "https://")))
	defer squatter.Close()

	p, client := start(t, controlplane.Start, o)
	moved := p.AdminConfig()
	if moved.Host == old.Host {
		t.Errorf("the plane has port %s, which is another's", old.Host)
	}
	if diff := cmp.Diff(string(old.CAData), string(moved.CAData)); diff != "" {
		t.Errorf("certificate authority changed over a restart (-before +after):\n%s", diff)
	}
	if err := bound(t.Context(), client, "web", "node-1"); err != nil {
		t.Errorf("objects after a restart: %v", err)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}

	o.Flags = nil
	p, _ = start(t, controlplane.Start, o)
	client2 := must[*kubernetes.Clientset](t)(kubernetes.NewForConfig(moved))
	makePod(t, client2, "with-defaults") // by a client of the earlier run
	pod := must[*corev1.Pod](t)(client2.CoreV1().Pods("default").Get(t.Context(), "with-defaults", metav1.GetOptions{}))
	for _, toleration := range pod.Spec.Tolerations {
		if *toleration.TolerationSeconds != 300 {
			t.Errorf("%s is tolerated %d s: an earlier plane's flag has stayed in the process", toleration.Key, *toleration.TolerationSeconds)
		}
	}
	testFatal(t, p)
}

// testFatal does what Kubernetes does where it gives up. It ends the plane and nothing else.
func testFatal(t *testing.T, p *controlplane.Plane) {
	returned := make(chan bool, 1)
	go func() {
		defer close(returned)
		klog.Fatal("nothing works any more")
		returned <- true
	}()
	<-p.Done()
	wantError(t, p.Err(), "nothing works any more")
	if <-returned {
		t.Error("klog.Fatal returned to its caller")
	}
}
