package agreement

import (
	"context"
	"errors"
	"fmt"
	"os"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// configFile is the scheduler's configuration, read whenever it starts.
var configFile string

func TestMain(m *testing.M) {
	file, err := os.CreateTemp("", "naosu-agreement-*.yaml")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	configFile = file.Name()
	if err := errors.Join(file.Close(), configure(100, "")); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	testbed.Main(m, controlplane.Options{Flags: map[controlplane.Component][]string{
		// Objects are to be as they were made: volumes without finalizers, nodes without the taint of the new.
		controlplane.APIServer: {"--disable-admission-plugins=StorageObjectInUseProtection,TaintNodesByCondition,ServiceAccount"},
		controlplane.Scheduler: {"--config=" + configFile},
	}})
}

// lab is a control plane of which only etcd, the API server and the scheduler run: what kubelets and controllers would do
// is done by the test, so that nothing happens while the scheduler decides.
type lab struct {
	plane  *controlplane.Plane
	client kubernetes.Interface
	any    dynamic.Interface
}

// labOnce is the lab of all tests: controllers that ran between two of them would change what the second finds.
var labOnce *lab

func newLab(t testing.TB) *lab {
	t.Helper()
	if labOnce != nil {
		return labOnce
	}
	env := testbed.Shared(t)
	l := &lab{plane: env.Plane}
	config := env.AdminConfig()
	l.any = dynamic.NewForConfigOrDie(config)
	config.ContentType = runtime.ContentTypeProtobuf
	l.client = kubernetes.NewForConfigOrDie(config)
	for _, c := range []controlplane.Component{controlplane.ControllerManager, controlplane.Scheduler} {
		if err := l.plane.StopComponent(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.prepare(t.Context()); err != nil {
		t.Fatalf("prepare the plane: %v", err)
	}
	labOnce = l
	return l
}

// prepare makes what all worlds share.
func (l *lab) prepare(ctx context.Context) error {
	for _, name := range namespaces {
		_, err := l.client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{
			ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{"team": name}},
		}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	for _, class := range newClasses() {
		_, err := l.client.SchedulingV1().PriorityClasses().Create(ctx, class, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	// Admission knows the classes a moment later.
	for _, class := range newClasses() {
		pod := &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: "probe"},
			Spec:       corev1.PodSpec{PriorityClassName: class.Name, Containers: []corev1.Container{{Name: "main", Image: "none"}}},
		}
		err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
			_, err := l.client.CoreV1().Pods(namespaces[0]).Create(ctx, pod, metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}})
			return err == nil, nil
		})
		if err != nil {
			return fmt.Errorf("wait for the priority class %s: %w", class.Name, err)
		}
	}
	return nil
}

// build replaces the cluster by a world's, and starts a scheduler that knows nothing of the one before.
func (l *lab) build(ctx context.Context, w *world) error {
	if err := l.clear(ctx); err != nil {
		return fmt.Errorf("clear the cluster: %w", err)
	}
	if err := l.createAll(ctx, w.objects); err != nil {
		return err
	}
	return l.plane.StartComponent(ctx, controlplane.Scheduler)
}

// leave stops the scheduler, so that it does not see the world end.
func (l *lab) leave(ctx context.Context) error {
	return l.plane.StopComponent(ctx, controlplane.Scheduler)
}

// kinds are those of which worlds are made, in the API's names.
var kinds = func() []schema.GroupVersionResource {
	group := func(group, version string, resources ...string) (of []schema.GroupVersionResource) {
		for _, r := range resources {
			of = append(of, schema.GroupVersionResource{Group: group, Version: version, Resource: r})
		}
		return of
	}
	var all []schema.GroupVersionResource
	all = append(all, group("", "v1", "pods", "services", "persistentvolumeclaims", "persistentvolumes", "nodes")...)
	all = append(all, group("policy", "v1", "poddisruptionbudgets")...)
	all = append(all, group("storage.k8s.io", "v1", "storageclasses", "csidrivers", "csinodes", "csistoragecapacities")...)
	return append(all, group("resource.k8s.io", "v1", "deviceclasses", "resourceslices", "resourceclaims")...)
}()

func (l *lab) clear(ctx context.Context) error {
	if err := l.releaseDevices(ctx); err != nil {
		return err
	}
	for _, kind := range kinds {
		inNamespaces := []string{""}
		switch kind.Resource {
		case "pods", "services", "persistentvolumeclaims", "poddisruptionbudgets", "resourceclaims":
			inNamespaces = namespaces
		case "csistoragecapacities":
			inNamespaces = []string{metav1.NamespaceDefault}
		}
		for _, namespace := range inNamespaces {
			if err := deleteAll(ctx, l.any.Resource(kind).Namespace(namespace)); err != nil {
				return fmt.Errorf("delete all %s: %w", kind.Resource, err)
			}
		}
	}
	return nil
}

// deleteAll deletes objects until none is left, a page with each request: on a busy machine the API server has not the time to
// delete ten thousand with one. A request that it ends for lack of time is made again.
func deleteAll(ctx context.Context, objects dynamic.ResourceInterface) error {
	const page, patience = 500, 10 * time.Minute
	var last error
	err := wait.PollUntilContextTimeout(ctx, 10*time.Millisecond, patience, true, func(ctx context.Context) (none bool, err error) {
		err = objects.DeleteCollection(ctx, metav1.DeleteOptions{GracePeriodSeconds: new(int64(0))}, metav1.ListOptions{Limit: page})
		if err == nil {
			var left *unstructured.UnstructuredList
			if left, err = objects.List(ctx, metav1.ListOptions{Limit: 1}); err == nil {
				return len(left.Items) == 0, nil
			}
		}
		if apierrors.IsTimeout(err) || apierrors.IsServerTimeout(err) || apierrors.IsTooManyRequests(err) {
			last = err
			return false, nil
		}
		return false, err
	})
	if wait.Interrupted(err) {
		return errors.Join(fmt.Errorf("some are left after %s: %w", patience, err), last)
	}
	return err
}

// releaseDevices removes what keeps an allocated claim from being deleted.
func (l *lab) releaseDevices(ctx context.Context) error {
	claims, err := l.client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	for _, claim := range claims.Items {
		if len(claim.Finalizers) == 0 {
			continue
		}
		claim.Finalizers = nil
		if _, err := l.client.ResourceV1().ResourceClaims(claim.Namespace).Update(ctx, &claim, metav1.UpdateOptions{}); err != nil {
			return err
		}
	}
	return nil
}

// createAll creates objects side by side, the pods after all else.
func (l *lab) createAll(ctx context.Context, objects []runtime.Object) error {
	for _, pods := range []bool{false, true} {
		group, ctx := errgroup.WithContext(ctx)
		group.SetLimit(8)
		for _, o := range objects {
			if _, is := o.(*corev1.Pod); is == pods {
				group.Go(func() error { return l.create(ctx, o) })
			}
		}
		if err := group.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// create creates an object together with its status, which the API would drop.
func (l *lab) create(ctx context.Context, o runtime.Object) error {
	gvks, _, err := scheme.Scheme.ObjectKinds(o)
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	if err != nil {
		return err
	}
	wanted := &unstructured.Unstructured{Object: content}
	wanted.SetGroupVersionKind(gvks[0])
	resource, _ := meta.UnsafeGuessKindToResource(gvks[0])
	client := l.any.Resource(resource).Namespace(wanted.GetNamespace())
	made, err := client.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create %s %s: %w", gvks[0].Kind, wanted.GetName(), err)
	}
	status, _ := content["status"].(map[string]any)
	if len(status) == 0 || gvks[0].Kind == "Node" || gvks[0].Kind == "Service" {
		return nil
	}
	made.Object["status"] = status
	if _, err := client.UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return fmt.Errorf("set the status of %s %s: %w", gvks[0].Kind, wanted.GetName(), err)
	}
	return nil
}
