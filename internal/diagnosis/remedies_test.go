package diagnosis_test

import (
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// made is a cluster of one node and a Deployment with one pod, to be broken.
type made struct {
	node       *corev1.Node
	deployment *appsv1.Deployment
	set        *appsv1.ReplicaSet
	pod        *corev1.Pod
	more       []runtime.Object
}

func newMade() *made {
	room := corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("4"), corev1.ResourceMemory: resource.MustParse("16Gi"), corev1.ResourcePods: resource.MustParse("20")}
	m := &made{
		node: &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "n1", Labels: map[string]string{corev1.LabelHostname: "n1"}},
			Status:     corev1.NodeStatus{Allocatable: room, Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
		},
		deployment: &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "d"}},
		set:        &appsv1.ReplicaSet{ObjectMeta: metav1.ObjectMeta{Name: "web-1", Namespace: "shop", UID: "rs", OwnerReferences: ownedBy("Deployment", "web", "d")}},
		pod: &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "web-1-x", Namespace: "shop", UID: "p", OwnerReferences: ownedBy("ReplicaSet", "web-1", "rs")},
			Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: "app", Image: "app:1"}}},
			Status: corev1.PodStatus{
				Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}},
				ContainerStatuses: []corev1.ContainerStatus{{Name: "app", State: corev1.ContainerState{Running: &corev1.ContainerStateRunning{}}}},
			},
		},
	}
	return m
}

func ownedBy(kind, name string, uid types.UID) []metav1.OwnerReference {
	return []metav1.OwnerReference{{APIVersion: "v1", Kind: kind, Name: name, UID: uid, Controller: new(true)}}
}

func (m *made) objects() []runtime.Object {
	return append([]runtime.Object{m.node, m.deployment, m.set, m.pod}, m.more...)
}

// waits makes the pod's container wait for a reason.
func (m *made) waits(reason, text string) {
	m.pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: reason, Message: text}}
}

// outOfMemory makes the pod's container one that is ended for memory again and again.
func (m *made) outOfMemory(limit string) {
	m.waits("CrashLoopBackOff", "back-off")
	c := &m.pod.Status.ContainerStatuses[0]
	c.RestartCount = 4
	c.LastTerminationState.Terminated = &corev1.ContainerStateTerminated{
		Reason: "OOMKilled", ExitCode: 137, StartedAt: ago(10 * time.Minute), FinishedAt: ago(5 * time.Minute),
	}
	if limit != "" {
		m.pod.Spec.Containers[0].Resources.Limits = corev1.ResourceList{corev1.ResourceMemory: resource.MustParse(limit)}
	}
}

// ending makes the pod one that was deleted, should be gone since so long, and has a hook.
func (m *made) ending(late time.Duration, hook *corev1.LifecycleHandler) {
	gone := ago(late)
	m.pod.DeletionTimestamp, m.pod.DeletionGracePeriodSeconds, m.pod.Spec.TerminationGracePeriodSeconds = &gone, new(int64(30)), new(int64(30))
	m.pod.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PreStop: hook}
}

func (m *made) event(about, uid, reason, text string) {
	kind, name, _ := strings.Cut(about, "/")
	namespace := "shop"
	if kind == "Node" {
		namespace = ""
	}
	m.more = append(m.more, &corev1.Event{
		ObjectMeta: metav1.ObjectMeta{Name: reason, Namespace: "shop"}, Reason: reason, Message: text, Type: corev1.EventTypeWarning, LastTimestamp: ago(5 * time.Minute),
		InvolvedObject: corev1.ObjectReference{Kind: kind, Name: name, Namespace: namespace, UID: types.UID(uid)},
	})
}

func ago(d time.Duration) metav1.Time { return metav1.Time{Time: now.Add(-d)} }

func run(command ...string) *corev1.LifecycleHandler {
	return &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: command}}
}

// TestRemediesOfBrokenPods breaks a pod in one way each, and looks for the command that mends it, and for what must not be said.
func TestRemediesOfBrokenPods(t *testing.T) {
	const setMemory = "kubectl set resources deployment/web --namespace shop --containers app --limits memory=512Mi"
	for name, tc := range map[string]struct {
		breaks    func(*made)
		says, not string
	}{
		"a secret that is not there": {func(m *made) {
			m.pod.Spec.Containers[0].Env = []corev1.EnvVar{{Name: "P", ValueFrom: &corev1.EnvVarSource{SecretKeyRef: &corev1.SecretKeySelector{LocalObjectReference: corev1.LocalObjectReference{Name: "db"}, Key: "password"}}}}
			m.waits("CreateContainerConfigError", `secret "db" not found`)
		}, "kubectl create secret generic db --namespace shop --from-literal=password=<value>", ""},
		"a configmap, all of it": {func(m *made) { m.waits("CreateContainerConfigError", `configmap "cfg" not found`) }, "kubectl create configmap cfg --namespace shop --from-literal=<key>=<value>", ""},
		"a key that a secret has not": {func(m *made) {
			m.waits("CreateContainerConfigError", "couldn't find key user.name in Secret shop/db")
		}, `kubectl patch secret db --namespace shop --patch '{"stringData":{"user.name":<value-in-double-quotes>}}'`, "create secret"},
		"a key that a volume's configmap has not": {func(m *made) {
			m.pod.Spec.Volumes = []corev1.Volume{{Name: "v", VolumeSource: corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "cfg"}}}}}
			m.waits("ContainerCreating", "")
			m.event("Pod/web-1-x", "p", "FailedMount", `MountVolume.SetUp failed for volume "v" : configmap references non-existent config key: app.toml`)
			m.pod.Status.Phase = corev1.PodPending
		}, `kubectl patch configmap cfg --namespace shop --patch '{"data":{"app.toml":<value-in-double-quotes>}}'`, ""},
		"a secret that is mounted": {func(m *made) {
			m.waits("ContainerCreating", "")
			m.event("Pod/web-1-x", "p", "FailedMount", `MountVolume.SetUp failed for volume "tls" : secret "web-tls" not found`)
			m.pod.Status.Phase = corev1.PodPending
		}, "kubectl create secret generic web-tls --namespace shop", ""},
		"another mount that fails": {func(m *made) {
			m.waits("ContainerCreating", "")
			m.event("Pod/web-1-x", "p", "FailedMount", `MountVolume.SetUp failed for volume "v" : hostPath type check failed: /data is not a directory`)
			m.pod.Status.Phase = corev1.PodPending
		}, "not a directory", "kubectl create"},
		"a name to break a shell": {func(m *made) { m.waits("CreateContainerConfigError", `secret "$(reboot)" not found`) }, `kubectl create secret generic '$(reboot)'`, ""},

		"memory":                 {func(m *made) { m.outOfMemory("256Mi") }, setMemory, "--requests"},
		"memory without a limit": {func(m *made) { m.outOfMemory("") }, "has no memory limit", "set resources"},
		"memory of the node": {func(m *made) {
			m.outOfMemory("256Mi")
			m.event("Node/n1", "n1", "SystemOOM", "System OOM encountered, victim process: app")
		}, "a higher limit does not help", "set resources"},
		"memory of the node, long ago": {func(m *made) {
			m.outOfMemory("256Mi")
			m.event("Node/n1", "n1", "SystemOOM", "System OOM")
			m.more[0].(*corev1.Event).LastTimestamp = ago(time.Hour)
		}, setMemory, ""},
		"memory that is guaranteed": {func(m *made) {
			m.outOfMemory("256Mi")
			m.pod.Spec.Containers[0].Resources.Requests = m.pod.Spec.Containers[0].Resources.Limits
		}, setMemory + " --requests memory=512Mi", ""},
		"memory that no node has": {func(m *made) { m.outOfMemory("12Gi") }, "No node has twice the memory (24Gi)", "set resources"},
		"memory of an init container": {func(m *made) {
			m.outOfMemory("256Mi")
			m.pod.Spec.InitContainers, m.pod.Spec.Containers = m.pod.Spec.Containers, []corev1.Container{{Name: "late"}}
			m.pod.Status.InitContainerStatuses, m.pod.Status.ContainerStatuses = m.pod.Status.ContainerStatuses, nil
			m.pod.Status.Phase = corev1.PodPending
			m.pod.Status.Conditions = append(m.pod.Status.Conditions, corev1.PodCondition{Type: corev1.PodInitialized, Status: corev1.ConditionFalse})
		}, setMemory, ""},
		"memory of a job": {func(m *made) {
			m.outOfMemory("256Mi")
			m.pod.OwnerReferences = ownedBy("Job", "j", "j")
			m.more = append(m.more, job(nil))
		}, "its memory limit of 256Mi", "set resources"},
		"memory of a cron job": {func(m *made) {
			m.outOfMemory("256Mi")
			m.pod.OwnerReferences = ownedBy("Job", "j", "j")
			m.more = append(m.more, job(ownedBy("CronJob", "c", "c")), cron())
		}, "kubectl set resources cronjob/c --namespace shop --containers app --limits memory=512Mi", ""},
		"memory of a pod alone":    {func(m *made) { m.outOfMemory("256Mi"); m.pod.OwnerReferences = nil }, "its memory limit of 256Mi", "set resources"},
		"memory, of an operator's": {func(m *made) { m.outOfMemory("256Mi"); m.deployment.OwnerReferences = ownedBy("Kafka", "events", "k") }, "and its operator reverts", "kubectl set"},
		"memory, kept by Argo CD": {func(m *made) {
			m.outOfMemory("256Mi")
			m.deployment.Labels = map[string]string{"argocd.argoproj.io/instance": "shop"}
		}, "Argo CD manages deployment/web", ""},

		"a hook that sleeps":          {func(m *made) { m.ending(time.Hour, run("/bin/sh", "-c", "sleep 10000000")) }, "takes 115d, but the grace period is 30s", ""},
		"the sleep of a hook":         {func(m *made) { m.ending(time.Hour, run("sleep", "2h")) }, "kubectl exec web-1-x --namespace shop --container app -- sh -c 'kill $(pidof sleep)'", ""},
		"a hook that sleeps for ever": {func(m *made) { m.ending(time.Hour, run("bash", "-ec", "exec sleep infinity")) }, "takes forever", ""},
		"a hook of the kubelet's": {func(m *made) {
			m.ending(time.Hour, &corev1.LifecycleHandler{Sleep: &corev1.SleepAction{Seconds: 7200}})
		}, "takes 120m", "kubectl exec"},
		"a hook that is long over": {func(m *made) { m.ending(time.Hour, run("sleep", "60")) }, "has not confirmed", "kubectl exec"},
		"a hook that does more":    {func(m *made) { m.ending(time.Hour, run("sh", "-c", "test -e /x || sleep 10000000")) }, "how long that takes is not known", "kubectl exec"},
		"a hook of what has ended": {func(m *made) {
			m.ending(time.Hour, run("sleep", "2h"))
			m.pod.Status.ContainerStatuses[0].State = corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{}}
		}, "has not confirmed", "preStop"},
		"no hook":                  {func(m *made) { m.ending(time.Hour, nil); m.pod.Spec.Containers[0].Lifecycle = nil }, "has not confirmed", "preStop"},
		"a hook, removed by force": {func(m *made) { m.ending(time.Hour, run("sleep", "2h")) }, "kubectl delete pod web-1-x --namespace shop --force --grace-period=0", ""},
		"a hook, nothing left to cut": {func(m *made) {
			m.ending(time.Hour, run("sleep", "2h"))
			m.pod.DeletionGracePeriodSeconds = new(int64(0))
		}, "kubectl exec", "--force"},
		"a hook, and only one may run": {func(m *made) {
			m.ending(time.Hour, run("sleep", "2h"))
			m.pod.OwnerReferences = ownedBy("StatefulSet", "s", "s")
		}, "kubectl exec", "--force"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade()
			tc.breaks(m)
			about := change.Ref{Kind: "Pod", Namespace: "shop", Name: "web-1-x"}
			e := diagnosis.Explain(t.Context(), question(t, m.objects(), everything(), &about))
			said := answerOf(e) + "\n" + told(e)
			if !strings.Contains(said, tc.says) {
				t.Errorf("%q is not said; in %s", tc.says, said)
			}
			if tc.not != "" && strings.Contains(said, tc.not) {
				t.Errorf("%q is said; in %s", tc.not, said)
			}
		})
	}
}

// told are the words of remedies, with cost and risk.
func told(e finding.Explanation) string {
	var words []string
	for _, r := range e.Remedies {
		words = append(words, message.English().Say(r.Message), message.English().Say(r.Cost), message.English().Say(r.Risk))
	}
	return strings.Join(words, "\n")
}

func job(owner []metav1.OwnerReference) *batchv1.Job {
	return &batchv1.Job{ObjectMeta: metav1.ObjectMeta{Name: "j", Namespace: "shop", UID: "j", OwnerReferences: owner}}
}

func cron() *batchv1.CronJob {
	return &batchv1.CronJob{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: "shop", UID: "c"}, Spec: batchv1.CronJobSpec{Schedule: "* * * * *", ConcurrencyPolicy: batchv1.ForbidConcurrent}}
}

// TestMissingAccount looks for the command that creates a ServiceAccount, which is not offered once it is there.
func TestMissingAccount(t *testing.T) {
	for name, tc := range map[string]struct {
		there bool
		says  string
		not   string
	}{
		"missing":      {false, "kubectl create serviceaccount web --namespace shop", "exists now"},
		"there by now": {true, "serviceaccount/web exists now", "kubectl create"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade()
			m.set.Spec.Replicas, m.deployment.Spec.Replicas = new(int32(1)), new(int32(1))
			m.event("ReplicaSet/web-1", "rs", "FailedCreate", `Error creating: pods "web-1-" is forbidden: error looking up service account shop/web: serviceaccount "web" not found`)
			objects := append([]runtime.Object{m.node, m.deployment, m.set}, m.more...)
			if tc.there {
				objects = append(objects, &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: "web", Namespace: "shop", UID: "sa"}})
			}
			about := change.Ref{Kind: string(cluster.Deployment), Namespace: "shop", Name: "web"}
			said := answerOf(diagnosis.Explain(t.Context(), question(t, objects, everything(), &about)))
			if !strings.Contains(said, tc.says) || strings.Contains(said, tc.not) {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// TestOwnersOfStuckPods asks about a pod that does not end: who waits for it, and that nothing does only where that is so.
func TestOwnersOfStuckPods(t *testing.T) {
	for name, tc := range map[string]struct {
		owned     func(*made)
		says, not string
	}{
		"a ReplicaSet creates another": {func(*made) {}, "Nothing waits for it.", "creates"},
		"a rollout that recreates": {func(m *made) {
			m.deployment.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType
			m.deployment.Annotations, m.set.Annotations = map[string]string{"deployment.kubernetes.io/revision": "2"}, map[string]string{"deployment.kubernetes.io/revision": "1"}
		}, "its strategy is Recreate", "Nothing waits"},
		"the newest version of one that recreates": {func(m *made) { m.deployment.Spec.Strategy.Type = appsv1.RecreateDeploymentStrategyType }, "Nothing waits for it.", "Recreate"},
		"a Job that is to fail": {func(m *made) {
			failing := job(ownedBy("CronJob", "c", "c"))
			failing.Status.Conditions = []batchv1.JobCondition{{Type: batchv1.JobFailureTarget, Status: corev1.ConditionTrue}}
			m.pod.OwnerReferences, m.more = ownedBy("Job", "j", "j"), []runtime.Object{failing, cron()}
		}, "Until then, cronjob/c creates no other Job", "Nothing waits"},
		"a Job that replaces at once": {func(m *made) { m.pod.OwnerReferences, m.more = ownedBy("Job", "j", "j"), []runtime.Object{job(nil)} }, "Nothing waits for it.", "job/j creates"},
		"a DaemonSet": {func(m *made) {
			m.pod.OwnerReferences = ownedBy("DaemonSet", "agent", "ds")
			m.more = []runtime.Object{&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Name: "agent", Namespace: "shop", UID: "ds"}}}
		}, "Until then, daemonset/agent creates no other pod on node/n1", "Nothing waits"},
	} {
		t.Run(name, func(t *testing.T) {
			m := newMade()
			m.ending(time.Hour, nil)
			m.pod.Spec.Containers[0].Lifecycle = nil
			tc.owned(m)
			about := change.Ref{Kind: "Pod", Namespace: "shop", Name: "web-1-x"}
			said := answerOf(diagnosis.Explain(t.Context(), question(t, m.objects(), everything(), &about)))
			if !strings.Contains(said, tc.says) || strings.Contains(said, tc.not) {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// TestPausedOfAFile asks about a paused Deployment in a file without its ReplicaSets and pods: its own status tells that none of the
// present template were created.
func TestPausedOfAFile(t *testing.T) {
	for updated, says := range map[int32]string{0: "is paused and has 0 of 2 pods", 1: "has 0 of 2 pods"} {
		m := newMade()
		m.deployment.Spec.Paused, m.deployment.Spec.Replicas = true, new(int32(2))
		m.deployment.Status = appsv1.DeploymentStatus{ObservedGeneration: 1, UpdatedReplicas: updated}
		about := change.Ref{Kind: string(cluster.Deployment), Namespace: "shop", Name: "web"}
		known := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Deployment: cluster.Complete}
		e := diagnosis.Explain(t.Context(), question(t, []runtime.Object{m.node, m.deployment}, known, &about))
		if !strings.Contains(message.English().Say(e.Summary), says) || strings.Contains(message.English().Say(e.Summary), "is paused") != (updated == 0) {
			t.Errorf("with %d of the present template it says %q, want %q", updated, message.English().Say(e.Summary), says)
		}
	}
}
