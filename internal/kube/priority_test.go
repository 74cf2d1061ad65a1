package kube_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apiserver/pkg/admission"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1conversion "k8s.io/kubernetes/pkg/apis/core/v1"
	schedulingdefaults "k8s.io/kubernetes/pkg/apis/scheduling/v1"
	"k8s.io/kubernetes/plugin/pkg/admission/priority"

	"github.com/naosu-dev/naosu/internal/kube"
)

// classes are the PriorityClasses of a snapshot.
type classes []*schedulingv1.PriorityClass

func (c classes) PriorityClasses() []*schedulingv1.PriorityClass { return c }

func (c classes) PriorityClass(name string) *schedulingv1.PriorityClass {
	at := slices.IndexFunc(c, func(one *schedulingv1.PriorityClass) bool { return one.Name == name })
	if at < 0 {
		return nil
	}
	return c[at]
}

func priorityClass(name string, value int32, edits ...func(*schedulingv1.PriorityClass)) *schedulingv1.PriorityClass {
	class := &schedulingv1.PriorityClass{ObjectMeta: metav1.ObjectMeta{Name: name}, Value: value}
	for _, edit := range edits {
		edit(class)
	}
	return class
}

func isDefault(class *schedulingv1.PriorityClass) { class.GlobalDefault = true }

func never(class *schedulingv1.PriorityClass) {
	class.PreemptionPolicy = new(corev1.PreemptNever)
}

// admitted is the pod as the API server's admission plugin changes it in a cluster that has the classes and those of every cluster.
func admitted(t *testing.T, of classes, spec corev1.PodSpec) (corev1.PodSpec, error) {
	t.Helper()
	shared := informers.NewSharedInformerFactory(fake.NewClientset(), 0)
	store := shared.Scheduling().V1().PriorityClasses().Informer().GetIndexer()
	for _, class := range append(schedulingdefaults.SystemPriorityClasses(), of...) {
		class = class.DeepCopy()
		schedulingdefaults.SetObjectDefaults_PriorityClass(class)
		if err := store.Add(class); err != nil {
			t.Fatal(err)
		}
	}
	plugin := priority.NewPlugin()
	plugin.SetExternalKubeInformerFactory(shared)
	plugin.SetReadyFunc(func() bool { return true })
	var internal core.Pod
	if err := corev1conversion.Convert_v1_Pod_To_core_Pod(&corev1.Pod{Spec: spec}, &internal, nil); err != nil {
		t.Fatal(err)
	}
	pods := core.Resource("pods").WithVersion("")
	attributes := admission.NewAttributesRecord(&internal, nil, schema.GroupVersionKind{}, "default", "pod", pods, "", admission.Create, nil, false, nil)
	err := plugin.Admit(t.Context(), attributes, nil)
	var out corev1.Pod
	if err := corev1conversion.Convert_core_Pod_To_v1_Pod(&internal, &out, nil); err != nil {
		t.Fatal(err)
	}
	return out.Spec, err
}

// TestSetPriority holds it to the API server's admission plugin.
func TestSetPriority(t *testing.T) {
	for name, tc := range map[string]struct {
		classes  classes
		pod      corev1.PodSpec
		rejected bool
	}{
		"no classes, no name":               {},
		"no default, no name":               {classes: classes{priorityClass("high", 100)}},
		"the default":                       {classes: classes{priorityClass("high", 100), priorityClass("usual", 10, isDefault)}},
		"a default that is negative":        {classes: classes{priorityClass("usual", -10, isDefault)}},
		"of two defaults the lowest":        {classes: classes{priorityClass("a", 20, isDefault), priorityClass("b", 10, isDefault), priorityClass("c", 30, isDefault)}},
		"the default never preempts":        {classes: classes{priorityClass("usual", 10, isDefault, never)}},
		"by name":                           {classes: classes{priorityClass("high", 100), priorityClass("usual", 10, isDefault)}, pod: corev1.PodSpec{PriorityClassName: "high"}},
		"by name, never preempts":           {classes: classes{priorityClass("high", 100, never)}, pod: corev1.PodSpec{PriorityClassName: "high"}},
		"critical to the cluster, not read": {pod: corev1.PodSpec{PriorityClassName: "system-cluster-critical"}},
		"critical to the node, not read":    {classes: classes{priorityClass("usual", 10, isDefault)}, pod: corev1.PodSpec{PriorityClassName: "system-node-critical"}},
		"no such class":                     {classes: classes{priorityClass("usual", 10, isDefault)}, pod: corev1.PodSpec{PriorityClassName: "high"}, rejected: true},
		"with the priority of its class":    {classes: classes{priorityClass("high", 100)}, pod: corev1.PodSpec{PriorityClassName: "high", Priority: new(int32(100)), PreemptionPolicy: new(corev1.PreemptLowerPriority)}},
	} {
		t.Run(name, func(t *testing.T) {
			want, err := admitted(t, tc.classes, tc.pod)
			if (err != nil) != tc.rejected {
				t.Fatalf("the API server says: %v", err)
			}
			got := tc.pod
			kube.SetPriority(&got, tc.classes)
			type parts struct {
				Class  string
				Value  *int32
				Policy *corev1.PreemptionPolicy
			}
			if diff := cmp.Diff(parts{want.PriorityClassName, want.Priority, want.PreemptionPolicy}, parts{got.PriorityClassName, got.Priority, got.PreemptionPolicy}); diff != "" {
				t.Errorf("(-Kubernetes +naosu):\n%s", diff)
			}
		})
	}
}
