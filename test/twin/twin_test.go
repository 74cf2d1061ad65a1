// Package twin takes a snapshot of a cluster as naosu does, builds its twin from the file, and holds the two against each
// other: first while nothing happens, and then when what was forecast for the snapshot is done to the twin.
package twin

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/twin"
)

const (
	scale = 20
	group = "workers"
)

// TestTwin builds the twin of a cluster that has ended. Everything is as it was and stays so, until a node is lost; then
// what was forecast happens.
func TestTwin(t *testing.T) {
	file := original(t)
	before, err := cluster.Load(t.Context(), cluster.Source{Path: "-", Stdin: bytes.NewReader(file)})
	if err != nil {
		t.Fatal(err)
	}
	read, err := twin.Read(bytes.NewReader(file), pace.New(scale), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	var account bytes.Buffer
	read.Account(&account)
	for _, line := range []string{
		"v1.36.3", "group/workers: 4 nodes", "1 CronJob", "1 pod with a container that crashes, cannot start or is not ready",
		"1 object owned by a Job that is not in the snapshot", "1 object owned by a Rollout.example.com",
	} {
		if !strings.Contains(account.String(), line) {
			t.Errorf("the account does not speak of %q:\n%s", line, &account)
		}
	}

	b := newFixture(t, read.Options())
	b.settle()
	if diff := cmp.Diff(states(before), states(b.snapshot())); diff != "" {
		t.Fatalf("the cluster (-) and its twin (+):\n%s", diff)
	}
	if volumes := b.lab.Cloud.Volumes(); len(volumes) != 2 || volumes[0].AttachedTo == "" || volumes[1].AttachedTo == "" {
		t.Errorf("the cloud's volumes are %+v, want the two of the orders, attached", volumes)
	}
	b.checkLossForecast(before, before.Pod("default", "orders-0").Spec.NodeName)
}

// original is the snapshot file of a cluster with one of everything that a twin has to take over. The cluster has ended
// when it is there, so that the twin can only have it from the file.
func original(t *testing.T) []byte {
	t.Helper()
	b := newFixture(t, lab.Options{Pace: pace.New(scale), Cloud: cloud.Spec{Groups: []cloud.GroupSpec{
		{Name: group, InstanceType: "m5.large", Desired: 4, ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"}},
	}}})
	b.apply("testdata/shop.yaml")
	b.await("the shop runs", func() error { return b.run(map[string]int{"web": 4, "orders": 2, "agent": 4, "old": 2, "guest": 1}) })
	// Old revisions, which differ in nothing that a snapshot holds.
	b.rollOut("deployments", "default", "web", 4)
	b.rollOut("daemonsets", "kube-system", "agent", 4)
	b.rollOut("statefulsets", "default", "orders", 2)
	b.cordon(b.emptiest())
	b.awaitQuota()

	var file bytes.Buffer
	b.must(aged(b.snapshot()).Write(&file))
	b.end()
	return file.Bytes()
}

// aged is the cluster as snapshots of real ones are: a Job has gone whose pod is left, a CronJob has missed many runs,
// and why a container is not ready is unknown.
func aged(s *cluster.Snapshot) *cluster.Snapshot {
	slow := s.Pod("default", "slow").DeepCopy()
	slow.Annotations = nil
	edits := []cluster.Edit{cluster.Put(slow)}
	for _, o := range s.Objects(cluster.Job) {
		edits = append(edits, cluster.Remove(o))
	}
	for _, o := range s.Objects(cluster.CronJob) {
		cron := o.(*batchv1.CronJob).DeepCopy()
		cron.Status.LastScheduleTime = new(metav1.NewTime(time.Now().AddDate(-2, 0, 0).Truncate(time.Second)))
		edits = append(edits, cluster.Put(cron))
	}
	for _, pod := range s.Pods() {
		if owner := metav1.GetControllerOf(pod); owner != nil && owner.Kind == "Job" {
			orphan := pod.DeepCopy()
			orphan.OwnerReferences[0].UID = "of-a-job-that-is-gone"
			edits = append(edits, cluster.Put(orphan))
		}
	}
	return s.With(edits...)
}

// settle waits until every controller has looked at what was there: each takes things in the order in which it hears of
// them, so once it has dealt with something new, it is done with the old. The new goes again, by the garbage collector.
func (b *fixture) settle() {
	b.Helper()
	b.apply("testdata/settled.yaml")
	b.await("the controllers act on new things", func() error {
		return b.run(map[string]int{"settled-deployment": 1, "settled-set": 1, "settled-daemon": 4, "settled-job": 1})
	})
	background := metav1.DeleteOptions{PropagationPolicy: new(metav1.DeletePropagationBackground)}
	b.must(b.AppsV1().Deployments("default").Delete(b.Context(), "settled-deployment", background))
	b.must(b.AppsV1().StatefulSets("default").Delete(b.Context(), "settled-set", background))
	b.must(b.AppsV1().DaemonSets("default").Delete(b.Context(), "settled-daemon", background))
	b.must(b.BatchV1().Jobs("default").Delete(b.Context(), "settled-job", background))
	b.await("the garbage collector acts", func() error {
		for _, pod := range b.pods("") {
			if strings.HasPrefix(pod.Labels["app"], "settled-") {
				return errors.New(pod.Name + " is still there")
			}
		}
		return nil
	})
	b.awaitQuota()
}

// awaitQuota waits until the quota controller has counted the pods that there are: it does so some time after they come or go.
func (b *fixture) awaitQuota() {
	b.Helper()
	b.await("the quota counts the pods", func() error {
		quota, err := b.CoreV1().ResourceQuotas("default").Get(b.Context(), "enough", metav1.GetOptions{})
		if err != nil {
			return err
		}
		active := 0
		for _, pod := range b.pods("") {
			if pod.Namespace == "default" && !cluster.Ended(&pod) {
				active++
			}
		}
		if used := quota.Status.Used.Pods().Value(); used != int64(active) {
			return fmt.Errorf("it counts %d of %d pods", used, active)
		}
		return nil
	})
}

// emptiest is the node with the fewest pods, so that a cordon is felt by what comes later only.
func (b *fixture) emptiest() string {
	b.Helper()
	pods := map[string]int{}
	for _, pod := range b.pods("") {
		pods[pod.Spec.NodeName]++
	}
	nodes, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
	b.must(err)
	least := nodes.Items[0].Name
	for _, node := range nodes.Items {
		if pods[node.Name] < pods[least] {
			least = node.Name
		}
	}
	return least
}

func ready(pod *corev1.Pod) bool {
	for _, c := range pod.Status.Conditions {
		if c.Type == corev1.PodReady {
			return c.Status == corev1.ConditionTrue
		}
	}
	return false
}
