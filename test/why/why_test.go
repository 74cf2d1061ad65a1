// Package why runs the naosu binary on a real control plane, with different permissions.
package why

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{Flags: testbed.WithoutKubelets()}) }

// explanation is what a program reads of the JSON; a Change has no type of its own there.
type explanation struct {
	Subject, State any
	Summary        string
	Findings       []struct {
		Code     finding.Code
		Remedies []struct {
			Command  string
			Verified bool
		}
		Unknown []finding.Gap
	}
	Unknown []finding.Gap
}

func TestWhy(t *testing.T) {
	env := testbed.Shared(t)
	strand(t, env)
	binary := program.Need(t, "naosu")
	t.Run("permissions", func(t *testing.T) { permissions(t, env, binary) })
	t.Run("no answer", func(t *testing.T) { noAnswer(t, env, binary) })
}

// permissions explains the stranded pod with fewer and fewer permissions.
func permissions(t *testing.T, env *testbed.Environment, binary string) {
	t.Helper()
	everything := []string{"nodes", "persistentvolumes", "storageclasses", "volumeattachments", "csinodes"}
	for name, tc := range map[string]struct {
		user string
		// namespaced and global are the resources the user may read.
		namespaced, global []string
		code               int
		n101               bool
		// unknown kinds are stated by the finding, or else by the answer.
		unknown []string
		stderr  string
	}{
		"all it needs": {
			user: "operator", namespaced: []string{"pods", "persistentvolumeclaims", "events"}, global: everything, n101: true,
		},
		"no volumes": {
			user: "developer", namespaced: []string{"pods", "persistentvolumeclaims", "events"}, global: []string{"nodes", "storageclasses"},
			unknown: []string{"PersistentVolume"},
		},
		"the namespace only": {
			user: "tenant", namespaced: []string{"pods", "persistentvolumeclaims", "events"},
			unknown: []string{"PersistentVolume", "Node", "StorageClass"},
		},
		"no attachments": {
			user: "viewer", namespaced: []string{"pods", "persistentvolumeclaims"},
			global: []string{"nodes", "persistentvolumes", "storageclasses", "csinodes"},
			n101:   true, unknown: []string{"VolumeAttachment", "Event"},
		},
		"no pods": {
			user: "stranger", global: everything, code: 2,
			stderr: "naosu: permission denied: Pod objects cannot be read with these credentials",
		},
	} {
		t.Run(name, func(t *testing.T) {
			config, err := env.ConfigForUser(tc.user)
			if err != nil {
				t.Fatal(err)
			}
			allow(t, env, tc.user, tc.namespaced, tc.global)
			awaitPermission(t, config, env.Namespace, tc.namespaced)
			awaitPermission(t, config, "", tc.global)
			stdout, stderr, code := run(t, binary, "why", "pod/redis-0", "-n", env.Namespace, "-o", "json", "--kubeconfig", kubeconfig(t, config))
			if code != tc.code || !strings.HasPrefix(stderr, tc.stderr) || strings.Count(stderr, "\n") > 1 {
				t.Fatalf("exit code %d, want %d; stderr: %s", code, tc.code, stderr)
			}
			if tc.code == 0 {
				check(t, stdout, tc.n101, tc.unknown)
			}
		})
	}
}

func check(t *testing.T, stdout string, n101 bool, unknown []string) {
	t.Helper()
	var answer explanation
	if err := json.Unmarshal([]byte(stdout), &answer); err != nil {
		t.Fatalf("%v in:\n%s", err, stdout)
	}
	gaps := answer.Unknown
	if found := len(answer.Findings) == 1 && answer.Findings[0].Code == finding.N101; found != n101 {
		t.Fatalf("%s found: %v, want %v, in:\n%s", finding.N101, found, n101, stdout)
	}
	if n101 {
		gaps = answer.Findings[0].Unknown
		remedies := answer.Findings[0].Remedies
		if len(remedies) != 1 || !strings.Contains(remedies[0].Command, "--nodegroup-name workers --scaling-config desiredSize=3") || remedies[0].Verified {
			t.Errorf("remedies = %v", remedies)
		}
	}
	stated := map[string]bool{}
	for _, gap := range gaps {
		stated[gap.About] = true
	}
	for _, kind := range unknown {
		if !stated[kind] {
			t.Errorf("%s is not stated as unknown: %v", kind, gaps)
		}
	}
	if len(unknown) == 0 && stated["PersistentVolume"] {
		t.Errorf("unknown = %v", gaps)
	}
}

// noAnswer has no answer: one line on stderr, and an exit code that says whose fault it is.
func noAnswer(t *testing.T, env *testbed.Environment, binary string) {
	t.Helper()
	admin := kubeconfig(t, env.AdminConfig())
	nobody := rest.CopyConfig(env.AdminConfig())
	nobody.CertData, nobody.KeyData, nobody.CertFile, nobody.KeyFile, nobody.BearerToken = nil, nil, "", "", "wrong"
	elsewhere := rest.CopyConfig(env.AdminConfig())
	nowhere := agenttest.Port(t) // where nothing listens
	elsewhere.Host = "https://" + nowhere
	for name, tc := range map[string]struct {
		kubeconfig string
		args       []string
		code       int
		stderr     string
	}{
		"missing pod":       {admin, []string{"why", "pod/nobody"}, 2, "naosu: pod/nobody does not exist in namespace " + env.Namespace + "; kubectl get pod -n " + env.Namespace + " lists those that exist\n"},
		"missing namespace": {admin, []string{"why", "pod/nobody", "-n", "nowhere"}, 2, "naosu: pod/nobody does not exist in namespace nowhere; kubectl get pod -n nowhere lists those that exist\n"},
		"unreachable":       {kubeconfig(t, elsewhere), []string{"why", "pod/x"}, 2, "naosu: cannot reach the API server at https://" + nowhere + ": dial tcp " + nowhere + ": connect: connection refused; check that it is running, or choose another cluster with --context or --kubeconfig\n"},
		"not let in":        {kubeconfig(t, nobody), []string{"why", "pod/x"}, 2, "naosu: the API server at " + env.AdminConfig().Host + " rejected your credentials; renew them, or choose others with --context or --user\n"},
		"another kind":      {admin, []string{"why", "widget/x"}, 2, "naosu: subject: naosu cannot explain widget; use cronjob, daemonset, deployment, horizontalpodautoscaler, ingress, job, namespace, node, nodeclaim, nodepool, pod, poddisruptionbudget, pv, pvc, replicaset, resourcequota, service, statefulset or workload\n"},
		"no such context":   {admin, []string{"why", "pod/x", "--context", "nowhere"}, 2, "naosu: kubeconfig: "},
	} {
		t.Run(name, func(t *testing.T) {
			args := slices.Concat(tc.args, []string{"--kubeconfig", tc.kubeconfig})
			if !strings.Contains(strings.Join(args, " "), " -n ") {
				args = append(args, "-n", env.Namespace)
			}
			stdout, stderr, code := run(t, binary, args...)
			if code != tc.code || !strings.HasPrefix(stderr, tc.stderr) || strings.Count(stderr, "\n") != 1 || stdout != "" {
				t.Errorf("exit code %d, want %d; stdout %q; stderr:\n%swant\n%s", code, tc.code, stdout, stderr, tc.stderr)
			}
		})
	}
}

// strand makes a pod whose volume lives in a zone without a node, and waits until the scheduler has said so.
func strand(t *testing.T, env *testbed.Environment) {
	t.Helper()
	ctx, core := t.Context(), env.Client.CoreV1()
	for name, zone := range map[string]string{"why-a": "us-east-1a", "why-b": "us-east-1b"} {
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
			"eks.amazonaws.com/nodegroup": "workers", corev1.LabelTopologyZone: zone, corev1.LabelTopologyRegion: "us-east-1",
		}}}
		if _, err := core.Nodes().Create(ctx, node, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = core.Nodes().Delete(context.WithoutCancel(ctx), name, metav1.DeleteOptions{}) })
		const ready = `{"status": {"conditions": [{"type": "Ready", "status": "True"}], "capacity": {"pods": "10"}, "allocatable": {"pods": "10"}}}`
		if _, err := core.Nodes().PatchStatus(ctx, name, []byte(ready)); err != nil {
			t.Fatal(err)
		}
	}
	volume := &corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "why-data"}}
	volume.Spec = corev1.PersistentVolumeSpec{
		Capacity:    corev1.ResourceList{corev1.ResourceStorage: resource.MustParse("1Gi")},
		AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce},
		ClaimRef:    &corev1.ObjectReference{Namespace: env.Namespace, Name: "data"},
		PersistentVolumeSource: corev1.PersistentVolumeSource{
			CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com", VolumeHandle: "vol-0c0ffee"},
		},
		NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
			MatchExpressions: []corev1.NodeSelectorRequirement{
				{Key: corev1.LabelTopologyZone, Operator: corev1.NodeSelectorOpIn, Values: []string{"us-east-1c"}},
			},
		}}}},
	}
	if _, err := core.PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = core.PersistentVolumes().Delete(context.WithoutCancel(ctx), volume.Name, metav1.DeleteOptions{})
	})
	claim := &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Name: "data"}}
	claim.Spec = corev1.PersistentVolumeClaimSpec{
		StorageClassName: new(""), VolumeName: volume.Name, AccessModes: volume.Spec.AccessModes,
		Resources: corev1.VolumeResourceRequirements{Requests: volume.Spec.Capacity},
	}
	if _, err := core.PersistentVolumeClaims(env.Namespace).Create(ctx, claim, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "redis-0"}}
	pod.Spec.Containers = []corev1.Container{{Name: "redis", Image: "redis"}}
	pod.Spec.Volumes = []corev1.Volume{{Name: "data", VolumeSource: corev1.VolumeSource{
		PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim.Name},
	}}}
	if _, err := core.Pods(env.Namespace).Create(ctx, pod, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	err := wait.PollUntilContextTimeout(ctx, 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		got, err := core.Pods(env.Namespace).Get(ctx, pod.Name, metav1.GetOptions{})
		if err != nil {
			return false, err
		}
		for _, condition := range got.Status.Conditions {
			if condition.Type == corev1.PodScheduled && strings.Contains(condition.Message, "didn't match PersistentVolume's node affinity") {
				return true, nil
			}
		}
		return false, nil
	})
	if err != nil {
		t.Fatalf("waiting for the scheduler to give up: %v", err)
	}
}

// allow lets a user read these resources, in the test's namespace and in the cluster.
func allow(t *testing.T, env *testbed.Environment, user string, namespaced, global []string) {
	t.Helper()
	ctx, rbac := t.Context(), env.Client.RbacV1()
	groups, verbs := []string{"", "storage.k8s.io"}, []string{"get", "list"}
	subjects := []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}}
	name := metav1.ObjectMeta{Name: env.Namespace + "-" + user}
	if len(namespaced) > 0 {
		role := &rbacv1.Role{ObjectMeta: name, Rules: []rbacv1.PolicyRule{{APIGroups: groups, Verbs: verbs, Resources: namespaced}}}
		if _, err := rbac.Roles(env.Namespace).Create(ctx, role, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		binding := &rbacv1.RoleBinding{ObjectMeta: name, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name.Name}}
		if _, err := rbac.RoleBindings(env.Namespace).Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
	if len(global) > 0 {
		role := &rbacv1.ClusterRole{ObjectMeta: name, Rules: []rbacv1.PolicyRule{{APIGroups: groups, Verbs: verbs, Resources: global}}}
		if _, err := rbac.ClusterRoles().Create(ctx, role, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
		binding := &rbacv1.ClusterRoleBinding{ObjectMeta: name, Subjects: subjects, RoleRef: rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name.Name}}
		if _, err := rbac.ClusterRoleBindings().Create(ctx, binding, metav1.CreateOptions{}); err != nil {
			t.Fatal(err)
		}
	}
}

// awaitPermission waits until the API server's authorizer has what allow granted.
func awaitPermission(t *testing.T, config *rest.Config, namespace string, resources []string) {
	t.Helper()
	reviews := kubernetes.NewForConfigOrDie(config).AuthorizationV1().SelfSubjectAccessReviews()
	for _, name := range resources {
		wanted := &authorizationv1.ResourceAttributes{Namespace: namespace, Verb: "list", Resource: name}
		if name == "storageclasses" || name == "volumeattachments" || name == "csinodes" {
			wanted.Group = storagev1.GroupName
		}
		review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: wanted}}
		err := wait.PollUntilContextTimeout(t.Context(), 10*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
			answer, err := reviews.Create(ctx, review, metav1.CreateOptions{})
			return err == nil && answer.Status.Allowed, err
		})
		if err != nil {
			t.Fatalf("waiting for the permission to list %s: %v", name, err)
		}
	}
}

func run(t *testing.T, binary string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, errOut bytes.Buffer
	command := exec.CommandContext(t.Context(), binary, args...)
	command.Stdout, command.Stderr = &out, &errOut
	err := command.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return out.String(), errOut.String(), exit.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return out.String(), errOut.String(), 0
}

// kubeconfig writes what leads to a cluster as one user, as kubectl would have it.
func kubeconfig(t *testing.T, config *rest.Config) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "kubeconfig")
	written := clientcmdapi.NewConfig()
	written.Clusters["c"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData, CertificateAuthority: config.CAFile}
	written.AuthInfos["u"] = &clientcmdapi.AuthInfo{
		ClientCertificateData: config.CertData, ClientCertificate: config.CertFile,
		ClientKeyData: config.KeyData, ClientKey: config.KeyFile, Token: config.BearerToken,
	}
	written.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	written.CurrentContext = "x"
	if err := clientcmd.WriteToFile(*written, file); err != nil {
		t.Fatal(err)
	}
	return file
}
