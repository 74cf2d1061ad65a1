package forecasts

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/rand"

	"github.com/naosu-dev/naosu/lab/cloud"
)

const (
	// maxRounds bounds how long a world may take to come to rest.
	maxRounds = 80
	// stuckRounds is how many rounds in which nothing changes make what still goes on something that never ends, such as a volume that
	// another node has.
	stuckRounds = 3
	// deadRounds is the same for a pod on a dead node, which may bear that for a while.
	deadRounds = 20
	// volumeRounds is the same for a volume that is attached nowhere yet: attaching is tried again ever more rarely.
	volumeRounds = 30
)

// trace logs every round.
var trace = os.Getenv("TRUTH_TRACE") != ""

// settle waits until nothing changes any more. A round is a marker's: a pod that is rejected first and placed later, so that
// what waited in a queue before it has had its turn.
func (b *fixture) settle(goOn func(*fixture) error) error {
	b.Helper()
	last, same := "", 0
	for range maxRounds {
		patience := 4 * time.Second
		if same > 0 {
			patience = time.Second
		}
		left := b.awaitIdle(goOn, patience)
		state, err := b.state()
		if err != nil {
			return err
		}
		if state == last {
			same++
		} else {
			same = 0
		}
		if trace && same > 0 {
			b.Log("nothing changed in", same, "rounds:", left)
		}
		if last = state; same > 0 && same >= rounds(left) {
			b.stuck = map[string]bool{}
			for _, work := range left {
				b.stuck[work.what] = true
			}
			return nil
		}
		if err := b.nudge(); err != nil {
			return err
		}
		b.passMarker()
	}
	return fmt.Errorf("the world does not come to rest: %s", last)
}

// work is something that is under way.
type work struct {
	what string
	// rounds is in how many rounds without any change it counts as something that never ends.
	rounds int
}

// rounds is how many rounds without a change all of it is to be waited for.
func rounds(left []work) int {
	most := 0
	for _, w := range left {
		most = max(most, w.rounds)
	}
	return most
}

// awaitIdle waits a little for what is under way, and says what still is.
func (b *fixture) awaitIdle(goOn func(*fixture) error, patience time.Duration) []work {
	b.Helper()
	ctx, cancel := context.WithTimeout(b.Context(), patience)
	defer cancel()
	for {
		left, err := b.underWayNow()
		if err == nil && goOn != nil {
			if err := goOn(b); err != nil {
				left = append(left, work{err.Error(), maxRounds})
			}
		}
		b.must(err)
		fresh := slices.ContainsFunc(left, func(w work) bool { return !b.stuck[w.what] })
		if !fresh || ctx.Err() != nil {
			if !fresh {
				return nil
			}
			return left
		}
		b.tick(ctx)
	}
}

// tick waits until it is worth to look again.
func (*fixture) tick(ctx context.Context) {
	timer := time.NewTimer(100 * time.Millisecond)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}

// underWayNow is what a controller, the scheduler, a kubelet or the cloud has yet to do.
func (b *fixture) underWayNow() (left []work, err error) {
	add := func(rounds int, parts ...any) { left = append(left, work{fmt.Sprint(parts...), rounds}) }
	list, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var stand, dead []string
	for i := range list.Items {
		stand = append(stand, list.Items[i].Name)
		if !readyNode(&list.Items[i]) {
			dead = append(dead, list.Items[i].Name)
		}
	}
	if err := b.cloudBusy(dead); err != nil {
		add(maxRounds, err)
	}
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		switch {
		case finished(pod) && pod.DeletionTimestamp == nil:
		case slices.Contains(dead, pod.Spec.NodeName) && pod.DeletionTimestamp == nil && !toleratesUnreachable(pod):
			add(deadRounds, "pod ", pod.Name, " is not told to go off a dead node")
		case slices.Contains(dead, pod.Spec.NodeName):
		case pod.DeletionTimestamp != nil:
			add(stuckRounds, "pod ", pod.Name, " is being deleted")
		case pod.Spec.NodeName != "" && condition(pod, corev1.PodReady) != corev1.ConditionTrue:
			add(stuckRounds, "pod ", pod.Name, " ", pod.UID, " is not ready")
		case yetToBePlaced(pod):
			add(stuckRounds, "pod ", pod.Name, " is yet to be placed")
		}
	}
	attachments, err := b.StorageV1().VolumeAttachments().List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	held, attached := map[string]bool{}, map[string]string{}
	for _, a := range attachments.Items { // Off a node that is gone, it takes six minutes of the lab's.
		held[*a.Spec.Source.PersistentVolumeName], attached[*a.Spec.Source.PersistentVolumeName] = true, a.Spec.NodeName
		if leaves := a.DeletionTimestamp != nil || !a.Status.Attached; !slices.Contains(stand, a.Spec.NodeName) || leaves && !slices.Contains(dead, a.Spec.NodeName) {
			add(volumeRounds, "volume ", *a.Spec.Source.PersistentVolumeName, " is being attached or detached")
		}
	}
	claims, err := b.CoreV1().PersistentVolumeClaims("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for _, claim := range claims.Items {
		free := claim.Spec.VolumeName != "" && !held[claim.Spec.VolumeName]
		if slices.ContainsFunc(pods.Items, func(p corev1.Pod) bool {
			starts := attached[claim.Spec.VolumeName] == p.Spec.NodeName && condition(&p, corev1.PodReady) != corev1.ConditionTrue
			return (free || starts) && p.Spec.NodeName != "" && p.Namespace == claim.Namespace && !slices.Contains(dead, p.Spec.NodeName) && !finished(&p) && uses(&p, claim.Name)
		}) {
			add(volumeRounds, "volume ", claim.Spec.VolumeName, " is yet to be attached and mounted")
		}
	}
	jobs, err := b.BatchV1().Jobs("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range jobs.Items {
		if j := &jobs.Items[i]; jobUnderWay(j) {
			add(stuckRounds+b.backOffRounds(j), "Job ", j.Name, " has ", j.Status.Active, " pods of ", *j.Spec.Parallelism, " after ", j.Status.Failed)
		}
	}
	sets, err := b.AppsV1().ReplicaSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range sets.Items {
		if s := &sets.Items[i]; s.Status.ObservedGeneration != s.Generation || s.Status.Replicas != *s.Spec.Replicas && !refusedPods(s) {
			add(stuckRounds, "ReplicaSet ", s.Name, " has ", s.Status.Replicas, " pods of ", *s.Spec.Replicas)
		}
	}
	return left, nil
}

func uses(pod *corev1.Pod, claim string) bool {
	return slices.ContainsFunc(pod.Spec.Volumes, func(v corev1.Volume) bool {
		return v.PersistentVolumeClaim != nil && v.PersistentVolumeClaim.ClaimName == claim
	})
}

// cloudBusy says whether a machine starts or ends.
func (b *fixture) cloudBusy(dead []string) error {
	for _, i := range b.lab.Cloud.Instances() {
		if !slices.Contains(dead, i.NodeName) && (i.State == cloud.Pending || i.State == cloud.Running && !i.Booted && !i.Impaired) {
			return errors.New("a machine starts")
		}
	}
	return nil
}

func refusedPods(s *appsv1.ReplicaSet) bool {
	return slices.ContainsFunc(s.Status.Conditions, func(c appsv1.ReplicaSetCondition) bool {
		return c.Type == appsv1.ReplicaSetReplicaFailure && c.Status == corev1.ConditionTrue
	})
}

func jobUnderWay(j *batchv1.Job) bool {
	over := j.Spec.Suspend != nil && *j.Spec.Suspend || slices.ContainsFunc(j.Status.Conditions, func(c batchv1.JobCondition) bool {
		return (c.Type == batchv1.JobComplete || c.Type == batchv1.JobFailed) && c.Status == corev1.ConditionTrue
	})
	return !over && j.Status.Active < *j.Spec.Parallelism
}

// backOffRounds is in how many rounds, of a second at least, a Job's back-off is over, which doubles with each pod that has failed.
// Those that its failure policy ignores count as well, and its status does not count them. Where none has failed, a quota may
// have refused its pods.
//
// Source: pkg/controller/job of Kubernetes (DefaultJobPodFailureBackOff, MaxJobPodFailureBackOff, MaxJobApiBackOff).
func (b *fixture) backOffRounds(j *batchv1.Job) int {
	longest := 10 * time.Minute
	switch {
	case j.Spec.PodFailurePolicy != nil:
		return 1 + int(b.lab.Pace.Real(longest)/time.Second)
	case j.Status.Failed == 0:
		return 1 + int(b.lab.Pace.Real(time.Minute)/time.Second)
	}
	return 1 + int(b.lab.Pace.Real(min(10*time.Second<<min(j.Status.Failed-1, 6), longest))/time.Second)
}

// state is all that may still change, as text.
func (b *fixture) state() (string, error) {
	var lines []string
	add := func(parts ...any) { lines = append(lines, fmt.Sprint(parts...)) }
	pods, err := b.CoreV1().Pods("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return "", err
	}
	for i := range pods.Items {
		if p := &pods.Items[i]; p.Labels["app"] != marker {
			add(p.Name, " ", p.UID, " ", p.Spec.NodeName, " ", p.Status.Phase, " ", condition(p, corev1.PodScheduled), condition(p, corev1.PodReady),
				p.DeletionTimestamp != nil, p.Status.NominatedNodeName)
		}
	}
	for _, kind := range []schema.GroupVersionResource{
		{Group: "apps", Version: "v1", Resource: "deployments"},
		{Group: "apps", Version: "v1", Resource: "replicasets"},
		{Group: "apps", Version: "v1", Resource: "statefulsets"},
		{Group: "apps", Version: "v1", Resource: "daemonsets"},
		{Group: "batch", Version: "v1", Resource: "jobs"},
		{Version: "v1", Resource: "nodes"},
	} {
		list, err := b.dynamic.Resource(kind).List(b.Context(), metav1.ListOptions{})
		if err != nil {
			return "", err
		}
		for _, o := range list.Items {
			if strings.HasPrefix(o.GetName(), marker) {
				continue
			}
			status, _ := o.Object["status"].(manifest)
			numbers := manifest{}
			for name, value := range status {
				if n, is := value.(int64); is {
					numbers[name] = n
				}
			}
			spec, _ := o.Object["spec"].(manifest)
			data, err := json.Marshal([]any{o.GetName(), numbers, spec["taints"], spec["replicas"]})
			if err != nil {
				return "", err
			}
			add(string(data))
		}
	}
	slices.Sort(lines)
	return strings.Join(lines, "\n"), nil
}

// nudge touches the owners that lack pods, so that their controller tries again now: where pods were refused, it tries ever more
// rarely, up to a quarter of an hour later.
func (b *fixture) nudge() error {
	sets, err := b.AppsV1().ReplicaSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	patch := fmt.Appendf(nil, `{"metadata":{"annotations":{"forecasts.naosu.dev/nudge":%q}}}`, rand.String(8))
	for _, s := range sets.Items {
		if s.Status.Replicas < *s.Spec.Replicas && !strings.HasPrefix(s.Name, marker) {
			_, err := b.AppsV1().ReplicaSets(s.Namespace).Patch(b.Context(), s.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			if client(err) != nil {
				return err
			}
		}
	}
	ordered, err := b.AppsV1().StatefulSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range ordered.Items {
		if s.Status.Replicas < *s.Spec.Replicas {
			_, err := b.AppsV1().StatefulSets(s.Namespace).Patch(b.Context(), s.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			if client(err) != nil {
				return err
			}
		}
	}
	daemons, err := b.AppsV1().DaemonSets("").List(b.Context(), metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, s := range daemons.Items {
		if s.Status.CurrentNumberScheduled < s.Status.DesiredNumberScheduled {
			_, err := b.AppsV1().DaemonSets(s.Namespace).Patch(b.Context(), s.Name, types.MergePatchType, patch, metav1.PatchOptions{})
			if client(err) != nil {
				return err
			}
		}
	}
	return nil
}

// markerLabel is the label of the node that the marker may run on.
const markerLabel = "forecasts.naosu.dev/marker"

// passMarker sends the marker through the controllers and the scheduler. Without a node that is ready there is nothing to wait for.
func (b *fixture) passMarker() {
	b.Helper()
	b.apply("testdata/truthmarker.yaml")
	b.await("the marker is rejected", func() error {
		return b.ofMarker(func(p *corev1.Pod) bool { return condition(p, corev1.PodScheduled) == corev1.ConditionFalse })
	})
	label := func(node, value string) error {
		patch := fmt.Appendf(nil, `{"metadata":{"labels":{%q:%s}}}`, markerLabel, value)
		_, err := b.CoreV1().Nodes().Patch(b.Context(), node, types.MergePatchType, patch, metav1.PatchOptions{})
		return client(err)
	}
	labelled := ""
	b.await("the marker is placed", func() error {
		list, err := b.CoreV1().Nodes().List(b.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		ready := slices.DeleteFunc(list.Items, func(n corev1.Node) bool { return !readyNode(&n) })
		if len(ready) == 0 {
			return nil
		}
		if !slices.ContainsFunc(ready, func(n corev1.Node) bool { return n.Name == labelled }) { // It may end at any time.
			labelled = ready[0].Name
			b.must(label(labelled, `"here"`))
		}
		return b.ofMarker(func(p *corev1.Pod) bool { return p.Spec.NodeName != "" })
	})
	if labelled != "" {
		b.must(label(labelled, "null"))
	}
	background := metav1.DeletePropagationBackground
	b.must(client(b.AppsV1().Deployments(markerSpace).Delete(b.Context(), marker, metav1.DeleteOptions{PropagationPolicy: &background})))
	b.await("the marker is gone", func() error {
		left, err := b.CoreV1().Pods(markerSpace).List(b.Context(), metav1.ListOptions{LabelSelector: "app=" + marker})
		if err == nil && len(left.Items) > 0 {
			return errors.New("it is still there")
		}
		return err
	})
}

const markerSpace = "kube-system"

func (b *fixture) ofMarker(is func(*corev1.Pod) bool) error {
	pods, err := b.CoreV1().Pods(markerSpace).List(b.Context(), metav1.ListOptions{LabelSelector: "app=" + marker})
	if err != nil {
		return err
	}
	for i := range pods.Items {
		if is(&pods.Items[i]) {
			return nil
		}
	}
	return errors.New("it is not yet")
}
