// Package forecasts makes changes on the lab that were simulated before, and compares what happens with the forecast.
package forecasts

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// TestForecasts makes each change on a cluster of its own.
func TestForecasts(t *testing.T) {
	for _, change := range []struct {
		name string
		// prepare makes of the cluster what the change is made on; nil is nothing.
		prepare func(*fixture)
		do      func(*fixture)
		// loses says that machines end, whose nodes are removed once they are dead.
		loses bool
	}{
		{name: "drain a node", do: drainNode},
		{name: "lose a node", do: loseNode, loses: true},
		{name: "apply manifests", do: applyManifests},
		{name: "grow a DaemonSet", do: growDaemonSet},
		{name: "resize a group", do: resizeGroup},
		{name: "rotate a group", do: rotateGroup, loses: true},
		{name: "lose a zone", do: loseZone, loses: true},
		{name: "scale a StatefulSet whose first pod waits", prepare: firstPodWaits, do: scaleBehind, loses: true},
		{name: "drain the node of its next", prepare: firstPodWaits, do: drainBehind, loses: true},
	} {
		t.Run(change.name, func(t *testing.T) {
			t.Parallel()
			b := newFixture(t, change.loses)
			b.awaitSettled()
			if change.prepare != nil {
				change.prepare(b)
				b.awaitSettled()
			}
			change.do(b)
		})
	}
}

func drainNode(b *fixture) {
	node := b.nodeOf("web", b.nodeOf("lone"))
	b.checkForecast(change.DrainNode{Node: node}, realChange{
		begin: func() { b.cordon(node, true) },
		goOn:  func() error { return b.evictJobsLast(node) },
	})
}

// loseNode loses the node of the pod that is not created again.
func loseNode(b *fixture) {
	node := b.nodeOf("lone")
	b.checkForecast(change.LoseNode{Node: node}, b.losing(lab.Target{Node: node}, node))
}

// losing is the death of machines: their pods are being deleted, then a person deletes the Nodes.
func (b *fixture) losing(target lab.Target, names ...string) realChange {
	return realChange{
		begin: func() {
			_, err := b.lab.Fault(target, nodes.Off)
			b.must(err)
			b.awaitUnreachable(names)
		},
		goOn: b.collectPods,
	}
}

// awaitUnreachable waits until the pods of dead nodes are being deleted and the others have come to rest, and deletes the Nodes.
func (b *fixture) awaitUnreachable(names []string) {
	b.Helper()
	b.await("the pods of dead nodes are told to go", func() error { return b.evicted(names) })
	b.awaitSettled(names...)
	for _, name := range names {
		b.must(b.CoreV1().Nodes().Delete(b.Context(), name, metav1.DeleteOptions{}))
	}
}

func (b *fixture) evicted(names []string) error {
	for _, name := range names {
		pods, err := b.CoreV1().Pods("default").List(b.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + name})
		if err != nil {
			return err
		}
		for _, pod := range pods.Items {
			if pod.DeletionTimestamp == nil {
				return fmt.Errorf("pod %s is not", pod.Name)
			}
		}
	}
	return nil
}

func applyManifests(b *fixture) {
	objects := b.read("testdata/release.yaml")
	var typed []runtime.Object
	for _, o := range objects {
		object, err := scheme.Scheme.New(o.GroupVersionKind())
		b.must(err)
		b.must(runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, object))
		typed = append(typed, object)
	}
	b.checkForecast(change.Apply{From: "release.yaml", Objects: typed}, realChange{begin: func() { b.apply("testdata/release.yaml") }})
}

func growDaemonSet(b *fixture) {
	grown := change.GrowDaemonSet{Namespace: "kube-system", Name: "agent", Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("500m")}}
	b.checkForecast(grown, realChange{begin: func() {
		patch := `{"spec":{"template":{"spec":{"containers":[{"name":"agent","resources":{"requests":{"cpu":"500m"}}}]}}}}`
		_, err := b.AppsV1().DaemonSets("kube-system").Patch(b.Context(), "agent", types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{})
		b.must(err)
	}})
}

func resizeGroup(b *fixture) {
	b.checkForecast(change.ResizeGroup{Group: group, To: 9}, realChange{begin: func() {
		b.must(b.lab.Cloud.SetDesired(group, 9))
		b.await("nine nodes", func() error { return b.ready(9) })
	}})
}

// rotateGroup does as EKS does: new nodes come up, the old are cordoned, drained one after another, and end.
func rotateGroup(b *fixture) {
	before := b.snapshot()
	b.checkForecast(change.RotateGroup{Group: group}, realChange{
		begin: func() {
			b.must(b.lab.Cloud.Rotate(group, cloud.Rotation{Old: cloud.OldLeave}))
			b.await("the new nodes stand beside the old", func() error { return b.ready(2 * len(before.Nodes())) })
			b.awaitSettled()
			for _, node := range before.Nodes() {
				b.cordon(node.Name, true)
			}
		},
		goOn: func() error {
			if err := b.collectPods(); err != nil {
				return err
			}
			for _, node := range before.Nodes() {
				if err := b.retire(node.Name); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// retire drains a node, and ends its machine once it is empty and what it had has a place.
func (b *fixture) retire(node string) error {
	instance, there := b.lab.Cloud.InstanceByNode(node)
	if !there {
		return nil
	}
	if err := b.evictJobsLast(node); err != nil {
		return err
	}
	pods, err := b.CoreV1().Pods("default").List(b.Context(), metav1.ListOptions{FieldSelector: "spec.nodeName=" + node})
	if err != nil {
		return err
	}
	if len(pods.Items) > 0 {
		return errors.New("pods are still on " + node)
	}
	if err := errors.Join(b.jobStarted(), b.underWay()); err != nil {
		return err
	}
	return b.lab.Cloud.Terminate(instance.ID, false)
}

func loseZone(b *fixture) {
	zone, names := b.zoneOf(b.nodeOf("db"))
	b.checkForecast(change.LoseZone{Zone: zone}, b.losing(lab.Target{Zone: zone}, names...))
}

// zoneOf is a node's zone, and the nodes of that zone.
func (b *fixture) zoneOf(node string) (zone string, names []string) {
	b.Helper()
	s := b.snapshot()
	zone = cluster.Zone(s.Node(node))
	for _, n := range s.Nodes() {
		if cluster.Zone(n) == zone {
			names = append(names, n.Name)
		}
	}
	return zone, names
}

// firstPodWaits takes the zone away that the volume of the StatefulSet's first pod lives in.
func firstPodWaits(b *fixture) {
	first, err := b.CoreV1().Pods("default").Get(b.Context(), "db-0", metav1.GetOptions{})
	b.must(err)
	zone, names := b.zoneOf(first.Spec.NodeName)
	_, err = b.lab.Fault(lab.Target{Zone: zone}, nodes.Off)
	b.must(err)
	b.awaitUnreachable(names)
	b.await("the first pod waits", func() error {
		if err := b.collectPods(); err != nil {
			return err
		}
		now, err := b.CoreV1().Pods("default").Get(b.Context(), "db-0", metav1.GetOptions{})
		if err == nil && (now.UID == first.UID || now.Spec.NodeName != "") {
			err = fmt.Errorf("it is on %q", now.Spec.NodeName)
		}
		return err
	})
}

// scaleBehind scales up a StatefulSet whose first pod waits: it creates none before that one runs.
func scaleBehind(b *fixture) {
	more := change.ScaleWorkload{Kind: "StatefulSet", Namespace: "default", Name: "db", Replicas: 4}
	b.checkForecast(more, realChange{begin: func() {
		_, err := b.AppsV1().StatefulSets("default").Patch(b.Context(), "db", types.MergePatchType, []byte(`{"spec":{"replicas":4}}`), metav1.PatchOptions{})
		b.must(err)
	}})
}

// drainBehind evicts another pod of that set: it is not made again before the first runs.
func drainBehind(b *fixture) {
	node := b.nodeOf("db")
	b.checkForecast(change.DrainNode{Node: node}, realChange{
		begin: func() { b.cordon(node, true) },
		goOn:  func() error { return b.evictJobsLast(node) },
	})
}

// nodeOf is where the first pod of an app runs that is not on one of some nodes.
func (b *fixture) nodeOf(app string, but ...string) string {
	b.Helper()
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	b.must(err)
	for _, pod := range pods.Items {
		if pod.Spec.NodeName != "" && !slices.Contains(but, pod.Spec.NodeName) {
			return pod.Spec.NodeName
		}
	}
	b.Fatalf("no pod of %s runs", app)
	return ""
}

// realChange is how a change is made for real: begun once, and gone on with for as long as it takes.
type realChange struct {
	begin func()
	goOn  func() error
}

// checkForecast plays the futures of a change, makes the change, and waits until what has happened is one of them.
func (b *fixture) checkForecast(c change.Change, d realChange) {
	b.Helper()
	before := b.snapshot()
	futures := b.futures(before, c)
	foreseen := func() error {
		if err := b.underWay(); err != nil {
			return err
		}
		if differences := futures.differences(before, b.snapshot(), b.lastSeen); len(differences) > 0 {
			return fmt.Errorf("it is none of %d futures:\n%s", len(futures.endings), strings.Join(differences, "\n"))
		}
		return nil
	}
	step := func() error {
		if d.goOn != nil {
			if err := d.goOn(); err != nil {
				return err
			}
		}
		return foreseen()
	}
	// inMore checks again in maxFutures what failed in fewer.
	inMore := func(err error, check func() error) error {
		if err == nil || len(futures.endings) >= maxFutures {
			return err
		}
		futures = b.play(before, c, maxFutures)
		return check()
	}
	d.begin()
	err := inMore(b.try(step), step)
	if err == nil {
		b.awaitSettled()
		if err = inMore(foreseen(), foreseen); err != nil {
			err = fmt.Errorf("it came true and then went on: %w", err)
		}
	}
	if err != nil {
		b.Error(err) // Before what takes a page.
		b.logDecisions(before)
		b.FailNow()
	}
}
