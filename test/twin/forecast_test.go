package twin

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// seeds is how many futures are played. A node that is lost has at most four pods of a workload, and two nodes are open to them:
// where each is as good, the rarest outcome is one in sixteen. Of a thousand futures none would have even one of one in
// fifty once in 600 million runs (0.98^1000).
const seeds = 1000

// checkLossForecast cuts a node's power on the twin. Its pods are being deleted, the test deletes the Node, and then each
// workload's pods are where a future of the snapshot has them.
func (b *fixture) checkLossForecast(before *cluster.Snapshot, node string) {
	b.Helper()
	futures := b.futures(before, change.LoseNode{Node: node})
	_, err := b.lab.Fault(lab.Target{Node: node}, nodes.Off)
	b.must(err)
	b.await("the pods of the dead node are told to go", func() error {
		for _, pod := range b.pods(node) {
			if owner := metav1.GetControllerOf(&pod); pod.DeletionTimestamp == nil && (owner == nil || owner.Kind != "DaemonSet") {
				return errors.New(pod.Name + " is not")
			}
		}
		return nil
	})
	b.must(b.CoreV1().Nodes().Delete(b.Context(), node, metav1.DeleteOptions{}))
	b.await("what was forecast happens", func() error {
		b.collectPods(node)
		for workload, now := range places(b.snapshot()) {
			if forecast := futures[workload]; !slices.Contains(forecast, now) {
				return fmt.Errorf("%s: %s; forecast: %q", workload, now, slices.Compact(slices.Sorted(slices.Values(forecast))))
			}
		}
		return b.nothingPending()
	})
	for name, was := range states(before) {
		if now := states(b.snapshot())[name]; strings.HasPrefix(name, "Pod ") && was.Node != node && now.UID != was.UID {
			b.Errorf("%s was on %s, which was not lost, and is not what it was\n%s", name, was.Node, b.eventsOf(was.Node, name[strings.LastIndex(name, "/")+1:]))
		}
	}
}

// eventsOf are the Events of objects, by their names.
func (b *fixture) eventsOf(names ...string) string {
	b.Helper()
	events, err := b.CoreV1().Events("").List(b.Context(), metav1.ListOptions{})
	b.must(err)
	var forecast strings.Builder
	for _, e := range events.Items {
		if slices.Contains(names, e.InvolvedObject.Name) {
			fmt.Fprintf(&forecast, "%s %s: %s: %s\n", e.CreationTimestamp.Format(time.TimeOnly), e.InvolvedObject.Name, e.Reason, e.Message)
		}
	}
	return forecast.String()
}

// futures are, for each workload, where its pods may be after a change.
func (b *fixture) futures(before *cluster.Snapshot, c change.Change) map[string][]string {
	b.Helper()
	judge, err := scheduling.New(b.Context(), before, scheduling.Options{})
	b.must(err)
	futures := map[string][]string{}
	b.must(simulation.EachFuture(b.Context(), judge, []change.Change{c}, simulation.Options{Seeds: seeds}, func(o outcome.Outcome) error {
		for workload, where := range places(o.World) {
			futures[workload] = append(futures[workload], where)
		}
		return nil
	}))
	return futures
}

// places are the nodes on which each workload has pods, "waiting" for one without.
func places(s *cluster.Snapshot) map[string]string {
	nodes := map[string][]string{}
	for _, pod := range s.Pods() {
		if pod.DeletionTimestamp != nil || pod.Status.Phase == corev1.PodSucceeded {
			continue
		}
		where := pod.Spec.NodeName
		if where == "" {
			where = "waiting"
		}
		nodes[pod.Labels["app"]] = append(nodes[pod.Labels["app"]], where)
	}
	places := map[string]string{}
	for workload, list := range nodes {
		slices.Sort(list)
		places[workload] = strings.Join(list, " ")
	}
	return places
}

// nothingPending says whether nothing is under way: a volume that is yet to be detached, for one, from the node that is gone.
func (b *fixture) nothingPending() error {
	b.Helper()
	for _, pod := range b.pods("") {
		if pod.Spec.NodeName != "" && pod.Status.Phase != corev1.PodSucceeded && pod.Labels["app"] != "slow" && !ready(&pod) {
			return errors.New(pod.Name + " is not ready")
		}
	}
	return nil
}

// collectPods deletes the pods of a node that is gone. Kubernetes' pod garbage collector does so after up to a minute, which
// no flag shortens.
func (b *fixture) collectPods(node string) {
	b.Helper()
	for _, pod := range b.pods(node) {
		err := b.CoreV1().Pods(pod.Namespace).Delete(b.Context(), pod.Name, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0)), Preconditions: metav1.NewUIDPreconditions(string(pod.UID))})
		if !apierrors.IsNotFound(err) && !apierrors.IsConflict(err) {
			b.must(err)
		}
	}
}
