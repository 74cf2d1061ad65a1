package reporting

import (
	"fmt"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// four are the conditions that the agent wrote before it knew accelerators.
var four = []string{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"}

// looked is a Store into which every look and log of a host was reported: all is well, and what is about accelerators is in a state.
func looked(about evidence.State) *evidence.Store {
	store := evidence.NewStore(reason.Catalogue)
	now := time.Now()
	for _, r := range reason.Catalogue {
		e := evidence.Evidence{Reason: r.ID, State: evidence.Readable, At: now, Raw: "raw"}
		if r.Polled() {
			e.State, e.Until = evidence.Well, now.Add(time.Hour)
		}
		if r.Hardware != "" {
			e.State = about
		}
		store.Add(e)
	}
	return store
}

// upgraded is a node on which the version before wrote its conditions an hour ago, and the agent's token.
func upgraded(t *testing.T, env *testbed.Environment) (name, bound string) {
	t.Helper()
	name = named(t, "n")
	node(t, env.Client, name)
	bound = token(t, env.Client, name)
	client, err := kube.Connect(kubeconfig(t, env.AdminConfig(), env.AdminConfig().Host, bound))
	if err != nil {
		t.Fatal(err)
	}
	at := time.Now().UTC().Truncate(time.Second).Add(-time.Hour)
	var conditions []kube.Condition
	for _, kind := range four {
		conditions = append(conditions, kube.Condition{Type: kind, Status: kube.True, Reason: "NoFault", Message: "none of 3 fatal reasons stands", LastHeartbeatTime: at, LastTransitionTime: at})
	}
	if _, err := client.PatchConditions(t.Context(), name, conditions); err != nil {
		t.Fatal(err)
	}
	return name, bound
}

// A node without accelerators has no condition of them, and keeps the others as they were through an update from a version that knew
// none: no status changes, not for a moment.
func TestNodeWithoutAccelerators(t *testing.T) {
	t.Parallel()
	env := guarded(t)
	name, bound := upgraded(t, env)
	began := time.Now()
	r := running(t, env, name, bound)
	r.Show(evidence.NewStore(reason.Catalogue).Snapshot(time.Now())) // No monitor has run yet.
	r.Show(looked(evidence.Inapplicable).Snapshot(time.Now()))
	testbed.Eventually(t, func() error {
		n, err := env.Client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		for _, c := range n.Status.Conditions {
			switch {
			case c.Type == "AcceleratedHardwareReady":
				t.Errorf("the node has %+v", c)
			case slices.Contains(four, string(c.Type)) && (c.Status != corev1.ConditionTrue || c.LastTransitionTime.After(began.Add(-time.Minute))):
				t.Errorf("%s has become %s at %v", c.Type, c.Status, c.LastTransitionTime)
			case slices.Contains(four, string(c.Type)) && c.LastHeartbeatTime.Time.Before(began.Add(-time.Minute)):
				return fmt.Errorf("%s is not confirmed yet", c.Type)
			}
		}
		return nil
	})
}

// A node with a GPU has the condition, which the policy lets the agent write, and no other that it does not.
func TestNodeWithGPU(t *testing.T) {
	t.Parallel()
	env := guarded(t)
	name, bound := upgraded(t, env)
	r := running(t, env, name, bound)
	store := looked(evidence.Inapplicable)
	for _, r := range reason.Catalogue {
		if r.Hardware == reason.NVIDIA {
			store.Add(evidence.Evidence{Reason: r.ID, State: evidence.Readable, At: time.Now()})
		}
	}
	r.Show(store.Snapshot(time.Now()))
	is := func(want string) {
		t.Helper()
		testbed.Eventually(t, func() error {
			if got := conditions(t, env, name); got["AcceleratedHardwareReady"] != want || len(got) != 6 {
				return fmt.Errorf("the node has %v, want %s", got, want)
			}
			return nil
		})
	}
	is("True NoFault")
	store.Add(evidence.Evidence{
		Reason: reason.NvidiaXID79Error, Entity: "0000:3b:00", State: evidence.Fault, At: time.Now(), Source: "kernel log",
		Raw: "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus.",
	})
	r.Show(store.Snapshot(time.Now()))
	is("False NvidiaXID79Error")
}
