package scenario

import (
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func validScenario(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("testdata/sound.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

func TestValidScenario(t *testing.T) {
	if _, err := Parse("sound.yaml", []byte(validScenario(t))); err != nil {
		t.Fatal(err)
	}
}

// TestErrors changes one thing of a sound scenario at a time.
// naosu is put before the variants.
const naosu = `naosu:
  description: It heals.
  manifests:
    - {apiVersion: naosu.dev/v1alpha1, kind: NodeRepairPolicy, metadata: {name: a}, spec: {mode: Auto}}
  steps: [{resize: {group: workers, desired: 4}}]
  expect: [{name: healed, that: "remediations.size() == 1", within: 1m}]
variants:
`

func TestErrors(t *testing.T) {
	tests := []struct {
		name, old, new string
		want           string
	}{
		// What YAML itself refuses.
		{"empty file", "", "", `f.yaml:1:1: the file is empty`},
		{"syntax", "title: A", "title: [A", `f.yaml:2:1: did not find expected ',' or ']'`},
		{"two documents", "expect:\n", "---\nexpect:\n", `f.yaml:35:1: a second document begins here; keep one to a file`},

		// What the decoder refuses.
		{
			"unknown field, close to one", "desired: 2", "desird: 2",
			`f.yaml:8:9: cluster.cloud.groups[0].desired: is missing; add it
f.yaml:8:49: cluster.cloud.groups[0].desird: unknown field; did you mean "desired"?`,
		},
		{"unknown step", "fault: {node", "explode: {node", `f.yaml:29:5: steps[0].explode: unknown field; it can be one of: after, apply, at, delete, fault, mark, name, naosu, nodeRepair, patch, recover, resize, rotate, terminate, wait`},
		{"missing field", "title: A scenario with a bit of everything\n", "", `f.yaml:1:1: title: is missing; add it`},
		{"empty field", "    within: 10m\nvariants", "    within:\nvariants", `f.yaml:39:5: expect[0].within: is empty; give it a value or leave it out`},
		{"doubled field", "    after: 1m\n", "    after: 1m\n    after: 2m\n", `f.yaml:32:5: steps[1].after: is given twice; the first is on line 31`},
		{"text for a number", "desired: 2", "desired: two", `f.yaml:8:58: cluster.cloud.groups[0].desired: is the text "two", but must be a whole number`},
		{"fraction", "desired: 2", "desired: 2.5", `f.yaml:8:58: cluster.cloud.groups[0].desired: is the number 2.5, but must be a whole number`},
		{"number for a text", "name: break", "name: 5", `f.yaml:27:11: steps[0].name: is the number 5, but must be text; put it in quotes: "5"`},
		{"unquoted off is text in YAML 1.2", `state: "off"`, "state: off", ``},
		{"truth value", "counter: true", "counter: maybe", `f.yaml:43:14: variants[0].counter: is the text "maybe", but must be true or false`},
		{"mapping for a list", "zones: [us-east-1a, us-east-1b]", "zones: {a: b}", `f.yaml:6:12: cluster.cloud.zones: is a mapping, but must be a list`},
		{"list for a mapping", "resize: {group: workers, desired: 3}", "resize: [workers]", `f.yaml:32:13: steps[1].resize: is a list, but must be a mapping of fields to values`},
		{"no unit", "at: 1m", "at: 60", `f.yaml:28:9: steps[0].at: is the number 60, but must be a duration such as 90s, 5m or 1h30m`},
		{"negative", "at: 1m", "at: -1m", `f.yaml:28:9: steps[0].at: is negative; time only moves on`},
		{"merge key", "resize: {group: workers", "resize: {<<: {group: workers}", `f.yaml:32:13: steps[1].resize.group: is missing; add it
f.yaml:32:14: steps[1].resize: has a key that is not plain text; merge keys (<<) and others are not supported`},
		{"flag value", "40s}", "[40s]}", `f.yaml:12:58: cluster.flags.kube-controller-manager.node-monitor-grace-period: must be one value, such as 40s`},

		// Manifests.
		{"manifest field", "replicas: 2", "replica: 2", `f.yaml:18:9: cluster.manifests[0].spec.replica: unknown field; did you mean "replicas"?`},
		{"manifest type", "replicas: 2", `replicas: "2"`, `f.yaml:18:19: cluster.manifests[0].spec.replicas: is the text "2", but must be a whole number`},
		{"manifest quantity", "cpu: 100m", "cpu: 100x", `f.yaml:25:84: cluster.manifests[0].spec.template.spec.containers[0].resources.requests.cpu: cannot be read as resource.Quantity: quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'`},
		{"manifest kind", "kind: Deployment", "kind: Deploymint", `f.yaml:14:7: cluster.manifests[0].kind: Kubernetes has no Deploymint in apps/v1; check apiVersion and kind`},
		{"manifest without a name", "name: web, namespace", "namespace", `f.yaml:14:7: cluster.manifests[0].metadata.name: is missing; add it`},
		{
			"manifest twice", "steps:\n  - name: break", "    - {apiVersion: apps/v1, kind: Deployment, metadata: {name: web, namespace: default}}\nsteps:\n  - name: break",
			`f.yaml:26:7: cluster.manifests[1]: Deployment web is given twice; the first is cluster.manifests[0]`,
		},
		{"custom resource", "steps:\n  - name: break", "    - {apiVersion: example.com/v1, kind: Anything, metadata: {name: a}, spec: {x: 1}}\nsteps:\n  - name: break", ``},

		// The cloud.
		{"instance type", "m5.large", "m5.huge", `f.yaml:8:25: cluster.cloud.groups[0].instanceType: Not found: "m5.huge"; give it under instanceTypes, or take one of: t3.small, t3.medium, t3.large, m5.large, m5.xlarge, m5.2xlarge, m5.4xlarge, c5.large, c5.xlarge, c5.2xlarge, r5.large, r5.xlarge`},
		{"zone", "max: 4}", "max: 4, zones: [us-east-1z]}", `f.yaml:8:77: cluster.cloud.groups[0].zones[0]: Unsupported value: "us-east-1z": supported values: "us-east-1a", "us-east-1b"`},
		{"desired above max", "max: 4", "max: 1", `f.yaml:8:49: cluster.cloud.groups[0].desired: Invalid value: 2: Desired capacity:2 must be between the specified min size:0 and max size:1`},
		{"named node", "{group: workers, zone: us-east-1a}", "{group: workers}", `f.yaml:10:5: cluster.nodes.worker-1: group "workers" has 2 nodes at the start; give a zone in which it has one`},
		{"named node in no zone", "{group: workers, zone: us-east-1a}", "{group: workers, zone: us-east-1c}", `f.yaml:10:5: cluster.nodes.worker-1: group "workers" has no node in zone us-east-1c at the start`},
		{"named node of no group", "{group: workers, zone: us-east-1a}", "{group: masters}", `f.yaml:10:5: cluster.nodes.worker-1: group "masters" has no node at the start`},
		{"component", "kube-controller-manager:", "kubelet:", `f.yaml:12:5: cluster.flags.kubelet: is not a component that takes flags; it can be one of: etcd, kube-apiserver, kube-controller-manager, kube-scheduler`},
		{"dashes", "{node-monitor", "{--node-monitor", `f.yaml:12:31: cluster.flags.kube-controller-manager.--node-monitor-grace-period: is not a flag's name; write it in lower case and without the leading dashes`},

		// Steps.
		{"two actions", "    resize:", "    mark: here\n    resize:", `f.yaml:30:5: steps[1]: has resize and mark; give each a step of its own
f.yaml:30:5: steps[1].name: stands beside mark, which names the step already; leave it out`},
		{"no action", "    resize: {group: workers, desired: 3}\n", "", `f.yaml:30:5: steps[1]: does nothing; give it one of: apply, delete, patch, resize, rotate, terminate, fault, recover, nodeRepair, naosu, wait, mark`},
		{"missing node", "fault: {node: worker-1", "fault: {node: worker-9", `f.yaml:29:13: steps[0].fault.node: node "worker-9" is not named under cluster.nodes; it can be one of: worker-1`},
		{"missing group", "resize: {group: workers", "resize: {group: masters", `f.yaml:32:14: steps[1].resize.group: there is no node group "masters"; it can be one of: workers`},
		{"missing group of a fault", "fault: {node: worker-1", "fault: {group: masters", `f.yaml:29:5: steps[0].fault: no node of the start is meant by it
f.yaml:29:13: steps[0].fault.group: there is no node group "masters"; it can be one of: workers`},
		{"missing zone", "fault: {node: worker-1", "fault: {zone: us-east-1c", `f.yaml:29:13: steps[0].fault.zone: there is no zone "us-east-1c"; it can be one of: us-east-1a, us-east-1b`},
		{"no target", "fault: {node: worker-1, ", "fault: {", `f.yaml:29:5: steps[0].fault: does not say whom it strikes; give a node, a group, a zone, or a group and a zone`},
		{"state", `state: "off"`, "state: asleep", `f.yaml:29:29: steps[0].fault.state: "asleep" is not a state of a machine; it can be one of: off, kubelet-down, cut-off, link-down, no-addresses`},
		{"resize above max", "desired: 3", "desired: 5", `f.yaml:32:5: steps[1].resize: the cloud would refuse it: ValidationError: New SetDesiredCapacity value 5 is above max value 4 for the AutoScalingGroup.`},
		{"out of order", "    after: 1m\n", "    at: 30s\n", `f.yaml:31:5: steps[1].at: is before the step before it, at 1m0s; steps happen in their order`},
		{"at and after", "    after: 1m\n", "    after: 1m\n    at: 2m\n", `f.yaml:31:5: steps[1].after: stands beside at; give one of the two`},
		{"name twice", "mark: grown", "mark: grow", `f.yaml:34:5: steps[3].mark: "grow" is the name of an earlier point; choose another`},
		{"start is taken", "mark: grown", "mark: start", `f.yaml:34:5: steps[3].mark: "start" is the name of an earlier point; choose another`},
		{"not a name", "mark: grown", "mark: Grown Up", `f.yaml:34:5: steps[3].mark: "Grown Up" is not a name; use lower-case letters, digits and dashes`},

		{"repair of no group", "resize: {group: workers, desired: 3}", "nodeRepair: {group: masters, enabled: true}", `f.yaml:32:18: steps[1].nodeRepair.group: there is no node group "masters"; it can be one of: workers`},
		{"repair neither on nor off", "resize: {group: workers, desired: 3}", "nodeRepair: {group: workers}", `f.yaml:32:17: steps[1].nodeRepair.enabled: is missing; add it`},
		{
			"two limits of repair", "resize: {group: workers, desired: 3}", "nodeRepair: {group: workers, enabled: true, maxUnhealthyNodeThresholdCount: 1, maxUnhealthyNodeThresholdPercentage: 1}",
			`f.yaml:32:5: steps[1].nodeRepair: the cloud would refuse it: InvalidParameterValue: maxUnhealthyNodeThresholdPercentage: Forbidden: stands beside maxUnhealthyNodeThresholdCount; give one of the two`,
		},
		{"command", "resize: {group: workers, desired: 3}", "naosu: {args: [repair, check, -o, json], expect: result.rows.size() > 0}", ``},
		{"command without words", "resize: {group: workers, desired: 3}", "naosu: {args: []}", `f.yaml:32:13: steps[1].naosu.args: is empty; give the command, such as [repair, check, -o, json]`},
		{"command about no node", "resize: {group: workers, desired: 3}", "naosu: {args: [repair, drill, node/worker-9]}", `f.yaml:32:13: steps[1].naosu.args: node "worker-9" is not named under cluster.nodes; it can be one of: worker-1`},
		{"command's expectation", "resize: {group: workers, desired: 3}", "naosu: {args: [version], expect: exitCode == '0'}", `f.yaml:32:30: steps[1].naosu.expect: found no matching overload for '_==_' applied to '(int, string)' (at character 10)`},

		// With naosu.
		{"naosu", "variants:\n", naosu, ``},
		{"naosu without words", "variants:\n", strings.Replace(naosu, "It heals.", `" "`, 1), `f.yaml:41:3: naosu.description: is empty; say in words what happens`},
		{"naosu without expectations", "variants:\n", strings.Replace(naosu, "  expect: [{name: healed, that: \"remediations.size() == 1\", within: 1m}]\n", "", 1), `f.yaml:41:3: naosu.expect: is missing; add it`},
		{"naosu's policy twice", "variants:\n", strings.Replace(naosu, "steps:", "  - {apiVersion: naosu.dev/v1alpha1, kind: NodeRepairPolicy, metadata: {name: a}}\n  steps:", 1), `f.yaml:44:7: naosu.manifests[1]: NodeRepairPolicy a is given twice; the first is naosu.manifests[0]`},
		{"naosu's step", "variants:\n", strings.Replace(naosu, "desired: 4", "desired: 5", 1), `f.yaml:44:12: naosu.steps[0].resize: the cloud would refuse it: ValidationError: New SetDesiredCapacity value 5 is above max value 4 for the AutoScalingGroup.`},
		{"naosu's point", "variants:\n", strings.Replace(naosu, "name: healed,", "name: healed, from: break,", 1), `f.yaml:45:27: naosu.expect[0].from: there is no step or mark named "break" in this pass; it can be one of: start`},

		// Expressions and expectations.
		{"unparsable", "pods.size() > 2", "pods.size( > 2", `f.yaml:33:12: steps[2].wait.until: Syntax error: extraneous input '>' (at character 12)`},
		{"ill-typed", "pods.filter(p, running(p)).size() == 2", `pods.filter(p, running(p)).size() == "2"`, `f.yaml:38:5: expect[0].that: found no matching overload for '_==_' applied to '(int, string)' (at character 35)`},
		{"not true or false", "pods.filter(p, running(p)).size() == 2", `pods.filter(p, running(p)).size()`, `f.yaml:38:5: expect[0].that: the expression gives a value of type int, but must be true or false`},
		{"misspelt field", "pods.filter(p, running(p)).size() == 2", `pods.exists(p, p.status.fase == "Running")`, `f.yaml:38:5: expect[0].that: undefined field 'fase' (at character 24)`},
		{"unknown node in an expression", `node("worker-1")`, `node("worker-2")`, `f.yaml:49:9: variants[0].expect[0].that: node "worker-2" is not named under cluster.nodes; it can be one of: worker-1 (at character 14)`},
		{"undefined point", "from: break", "from: brake", `f.yaml:37:5: expect[0].from: there is no step or mark named "brake" in this pass; it can be one of: start, break, grow, grown`},
		{"expectation name twice", "variants:\n", "  - {name: moved, that: \"true\", within: 1m}\nvariants:\n", `f.yaml:40:6: expect[1].name: "moved" is the name of another expectation; choose another`},
		{"no deadline", "    within: 10m\nvariants", "    within: 0s\nvariants", `f.yaml:39:5: expect[0].within: must be more than 0s; give the cluster time to show it`},
		{"too early to be in time", "    within: 10m\nvariants", "    within: 10m\n    notBefore: 11m\nvariants", `f.yaml:40:5: expect[0].notBefore: is after the deadline of 10m0s; nothing could meet it`},
		{"no expectations", "expect:\n  - name: moved\n    from: break\n    that: pods.filter(p, running(p)).size() == 2\n    within: 10m\n", "expect: []\n", `f.yaml:35:1: expect: is empty; say what must be seen`},

		// Variants.
		{"no counter-run", "    counter: true\n", "", `f.yaml:40:1: variants: has no counter-run; add a variant with counter: true in which the cause is removed and the incident does not happen`},
		{
			"counter-run without expectations", "    expect:\n      - name: stays\n        from: calm\n        that: pods.on(node(\"worker-1\")).size() == 1\n        within: 5s\n        holds: 5m\n", "",
			`f.yaml:37:5: expect[0].from: there is no step or mark named "break" in this pass; it can be one of: start, calm
f.yaml:41:5: variants[0].expect: is missing; a counter-run needs expectations of its own that say the incident does not happen`,
		},
		{"reserved name", "name: no-fault", "name: naosu", `f.yaml:41:5: variants[0].name: "naosu" is the name of a pass that every scenario has; choose another`},
		{
			"variant's group", "    steps:\n      - mark: calm\n", "    cluster: {cloud: {groups: [{name: workers, instanceType: m5.large, desired: 9, max: 4}]}}\n    steps:\n      - mark: calm\n",
			`f.yaml:44:72: variants[0].cluster.cloud.groups[0].desired: Invalid value: 9: Desired capacity:9 must be between the specified min size:0 and max size:4`,
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			changed := strings.Replace(validScenario(t), tt.old, tt.new, 1)
			if tt.old == "" {
				changed = ""
			} else if changed == validScenario(t) {
				t.Fatalf("%q is not in the scenario", tt.old)
			}
			_, err := Parse("f.yaml", []byte(changed))
			got := ""
			if err != nil {
				got = err.Error()
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}
