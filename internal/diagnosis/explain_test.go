package diagnosis_test

import (
	"path/filepath"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/golden"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// now is later than every time in testdata.
var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// TestExplain compares the explanation of the first pod in each testdata/NAME.yaml with NAME.json.
func TestExplain(t *testing.T) {
	inputs, err := filepath.Glob("testdata/*.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no input found: %v", err)
	}
	for _, input := range inputs {
		t.Run(strings.TrimSuffix(filepath.Base(input), ".yaml"), func(t *testing.T) {
			got, err := finding.EncodeJSON(message.English(), explain(t, clustertest.Load(t, input), everything()))
			if err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, strings.TrimSuffix(input, ".yaml")+".json", got)
		})
	}
}

// everything is the knowledge of a reader who may read all.
func everything() map[cluster.Kind]cluster.Knowledge {
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return known
}

func explain(t *testing.T, objects []runtime.Object, knowledge map[cluster.Kind]cluster.Knowledge) finding.Explanation {
	t.Helper()
	pod := subject(t, objects)
	return diagnosis.Explain(t.Context(), question(t, objects, knowledge, &change.Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name}))
}

// question is a judged world of the objects, and a question about one of them.
func question(t testing.TB, objects []runtime.Object, knowledge map[cluster.Kind]cluster.Knowledge, subject *change.Ref) query.Query {
	t.Helper()
	world := cluster.New(cluster.Contents{Objects: objects, Knowledge: knowledge, Taken: now, Server: "v1.36.3"})
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return query.Query{World: world, Judge: judge, Subject: subject}
}

func subject(t *testing.T, objects []runtime.Object) *corev1.Pod {
	t.Helper()
	for _, o := range objects {
		if pod, ok := o.(*corev1.Pod); ok {
			return pod
		}
	}
	t.Fatal("the input holds no pod")
	return nil
}
