package diagnosis_test

import (
	"cmp"
	"context"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// TestGoneOnceRemedied sees to it that a finding does not outlive its remedy. Where the remedy is a change that can be
// simulated it is; elsewhere the world is edited to what the remedy leads to.
func TestGoneOnceRemedied(t *testing.T) {
	for input, tc := range map[string]struct {
		// code is what the input's name does not begin with.
		code finding.Code
		// all remedies are applied, in order, instead of the first.
		all bool
		// edit stands for the remedy where it is not one that a simulation simulates.
		edit func(*cluster.Snapshot) []cluster.Edit
	}{
		"n102-one-node":    {},
		"n103-full":        {},
		"n104-dead-node":   {edit: removed("VolumeAttachment", "csi-data", "Pod", "redis-6c5d-1")},
		"n201-down":        {edit: nodesReady},
		"n202-default":     {all: true},
		"n202-held":        {all: true},
		"n203-returned":    {all: true},
		"n204-one-node":    {all: true},
		"n205-statefulset": {edit: removed("Pod", "db-0", "Pod", "web-6c5d-1")},
		"n301-interface":   {edit: agentsWell},
		"n303-silent":      {edit: agentsWell},
		"n501-daemonset":   {edit: removed("Pod", "settlement-0", "Job", "settlement", "Event", "settlement-0.1")},
		"n502-rollout":     {},
		"n503-full":        {},
		"story1-before":    {code: finding.N102},
		"story2-before":    {code: finding.N503},
		"story5-before":    {code: finding.N502, edit: smallerJobs},
	} {
		t.Run(input, func(t *testing.T) {
			prefix, _, _ := strings.Cut(input, "-")
			code := cmp.Or(tc.code, finding.Code(strings.ToUpper(prefix)))
			world := worldOf(clustertest.Load(t, "testdata/audit/"+input+".yaml"))
			judge := judgeOf(t, world)
			before := about(diagnosis.Audit(t.Context(), look(world, judge), nil), code)
			if len(before) == 0 {
				t.Fatalf("no %s before the remedy", code)
			}
			if tc.edit != nil {
				world = world.With(tc.edit(world)...)
				gone(t, look(world, judgeOf(t, world)), code)
				return
			}
			err := simulation.Inspect(t.Context(), judge, remedies(before, tc.all), simulation.Options{}, func(o outcome.Outcome) error {
				gone(t, look(o.World, judge), code)
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
		})
	}
}

func gone(t *testing.T, q query.Query, code finding.Code) {
	t.Helper()
	for _, f := range about(diagnosis.Audit(t.Context(), q, nil), code) {
		t.Errorf("after the remedy there is still: %s", message.English().Say(f.Message))
	}
}

func remedies(found []finding.Finding, all bool) []change.Change {
	var changes []change.Change
	for _, f := range found {
		for i, way := range f.Remedies {
			if i == 0 || all {
				changes = append(changes, way.Change)
			}
		}
	}
	return changes
}

func look(world *cluster.Snapshot, judge *scheduling.Judge) query.Query {
	return query.Query{World: world, Judge: judge}
}

func judgeOf(t *testing.T, world *cluster.Snapshot) *scheduling.Judge {
	t.Helper()
	judge, err := scheduling.New(context.Background(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return judge
}

// removed takes objects away, named by kind and name in turn.
func removed(kindsAndNames ...string) func(*cluster.Snapshot) []cluster.Edit {
	return func(world *cluster.Snapshot) []cluster.Edit {
		var edits []cluster.Edit
		for i := 0; i < len(kindsAndNames); i += 2 {
			for _, object := range world.Objects(cluster.Kind(kindsAndNames[i])) {
				if object.GetName() == kindsAndNames[i+1] {
					edits = append(edits, cluster.Remove(object))
				}
			}
		}
		return edits
	}
}

// agentsWell has every agent find its node well, just now.
func agentsWell(world *cluster.Snapshot) []cluster.Edit {
	var edits []cluster.Edit
	for _, node := range world.Nodes() {
		well := node.DeepCopy()
		for i := range well.Status.Conditions {
			c := &well.Status.Conditions[i]
			c.Status, c.Reason, c.Message, c.LastHeartbeatTime = corev1.ConditionTrue, "", "", metav1.NewTime(world.Taken())
		}
		edits = append(edits, cluster.Put(well))
	}
	return edits
}

func nodesReady(world *cluster.Snapshot) []cluster.Edit {
	var edits []cluster.Edit
	for _, node := range world.Nodes() {
		back := node.DeepCopy()
		back.Spec.Taints = nil
		back.Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue, LastTransitionTime: metav1.NewTime(now)}}
		edits = append(edits, cluster.Put(back))
	}
	return edits
}

// smallerJobs is the next night of story 5, its statements asking for less CPU.
func smallerJobs(world *cluster.Snapshot) []cluster.Edit {
	var edits []cluster.Edit
	for _, pod := range world.Pods() {
		if strings.HasPrefix(pod.Name, "statements") {
			smaller := pod.DeepCopy()
			smaller.Spec.Containers[0].Resources.Requests[corev1.ResourceCPU] = resource.MustParse("600m")
			edits = append(edits, cluster.Put(smaller))
		}
	}
	return edits
}
