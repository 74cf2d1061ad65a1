package twin_test

import (
	"bytes"
	"errors"
	"flag"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	nodev1 "k8s.io/api/node/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	testclock "k8s.io/utils/clock/testing"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/twin"
)

var update = flag.Bool("update", false, "write the golden files anew")

var noon = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

func readForeign(t *testing.T) *twin.Twin {
	t.Helper()
	text, err := os.Open("testdata/foreign.yaml")
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	var objects []unstructured.Unstructured
	for decoder := utilyaml.NewYAMLOrJSONDecoder(text, 4096); ; {
		o := unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		objects = append(objects, o)
	}
	header := snapshot.Header{Taken: noon.Add(-time.Hour), Server: "v1.35.2", Knowledge: map[string]string{"Pod": "Complete", "ReplicaSet": "Forbidden"}}
	read, err := twin.Read(bytes.NewReader(file(t, header, objects...)), nil, testclock.NewFakePassiveClock(noon))
	if err != nil {
		t.Fatal(err)
	}
	return read
}

// TestAccount has the notes printed for a cluster of which a lab can be the twin only in part.
func TestAccount(t *testing.T) {
	const golden = "testdata/foreign.account"
	var got bytes.Buffer
	readForeign(t).Account(&got)
	if *update {
		if err := os.WriteFile(golden, got.Bytes(), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestTwinOfAFastLab is warned that its seconds may be shortened twice, and only if it is to run fast itself.
func TestTwinOfAFastLab(t *testing.T) {
	node := unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "v1", "kind": "Node",
		"metadata": map[string]any{"name": "a", "uid": "a", "annotations": map[string]any{"lab.naosu.dev/simulated": "true"}},
	}}
	for scale, told := range map[float64]bool{1: false, 10: true} {
		header := snapshot.Header{Taken: noon, Server: "v1.36.3", Knowledge: map[string]string{"Node": "Complete"}}
		read, err := twin.Read(bytes.NewReader(file(t, header, node)), pace.New(scale), testclock.NewFakePassiveClock(noon))
		if err != nil {
			t.Fatal(err)
		}
		var account bytes.Buffer
		read.Account(&account)
		if got := strings.Contains(account.String(), "1 node of a lab"); got != told {
			t.Errorf("at %g times the pace, told of a lab's times: %t, want %t:\n%s", scale, got, told, account.String())
		}
	}
}

// TestForeignCloud builds the cloud round nodes of another.
func TestForeignCloud(t *testing.T) {
	o := readForeign(t).Options()
	zones := []string{"europe-west1-b", "europe-west1-c", "europe-west1-d"} // the last holds a volume and no node
	want := []cloud.GroupSpec{{
		Name: "pool", InstanceType: "e2-standard-4", Zones: zones, Desired: 2, Max: 12, Foreign: true,
		Labels:             map[string]string{"cloud.google.com/gke-nodepool": "pool", "cloud.google.com/gke-os-distribution": "cos"},
		Taints:             []corev1.Taint{{Key: "team", Value: "a", Effect: corev1.TaintEffectNoSchedule}},
		SuspendedProcesses: []string{"AZRebalance"},
	}}
	if diff := cmp.Diff(want, o.Cloud.Groups); diff != "" {
		t.Errorf("groups (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(zones, o.Cloud.Zones); diff != "" {
		t.Errorf("zones (-want +got):\n%s", diff)
	}
	machines := o.Existing.Cloud.Instances
	if len(machines) != 3 || machines[0].PrivateIP != "10.132.0.2" || machines[0].Capacity.Allocatable["cpu"] != "3920m" || machines[0].Impaired || !machines[1].Impaired {
		t.Errorf("machines %+v, want three, of which the second has no power", machines)
	}
	want2 := []cloud.Volume{{ID: "vol-1", Zone: "europe-west1-d", Size: 4 << 30, AttachedTo: machines[0].ID, Token: "pv-ebs"}}
	if diff := cmp.Diff(want2, o.Existing.Cloud.Volumes); diff != "" {
		t.Errorf("volumes (-want +got):\n%s", diff)
	}
}

// TestDeadlines has what was left of a deadline left of it in the twin, however long ago the snapshot was taken, at the
// lab's pace.
func TestDeadlines(t *testing.T) {
	taken := noon.Add(-100 * time.Hour)
	hourBefore := taken.Add(-time.Hour).Format(time.RFC3339)
	object := func(version, kind string, spec, status map[string]any) unstructured.Unstructured {
		return unstructured.Unstructured{Object: map[string]any{
			"apiVersion": version, "kind": kind, "metadata": map[string]any{"name": "x", "namespace": "default"}, "spec": spec, "status": status,
		}}
	}
	progressing := []any{map[string]any{"type": "Progressing", "status": "True", "lastUpdateTime": hourBefore}}
	complete := []any{map[string]any{"type": "Complete", "status": "True", "lastTransitionTime": hourBefore}}
	snapshot := file(t, snapshot.Header{Taken: taken},
		object("batch/v1", "Job", map[string]any{"activeDeadlineSeconds": int64(36000), "ttlSecondsAfterFinished": int64(36000)}, map[string]any{"startTime": hourBefore, "conditions": complete}),
		object("v1", "Pod", map[string]any{"activeDeadlineSeconds": int64(36000)}, map[string]any{"startTime": hourBefore}),
		object("apps/v1", "Deployment", map[string]any{}, map[string]any{"conditions": progressing}),
	)
	read, err := twin.Read(bytes.NewReader(snapshot), pace.New(10), testclock.NewFakePassiveClock(noon))
	if err != nil {
		t.Fatal(err)
	}
	stored := storedIn(t, read)
	job := stored["/registry/jobs/default/x"].(*batchv1.Job)
	for what, at := range map[string]metav1.Time{
		"the Job's start": *job.Status.StartTime, "the Job's end": job.Status.Conditions[0].LastTransitionTime,
		"the pod's start":       *stored["/registry/pods/default/x"].(*corev1.Pod).Status.StartTime,
		"the rollout's advance": stored["/registry/deployments/default/x"].(*appsv1.Deployment).Status.Conditions[0].LastUpdateTime,
	} {
		if want := noon.Add(-6 * time.Minute); !at.Time.Equal(want) {
			t.Errorf("%s is %v, want %v: an hour ago, ten times as fast", what, at.UTC(), want)
		}
	}
	if *job.Spec.ActiveDeadlineSeconds != 3600 {
		t.Errorf("the Job's deadline is %d s, want 3600", *job.Spec.ActiveDeadlineSeconds)
	}
}

// TestStored looks at what goes into etcd.
func TestStored(t *testing.T) {
	stored := storedIn(t, readForeign(t))
	for _, key := range []string{
		"/registry/minions/gke-pool-1", "/registry/pods/shop/web-1", "/registry/namespaces/shop", "/registry/serviceaccounts/shop/web",
		"/registry/priorityclasses/vital", "/registry/controllerrevisions/shop/db-5d9", "/registry/controllerrevisions/shop/agent-n3w", "/registry/leases/kube-node-lease/gke-pool-1",
		"/registry/volumeattachments/csi-f44b7f741d8100ef628fc6cef3817e69986035292c008691e283dd4c440e5a6d",
	} {
		if stored[key] == nil {
			t.Errorf("nothing stands at %s", key)
		}
	}
	for _, key := range []string{"/registry/services/specs/default/kubernetes", "/registry/leases/kube-system/leader"} {
		if stored[key] != nil {
			t.Errorf("something stands at %s", key)
		}
	}
	const accounts = `"serviceAccount":"web","serviceAccountName":"web"` // both, as the API server shows a template that has one
	if revision := stored["/registry/controllerrevisions/shop/agent-n3w"].(*appsv1.ControllerRevision); !strings.Contains(string(revision.Data.Raw), accounts) {
		t.Errorf("the revision is %s, and lacks %s", revision.Data.Raw, accounts)
	}
	node, pod := stored["/registry/minions/gke-pool-2"].(*corev1.Node), stored["/registry/pods/shop/web-1"].(*corev1.Pod)
	if len(node.Finalizers) > 0 || node.UID != "node-2" {
		t.Errorf("node %s keeps %v", node.UID, node.Finalizers)
	}
	if len(pod.OwnerReferences) != 1 || pod.UID != "pod-1" {
		t.Errorf("pod %s lost its owner of a kind that the lab does not know", pod.UID)
	}
	ills := map[string]string{"lab.naosu.dev/run-for.web": "1s", "lab.naosu.dev/exit-code.web": "3"}
	if diff := cmp.Diff(ills, pod.Annotations); diff != "" {
		t.Errorf("what ails the crashing pod (-want +got):\n%s", diff)
	}
	if orphan := stored["/registry/pods/shop/batch-1"].(*corev1.Pod); len(orphan.OwnerReferences) != 0 {
		t.Error("a pod keeps an owner that is gone, for which it would be deleted")
	}
	class := stored["/registry/runtimeclasses/gvisor"].(*nodev1.RuntimeClass)
	if class.Handler != "gvisor" || class.Overhead.PodFixed.Cpu().String() != "50m" {
		t.Errorf("runtime class %+v, want what its pods have", class)
	}
}

// storedIn is what goes into etcd, by key.
func storedIn(t *testing.T, read *twin.Twin) map[string]runtime.Object {
	t.Helper()
	stored := map[string]runtime.Object{}
	err := read.Options().Existing.Fill(func(key string, value []byte) error {
		o, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), value)
		stored[key] = o
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return stored
}

// TestBadFiles are refused before anything is started.
func TestBadFiles(t *testing.T) {
	whole := file(t, snapshot.Header{Taken: noon})
	broken := file(t, snapshot.Header{Taken: noon}, unstructured.Unstructured{Object: map[string]any{"apiVersion": "v1", "kind": "Node"}})
	for name, tc := range map[string]struct {
		file []byte
		want error
	}{
		"something else":         {[]byte("apiVersion: v1\nkind: List\nitems: []\n"), snapshot.ErrNoSnapshot},
		"cut short":              {whole[:len(whole)-5], snapshot.ErrTruncated},
		"an object without name": {broken, snapshot.ErrDamaged},
		"a later format":         {slices.Concat([]byte(snapshot.Magic), []byte("9"), whole[len(snapshot.Magic)+1:]), snapshot.ErrVersion},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := twin.Read(bytes.NewReader(tc.file), nil, testclock.NewFakePassiveClock(noon)); !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}
