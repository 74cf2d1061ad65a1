package cluster_test

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
	"unicode/utf16"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/snapshot"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// load loads files by their names and contents; one of the name "-" is standard input, and "." the folder of them all.
func load(t *testing.T, path string, files map[string]string) (*cluster.Snapshot, error) {
	t.Helper()
	folder := t.TempDir()
	for name, text := range files {
		full := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(full), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(full, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	from := cluster.Source{Path: path, Stdin: strings.NewReader(files["-"])}
	if path != "-" {
		from.Path = filepath.Join(folder, path)
	}
	return cluster.Load(t.Context(), from)
}

const (
	onePod = "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n"
	other  = "apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: x}\n"
	secret = "apiVersion: v1\nkind: Secret\nmetadata: {name: s, namespace: x}\ndata: {key: aHVzaA==}\n"
	object = `{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": %q, "namespace": "x"}}`
)

func TestLoadForms(t *testing.T) {
	a, b := fmt.Sprintf(object, "a"), fmt.Sprintf(object, "b")
	nameless := `{"metadata": {"name": "a", "namespace": "x"}}, {"metadata": {"name": "b", "namespace": "x"}}`
	for name, tc := range map[string]struct {
		path  string
		files map[string]string
	}{
		"one document":                    {"f", map[string]string{"f": onePod + "---\n" + other}},
		"documents, some empty":           {"f", map[string]string{"f": "# nothing\n---\n" + onePod + "---\n---\n# nothing\n--- # more\n" + other + "...\n"}},
		"standard input":                  {"-", map[string]string{"-": onePod + "---\n" + other}},
		"a folder":                        {".", map[string]string{"a.yaml": onePod, "deep/b.json": b, "README.md": "no object", "deep/c.yml": secret}},
		"a list as kubectl writes it":     {"f", map[string]string{"f": "apiVersion: v1\nitems:\n" + item("", onePod) + item("", other) + "kind: List\nmetadata:\n  resourceVersion: \"\"\n"}},
		"items that stand in":             {"f", map[string]string{"f": "apiVersion: v1\nkind: List\nitems:\n" + item("  ", onePod) + "# a remark\n\n" + item("  ", other)}},
		"lists, one after the other":      {"f", map[string]string{"f": "apiVersion: v1\nkind: List\nitems:\n" + item("", onePod) + "---\nkind: List\napiVersion: v1\nitems:\n" + item("", other)}},
		"a list in one line":              {"f", map[string]string{"f": "{apiVersion: v1, kind: List, items: [" + a + ", " + b + "]}"}},
		"items in one line":               {"f", map[string]string{"f": "apiVersion: v1\nkind: List\nitems: [" + a + ", " + b + "]\n"}},
		"JSON":                            {"f", map[string]string{"f": " \n" + a + b}},
		"a list in JSON":                  {"f", map[string]string{"f": `{"apiVersion": "v1", "items": [` + a + "," + b + `], "kind": "List"}`}},
		"a list of pods":                  {"f", map[string]string{"f": `{"kind": "PodList", "apiVersion": "v1", "items": [` + nameless + `]}`}},
		"a list that says it at its end":  {"f", map[string]string{"f": `{"items": [` + nameless + `], "kind": "PodList", "apiVersion": "v1"}`}},
		"a list of pods in YAML":          {"f", map[string]string{"f": "apiVersion: v1\nitems:\n- metadata: {name: a, namespace: x}\n- metadata: {name: b, namespace: x}\nkind: PodList\n"}},
		"dashes in lines of their own":    {"f", map[string]string{"f": "apiVersion: v1\nkind: List\nitems:\n-\n" + indented(onePod) + "-\n" + indented(other)}},
		"a mark before JSON":              {"f", map[string]string{"f": "\ufeff" + a + b}},
		"what PowerShell's > writes":      {"f", map[string]string{"f": inUTF16(onePod + "---\r\n" + other)}},
		"JSON as PowerShell's > writes":   {"f", map[string]string{"f": inUTF16(a + b)}},
		"Windows' line ends and its mark": {"f", map[string]string{"f": "\ufeff" + strings.ReplaceAll("apiVersion: v1\nitems:\n"+item("", onePod)+item("", other)+"kind: List\n---\n"+secret, "\n", "\r\n")}},
	} {
		t.Run(name, func(t *testing.T) {
			world, err := load(t, tc.path, tc.files)
			if err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, pod := range world.Pods() {
				got = append(got, pod.Namespace+"/"+pod.Name)
			}
			if diff := cmp.Diff([]string{"x/a", "x/b"}, got); diff != "" {
				t.Errorf("pods (-want +got):\n%s", diff)
			}
			if world.Knowledge(cluster.Pod) != cluster.Complete || world.Knowledge(cluster.Node) != cluster.Absent {
				t.Errorf("knowledge of pods %s, of nodes %s", world.Knowledge(cluster.Pod), world.Knowledge(cluster.Node))
			}
		})
	}
}

// item makes a document an item of a list.
func item(indent, document string) string {
	lines := strings.Split(strings.TrimSpace(document), "\n")
	return indent + "- " + strings.Join(lines, "\n"+indent+"  ") + "\n"
}

// indented makes a document stand in a little.
func indented(document string) string {
	return strings.Replace(item("", document), "- ", "  ", 1)
}

// inUTF16 is text in little-endian UTF-16 behind its mark.
func inUTF16(text string) string {
	out := []byte{0xff, 0xfe}
	for _, unit := range utf16.Encode([]rune(text)) {
		out = binary.LittleEndian.AppendUint16(out, unit)
	}
	return string(out)
}

// TestLoadFollowsLinks: a mounted ConfigMap is a folder of links, and the folder named may be one.
func TestLoadFollowsLinks(t *testing.T) {
	folder := t.TempDir()
	if err := os.MkdirAll(filepath.Join(folder, "real"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "one"), []byte(onePod), 0o600); err != nil {
		t.Fatal(err)
	}
	for to, link := range map[string]string{"../one": "real/a.yaml", "real": "linked", "..": "real/up.yaml"} {
		if err := os.Symlink(to, filepath.Join(folder, link)); err != nil {
			t.Fatal(err)
		}
	}
	world, err := cluster.Load(t.Context(), cluster.Source{Path: filepath.Join(folder, "linked")})
	if err != nil || len(world.Pods()) != 1 {
		t.Errorf("err = %v", err)
	}
	dangling := filepath.Join(folder, "real", "b.yaml")
	if err := os.Symlink("nowhere", dangling); err != nil {
		t.Fatal(err)
	}
	if _, err := cluster.Load(t.Context(), cluster.Source{Path: filepath.Join(folder, "real")}); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), "b.yaml") {
		t.Errorf("a link to nothing: err = %v", err)
	}
}

// TestLoadDuplicates: of two objects of one name the newer counts, wherever it stands, or else the later one.
func TestLoadDuplicates(t *testing.T) {
	pod := func(version, value string) string {
		return fmt.Sprintf("apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x, resourceVersion: %q, labels: {is: %s}}\n---\n", version, value)
	}
	between := strings.Repeat("apiVersion: v1\nkind: Pod\nmetadata: {name: b, namespace: x, annotations: {a: "+strings.Repeat("x", 1000)+"}}\n---\n", 300)
	for name, tc := range map[string]struct{ first, then string }{
		"the newer is the first": {pod("1000", "right"), pod("999", "wrong")},
		"the newer is the last":  {pod("999", "wrong"), pod("1000", "right")},
		"none has a version":     {pod("", "wrong"), pod("", "right")},
		"one has none":           {pod("7", "right"), pod("", "wrong")},
	} {
		for range 5 {
			world, err := load(t, "f", map[string]string{"f": tc.first + between + tc.then})
			if err != nil {
				t.Fatal(err)
			}
			if got := world.Pod("x", "a").Labels["is"]; got != "right" {
				t.Errorf("%s: the one that counts is %s", name, got)
			}
		}
	}
}

// TestLoadOtherVersions: a list of a version that is not read says nothing of the one that is.
func TestLoadOtherVersions(t *testing.T) {
	list := `{"kind": "PodDisruptionBudgetList", "apiVersion": "policy/v1beta1", "items": [{"metadata": {"name": "a", "namespace": "x"}}]}`
	world, err := load(t, "f", map[string]string{"f": onePod + "---\n" + list})
	if err != nil {
		t.Fatal(err)
	}
	if known := world.Knowledge(cluster.PodDisruptionBudget); known != cluster.Absent {
		t.Errorf("of budgets is known: %s", known)
	}
}

// TestLoadNamesNamespaces: what people write often leaves the namespace out.
func TestLoadNamesNamespaces(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\n---\napiVersion: v1\nkind: Node\nmetadata: {name: b}\n"})
	if err != nil {
		t.Fatal(err)
	}
	if world.Pod("default", "a") == nil || world.Node("b") == nil {
		t.Errorf("pods %v, nodes %v", world.Pods(), world.Nodes())
	}
}

// TestLoadSaysWhichFile: a folder may hold many.
func TestLoadSaysWhichFile(t *testing.T) {
	for name, text := range map[string]string{"binary": "\x00\x01", "no object": "- 1\n", "a bad object": "apiVersion: v1\nkind: Pod\n"} {
		_, err := load(t, ".", map[string]string{"a.yaml": onePod, "b.yaml": text})
		file, ok := errors.AsType[*fs.PathError](err)
		if !ok || filepath.Base(file.Path) != "b.yaml" {
			t.Errorf("%s: err = %v", name, err)
		}
	}
}

func TestLoadEmptyList(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": onePod + "---\n" + `{"kind": "NodeList", "apiVersion": "v1", "items": []}`})
	if err != nil {
		t.Fatal(err)
	}
	if world.Knowledge(cluster.Node) != cluster.Complete || world.Knowledge(cluster.Lease) != cluster.Absent {
		t.Errorf("nodes are known to be none: %s; nobody spoke of leases: %s", world.Knowledge(cluster.Node), world.Knowledge(cluster.Lease))
	}
}

func TestLoadMoment(t *testing.T) {
	world, err := load(t, "f", map[string]string{"f": `
apiVersion: v1
kind: Node
metadata: {name: a, creationTimestamp: "2026-01-01T00:00:00Z"}
status: {conditions: [{type: Ready, lastHeartbeatTime: "2026-02-02T00:00:00Z"}]}
---
apiVersion: coordination.k8s.io/v1
kind: Lease
metadata: {name: a, namespace: kube-node-lease}
spec: {renewTime: "2026-02-02T00:01:00.000000Z"}
`})
	if err != nil {
		t.Fatal(err)
	}
	if want := time.Date(2026, 2, 2, 0, 1, 0, 0, time.UTC); !world.Taken().Equal(want) {
		t.Errorf("Taken() = %v, want %v", world.Taken(), want)
	}
}

func TestLoadRefuses(t *testing.T) {
	whole := file(t, cluster.New(cluster.Contents{Objects: clustertest.Load(t, "testdata/small.yaml")}))
	bomb := "apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\n  annotations:\n    a: &a " + strings.Repeat("x", 1000) + "\n"
	for i := range 100 {
		bomb += fmt.Sprintf("    a%d: *a\n", i)
	}
	for name, tc := range map[string]struct {
		files map[string]string
		want  error
		says  string
	}{
		"no file":            {nil, fs.ErrNotExist, ""},
		"an empty file":      {map[string]string{"f": ""}, cluster.ErrNothing, ""},
		"secrets only":       {map[string]string{"f": secret}, cluster.ErrNothing, ""},
		"an empty folder":    {map[string]string{"f/README.md": ""}, cluster.ErrNothing, ""},
		"another program's":  {map[string]string{"f": "\x7fELF\x00\x00"}, snapshot.ErrNoSnapshot, ""},
		"half a snapshot":    {map[string]string{"f": whole[:len(whole)/2]}, snapshot.ErrTruncated, ""},
		"a changed snapshot": {map[string]string{"f": strings.Replace(whole, whole[100:104], "\x00\x00\x00\x00", 1)}, snapshot.ErrDamaged, ""},
		"half a list":        {map[string]string{"f": `{"kind": "PodList", "items": [{"metadata": {"na`}, nil, "unexpected EOF"},
		"half a value":       {map[string]string{"f": `{"kind": `}, nil, "unexpected EOF"},
		"no object":          {map[string]string{"f": "- 1\n- 2\n"}, nil, "an object is expected"},
		"prose":              {map[string]string{"f": "Dear naosu,\n"}, nil, "an object is expected"},
		"bad YAML":           {map[string]string{"f": "kind: List\nitems:\n- kind: Pod\n- kind: [\n"}, nil, "in the item that begins at line 4"},
		"half a YAML list":   {map[string]string{"f": "apiVersion: v1\nitems:\n" + item("", onePod)}, nil, "in the list that ends at line 5: it does not say its kind"},
		"items and no list":  {map[string]string{"f": "items:\n" + item("", onePod)}, nil, "it does not say its kind"},
		"a bad document":     {map[string]string{"f": onePod + "---\na: [\n"}, nil, "in the document that ends at line 5"},
		"a wrong type":       {map[string]string{"f": onePod + "spec: 7\n"}, nil, "a Pod: json: cannot unmarshal number into Go struct field Pod.spec"},
		"no name":            {map[string]string{"f": "apiVersion: v1\nkind: Pod\n"}, nil, "it has no name"},
		"no kind":            {map[string]string{"f": "metadata: {name: a}\n"}, nil, "it says neither its apiVersion nor its kind"},
		"an item of no kind": {map[string]string{"f": "kind: List\nitems:\n- metadata: {name: a}\n"}, nil, "neither its apiVersion nor its kind"},
		"aliases":            {map[string]string{"f": bomb}, nil, "a YAML alias (*name)"},
		"aliases of items":   {map[string]string{"f": "kind: List\nitems:\n- kind: &pod Pod\n- kind: *pod\n"}, nil, "in the item that begins at line 4: it uses a YAML alias (*name)"},
		"a long string":      {map[string]string{"f": `{"kind": "` + strings.Repeat("x", 20<<20)}, cluster.ErrTooLarge, ""},
		"a long line":        {map[string]string{"f": "kind: " + strings.Repeat("x", 20<<20)}, cluster.ErrTooLarge, ""},
		"a long document":    {map[string]string{"f": "kind: |\n" + strings.Repeat("  xxx\n", 4<<20)}, cluster.ErrTooLarge, ""},
		"many empty parts":   {map[string]string{"f": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{}` + strings.Repeat(",{}", 1<<20) + `]}}`}, cluster.ErrTooLarge, "a Pod of 31"},
		"many parts of none": {map[string]string{"f": `{"apiVersion":"v1","kind":"Pod","metadata":{"name":"a"},"spec":{"containers":[{}` + strings.Repeat(",null", 1<<20) + `]}}`}, cluster.ErrTooLarge, ""},
		"many in protobuf":   {map[string]string{"f": snapshotOf(t, "Pod", append([]byte("\n\x03\n\x01a\x12\x80\x80\x80\x01"), strings.Repeat("\x12\x00", 1<<20)...))}, cluster.ErrTooLarge, ""},
		"many in YAML":       {map[string]string{"f": "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec:\n  containers:\n" + strings.Repeat("  - {}\n", 1<<19)}, cluster.ErrTooLarge, ""},
		"a deep value":       {map[string]string{"f": `{"kind": ` + strings.Repeat("[", 1<<20)}, nil, "exceeded max depth"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := load(t, "f", tc.files)
			if err == nil || tc.want != nil && !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.says) {
				t.Fatalf("err = %.300v, want %v %s", err, tc.want, tc.says)
			}
			if len(err.Error()) > 500 {
				t.Errorf("an error of %d bytes: %.300v", len(err.Error()), err)
			}
		})
	}
}

func TestLoadIsInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := cluster.Load(ctx, cluster.Source{Path: "-", Stdin: strings.NewReader(strings.Repeat(onePod+"---\n", 10_000))})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// TestLoadIsInterruptedWhileNothingComes: standard input may be a terminal.
func TestLoadIsInterruptedWhileNothingComes(t *testing.T) {
	silent, _ := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := cluster.Load(ctx, cluster.Source{Path: "-", Stdin: silent})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("err = %v", err)
	}
}

// TestLoadLongObjects: an object as long as etcd takes is no attack.
func TestLoadLongObjects(t *testing.T) {
	node := &corev1.Node{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Node"}, ObjectMeta: metav1.ObjectMeta{Name: "a"}}
	node.Annotations = map[string]string{"x": strings.Repeat(`{"a": [1, 2, 3]},`, 80_000)}
	for i := range 5000 {
		node.Status.Images = append(node.Status.Images, corev1.ContainerImage{Names: []string{fmt.Sprintf("registry/%d:v1", i), "b"}, SizeBytes: 1})
	}
	text, err := json.Marshal(node)
	if err != nil {
		t.Fatal(err)
	}
	asYAML, err := yaml.JSONToYAML(text)
	if err != nil {
		t.Fatal(err)
	}
	for form, text := range map[string]string{"JSON": string(text), "YAML": string(asYAML), "snapshot": file(t, cluster.New(cluster.Contents{Objects: []runtime.Object{node}}))} {
		if world, err := load(t, "f", map[string]string{"f": text}); err != nil || len(world.Node("a").Status.Images) != 5000 {
			t.Errorf("%s: %v", form, err)
		}
	}
}

// TestLoadRefusesNamelessRecord: a record of a snapshot, unlike an item of a list, must say what it is.
func TestLoadRefusesNamelessRecord(t *testing.T) {
	var file bytes.Buffer
	w, err := snapshot.NewWriter(&file, snapshot.Header{})
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(w.Write(snapshot.Record{Encoding: "json", Data: []byte("{}")}), w.Close()); err != nil {
		t.Fatal(err)
	}
	if _, err := load(t, "f", map[string]string{"f": file.String()}); err == nil || !strings.Contains(err.Error(), "neither its apiVersion nor its kind") {
		t.Errorf("error %v", err)
	}
}

// snapshotOf is a snapshot with one record.
func snapshotOf(t testing.TB, kind string, data []byte) string {
	t.Helper()
	var file bytes.Buffer
	w, err := snapshot.NewWriter(&file, snapshot.Header{})
	if err == nil {
		err = w.Write(snapshot.Record{APIVersion: "v1", Kind: kind, Encoding: snapshot.Protobuf, Data: data})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// file is the Snapshot as a file.
func file(t testing.TB, world *cluster.Snapshot) string {
	t.Helper()
	var file bytes.Buffer
	if err := world.Write(&file); err != nil {
		t.Fatal(err)
	}
	return file.String()
}

// TestNothingConfidentialIsWritten puts a word wherever confidential ones are known to be, in every kind that makes pods,
// and looks for it in the bytes of the file: of objects that were loaded, and of such as were not.
func TestNothingConfidentialIsWritten(t *testing.T) {
	const word = "hush-hush"
	env := []corev1.EnvVar{{Name: "TOKEN", Value: word}}
	meta := metav1.ObjectMeta{
		Namespace: "x", Name: "a", ManagedFields: []metav1.ManagedFieldsEntry{{Manager: word}},
		Annotations: map[string]string{corev1.LastAppliedConfigAnnotation: word, "kept": "yes"},
	}
	template := corev1.PodTemplateSpec{ObjectMeta: meta, Spec: corev1.PodSpec{
		Volumes: []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{Ephemeral: &corev1.EphemeralVolumeSource{
			VolumeClaimTemplate: &corev1.PersistentVolumeClaimTemplate{ObjectMeta: meta},
		}}}},
		InitContainers: []corev1.Container{{Name: "i", Env: env}}, Containers: []corev1.Container{{Name: "c", Env: env}},
		EphemeralContainers: []corev1.EphemeralContainer{{EphemeralContainerCommon: corev1.EphemeralContainerCommon{Name: "e", Env: env}}},
	}}
	objects := []runtime.Object{
		&corev1.Pod{ObjectMeta: meta, Spec: template.Spec},
		&corev1.Node{ObjectMeta: meta},
		&corev1.ReplicationController{ObjectMeta: meta, Spec: corev1.ReplicationControllerSpec{Template: &template}},
		&appsv1.Deployment{ObjectMeta: meta, Spec: appsv1.DeploymentSpec{Template: template}},
		&appsv1.ReplicaSet{ObjectMeta: meta, Spec: appsv1.ReplicaSetSpec{Template: template}},
		&appsv1.StatefulSet{ObjectMeta: meta, Spec: appsv1.StatefulSetSpec{
			Template: template, VolumeClaimTemplates: []corev1.PersistentVolumeClaim{{ObjectMeta: meta}},
		}},
		&appsv1.DaemonSet{ObjectMeta: meta, Spec: appsv1.DaemonSetSpec{Template: template}},
		&batchv1.Job{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}},
		&batchv1.CronJob{ObjectMeta: meta, Spec: batchv1.CronJobSpec{JobTemplate: batchv1.JobTemplateSpec{ObjectMeta: meta, Spec: batchv1.JobSpec{Template: template}}}},
	}
	var text string
	for _, o := range append(slices.Clone(objects), &corev1.Secret{ObjectMeta: meta, StringData: map[string]string{"a": word}}, &corev1.ConfigMap{ObjectMeta: meta, Data: map[string]string{"a": word}}) {
		gvks, _, err := scheme.Scheme.ObjectKinds(o)
		if err != nil {
			t.Fatal(err)
		}
		typed := o.DeepCopyObject()
		typed.GetObjectKind().SetGroupVersionKind(gvks[0])
		one, err := yaml.Marshal(typed)
		if err != nil {
			t.Fatal(err)
		}
		text += "---\n" + string(one)
	}
	loaded, err := load(t, "f", map[string]string{"f": text})
	if err != nil {
		t.Fatal(err)
	}
	for name, world := range map[string]*cluster.Snapshot{"loaded": loaded, "made": cluster.New(cluster.Contents{Objects: objects})} {
		reader, err := snapshot.NewReader(strings.NewReader(file(t, world)))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		for r, err := reader.Next(); err == nil; r, err = reader.Next() {
			n++
			if bytes.Contains(r.Data, []byte(word)) || !bytes.Contains(r.Data, []byte("kept")) {
				t.Errorf("%s: a %s: %q", name, r.Kind, r.Data)
			}
		}
		if n != len(objects) {
			t.Errorf("%s: %d objects in the file, want %d", name, n, len(objects))
		}
	}
}

// TestRoundTrip writes and reads a cluster of every kind: nothing is lost but what is meant to be.
func TestRoundTrip(t *testing.T) {
	contents := clustertest.BigContents(50, 1000)
	secretive := contents.Objects[len(contents.Objects)-1].DeepCopyObject().(metav1.Object)
	for _, o := range contents.Objects {
		if pod, ok := o.(*corev1.Pod); ok {
			secretive = pod.DeepCopy()
		}
	}
	secretive.SetName("secretive")
	secretive.SetManagedFields([]metav1.ManagedFieldsEntry{{Manager: "kubelet"}})
	secretive.SetAnnotations(map[string]string{corev1.LastAppliedConfigAnnotation: "{}", "kept": "yes"})
	contents.Objects = append(contents.Objects, secretive.(*corev1.Pod))
	contents.Knowledge[cluster.Lease] = cluster.Forbidden
	want := cluster.New(contents)
	written := file(t, want)
	got, err := load(t, "f", map[string]string{"f": written})
	if err != nil {
		t.Fatal(err)
	}
	if got.Taken() != want.Taken() || got.Server() != want.Server() {
		t.Errorf("Taken() = %v, Server() = %v", got.Taken(), got.Server())
	}
	for _, kind := range cluster.Kinds() {
		if got.Knowledge(kind) != want.Knowledge(kind) {
			t.Errorf("knowledge of %s: %s, want %s", kind, got.Knowledge(kind), want.Knowledge(kind))
		}
		if diff := cmp.Diff(plain(t, want.Objects(kind)), plain(t, got.Objects(kind))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", kind, diff)
		}
	}
	pod := got.Pod(secretive.GetNamespace(), "secretive")
	if pod.ManagedFields != nil || pod.Annotations["kept"] != "yes" || len(pod.Annotations) != 1 {
		t.Errorf("managed fields %v, annotations %v", pod.ManagedFields, pod.Annotations)
	}
	if env := pod.Spec.Containers[0].Env; len(env) == 0 || env[0].Name == "" || env[0].Value != "" {
		t.Errorf("environment = %v", env)
	}
	// Read as kubectl would have written it, it is the same.
	var list corev1.List
	for _, kind := range cluster.Kinds() {
		for _, o := range want.Objects(kind) {
			data, err := json.Marshal(o)
			if err != nil {
				t.Fatal(err)
			}
			list.Items = append(list.Items, rawExtension(data))
		}
	}
	list.APIVersion, list.Kind = "v1", "List"
	text, err := yaml.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	again, err := load(t, "f", map[string]string{"f": string(text)})
	if err != nil {
		t.Fatal(err)
	}
	for _, kind := range cluster.Kinds() {
		if diff := cmp.Diff(plain(t, got.Objects(kind)), plain(t, again.Objects(kind))); diff != "" {
			t.Errorf("%s from YAML (-want +got):\n%s", kind, diff)
		}
	}
}
