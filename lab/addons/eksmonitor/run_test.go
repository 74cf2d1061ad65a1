package eksmonitor

import (
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
)

// fakeMachine is one machine, called "a".
type fakeMachine struct {
	mu    sync.Mutex
	state nodes.State
}

func (r *fakeMachine) State(node string) (nodes.State, bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.state, node == "a"
}

func (r *fakeMachine) setState(s nodes.State) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.state = s
}

// scale is the tests' pace.
const scale = 10

// runAgents runs the agents of a cluster of one node in virtual time. pass lets scenario time pass; conditionOf is a condition of the
// node as "status reason".
func runAgents(t *testing.T, test func(t *testing.T, r *fakeMachine, client *fake.Clientset, pass func(time.Duration), conditionOf func(string) string)) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		client := fake.NewClientset(&corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Status: corev1.NodeStatus{
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, Reason: "KubeletReady"}},
		}}, agentPod(0))
		r := &fakeMachine{state: nodes.On}
		var running sync.WaitGroup
		running.Go(func() { run(ctx, client, Options{Machines: r, Pace: pace.New(scale), Clock: clock.RealClock{}}) })
		defer running.Wait()
		defer cancel()
		<-time.After(200 * time.Millisecond) // client-go looks every 100 ms whether a cache is filled
		pass := func(d time.Duration) {
			<-time.After(d / scale)
			synctest.Wait()
		}
		conditionOf := func(condition string) string {
			n, err := client.CoreV1().Nodes().Get(ctx, "a", metav1.GetOptions{})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range n.Status.Conditions {
				if string(c.Type) == condition {
					return string(c.Status) + " " + c.Reason
				}
			}
			return ""
		}
		pass(time.Second)
		test(t, r, client, pass, conditionOf)
	})
}

func agentPod(restarts int32) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name: "eks-node-monitoring-agent-x", Namespace: "kube-system", UID: "1", Labels: map[string]string{"app.kubernetes.io/name": "eks-node-monitoring-agent"},
		},
		Spec: corev1.PodSpec{NodeName: "a"},
		Status: corev1.PodStatus{ContainerStatuses: []corev1.ContainerStatus{{
			RestartCount: restarts, State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}},
		}}},
	}
}

func restart(t *testing.T, client *fake.Clientset, restarts int32) {
	t.Helper()
	if _, err := client.CoreV1().Pods("kube-system").UpdateStatus(t.Context(), agentPod(restarts), metav1.UpdateOptions{}); err != nil {
		t.Fatal(err)
	}
}

func TestStart(t *testing.T) {
	runAgents(t, func(t *testing.T, _ *fakeMachine, _ *fake.Clientset, _ func(time.Duration), conditionOf func(string) string) {
		for condition, want := range map[string]string{
			"KernelReady": "True KernelIsReady", "NetworkingReady": "True NetworkingIsReady", "StorageReady": "True DiskIsReady",
			"ContainerRuntimeReady": "True ContainerRuntimeIsReady", "Ready": "True KubeletReady",
		} {
			if got := conditionOf(condition); got != want {
				t.Errorf("%s is %q, want %q", condition, got, want)
			}
		}
	})
}

func TestLinkDown(t *testing.T) {
	runAgents(t, func(t *testing.T, r *fakeMachine, client *fake.Clientset, pass func(time.Duration), conditionOf func(string) string) {
		pass(time.Minute)
		r.setState(nodes.LinkDown)
		pass(8 * time.Minute) // one poll has seen it
		if got := conditionOf("NetworkingReady"); got != "True NetworkingIsReady" {
			t.Errorf("after one poll it is %q", got)
		}
		pass(2 * time.Minute)
		if got := conditionOf("NetworkingReady"); got != "False InterfaceNotUp" {
			t.Fatalf("after two polls it is %q", got)
		}
		n, err := client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil || !strings.Contains(n.Status.Conditions[2].Message, `"eth1"`) && !strings.Contains(n.Status.Conditions[1].Message, `"eth1"`) {
			t.Errorf("no condition names the interface: %+v, %v", n.Status.Conditions, err)
		}
		r.setState(nodes.On)
		pass(30 * time.Minute)
		if got := conditionOf("NetworkingReady"); got != "False InterfaceNotUp" {
			t.Errorf("the link is up again and the condition %q, want it latched", got)
		}
		restart(t, client, 1)
		pass(time.Minute)
		if got := conditionOf("NetworkingReady"); got != "True NetworkingIsReady" {
			t.Errorf("after the agent's restart it is %q", got)
		}
	})
}

func TestLinkFlap(t *testing.T) {
	runAgents(t, func(t *testing.T, r *fakeMachine, _ *fake.Clientset, pass func(time.Duration), conditionOf func(string) string) {
		pass(4 * time.Minute)
		r.setState(nodes.LinkDown)
		pass(2 * time.Minute)
		r.setState(nodes.On)
		pass(20 * time.Minute)
		if got := conditionOf("NetworkingReady"); got != "True NetworkingIsReady" {
			t.Errorf("it is %q, though no two polls saw the link down", got)
		}
	})
}

func TestOverwritesConditions(t *testing.T) {
	runAgents(t, func(t *testing.T, _ *fakeMachine, client *fake.Clientset, pass func(time.Duration), conditionOf func(string) string) {
		n, err := client.CoreV1().Nodes().Get(t.Context(), "a", metav1.GetOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range n.Status.Conditions {
			if n.Status.Conditions[i].Type == "NetworkingReady" {
				n.Status.Conditions[i].Status, n.Status.Conditions[i].Reason = corev1.ConditionFalse, "Somebody"
			}
		}
		if _, err := client.CoreV1().Nodes().UpdateStatus(t.Context(), n, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		pass(2 * time.Minute)
		if got := conditionOf("NetworkingReady"); got != "False Somebody" {
			t.Errorf("before the heartbeat it is %q", got)
		}
		pass(4 * time.Minute)
		if got := conditionOf("NetworkingReady"); got != "True NetworkingIsReady" {
			t.Errorf("after the heartbeat it is %q", got)
		}
	})
}

func TestMachineOffOrCutOff(t *testing.T) {
	for _, state := range []nodes.State{nodes.CutOff, nodes.Off} {
		runAgents(t, func(t *testing.T, r *fakeMachine, client *fake.Clientset, pass func(time.Duration), _ func(string) string) {
			r.setState(state)
			client.ClearActions()
			pass(time.Hour)
			for _, a := range client.Actions() {
				if a.GetVerb() == "patch" {
					t.Fatalf("a machine that is %s patched its node", state)
				}
			}
		})
	}
}
