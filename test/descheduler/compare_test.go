package descheduler

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"regexp"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/labtest"
)

// mostPasses is after how many passes a tool that still evicts, or tries to, is taken for one that never stops.
const mostPasses = 12

// result is what became of a cluster with a tool.
type result struct {
	evictions
	// passes are those in which the tool asked for evictions; never is that it still did so in the last.
	passes int
	never  bool
	// pending are the pods without a node at the end.
	pending       int
	before, after balance
	lowest        fraction
}

// TestCompare runs each tool on each cluster whose name COMPARE matches, writes the table, and with -update into the documentation.
func TestCompare(t *testing.T) {
	pattern := os.Getenv("COMPARE")
	if pattern == "" {
		t.Skip("run by hand: make descheduler")
	}
	chosen, err := regexp.Compile(pattern)
	if err != nil {
		t.Fatal(err)
	}
	tools := append([]tool{theDescheduler{buildDescheduler(t), os.Getenv("COMPARE_LOGS")}}, naosus...)
	results := map[string]map[string]result{}
	for _, c := range cases {
		if !chosen.MatchString(c.name) {
			continue
		}
		results[c.name] = map[string]result{}
		for _, tool := range tools {
			t.Run(c.name+" "+tool.name(), func(t *testing.T) { results[c.name][tool.name()] = run(t, c, tool) })
		}
	}
	writeTables(t, tools, results)
}

// run has a tool act on the case's cluster until a pass asks for no eviction.
func run(t *testing.T, c testCase, by tool) result {
	audit := newAuditLog(t)
	options := c.options(t)
	options.Flags = audit.flags()
	// A node is dead that has not reported for twelve seconds of real time, so that a busy machine is not taken for one.
	options.Flags[controlplane.ControllerManager] = []string{"--node-monitor-grace-period=12s"}
	l := labtest.Start(t, options)
	client := kubernetes.NewForConfigOrDie(l.Plane.AdminConfig())
	config, err := l.Plane.ConfigForUser(toolUser, "system:masters")
	if err != nil {
		t.Fatal(err)
	}
	s := &session{T: t, client: client, config: config, audit: audit, tool: by}
	return s.play()
}

// session is one tool on one cluster.
type session struct {
	*testing.T
	client kubernetes.Interface
	config *rest.Config
	audit  auditLog
	tool   tool
}

func (s *session) play() result {
	nodes, pods := s.settle(steady)
	s.unchanged(pods)
	r := result{before: balanceOf(nodes, pods)}
	watched := newAvailability(pods)
	ctx, cancel := context.WithCancel(s.Context())
	defer cancel()
	s.must(watched.watch(ctx, s.client))
	for r.never = true; r.passes < mostPasses; r.passes++ {
		s.must(s.tool.pass(s.Context(), s.T, s.config))
		now, err := s.audit.evictions()
		s.must(err)
		if now.sum() == r.sum() {
			r.never = false
			break
		}
		r.evictions = now
		s.settle(steady)
	}
	nodes, pods = s.settle(steady)
	if countPending(pods) > 0 {
		nodes, pods = s.settle(settled)
	}
	r.pending, r.after, r.lowest = countPending(pods), balanceOf(nodes, pods), watched.lowest()
	s.Logf("%+v", r)
	return r
}

// unchanged fails if the lab did not begin with the case's pods.
func (s *session) unchanged(pods []corev1.Pod) {
	s.Helper()
	for i := range pods {
		if age := time.Since(pods[i].CreationTimestamp.Time); age < time.Minute {
			s.Errorf("pod %s is none of the case", pods[i].Name)
		}
	}
}

func countPending(pods []corev1.Pod) (n int) {
	for i := range pods {
		if pods[i].Spec.NodeName == "" {
			n++
		}
	}
	return n
}

// steady and settled are for how many polls in a row nothing may change, settled before a pod without a node is taken to stay so: the
// scheduler tries it again after ten seconds at most if the cluster has changed.
const (
	poll    = 100 * time.Millisecond
	steady  = 8
	settled = 110
)

// settle waits until nothing is under way and nothing has changed for some polls.
func (s *session) settle(polls int) ([]corev1.Node, []corev1.Pod) {
	s.Helper()
	var now state
	var last map[string]string
	same := 0
	err := wait.PollUntilContextTimeout(s.Context(), poll, testbed.Patience, true, func(ctx context.Context) (bool, error) {
		var err error
		if now, err = read(ctx, s.client); err != nil {
			return false, err
		}
		versions := now.versions()
		if same++; now.underWay() != nil || !maps.Equal(versions, last) {
			same = 0
		}
		last = versions
		return same >= polls, nil
	})
	if err != nil {
		s.Fatalf("the cluster does not settle: %v, %v", err, now.underWay())
	}
	return now.nodes, now.pods
}

// state is what a cluster holds.
type state struct {
	nodes        []corev1.Node
	pods         []corev1.Pod
	replicaSets  []appsv1.ReplicaSet
	statefulSets []appsv1.StatefulSet
	budgets      []policyv1.PodDisruptionBudget
}

func read(ctx context.Context, client kubernetes.Interface) (s state, err error) {
	all := metav1.ListOptions{}
	nodes, err := client.CoreV1().Nodes().List(ctx, all)
	if err != nil {
		return s, err
	}
	pods, err := client.CoreV1().Pods("").List(ctx, all)
	if err != nil {
		return s, err
	}
	replicaSets, err := client.AppsV1().ReplicaSets("").List(ctx, all)
	if err != nil {
		return s, err
	}
	statefulSets, err := client.AppsV1().StatefulSets("").List(ctx, all)
	if err != nil {
		return s, err
	}
	budgets, err := client.PolicyV1().PodDisruptionBudgets("").List(ctx, all)
	if err != nil {
		return s, err
	}
	return state{nodes.Items, pods.Items, replicaSets.Items, statefulSets.Items, budgets.Items}, nil
}

// versions are those of pods and budgets.
func (s state) versions() map[string]string {
	versions := map[string]string{}
	for i := range s.pods {
		versions[string(s.pods[i].UID)] = s.pods[i].ResourceVersion
	}
	for i := range s.budgets {
		versions[string(s.budgets[i].UID)] = s.budgets[i].ResourceVersion
	}
	return versions
}

// underWay says what is: a pod that has a node and is not ready, one that the scheduler has not tried, a controller or a
// budget that has yet to see its pods.
func (s state) underWay() error {
	for i := range s.nodes {
		if !isSchedulable(&s.nodes[i]) {
			return fmt.Errorf("node %s is not ready", s.nodes[i].Name)
		}
	}
	for i := range s.pods {
		pod := &s.pods[i]
		switch {
		case pod.DeletionTimestamp != nil:
			return fmt.Errorf("pod %s is being deleted", pod.Name)
		case pod.Spec.NodeName != "" && condition(pod, corev1.PodReady) != corev1.ConditionTrue:
			return fmt.Errorf("pod %s is not ready", pod.Name)
		case pod.Spec.NodeName == "" && (condition(pod, corev1.PodScheduled) != corev1.ConditionFalse || pod.Status.NominatedNodeName != ""):
			return fmt.Errorf("pod %s is yet to be placed", pod.Name)
		}
	}
	return errors.Join(s.controllersUnderWay(), s.budgetsUnderWay())
}

func (s state) controllersUnderWay() error {
	for _, set := range s.replicaSets {
		if set.Status.Replicas != *set.Spec.Replicas {
			return fmt.Errorf("ReplicaSet %s has %d pods of %d", set.Name, set.Status.Replicas, *set.Spec.Replicas)
		}
	}
	for _, set := range s.statefulSets {
		if set.Status.Replicas != *set.Spec.Replicas {
			return fmt.Errorf("StatefulSet %s has %d pods of %d", set.Name, set.Status.Replicas, *set.Spec.Replicas)
		}
	}
	return nil
}

func (s state) budgetsUnderWay() error {
	for _, budget := range s.budgets {
		selector, err := metav1.LabelSelectorAsSelector(budget.Spec.Selector)
		if err != nil {
			return err
		}
		healthy := slices.DeleteFunc(slices.Clone(s.pods), func(pod corev1.Pod) bool {
			return pod.Namespace != budget.Namespace || !selector.Matches(labels.Set(pod.Labels)) || condition(&pod, corev1.PodReady) != corev1.ConditionTrue
		})
		if int(budget.Status.CurrentHealthy) != len(healthy) || len(budget.Status.DisruptedPods) > 0 || budget.Status.ExpectedPods == 0 {
			return fmt.Errorf("PodDisruptionBudget %s is yet to count its pods", budget.Name)
		}
	}
	return nil
}

func (s *session) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}
