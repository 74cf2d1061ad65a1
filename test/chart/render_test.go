package chart

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"helm.sh/helm/v4/pkg/chart/v2/lint"
	"helm.sh/helm/v4/pkg/chart/v2/lint/support"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/headroom"
)

func documents(manifest string) []string { return strings.Split(manifest, "\n---\n") }

// typed is a rendered object as Kubernetes knows it; a field that it does not know is an error.
func typed[T any](t testing.TB, all map[string]*unstructured.Unstructured, key string) *T {
	t.Helper()
	o := all[key]
	if o == nil {
		t.Fatalf("there is no %s, but %v", key, slices.Sorted(maps.Keys(all)))
	}
	into := new(T)
	if err := runtime.DefaultUnstructuredConverter.FromUnstructuredWithValidation(o.Object, into, true); err != nil {
		t.Fatalf("%s: %v", key, err)
	}
	return into
}

func TestLint(t *testing.T) {
	result := lint.RunAll(folder, values(), namespace)
	for _, m := range result.Messages {
		if m.Severity > support.InfoSev {
			t.Errorf("helm lint: %v", m)
		}
	}
}

// What is in the chart is what is listed here: a new kind of object is a decision.
func TestContents(t *testing.T) {
	agent := []string{
		"ClusterRole/naosu-agent", "ClusterRoleBinding/naosu-agent", "ConfigMap/naosu-agent", "DaemonSet/naosu-agent",
		"Role/naosu-agent in default", "RoleBinding/naosu-agent in default", "ServiceAccount/naosu-agent",
		"ValidatingAdmissionPolicy/naosu-agent-events", "ValidatingAdmissionPolicy/naosu-agent-nodes", "ValidatingAdmissionPolicy/naosu-agent-remediations",
		"ValidatingAdmissionPolicyBinding/naosu-agent-events", "ValidatingAdmissionPolicyBinding/naosu-agent-nodes", "ValidatingAdmissionPolicyBinding/naosu-agent-remediations",
	}
	crds := []string{"CustomResourceDefinition/addresspolicies.naosu.dev", "CustomResourceDefinition/failoverpolicies.naosu.dev", "CustomResourceDefinition/headroompolicies.naosu.dev", "CustomResourceDefinition/noderepairpolicies.naosu.dev", "CustomResourceDefinition/rebalancepolicies.naosu.dev", "CustomResourceDefinition/remediations.naosu.dev"}
	controller := []string{
		"ClusterRole/naosu-controller", "ClusterRoleBinding/naosu-controller", "Deployment/naosu-controller",
		"PriorityClass/naosu-headroom-add-nodes", "PriorityClass/naosu-headroom-ignore", "PriorityClass/naosu-protected",
		"Lease/naosu-controller", "NetworkPolicy/naosu-controller", "PodDisruptionBudget/naosu-controller", "Role/naosu-controller",
		"RoleBinding/naosu-controller", "Service/naosu-controller-metrics", "ServiceAccount/naosu-controller",
		"ConfigMap/naosu-heartbeat-ca", "Secret/naosu-heartbeat-ca", "Service/naosu-controller-heartbeat",
		"Role/naosu-controller in kube-node-lease", "RoleBinding/naosu-controller in kube-node-lease",
		"ClusterRole/naosu-metrics-reader", "ClusterRoleBinding/naosu-controller-auth-delegator",
		"ClusterRole/naosu-aggregate-to-view", "ClusterRole/naosu-approver", "ClusterRole/naosu-driller", "ClusterRole/naosu-rebalancer", "ClusterRole/naosu-viewer", "Role/naosu-viewer",
		"ValidatingAdmissionPolicy/naosu-controller-nodes", "ValidatingAdmissionPolicy/naosu-controller-pods", "ValidatingAdmissionPolicy/naosu-controller-secrets", "ValidatingAdmissionPolicy/naosu-remediations",
		"ValidatingAdmissionPolicyBinding/naosu-controller-nodes", "ValidatingAdmissionPolicyBinding/naosu-controller-pods", "ValidatingAdmissionPolicyBinding/naosu-controller-secrets", "ValidatingAdmissionPolicyBinding/naosu-remediations",
		"MutatingAdmissionPolicy/naosu-failover", "MutatingAdmissionPolicyBinding/naosu-failover",
		"MutatingAdmissionPolicy/naosu-protection", "MutatingAdmissionPolicyBinding/naosu-protection",
	}
	without := func(list []string, names ...string) []string {
		return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return slices.Contains(names, s) })
	}
	for name, tc := range map[string]struct {
		values object
		want   []string
	}{
		"both parts":      {nil, slices.Concat(agent, controller, crds)},
		"the agent alone": {object{"controller": object{"enabled": false}}, slices.Concat(agent, crds)},
		"the controller":  {object{"agent": object{"enabled": false}}, slices.Concat(controller, crds)},
		"CRDs by others":  {object{"crds": object{"install": false}}, slices.Concat(agent, controller)},
		"one replica":     {object{"controller": object{"replicas": 1}}, slices.Concat(agent, crds, without(controller, "PodDisruptionBudget/naosu-controller"))},
		"no metrics": {
			object{"controller": object{"metrics": object{"enabled": false}}},
			slices.Concat(agent, crds, without(controller, "Service/naosu-controller-metrics", "ClusterRole/naosu-metrics-reader", "ClusterRoleBinding/naosu-controller-auth-delegator")),
		},
		"metrics for all": {
			object{"controller": object{"metrics": object{"secure": false}}},
			slices.Concat(agent, crds, without(controller, "ClusterRole/naosu-metrics-reader", "ClusterRoleBinding/naosu-controller-auth-delegator")),
		},
		"no heartbeats": {
			object{"heartbeat": object{"enabled": false}},
			slices.Concat(agent, crds, without(controller, "ConfigMap/naosu-heartbeat-ca", "Secret/naosu-heartbeat-ca", "Service/naosu-controller-heartbeat")),
		},
		"no network policy":   {object{"controller": object{"networkPolicy": object{"enabled": false}}}, slices.Concat(agent, crds, without(controller, "NetworkPolicy/naosu-controller"))},
		"with ServiceMonitor": {object{"controller": object{"metrics": object{"serviceMonitor": object{"enabled": true}}}}, slices.Concat(agent, crds, controller, []string{"ServiceMonitor/naosu-controller"})},
	} {
		t.Run(name, func(t *testing.T) {
			slices.Sort(tc.want)
			if diff := cmp.Diff(tc.want, slices.Sorted(maps.Keys(rendered(t, values(tc.values))))); diff != "" {
				t.Errorf("objects (-want +got):\n%s", diff)
			}
		})
	}
}

// Every object says whose it is, and only what is a record, or what Jobs name, outlives the release.
func TestOwnership(t *testing.T) {
	var kept []string
	for key, o := range rendered(t, values()) {
		if l := o.GetLabels(); l["app.kubernetes.io/part-of"] != "naosu" || l["app.kubernetes.io/instance"] != releaseName || l["app.kubernetes.io/managed-by"] != "Helm" {
			t.Errorf("%s has the labels %v", key, l)
		}
		switch _, in, _ := strings.Cut(key, " in "); {
		case in == "", in == corev1.NamespaceNodeLease && strings.Contains(key, "naosu-controller"), in == "default" && strings.Contains(key, "naosu-agent"):
		default:
			t.Errorf("%s is a namespace of others", key)
		}
		if o.GetAnnotations()["helm.sh/resource-policy"] == "keep" {
			kept = append(kept, key)
		}
	}
	slices.Sort(kept)
	want := []string{"CustomResourceDefinition/addresspolicies.naosu.dev", "CustomResourceDefinition/failoverpolicies.naosu.dev", "CustomResourceDefinition/headroompolicies.naosu.dev", "CustomResourceDefinition/noderepairpolicies.naosu.dev", "CustomResourceDefinition/rebalancepolicies.naosu.dev", "CustomResourceDefinition/remediations.naosu.dev", "PriorityClass/naosu-protected"}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("kept (-want +got):\n%s", diff)
	}
}

func TestImages(t *testing.T) {
	digest := "sha256:" + strings.Repeat("0123456789abcdef", 4)
	image := func(i object) object { return object{"controller": object{"image": i}, "agent": object{"image": i}} }
	for name, tc := range map[string]struct {
		image object
		want  string
	}{
		"the chart's version": {object{}, ":" + load(t).AppVersion()},
		"a tag":               {object{"tag": "v9"}, ":v9"},
		"a digest":            {object{"tag": "v9", "digest": digest}, "@" + digest},
	} {
		t.Run(name, func(t *testing.T) {
			all := rendered(t, values(image(tc.image)))
			if got := typed[appsv1.Deployment](t, all, "Deployment/naosu-controller").Spec.Template.Spec.Containers[0].Image; got != "registry.example/naosu"+tc.want {
				t.Errorf("the controller's image is %s", got)
			}
			if got := typed[appsv1.DaemonSet](t, all, "DaemonSet/naosu-agent").Spec.Template.Spec.Containers[0].Image; got != "registry.example/naosu-agent"+tc.want {
				t.Errorf("the agent's image is %s", got)
			}
		})
	}
}

// What values say reaches the pods.
func TestPodsFollowValues(t *testing.T) {
	all := rendered(t, values(object{
		"imagePullSecrets": []any{"pull"},
		"controller": object{
			"replicas": 3, "extraArgs": []any{"--v=2"}, "env": []any{object{"name": "AWS_REGION", "value": "eu-central-1"}},
			"serviceAccount": object{"annotations": object{"eks.amazonaws.com/role-arn": "arn:aws:iam::111122223333:role/naosu"}},
			"podLabels":      object{"team": "a"}, "podAnnotations": object{"b": "c"}, "tolerations": []any{object{"operator": "Exists"}},
			"networkPolicy": object{"apiServerPorts": []any{7443}, "metricsFrom": []any{object{"namespaceSelector": object{"matchLabels": object{"m": "n"}}}}},
		},
		"agent": object{
			"metricsAddress": "127.0.0.1:9644", "extraArgs": []any{"--logging-format=json"}, "podLabels": object{"team": "d"}, "podAnnotations": object{"e": "f"},
			"config":       object{"storage": object{"folders": []any{"/data/naosu"}}},
			"extraVolumes": []any{object{"name": "data", "hostPath": object{"path": "/data/naosu"}}}, "extraVolumeMounts": []any{object{"name": "data", "mountPath": "/host/data/naosu"}},
			"resources": object{"limits": object{"memory": "96Mi"}},
		},
	}))

	deployment := typed[appsv1.Deployment](t, all, "Deployment/naosu-controller")
	pod := deployment.Spec.Template
	container := pod.Spec.Containers[0]
	if *deployment.Spec.Replicas != 3 || pod.Labels["team"] != "a" || pod.Annotations["b"] != "c" || len(pod.Spec.Tolerations) != 1 || pod.Spec.ImagePullSecrets[0].Name != "pull" {
		t.Errorf("the controller's pod is %+v", pod)
	}
	if !slices.Contains(container.Args, "--v=2") || container.Env[0].Value != "eu-central-1" {
		t.Errorf("the controller's container is %+v", container)
	}
	if a := all["ServiceAccount/naosu-controller"].GetAnnotations()["eks.amazonaws.com/role-arn"]; !strings.HasSuffix(a, "role/naosu") {
		t.Errorf("the account's role is %q", a)
	}
	policy := typed[networkingv1.NetworkPolicy](t, all, "NetworkPolicy/naosu-controller")
	if ports := policy.Spec.Egress[1].Ports; len(ports) != 2 || ports[0].Port.IntValue() != 7443 || ports[1].Port.IntValue() != 443 {
		t.Errorf("it may ask at %+v", ports)
	}
	if from := policy.Spec.Ingress[0].From; len(from) != 1 || from[0].NamespaceSelector.MatchLabels["m"] != "n" {
		t.Errorf("it may be asked by %+v", from)
	}

	agent := typed[appsv1.DaemonSet](t, all, "DaemonSet/naosu-agent").Spec.Template
	container = agent.Spec.Containers[0]
	if agent.Labels["team"] != "d" || agent.Labels["app.kubernetes.io/name"] != "naosu-agent" || agent.Annotations["e"] != "f" || agent.Spec.ImagePullSecrets[0].Name != "pull" {
		t.Errorf("the agent's pod is %+v", agent.ObjectMeta)
	}
	if !slices.Contains(container.Args, "--metrics-address=127.0.0.1:9644") || !slices.Contains(container.Args, "--logging-format=json") || container.Resources.Limits.Memory().String() != "96Mi" {
		t.Errorf("the agent's container is %+v", container)
	}
	if !slices.ContainsFunc(container.VolumeMounts, func(m corev1.VolumeMount) bool { return m.MountPath == "/host/data/naosu" }) {
		t.Errorf("the agent sees %+v", container.VolumeMounts)
	}
	config := typed[corev1.ConfigMap](t, all, "ConfigMap/naosu-agent").Data["agent.yaml"]
	if !strings.Contains(config, "/data/naosu") || strings.Contains(config, "/var/lib") {
		t.Errorf("the agent's configuration is %s", config)
	}
}

// The agent's priority class is that of the values, and system-node-critical without one.
func TestPriorityClass(t *testing.T) {
	for name, tc := range map[string]struct {
		agent object
		want  string
	}{
		"as config/agent has it": {object{}, "system-node-critical"},
		"another":                {object{"priorityClassName": "node-agents"}, "node-agents"},
		"none":                   {object{"priorityClassName": ""}, ""},
	} {
		for _, privileged := range []bool{false, true} {
			tc.agent["privileged"] = privileged
			spec := typed[appsv1.DaemonSet](t, rendered(t, values(object{"agent": tc.agent})), "DaemonSet/naosu-agent").Spec.Template.Spec
			if spec.PriorityClassName != tc.want {
				t.Errorf("%s, privileged %t: %q", name, privileged, spec.PriorityClassName)
			}
		}
	}
}

// The agent's pods start whichever runtime and distribution a node has, and see its socket or log: no folder of one must be there.
func TestRuntimeFolders(t *testing.T) {
	for _, privileged := range []bool{false, true} {
		spec := typed[appsv1.DaemonSet](t, rendered(t, values(object{"agent": object{"privileged": privileged}})), "DaemonSet/naosu-agent").Spec.Template.Spec
		for _, folder := range []string{"/run/containerd", "/run/crio", "/run/k3s/containerd", "/var/lib/rancher/rke2/agent/logs"} {
			volume := slices.IndexFunc(spec.Volumes, func(v corev1.Volume) bool { return v.HostPath != nil && v.HostPath.Path == folder })
			if volume < 0 || *spec.Volumes[volume].HostPath.Type != corev1.HostPathDirectoryOrCreate {
				t.Errorf("privileged %t: %s is not mounted, or must be there", privileged, folder)
				continue
			}
			if !slices.ContainsFunc(spec.Containers[0].VolumeMounts, func(m corev1.VolumeMount) bool {
				return m.Name == spec.Volumes[volume].Name && m.MountPath == "/host"+folder && m.ReadOnly
			}) {
				t.Errorf("privileged %t: the agent does not see %s", privileged, folder)
			}
		}
	}
}

// Pods are made anew when the agent's configuration changes, and only then.
func TestConfigurationRollsOut(t *testing.T) {
	sum := func(v object) string {
		return typed[appsv1.DaemonSet](t, rendered(t, v), "DaemonSet/naosu-agent").Spec.Template.Annotations["naosu.dev/config"]
	}
	as, other := sum(values()), sum(values(object{"agent": object{"config": object{"storage": object{"folders": []any{"/x"}}}}}))
	if as == "" || as == other || as != sum(values(object{"controller": object{"replicas": 1}})) {
		t.Errorf("the sums are %q and %q", as, other)
	}
}

// Own reasons come beside the agent's configuration, under names that it reads, and roll out as that does.
func TestOwnReasonsAreBesideTheConfiguration(t *testing.T) {
	own := values(object{"agent": object{"patterns": object{"raid": object{"reasons": []any{object{
		"name": "RaidBatteryFailed", "means": "The battery is flat.", "condition": "StorageReady",
		"matches": []any{object{"log": "kernel", "pattern": `^megaraid_sas (?P<entity>\S+): .*battery`}},
	}}}}}})
	all := rendered(t, own)
	files := typed[corev1.ConfigMap](t, all, "ConfigMap/naosu-agent").Data
	if len(files) != 2 || files["agent.yaml"] == "" {
		t.Fatalf("the files are %v", slices.Sorted(maps.Keys(files)))
	}
	at := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	read, err := config.Read(filepath.Join(at, "agent.yaml"))
	if err != nil || len(read.Refused) > 0 || len(read.Own) != 1 || read.Own[0].ID != "RaidBatteryFailed" || read.Own[0].Own != "raid.patterns.yaml" {
		t.Errorf("the agent reads %+v, refuses %v, %v", read.Own, read.Refused, err)
	}
	sum := func(all map[string]*unstructured.Unstructured) string {
		return typed[appsv1.DaemonSet](t, all, "DaemonSet/naosu-agent").Spec.Template.Annotations["naosu.dev/config"]
	}
	if sum(all) == sum(rendered(t, values())) {
		t.Error("pods stay as they are")
	}
}

// Where others reach the agent's metrics, the port has the name that the PodMonitor uses.
func TestAgentMetricsPort(t *testing.T) {
	for address, want := range map[string][]corev1.ContainerPort{
		"": nil, "127.0.0.1:9644": nil, "localhost:9644": nil, "[::1]:9644": nil,
		":9644": {{Name: "metrics", ContainerPort: 9644}}, "[::]:9000": {{Name: "metrics", ContainerPort: 9000}}, "10.0.0.1:9644": {{Name: "metrics", ContainerPort: 9644}},
	} {
		set := typed[appsv1.DaemonSet](t, rendered(t, values(object{"agent": object{"metricsAddress": address}})), "DaemonSet/naosu-agent")
		if diff := cmp.Diff(want, set.Spec.Template.Spec.Containers[0].Ports); diff != "" {
			t.Errorf("%q (-want +got):\n%s", address, diff)
		}
	}
}

// The privileged variant is config/agent-privileged, and the other is not.
func TestPrivileged(t *testing.T) {
	for _, privileged := range []bool{false, true} {
		spec := typed[appsv1.DaemonSet](t, rendered(t, values(object{"agent": object{"privileged": privileged}})), "DaemonSet/naosu-agent").Spec.Template.Spec
		security := spec.Containers[0].SecurityContext
		if got := security.Privileged != nil && *security.Privileged; got != privileged {
			t.Errorf("privileged is %v, want %v", got, privileged)
		}
	}
}

// TestNodePrices has the controller read what nodes cost from a file with the prices of the values, and start anew if they change.
func TestNodePrices(t *testing.T) {
	const deployment, configMap = "Deployment/naosu-controller", "ConfigMap/naosu-node-prices"
	if all := rendered(t, values()); all[configMap] != nil || slices.Contains(typed[appsv1.Deployment](t, all, deployment).Spec.Template.Spec.Containers[0].Args, "--node-prices=/etc/naosu/prices/prices.yaml") {
		t.Error("there are prices by default")
	}
	hashes := map[string]bool{}
	for _, price := range []float64{0.096, 0.1} {
		all := rendered(t, values(object{"controller": object{"nodePrices": object{"m5.large": price, "m5.xlarge": 0.192}, "metrics": object{"certificateSecret": "tls"}}}))
		template := typed[appsv1.Deployment](t, all, deployment).Spec.Template
		container := template.Spec.Containers[0]
		if !slices.Contains(container.Args, "--node-prices=/etc/naosu/prices/prices.yaml") || len(container.VolumeMounts) != 2 || len(template.Spec.Volumes) != 2 ||
			template.Spec.Volumes[1].ConfigMap.Name != "naosu-node-prices" || container.VolumeMounts[1].MountPath != "/etc/naosu/prices" {
			t.Errorf("args %v, mounts %v, volumes %v", container.Args, container.VolumeMounts, template.Spec.Volumes)
		}
		got, err := headroom.ParsePrices([]byte(typed[corev1.ConfigMap](t, all, configMap).Data["prices.yaml"]))
		if diff := cmp.Diff(headroom.Prices{"m5.large": price, "m5.xlarge": 0.192}, got); err != nil || diff != "" {
			t.Errorf("%v; prices (-want +got):\n%s", err, diff)
		}
		hashes[template.Annotations["naosu.dev/node-prices"]] = true
	}
	if len(hashes) != 2 {
		t.Errorf("annotations %v", hashes)
	}
}
