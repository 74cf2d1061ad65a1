package reporting

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// running runs a Reporter with a token until the test ends.
func running(t *testing.T, env *testbed.Environment, node, token string) *report.Reporter {
	t.Helper()
	client, err := kube.Connect(kubeconfig(t, env.AdminConfig(), env.AdminConfig().Host, token))
	if err != nil {
		t.Fatal(err)
	}
	r := report.New(client, node, reason.Catalogue, slog.New(slog.NewTextHandler(t.Output(), nil)))
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var busy sync.WaitGroup
	busy.Go(func() { r.Run(ctx) })
	t.Cleanup(func() { cancel(); busy.Wait() })
	return r
}

// conditions are a Node's, "True NoFault" by type.
func conditions(t *testing.T, env *testbed.Environment, node string) map[string]string {
	t.Helper()
	n, err := env.Client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, c := range n.Status.Conditions {
		found[string(c.Type)] = string(c.Status) + " " + c.Reason
	}
	return found
}

// writes has another agent write a condition, as the EKS agent and node-problem-detector do: strategic merge patches.
func writes(t *testing.T, env *testbed.Environment, manager, node, kind, why string) {
	t.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	body := fmt.Sprintf(`{"status":{"conditions":[{"type":%q,"status":"True","reason":%q,"message":"m","lastHeartbeatTime":%q,"lastTransitionTime":%q}]}}`, kind, why, now, now)
	_, err := env.Client.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, []byte(body), metav1.PatchOptions{FieldManager: manager}, "status")
	if err != nil {
		t.Fatal(err)
	}
}

func stands(id reason.ID, entity string) evidence.Snapshot {
	now := time.Now()
	return evidence.Snapshot{At: now, Standing: []evidence.Standing{{Reason: id, Entity: entity, Since: now, Last: now, Count: 1, Raw: "raw"}}}
}

// A condition that another agent writes is left to it, whether it was there first or comes later.
func TestStandsAside(t *testing.T) {
	t.Parallel()
	env := guarded(t)
	name := named(t, "n")
	node(t, env.Client, name)
	writes(t, env, "eks-node-monitoring-agent", name, "StorageReady", "StorageIsReady")
	r := running(t, env, name, token(t, env.Client, name))
	r.Show(evidence.Snapshot{})
	shown := func(want map[string]string) {
		t.Helper()
		testbed.Eventually(t, func() error {
			got := conditions(t, env, name)
			for kind, status := range want {
				if got[kind] != status {
					return fmt.Errorf("the node has %v, want %v", got, want)
				}
			}
			return nil
		})
	}
	shown(map[string]string{"KernelReady": "True NoFault", "NetworkingReady": "True NoFault", "StorageReady": "True StorageIsReady", "ContainerRuntimeReady": "True NoFault"})

	// node-problem-detector comes, and writes one that was the agent's.
	writes(t, env, "node-problem-detector", name, "NetworkingReady", "NoProblem")
	testbed.Eventually(t, func() error {
		if aside := r.Status().OtherWriters; aside["NetworkingReady"] != "node-problem-detector" || aside["StorageReady"] != "eks-node-monitoring-agent" {
			return fmt.Errorf("left to others: %v", aside)
		}
		return nil
	})
	r.Show(stands("InterfaceNotUp", "eth1"))
	testbed.Eventually(t, func() error {
		list, err := env.Client.CoreV1().Events("default").List(t.Context(), metav1.ListOptions{FieldSelector: "involvedObject.name=" + name})
		if err != nil {
			return err
		}
		var told []string
		for _, e := range list.Items {
			told = append(told, e.Type+" "+e.Reason+" "+e.Message)
		}
		for _, want := range []string{"Warning InterfaceNotUp eth1: raw", "Normal StandsAside StorageReady: eks-node-monitoring-agent writes it", "Normal StandsAside NetworkingReady: node-problem-detector writes it"} {
			if !strings.Contains(strings.Join(told, "\n"), want) {
				return fmt.Errorf("events are %q, want %q", told, want)
			}
		}
		return nil
	})
	shown(map[string]string{"NetworkingReady": "True NoProblem", "StorageReady": "True StorageIsReady"})
}

// What the API server refuses is kept: the agent says what is wrong, and reports as soon as it may.
func TestRefusedTokens(t *testing.T) {
	t.Parallel()
	env := guarded(t)
	name := named(t, "n")
	node(t, env.Client, name)
	for what, tc := range map[string]struct{ token, says string }{
		"a token of no node":       {token(t, env.Client, ""), "bound to node (none)"},
		"a token that is nobody's": {"nobody", "401"},
	} {
		t.Run(what, func(t *testing.T) {
			r := running(t, env, name, tc.token)
			r.Show(stands("InterfaceNotUp", "eth1"))
			testbed.Eventually(t, func() error {
				if err := r.Health(); err == nil || !strings.Contains(err.Error(), tc.says) {
					return fmt.Errorf("it says %w, want %s", err, tc.says)
				}
				return nil
			})
		})
	}
	if got := conditions(t, env, name); len(got) != 1 {
		t.Errorf("the node has %v", got)
	}
}

// A Node that is not there yet is reported for once it is, and one that is made anew gets all conditions again.
func TestNodeMadeAnew(t *testing.T) {
	t.Parallel()
	env := guarded(t)
	name := named(t, "n")
	node(t, env.Client, name)
	r := running(t, env, name, token(t, env.Client, name))
	r.Show(evidence.Snapshot{})
	reported := func() error {
		if got := conditions(t, env, name); got["KernelReady"] != "True NoFault" {
			return fmt.Errorf("the node has %v", got)
		}
		return nil
	}
	testbed.Eventually(t, reported)
	if err := env.Client.CoreV1().Nodes().Delete(t.Context(), name, metav1.DeleteOptions{}); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		if r.Health() == nil {
			return fmt.Errorf("without a node it is healthy")
		}
		return nil
	})
	again := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}
	if _, err := env.Client.CoreV1().Nodes().Create(t.Context(), again, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, reported)
}
