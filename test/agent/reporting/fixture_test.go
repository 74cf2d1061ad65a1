// Package reporting tests how the agent reports to a real API server: what its service account may write there, and a whole
// agent on a real fault.
package reporting

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{Flags: testbed.WithoutKubelets()}) }

const (
	namespace = "naosu-system"
	account   = "naosu-agent"
	manifests = "../../../config/agent"
)

// resources are the kinds that the manifests have.
var resources = map[string]schema.GroupVersionResource{
	"Namespace":                        corev1.SchemeGroupVersion.WithResource("namespaces"),
	"ServiceAccount":                   corev1.SchemeGroupVersion.WithResource("serviceaccounts"),
	"ConfigMap":                        corev1.SchemeGroupVersion.WithResource("configmaps"),
	"DaemonSet":                        {Group: "apps", Version: "v1", Resource: "daemonsets"},
	"ClusterRole":                      {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterroles"},
	"ClusterRoleBinding":               {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "clusterrolebindings"},
	"Role":                             {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "roles"},
	"RoleBinding":                      {Group: "rbac.authorization.k8s.io", Version: "v1", Resource: "rolebindings"},
	"CustomResourceDefinition":         {Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"},
	"ValidatingAdmissionPolicy":        {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicies"},
	"ValidatingAdmissionPolicyBinding": {Group: "admissionregistration.k8s.io", Version: "v1", Resource: "validatingadmissionpolicybindings"},
}

// apply creates what a manifest has, unless it is there. It goes through strict validation: a field misspelt is an error.
func apply(t *testing.T, config *rest.Config, file string) {
	t.Helper()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile(filepath.Join(manifests, file))
	if err != nil {
		t.Fatal(err)
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(data), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		resource := client.Resource(resources[object.GetKind()])
		options := metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict}
		if n := object.GetNamespace(); n != "" {
			_, err = resource.Namespace(n).Create(t.Context(), object, options)
		} else {
			_, err = resource.Create(t.Context(), object, options)
		}
		if err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatalf("%s: %s %s: %v", file, object.GetKind(), object.GetName(), err)
		}
	}
}

// node makes a Node like those that kubelets make.
func node(t testing.TB, client kubernetes.Interface, name string) {
	t.Helper()
	n := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{corev1.LabelHostname: name}, Annotations: map[string]string{"a": "b"}}}
	if _, err := client.CoreV1().Nodes().Create(t.Context(), n, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Nodes().Delete(context.WithoutCancel(t.Context()), name, metav1.DeleteOptions{})
	})
	status := fmt.Sprintf(`{"status":{"addresses":[{"type":"Hostname","address":%q}],"conditions":[{"type":"Ready","status":"True","reason":"KubeletReady"}],"nodeInfo":{"kubeletVersion":"v1.36.3"}}}`, name)
	options := metav1.PatchOptions{FieldManager: "kubelet"}
	if _, err := client.CoreV1().Nodes().Patch(t.Context(), name, types.StrategicMergePatchType, []byte(status), options, "status"); err != nil {
		t.Fatal(err)
	}
}

// token is what the agent's pod on a node is given; without a node, one for the account alone.
func token(t *testing.T, client kubernetes.Interface, node string) string {
	t.Helper()
	if node == "" {
		return granted(t, client, nil)
	}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "agent-" + node},
		Spec:       corev1.PodSpec{NodeName: node, ServiceAccountName: account, Containers: []corev1.Container{{Name: "agent", Image: "agent"}}},
	}
	made, err := client.CoreV1().Pods(namespace).Create(t.Context(), pod, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = client.CoreV1().Pods(namespace).Delete(context.WithoutCancel(t.Context()), made.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))})
	})
	return granted(t, client, made)
}

// granted is a token of the agent's account, for a pod if there is one.
func granted(t *testing.T, client kubernetes.Interface, pod *corev1.Pod) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(3600))}}
	if pod != nil {
		request.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}
	}
	token, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), account, request, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

// kubeconfig is a file for a token, at an address of the API server.
func kubeconfig(t testing.TB, admin *rest.Config, server, token string) string {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["c"] = &clientcmdapi.Cluster{Server: server, CertificateAuthorityData: admin.CAData}
	c.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token}
	c.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	c.CurrentContext = "x"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// named is a name for a node of this test.
func named(t *testing.T, suffix string) string {
	return strings.ToLower(strings.NewReplacer("/", "-", "_", "-").Replace(t.Name())) + "-" + suffix
}
