package twin_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/lab/twin"
)

const (
	scale    = 20
	patience = time.Minute
)

// cluster is a running lab and a way to it.
type cluster struct {
	*lab.Lab
	kubernetes.Interface
}

func start(t *testing.T, o lab.Options) *cluster {
	t.Helper()
	l, err := lab.Start(context.WithoutCancel(t.Context()), o)
	if err != nil {
		t.Fatal(err)
	}
	c := &cluster{Lab: l, Interface: kubernetes.NewForConfigOrDie(l.Plane.AdminConfig())}
	t.Cleanup(func() { c.end(t) })
	return c
}

// end stops the lab, once.
func (c *cluster) end(t *testing.T) {
	t.Helper()
	if c.Lab == nil {
		return
	}
	l := c.Lab
	c.Lab = nil
	if err := l.Stop(); err != nil {
		t.Errorf("stopping the lab: %v", err)
	}
}

// TestTwin takes a snapshot of a cluster, ends the cluster, and builds its twin: everything is as it was, and stays so
// until a node is lost.
func TestTwin(t *testing.T) {
	original := start(t, lab.Options{Pace: pace.New(scale), Cloud: cloud.Spec{Groups: []cloud.GroupSpec{
		{Name: "workers", InstanceType: "m5.large", Desired: 4, ZoneOrder: []string{"us-east-1a", "us-east-1b", "us-east-1c"}},
	}}})
	original.apply(t, "testdata/shop.yaml")
	original.eventually(t, "the shop runs", func() error { return original.runs(t, "web", 4, "orders", 2, "agent", 4) })
	original.roll(t, "deployments", "default", "web", 4)
	original.roll(t, "daemonsets", "kube-system", "agent", 4)
	original.roll(t, "statefulsets", "default", "orders", 2)
	file := take(t, original.Plane.AdminConfig(), "report")
	before := original.look(t)
	before.without("report")
	original.end(t)

	shadow, err := twin.Read(bytes.NewReader(file), pace.New(scale), clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	var account bytes.Buffer
	shadow.Account(&account)
	for _, line := range []string{"v1.36.3", "group/workers: 4 nodes", "1 CronJob", "1 pod with a container that crashes, cannot start or is not ready", "1 ServiceAccount", "1 object owned by a Job that is not in the snapshot"} {
		if !strings.Contains(account.String(), line) {
			t.Errorf("the account does not speak of %q:\n%s", line, &account)
		}
	}
	double := start(t, shadow.Options())
	double.settle(t)
	after := double.look(t)
	maps.DeleteFunc(after, func(name string, _ state) bool { return strings.Contains(name, "/settled") })
	if diff := cmp.Diff(before, after); diff != "" {
		t.Fatalf("the cluster (-) and its twin (+):\n%s", diff)
	}
	if len(double.Cloud.Volumes()) != 2 || double.Cloud.Volumes()[0].AttachedTo == "" {
		t.Errorf("the cloud's volumes are %+v, want the two of the orders, attached", double.Cloud.Volumes())
	}
	double.loseNode(t, before)
}

// state is what must not change by the making of a twin.
type state struct {
	UID, Owner, Node string
	Created, Started string
	Phase            string
	Ready            bool
	Restarts         int32
}

// states are by kind, namespace and name.
type states map[string]state

// without takes a Job away, and leaves its pod behind.
func (s states) without(job string) {
	delete(s, "Job default/"+job)
	for name, one := range s {
		if strings.HasPrefix(name, "Pod default/"+job+"-") {
			one.Owner = ""
			s[name] = one
		}
	}
}

// look is the state of every object that something acts on, by kind and name.
func (c *cluster) look(t *testing.T) states {
	t.Helper()
	client, err := dynamic.NewForConfig(c.Plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	seen := states{}
	for _, kind := range kinds {
		switch kind.Resource {
		case "events", "services", "csidrivers":
			continue // the twin's own parts add to them
		}
		list, err := client.Resource(kind).List(t.Context(), metav1.ListOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for _, o := range list.Items {
			if o.GetKind() == "Lease" && o.GetNamespace() != corev1.NamespaceNodeLease {
				continue
			}
			s := state{UID: string(o.GetUID()), Created: o.GetCreationTimestamp().UTC().String()}
			if ref := metav1.GetControllerOf(&o); ref != nil {
				s.Owner = ref.Kind + " " + string(ref.UID)
			}
			if o.GetKind() == "Pod" {
				s.of(&o)
			}
			seen[o.GetKind()+" "+o.GetNamespace()+"/"+o.GetName()] = s
		}
	}
	return seen
}

func (s *state) of(pod *unstructured.Unstructured) {
	s.Node, _, _ = unstructured.NestedString(pod.Object, "spec", "nodeName")
	s.Started, _, _ = unstructured.NestedString(pod.Object, "status", "startTime")
	s.Phase, _, _ = unstructured.NestedString(pod.Object, "status", "phase")
	containers, _, _ := unstructured.NestedSlice(pod.Object, "status", "containerStatuses")
	for _, c := range containers {
		restarts, _, _ := unstructured.NestedInt64(c.(map[string]any), "restartCount")
		s.Restarts += int32(restarts)
		s.Ready, _, _ = unstructured.NestedBool(c.(map[string]any), "ready")
	}
}

// settle waits until every controller has looked at what was there: each takes things in the order in which it hears of
// them, so once it has dealt with something new, it is done with the old. The garbage collector's turn is the new one's end.
func (c *cluster) settle(t *testing.T) {
	t.Helper()
	c.apply(t, "testdata/settled.yaml")
	c.eventually(t, "the controllers act on new things", func() error {
		return c.runs(t, "settled-deployment", 1, "settled-set", 1, "settled-daemon", 4, "settled-job", 1)
	})
	background := metav1.DeletePropagationBackground
	if err := c.AppsV1().Deployments("default").Delete(t.Context(), "settled-deployment", metav1.DeleteOptions{PropagationPolicy: &background}); err != nil {
		t.Fatal(err)
	}
	c.eventually(t, "the garbage collector acts", func() error { return c.runs(t, "settled-deployment", 0) })
}

// loseNode cuts the power of the node that an order's pod and its volume are on.
func (c *cluster) loseNode(t *testing.T, before states) {
	t.Helper()
	lost := before["Pod default/orders-0"].Node
	if _, err := c.Fault(lab.Target{Node: lost}, nodes.Off); err != nil {
		t.Fatal(err)
	}
	c.eventually(t, "the web pods of the lost node are replaced elsewhere", func() error {
		elsewhere := 0
		for _, pod := range c.pods(t, "web") {
			if pod.Spec.NodeName != lost && pod.Status.Phase == corev1.PodRunning {
				elsewhere++
			}
		}
		if elsewhere != 4 {
			return fmt.Errorf("%d run elsewhere", elsewhere)
		}
		return nil
	})
	c.eventually(t, "orders-0 is told to go, and cannot", func() error {
		pod, err := c.CoreV1().Pods("default").Get(t.Context(), "orders-0", metav1.GetOptions{})
		if err == nil && pod.DeletionTimestamp == nil {
			return errors.New("it is " + string(pod.Status.Phase))
		}
		return err
	})
}

// roll changes nothing of a workload but the value of an environment variable, which a snapshot leaves out.
func (c *cluster) roll(t *testing.T, resource, namespace, name string, pods int) {
	t.Helper()
	old := map[types.UID]bool{}
	for _, pod := range c.pods(t, name) {
		old[pod.UID] = true
	}
	patch := fmt.Sprintf(`{"spec":{"template":{"spec":{"containers":[{"name":%q,"env":[{"name":"COLOUR","value":"blue"}]}]}}}}`, name)
	err := c.AppsV1().RESTClient().Patch(types.StrategicMergePatchType).Namespace(namespace).Resource(resource).Name(name).
		Body([]byte(patch)).Do(t.Context()).Error()
	if err != nil {
		t.Fatal(err)
	}
	c.eventually(t, "the new "+name+" runs", func() error {
		now := c.pods(t, name)
		for _, pod := range now {
			if old[pod.UID] {
				return fmt.Errorf("%s is still there", pod.Name)
			}
		}
		return c.runs(t, name, pods)
	})
}

// runs says whether so many pods with that app label run, for each pair; an empty label asks for nothing.
func (c *cluster) runs(t *testing.T, pairs ...any) error {
	t.Helper()
	for i := 0; i < len(pairs); i += 2 {
		app, want := pairs[i].(string), pairs[i+1].(int)
		running := 0
		for _, pod := range c.pods(t, app) {
			for _, condition := range pod.Status.Conditions {
				if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
					running++
				}
			}
		}
		if running != want {
			return fmt.Errorf("%d pods of %s run, want %d", running, app, want)
		}
	}
	return nil
}

func (c *cluster) pods(t *testing.T, app string) []corev1.Pod {
	t.Helper()
	pods, err := c.CoreV1().Pods("").List(t.Context(), metav1.ListOptions{LabelSelector: "app=" + app})
	if err != nil {
		t.Fatal(err)
	}
	return pods.Items
}

// apply creates what a file says. A namespace's first pods wait for its service account.
func (c *cluster) apply(t *testing.T, file string) {
	t.Helper()
	text, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer text.Close()
	client, err := dynamic.NewForConfig(c.Plane.AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	decoder := utilyaml.NewYAMLOrJSONDecoder(text, 4096)
	for {
		o := unstructured.Unstructured{}
		if err := decoder.Decode(&o.Object); errors.Is(err, io.EOF) {
			return
		} else if err != nil {
			t.Fatal(err)
		}
		resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
		var target dynamic.ResourceInterface = client.Resource(resource)
		if o.GetKind() != "PriorityClass" && o.GetKind() != "StorageClass" {
			if o.GetNamespace() == "" {
				o.SetNamespace("default")
			}
			target = client.Resource(resource).Namespace(o.GetNamespace())
		}
		c.eventually(t, "it can be made: "+o.GetKind()+" "+o.GetName(), func() error {
			_, err := target.Create(t.Context(), &o, metav1.CreateOptions{})
			if apierrors.IsAlreadyExists(err) {
				return nil
			}
			return err
		})
	}
}

func (c *cluster) eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), 50*time.Millisecond, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("waited %v until %s: %v", patience, what, last)
	}
}
