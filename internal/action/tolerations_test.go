package action

import (
	"context"
	"errors"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/failoverpolicy"
)

func TestSetTolerationSeconds(t *testing.T) {
	const notReady, unreachable = corev1.TaintNodeNotReady, corev1.TaintNodeUnreachable
	exactly := func(key string, seconds int64) corev1.Toleration {
		return corev1.Toleration{Key: key, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds}
	}
	gpu := corev1.Toleration{Key: "gpu", Operator: corev1.TolerationOpExists}
	broken := errors.New("broken")
	for name, tc := range map[string]struct {
		there   func(*corev1.Pod)
		node    func(*corev1.Node)
		write   func(c client.WithWatch, o client.Object) error
		changed bool
		want    [2]int64
		fails   func(error) bool
	}{
		"both":             {changed: true, want: [2]int64{40, 60}},
		"one is as wanted": {there: func(p *corev1.Pod) { p.Spec.Tolerations[2] = exactly(unreachable, 60) }, changed: true, want: [2]int64{40, 60}},
		"both are as wanted": {there: func(p *corev1.Pod) {
			p.Spec.Tolerations = []corev1.Toleration{gpu, exactly(notReady, 40), exactly(unreachable, 60)}
		}, want: [2]int64{40, 60}},
		"another pod of that name": {there: func(p *corev1.Pod) { p.UID = "p2" }, want: [2]int64{300, 300}},
		"on another node by now":   {there: func(p *corev1.Pod) { p.Spec.NodeName = "n2" }, want: [2]int64{300, 300}},
		"the node is unreachable": {node: func(n *corev1.Node) {
			n.Spec.Taints = []corev1.Taint{{Key: unreachable, Effect: corev1.TaintEffectNoExecute}}
		}, want: [2]int64{300, 300}},
		"the node is not Ready": {node: func(n *corev1.Node) { n.Status.Conditions[0].Status = corev1.ConditionUnknown }, want: [2]int64{300, 300}},
		"the node is gone":      {node: func(n *corev1.Node) { n.Name = "n3" }, want: [2]int64{300, 300}},
		"somebody changes it first": {
			write: func(c client.WithWatch, o client.Object) error {
				var p corev1.Pod
				if err := c.Get(context.Background(), client.ObjectKeyFromObject(o), &p); err != nil {
					return err
				}
				p.Labels = map[string]string{"a": "b"}
				return c.Update(context.Background(), &p)
			},
			want: [2]int64{300, 300}, fails: apierrors.IsConflict,
		},
		"the API server is out of order": {
			write: func(client.WithWatch, client.Object) error { return broken },
			want:  [2]int64{300, 300}, fails: func(err error) bool { return errors.Is(err, broken) },
		},
	} {
		t.Run(name, func(t *testing.T) {
			seen := &corev1.Pod{
				ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", UID: "p1"},
				Spec:       corev1.PodSpec{NodeName: "n1", Tolerations: []corev1.Toleration{gpu, exactly(notReady, 300), exactly(unreachable, 300)}},
			}
			there := seen.DeepCopy()
			node := &corev1.Node{
				ObjectMeta: metav1.ObjectMeta{Name: "n1"},
				Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
			}
			if tc.there != nil {
				tc.there(there)
			}
			if tc.node != nil {
				tc.node(node)
			}
			api := fake.NewClientBuilder().WithObjects(there, node).WithInterceptorFuncs(interceptor.Funcs{
				Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
					if tc.write != nil { // before the patch
						if err := tc.write(c, o); err != nil {
							return err
						}
					}
					return c.Patch(ctx, o, patch, opts...)
				},
			}).Build()
			changed, err := SetTolerationSeconds(t.Context(), api, api, seen, []failoverpolicy.Change{{Key: notReady, Seconds: 40}, {Key: unreachable, Seconds: 60}})
			if tc.fails == nil && err != nil || tc.fails != nil && !tc.fails(err) {
				t.Errorf("error %v", err)
			}
			var after corev1.Pod
			if err := api.Get(t.Context(), client.ObjectKeyFromObject(seen), &after); err != nil {
				t.Fatal(err)
			}
			got := [2]int64{*after.Spec.Tolerations[1].TolerationSeconds, *after.Spec.Tolerations[2].TolerationSeconds}
			if changed != tc.changed || got != tc.want {
				t.Errorf("changed %v, %v; want %v, %v", changed, got, tc.changed, tc.want)
			}
			if diff := cmp.Diff(gpu, after.Spec.Tolerations[0]); diff != "" {
				t.Errorf("another toleration: %s", diff)
			}
		})
	}
}

// A webhook that changes the pod back is told, not fought.
func TestSetTolerationSecondsUndone(t *testing.T) {
	seconds := int64(300)
	pod := &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: "web-1", UID: "p1"},
		Spec: corev1.PodSpec{NodeName: "n1", Tolerations: []corev1.Toleration{{
			Key: corev1.TaintNodeNotReady, Operator: corev1.TolerationOpExists, Effect: corev1.TaintEffectNoExecute, TolerationSeconds: &seconds,
		}}},
	}
	node := &corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n1"},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}
	api := fake.NewClientBuilder().WithObjects(pod, node).WithInterceptorFuncs(interceptor.Funcs{
		Patch: func(context.Context, client.WithWatch, client.Object, client.Patch, ...client.PatchOption) error {
			return nil
		},
	}).Build()
	_, err := SetTolerationSeconds(t.Context(), api, api, pod, []failoverpolicy.Change{{Key: corev1.TaintNodeNotReady, Seconds: 40}})
	if !errors.Is(err, ErrUndone) {
		t.Errorf("error %v", err)
	}
}
