package diagnosis_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
)

// Why the API server takes no pod of a DaemonSet is said without the Pod objects, too.
func TestRefusedDaemonSetWithoutPods(t *testing.T) {
	objects := slices.DeleteFunc(clustertest.Load(t, "testdata/audit/n601-refused.yaml"), func(o runtime.Object) bool {
		_, is := o.(*corev1.Pod)
		return is
	})
	known := everything()
	delete(known, cluster.Pod)
	e := diagnosis.Explain(t.Context(), question(t, objects, known, &change.Ref{Kind: "DaemonSet", Namespace: "logs", Name: "collector"}))
	if said := message.English().Say(e.Summary); !strings.Contains(said, "The Pod Security Standard of namespace logs does not allow the pods") {
		t.Errorf("the summary is %s", said)
	}
}

// No golden answer says that a kind is unknown which its cluster's file has.
func TestUnknownKindsAreNotInTheFile(t *testing.T) {
	checked := 0
	for _, pattern := range []string{"testdata/*.yaml", "testdata/*/*.yaml"} {
		inputs, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, input := range inputs {
			answer, err := os.ReadFile(strings.TrimSuffix(input, ".yaml") + ".json")
			if err != nil {
				continue // It is for another test.
			}
			checked++
			for _, kind := range unknownIn(t, answer) {
				for _, o := range clustertest.Load(t, input) {
					if o.GetObjectKind().GroupVersionKind().Kind == kind {
						t.Errorf("%s: the answer does not know %s, which the file has", input, kind)
						break
					}
				}
			}
		}
	}
	if checked < 100 {
		t.Errorf("%d answers were checked", checked)
	}
	if got := unknownIn(t, []byte(`[{"findings":[{"unknown":[{"about":"Pod, Node","message":""}]}]}]`)); !slices.Equal(got, []string{"Pod", "Node"}) {
		t.Errorf("the unknown kinds of a made-up answer are %v", got)
	}
}

// unknownIn are what the gaps of an answer, and of its findings, are about.
func unknownIn(t *testing.T, answer []byte) []string {
	t.Helper()
	var all any
	if err := json.Unmarshal(answer, &all); err != nil {
		t.Fatal(err)
	}
	var about []string
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, item := range v {
				walk(item)
			}
		case map[string]any:
			gaps, _ := v["unknown"].([]any)
			for _, gap := range gaps {
				if gap, ok := gap.(map[string]any); ok {
					text, _ := gap["about"].(string)
					about = append(about, strings.Split(text, ", ")...)
				}
			}
			for _, item := range v {
				walk(item)
			}
		}
	}
	walk(all)
	return about
}
