package cluster_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster"
)

func TestLocalData(t *testing.T) {
	volume := func(name string, source corev1.VolumeSource) corev1.Volume {
		return corev1.Volume{Name: name, VolumeSource: source}
	}
	claimed := func(claim string) corev1.VolumeSource {
		return corev1.VolumeSource{PersistentVolumeClaim: &corev1.PersistentVolumeClaimVolumeSource{ClaimName: claim}}
	}
	all := []corev1.Volume{
		volume("scratch", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
		volume("memory", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumMemory}}),
		volume("pages", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{Medium: corev1.StorageMediumHugePages}}),
		volume("host", corev1.VolumeSource{HostPath: &corev1.HostPathVolumeSource{Path: "/data"}}),
		volume("config", corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}),
		volume("disk", claimed("disk")), volume("network", claimed("network")), volume("unbound", claimed("unbound")), volume("absent", claimed("absent")),
		volume("own", corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{}}),
	}
	var objects []runtime.Object
	for claim, source := range map[string]corev1.PersistentVolumeSource{
		"disk":     {Local: &corev1.LocalVolumeSource{Path: "/mnt"}},
		"network":  {CSI: &corev1.CSIPersistentVolumeSource{Driver: "ebs.csi.aws.com"}},
		"db-0-own": {HostPath: &corev1.HostPathVolumeSource{Path: "/x"}},
	} {
		objects = append(objects,
			&corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: claim}, Spec: corev1.PersistentVolumeClaimSpec{VolumeName: "pv-" + claim}},
			&corev1.PersistentVolume{ObjectMeta: metav1.ObjectMeta{Name: "pv-" + claim}, Spec: corev1.PersistentVolumeSpec{PersistentVolumeSource: source}})
	}
	objects = append(objects, &corev1.PersistentVolumeClaim{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "unbound"}})
	world := cluster.New(cluster.Contents{Objects: objects})
	for name, tc := range map[string]struct {
		world       *cluster.Snapshot
		annotations map[string]string
		want        []string
	}{
		"in a world":    {world, nil, []string{"scratch", "host", "disk", "own"}},
		"in none":       {nil, nil, []string{"scratch", "host"}},
		"may be lost":   {world, map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "true"}, nil},
		"may not":       {nil, map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict": "false"}, []string{"scratch", "host"}},
		"some may be":   {world, map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": "scratch,disk"}, []string{"host", "own"}},
		"not by prefix": {nil, map[string]string{"cluster-autoscaler.kubernetes.io/safe-to-evict-local-volumes": "scratches,hos"}, []string{"scratch", "host"}},
	} {
		t.Run(name, func(t *testing.T) {
			pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "db-0", Annotations: tc.annotations}, Spec: corev1.PodSpec{Volumes: all}}
			if diff := cmp.Diff(tc.want, tc.world.LocalData(pod)); diff != "" {
				t.Errorf("volumes (-want +got):\n%s", diff)
			}
		})
	}
}
