package failover

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

var now = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// api has the node n1, silent for six minutes, with two pods that the taint deletes, three that it does not, and one volume.
type api struct {
	node  *corev1.Node
	lease *coordinationv1.Lease
	// beforePatch is called ahead of the patch of the node.
	beforePatch func(client.WithWatch) error
}

func newAPI() *api {
	return &api{
		node: &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n1", UID: "u1"}, Status: corev1.NodeStatus{
			NodeInfo:   corev1.NodeSystemInfo{BootID: "b1"},
			Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionUnknown, LastTransitionTime: metav1.NewTime(now.Add(-6 * time.Minute))}},
		}},
		lease: &coordinationv1.Lease{
			ObjectMeta: metav1.ObjectMeta{Namespace: corev1.NamespaceNodeLease, Name: "n1"},
			Spec:       coordinationv1.LeaseSpec{RenewTime: new(metav1.NewMicroTime(now.Add(-7 * time.Minute)))},
		},
	}
}

func (a *api) objects() connect.Objects {
	pod := func(name string, edit func(*corev1.Pod)) *corev1.Pod {
		p := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "shop", Name: name}, Spec: corev1.PodSpec{NodeName: "n1"}}
		edit(p)
		return p
	}
	attached := &storagev1.VolumeAttachment{ObjectMeta: metav1.ObjectMeta{Name: "a"}, Spec: storagev1.VolumeAttachmentSpec{
		NodeName: "n1", Source: storagev1.VolumeAttachmentSource{PersistentVolumeName: new("pv-1")},
	}}
	elsewhere := attached.DeepCopy()
	elsewhere.Name, elsewhere.Spec.NodeName = "b", "n2"
	objects := []client.Object{
		a.node, attached, elsewhere,
		pod("db-0", func(p *corev1.Pod) { p.DeletionTimestamp, p.Finalizers = new(metav1.NewTime(now)), []string{"x/y"} }),
		pod("web-1", func(*corev1.Pod) {}),
		pod("web-2", func(p *corev1.Pod) { p.Spec.NodeName = "n2" }),
		pod("done", func(p *corev1.Pod) { p.Status.Phase = corev1.PodSucceeded }),
		pod("static", func(p *corev1.Pod) { p.Annotations = map[string]string{corev1.MirrorPodAnnotationKey: "x"} }),
		pod("agent", func(p *corev1.Pod) { p.Spec.Tolerations = []corev1.Toleration{{Operator: corev1.TolerationOpExists}} }),
	}
	if a.lease != nil {
		objects = append(objects, a.lease)
	}
	built := fake.NewClientBuilder().WithObjects(objects...).
		WithIndex(&corev1.Pod{}, "spec.nodeName", func(o client.Object) []string { return []string{o.(*corev1.Pod).Spec.NodeName} }).
		WithInterceptorFuncs(interceptor.Funcs{
			Create: func(_ context.Context, _ client.WithWatch, o client.Object, _ ...client.CreateOption) error {
				o.(*authenticationv1.SelfSubjectReview).Status.UserInfo.Username = "jane@example.com"
				return nil
			},
			Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
				if a.beforePatch != nil {
					if err := a.beforePatch(c); err != nil {
						return err
					}
				}
				return c.Patch(ctx, o, patch, opts...)
			},
		}).Build()
	return connect.Objects{WithWatch: built, Host: "https://test"}
}

func TestConfirm(t *testing.T) {
	const shown = `node/n1 has not been Ready for 6m; its kubelet last renewed its Lease 7m ago.
Declaring it out of service deletes 2 pods and detaches 1 volume. If its machine is running, pods run twice, and data on volumes can be lost:
  shop/pod/db-0
  shop/pod/web-1
  pv/pv-1
`
	for name, tc := range map[string]struct {
		edit     func(*api)
		yes      bool
		out, err string
		code     int
		declared bool
	}{
		"without --yes": {out: shown, err: "nothing was changed: if the machine of node/n1 is certainly off, run kubectl naosu failover confirm node/n1 --yes", code: exit.Found},
		"with --yes": {yes: true, declared: true, out: shown + "node/n1 is declared out of service. naosu's controller removes the taint when the machine is back; " +
			"without a controller, run kubectl taint nodes n1 node.kubernetes.io/out-of-service=nodeshutdown:NoExecute- then.\n"},
		"without a Lease": {edit: func(a *api) { a.lease = nil }, yes: true, declared: true, out: "its kubelet has no Lease"},
		"the Lease was renewed lately": {
			edit: func(a *api) { a.lease.Spec.RenewTime = new(metav1.NewMicroTime(now.Add(-39 * time.Second))) }, yes: true,
			err: "the kubelet of node/n1 renewed its Lease 39s ago, so its machine may be running", code: exit.NoAnswer,
		},
		"the Lease was renewed in the future, by another clock": {
			edit: func(a *api) { a.lease.Spec.RenewTime = new(metav1.NewMicroTime(now.Add(time.Hour))) }, yes: true,
			err: "its machine may be running", code: exit.NoAnswer,
		},
		"not Ready, as its kubelet says, whose clock is slow": {
			edit: func(a *api) { a.node.Status.Conditions[0].Status = corev1.ConditionFalse }, yes: true,
			err: "the kubelet of node/n1 has reported that it is not Ready", code: exit.NoAnswer,
		},
		"Ready": {
			edit: func(a *api) { a.node.Status.Conditions[0].Status = corev1.ConditionTrue }, yes: true,
			err: "node/n1 is Ready, so its machine is running. Nothing was changed", code: exit.NoAnswer,
		},
		"out of service before": {
			edit: func(a *api) { a.node.Spec.Taints = []corev1.Taint{kube.OutOfServiceTaint} }, yes: true,
			out: "node/n1 already has the taint node.kubernetes.io/out-of-service.\n",
		},
		"another node": {
			edit: func(a *api) { a.node.Name = "n2" }, yes: true, code: exit.NoAnswer,
			err: "node: node/n1 does not exist; give a node, as in naosu failover confirm node/NAME",
		},
		"it comes back meanwhile": {
			edit: func(a *api) {
				a.beforePatch = func(_ client.WithWatch) error {
					return apierrors.NewConflict(corev1.Resource("nodes"), "n1", errors.New("modified"))
				}
			},
			yes: true, out: shown, err: "node/n1 has changed since it was read", code: exit.NoAnswer,
		},
		"forbidden": {
			edit: func(a *api) {
				a.beforePatch = func(client.WithWatch) error {
					return apierrors.NewForbidden(corev1.Resource("nodes"), "n1", errors.New("no"))
				}
			},
			yes: true, out: shown, err: "forbidden", code: exit.NoAnswer,
		},
	} {
		t.Run(name, func(t *testing.T) {
			a := newAPI()
			if tc.edit != nil {
				tc.edit(a)
			}
			var out bytes.Buffer
			o := &ConfirmOptions{
				IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &out}, Clock: clocktesting.NewFakePassiveClock(now),
				Node: "n1", Yes: tc.yes, Say: message.English(), Command: "kubectl naosu failover confirm",
			}
			objects := a.objects()
			err := o.Run(t.Context(), objects)
			line := ""
			if err != nil {
				line = exit.Line(message.English(), err)
			}
			if !strings.Contains(out.String(), tc.out) || tc.out == "" && out.Len() > 0 || !strings.Contains(line, tc.err) || (err == nil) != (tc.err == "") || exit.Code(err) != tc.code {
				t.Errorf("exit code %d, %q, printed:\n%s", exit.Code(err), line, out.String())
			}
			var node corev1.Node
			if err := objects.Get(t.Context(), client.ObjectKeyFromObject(a.node), &node); err != nil {
				t.Fatal(err)
			}
			d, declared := failoverpolicy.DeclarationOf(&node)
			if declared != tc.declared || declared && (!kube.IsOutOfService(&node) || d.Proof != "confirmed by jane@example.com" || d.BootID != "b1") {
				t.Errorf("declared %t: %+v, taints %v", declared, d, node.Spec.Taints)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	for given, want := range map[string]string{
		"node/n1": "n1", "nodes n1": "n1", "no/n1": "n1", "n1": "n1", "pod/n1": "", "": "", "node/": "", "shop/node/n1": "", "node/n1 node/n2": "",
	} {
		var o ConfirmOptions
		if err := o.Complete(strings.Fields(given)); (err != nil) != (want == "") || err == nil && o.Node != want || err != nil && exit.Code(err) != exit.NoAnswer {
			t.Errorf("%q: %q, %v", given, o.Node, err)
		}
	}
}
