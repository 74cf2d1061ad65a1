package cluster_test

import (
	"fmt"
	"math/rand/v2"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// TestEditsEqualANewSnapshot edits at random, a few at once or many, and holds each result against a Snapshot that is
// built of the same objects anew. What came before an edit must stay as it was.
func TestEditsEqualANewSnapshot(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		world, want := cluster.New(cluster.Contents{}), map[types.NamespacedName]*corev1.Pod{}
		for range 60 {
			before, told := world, tell(world)
			var edits []cluster.Edit
			for range 1 + random.IntN(1+random.IntN(40)) {
				pod := randomPod(random)
				name := types.NamespacedName{Namespace: pod.Namespace, Name: pod.Name}
				if random.IntN(3) == 0 {
					edits = append(edits, cluster.Remove(pod))
					delete(want, name)
				} else {
					edits = append(edits, cluster.Put(pod))
					want[name] = pod
				}
			}
			world = world.With(edits...)
			var objects []runtime.Object
			for _, pod := range want {
				objects = append(objects, pod)
			}
			if diff := cmp.Diff(tell(cluster.New(cluster.Contents{Objects: objects})), tell(world)); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
			}
			if diff := cmp.Diff(told, tell(before)); diff != "" {
				t.Fatalf("seed %d: an edit changed what it came from (-before +after):\n%s", seed, diff)
			}
		}
	}
}

func randomPod(random *rand.Rand) *corev1.Pod {
	pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: fmt.Sprint("ns", random.IntN(3)), Name: fmt.Sprint("pod", random.IntN(40))}}
	pod.Spec.NodeName = []string{"", "a", "b", "c"}[random.IntN(4)]
	pod.OwnerReferences = []metav1.OwnerReference{{Controller: new(true), UID: types.UID(fmt.Sprint("owner", random.IntN(3)))}}
	for i := range random.IntN(3) {
		pod.Spec.Volumes = append(pod.Spec.Volumes, corev1.Volume{Name: fmt.Sprint(i), VolumeSource: corev1.VolumeSource{
			PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprint("claim", random.IntN(2))},
		}})
	}
	return pod
}

// tell is what a Snapshot says of its pods, each way it can be asked: which objects they are, not what is in them.
func tell(world *cluster.Snapshot) map[string]string {
	said := map[string]string{}
	ask := func(key string, pods ...*corev1.Pod) {
		for _, pod := range pods {
			said[key] += fmt.Sprintf("%s/%s %p ", pod.Namespace, pod.Name, pod)
		}
	}
	ask("all", world.Pods()...)
	for i := range 3 {
		ask(fmt.Sprint("on ", i), world.PodsOn(string(rune('a'+i)))...)
		ask(fmt.Sprint("of ", i), world.PodsOf(types.UID(fmt.Sprint("owner", i)))...)
		for claim := range 2 {
			ask(fmt.Sprint("using ", i, claim), world.PodsUsing(fmt.Sprint("ns", i), fmt.Sprint("claim", claim))...)
		}
		for n := range 40 {
			if pod := world.Pod(fmt.Sprint("ns", i), fmt.Sprint("pod", n)); pod != nil {
				ask(fmt.Sprint("named ", i, n), pod)
			}
		}
	}
	return said
}

// TestSnapshotIsSafeForSeveralReaders is for the race detector.
func TestSnapshotIsSafeForSeveralReaders(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	world := cluster.New(cluster.Contents{})
	for range 50 {
		world = world.With(cluster.Put(randomPod(random)))
	}
	pods := []*corev1.Pod{randomPod(random), randomPod(random), randomPod(random), randomPod(random)}
	var group sync.WaitGroup
	for _, pod := range pods {
		group.Go(func() {
			edited := world.With(cluster.Put(pod))
			tell(world)
			if edited.With(cluster.Remove(pod)).Pod(pod.Namespace, pod.Name) != nil || edited.Pod(pod.Namespace, pod.Name) != pod {
				t.Error("an edit is lost")
			}
		})
	}
	group.Wait()
}
