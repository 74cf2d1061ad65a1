package descheduler

import (
	"cmp"
	"context"
	"fmt"
	"sync"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/cache"
)

// availability follows how many pods of each controller are ready and not on their way out.
type availability struct {
	mu      sync.Mutex
	desired map[types.UID]int
	ready   map[types.UID]map[types.UID]bool // by controller and pod
	worst   fraction
}

// fraction is so many of so many.
type fraction struct{ of, all int }

func (f fraction) String() string { return fmt.Sprintf("%d/%d", f.of, f.all) }

func (f fraction) compare(g fraction) int { return cmp.Compare(f.of*g.all, g.of*f.all) }

// newAvailability takes the pods that are there now for all that are desired.
func newAvailability(pods []corev1.Pod) *availability {
	a := &availability{desired: map[types.UID]int{}, ready: map[types.UID]map[types.UID]bool{}, worst: fraction{1, 1}}
	for controller, of := range byController(pods) {
		a.desired[controller], a.ready[controller] = len(of), map[types.UID]bool{}
		for _, pod := range of {
			a.ready[controller][pod.UID] = true
		}
	}
	return a
}

func (a *availability) note(pod *corev1.Pod, there bool) {
	owner := metav1.GetControllerOf(pod)
	if owner == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	desired, known := a.desired[owner.UID]
	if !known {
		return
	}
	if there && pod.DeletionTimestamp == nil && condition(pod, corev1.PodReady) == corev1.ConditionTrue {
		a.ready[owner.UID][pod.UID] = true
	} else {
		delete(a.ready[owner.UID], pod.UID)
	}
	if now := (fraction{len(a.ready[owner.UID]), desired}); now.compare(a.worst) < 0 {
		a.worst = now
	}
}

// lowest is the smallest share of its pods that a controller had available, at any moment.
func (a *availability) lowest() fraction {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.worst
}

// watch notes each change of a pod until the context ends.
func (a *availability) watch(ctx context.Context, client kubernetes.Interface) error {
	factory := informers.NewSharedInformerFactory(client, 0)
	handler, err := factory.Core().V1().Pods().Informer().AddEventHandler(cache.ResourceEventHandlerFuncs{
		AddFunc: func(o any) { a.note(o.(*corev1.Pod), true) }, UpdateFunc: func(_, o any) { a.note(o.(*corev1.Pod), true) },
		DeleteFunc: func(o any) {
			if gone, is := o.(cache.DeletedFinalStateUnknown); is {
				o = gone.Obj
			}
			a.note(o.(*corev1.Pod), false)
		},
	})
	if err != nil {
		return err
	}
	factory.Start(ctx.Done())
	if !cache.WaitForCacheSync(ctx.Done(), handler.HasSynced) {
		return fmt.Errorf("watch pods: %w", context.Cause(ctx))
	}
	return nil
}

func condition(pod *corev1.Pod, kind corev1.PodConditionType) corev1.ConditionStatus {
	for _, c := range pod.Status.Conditions {
		if c.Type == kind {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

func TestAvailability(t *testing.T) {
	pod := func(controller, name string, ready corev1.ConditionStatus) *corev1.Pod {
		return &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{UID: types.UID(name), OwnerReferences: []metav1.OwnerReference{{Kind: "ReplicaSet", UID: types.UID(controller), Controller: new(true)}}},
			Spec:       corev1.PodSpec{NodeName: "n1"}, Status: corev1.PodStatus{Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: ready}}},
		}
	}
	web1, web2, api1 := pod("web", "web-1", "True"), pod("web", "web-2", "True"), pod("api", "api-1", "True")
	a := newAvailability([]corev1.Pod{*web1, *web2, *api1})
	expect := func(want string) {
		t.Helper()
		if got := a.lowest().String(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
	expect("1/1")
	a.note(pod("web", "web-3", "False"), true) // created in advance
	expect("1/1")
	leaving := pod("web", "web-1", "True")
	leaving.DeletionTimestamp = new(metav1.Now())
	a.note(leaving, true)
	expect("1/2")
	a.note(pod("web", "web-3", "True"), true)
	a.note(leaving, false)
	expect("1/2")
	a.note(api1, false)
	expect("0/1")
	a.note(pod("other", "other-1", "False"), true)
	expect("0/1")
}
