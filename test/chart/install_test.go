package chart

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/action"
	"helm.sh/helm/v4/pkg/kube"
	release "helm.sh/helm/v4/pkg/release/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// patience ends waits for what will not come.
const patience = testbed.Patience

// getter is how Helm gets its clients.
type getter struct {
	config *rest.Config
	cached discovery.CachedDiscoveryInterface
}

func (g *getter) ToRESTConfig() (*rest.Config, error) { return rest.CopyConfig(g.config), nil }

func (g *getter) ToDiscoveryClient() (discovery.CachedDiscoveryInterface, error) {
	return g.cached, nil
}

func (g *getter) ToRESTMapper() (meta.RESTMapper, error) {
	return restmapper.NewDeferredDiscoveryRESTMapper(g.cached), nil
}

func (g *getter) ToRawKubeConfigLoader() clientcmd.ClientConfig {
	return clientcmd.NewDefaultClientConfig(*clientcmdapi.NewConfig(), &clientcmd.ConfigOverrides{Context: clientcmdapi.Context{Namespace: namespace}})
}

// helm is what `helm` is on the command line, against a cluster.
type helm struct {
	t      *testing.T
	config *rest.Config
}

func (h helm) configuration() *action.Configuration {
	h.t.Helper()
	client, err := discovery.NewDiscoveryClientForConfig(h.config)
	if err != nil {
		h.t.Fatal(err)
	}
	c := action.NewConfiguration()
	if err := c.Init(&getter{h.config, memory.NewMemCacheClient(client)}, namespace, "secret"); err != nil {
		h.t.Fatal(err)
	}
	return c
}

func (h helm) install(given object) (*release.Release, error) {
	h.t.Helper()
	install := action.NewInstall(h.configuration())
	install.ReleaseName, install.Namespace, install.CreateNamespace = releaseName, namespace, true
	install.WaitStrategy, install.Timeout = kube.HookOnlyStrategy, patience
	made, err := install.RunWithContext(context.WithoutCancel(h.t.Context()), load(h.t), given)
	if err != nil {
		return nil, err
	}
	return made.(*release.Release), nil
}

func (h helm) upgrade(given object) error {
	h.t.Helper()
	upgrade := action.NewUpgrade(h.configuration())
	upgrade.Namespace, upgrade.WaitStrategy, upgrade.Timeout, upgrade.ServerSideApply = namespace, kube.HookOnlyStrategy, patience, "auto"
	_, err := upgrade.RunWithContext(context.WithoutCancel(h.t.Context()), releaseName, load(h.t), given)
	return err
}

// uninstall is `helm uninstall`, with the Jobs of the chart's hooks run.
func (h helm) uninstall() error {
	h.t.Helper()
	defer playJobs(h.t, h.config)()
	uninstall := action.NewUninstall(h.configuration())
	uninstall.WaitStrategy, uninstall.Timeout = kube.HookOnlyStrategy, patience
	_, err := uninstall.Run(releaseName)
	return err
}

// everything is every object of a cluster by its kind, namespace and name, with its UID: all that discovery lists. What
// has just been deleted may still be among it, though it cannot be listed.
func everything(t *testing.T, config *rest.Config) (found map[string]string) {
	t.Helper()
	testbed.Eventually(t, func() (err error) {
		found, err = list(context.WithoutCancel(t.Context()), config)
		return err
	})
	return found
}

func list(ctx context.Context, config *rest.Config) (map[string]string, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	known, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	_, lists, err := known.ServerGroupsAndResources()
	if err != nil {
		return nil, err
	}
	found := map[string]string{}
	for _, l := range lists {
		group, err := schema.ParseGroupVersion(l.GroupVersion)
		if err != nil {
			return nil, err
		}
		for _, r := range l.APIResources {
			if strings.Contains(r.Name, "/") || !slices.Contains([]string(r.Verbs), "list") || fleeting[r.Kind] {
				continue
			}
			all, err := client.Resource(group.WithResource(r.Name)).List(ctx, metav1.ListOptions{})
			if err != nil {
				return nil, fmt.Errorf("list %s: %w", r.Name, err)
			}
			for _, o := range all.Items {
				if o.GetKind() == "Lease" && o.GetNamespace() == corev1.NamespaceNodeLease {
					continue // comes with the nodes, as what is fleeting
				}
				found[o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName()] = string(o.GetUID())
			}
		}
	}
	return found, nil
}

// fleeting are kinds that go by themselves, or come with the nodes of the lab, which may still be starting.
var fleeting = map[string]bool{"Event": true, "ComponentStatus": true, "Node": true, "CSINode": true}

// addedObjects are the objects that are in one list and not in another, sorted.
func addedObjects(before, after map[string]string) []string {
	var found []string
	for key := range after {
		if _, was := before[key]; !was {
			found = append(found, key)
		}
	}
	slices.Sort(found)
	return found
}

// What stays when naosu is uninstalled is what this is, and the manual says: the namespace, which Helm does not delete, and what
// Kubernetes keeps in each, the definitions with what is people's, and the PriorityClass that Jobs may name. Where the controller ran, the ledger stays too.
var stays = []string{
	"APIService /v1alpha1.naosu.dev",
	"ConfigMap naosu-system/kube-root-ca.crt",
	"CustomResourceDefinition /addresspolicies.naosu.dev",
	"CustomResourceDefinition /failoverpolicies.naosu.dev",
	"CustomResourceDefinition /headroompolicies.naosu.dev",
	"CustomResourceDefinition /noderepairpolicies.naosu.dev",
	"CustomResourceDefinition /rebalancepolicies.naosu.dev",
	"CustomResourceDefinition /remediations.naosu.dev",
	"Namespace /naosu-system",
	"NodeRepairPolicy /mine",
	"PriorityClass /naosu-protected",
	"ServiceAccount naosu-system/default",
}

func TestLifecycle(t *testing.T) {
	env := newFixture(t)
	h := helm{t, env.config}
	before := everything(t, env.config)

	made, err := h.install(values())
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"kubectl apply -f -", "naosu repair check"} {
		if !strings.Contains(made.Info.Notes, want) {
			t.Errorf("the notes do not say %q:\n%s", want, made.Info.Notes)
		}
	}
	installed := addedObjects(before, everything(t, env.config))
	for key := range objects(t, made.Manifest) {
		kind, name, _ := strings.Cut(key, "/")
		name, _, _ = strings.Cut(name, " in ")
		if !slices.ContainsFunc(installed, func(s string) bool { return strings.HasPrefix(s, kind+" ") && strings.HasSuffix(s, "/"+name) }) {
			t.Errorf("%s is not there", key)
		}
	}
	policy(t, env, made.Info.Notes)
	env.storeCertificates(t)

	if err := h.upgrade(values(object{"agent": object{"enabled": false}, "controller": object{"replicas": 1}, "crds": object{"install": false}})); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		upgraded := addedObjects(before, everything(t, env.config))
		if !slices.Contains(upgraded, "CustomResourceDefinition /remediations.naosu.dev") || !slices.Contains(upgraded, "NodeRepairPolicy /mine") {
			t.Error("an upgrade without CRDs takes people's policies")
		}
		for _, o := range upgraded {
			if strings.Contains(o, "naosu-agent") || strings.HasPrefix(o, "PodDisruptionBudget ") {
				return fmt.Errorf("%s is still there", o)
			}
		}
		return nil
	})
	// And back, with what was kept.
	if err := h.upgrade(values()); err != nil {
		t.Fatal(err)
	}
	env.keepsCertificates(t)

	if err := h.uninstall(); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		if diff := cmp.Diff(stays, addedObjects(before, everything(t, env.config))); diff != "" {
			return errors.New("what stays (-want +got):\n" + diff)
		}
		return nil
	})

	env.createsPods(t, v1alpha1.HeadroomProtectedClass)

	// Who installs it again has what he had.
	if _, err := h.install(values()); err != nil {
		t.Fatalf("install it again: %v", err)
	}
	if _, there := everything(t, env.config)["NodeRepairPolicy /mine"]; !there {
		t.Error("the policy has gone")
	}
	if err := h.uninstall(); err != nil {
		t.Fatal(err)
	}
	clear(t, env)
}

// policy creates the policy that a text shows, under the name "mine", as whoever follows it would.
func policy(t *testing.T, env *cluster, text string) {
	t.Helper()
	_, shown, _ := strings.Cut(text, "apiVersion: naosu.dev")
	shown, _, _ = strings.Cut("apiVersion: naosu.dev"+shown, "YAML")
	indented := strings.Split(shown, "\n")
	for i := range indented[1:] {
		indented[i+1] = strings.TrimPrefix(indented[i+1], "  ")
	}
	o := objects(t, strings.Join(indented, "\n"))
	for _, p := range o {
		p.SetName("mine")
		create(t, env, policies, p)
	}
	if len(o) != 1 {
		t.Fatalf("no policy in\n%s", text)
	}
}

var (
	policies          = schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: "noderepairpolicies"}
	addressPolicies   = schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: "addresspolicies"}
	headroomPolicies  = schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: "headroompolicies"}
	rebalancePolicies = schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: "rebalancepolicies"}
	failoverPolicies  = schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: "failoverpolicies"}
)

func create(t *testing.T, env *cluster, resource schema.GroupVersionResource, o *unstructured.Unstructured) {
	t.Helper()
	client, err := dynamic.NewForConfig(env.config)
	if err != nil {
		t.Fatal(err)
	}
	// What has just been defined is served a moment later.
	testbed.Eventually(t, func() error {
		_, err := client.Resource(resource).Create(t.Context(), o, metav1.CreateOptions{FieldValidation: metav1.FieldValidationStrict})
		return err
	})
}

// clear deletes what stays, as the manual says.
func clear(t *testing.T, env *cluster) {
	t.Helper()
	client, err := dynamic.NewForConfig(env.config)
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.WithoutCancel(t.Context())
	// First what people have made: definitions that go and come again at once may find it still there.
	for _, kind := range []string{"addresspolicies", "failoverpolicies", "headroompolicies", "noderepairpolicies", "rebalancepolicies", "remediations"} {
		all := client.Resource(schema.GroupVersionResource{Group: "naosu.dev", Version: "v1alpha1", Resource: kind})
		if err := all.DeleteCollection(ctx, metav1.DeleteOptions{}, metav1.ListOptions{}); err != nil && !apierrors.IsNotFound(err) {
			t.Fatal(err)
		}
	}
	env.deleteDefinitions(t)
	if err := errors.Join(
		env.client.CoreV1().Namespaces().Delete(ctx, namespace, metav1.DeleteOptions{}),
		env.client.SchedulingV1().PriorityClasses().Delete(ctx, v1alpha1.HeadroomProtectedClass, metav1.DeleteOptions{}),
	); err != nil && !apierrors.IsNotFound(err) {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		for o := range everything(t, env.config) {
			if strings.Contains(o, "naosu") {
				return fmt.Errorf("%s is still there", o)
			}
		}
		return nil
	})
}

// A namespace that admits no pod of the agent is reported, before a DaemonSet waits for ever.
func TestStrictNamespace(t *testing.T) {
	env := newFixture(t)
	strict := &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace, Labels: map[string]string{"pod-security.kubernetes.io/enforce": "restricted"}}}
	if _, err := env.client.CoreV1().Namespaces().Create(t.Context(), strict, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	h := helm{t, env.config}
	if _, err := h.install(values()); err == nil || !strings.Contains(err.Error(), "pod-security.kubernetes.io/enforce=privileged") {
		t.Errorf("with the agent: %v", err)
	}
	if _, err := h.install(values(object{"agent": object{"enabled": false}})); err != nil {
		t.Fatalf("without the agent: %v", err)
	}
	pod := rendered(t, values())["Deployment/naosu-controller"]
	restricted(t, env, pod)
	if err := h.uninstall(); err != nil {
		t.Fatal(err)
	}
	clear(t, env)
}

// restricted has the API server take the controller's pod in a namespace that enforces the level restricted, and refuse one
// that may do a little more.
func restricted(t *testing.T, env *cluster, deployment *unstructured.Unstructured) {
	t.Helper()
	template, _, err := unstructured.NestedMap(deployment.Object, "spec", "template")
	if err != nil {
		t.Fatal(err)
	}
	pod := typed[corev1.Pod](t, map[string]*unstructured.Unstructured{"pod": {Object: template}}, "pod")
	pod.Name, pod.Namespace = "controller", namespace
	options := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
	if _, err := env.client.CoreV1().Pods(namespace).Create(t.Context(), pod, options); err != nil {
		t.Errorf("the controller's pod: %v", err)
	}
	pod.Spec.Containers[0].SecurityContext.Capabilities = nil
	if _, err := env.client.CoreV1().Pods(namespace).Create(t.Context(), pod, options); err == nil || !strings.Contains(err.Error(), "restricted") {
		t.Errorf("a pod with the runtime's capabilities: %v", err)
	}
}
