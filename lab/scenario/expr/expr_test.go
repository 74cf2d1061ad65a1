package expr

import (
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// world is a fixed one.
type world map[string][]any

func (w world) List(variable string) []any { return w[variable] }

func (w world) NamedNodes(listed []any) map[string]*corev1.Node {
	named := map[string]*corev1.Node{}
	for _, n := range listed {
		if node := n.(*corev1.Node); node.Name == "ip-10-0-0-1" {
			named["minion-1"] = node
		}
	}
	return named
}

func testWorld() world {
	deleted := metav1.NewTime(time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC))
	node := func(name, zone, ready string) *corev1.Node {
		return &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, UID: "uid-of-" + "node", Labels: map[string]string{
				corev1.LabelTopologyZone: zone, groupLabel: "general",
			}},
			Spec: corev1.NodeSpec{Taints: []corev1.Taint{{Key: "example.com/odd", Effect: corev1.TaintEffectNoSchedule}}},
			Status: corev1.NodeStatus{
				Allocatable: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("2")},
				Conditions:  []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionStatus(ready), Reason: "KubeletReady"}},
			},
		}
	}
	pod := func(name, on string, phase corev1.PodPhase) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "redash", UID: "uid-of-pod", Labels: map[string]string{"app": "redis"}},
			Spec: corev1.PodSpec{NodeName: on, Containers: []corev1.Container{{Name: "c", LivenessProbe: &corev1.Probe{
				ProbeHandler: corev1.ProbeHandler{TCPSocket: &corev1.TCPSocketAction{Port: intstr.FromInt32(6379)}},
			}}}},
			Status: corev1.PodStatus{Phase: phase},
		}
	}
	leaving := pod("redis-2", "ip-10-0-0-2", corev1.PodRunning)
	leaving.DeletionTimestamp = &deleted
	return world{
		"nodes": {node("ip-10-0-0-1", "us-east-1a", "True"), node("ip-10-0-0-2", "us-east-1b", "Unknown")},
		"pods":  {pod("redis-0", "", corev1.PodPending), pod("redis-1", "ip-10-0-0-1", corev1.PodRunning), leaving},
		"volumes": {&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv"}, Spec: corev1.PersistentVolumeSpec{
			PersistentVolumeSource: corev1.PersistentVolumeSource{CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com"}},
			NodeAffinity: &corev1.VolumeNodeAffinity{Required: &corev1.NodeSelector{NodeSelectorTerms: []corev1.NodeSelectorTerm{{
				MatchExpressions: []corev1.NodeSelectorRequirement{{Key: "topology.ebs.csi.aws.com/zone", Operator: "In", Values: []string{"us-east-1c"}}},
			}}}},
		}}},
		"events": {&corev1.Event{
			Reason: "NotTriggerScaleUp", Message: "pod didn't trigger scale-up", Count: 232,
			InvolvedObject: corev1.ObjectReference{Kind: "Pod", Namespace: "redash", Name: "redis-0", UID: "uid-of-pod"},
		}},
		"calls": {&Call{Service: "ec2", Action: "RebootInstances", Parameters: map[string][]string{"InstanceId.1": {"i-1"}}}},
		"remediations": {&unstructured.Unstructured{Object: map[string]any{
			"apiVersion": "naosu.dev/v1alpha1", "kind": "Remediation", "metadata": map[string]any{"name": "minion-1-x", "labels": map[string]any{"a": "b"}},
			"spec": map[string]any{"action": "Reboot"},
			"status": map[string]any{
				"phase": "Ended", "steps": []any{map[string]any{"name": "Act", "startedAt": "2026-01-01T00:00:00Z"}},
				"conditions": []any{map[string]any{"type": "Succeeded", "status": "True", "reason": "AsForecast", "message": "as told"}},
			},
		}}},
		"subnets": {&Subnet{Name: "narrow", Zone: "us-east-1b", Free: 0}},
		"interfaces": {&Interface{
			ID: "eni-1", Subnet: "narrow", Status: "available", Description: "aws-K8S-i-1", Tags: map[string]string{"a": "b"}, Addresses: 10,
		}},
		"groups": {&Group{Name: "general", Desired: 2, Instances: []Instance{{Zone: "us-east-1a", State: "running"}}}},
	}
}

func TestConditions(t *testing.T) {
	env, err := NewEnv([]string{"minion-1", "minion-9"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		source string
		want   bool
	}{
		{`subnets.exists(s, s.name == "narrow" && s.free == 0)`, true},
		{`interfaces.filter(i, i.status == "available" && i.description.startsWith("aws-K8S-")).map(i, i.addresses) == [10]`, true},
		{`interfaces.exists(i, i.tags["a"] == "c" || i.instance != "")`, false},
		{`pods.size() == 3`, true},
		{`pods[0].spec.nodeName == "" && !has(pods[0].spec.nodeName)`, true},
		{`has(pods[1].spec.nodeName)`, true},
		{`pods[0].status.startTime == timestamp("1970-01-01T00:00:00Z")`, false},
		{`has(pods[2].metadata.deletionTimestamp) && pods[2].metadata.deletionTimestamp > timestamp("2025-01-01T00:00:00Z")`, true},
		{`pods.named("redis-0").all(p, pending(p))`, true},
		{`pods.inNamespace("redash").matching("app in (redis)").size() == 3`, true},
		{`pods.matching("app=nginx").size() == 0`, true},
		{`pods.filter(p, running(p)).map(p, p.metadata.name) == ["redis-1"]`, true},
		{`pods.exists_one(p, terminating(p))`, true},
		{`pods.on(node("minion-1")).map(p, p.metadata.name) == ["redis-1"]`, true},
		{`pods.on(nodes.inZone("us-east-1b")).size() == 1`, true},
		{`pods.on(nodes.inGroup("general")).size() == 2`, true},
		{`nodes.exists(n, condition(n, "Ready") == "Unknown" && zone(n) == "us-east-1b")`, true},
		{`nodes.filter(n, ready(n)).size() == 1`, true},
		{`conditionReason(nodes[0], "Ready") == "KubeletReady" && conditionMessage(nodes[0], "Ready") == ""`, true},
		{`condition(volumes[0], "Ready") == ""`, true},
		{`tainted(nodes[0], "example.com/odd") && !tainted(nodes[0], "example.com/even")`, true},
		{`nodes[0].spec.taints == nodes[1].spec.taints && nodes[0] != nodes[1]`, true},
		{`label(pods[0], "app") == "redis" && label(pods[0], "tier") == ""`, true},
		{`pods[0].metadata.labels["app"] == "redis" && "app" in pods[0].metadata.labels`, true},
		{`volumes.inZone("us-east-1c").size() == 1 && volumes[0].spec.csi.driver == "ebs.csi.aws.com"`, true},
		{`volumes[0].spec.nfs.server == "" && !has(volumes[0].spec.nfs)`, true},
		{`events.about(pods.named("redis-0")).exists(e, e.reason == "NotTriggerScaleUp" && e.count > 200)`, true},
		{`events.about(pods[1]).size() == 0`, true},
		{`events.about(nodes).size() == 0`, true},
		{`nodes[0].status.allocatable["cpu"].isGreaterThan(quantity("1500m"))`, true},
		{`pods[0].spec.containers[0].livenessProbe.tcpSocket.port == 6379`, true},
		{`groups.exists(g, g.name == "general" && g.desired == 2 && g.instances[0].zone == "us-east-1a")`, true},
		{`deployments.size() == 0`, true},
		{`calls.exists(c, c.service == "ec2" && c.action == "RebootInstances" && c.parameters["InstanceId.1"] == ["i-1"] && c.code == "")`, true},
		{`remediations.exists(r, r.status.phase == "Ended" && r.spec.action == "Reboot")`, true},
		{`remediations[0].status.steps.map(s, s.name) == ["Act"] && timestamp(remediations[0].status.steps[0].startedAt) > timestamp("2025-01-01T00:00:00Z")`, true},
		{`condition(remediations[0], "Succeeded") == "True" && conditionReason(remediations[0], "Succeeded") == "AsForecast"`, true},
		{`conditionMessage(remediations[0], "Succeeded") == "as told" && condition(remediations[0], "Allowed") == ""`, true},
		{`remediations.named("minion-1-x").matching("a=b").size() == 1 && label(remediations[0], "a") == "b"`, true},
		{`has(remediations[0].status) && !has(remediations[0].spec.policy)`, true},
		{`repairpolicies.size() == 0`, true},
		{`pods.map(p, p.spec.nodeName).distinct().size() == 3`, true},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			program, err := env.Condition(tt.source)
			if err != nil {
				t.Fatalf("Condition(%s) = %v", tt.source, err)
			}
			got, err := program.Bool(testWorld())
			if err != nil || got != tt.want {
				t.Errorf("Bool() = %v, %v, want %v", got, err, tt.want)
			}
		})
	}
}

// moving is a world in which the nodes have changed whenever they are looked at again.
type moving struct {
	world
	looks int
}

func (m *moving) List(variable string) []any {
	m.looks++
	var now []any
	for _, o := range m.world.List(variable) {
		node := o.(*corev1.Node).DeepCopy()
		node.ResourceVersion = strconv.Itoa(m.looks)
		now = append(now, node)
	}
	return now
}

// A named node is one of those listed, although the cluster changes between two looks at it.
func TestOneMoment(t *testing.T) {
	env, err := NewEnv([]string{"minion-1"})
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{
		`nodes.filter(n, n != node("minion-1")).size() == 1`, `nodes.filter(n, n == node("minion-1")).size() == 1`,
		`[node("minion-1")].all(n, n in nodes) && nodes == nodes`,
	} {
		program, err := env.Condition(source)
		if err != nil {
			t.Fatal(err)
		}
		w := &moving{world: testWorld()}
		if holds, err := program.Bool(w); err != nil || !holds {
			t.Errorf("%s is %t (%v): %s", source, holds, err, program.Explain(w))
		}
	}
}

func TestConditionErrors(t *testing.T) {
	env, err := NewEnv([]string{"minion-1"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ source, want string }{
		{``, "the expression is empty"},
		{`pods.size()`, "the expression gives a value of type int, but must be true or false"},
		{`pods`, "the expression gives a value of type list(core.v1.Pod), but must be true or false"},
		{`dyn(true)`, "the expression gives a value of type dyn, but must be true or false"},
		{`pods.exists(p, p.spec.nodename == "")`, "undefined field 'nodename' (at character 22)"},
		{`pod.size() == 1`, "undeclared reference to 'pod' (in container '') (at character 1)"},
		{`pods.size( == 1`, "Syntax error: extraneous input '==' (at character 12)"},
		{`pods.size() == "3"`, "found no matching overload for '_==_' applied to '(int, string)' (at character 13)"},
		{"pods.size() == 3 &&\n  nods.size() == 1", "undeclared reference to 'nods' (in container '') (at line 2, character 3 of the expression)"},
		{`running(nodes[0])`, "found no matching overload for 'running' applied to '(core.v1.Node)' (at character 8)"},
		{`ready(node("minion-2"))`, `node "minion-2" is not named under cluster.nodes; it can be one of: minion-1 (at character 12)`},
		{`ready(node(pods[0].spec.nodeName))`, `node() takes a name in quotes`},
		{`pods.matching("app==(").size() == 1`, `matching("app==("): not a label selector`},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			_, err := env.Condition(tt.source)
			if err == nil || !strings.HasPrefix(err.Error(), tt.want) {
				t.Errorf("Condition() = %v, want %s", err, tt.want)
			}
		})
	}
}

func TestObjects(t *testing.T) {
	env, err := NewEnv([]string{"minion-9"})
	if err != nil {
		t.Fatal(err)
	}
	program, err := env.Objects(`pods.filter(p, p.spec.nodeName != "")`)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := program.List(testWorld())
	if err != nil || len(objects) != 2 || objects[0].GetName() != "redis-1" {
		t.Errorf("List() = %v, %v, want redis-1 and redis-2", objects, err)
	}
	if program, err = env.Objects(`remediations.filter(r, r.spec.action == "Reboot")`); err != nil {
		t.Fatal(err)
	}
	if objects, err = program.List(testWorld()); err != nil || len(objects) != 1 || KindOf(objects[0]) != "Remediation" {
		t.Errorf("List() = %v, %v, want the Remediation", objects, err)
	}
	for _, source := range []string{`pods.size() == 1`, `groups`, `calls`, `pods.map(p, p.metadata.name)`, `pods[0]`} {
		if _, err := env.Objects(source); err == nil {
			t.Errorf("Objects(%s) is accepted", source)
		}
	}
}

func TestOutput(t *testing.T) {
	env, err := NewEnv([]string{"minion-1"})
	if err != nil {
		t.Fatal(err)
	}
	given := map[string]any{"exitCode": 1, "result": map[string]any{
		"rows": []any{map[string]any{"reason": "InterfaceNotUp", "verdict": "Unproven", "nodes": 3.0}},
	}}
	for source, want := range map[string]bool{
		`result.rows.exists(r, r.reason == 'InterfaceNotUp' && r.verdict == 'Unproven')`: true,
		`result.rows[0].nodes == 3 && exitCode == 1`:                                     true,
		`result.rows.size() == nodes.size()`:                                             false,
		`has(result.findings)`:                                                           false,
	} {
		program, err := env.Output(source)
		if err != nil {
			t.Fatalf("Output(%s) = %v", source, err)
		}
		if got, err := program.Given(given).Bool(testWorld()); err != nil || got != want {
			t.Errorf("%s = %v, %v, want %v", source, got, err, want)
		}
	}
	program, err := env.Output(`result.rows.exists(r, r.verdict == "WouldAct") && exitCode == 0`)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := program.Given(given).Explain(testWorld()), `result.rows.exists(r, r.verdict == "WouldAct") is false; exitCode is 1`; got != want {
		t.Errorf("Explain() = %s, want %s", got, want)
	}
	if _, err := env.Condition(`exitCode == 0`); err == nil {
		t.Error("an expectation can ask for an exit code, though it is of no command")
	}
}

func TestEvaluationErrorsAreNotTrue(t *testing.T) {
	env, err := NewEnv([]string{"minion-9"})
	if err != nil {
		t.Fatal(err)
	}
	for _, source := range []string{`pods[7].spec.nodeName == ""`, `ready(node("minion-9"))`, `pods[0].metadata.labels["no"] == ""`, `ready(groups[0])`} {
		program, err := env.Condition(source)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := program.Bool(testWorld()); got || err == nil {
			t.Errorf("%s = %v, %v, want an error", source, got, err)
		}
	}
}

func TestExplain(t *testing.T) {
	env, err := NewEnv([]string{"minion-1", "minion-9"})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct{ source, want string }{
		{`pods.size() == 3`, ""},
		{`pods.size() == 4`, "pods.size() is 3"},
		{
			`pods.matching("app=redis").filter(p, running(p)).size() == 2 && nodes.size() == 2`,
			`pods.matching("app=redis").filter(p, running(p)).size() is 1`,
		},
		{`pods.size() > 3 && condition(nodes[1], "Ready") == "True"`, `pods.size() is 3; condition(nodes[1], "Ready") is "Unknown"`},
		{`nodes.all(n, ready(n))`, "nodes.all(n, ready(n)) is false"},
		{`nodes.exists(n, ready(n)) && !nodes.exists(n, ready(n))`, "!nodes.exists(n, ready(n)) is false"},
		{`pods.map(p, p.spec.nodeName) == []`, `pods.map(p, p.spec.nodeName) is ["", "ip-10-0-0-1", "ip-10-0-0-2"]`},
		{`pods.on(node("minion-1")) == pods`, "pods.on(node(\"minion-1\")) is [Pod redis-1], pods is [Pod redis-0, Pod redis-1, Pod redis-2]"},
		{`pods[7].spec.nodeName == ""`, `pods[7].spec.nodeName is an error: index out of bounds: 7`},
		{`ready(node("minion-9"))`, `ready(node("minion-9")) is an error: no such key: minion-9`},
		{`groups[0] != groups[0]`, "groups[0] is a scenario.expr.Group, groups[0] is a scenario.expr.Group"},
		{`remediations == []`, "remediations is [Remediation minion-1-x]"},
		{`pods.size() == 1 || pods.size() == 2`, "pods.size() == 1 || pods.size() == 2 is false"},
	}
	for _, tt := range tests {
		t.Run(tt.source, func(t *testing.T) {
			program, err := env.Condition(tt.source)
			if err != nil {
				t.Fatal(err)
			}
			if got := program.Explain(testWorld()); got != tt.want {
				t.Errorf("Explain() = %s, want %s", got, tt.want)
			}
		})
	}
}
