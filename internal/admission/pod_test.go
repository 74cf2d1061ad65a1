package admission_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/admission"
)

func pod(t *testing.T, name, container string) *corev1.Pod {
	p := parse[corev1.Pod](t, "metadata: {name: "+name+", namespace: default}\nspec: {containers: [{name: c, image: i, "+container+"}]}")
	p.UID = types.UID(name)
	return p
}

func TestLimits(t *testing.T) {
	limits := parse[corev1.LimitRange](t, "spec: {limits: [{type: Container, max: {cpu: 1}, min: {cpu: 100m}}, {type: Pod, max: {memory: 1Gi}}]}")
	for name, tc := range map[string]struct{ container, want string }{
		"within":      {"resources: {limits: {cpu: 1, memory: 1Gi}}", ""},
		"above":       {"resources: {limits: {cpu: 2, memory: 1Gi}}", "maximum cpu usage per Container is 1, but limit is 2"},
		"below":       {"resources: {requests: {cpu: 50m}, limits: {cpu: 1, memory: 1Gi}}", "minimum cpu usage per Container is 100m, but request is 50m"},
		"of no limit": {"resources: {requests: {cpu: 1}}", "maximum cpu usage per Container is 1.  No limit is specified"},
		"of the pod":  {"resources: {limits: {cpu: 1, memory: 2Gi}}", "maximum memory usage per Pod is 1Gi, but limit is 2Gi"},
	} {
		t.Run(name, func(t *testing.T) {
			expect(t, admission.Limits(pod(t, "p", tc.container), []*corev1.LimitRange{limits}), tc.want)
		})
	}
	expect(t, admission.Limits(pod(t, "p", ""), nil), "")
}

func TestSecurity(t *testing.T) {
	privileged := pod(t, "p", "securityContext: {privileged: true}")
	enforce := func(level string) map[string]string {
		return map[string]string{"pod-security.kubernetes.io/enforce": level}
	}
	expect(t, admission.Security(privileged, nil), "")
	expect(t, admission.Security(privileged, enforce("privileged")), "")
	expect(t, admission.Security(privileged, map[string]string{"pod-security.kubernetes.io/warn": "restricted"}), "")
	expect(t, admission.Security(pod(t, "p", ""), enforce("baseline")), "")
	expect(t, admission.Security(privileged, enforce("baseline")),
		`violates PodSecurity "baseline:latest": privileged (container "c" must not set securityContext.privileged=true)`)
	expect(t, admission.Security(pod(t, "p", ""), enforce("restricted")), `violates PodSecurity "restricted:latest": allowPrivilegeEscalation != false`)
}

// TestQuotas: each pod that is made counts for the next, and one that goes makes room.
func TestQuotas(t *testing.T) {
	most := parse[corev1.ResourceQuota](t, `
metadata: {name: most}
spec: {hard: {pods: 3, requests.cpu: 1, persistentvolumeclaims: 1}}
status: {hard: {pods: 3}, used: {pods: 0, persistentvolumeclaims: 1}}`)
	best := parse[corev1.ResourceQuota](t, "metadata: {name: best}\nspec: {hard: {pods: 0}, scopes: [BestEffort]}")
	ask := func(name, cpu string) *corev1.Pod { return pod(t, name, "resources: {requests: {cpu: "+cpu+"}}") }
	present := []*corev1.Pod{ask("a", "300m"), ask("b", "300m")}
	quotas := admission.NewQuotas([]*corev1.ResourceQuota{most, best}, present, time.Now())
	make := func(p *corev1.Pod) error {
		err := quotas.Forbids(p)
		if err == nil {
			quotas.Charge(p)
			quotas.Charge(p)
		}
		return err
	}
	expect(t, make(ask("c", "500m")), "exceeded quota: most, requested: requests.cpu=500m, used: requests.cpu=600m, limited: requests.cpu=1")
	expect(t, make(pod(t, "d", "")), "failed quota: most: must specify requests.cpu for: c")
	expect(t, make(ask("e", "400m")), "")
	expect(t, quotas.Forbids(ask("e", "400m")), "") // It is counted already.
	expect(t, make(ask("f", "0")), "exceeded quota: most, requested: pods=1, used: pods=3, limited: pods=3")
	if quotas.Counts(ask("f", "0")) || !quotas.Counts(present[0]) {
		t.Error("what is counted is what was charged")
	}
	for range 2 { // The second time it is counted no more.
		quotas.Release(present[0])
	}
	quotas.Release(ask("f", "0"))
	expect(t, make(ask("g", "300m")), "")
	if most.Status.Used.Pods().Value() != 0 {
		t.Error("the quota itself was changed")
	}
}

// TestQuotasOfTerminatingPods: what counts of pods that are Terminating for longer than their grace period is what the quota controller
// reported last.
func TestQuotasOfTerminatingPods(t *testing.T) {
	now := time.Now()
	terminating := func(name string, since time.Duration) *corev1.Pod {
		p, grace := pod(t, name, "resources: {requests: {cpu: 300m}}"), int64(1)
		p.DeletionTimestamp, p.DeletionGracePeriodSeconds = &metav1.Time{Time: now.Add(-since)}, &grace
		return p
	}
	running := pod(t, "a", "resources: {requests: {cpu: 500m}}")
	for name, tc := range map[string]struct {
		reported string
		pods     []*corev1.Pod
		used     string
		overdue  int
	}{
		"within the grace period":        {"800m", []*corev1.Pod{running, terminating("b", -time.Minute)}, "800m", 0},
		"counted last":                   {"800m", []*corev1.Pod{running, terminating("b", time.Minute)}, "800m", 1},
		"no longer counted":              {"500m", []*corev1.Pod{running, terminating("b", time.Minute)}, "500m", 0},
		"one of two, whichever":          {"900m", []*corev1.Pod{running, terminating("b", time.Minute), terminating("c", time.Hour)}, "800m", 1},
		"another that is not among them": {"750m", []*corev1.Pod{running, terminating("b", time.Minute)}, "500m", 0},
		"a status that lacks it":         {"", []*corev1.Pod{running, terminating("b", time.Minute)}, "500m", 0},
	} {
		t.Run(name, func(t *testing.T) {
			status := "{}"
			if tc.reported != "" {
				status = "{used: {requests.cpu: " + tc.reported + "}}"
			}
			quota := parse[corev1.ResourceQuota](t, "metadata: {name: most}\nspec: {hard: {requests.cpu: 1}}\nstatus: "+status)
			quotas := admission.NewQuotas([]*corev1.ResourceQuota{quota}, tc.pods, now)
			err := quotas.Forbids(pod(t, "z", "resources: {requests: {cpu: 600m}}"))
			expect(t, err, "used: requests.cpu="+tc.used+",")
			if got := len(quotas.Overdue()); got != tc.overdue {
				t.Errorf("%d overdue pods, want %d", got, tc.overdue)
			}
			for _, late := range quotas.Overdue() {
				quotas.Release(late)
			}
			expect(t, quotas.Forbids(pod(t, "y", "resources: {requests: {cpu: 150m}}")), "")
		})
	}
}

func TestManyQuotas(t *testing.T) {
	quota := parse[corev1.ResourceQuota](t, "metadata: {name: most}\nspec: {hard: {pods: 14}}")
	quotas, made := admission.NewQuotas([]*corev1.ResourceQuota{quota}, nil, time.Now()), 0
	for i := range 17 {
		p := pod(t, fmt.Sprintf("p%d", i), "")
		if quotas.Forbids(p) == nil {
			quotas.Charge(p)
			made++
		}
	}
	if made != 14 {
		t.Errorf("%d pods are made, want 14", made)
	}
}

func expect(t *testing.T, err error, want string) {
	t.Helper()
	switch {
	case want == "" && err != nil:
		t.Errorf("unexpected: %v", err)
	case want != "" && (err == nil || !strings.Contains(err.Error(), want)):
		t.Errorf("got %v, want %q", err, want)
	}
}
