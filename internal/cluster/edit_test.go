package cluster_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// TestEditsEqualANewSnapshot edits at random, a few at once or many, and holds results against a Snapshot that is built of the same objects anew: some
// at once, and all at the end, in random order. What came before an edit must stay as it was.
func TestEditsEqualANewSnapshot(t *testing.T) {
	for seed := range uint64(6) {
		random := rand.New(rand.NewPCG(seed, 1))
		world, objects := cluster.New(cluster.Contents{}), map[string]runtime.Object{}
		type edited struct {
			world *cluster.Snapshot
			want  map[string]string
		}
		var all []edited
		check := func(e edited) {
			if diff := cmp.Diff(e.want, tell(e.world)); diff != "" {
				t.Fatalf("seed %d (-want +got):\n%s", seed, diff)
			}
		}
		for range 60 {
			var edits []cluster.Edit
			for range 1 + random.IntN(1+random.IntN(40)) {
				object := randomObject(random)
				name := fmt.Sprintf("%T %s/%s", object, object.GetNamespace(), object.GetName())
				if random.IntN(3) == 0 {
					edits = append(edits, cluster.Remove(object))
					delete(objects, name)
				} else {
					edits = append(edits, cluster.Put(object))
					objects[name] = object.(runtime.Object)
				}
			}
			world = world.With(edits...)
			one := edited{world, tell(cluster.New(cluster.Contents{Objects: slices.Collect(maps.Values(objects))}))}
			if all = append(all, one); random.IntN(3) == 0 {
				check(one)
			}
		}
		random.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
		for _, one := range all {
			check(one)
		}
	}
}

func randomObject(random *rand.Rand) metav1.Object {
	meta := metav1.ObjectMeta{Namespace: fmt.Sprint("ns", random.IntN(3)), Name: fmt.Sprint("set", random.IntN(20))}
	switch random.IntN(6) {
	case 0:
		meta.OwnerReferences = []metav1.OwnerReference{{Controller: new(true), UID: types.UID(fmt.Sprint("owner", random.IntN(3)))}}
		return &appsv1.ReplicaSet{ObjectMeta: meta}
	case 1:
		d := &appsv1.Deployment{ObjectMeta: meta}
		d.Spec.Template.Spec.Containers = []corev1.Container{{Image: []string{"registry.k8s.io/cpa/cpvpa:v0.8.4", "nginx"}[random.IntN(2)]}}
		return d
	default:
		return randomPod(random)
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

// tell is what a Snapshot says of its objects, each way it can be asked: which objects they are, not what is in them.
func tell(world *cluster.Snapshot) map[string]string {
	said := map[string]string{}
	ask(said, "all", world.Pods()...)
	ask(said, "vertical autoscalers", world.VerticalAutoscalers()...)
	for i := range 3 {
		owner := types.UID(fmt.Sprint("owner", i))
		ask(said, fmt.Sprint("on ", i), world.PodsOn(string(rune('a'+i)))...)
		ask(said, fmt.Sprint("of ", i), world.PodsOf(owner)...)
		ask(said, fmt.Sprint("sets of ", i), world.ReplicaSetsOf(owner)...)
		for claim := range 2 {
			ask(said, fmt.Sprint("using ", i, claim), world.PodsUsing(fmt.Sprint("ns", i), fmt.Sprint("claim", claim))...)
		}
		for n := range 40 {
			if pod := world.Pod(fmt.Sprint("ns", i), fmt.Sprint("pod", n)); pod != nil {
				ask(said, fmt.Sprint("named ", i, n), pod)
			}
		}
	}
	return said
}

func ask[T metav1.Object](said map[string]string, key string, found ...T) {
	for _, o := range found {
		said[key] += fmt.Sprintf("%s/%s %p ", o.GetNamespace(), o.GetName(), any(o))
	}
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
			tell(edited)
			if edited.With(cluster.Remove(pod)).Pod(pod.Namespace, pod.Name) != nil || edited.Pod(pod.Namespace, pod.Name) != pod {
				t.Error("an edit is lost")
			}
		})
	}
	group.Wait()
}
