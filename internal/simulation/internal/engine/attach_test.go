package engine_test

import (
	"fmt"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// attachment attaches a claim's volume to a node.
func attachment(claim, node string) *storagev1.VolumeAttachment {
	volume := "pv-" + claim
	return &storagev1.VolumeAttachment{
		ObjectMeta: metav1.ObjectMeta{Name: "csi-" + claim + "-" + node},
		Spec:       storagev1.VolumeAttachmentSpec{Attacher: "ebs.csi.aws.com", NodeName: node, Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
		Status:     storagev1.VolumeAttachmentStatus{Attached: true},
	}
}

// claimOf is zonalClaim with other access modes.
func claimOf(name, zone string, modes ...corev1.PersistentVolumeAccessMode) testworld.Objects {
	all := testworld.ZonalClaim(name, zone)
	all[0].(*corev1.PersistentVolumeClaim).Spec.AccessModes = modes
	all[1].(*corev1.PersistentVolume).Spec.AccessModes = modes
	return all
}

// pendingOnNode is a pod bound to a node on which none of its containers has started.
func pendingOnNode(pod *corev1.Pod) *corev1.Pod {
	pod.Status.Phase = corev1.PodPending
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}
	return pod
}

// TestAttach has pods use a single-attach volume on a second node.
func TestAttach(t *testing.T) {
	disk := testworld.Template("web", "3", testworld.Mounting("data")) // No node has capacity for two.
	small := testworld.Template("web", "1", testworld.Mounting("data"))
	shared := func() testworld.Objects {
		return testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.ZonalClaim("data", "a"))
	}
	scaled := change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 2}
	free := &storagev1.CSIDriver{ObjectMeta: metav1.ObjectMeta{Name: "ebs.csi.aws.com"}, Spec: storagev1.CSIDriverSpec{AttachRequired: new(false)}}
	waits := func(on string) *corev1.Pod { return pendingOnNode(testworld.Placed("late", on, small)) }
	two := func() testworld.Objects {
		return testworld.Of(shared(), testworld.Deployment("web", small, "n1"), attachment("data", "n1"))
	}
	for name, tc := range map[string]struct {
		world   testworld.Objects
		changes []change.Change
		want    []string
	}{
		"a rollout with a surge": {
			testworld.Of(shared(), testworld.Strategy(testworld.Deployment("web", disk, "n1"), 1, 0), attachment("data", "n1")),
			[]change.Change{testworld.NewImage},
			[]string{"waiting web-* >n2 FateAttach"},
		},
		"attachments are not known": {
			testworld.Of(shared(), testworld.Strategy(testworld.Deployment("web", disk, "n1"), 1, 0)), []change.Change{testworld.NewImage}, []string{"waiting web-* >n2 FateAttach"},
		},
		"a rollout onto the same node": {
			testworld.Of(shared()[:1], shared()[2:], testworld.Strategy(testworld.Deployment("web", small, "n1"), 1, 0), attachment("data", "n1")),
			[]change.Change{testworld.NewImage},
			[]string{"created web-* >n1", "ended web-1-a n1> FateRolled"},
		},
		"a rollout that removes the old pod first": {
			testworld.Of(shared(), testworld.Strategy(testworld.Deployment("web", disk, "n1"), 0, 1), testworld.Placed("wall", "n1", testworld.Template("wall", "1")), attachment("data", "n1")),
			[]change.Change{testworld.NewImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"a rollout that may remove it": {
			testworld.Of(shared(), testworld.Strategy(testworld.Deployment("web", disk, "n1"), 1, 1), attachment("data", "n1")),
			[]change.Change{testworld.NewImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"all pods are recreated": {
			testworld.Of(shared(), testworld.Recreating(testworld.Deployment("web", disk, "n1")), attachment("data", "n1")),
			[]change.Change{testworld.NewImage},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRecreated"},
		},
		"another replica": {
			testworld.Of(shared(), testworld.Deployment("web", disk, "n1"), attachment("data", "n1")), []change.Change{scaled}, []string{"waiting web-1-* >n2 FateAttach"},
		},
		"a driver that attaches nothing": {
			testworld.Of(shared(), testworld.Deployment("web", disk, "n1"), free), []change.Change{scaled}, []string{"created web-1-* >n2"},
		},
		"a volume for many nodes": {
			testworld.Of(shared()[:2], claimOf("data", "a", corev1.ReadWriteOnce, corev1.ReadWriteMany), testworld.Deployment("web", disk, "n1"), attachment("data", "n1")),
			[]change.Change{scaled},
			[]string{"created web-1-* >n2"},
		},
		"a volume without access modes": {
			testworld.Of(shared()[:2], claimOf("data", "a"), testworld.Deployment("web", disk, "n1"), attachment("data", "n1")),
			[]change.Change{scaled},
			[]string{"created web-1-* >n2"},
		},
		"a volume for one pod": {
			testworld.Of(shared()[:2], claimOf("data", "a", corev1.ReadWriteOncePod), testworld.Deployment("web", disk, "n1"), attachment("data", "n1")),
			[]change.Change{scaled},
			[]string{"waiting web-1-* FateUnschedulable"},
		},
		"an unused attachment is removed": {
			testworld.Of(shared(), testworld.Node("n3", "a"), testworld.Deployment("web", disk, "n1"), attachment("data", "n3")),
			[]change.Change{change.Cordon{Node: "n3"}, change.DrainNode{Node: "n1"}},
			[]string{"moved web-1-a n1>n2"},
		},
		"the old pod is removed later": {
			testworld.Of(shared(), testworld.Strategy(testworld.Deployment("web", disk, "n1"), 1, 0), attachment("data", "n1")),
			[]change.Change{testworld.NewImage, change.Cordon{Node: "n1"}, change.DeletePod{Namespace: "default", Name: "web-1-a"}},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"one that waits at the start": {
			testworld.Of(two(), waits("n2")), []change.Change{change.DrainNode{Node: "n1"}}, []string{"moved late >n2", "moved web-1-a n1>n2"},
		},
		"two that wait at the start on two nodes": {
			testworld.Of(two(), testworld.Node("n3", "a", testworld.CordonedNode), waits("n2"), pendingOnNode(testworld.Placed("other", "n3", small))),
			[]change.Change{change.Cordon{Node: "n1"}, change.DeletePod{Namespace: "default", Name: "web-1-a"}},
			[]string{"moved late >n2", "moved web-1-a n1>n2"},
		},
		"one that is still starting there keeps the volume": {
			testworld.Of(shared(), pendingOnNode(testworld.Placed("first", "n2", small)), attachment("data", "n2"), testworld.Deployment("web", testworld.Template("web", "3"), "n1")),
			[]change.Change{testworld.PatchOf("Deployment", "web", `{"spec":{"template":{"spec":{"volumes":[{"name":"data","persistentVolumeClaim":{"claimName":"data"}}]}}}}`), change.Cordon{Node: "n1"}},
			[]string{"created web-* >n2", "ended web-1-a n1> FateRolled"},
		},
		"a pending one is bound to another node": {
			testworld.Of(shared(), testworld.Deployment("web", disk, "n1"), attachment("data", "n1"), testworld.Placed("late", "", disk)),
			[]change.Change{change.Uncordon{Node: "n2"}},
			[]string{"waiting late >n2 FateAttach"},
		},
		"another pod on the old node still uses it": {
			testworld.Of(shared(), testworld.Deployment("web", small, "n1"), testworld.Placed("beside", "n1", small), attachment("data", "n1")),
			[]change.Change{change.Cordon{Node: "n1"}, change.Evict{Namespace: "default", Name: "web-1-a"}},
			[]string{"waiting web-1-a n1>n2 FateAttach"},
		},
		"until that is removed as well": {
			testworld.Of(shared(), testworld.Deployment("web", small, "n1"), testworld.Placed("beside", "n1", small), attachment("data", "n1")),
			[]change.Change{change.Cordon{Node: "n1"}, change.Evict{Namespace: "default", Name: "web-1-a"}, change.Evict{Namespace: "default", Name: "beside"}},
			[]string{"lost beside n1> FateBare", "moved web-1-a n1>n2"},
		},
		"an unreachable node keeps it": {
			testworld.Of(testworld.Node("n1", "a", testworld.UnreachableFor(100*time.Second)), testworld.Node("n2", "a"), testworld.ZonalClaim("data", "a"),
				testworld.Deployment("web", testworld.Template("web", "1", testworld.Mounting("data"), testworld.Tolerating(300)), "n1"), attachment("data", "n1")),
			[]change.Change{change.Cordon{Node: "n1"}},
			[]string{"waiting web-1-a n1>n2 FateAttach"},
		},
		"until it is removed": {
			testworld.Of(testworld.Node("n1", "a"), testworld.Node("n2", "a"), testworld.ZonalClaim("data", "a"), testworld.Deployment("web", testworld.Template("web", "1", testworld.Mounting("data"), testworld.Tolerating(300)), "n1"), attachment("data", "n1")),
			[]change.Change{change.LoseNode{Node: "n1"}},
			[]string{"delayed web-1-a n1>n2 11m50s FateDetach"},
		},
		"the pod that has it is preempted": {
			testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")), testworld.ZonalClaim("data", "a"), testworld.Deployment("web", small, "n1"), waits("n2"), attachment("data", "n1")),
			[]change.Change{change.Apply{Objects: []runtime.Object{testworld.Placed("high", "", testworld.Template("high", "1", testworld.Priority(10), onNode("n1")))}}},
			[]string{"created high >n1", "moved late >n2", "preempted web-1-a n1> by high 30s", "waiting web-1-* FateUnschedulable"},
		},
	} {
		t.Run(name, func(t *testing.T) { testworld.ExpectFates(t, tc.world.Run(t, tc.changes...), tc.want...) })
	}
}

func onNode(name string) func(*corev1.PodSpec) {
	return func(s *corev1.PodSpec) { s.NodeSelector = map[string]string{corev1.LabelHostname: name} }
}

// TestAttachOrderIsRandom schedules three pods of one new volume on three nodes: one of them runs, each in some of the futures.
func TestAttachOrderIsRandom(t *testing.T) {
	w := testworld.Of(testworld.Node("n1", "a", testworld.CPU("1")), testworld.Node("n2", "a", testworld.CPU("1")), testworld.Node("n3", "a", testworld.CPU("1")), testworld.ZonalClaim("data", "a"))
	ran := map[string]int{}
	pods := testworld.Deployment("web", testworld.Template("web", "1", testworld.Mounting("data")), "", "", "")
	err := simulation.EachFuture(t.Context(), testworld.Of(w, pods).Judge(t), []change.Change{change.Uncordon{Node: "n1"}}, simulation.Options{Seeds: 60}, func(o outcome.Outcome) error {
		runs := 0
		for _, pod := range o.World.Pods() {
			if cluster.Runs(pod) {
				runs++
				ran[pod.Name]++
			}
		}
		if runs != 1 {
			return fmt.Errorf("%d run", runs)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(ran) != 3 {
		t.Errorf("got %v", ran)
	}
}

// TestPodsSharingANewClaim: a claim bound in the simulation works as one bound before.
func TestPodsSharingANewClaim(t *testing.T) {
	claim := &corev1.PersistentVolumeClaim{
		ObjectMeta: metav1.ObjectMeta{Name: "data", Namespace: "default"},
		Spec:       corev1.PersistentVolumeClaimSpec{StorageClassName: new("gp3"), AccessModes: []corev1.PersistentVolumeAccessMode{corev1.ReadWriteOnce}},
	}
	w := testworld.Of(testworld.Node("n1", "a"), testworld.WaitForFirstConsumerClass("gp3"))
	testworld.ExpectFates(t, w.Run(t, change.Apply{Objects: []runtime.Object{claim, testworld.NewDeployment(2, testworld.Template("web", "1", testworld.Mounting("data")))}}), "created web-* >n1", "created web-* >n1")
}
