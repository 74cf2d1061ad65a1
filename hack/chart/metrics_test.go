package main

import (
	"net"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// podMonitor is what is used of the Prometheus operator's kind. Add a field only after looking it up in the operator's API.
type podMonitor struct {
	APIVersion string `json:"apiVersion"`
	Kind       string `json:"kind"`
	Metadata   struct {
		Name      string `json:"name"`
		Namespace string `json:"namespace"`
	} `json:"metadata"`
	Spec struct {
		Selector struct {
			MatchLabels map[string]string `json:"matchLabels"`
		} `json:"selector"`
		PodMetricsEndpoints []struct {
			Port        string `json:"port"`
			Interval    string `json:"interval"`
			Relabelings []struct {
				SourceLabels []string `json:"sourceLabels"`
				TargetLabel  string   `json:"targetLabel"`
			} `json:"relabelings"`
		} `json:"podMetricsEndpoints"`
	} `json:"spec"`
}

// The PodMonitor finds the agent's pods, and a port at which they listen; the docs show it as it is.
func TestAgentMetrics(t *testing.T) {
	objects, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../../config/agent-metrics")
	if err != nil {
		t.Fatal(err)
	}
	var set appsv1.DaemonSet
	var monitor podMonitor
	for _, o := range objects.Resources() {
		text, err := o.AsYAML()
		if err != nil {
			t.Fatal(err)
		}
		switch o.GetKind() {
		case "DaemonSet":
			err = yaml.UnmarshalStrict(text, &set)
		case "PodMonitor":
			err = yaml.UnmarshalStrict(text, &monitor)
		}
		if err != nil {
			t.Fatalf("%s: %v", o.GetKind(), err)
		}
	}
	if monitor.APIVersion != "monitoring.coreos.com/v1" || monitor.Metadata.Namespace != set.Namespace || len(monitor.Spec.PodMetricsEndpoints) != 1 {
		t.Fatalf("the PodMonitor is %+v", monitor)
	}
	for name, value := range monitor.Spec.Selector.MatchLabels {
		if set.Spec.Template.Labels[name] != value {
			t.Errorf("the pods have no label %s=%s", name, value)
		}
	}
	agent := set.Spec.Template.Spec.Containers[0]
	i := slices.IndexFunc(agent.Ports, func(p corev1.ContainerPort) bool { return p.Name == monitor.Spec.PodMetricsEndpoints[0].Port })
	if i < 0 {
		t.Fatalf("the agent has no port %s, but %v", monitor.Spec.PodMetricsEndpoints[0].Port, agent.Ports)
	}
	if address := flagOf(agent.Args, "--metrics-address="); !listens(address, agent.Ports[i].ContainerPort) {
		t.Errorf("the agent listens at %q, and the port is %d", address, agent.Ports[i].ContainerPort)
	}
	shown, err := os.ReadFile("../../config/agent-metrics/podmonitor.yaml")
	if err != nil {
		t.Fatal(err)
	}
	for _, page := range []string{"../../docs/en/agent.md", "../../docs/ja/agent.md"} {
		if text, err := os.ReadFile(page); err != nil || !strings.Contains(string(text), "```yaml\n"+string(shown)+"```") {
			t.Errorf("%s does not show the PodMonitor as it is, %v", page, err)
		}
	}
}

func flagOf(args []string, name string) string {
	for _, arg := range args {
		if value, is := strings.CutPrefix(arg, name); is {
			return value
		}
	}
	return ""
}

// listens says whether an address is one of other hosts too, at a port.
func listens(address string, port int32) bool {
	host, at, err := net.SplitHostPort(address)
	return err == nil && host == "" && at == strconv.Itoa(int(port))
}
