package cluster

import (
	"maps"
	"reflect"
	"slices"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	discoveryv1 "k8s.io/api/discovery/v1"
	networkingv1 "k8s.io/api/networking/v1"
	nodev1 "k8s.io/api/node/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/internal/cluster/compact"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
)

// Kind is an API kind that a Snapshot may hold.
type Kind string

// The kinds a Snapshot holds.
const (
	Node      Kind = "Node"
	Pod       Kind = "Pod"
	Namespace Kind = "Namespace"
	Event     Kind = "Event"
	Lease     Kind = "Lease"

	Deployment            Kind = "Deployment"
	ReplicaSet            Kind = "ReplicaSet"
	ReplicationController Kind = "ReplicationController"
	StatefulSet           Kind = "StatefulSet"
	DaemonSet             Kind = "DaemonSet"
	Job                   Kind = "Job"
	CronJob               Kind = "CronJob"

	PersistentVolumeClaim Kind = "PersistentVolumeClaim"
	PersistentVolume      Kind = "PersistentVolume"
	StorageClass          Kind = "StorageClass"
	VolumeAttachment      Kind = "VolumeAttachment"
	CSINode               Kind = "CSINode"
	CSIDriver             Kind = "CSIDriver"
	CSIStorageCapacity    Kind = "CSIStorageCapacity"

	PodDisruptionBudget Kind = "PodDisruptionBudget"
	PriorityClass       Kind = "PriorityClass"
	RuntimeClass        Kind = "RuntimeClass"
	Service             Kind = "Service"
	ServiceAccount      Kind = "ServiceAccount"
	ResourceQuota       Kind = "ResourceQuota"
	LimitRange          Kind = "LimitRange"
	// ConfigMap is read only by name: an autoscaler's parameters.
	ConfigMap Kind = "ConfigMap"

	ResourceClaim Kind = "ResourceClaim"
	ResourceSlice Kind = "ResourceSlice"
	DeviceClass   Kind = "DeviceClass"
)

// The kinds read on demand: a command reads them, the controller neither watches nor holds them.
const (
	HorizontalPodAutoscaler        Kind = "HorizontalPodAutoscaler"
	Ingress                        Kind = "Ingress"
	EndpointSlice                  Kind = "EndpointSlice"
	ValidatingWebhookConfiguration Kind = "ValidatingWebhookConfiguration"
	MutatingWebhookConfiguration   Kind = "MutatingWebhookConfiguration"

	ValidatingAdmissionPolicy        Kind = "ValidatingAdmissionPolicy"
	ValidatingAdmissionPolicyBinding Kind = "ValidatingAdmissionPolicyBinding"
	MutatingAdmissionPolicy          Kind = "MutatingAdmissionPolicy"
	MutatingAdmissionPolicyBinding   Kind = "MutatingAdmissionPolicyBinding"

	ResourceClaimTemplate Kind = "ResourceClaimTemplate"
	APIService            Kind = "APIService"

	// NodePool and NodeClaim are Karpenter's; Workload, LocalQueue and ClusterQueue are Kueue's.
	NodePool     Kind = "NodePool"
	NodeClaim    Kind = "NodeClaim"
	Workload     Kind = "Workload"
	LocalQueue   Kind = "LocalQueue"
	ClusterQueue Kind = "ClusterQueue"

	VerticalPodAutoscaler Kind = "VerticalPodAutoscaler"

	// ENIConfig is the AWS VPC CNI's.
	ENIConfig Kind = "ENIConfig"
)

// scope says where objects of a kind live.
type scope bool

const (
	global     scope = false
	namespaced scope = true
)

// form is how a kind is held, and where its objects live.
type form struct {
	empty func() rows
	scope scope
	// onDemand says that only a command reads the kind.
	onDemand bool
	// fromCloud says that the kind is read from a cloud, and not from the API server.
	fromCloud bool
	// served are the group and versions in which a kind is read that is not built into Kubernetes, best first; the Go type
	// fits all of them. It is empty for others: their Go type says it.
	served []schema.GroupVersion
}

func of[T metav1.Object](s scope) form { return form{empty: empty[T], scope: s} }

// onDemand is the form of a kind that only a command reads.
func onDemand[T metav1.Object](s scope) form {
	return form{empty: empty[T], scope: s, onDemand: true}
}

// customOf is the form of a kind that is not built into Kubernetes. It is read on demand.
func customOf[T metav1.Object](s scope, group string, versions ...string) form {
	f := onDemand[T](s)
	for _, version := range versions {
		f.served = append(f.served, schema.GroupVersion{Group: group, Version: version})
	}
	return f
}

// fromCloud is the form of a kind that is read from a cloud.
func fromCloud[T metav1.Object]() form {
	f := customOf[T](global, custom.NetworkGroup, "v1")
	f.fromCloud = true
	return f
}

// forms is the one list of the kinds and their Go types. Group, version and resource follow from the type, if the kind is
// built into Kubernetes.
var forms = map[Kind]form{
	Node:      of[*corev1.Node](global),
	Pod:       of[*corev1.Pod](namespaced),
	Namespace: of[*corev1.Namespace](global),
	Event:     of[*corev1.Event](namespaced),
	Lease:     of[*coordinationv1.Lease](namespaced),

	Deployment:            of[*appsv1.Deployment](namespaced),
	ReplicaSet:            of[*appsv1.ReplicaSet](namespaced),
	ReplicationController: of[*corev1.ReplicationController](namespaced),
	StatefulSet:           of[*appsv1.StatefulSet](namespaced),
	DaemonSet:             of[*appsv1.DaemonSet](namespaced),
	Job:                   of[*batchv1.Job](namespaced),
	CronJob:               of[*batchv1.CronJob](namespaced),

	PersistentVolumeClaim: of[*corev1.PersistentVolumeClaim](namespaced),
	PersistentVolume:      of[*corev1.PersistentVolume](global),
	StorageClass:          of[*storagev1.StorageClass](global),
	VolumeAttachment:      of[*storagev1.VolumeAttachment](global),
	CSINode:               of[*storagev1.CSINode](global),
	CSIDriver:             of[*storagev1.CSIDriver](global),
	CSIStorageCapacity:    of[*storagev1.CSIStorageCapacity](namespaced),

	PodDisruptionBudget: of[*policyv1.PodDisruptionBudget](namespaced),
	PriorityClass:       of[*schedulingv1.PriorityClass](global),
	RuntimeClass:        of[*nodev1.RuntimeClass](global),
	Service:             of[*corev1.Service](namespaced),
	ServiceAccount:      of[*corev1.ServiceAccount](namespaced),
	ResourceQuota:       of[*corev1.ResourceQuota](namespaced),
	LimitRange:          of[*corev1.LimitRange](namespaced),
	ConfigMap:           of[*corev1.ConfigMap](namespaced),

	ResourceClaim: of[*resourcev1.ResourceClaim](namespaced),
	ResourceSlice: of[*resourcev1.ResourceSlice](global),
	DeviceClass:   of[*resourcev1.DeviceClass](global),

	HorizontalPodAutoscaler:        onDemand[*autoscalingv2.HorizontalPodAutoscaler](namespaced),
	Ingress:                        onDemand[*networkingv1.Ingress](namespaced),
	EndpointSlice:                  onDemand[*discoveryv1.EndpointSlice](namespaced),
	ValidatingWebhookConfiguration: onDemand[*admissionv1.ValidatingWebhookConfiguration](global),
	MutatingWebhookConfiguration:   onDemand[*admissionv1.MutatingWebhookConfiguration](global),

	ValidatingAdmissionPolicy:        onDemand[*admissionv1.ValidatingAdmissionPolicy](global),
	ValidatingAdmissionPolicyBinding: onDemand[*admissionv1.ValidatingAdmissionPolicyBinding](global),
	MutatingAdmissionPolicy:          onDemand[*admissionv1.MutatingAdmissionPolicy](global),
	MutatingAdmissionPolicyBinding:   onDemand[*admissionv1.MutatingAdmissionPolicyBinding](global),

	ResourceClaimTemplate: onDemand[*resourcev1.ResourceClaimTemplate](namespaced),
	APIService:            customOf[*custom.APIService](global, "apiregistration.k8s.io", "v1"),

	NodePool:  customOf[*custom.NodePool](global, custom.KarpenterGroup, "v1", "v1beta1"),
	NodeClaim: customOf[*custom.NodeClaim](global, custom.KarpenterGroup, "v1", "v1beta1"),
	Workload:  customOf[*custom.Workload](namespaced, custom.KueueGroup, "v1beta2", "v1beta1"),

	LocalQueue:   customOf[*custom.LocalQueue](namespaced, custom.KueueGroup, "v1beta2", "v1beta1"),
	ClusterQueue: customOf[*custom.ClusterQueue](global, custom.KueueGroup, "v1beta2", "v1beta1"),

	VerticalPodAutoscaler: customOf[*custom.VerticalPodAutoscaler](namespaced, custom.VerticalPodAutoscalerGroup, "v1", "v1beta2"),

	ENIConfig: customOf[*custom.ENIConfig](global, custom.ENIConfigGroup, "v1alpha1"),

	Subnet:           fromCloud[*custom.Subnet](),
	NetworkInterface: fromCloud[*custom.NetworkInterface](),
	Instance:         fromCloud[*custom.Instance](),
	AutoScalingGroup: fromCloud[*custom.AutoScalingGroup](),
}

var kindOfType = func() map[reflect.Type]Kind {
	kinds := map[reflect.Type]Kind{}
	for kind, form := range forms {
		kinds[form.empty().holds()] = kind
	}
	return kinds
}()

// typeOfKind are the Go types of the kinds' objects, without the pointer.
var typeOfKind = func() map[Kind]reflect.Type {
	types := map[Kind]reflect.Type{}
	for t, kind := range kindOfType {
		types[kind] = t.Elem()
	}
	return types
}()

// versions are the group and versions in which each kind is read, best first: those that its Go type stands for.
var versions = func() map[Kind][]schema.GroupVersion {
	versions := map[Kind][]schema.GroupVersion{}
	for kind, form := range forms {
		versions[kind] = form.served
		if len(form.served) == 0 {
			gvks, _, err := scheme.Scheme.ObjectKinds(kind.Empty())
			utilruntime.Must(err) // Every Go type above that says no versions is one of client-go's scheme.
			versions[kind] = []schema.GroupVersion{gvks[0].GroupVersion()}
		}
	}
	return versions
}()

// Kinds are those of the API server that a Snapshot holds, sorted.
func Kinds() []Kind {
	return slices.DeleteFunc(allKinds(), func(k Kind) bool { return forms[k].fromCloud })
}

// allKinds are Kinds and NetworkKinds, sorted.
func allKinds() []Kind { return slices.Sorted(maps.Keys(forms)) }

// Namespaced says whether objects of the kind live in namespaces.
func (k Kind) Namespaced() bool { return bool(forms[k].scope) }

// OnDemand says whether only a command reads the kind: the controller neither watches nor holds it.
func (k Kind) OnDemand() bool { return forms[k].onDemand }

// Empty is a new object of the kind, which must be one that a Snapshot holds.
func (k Kind) Empty() compact.Object { return reflect.New(typeOfKind[k]).Interface().(compact.Object) }

// resource is the kind as the API serves it: its group, its version, and its name in paths.
func (k Kind) resource() schema.GroupVersionResource {
	gvr, _ := meta.UnsafeGuessKindToResource(k.version())
	return gvr
}

// version is the kind with the best group and version of those in which it is read.
func (k Kind) version() schema.GroupVersionKind { return versions[k][0].WithKind(string(k)) }

// heldAs says whether objects of the kind are held, if they are of an API version such as "policy/v1".
func (k Kind) heldAs(version string) bool {
	return slices.ContainsFunc(versions[k], func(held schema.GroupVersion) bool { return held.String() == version })
}

// KindOf is the kind of an object that a Snapshot may hold; false for others.
func KindOf(o metav1.Object) (Kind, bool) {
	kind, ok := kindOfType[reflect.TypeOf(o)]
	return kind, ok
}

// Knowledge says how much of a kind a Snapshot holds.
type Knowledge string

// How much of a kind is known. The zero value counts as Absent.
const (
	Complete  Knowledge = "Complete"  // every object of the cluster
	Partial   Knowledge = "Partial"   // those the question needed, such as one namespace's
	Forbidden Knowledge = "Forbidden" // the credentials may not read it
	Absent    Knowledge = "Absent"    // not asked for, or not served by this cluster
)

// Known says whether the absence of an object of the kind may be relied on.
func (k Knowledge) Known() bool { return k == Complete || k == Partial }
