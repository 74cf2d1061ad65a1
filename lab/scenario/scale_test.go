package scenario

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/lab/pace"
)

func parse(t *testing.T, text string) *Scenario {
	t.Helper()
	s, err := Parse("f.yaml", []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestCheckScale(t *testing.T) {
	text := strings.Replace(validScenario(t), "  - mark: grown\n", `  - mark: grown
  - patch:
      objects: deployments
      merge: {spec: {template: {spec: {terminationGracePeriodSeconds: 45}}}}
  - apply:
      - {apiVersion: v1, kind: Pod, metadata: {name: p}, spec: {terminationGracePeriodSeconds: 0, containers: [{name: c, image: i}],
         tolerations: [{operator: Exists, tolerationSeconds: 35}]}}
`, 1)
	text = strings.Replace(text, "    steps:\n      - mark: calm\n", `    cluster:
      flags: {kube-apiserver: {default-unreachable-toleration-seconds: 38, default-not-ready-toleration-seconds: 0}}
    steps:
      - mark: calm
`, 1)
	s := parse(t, text)
	refused := func(line, column int, path string, seconds, scale float64) string {
		return fmt.Sprintf("f.yaml:%d:%d: %s: %gs would be less than one second at --time-scale %g; the largest this scenario allows is 30",
			line, column, path, seconds, scale)
	}
	const spec = "cluster.manifests[0].spec.template.spec"
	tests := []struct {
		scale float64
		want  []string
	}{
		{1, nil},
		{30, nil},
		{30.5, []string{refused(23, 13, spec+".terminationGracePeriodSeconds", 30, 30.5)}},
		{50, []string{
			refused(12, 31, "cluster.flags.kube-controller-manager.node-monitor-grace-period", 40, 50),
			refused(23, 13, spec+".terminationGracePeriodSeconds", 30, 50),
			refused(37, 40, "steps[4].patch.merge.spec.template.spec.terminationGracePeriodSeconds", 45, 50),
			refused(40, 43, "steps[5].apply[0].spec.tolerations[0].tolerationSeconds", 35, 50),
			refused(51, 32, "variants[0].cluster.flags.kube-apiserver.default-unreachable-toleration-seconds", 38, 50),
		}},
	}
	for _, tt := range tests {
		err := s.CheckScale(tt.scale)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if diff := cmp.Diff(strings.Join(tt.want, "\n"), got); diff != "" {
			t.Errorf("scale %g (-want +got):\n%s", tt.scale, diff)
		}
	}
}

func TestScaledObject(t *testing.T) {
	text := strings.Replace(validScenario(t), "containers: [{name: web,", `activeDeadlineSeconds: 600
            containers: [{name: web, livenessProbe: {periodSeconds: 10, initialDelaySeconds: 100, tcpSocket: {port: 80}},`, 1)
	object := parse(t, text).Cluster.Manifests[0]
	before := object.DeepCopy()
	p := pace.New(20)
	spec := object.Scaled(p).Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)
	probe := spec["containers"].([]any)[0].(map[string]any)["livenessProbe"].(map[string]any)
	got := map[string]any{
		"deadline": spec["activeDeadlineSeconds"], "grace": spec["terminationGracePeriodSeconds"],
		"toleration": spec["tolerations"].([]any)[0].(map[string]any)["tolerationSeconds"],
		"period":     probe["periodSeconds"], "delay": probe["initialDelaySeconds"],
	}
	want := map[string]any{"deadline": int64(30), "grace": int64(2), "toleration": int64(3), "period": int64(1), "delay": int64(5)}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Object, object.Object); diff != "" {
		t.Errorf("the scenario's own object was changed (-before +after):\n%s", diff)
	}
	var minimum []string
	for _, s := range p.AtMinimum() {
		minimum = append(minimum, s.Name)
	}
	if diff := cmp.Diff([]string{"periodSeconds of Deployment/web"}, minimum); diff != "" {
		t.Errorf("at minimum (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(before.Object, object.Scaled(pace.New(1)).Object); diff != "" {
		t.Errorf("real time changes the object (-before +after):\n%s", diff)
	}
}

func TestScaledObjectStatesTheDefaultGracePeriod(t *testing.T) {
	text := strings.Replace(validScenario(t), "            terminationGracePeriodSeconds: 30\n", "", 1)
	object := parse(t, text).Cluster.Manifests[0]
	grace := func(scale float64) any {
		return object.Scaled(pace.New(scale)).Object["spec"].(map[string]any)["template"].(map[string]any)["spec"].(map[string]any)["terminationGracePeriodSeconds"]
	}
	if got := grace(10); got != int64(3) {
		t.Errorf("grace period at scale 10 = %v, want 3", got)
	}
	if got := grace(1); got != nil {
		t.Errorf("grace period at scale 1 = %v, want none", got)
	}
}

func TestArguments(t *testing.T) {
	c := Cluster{Flags: map[string]map[string]FlagValue{
		"kube-controller-manager": {"node-monitor-grace-period": "40s", "node-eviction-rate": "0.2", "concurrent-job-syncs": "5"},
		"kube-apiserver":          {"default-unreachable-toleration-seconds": "30", "v": "4"},
	}}
	want := map[string][]string{
		"kube-controller-manager": {"--concurrent-job-syncs=5", "--node-eviction-rate=2", "--node-monitor-grace-period=4s"},
		"kube-apiserver":          {"--default-unreachable-toleration-seconds=3", "--v=4"},
	}
	if diff := cmp.Diff(want, c.Arguments(pace.New(10))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	want = map[string][]string{
		"kube-controller-manager": {"--concurrent-job-syncs=5", "--node-eviction-rate=0.2", "--node-monitor-grace-period=40s"},
		"kube-apiserver":          {"--default-unreachable-toleration-seconds=30", "--v=4"},
	}
	if diff := cmp.Diff(want, c.Arguments(nil)); diff != "" {
		t.Errorf("in real time (-want +got):\n%s", diff)
	}
}

func TestPassesVary(t *testing.T) {
	text := strings.Replace(validScenario(t), "    steps:\n      - mark: calm\n", `    cluster:
      cloud: {groups: [{name: workers, instanceType: m5.xlarge, desired: 2}, {name: more, instanceType: m5.large, desired: 1}]}
      nodes: {extra: {group: more}}
      flags: {kube-controller-manager: {v: 2}, kube-scheduler: {v: 4}}
      featureGates: {InPlacePodVerticalScaling: true}
      addons: {clusterAutoscaler: true}
      manifests:
        - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}, spec: {replicas: 5}}
        - {apiVersion: v1, kind: Namespace, metadata: {name: other}}
    steps:
      - mark: calm
`, 1)
	s := parse(t, text)
	base, err := s.Pass(Kubernetes)
	if err != nil {
		t.Fatal(err)
	}
	varied, err := s.Pass("no-fault")
	if err != nil {
		t.Fatal(err)
	}
	facts := func(p Pass) map[string]any {
		var groups, manifests []string
		for _, g := range p.Cluster.Cloud.Groups {
			groups = append(groups, g.Name+" "+g.InstanceType)
		}
		for _, o := range p.Cluster.Manifests {
			replicas := o.Object["spec"]
			if spec, ok := replicas.(map[string]any); ok {
				replicas = spec["replicas"]
			}
			manifests = append(manifests, fmt.Sprintf("%s %v", o.GetName(), replicas))
		}
		return map[string]any{
			"groups": groups, "manifests": manifests, "nodes": sortedKeys(p.Cluster.Nodes), "points": p.Points(),
			"flags": p.Cluster.Arguments(nil), "gates": sortedKeys(p.Cluster.FeatureGates), "addons": p.Cluster.Addons != nil,
			"zones": p.Cluster.Cloud.Zones, "expect": p.Expect[0].Name, "counter": p.Counter,
		}
	}
	zones := []string{"us-east-1a", "us-east-1b"}
	if diff := cmp.Diff(map[string]any{
		"groups": []string{"workers m5.large"}, "manifests": []string{"web 2"}, "nodes": []string{"worker-1"},
		"points": []string{"start", "break", "grow", "grown"}, "gates": []string(nil), "addons": false, "zones": zones,
		"flags":  map[string][]string{"kube-controller-manager": {"--node-monitor-grace-period=40s"}},
		"expect": "moved", "counter": false,
	}, facts(base)); diff != "" {
		t.Errorf("the scenario itself (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(map[string]any{
		"groups": []string{"workers m5.xlarge", "more m5.large"}, "manifests": []string{"web 5", "other <nil>"}, "nodes": []string{"extra", "worker-1"},
		"points": []string{"start", "calm"}, "gates": []string{"InPlacePodVerticalScaling"}, "addons": true, "zones": zones,
		"flags": map[string][]string{
			"kube-controller-manager": {"--node-monitor-grace-period=40s", "--v=2"}, "kube-scheduler": {"--v=4"},
		},
		"expect": "stays", "counter": true,
	}, facts(varied)); diff != "" {
		t.Errorf("the variant (-want +got):\n%s", diff)
	}
	if _, err := s.Pass("none"); err == nil || err.Error() != `scenario sound has no pass "none"; it has ["kubernetes" "no-fault"]` {
		t.Errorf("Pass(none) = %v", err)
	}
}
