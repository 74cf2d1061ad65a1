package agreement

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/tools/cache"
	retry "k8s.io/client-go/tools/watch"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/benchmark"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/lab/controlplane"
)

// BenchmarkPlacing has the real scheduler and then the judge place the same pods in the same cluster. The judge should place
// 20 while the scheduler places one.
//
// The scheduler looks at every node, as the judge does, and may send as many requests as it can; beside it run etcd and the
// API server and nothing else. It is measured from its first bind to its last, the pods all being in its queue. Pods that
// spread do so over zones, those of one app among themselves.
func BenchmarkPlacing(b *testing.B) {
	for _, nodes := range []int{100, 500, 1000, 5000} {
		pods := 1000
		if nodes > 1000 {
			pods = 300 // the scheduler takes as long for them
		}
		for _, kind := range []string{"plain", "spread"} {
			b.Run(fmt.Sprintf("%s/%d-nodes", kind, nodes), func(b *testing.B) {
				l := newLab(b)
				for b.Loop() {
					real, judged := l.race(b, nodes, pods, kind == "spread")
					b.ReportMetric(judged, "pods/s")
					benchmark.Alternative(b, "scheduler", real, "pods/s")
					benchmark.Target(b, 20, "scheduler", "pods/s")
				}
				b.ReportMetric(0, "ns/op")
			})
		}
	}
}

// race returns how many pods each places in a second.
func (l *lab) race(b *testing.B, nodes, pods int, spread bool) (real, judged float64) {
	ctx := b.Context()
	if err := configure(100, ""); err != nil {
		b.Fatal(err)
	}
	if err := l.clear(ctx); err != nil {
		b.Fatalf("clear the cluster: %v", err)
	}
	if err := l.createAll(ctx, fullCluster(nodes, pods, spread)); err != nil {
		b.Fatal(err)
	}
	snapshot, err := cluster.Read(ctx, l.client, cluster.ReadOptions{Clock: clock.RealClock{}})
	if err != nil {
		b.Fatal(err)
	}
	if real, err = l.timeScheduler(ctx, pods); err != nil {
		b.Fatalf("time the scheduler: %v", err)
	}
	if judged, err = timeJudge(ctx, snapshot); err != nil {
		b.Fatalf("time the judge: %v", err)
	}
	return real, judged
}

// fullCluster is a cluster with two pods on each node, and the pods to be placed.
func fullCluster(nodes, pods int, spread bool) []runtime.Object {
	var objects []runtime.Object
	for i := range nodes {
		name := fmt.Sprintf("node-%04d", i)
		objects = append(objects, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{
				corev1.LabelHostname: name, corev1.LabelTopologyZone: zones[i%len(zones)],
			}},
			Status: corev1.NodeStatus{Allocatable: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse("8"), corev1.ResourceMemory: resource.MustParse("32Gi"),
				corev1.ResourcePods: resource.MustParse("110"),
			}},
		})
		for j := range 2 {
			pod := placedPod(fmt.Sprintf("%s-%d", name, j), 2*i+j, fmt.Sprint(100*(1+i%7)+50*j)+"m", false)
			pod.Spec.NodeName = name
			objects = append(objects, pod)
		}
	}
	for i := range pods {
		objects = append(objects, placedPod(fmt.Sprintf("new-%d", i), i, "250m", spread))
	}
	return objects
}

// placedPod is the i-th of its kind; there are pods of twenty apps.
func placedPod(name string, i int, cpu string, spread bool) *corev1.Pod {
	labels := map[string]string{appLabel: fmt.Sprintf("app-%d", i%20)}
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: namespaces[0], Name: name, Labels: labels},
		Spec: corev1.PodSpec{Containers: []corev1.Container{{
			Name: "main", Image: "example.com/web:1",
			Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{
				corev1.ResourceCPU: resource.MustParse(cpu), corev1.ResourceMemory: resource.MustParse("256Mi"),
			}},
		}}},
	}
	if spread {
		pod.Spec.TopologySpreadConstraints = []corev1.TopologySpreadConstraint{{
			MaxSkew: 1, TopologyKey: corev1.LabelTopologyZone, WhenUnsatisfiable: corev1.DoNotSchedule,
			LabelSelector: &metav1.LabelSelector{MatchLabels: labels},
		}}
	}
	return pod
}

func (l *lab) timeScheduler(ctx context.Context, pods int) (perSecond float64, err error) {
	list, err := l.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{Limit: 1})
	if err != nil {
		return 0, err
	}
	watcher, err := retry.NewRetryWatcherWithContext(ctx, list.ResourceVersion, &cache.ListWatch{
		WatchFuncWithContext: func(ctx context.Context, o metav1.ListOptions) (watch.Interface, error) {
			o.FieldSelector = "spec.nodeName!="
			return l.client.CoreV1().Pods("").Watch(ctx, o)
		},
	})
	if err != nil {
		return 0, err
	}
	defer watcher.Stop()
	if err := l.plane.StartComponent(ctx, controlplane.Scheduler); err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, l.plane.StopComponent(ctx, controlplane.Scheduler)) }()
	const patience = 5 * time.Minute
	var first time.Time
	for bound := 0; bound < pods; {
		select {
		case event, ok := <-watcher.ResultChan():
			if !ok {
				return 0, fmt.Errorf("the watch ended after %d pods", bound)
			}
			if event.Type != watch.Added { // a pod enters this watch when it is bound
				continue
			}
			if bound++; bound == 1 {
				first = time.Now()
			}
		case <-time.After(patience):
			return 0, fmt.Errorf("no pod was bound for %s, after %d pods", patience, bound)
		}
	}
	return float64(pods-1) / time.Since(first).Seconds(), nil
}

func timeJudge(ctx context.Context, snapshot *cluster.Snapshot) (perSecond float64, err error) {
	judge, err := scheduling.New(ctx, snapshot, scheduling.Options{})
	if err != nil {
		return 0, err
	}
	var waiting []*corev1.Pod
	for _, pod := range snapshot.Pods() {
		if pod.Spec.NodeName == "" {
			waiting = append(waiting, pod)
		}
	}
	began := time.Now()
	for _, pod := range waiting {
		placement, err := judge.Place(ctx, pod)
		if err != nil {
			return 0, err
		}
		if placement.Node == "" {
			return 0, fmt.Errorf("pod %s has no place", pod.Name)
		}
		bound := *pod
		bound.Spec.NodeName = placement.Node
		if err := judge.Apply(cluster.Put(&bound)); err != nil {
			return 0, err
		}
	}
	return float64(len(waiting)) / time.Since(began).Seconds(), nil
}
