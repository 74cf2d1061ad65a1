package cluster_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// readsCommand is the example whose answer is what a container's command does; no command stays in an anonymous snapshot.
const readsCommand = "kubernetes-127339.yaml"

// TestConclusionsStay explains every pod of diagnosis' examples, and audits their clusters, with names and without: what
// is found, its evidence and its remedy are the same.
func TestConclusionsStay(t *testing.T) {
	for _, input := range examples(t, "../../internal/diagnosis") {
		if filepath.Base(input) == readsCommand {
			continue
		}
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

// examples are the clusters below a folder.
func examples(t *testing.T, folder string) []string {
	t.Helper()
	var all []string
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if filepath.Ext(path) == ".yaml" {
			all = append(all, path)
		}
		return err
	})
	if err != nil || len(all) == 0 {
		t.Fatalf("no example found: %v", err)
	}
	return all
}

// conclusions are those about every pod and about the whole, without names; sorted, because names decide their order.
func conclusions(t *testing.T, world *cluster.Snapshot) []string {
	t.Helper()
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	view := query.Query{World: world, Judge: judge}
	var all []string
	for _, pod := range world.Pods() {
		view.Subject = &change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name}
		e := diagnosis.Explain(t.Context(), view)
		said := fmt.Sprintf("%s %s, %d unknown", e.State, e.Severity, len(e.Unknown))
		for _, f := range e.Findings {
			if f.Code != hazard {
				said += "; " + conclusion(f)
			}
		}
		all = append(all, said)
	}
	view.Subject = nil
	audit := diagnosis.Audit(t.Context(), view, func(int, int) {})
	for _, f := range audit.Findings {
		if f.Code != hazard {
			all = append(all, "audit: "+conclusion(f))
		}
	}
	all = append(all, fmt.Sprintf("audit: %d unknown", len(audit.Unknown)))
	slices.Sort(all)
	return all
}

// hazard is not compared: it tries its remedy on a workload's first pod, and which is the first is decided by names.
const hazard = finding.N202

// conclusion leaves out whether a remedy was verified: which of equals a future takes is decided by names.
func conclusion(f finding.Finding) string {
	return fmt.Sprintf("%s %s about %d, %d causes, %d ruled out, %d unknown", f.Code, f.Severity, len(f.Subjects), len(f.Causes), len(f.RuledOut), len(f.Unknown))
}
