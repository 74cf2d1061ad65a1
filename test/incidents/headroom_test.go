package incidents

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// threeNodes is a cluster of three nodes with 2 CPUs each, and a Deployment whose pods leave a node that fails soon. %d is the number of them.
const threeNodes = `
name: three-nodes
title: A node fails
description: The pods of a node that fails need room on others.
cluster:
  cloud:
    zones: [us-east-1a]
    groups: [{name: workers, instanceType: m5.large, min: 1, desired: 3, max: 5}]
  manifests:
    - apiVersion: scheduling.k8s.io/v1
      kind: PriorityClass
      metadata: {name: headroom}
      value: -10
      preemptionPolicy: Never
    - apiVersion: apps/v1
      kind: Deployment
      metadata: {name: web, namespace: default}
      spec:
        replicas: %d
        selector: {matchLabels: {app: web}}
        template:
          metadata: {labels: {app: web}}
          spec:
            tolerations:
              - {key: node.kubernetes.io/unreachable, operator: Exists, effect: NoExecute, tolerationSeconds: 20}
              - {key: node.kubernetes.io/not-ready, operator: Exists, effect: NoExecute, tolerationSeconds: 20}
            containers: [{name: web, image: "web:1", resources: {requests: {cpu: 1200m}}}]
expect:
  - {name: nodes-come, that: nodes.size() == 3, within: 1m}
variants:
  - name: two
    description: There are two.
    counter: true
    cluster: {cloud: {groups: [{name: workers, instanceType: m5.large, min: 1, desired: 2, max: 5}]}}
    expect:
      - {name: nodes-come, that: nodes.size() == 2, within: 1m}
`

// headroomAnswer is what naosu headroom says of a failure.
type headroomAnswer struct {
	Kind  string
	Worst struct {
		Nodes                    []string
		Waiting, Preempted, Lost []any
	}
	Room *struct {
		Result       string
		Needs        *struct{ Count int }
		Placeholders []struct {
			Node     string
			Requests corev1.ResourceList
		}
	}
}

// headroomLab is a lab of threeNodes in which all pods run, and what naosu headroom says there of the loss of a node.
func headroomLab(t *testing.T, replicas int) (lab, headroomAnswer) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "three-nodes.yaml")
	if err := os.WriteFile(file, fmt.Appendf(nil, threeNodes, replicas), 0o600); err != nil {
		t.Fatal(err)
	}
	l := up(t, "--scenario", file, "--time-scale", timeScale)
	l.podsRun(t, "web", replicas, "")
	var got struct{ Failures []headroomAnswer }
	l.decode(t, &got, "naosu", "headroom", "--failures", "node", "--output", "json")
	if len(got.Failures) != 1 {
		t.Fatalf("naosu headroom says %+v, want one kind of node", got)
	}
	return l, got.Failures[0]
}

// podsRun waits until so many pods of an app run, none of them on a node; pods that are being deleted do not count.
func (l lab) podsRun(t *testing.T, app string, want int, not string) {
	t.Helper()
	eventually(t, fmt.Sprintf("%d pods of %s to run", want, app), func() error {
		running := 0
		for _, pod := range l.pods(t) {
			if pod.Labels["app"] == app && pod.Status.Phase == corev1.PodRunning && pod.Spec.NodeName != not {
				running++
			}
		}
		if running != want {
			return fmt.Errorf("%d run", running)
		}
		return nil
	})
}

// pods are those that are not being deleted.
func (l lab) pods(t *testing.T) []corev1.Pod {
	t.Helper()
	var list corev1.PodList
	if err := l.list(t, &list, client.InNamespace(corev1.NamespaceDefault)); err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list.Items, func(p corev1.Pod) bool { return p.DeletionTimestamp != nil })
}

// TestHeadroomCost loses the worst node: as many pods wait as foretold, and no other is preempted.
func TestHeadroomCost(t *testing.T) {
	t.Parallel()
	l, told := headroomLab(t, 3)
	if len(told.Worst.Nodes) != 1 || len(told.Worst.Waiting) != 1 || len(told.Worst.Preempted)+len(told.Worst.Lost) != 0 || told.Room.Needs == nil || told.Room.Needs.Count != 1 {
		t.Fatalf("foretold is %+v, want one pod that waits, and that one more node helps", told)
	}
	lost := told.Worst.Nodes[0]
	l.must(t, "naosu-lab", "fault", "node/"+lost, "off", "--data-dir", l.dir)
	eventually(t, "the pod of "+lost+" to be unschedulable", func() error {
		waiting := 0
		for _, pod := range l.pods(t) {
			for _, c := range pod.Status.Conditions {
				if c.Type == corev1.PodScheduled && c.Reason == corev1.PodReasonUnschedulable {
					waiting++
				}
			}
		}
		if waiting != len(told.Worst.Waiting) {
			return fmt.Errorf("%d pods wait", waiting)
		}
		return nil
	})
	l.podsRun(t, "web", 2, lost)
	l.must(t, "naosu-lab", "scale", "group/workers", "--to", "4", "--data-dir", l.dir)
	l.podsRun(t, "web", 3, lost) // The one more node that was said to help.
}

// TestHeadroomRoom puts placeholders where naosu headroom says, fills what else is free, and loses the worst node: the placeholders are preempted, and
// nothing waits.
func TestHeadroomRoom(t *testing.T) {
	t.Parallel()
	l, told := headroomLab(t, 2)
	if len(told.Worst.Waiting) != 0 || told.Room == nil || told.Room.Needs != nil || told.Room.Result != "minimal" || len(told.Room.Placeholders) != 1 {
		t.Fatalf("foretold is %+v, want a room of one placeholder on today's nodes", told)
	}
	var nodes corev1.NodeList
	l.decode(t, &nodes, "kubectl", "get", "nodes", "--output", "json")
	free := map[string]int64{}
	for _, node := range nodes.Items {
		free[node.Name] = node.Status.Allocatable.Cpu().MilliValue()
	}
	lost := ""
	for _, pod := range l.pods(t) {
		for i := range pod.Spec.Containers {
			free[pod.Spec.NodeName] -= pod.Spec.Containers[i].Resources.Requests.Cpu().MilliValue()
		}
		lost = pod.Spec.NodeName
	}
	var manifests []string
	for i, p := range told.Room.Placeholders {
		cpu := p.Requests[corev1.ResourceCPU]
		free[p.Node] -= cpu.MilliValue()
		manifests = append(manifests, podOn(fmt.Sprintf("placeholder-%d", i), "placeholder", "headroom", p.Node, cpu))
	}
	for name, left := range free {
		if left > 0 {
			manifests = append(manifests, podOn("busy-"+strings.ReplaceAll(name, ".", "-"), "busy", "", name, *resource.NewMilliQuantity(left, resource.DecimalSI)))
		}
	}
	file := filepath.Join(t.TempDir(), "pods.yaml")
	if err := os.WriteFile(file, []byte(strings.Join(manifests, "---\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	l.must(t, "kubectl", "apply", "--filename", file)
	l.podsRun(t, "placeholder", len(told.Room.Placeholders), "")
	l.podsRun(t, "busy", len(manifests)-len(told.Room.Placeholders), "")

	l.must(t, "naosu-lab", "fault", "node/"+lost, "off", "--data-dir", l.dir)
	l.podsRun(t, "web", 2, lost)
	busy := 0
	for _, pod := range l.pods(t) {
		switch {
		case pod.Labels["app"] == "placeholder":
			t.Errorf("%s is still there: nothing needed its room", pod.Name)
		case pod.Status.Phase == corev1.PodPending:
			t.Errorf("%s waits", pod.Name)
		case pod.Labels["app"] == "busy" && pod.Spec.NodeName != lost:
			busy++
		}
	}
	if busy != 2 {
		t.Errorf("%d of the two other pods on nodes that are left are there", busy)
	}
}

// podOn is the manifest of a pod for one node.
func podOn(name, app, class, node string, cpu resource.Quantity) string {
	return fmt.Sprintf(`apiVersion: v1
kind: Pod
metadata: {name: %s, namespace: default, labels: {app: %s}}
spec:
  priorityClassName: %q
  terminationGracePeriodSeconds: 0
  nodeSelector: {kubernetes.io/hostname: %s}
  containers: [{name: pause, image: "pause:3", resources: {requests: {cpu: %s}}}]
`, name, app, class, node, cpu.String())
}
