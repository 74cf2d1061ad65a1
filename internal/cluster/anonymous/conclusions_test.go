package anonymous_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// TestConclusionsStay explains every pod of diagnosis' examples, and of the same cluster without its names: what is found,
// what it rests on and what would mend it is the same.
func TestConclusionsStay(t *testing.T) {
	inputs, err := filepath.Glob("../../diagnosis/testdata/*.yaml")
	if err != nil || len(inputs) == 0 {
		t.Fatalf("no example found: %v", err)
	}
	for _, input := range inputs {
		t.Run(filepath.Base(input), func(t *testing.T) {
			known := map[cluster.Kind]cluster.Knowledge{}
			for _, kind := range cluster.Kinds() {
				known[kind] = cluster.Complete
			}
			world := cluster.New(cluster.Contents{
				Objects: clustertest.Load(t, input), Knowledge: known, Server: "v1.36.3", Taken: time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC),
			})
			anonymous, err := world.Anonymize()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(conclusions(t, world), conclusions(t, anonymous)); diff != "" {
				t.Errorf("(-original +anonymous):\n%s", diff)
			}
		})
	}
}

// conclusions are those about every pod, without names; sorted, because names decide the order of pods.
func conclusions(t *testing.T, world *cluster.Snapshot) []string {
	t.Helper()
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, pod := range world.Pods() {
		all = append(all, conclusion(t, world, judge, pod))
	}
	slices.Sort(all)
	return all
}

func conclusion(t *testing.T, world *cluster.Snapshot, judge *scheduling.Judge, pod *corev1.Pod) string {
	t.Helper()
	e := diagnosis.Explain(t.Context(), diagnosis.View{
		World: world, Judge: judge, Say: message.English(), Subject: &change.Ref{Kind: "Pod", Namespace: pod.Namespace, Name: pod.Name},
	})
	said := fmt.Sprintf("%s, %s", e.State, gaps(e.Unknown))
	for _, f := range e.Findings {
		said += fmt.Sprintf("; %s %s, %d causes, %d ruled out, %s", f.Code, f.Severity, len(f.Causes), len(f.RuledOut), gaps(f.Unknown))
		for _, r := range f.Remedies {
			said += fmt.Sprintf(", %T verified %v", r.Change, r.Verified)
		}
	}
	return said
}

func gaps(gaps []finding.Gap) string { return fmt.Sprintf("%d unknown", len(gaps)) }
