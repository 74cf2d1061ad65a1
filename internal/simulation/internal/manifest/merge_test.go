package manifest_test

import (
	"encoding/json"
	"slices"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// Without what was applied last, it is not known how a manifest is merged where the object has fields that the manifest lacks. On the server, who owns the
// fields that it changes is not known either.
func TestUnknownMerge(t *testing.T) {
	live := func(edits ...func(*appsv1.Deployment)) testworld.Objects {
		objects := testworld.Deployment("web", testworld.Template("web", "1"), "n1")
		for _, edit := range edits {
			edit(objects[0].(*appsv1.Deployment))
		}
		return testworld.Of(testworld.Node("n1", "a"), objects)
	}
	tolerating := func(d *appsv1.Deployment) {
		d.Spec.Template.Spec.Tolerations = []corev1.Toleration{{Key: "spot", Operator: corev1.TolerationOpExists}}
	}
	rolledOut := func(d *appsv1.Deployment) {
		d.Annotations = map[string]string{"deployment.kubernetes.io/revision": "7"}
	}
	defaulted := func(d *appsv1.Deployment) { admission.Default(d) }
	labeled := func(d *appsv1.Deployment) { d.Labels = map[string]string{"team": "a"} }
	restarted := func(d *appsv1.Deployment) {
		d.Spec.Template.Annotations = map[string]string{"kubectl.kubernetes.io/restartedAt": "2026-11-27T10:00:00Z"}
	}
	checksum := func(d *appsv1.Deployment) { d.Spec.Template.Annotations = map[string]string{"checksum/config": "1"} }
	scaled := func(d *appsv1.Deployment) { d.Spec.Replicas = new(int32(3)) }
	const unknown = "It is not known how the manifest is merged into deployment/web: the snapshot does not contain the manifest that was applied last. " +
		"Fields that the manifest does not have are assumed to stay."
	const unknownOwners = "It is not known how the manifest is merged into deployment/web: the snapshot does not contain the owners of its fields. " +
		"Fields that the manifest does not have are assumed to stay, without conflicts with other owners."
	for name, tc := range map[string]struct {
		world    testworld.Objects
		replicas int
		server   bool
		want     string
	}{
		"the same":                                {live(), 1, false, ""},
		"the same, on the server":                 {live(), 1, true, ""},
		"the API server's defaults":               {live(defaulted), 1, false, ""},
		"what the Deployment controller adds":     {live(rolledOut), 1, false, ""},
		"a field that the manifest lacks":         {live(tolerating), 1, false, unknown},
		"a label that the manifest lacks":         {live(labeled), 1, false, unknown},
		"an annotation of the template":           {live(checksum), 1, false, unknown},
		"the annotation of a restart":             {live(restarted), 1, false, ""},
		"replicas that the manifest lacks":        {live(scaled), 0, false, unknown},
		"a field that it changes":                 {live(), 2, false, ""},
		"a field that it changes, on the server":  {live(), 2, true, unknownOwners},
		"a field that it lacks, on the server":    {live(tolerating), 1, true, unknownOwners},
		"what it creates":                         {testworld.Of(testworld.Node("n1", "a")), 1, false, ""},
		"what it creates, on the server, as well": {testworld.Of(testworld.Node("n1", "a")), 1, true, ""},
	} {
		t.Run(name, func(t *testing.T) {
			manifest := testworld.NewDeployment(int32(tc.replicas), testworld.Template("web", "1"))
			if tc.replicas == 0 {
				manifest.Spec.Replicas = nil
			}
			expectMergeSaid(t, tc.world, apply(t, tc.server, manifest), tc.want)
		})
	}
}

// Many objects are one sentence.
func TestUnknownMerges(t *testing.T) {
	world := testworld.Of(testworld.Node("n1", "a"))
	var manifests []runtime.Object
	for _, name := range []string{"a", "b", "c", "d", "e", "f", "g"} {
		deployment := testworld.Deployment(name, testworld.Template(name, "100m"), "n1")
		deployment[0].(*appsv1.Deployment).Labels = map[string]string{"team": "a"}
		world = testworld.Of(world, deployment)
		manifest := testworld.NewDeployment(1, testworld.Template(name, "100m"))
		manifest.Name = name
		manifests = append(manifests, manifest)
	}
	expectMergeSaid(t, world, apply(t, false, manifests...), "It is not known how the manifests are merged into deployment/a, deployment/b, deployment/c, deployment/d, deployment/e and "+
		"2 more: the snapshot does not contain the manifests that were applied last. Fields that the manifests do not have are assumed to stay.")
}

// apply is the change that applies Deployments as they are written in a file.
func apply(t *testing.T, serverSide bool, deployments ...runtime.Object) change.Apply {
	t.Helper()
	c := change.Apply{From: "x.yaml", Objects: deployments, ServerSide: serverSide}
	for _, o := range deployments {
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		var written map[string]any
		if err := json.Unmarshal(data, &written); err != nil {
			t.Fatal(err)
		}
		delete(written, "status")
		written["apiVersion"], written["kind"] = "apps/v1", "Deployment"
		c.Written = append(c.Written, written)
	}
	return c
}

// expectMergeSaid checks what is said about how manifests are merged; "" is nothing.
func expectMergeSaid(t *testing.T, world testworld.Objects, c change.Apply, want string) {
	t.Helper()
	var said []string
	for _, gap := range world.Run(t, c).NotModelled {
		if gap.Why.ID == message.GapMerge {
			said = append(said, message.English().Say(gap.Why))
		}
	}
	if expected := slices.DeleteFunc([]string{want}, func(s string) bool { return s == "" }); !slices.Equal(said, expected) {
		t.Errorf("said %q, want %q", said, expected)
	}
}
