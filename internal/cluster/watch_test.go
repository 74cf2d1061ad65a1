package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/fake"
	clienttesting "k8s.io/client-go/testing"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// watch runs a test beside a Watch, in a bubble of fake time.
func watch(t *testing.T, client *fake.Clientset, test func(t *testing.T, w *cluster.Watch), without ...cluster.Kind) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w, err := cluster.NewWatch(client, clock.RealClock{}, without...)
		if err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan struct{})
		go func() {
			w.Run(ctx)
			close(done)
		}()
		defer func() {
			cancel()
			<-done
		}()
		if err := w.Ready(t.Context()); err != nil {
			t.Fatal(err)
		}
		test(t, w)
	})
}

// pass lets time pass, and whatever happens in it.
func pass(d time.Duration) {
	<-time.After(d)
	synctest.Wait()
}

func podNames(world *cluster.Snapshot) []string {
	var names []string
	for _, pod := range world.Pods() {
		names = append(names, pod.Namespace+"/"+pod.Name+" on "+pod.Spec.NodeName)
	}
	return names
}

func TestWatchFollows(t *testing.T) {
	client := fake.NewClientset(clustertest.Load(t, "testdata/small.yaml")...)
	pods := client.CoreV1().Pods("redash")
	watch(t, client, func(t *testing.T, w *cluster.Watch) {
		before := w.Snapshot()
		told := podNames(before)
		made := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "redash", Name: "a", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: "m"}}}}
		made.Spec.Containers = []corev1.Container{{Name: "c", Env: []corev1.EnvVar{{Name: "TOKEN", Value: "hush"}}}}
		steps := []func() error{
			func() error { _, err := pods.Create(t.Context(), made, metav1.CreateOptions{}); return err },
			func() error {
				orderedObject := made.DeepCopy()
				orderedObject.Spec.NodeName = "node-a"
				_, err := pods.Update(t.Context(), orderedObject, metav1.UpdateOptions{})
				return err
			},
			func() error { return pods.Delete(t.Context(), "redis-0", metav1.DeleteOptions{}) },
		}
		for _, step := range steps {
			if err := step(); err != nil {
				t.Fatal(err)
			}
			synctest.Wait()
			w.Snapshot()
		}
		after := w.Snapshot()
		want := append([]string{"redash/a on node-a"}, slices.DeleteFunc(slices.Clone(told), func(s string) bool { return s == "redash/redis-0 on " })...)
		if diff := cmp.Diff(want, podNames(after)); diff != "" {
			t.Errorf("after (-want +got):\n%s", diff)
		}
		if diff := cmp.Diff(told, podNames(before)); diff != "" {
			t.Errorf("what was asked for before has changed (-before +after):\n%s", diff)
		}
		pod := after.Pod("redash", "a")
		if pod.ManagedFields != nil || pod.Spec.Containers[0].Env[0].Value != "" || !slices.Contains(after.PodsOn("node-a"), pod) {
			t.Errorf("managed fields %v, environment %v, on its node %v", pod.ManagedFields, pod.Spec.Containers[0].Env, after.PodsOn("node-a"))
		}
		if !after.Taken().Equal(time.Now()) || after.Server() == "" || after.Knowledge(cluster.Pod) != cluster.Complete || after.Knowledge(cluster.ConfigMap) != cluster.Partial {
			t.Errorf("Taken() = %v, Server() = %q, pods %s, ConfigMaps %s", after.Taken(), after.Server(), after.Knowledge(cluster.Pod), after.Knowledge(cluster.ConfigMap))
		}
	})
}

func TestWatchKnowsWhatItMayNotSee(t *testing.T) {
	client := fake.NewClientset(clustertest.Load(t, "testdata/small.yaml")...)
	var allowed atomic.Bool
	for resource, refusal := range map[string]error{
		"leases":         apierrors.NewForbidden(schema.GroupResource{Resource: "leases"}, "", nil),
		"resourceslices": apierrors.NewNotFound(schema.GroupResource{Resource: "resourceslices"}, ""),
	} {
		client.PrependReactor("list", resource, func(clienttesting.Action) (bool, runtime.Object, error) { return !allowed.Load(), nil, refusal })
	}
	watch(t, client, func(t *testing.T, w *cluster.Watch) {
		known := func() []cluster.Knowledge {
			world := w.Snapshot()
			return []cluster.Knowledge{world.Knowledge(cluster.Lease), world.Knowledge(cluster.ResourceSlice), world.Knowledge(cluster.Node)}
		}
		if diff := cmp.Diff([]cluster.Knowledge{cluster.Forbidden, cluster.Absent, cluster.Complete}, known()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		allowed.Store(true)
		pass(5 * time.Minute)
		if diff := cmp.Diff([]cluster.Knowledge{cluster.Complete, cluster.Complete, cluster.Complete}, known()); diff != "" {
			t.Errorf("once it may be read (-want +got):\n%s", diff)
		}
	})
}

// TestWatchDoesNotTakeSilenceForHealth stops answering: the Snapshot says as of when it is, until there are answers again.
func TestWatchDoesNotTakeSilenceForHealth(t *testing.T) {
	client := fake.NewClientset(clustertest.Load(t, "testdata/small.yaml")...)
	var silent atomic.Bool
	client.PrependReactor("list", "namespaces", func(clienttesting.Action) (bool, runtime.Object, error) {
		return silent.Load(), nil, errors.New("no route to host")
	})
	watch(t, client, func(t *testing.T, w *cluster.Watch) {
		pass(time.Minute)
		silent.Store(true)
		since := time.Now()
		pass(10 * time.Minute)
		if at := w.Snapshot().Taken(); at.Before(since.Add(-15*time.Second)) || at.After(since) {
			t.Errorf("Taken() = %v, and nothing was heard since %v", at, since)
		}
		silent.Store(false)
		pass(time.Minute)
		if at := w.Snapshot().Taken(); !at.Equal(time.Now()) {
			t.Errorf("Taken() = %v once there are answers again, want %v", at, time.Now())
		}
	})
}

// TestWatchReadsParametersOnly sees every request: no Secret, and of ConfigMaps the autoscaler's only.
func TestWatchReadsParametersOnly(t *testing.T) {
	autoscaler := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "autoscaler"}}
	autoscaler.Spec.Template.Spec = corev1.PodSpec{
		Containers: []corev1.Container{{Image: "cpvpa:v0.8"}},
		Volumes:    []corev1.Volume{{VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "steps"}}}}},
	}
	steps := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "steps"}, Data: map[string]string{"a": "1"}}
	client := fake.NewClientset(autoscaler, steps, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Namespace: "kube-system", Name: "other"}}, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "s"}})
	configMaps := client.CoreV1().ConfigMaps("kube-system")
	watch(t, client, func(t *testing.T, w *cluster.Watch) {
		pass(time.Minute)
		if got := w.Snapshot().ConfigMaps(); len(got) != 1 || got[0].Data["a"] != "1" {
			t.Fatalf("ConfigMaps = %v", got)
		}
		changed := steps.DeepCopy()
		changed.Data["a"] = "2"
		if _, err := configMaps.Update(t.Context(), changed, metav1.UpdateOptions{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if got := w.Snapshot().ConfigMaps(); len(got) != 1 || got[0].Data["a"] != "2" {
			t.Errorf("ConfigMaps = %v", got)
		}
		if err := configMaps.Delete(t.Context(), "steps", metav1.DeleteOptions{}); err != nil {
			t.Fatal(err)
		}
		pass(time.Minute)
		if got := w.Snapshot().ConfigMaps(); len(got) != 0 {
			t.Errorf("ConfigMaps = %v", got)
		}
		for _, action := range client.Actions() {
			get, ok := action.(clienttesting.GetAction)
			named := ok && get.GetName() == "steps" || action.GetVerb() == "update" || action.GetVerb() == "delete"
			if resource := action.GetResource().Resource; resource == "secrets" || resource == "configmaps" && !named {
				t.Errorf("it asks for %s: %v", resource, action)
			}
		}
	})
}

// TestWatchLetsGoOfWhatIsGone: in a long life, a Watch holds little beside the present.
func TestWatchLetsGoOfWhatIsGone(t *testing.T) {
	client := fake.NewClientset()
	pods := client.CoreV1().Pods("x")
	watch(t, client, func(t *testing.T, w *cluster.Watch) {
		const present = 20
		for i := range 200 {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "x", Name: fmt.Sprintf("pod-%04d", i)}}
			if _, err := pods.Create(t.Context(), pod, metav1.CreateOptions{}); err != nil {
				t.Fatal(err)
			}
			if i >= present {
				if err := pods.Delete(t.Context(), fmt.Sprintf("pod-%04d", i-present), metav1.DeleteOptions{}); err != nil {
					t.Fatal(err)
				}
			}
			synctest.Wait()
			if over := w.Snapshot().Overlaid(); over > present {
				t.Fatalf("after %d pods %d are held beside the %d that there are", i, over, present)
			}
		}
		if got := len(w.Snapshot().Pods()); got != present {
			t.Errorf("%d pods, want %d", got, present)
		}
	})
}

// TestWatchNetwork: a network takes the place of the one before, and nothing is known of a part that could not be read.
func TestWatchNetwork(t *testing.T) {
	watch(t, fake.NewClientset(), func(t *testing.T, w *cluster.Watch) {
		if w.Snapshot().HasNetwork() {
			t.Error("there is a network that nobody told of")
		}
		w.SetNetwork(cloud.Network{Subnets: []cloud.Subnet{{ID: "s0", Zone: "a", Free: 7}, {ID: "s1"}}, Interfaces: []cloud.Interface{{ID: "eni-0"}}})
		unread := map[cloud.NetworkPart]cloud.Unread{cloud.Interfaces: {Permission: "ec2:DescribeNetworkInterfaces"}, cloud.Instances: {Err: "a timeout"}}
		w.SetNetwork(cloud.Network{Subnets: []cloud.Subnet{{ID: "s0", Zone: "a", Free: 3}}, Unread: unread})
		world := w.Snapshot()
		if diff := cmp.Diff(cloud.Network{Subnets: []cloud.Subnet{{ID: "s0", Zone: "a", Free: 3}}, Unread: unread}, world.Network()); diff != "" {
			t.Errorf("(-want +got):\n%s", diff)
		}
		for kind, want := range map[cluster.Kind]cluster.Knowledge{
			cluster.Subnet: cluster.Complete, cluster.NetworkInterface: cluster.Forbidden, cluster.Instance: cluster.Absent, cluster.AutoScalingGroup: cluster.Complete,
		} {
			if got := world.Knowledge(kind); got != want {
				t.Errorf("%s is %s, want %s", kind, got, want)
			}
		}
	})
}

// What is left out is not asked for, and of leases only the nodes' are.
func TestWatchWithout(t *testing.T) {
	lease := func(namespace string) *coordinationv1.Lease {
		return &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: "n1"}}
	}
	event := &corev1.Event{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: "e"}}
	client := fake.NewClientset(lease(corev1.NamespaceNodeLease), lease("kube-system"), event)
	watch(t, client, func(t *testing.T, w *cluster.Watch) {
		world := w.Snapshot()
		if world.Knowledge(cluster.Event) != cluster.Absent || len(world.AllEvents()) > 0 {
			t.Errorf("of Events %v are known, %s", world.AllEvents(), world.Knowledge(cluster.Event))
		}
		if world.Lease(corev1.NamespaceNodeLease, "n1") == nil || len(world.Leases()) != 1 {
			t.Errorf("it knows the leases %v", world.Leases())
		}
	}, cluster.Event)
	for _, asked := range client.Actions() {
		if resource := asked.GetResource().Resource; resource == "events" || resource == "leases" && asked.GetNamespace() != corev1.NamespaceNodeLease {
			t.Errorf("it asks to %s %s in %q", asked.GetVerb(), resource, asked.GetNamespace())
		}
	}
}
