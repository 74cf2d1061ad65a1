package scheduling_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"pgregory.net/rapid"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// TestVolumeFootprint has pods mount few volumes on few nodes that take few of them, by claims of which several may mean the same
// volume. What NodeVolumeLimits says of one pod must hold for others only where they differ in nothing that it sees.
func TestVolumeFootprint(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		snapshot := snapshotOf()
		for i := range 3 {
			drivers := aCSINode(t)
			drivers.Name = fmt.Sprintf("n%d", i)
			snapshot = snapshot.With(cluster.Put(node(drivers.Name)), cluster.Put(drivers), cluster.Put(aClass(t)))
		}
		older := often(t, 2, "older")
		volume := func(i int) *corev1.PersistentVolume {
			v := aVolume(t)
			v.Name, v.Spec.NodeAffinity, v.Labels = fmt.Sprintf("v%d", i), nil, nil
			v.Spec.CSI.VolumeHandle = fmt.Sprintf("vol-%d", rapid.IntRange(0, 1).Draw(t, "handle"))
			if older && rapid.Bool().Draw(t, "of an older form") {
				v.Spec.PersistentVolumeSource = corev1.PersistentVolumeSource{
					AWSElasticBlockStore: &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: v.Spec.CSI.VolumeHandle},
				}
			}
			return v
		}
		claim := func(i int) *corev1.PersistentVolumeClaim {
			c := aClaim(t)
			c.Name, c.UID = fmt.Sprintf("c%d", i), types.UID(fmt.Sprintf("c%d", i))
			if c.Spec.VolumeName == "" && !often(t, 6, "unbound") {
				c.Spec.VolumeName = fmt.Sprintf("v%d", i)
			}
			return c
		}
		for i := range 4 {
			snapshot = snapshot.With(cluster.Put(volume(i)), cluster.Put(claim(i)))
		}
		for i, owner := range []string{"p", "q", "r"} {
			its := claim(i)
			its.Name, its.UID = owner+"-0", types.UID(owner+"-0")
			its.OwnerReferences = []metav1.OwnerReference{{APIVersion: "v1", Kind: "Pod", Name: owner, UID: types.UID(owner), Controller: new(true)}}
			snapshot = snapshot.With(cluster.Put(its))
		}
		judge := judgeOfWorld(t, snapshot)
		asked := []*corev1.Pod{pod("p", mounting(t)), pod("q", mounting(t)), pod("r", mounting(t))}
		for range rapid.IntRange(5, 25).Draw(t, "steps") {
			var edit cluster.Edit
			switch rapid.IntRange(0, 7).Draw(t, "what") {
			case 0:
				edit = cluster.Put(anAttachment(t))
			case 1:
				edit = cluster.Put(aCSINode(t))
			case 2:
				edit = cluster.Put(claim(rapid.IntRange(0, 3).Draw(t, "which")))
			case 3:
				edit = cluster.Put(volume(rapid.IntRange(0, 3).Draw(t, "which")))
			default:
				name := fmt.Sprintf("r%d", rapid.IntRange(0, 5).Draw(t, "pod"))
				edit = cluster.Put(pod(name, mounting(t), on(fmt.Sprintf("n%d", rapid.IntRange(0, 2).Draw(t, "on")))))
			}
			if err := judge.Apply(edit); err != nil {
				t.Fatal(err)
			}
			for _, p := range asked {
				sameVerdict(t, judge, p)
			}
		}
	})
}

// mounting adds a volume or two, most of them by a claim.
func mounting(t *rapid.T) func(*corev1.Pod) {
	return func(p *corev1.Pod) {
		for i := range rapid.IntRange(1, 2).Draw(t, "volumes") {
			v := corev1.Volume{Name: fmt.Sprint(i)}
			switch rapid.IntRange(0, 9).Draw(t, "source") {
			case 0:
				v.EmptyDir = &corev1.EmptyDirVolumeSource{}
			case 1:
				v.Ephemeral = &corev1.EphemeralVolumeSource{}
			case 2:
				v.AWSElasticBlockStore = &corev1.AWSElasticBlockStoreVolumeSource{VolumeID: fmt.Sprintf("vol-%d", rapid.IntRange(0, 3).Draw(t, "id"))}
			default:
				v.PersistentVolumeClaim = &corev1.PersistentVolumeClaimVolumeSource{ClaimName: fmt.Sprintf("c%d", rapid.IntRange(0, 3).Draw(t, "claim"))}
			}
			p.Spec.Volumes = append(p.Spec.Volumes, v)
		}
	}
}

func judgeOfWorld(t *rapid.T, snapshot *cluster.Snapshot) *scheduling.Judge {
	t.Helper()
	judge, err := scheduling.New(t.Context(), snapshot, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}
