package forecasts

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// recordedCase is a question that was forecast wrongly once: the cluster before it, and what came. It is asked again without a lab.
type recordedCase struct {
	Kind  string            `json:"kind"`
	Seed  uint64            `json:"seed"`
	Line  []string          `json:"line"`
	Files map[string]string `json:"files,omitempty"`
	// Differences are the differences between the forecast and reality when the case was recorded.
	Differences []string `json:"odd"`
	Reality     reality  `json:"reality"`
	// Cluster are the lists of its objects, as the API server gave them.
	Cluster []json.RawMessage `json:"cluster"`
}

// recordedKinds are what a kept case has of the cluster.
var recordedKinds = []schema.GroupVersionResource{
	{Version: "v1", Resource: "nodes"},
	{Version: "v1", Resource: "pods"},
	{Version: "v1", Resource: "namespaces"},
	{Version: "v1", Resource: "persistentvolumes"},
	{Version: "v1", Resource: "persistentvolumeclaims"},
	{Version: "v1", Resource: "services"},
	{Version: "v1", Resource: "resourcequotas"},
	{Version: "v1", Resource: "limitranges"},
	{Version: "v1", Resource: "serviceaccounts"},
	{Group: "apps", Version: "v1", Resource: "deployments"},
	{Group: "apps", Version: "v1", Resource: "replicasets"},
	{Group: "apps", Version: "v1", Resource: "statefulsets"},
	{Group: "apps", Version: "v1", Resource: "daemonsets"},
	{Group: "apps", Version: "v1", Resource: "controllerrevisions"},
	{Group: "batch", Version: "v1", Resource: "jobs"},
	{Group: "batch", Version: "v1", Resource: "cronjobs"},
	{Group: "policy", Version: "v1", Resource: "poddisruptionbudgets"},
	{Group: "scheduling.k8s.io", Version: "v1", Resource: "priorityclasses"},
	{Group: "node.k8s.io", Version: "v1", Resource: "runtimeclasses"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "storageclasses"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csinodes"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "csidrivers"},
	{Group: "storage.k8s.io", Version: "v1", Resource: "volumeattachments"},
	{Group: "coordination.k8s.io", Version: "v1", Resource: "leases"},
}

// raw is the cluster as the API server gives it, a list a line.
func (b *fixture) raw() []byte {
	b.Helper()
	var all bytes.Buffer
	for _, kind := range recordedKinds {
		list, err := b.dynamic.Resource(kind).List(b.Context(), metav1.ListOptions{})
		b.must(err)
		for i := range list.Items {
			cut(&list.Items[i])
		}
		data, err := list.MarshalJSON()
		b.must(err)
		all.Write(append(bytes.TrimSpace(data), '\n'))
	}
	return all.Bytes()
}

// cut leaves out what is long and no forecast looks at.
func cut(o *unstructured.Unstructured) {
	switch o.GetKind() {
	case "Node", "Pod", "Lease", "CSINode", "VolumeAttachment", "PersistentVolume", "ControllerRevision", "ReplicaSet":
		o.SetManagedFields(nil)
	}
}

// writeTo keeps the result in a folder.
func (r result) writeTo(folder string) error {
	k := recordedCase{Kind: r.q.kind, Seed: r.seed, Line: r.q.line, Files: r.q.files, Differences: r.differences, Reality: r.reality}
	for list := range bytes.SplitSeq(bytes.TrimSpace(r.objects), []byte("\n")) {
		k.Cluster = append(k.Cluster, list)
	}
	data, err := json.Marshal(k)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	w := gzip.NewWriter(&packed)
	if _, err := w.Write(data); err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d-%d.json.gz", r.seed, r.number)), packed.Bytes(), 0o600)
}

// TestRecordedCases repeats forecasts that were once wrong. Those in testdata/kept/known still are: one that is right is to be taken
// off that list.
func TestRecordedCases(t *testing.T) {
	known := knownCases(t)
	files, err := filepath.Glob("testdata/kept/*.json.gz")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases are kept: %v", err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		isKnown := known[name]
		delete(known, name)
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			k, err := readCase(file)
			if err != nil {
				t.Fatal(err)
			}
			differences, gaps := k.evaluate(t)
			switch wrong := len(differences) > 0 && len(gaps) == 0; {
			case wrong && !isKnown:
				t.Errorf("%s: naosu whatif %s\n%s", k.Kind, strings.Join(k.Line, " "), strings.Join(differences, "\n"))
			case !wrong && isKnown:
				t.Error("it is forecast correctly, or reported as not modelled: take it off testdata/kept/known")
			}
		})
	}
	for name := range known {
		t.Errorf("testdata/kept/known names %s, which is not kept", name)
	}
}

// knownCases are the kept cases that are known to be forecast wrongly.
func knownCases(t *testing.T) map[string]bool {
	t.Helper()
	text, err := os.ReadFile("testdata/kept/known")
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		if name, _, _ := strings.Cut(strings.TrimSpace(line), " "); name != "" && name != "#" {
			known[name] = true
		}
	}
	return known
}

// evaluate makes the forecast for the cluster as it was: the differences between reality and the forecast, and what naosu says that it does not model.
func (k recordedCase) evaluate(t *testing.T) (differences, gaps []string) {
	t.Helper()
	folder := t.TempDir()
	var lists []byte
	for _, list := range k.Cluster {
		lists = append(append(append(lists, "---\n"...), list...), '\n')
	}
	file := filepath.Join(folder, "cluster.yaml")
	if err := os.WriteFile(file, lists, 0o600); err != nil {
		t.Fatal(err)
	}
	world, err := cluster.Load(t.Context(), cluster.Source{Path: file, Applied: true})
	if err != nil {
		t.Fatal(err)
	}
	line, err := inFolder(folder, k.Line, k.Files)
	if err != nil {
		t.Fatal(err)
	}
	f, err := forecastOf(t.Context(), world, line)
	if err != nil {
		t.Fatal(err)
	}
	if differences, err = f.differences(t.Context(), k.Reality); err != nil {
		t.Fatal(err)
	}
	return differences, f.gaps
}

// readCase reads a kept case.
func readCase(file string) (k recordedCase, err error) {
	packed, err := os.ReadFile(file)
	if err != nil {
		return k, err
	}
	r, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		return k, fmt.Errorf("%s: %w", file, err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return k, fmt.Errorf("%s: %w", file, err)
	}
	return k, json.Unmarshal(data, &k)
}
