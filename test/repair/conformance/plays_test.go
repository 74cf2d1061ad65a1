package conformance

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

var zero = int64(0)

// plays are the calls that a repair's safety rests on.
var plays = map[string]func(*script){
	"evict": func(s *script) { s.evict(s.pod(corev1.PodRunning, "True"), nil) },
	"evict twice": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.budget("budget", 1, 3, 2)
		s.evict(pod, nil)
		s.evict(pod, nil)
	},
	"evict within budget": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.budget("budget", 2, 3, 1)
		s.evict(pod, nil)
	},
	"evict beyond budget": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.budget("budget", 0, 2, 2)
		s.evict(pod, nil)
	},
	"evict unready, others enough": func(s *script) {
		pod := s.pod(corev1.PodRunning, "False")
		s.budget("budget", 0, 2, 2)
		s.evict(pod, nil)
	},
	"evict unready, others not enough": func(s *script) {
		pod := s.pod(corev1.PodRunning, "False")
		s.budget("budget", 0, 1, 2)
		s.evict(pod, nil)
	},
	"evict unready, always allowed": func(s *script) {
		pod := s.pod(corev1.PodRunning, "False")
		s.budget("budget", 0, 1, 2, func(b *policyv1.PodDisruptionBudget) {
			b.Spec.UnhealthyPodEvictionPolicy = new(policyv1.AlwaysAllow)
		})
		s.evict(pod, nil)
	},
	"evict pending": func(s *script) {
		pod := s.pod(corev1.PodPending, "False")
		s.budget("budget", 0, 2, 2)
		s.evict(pod, nil)
	},
	"evict ended": func(s *script) {
		pod := s.pod(corev1.PodSucceeded, "False")
		s.budget("budget", 0, 2, 2)
		s.evict(pod, nil)
	},
	"evict under two budgets": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.budget("budget", 1, 3, 2)
		s.budget("other", 1, 3, 2)
		s.evict(pod, nil)
	},
	"evict another of the name": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.evict(pod, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: new(types.UID("other"))}})
	},
	"evict what has changed": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.evict(pod, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{ResourceVersion: new("1")}})
	},
	"evict as known": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.evict(pod, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	},
	"evict what is gone": func(s *script) {
		s.evict(&corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: "pod", Namespace: s.ns}}, nil)
	},
	"evict for the trial": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.budget("budget", 1, 3, 2)
		s.evict(pod, &metav1.DeleteOptions{DryRun: []string{metav1.DryRunAll}})
	},
	"evict at once": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.evict(pod, &metav1.DeleteOptions{GracePeriodSeconds: &zero})
	},
	"evict before it has a node": func(s *script) {
		// Of a scheduler that does not run: the real one would write to it too.
		pod := s.pod(corev1.PodPending, "False", func(p *corev1.Pod) { p.Spec.NodeName, p.Spec.SchedulerName = "", "nobody" })
		s.evict(pod, nil)
	},
	"delete": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.note("delete", s.c.Delete(s.Context(), pod))
		s.state()
		s.note("again", s.c.Delete(s.Context(), pod))
		s.note("by force", s.c.Delete(s.Context(), pod, client.GracePeriodSeconds(0)))
		s.state()
		s.note("what is gone", s.c.Delete(s.Context(), pod))
	},
	"delete with preconditions": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.note("another", s.c.Delete(s.Context(), pod, client.Preconditions{UID: new(types.UID("other"))}))
		s.note("an older one", s.c.Delete(s.Context(), pod, client.Preconditions{ResourceVersion: new("1")}))
		s.note("this one", s.c.Delete(s.Context(), pod, client.Preconditions{UID: &pod.UID, ResourceVersion: &pod.ResourceVersion}))
		s.state()
	},
	"create twice": func(s *script) {
		one := func() error {
			return s.c.Create(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: s.ns}})
		}
		s.note("first", one())
		s.note("second", one())
	},
	"update of what has changed": func(s *script) {
		first := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "c", Namespace: s.ns}}
		s.must(s.c.Create(s.Context(), first))
		second := first.DeepCopy()
		first.Data, second.Data = map[string]string{"a": "1"}, map[string]string{"a": "2"}
		s.note("first", s.c.Update(s.Context(), first))
		s.note("second", s.c.Update(s.Context(), second))
		s.note("of what is gone", s.c.Update(s.Context(), &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "none", Namespace: s.ns}}))
	},
	"patch with and without a lock": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		stale := pod.DeepCopy()
		lock := client.MergeFromWithOptions(pod.DeepCopy(), client.MergeFromWithOptimisticLock{})
		pod.Annotations = map[string]string{"a": "1"}
		s.note("locked", s.c.Patch(s.Context(), pod, lock))
		lock = client.MergeFromWithOptions(stale.DeepCopy(), client.MergeFromWithOptimisticLock{})
		free := client.MergeFrom(stale.DeepCopy())
		stale.Annotations = map[string]string{"a": "2"}
		s.note("locked, stale", s.c.Patch(s.Context(), stale.DeepCopy(), lock))
		s.note("free, stale", s.c.Patch(s.Context(), stale, free))
		var now corev1.Pod
		s.must(s.c.Get(s.Context(), s.key("pod"), &now))
		s.notes = append(s.notes, "it says "+now.Annotations["a"])
	},
	"spec and status apart": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		pod.Spec.ActiveDeadlineSeconds, pod.Status.Message = new(int64(100)), "changed"
		s.note("update", s.c.Update(s.Context(), pod))
		s.notes = append(s.notes, "message: "+pod.Status.Message)
		pod.Spec.ActiveDeadlineSeconds, pod.Status.Message = new(int64(50)), "changed"
		s.note("status", s.c.Status().Update(s.Context(), pod))
		var now corev1.Pod
		s.must(s.c.Get(s.Context(), s.key("pod"), &now))
		s.notes = append(s.notes, fmt.Sprint(*now.Spec.ActiveDeadlineSeconds, " ", now.Status.Message))
	},
	"status of what has changed": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		stale := pod.DeepCopy()
		pod.Status.Message = "first"
		s.note("first", s.c.Status().Update(s.Context(), pod))
		stale.Status.Message = "second"
		s.note("second", s.c.Status().Update(s.Context(), stale))
	},
	"a new object of an old name": func(s *script) {
		pod := s.pod(corev1.PodRunning, "True")
		s.must(s.c.Delete(s.Context(), pod, client.GracePeriodSeconds(0)))
		again := s.pod(corev1.PodRunning, "True")
		if pod.UID == again.UID || again.UID == "" {
			s.notes = append(s.notes, "it has the same UID")
		}
		s.evict(again, &metav1.DeleteOptions{Preconditions: &metav1.Preconditions{UID: &pod.UID}})
	},
}
