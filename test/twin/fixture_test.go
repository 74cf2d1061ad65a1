package twin

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/labtest"
)

// patience ends waits for what will not come.
const patience = testbed.Patience

// fixture is a running lab.
type fixture struct {
	*testing.T
	kubernetes.Interface
	lab     *lab.Lab
	dynamic dynamic.Interface
}

func newFixture(t *testing.T, o lab.Options) *fixture {
	t.Helper()
	testbed.Need(t)
	// A node is dead that has not reported for twelve seconds of real time, so that a busy machine is not taken for one.
	o.Flags = map[controlplane.Component][]string{controlplane.ControllerManager: {"--node-monitor-grace-period=12s"}}
	l, err := labtest.New(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	config := l.Plane.AdminConfig()
	b := &fixture{T: t, lab: l, Interface: kubernetes.NewForConfigOrDie(config), dynamic: dynamic.NewForConfigOrDie(config)}
	t.Cleanup(b.end)
	return b
}

// end stops the lab, once.
func (b *fixture) end() {
	if b.lab == nil {
		return
	}
	if err := labtest.Stop(b.lab); err != nil {
		b.Errorf("stopping the lab: %v", err)
	}
	b.lab = nil
}

// snapshot is what naosu reads.
func (b *fixture) snapshot() *cluster.Snapshot {
	b.Helper()
	s, err := cluster.Read(b.Context(), b, cluster.ReadOptions{Clock: clock.RealClock{}})
	b.must(err)
	return s
}

// pods are those on a node, all without one.
func (b *fixture) pods(node string) []corev1.Pod {
	b.Helper()
	o := metav1.ListOptions{}
	if node != "" {
		o.FieldSelector = "spec.nodeName=" + node
	}
	pods, err := b.CoreV1().Pods("").List(b.Context(), o)
	b.must(err)
	return pods.Items
}

// run says whether so many pods with each app label are ready.
func (b *fixture) run(want map[string]int) error {
	b.Helper()
	running := map[string]int{}
	for _, pod := range b.pods("") {
		if ready(&pod) {
			running[pod.Labels["app"]]++
		}
	}
	for app, n := range want {
		if running[app] != n {
			return fmt.Errorf("%d pods of %s run, want %d", running[app], app, n)
		}
	}
	return nil
}

// rollOut changes nothing of a workload but the value of an environment variable, which a snapshot leaves out.
func (b *fixture) rollOut(resource, namespace, name string, pods int) {
	b.Helper()
	old := map[types.UID]bool{}
	for _, pod := range b.pods("") {
		old[pod.UID] = true
	}
	patch := fmt.Appendf(nil, `{"spec":{"template":{"spec":{"containers":[{"name":%q,"env":[{"name":"COLOUR","value":"blue"}]}]}}}}`, name)
	b.must(b.AppsV1().RESTClient().Patch(types.StrategicMergePatchType).Namespace(namespace).Resource(resource).Name(name).
		Body(patch).Do(b.Context()).Error())
	b.await("the new "+name+" runs", func() error {
		for _, pod := range b.pods("") {
			if pod.Labels["app"] == name && old[pod.UID] {
				return errors.New(pod.Name + " is still there")
			}
		}
		return b.run(map[string]int{name: pods})
	})
}

func (b *fixture) cordon(node string) {
	b.Helper()
	_, err := b.CoreV1().Nodes().Patch(b.Context(), node, types.MergePatchType, []byte(`{"spec":{"unschedulable":true}}`), metav1.PatchOptions{})
	b.must(err)
}

// apply creates what a file says. A namespace's first pods wait for its service account.
func (b *fixture) apply(file string) {
	b.Helper()
	text, err := os.Open(file)
	b.must(err)
	defer text.Close()
	for decoder := utilyaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		o := &unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			b.Fatal(err)
		}
		resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		var target dynamic.ResourceInterface = b.dynamic.Resource(resource)
		if o.GetKind() != "PriorityClass" && o.GetKind() != "StorageClass" {
			if o.GetNamespace() == "" {
				o.SetNamespace("default")
			}
			target = b.dynamic.Resource(resource).Namespace(o.GetNamespace())
		}
		b.await(o.GetKind()+" "+o.GetName()+" can be made", func() error {
			_, err := target.Create(b.Context(), o, metav1.CreateOptions{})
			return err
		})
	}
}

func (b *fixture) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

func (b *fixture) await(what string, check func() error) {
	b.Helper()
	var last error
	err := wait.PollUntilContextTimeout(b.Context(), 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		b.Fatalf("waited %v until %s: %v", patience, what, last)
	}
}
