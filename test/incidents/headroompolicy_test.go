package incidents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// nodePolicy holds room for the loss of any one node.
const nodePolicy = `
apiVersion: naosu.dev/v1alpha1
kind: HeadroomPolicy
metadata: {name: default}
spec:
  mode: Auto
  survive: {nodes: 1}
  maxRoom: {cpu: "4", memory: 8Gi}
  resize: {lackSeconds: 1}
`

// runsController runs the controller in a lab until the test ends, and returns its log.
func (l lab) runsController(t *testing.T) *transcript {
	t.Helper()
	l.types(t, "naosu crds | kubectl apply --server-side --filename -")
	l.must(t, "kubectl", "create", "namespace", "naosu-system")
	l.must(t, "kubectl", "apply", "--filename", filepath.Join("..", "..", "config", "rbac", "headroom.yaml"))
	controller := command(t, l.kubeconfig, "naosu", "controller", "--leader-elect=false", "--health-address", "0", "--metrics-address", "0")
	log := &transcript{}
	controller.Env = append(controller.Env, l.environment...)
	controller.Stdout, controller.Stderr = log, log
	if err := controller.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = controller.Process.Signal(os.Interrupt)
		_ = controller.Wait()
		if t.Failed() {
			t.Logf("the controller's log:\n%s", log.String())
		}
	})
	return log
}

// covered waits until the policy's condition Covered has a status and a reason.
func (l lab) covered(t *testing.T, status, reason string) {
	t.Helper()
	eventually(t, "the policy to be "+status+", "+reason, func() error {
		out, err := l.run(t, "kubectl", "get", "headroompolicy/default", "--output", `jsonpath={.status.conditions[0].status} {.status.conditions[0].reason} {.status.conditions[0].message}`)
		if err != nil || !strings.HasPrefix(out, status+" "+reason+" ") {
			return fmt.Errorf("%q (%w)", out, err)
		}
		return nil
	})
}

// placeholderPods are those of HeadroomPolicies that are not being deleted.
func (l lab) placeholderPods(t *testing.T) []corev1.Pod {
	t.Helper()
	var list corev1.PodList
	if err := l.list(t, &list, client.InNamespace("naosu-system"), client.HasLabels{v1alpha1.HeadroomPolicyLabel}); err != nil {
		t.Fatal(err)
	}
	return list.Items
}

var boundAfter = regexp.MustCompile(`A pod is bound in place of a placeholder pod.*after=(\S+)`)

// TestHeadroomPolicy has naosu hold the room for the loss of a node, uses everything else that is free, and loses the node: the pod of the node takes the
// place of the placeholder pod, and nothing waits. naosu says that the room does not cover another loss, and holds it again once a node has come.
func TestHeadroomPolicy(t *testing.T) {
	t.Parallel()
	l, _ := headroomLab(t, 2)
	log := l.runsController(t)
	file := filepath.Join(t.TempDir(), "policy.yaml")
	if err := os.WriteFile(file, []byte(nodePolicy), 0o600); err != nil {
		t.Fatal(err)
	}
	l.must(t, "kubectl", "apply", "--filename", file)
	l.covered(t, "True", "Covered")
	held := l.placeholderPods(t)
	if len(held) != 1 {
		t.Fatalf("%d placeholder pods hold the room, want one", len(held))
	}
	var shown struct {
		Policies []struct {
			Name    string
			Covered struct{ Status string }
			Bound   struct{ Placeholders int }
		}
	}
	l.decode(t, &shown, "naosu", "headroom", "--room=false", "--output", "json")
	if len(shown.Policies) != 1 || shown.Policies[0].Name != "default" || shown.Policies[0].Covered.Status != "True" || shown.Policies[0].Bound.Placeholders != 1 {
		t.Errorf("naosu headroom shows the policies %+v", shown.Policies)
	}
	lost, busy := l.fillsNodes(t, held)

	l.must(t, "naosu-lab", "fault", "node/"+lost, "off", "--data-dir", l.dir)
	l.podsRun(t, "web", 2, lost)
	left := 0
	for _, pod := range l.pods(t) {
		switch {
		case pod.Status.Phase == corev1.PodPending:
			t.Errorf("%s waits", pod.Name)
		case pod.Labels["app"] == "busy" && pod.Spec.NodeName != lost:
			left++
		}
	}
	if left != busy {
		t.Errorf("%d of %d other pods on nodes that are left are there", left, busy)
	}
	for _, pod := range l.placeholderPods(t) {
		if pod.UID == held[0].UID && pod.DeletionTimestamp == nil {
			t.Error("the placeholder pod is still there")
		}
	}
	eventually(t, "the time to be measured", func() error {
		found := boundAfter.FindStringSubmatch(log.String())
		if found == nil {
			return errors.New("it is not in the log")
		}
		t.Logf("a pod was bound %s after the preemption", found[1])
		return nil
	})
	l.covered(t, "False", "NeedsNodes")
	l.must(t, "naosu-lab", "scale", "group/workers", "--to", "4", "--data-dir", l.dir)
	l.covered(t, "True", "Covered")

	l.must(t, "kubectl", "delete", "headroompolicy/default")
	eventually(t, "the room to be given back", func() error {
		if left := l.placeholderPods(t); len(left) > 0 {
			return fmt.Errorf("%d placeholder pods are there", len(left))
		}
		return nil
	})
}

// fillsNodes uses all the CPU that pods leave on nodes. It returns a node with a pod of web, and how many of the new pods are on others.
func (l lab) fillsNodes(t *testing.T, held []corev1.Pod) (lost string, others int) {
	t.Helper()
	var nodes corev1.NodeList
	l.decode(t, &nodes, "kubectl", "get", "nodes", "--output", "json")
	free := map[string]int64{}
	for _, node := range nodes.Items {
		free[node.Name] = node.Status.Allocatable.Cpu().MilliValue()
	}
	for _, pod := range append(l.pods(t), held...) {
		for i := range pod.Spec.Containers {
			free[pod.Spec.NodeName] -= pod.Spec.Containers[i].Resources.Requests.Cpu().MilliValue()
		}
		if pod.Labels["app"] == "web" {
			lost = pod.Spec.NodeName
		}
	}
	var manifests []string
	for name, left := range free {
		if left > 0 {
			manifests = append(manifests, podOn("busy-"+strings.ReplaceAll(name, ".", "-"), "busy", "", name, *resource.NewMilliQuantity(left, resource.DecimalSI)))
			if name != lost {
				others++
			}
		}
	}
	file := filepath.Join(t.TempDir(), "busy.yaml")
	if err := os.WriteFile(file, []byte(strings.Join(manifests, "---\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	l.must(t, "kubectl", "apply", "--filename", file)
	l.podsRun(t, "busy", len(manifests), "")
	return lost, others
}
