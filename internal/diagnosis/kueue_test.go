package diagnosis_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestQueueOfAWorkload tells of a Workload that waits what there is in its queue, and whether that admits anything.
func TestQueueOfAWorkload(t *testing.T) {
	type world struct {
		workload *custom.Workload
		local    *custom.LocalQueue
		queue    *custom.ClusterQueue
		known    map[cluster.Kind]cluster.Knowledge
	}
	off := []metav1.Condition{{Type: "Active", Status: metav1.ConditionFalse, Reason: "FlavorNotFound", Message: "Can't admit new workloads: FlavorNotFound."}}
	for name, tc := range map[string]struct {
		edit      func(*world)
		says, not string
	}{
		"alone":             {nil, "clusterqueue/gpus has a nominal quota of 8 example.com/gpu in the flavor h100, and 8 reserved; it cannot borrow, because it belongs to no cohort.", "flavor cheap"},
		"in a cohort":       {func(w *world) { w.queue.Spec.CohortName = "ml" }, "and 8 reserved; it can borrow what other queues of the cohort ml do not use.", ""},
		"in one of v1beta1": {func(w *world) { w.queue.Spec.Cohort = "ml" }, "the cohort ml", ""},
		"with a bound to borrow": {func(w *world) {
			w.queue.Spec.CohortName = "ml"
			w.queue.Spec.ResourceGroups[0].Flavors[0].Resources[0].BorrowingLimit = new(resource.MustParse("4"))
		}, "it can borrow up to 4 that other queues of the cohort ml do not use", ""},
		"having borrowed": {func(w *world) {
			w.queue.Spec.CohortName = "ml"
			w.queue.Status.FlavorsReservation[0].Resources[0] = custom.ResourceUsage{Name: "example.com/gpu", Total: resource.MustParse("10"), Borrowed: resource.MustParse("2")}
		}, "and 10 reserved (2 borrowed)", ""},
		"nothing reserved":        {func(w *world) { w.queue.Status.FlavorsReservation = nil }, "and 0 reserved", ""},
		"it names no flavor":      {func(w *world) { w.workload.Status.Conditions[0].Message = "The workload is waiting" }, "in the flavor cheap", ""},
		"no LocalQueue":           {func(w *world) { w.local = nil }, "localqueue/team in namespace shop does not exist", "clusterqueue"},
		"no ClusterQueue":         {func(w *world) { w.queue = nil }, "clusterqueue/gpus, which localqueue/team refers to, does not exist", ""},
		"queues not read":         {func(w *world) { w.local, w.queue, w.known[cluster.LocalQueue] = nil, nil, cluster.Forbidden }, "LocalQueue", "does not exist"},
		"ClusterQueues not read":  {func(w *world) { w.queue, w.known[cluster.ClusterQueue] = nil, cluster.Forbidden }, "ClusterQueue", "does not exist"},
		"one that does not work":  {func(w *world) { w.queue.Status.Conditions = off }, "clusterqueue/gpus admits nothing: Can't admit new workloads: FlavorNotFound.", ""},
		"one that is held":        {func(w *world) { w.queue.Spec.StopPolicy = "Hold" }, "clusterqueue/gpus admits nothing: its stopPolicy is Hold.", ""},
		"a LocalQueue that is":    {func(w *world) { w.local.Spec.StopPolicy = "HoldAndDrain" }, "localqueue/team admits nothing: its stopPolicy is HoldAndDrain.", ""},
		"one that is not stopped": {func(w *world) { w.local.Spec.StopPolicy, w.queue.Spec.StopPolicy = "None", "None" }, "and 8 reserved", "admits nothing"},
		"one that is admitted": {func(w *world) {
			w.workload.Status.Conditions = append(w.workload.Status.Conditions, metav1.Condition{Type: "Admitted", Status: metav1.ConditionTrue})
		}, "has admitted", "reserved"},
	} {
		t.Run(name, func(t *testing.T) {
			w := &world{known: everything(), workload: &custom.Workload{ObjectMeta: metav1.ObjectMeta{Name: "job-train", Namespace: "shop", UID: "w"}}}
			w.workload.Spec.QueueName = "team"
			w.workload.Status.Conditions = []metav1.Condition{{Type: "QuotaReserved", Status: metav1.ConditionFalse, Reason: "Pending", Message: "insufficient unused quota for example.com/gpu in flavor h100, 4 more needed"}}
			w.local = &custom.LocalQueue{ObjectMeta: metav1.ObjectMeta{Name: "team", Namespace: "shop", UID: "l"}, Spec: custom.LocalQueueSpec{ClusterQueue: "gpus"}}
			w.queue = &custom.ClusterQueue{ObjectMeta: metav1.ObjectMeta{Name: "gpus", UID: "c"}}
			w.queue.Spec.ResourceGroups = []custom.ResourceGroup{{Flavors: []custom.FlavorQuotas{
				{Name: "h100", Resources: []custom.FlavorQuota{{Name: "example.com/gpu", NominalQuota: resource.MustParse("8")}, {Name: corev1.ResourceCPU, NominalQuota: resource.MustParse("64")}}},
				{Name: "cheap", Resources: []custom.FlavorQuota{{Name: "example.com/gpu", NominalQuota: resource.MustParse("2")}}},
			}}}
			w.queue.Status.FlavorsReservation = []custom.FlavorUsage{{Name: "h100", Resources: []custom.ResourceUsage{{Name: "example.com/gpu", Total: resource.MustParse("8")}}}}
			if tc.edit != nil {
				tc.edit(w)
			}
			objects := []runtime.Object{w.workload}
			if w.local != nil {
				objects = append(objects, w.local)
			}
			if w.queue != nil {
				objects = append(objects, w.queue)
			}
			answer := diagnosis.Explain(t.Context(), question(t, objects, w.known, &change.Ref{Kind: "Workload", Namespace: "shop", Name: "job-train"}))
			said := linksOf(answer)
			for _, gap := range answer.Unknown {
				said += "\n" + message.English().Say(gap.Message)
			}
			if !strings.Contains(said, tc.says) || tc.not != "" && strings.Contains(said, tc.not) {
				t.Errorf("want %q and not %q:\n%s", tc.says, tc.not, said)
			}
		})
	}
}
