package engine_test

import (
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestVolumesAreDetached counts the attachments of a volume to a node after its pods have left it.
func TestVolumesAreDetached(t *testing.T) {
	user := func(name string) any {
		return testworld.Placed(name, "n1", testworld.Template(name, "1", testworld.Mounting("data")))
	}
	for name, tc := range map[string]struct {
		changes []change.Change
		pods    []any
		want    int
	}{
		"a drain":                        {[]change.Change{change.DrainNode{Node: "n1"}}, []any{user("a")}, 0},
		"a node loss":                    {[]change.Change{change.LoseNode{Node: "n1"}}, []any{user("a")}, 0},
		"an eviction":                    {[]change.Change{change.Evict{Name: "a", Namespace: "default"}}, []any{user("a")}, 0},
		"another mounts it there":        {[]change.Change{change.Evict{Name: "a", Namespace: "default"}}, []any{user("a"), user("b")}, 1},
		"and is removed after the first": {[]change.Change{change.Evict{Name: "a", Namespace: "default"}, change.Evict{Name: "b", Namespace: "default"}}, []any{user("a"), user("b")}, 0},
	} {
		t.Run(name, func(t *testing.T) {
			volume := "pv-data"
			attachment := &storagev1.VolumeAttachment{
				ObjectMeta: metav1.ObjectMeta{Name: "csi-1"},
				Spec:       storagev1.VolumeAttachmentSpec{NodeName: "n1", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: &volume}},
			}
			o := testworld.Of(append(tc.pods, testworld.Node("n1", "a"), testworld.Node("n2", "b"), testworld.ZonalClaim("data", "a"), attachment)...).Run(t, tc.changes...)
			if left := o.World.Attachments(volume); len(left) != tc.want {
				t.Errorf("attachments left: %v, want %d", left, tc.want)
			}
		})
	}
}
