package forecasts

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/test/program"
)

// newGeneratedFixture is a lab that many made-up worlds share, one after the other.
func newGeneratedFixture(t *testing.T) *fixture {
	t.Helper()
	l := labtest.Start(t, lab.Options{
		Pace:  pace.New(timeScale),
		Flags: flags(nodeGrace),
	})
	config := l.Plane.AdminConfig()
	b := &fixture{
		T: t, lab: l, Interface: kubernetes.NewForConfigOrDie(config), dynamic: dynamic.NewForConfigOrDie(config),
		history: &podHistory{last: map[types.UID]*corev1.Pod{}}, folder: t.TempDir(),
	}
	b.must(l.Plane.WriteKubeconfig(b.file("kubeconfig")))
	b.watch()
	b.apply("testdata/common.yaml")
	return b
}

// within is the same lab in another test.
func (b *fixture) within(t *testing.T) *fixture {
	inner := *b
	inner.T = t
	return &inner
}

// file is where a file of this name is for naosu and kubectl.
func (b *fixture) file(name string) string { return filepath.Join(b.folder, name) }

// build makes a world: its nodes, then what is applied.
func (b *fixture) build(w *world) {
	b.Helper()
	count := 0
	for _, group := range w.groups {
		b.must(b.lab.Cloud.AddGroup(group))
		count += group.Desired
	}
	b.await("the world's nodes", func() error { return b.nodesReady(count) })
	if len(w.objects) > 0 {
		b.must(os.WriteFile(b.file("world.yaml"), []byte(text(w.objects...)), 0o600))
		if err := b.kubectl("apply", "-f", b.file("world.yaml")); err != nil {
			b.Log("of the world the API server refuses:", err)
		}
	}
	b.must(b.settle(nil))
}

// nodesReady says whether so many nodes are ready, with no taint that a new node has.
func (b *fixture) nodesReady(want int) error {
	list, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	usable := 0
	for _, node := range list.Items {
		fresh := slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
			return strings.Contains(t.Key, "kubernetes.io/") && t.Key != corev1.TaintNodeUnschedulable
		})
		if readyNode(&node) && !fresh {
			usable++
		}
	}
	if usable != want || len(list.Items) != want {
		return fmt.Errorf("%d of %d nodes are ready, want %d", usable, len(list.Items), want)
	}
	return nil
}

func readyNode(node *corev1.Node) bool {
	return slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool {
		return c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue
	})
}

// worldKinds are deleted with a world, owners first.
var worldKinds = []schema.GroupVersionResource{
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	{Version: "v1", Resource: "resourcequotas"},
	{Version: "v1", Resource: "limitranges"},
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
}

// clear takes a world away.
func (b *fixture) clear(w *world) {
	b.Helper()
	for _, zone := range []string{"us-east-1a", "us-east-1b", "us-east-1c"} {
		b.must(b.lab.Cloud.RestoreZone(zone))
	}
	background := metav1.DeletePropagationBackground
	b.must(client(b.AppsV1().Deployments(markerSpace).Delete(b.Context(), marker, metav1.DeleteOptions{PropagationPolicy: &background})))
	b.await("the world is gone", func() error {
		left := 0
		for _, kind := range worldKinds {
			for _, namespace := range []string{plain, team, locked} {
				objects := b.dynamic.Resource(kind).Namespace(namespace)
				list, err := objects.List(b.Context(), metav1.ListOptions{})
				if err != nil || len(list.Items) == 0 {
					continue
				}
				left += len(list.Items)
				_ = objects.DeleteCollection(b.Context(), metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), PropagationPolicy: &background}, metav1.ListOptions{})
			}
		}
		if left > 0 {
			return fmt.Errorf("%d objects are left", left)
		}
		return nil
	})
	for _, group := range w.groups {
		b.must(b.lab.Cloud.SetDesired(group.Name, 0))
	}
	for _, i := range b.lab.Cloud.Instances() { // Those that a rotation has taken out of their group are left.
		if i.State == cloud.Running {
			b.must(b.lab.Cloud.Terminate(i.ID, false))
		}
	}
	b.await("the world's nodes and volumes are gone", func() error {
		volumes, err := b.CoreV1().PersistentVolumes().List(b.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		if len(volumes.Items) > 0 {
			return fmt.Errorf("%d volumes are left", len(volumes.Items))
		}
		list, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
		if err == nil && len(list.Items) > 0 {
			return fmt.Errorf("%d nodes are left", len(list.Items))
		}
		return err
	})
}

// refusal is what the API server, or kubectl before it, has against a change.
type refusal struct{ says string }

func (r refusal) Error() string { return r.says }

// kubectl runs the real one. Its error is a refusal.
func (b *fixture) kubectl(args ...string) error {
	binary := program.Need(b.T, "kubectl")
	out, err := exec.CommandContext(b.Context(), binary, append([]string{"--kubeconfig", b.file("kubeconfig")}, args...)...).CombinedOutput()
	if exit := (&exec.ExitError{}); errors.As(err, &exit) {
		return refusal{strings.TrimSpace(string(out))}
	}
	return err
}

// evictPod posts one Eviction, as a person would; a budget that does not allow it is no refusal of the question.
func (b *fixture) evictPod(namespace, name string) error {
	err := b.PolicyV1().Evictions(namespace).Evict(b.Context(), &policyv1.Eviction{ObjectMeta: named(namespace, name)})
	if apierrors.IsTooManyRequests(err) || apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// lossOf is the loss of the machines of the nodes that match then, after the changes before: they are switched off, their pods are being deleted, and in the end a person
// deletes the Nodes.
func lossOf(matches func(*corev1.Node) bool) step {
	return step{
		begin: func(b *fixture) error {
			var names []string
			for _, n := range b.snapshot().Nodes() {
				if matches(n) {
					names = append(names, n.Name)
				}
			}
			for _, name := range names {
				if _, err := b.lab.Fault(lab.Target{Node: name}, nodes.Off); err != nil {
					return err
				}
			}
			b.await("the nodes are found unreachable", func() error { return b.unreachable(names) })
			b.must(b.settle(nil))
			b.deleteNodes(names...)
			return nil
		},
		goOn: func(b *fixture) error { return b.collectPods() },
	}
}

// deleteNodes has a person delete the Nodes of dead machines, which their group no longer wants.
func (b *fixture) deleteNodes(names ...string) {
	b.Helper()
	for _, name := range names {
		instance, _ := b.lab.Cloud.InstanceByNode(name)
		b.must(b.lab.Cloud.Terminate(instance.ID, true))
		b.must(client(b.CoreV1().Nodes().Delete(b.Context(), name, metav1.DeleteOptions{})))
	}
}

// switchOff switches a machine off, and waits until that is known.
func (b *fixture) switchOff(name string) {
	b.Helper()
	_, err := b.lab.Fault(lab.Target{Node: name}, nodes.Off)
	b.must(err)
	b.await("the node is found unreachable", func() error { return b.unreachable([]string{name}) })
}

// client is a client's error, if what was to be deleted is not gone already.
func client(err error) error {
	if apierrors.IsNotFound(err) {
		return nil
	}
	return err
}

// unreachable says whether nodes have the taint that evicts.
func (b *fixture) unreachable(names []string) error {
	for _, name := range names {
		node, err := b.CoreV1().Nodes().Get(b.Context(), name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		if !slices.ContainsFunc(node.Spec.Taints, func(t corev1.Taint) bool {
			return t.Key == corev1.TaintNodeUnreachable && t.Effect == corev1.TaintEffectNoExecute
		}) {
			return fmt.Errorf("node %s has no such taint", name)
		}
	}
	return nil
}

// rotating replaces the nodes of a group as EKS does: new nodes come up, the old are cordoned, drained one after another, and
// end.
func rotating(group string) step {
	var old []string
	return step{
		begin: func(b *fixture) error {
			for _, i := range b.lab.Cloud.Instances() {
				if i.Group == group && i.State == cloud.Running {
					old = append(old, i.NodeName)
				}
			}
			slices.Sort(old)
			b.must(b.lab.Cloud.Rotate(group, cloud.Rotation{Old: cloud.OldLeave}))
			b.must(b.settle(func(b *fixture) error { return b.cloudAtRest() }))
			for _, name := range old {
				b.cordon(name, true)
			}
			return nil
		},
		goOn: func(b *fixture) error {
			if err := b.collectPods(); err != nil {
				return err
			}
			for _, name := range old {
				if err := b.replaced(name); err != nil {
					return err
				}
			}
			return b.cloudAtRest()
		},
	}
}

// replaced drains a node, and ends its machine once nothing is left there or on its way. It is an error until that is done.
func (b *fixture) replaced(node string) error {
	instance, there := b.lab.Cloud.InstanceByNode(node)
	if !there || instance.State != cloud.Running {
		return nil
	}
	if err := b.evict(node); err != nil {
		return err
	}
	left, err := b.underWayNow()
	if err != nil {
		return err
	}
	if fresh := slices.DeleteFunc(left, func(w work) bool { return b.stuck[w.what] }); len(fresh) > 0 {
		return errors.New(fresh[0].what)
	}
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return err
	}
	if slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool { return !ownedByDaemonSet(&p) }) {
		return nil // A budget holds them: the rotation stops here.
	}
	return errors.Join(b.lab.Cloud.Terminate(instance.ID, false), errors.New("a machine ends"))
}

// toleratesUnreachable says whether a pod is never evicted from an unreachable node.
func toleratesUnreachable(pod *corev1.Pod) bool {
	return ownedByDaemonSet(pod) || slices.ContainsFunc(pod.Spec.Tolerations, func(t corev1.Toleration) bool {
		return t.Operator == corev1.TolerationOpExists && (t.Key == "" || t.Key == corev1.TaintNodeUnreachable) && t.TolerationSeconds == nil
	})
}

// resizing gives a group another size, and deletes the pods of nodes that are gone with it.
func resizing(group string, to int) step {
	return step{
		begin: func(b *fixture) error { return b.lab.Cloud.SetDesired(group, to) },
		goOn: func(b *fixture) error {
			if err := b.collectPods(); err != nil {
				return err
			}
			return b.cloudAtRest()
		},
	}
}

// cloudAtRest says whether every machine is as its group wants it, and a Node.
func (b *fixture) cloudAtRest() error {
	running := 0
	for _, i := range b.lab.Cloud.Instances() {
		switch {
		case i.State == cloud.Terminated:
		case i.State != cloud.Running || !i.Booted:
			return errors.New("a machine starts or ends")
		default:
			running++
		}
	}
	return b.nodesReady(running)
}

// desired are the sizes that groups want.
func (b *fixture) desired() map[string]int {
	sizes := map[string]int{}
	for _, group := range b.lab.Cloud.Groups() {
		sizes[group.Name] = group.Desired
	}
	return sizes
}
