package reporting

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// daemonSet is that of a folder below config, as kubectl apply -k makes it.
func daemonSet(t *testing.T, folder string) *appsv1.DaemonSet {
	t.Helper()
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../../../config/"+folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range made.Resources() {
		if r.GetKind() != "DaemonSet" {
			continue
		}
		text, err := r.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		ds := &appsv1.DaemonSet{}
		if err := runtime.DecodeInto(scheme.Codecs.UniversalDeserializer(), text, ds); err != nil {
			t.Fatal(err)
		}
		return ds
	}
	t.Fatalf("%s has no DaemonSet", folder)
	return nil
}

// The API server takes both variants, by the letter.
func TestDaemonSets(t *testing.T) {
	env := testbed.Shared(t)
	apply(t, env.AdminConfig(), "access.yaml")
	apply(t, env.AdminConfig(), "daemonset.yaml")
	privileged := daemonSet(t, "agent-privileged")
	options := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict, DryRun: []string{metav1.DryRunAll}}
	if _, err := env.Client.AppsV1().DaemonSets(namespace).Create(t.Context(), privileged, options); !apierrors.IsAlreadyExists(err) {
		t.Errorf("the privileged variant: %v", err)
	}
	privileged.Name = "other"
	if _, err := env.Client.AppsV1().DaemonSets(namespace).Create(t.Context(), privileged, options); err != nil {
		t.Errorf("the privileged variant: %v", err)
	}
}

// What the default variant may do to a host is what is listed here, and no more.
func TestPrivileges(t *testing.T) {
	ds := daemonSet(t, "agent")
	spec := ds.Spec.Template.Spec
	if spec.HostPID || spec.HostIPC || len(spec.Containers) != 1 || len(spec.InitContainers) > 0 {
		t.Errorf("the pod has more than it says: %+v", spec)
	}
	agent := spec.Containers[0]
	security := agent.SecurityContext
	if security.Privileged != nil || *security.AllowPrivilegeEscalation || !*security.ReadOnlyRootFilesystem {
		t.Errorf("security context %+v", security)
	}
	if diff := cmp.Diff(&corev1.Capabilities{Drop: []corev1.Capability{"ALL"}, Add: []corev1.Capability{"SYS_PTRACE", "DAC_READ_SEARCH"}}, security.Capabilities); diff != "" {
		t.Errorf("capabilities (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/var/lib/kubelet/naosu-agent", "/var/lib/naosu-agent"}, writable(spec)); diff != "" {
		t.Errorf("writable folders of the host (-want +got):\n%s", diff)
	}
	for _, v := range spec.Volumes {
		if v.HostPath != nil && (v.HostPath.Path == "/" || v.HostPath.Path == "/etc" || v.HostPath.Path == "/run" || v.HostPath.Path == "/var") {
			t.Errorf("it mounts all of %s", v.HostPath.Path)
		}
	}
	if p := daemonSet(t, "agent-privileged").Spec.Template.Spec; !*p.Containers[0].SecurityContext.Privileged || len(writable(p)) != 2 {
		t.Errorf("the privileged variant may write %v; security context %+v", writable(p), p.Containers[0].SecurityContext)
	}
}

// writable are the host's folders that a pod may write to, or to what is mounted below.
func writable(spec corev1.PodSpec) []string {
	paths := map[string]string{}
	for _, v := range spec.Volumes {
		if v.HostPath != nil {
			paths[v.Name] = v.HostPath.Path
		}
	}
	found := map[string]bool{}
	for _, m := range spec.Containers[0].VolumeMounts {
		if path := paths[m.Name]; path != "" && (!m.ReadOnly || m.RecursiveReadOnly == nil || *m.RecursiveReadOnly != corev1.RecursiveReadOnlyIfPossible) {
			found[strings.TrimSuffix(path, "/")] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}
