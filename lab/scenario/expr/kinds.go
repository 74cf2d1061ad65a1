package expr

import (
	"reflect"
	"slices"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// Group is a node group as the cloud has it.
type Group struct {
	Name      string     `json:"name"`
	Min       int        `json:"min"`
	Desired   int        `json:"desired"`
	Max       int        `json:"max"`
	Zones     []string   `json:"zones"`
	Instances []Instance `json:"instances"`
}

// Instance is a machine of a group that is not terminated.
type Instance struct {
	ID    string `json:"id"`
	State string `json:"state"`
	Zone  string `json:"zone"`
	Node  string `json:"node"`
}

// Subnet is a subnet as the cloud has it.
type Subnet struct {
	ID string `json:"id"`
	// Name is the tag's.
	Name string `json:"name"`
	Zone string `json:"zone"`
	CIDR string `json:"cidr"`
	// Free is how many addresses no interface holds.
	Free int `json:"free"`
}

// Interface is a network interface as the cloud has it.
type Interface struct {
	ID string `json:"id"`
	// Subnet is the subnet's name.
	Subnet string `json:"subnet"`
	// Status is EC2's, such as "in-use" and "available".
	Status      string            `json:"status"`
	Description string            `json:"description"`
	Tags        map[string]string `json:"tags"`
	// Instance is the ID of the instance that has the interface, or "".
	Instance string `json:"instance"`
	// Addresses is how many addresses it holds.
	Addresses int `json:"addresses"`
}

// Call is a call that the cloud's AWS endpoint has answered or refused.
type Call struct {
	// Service and Action are in IAM's words, such as "ec2" and "RebootInstances".
	Service    string              `json:"service"`
	Action     string              `json:"action"`
	Parameters map[string][]string `json:"parameters"`
	// Code is the error's, empty where the call was answered.
	Code string `json:"code"`
}

// Kind is a variable: the list of all objects of one sort.
type Kind struct {
	Variable string
	// Object is a zero value of what the list holds pointers to.
	Object any
	// Holds says it in a word or two, for the documentation.
	Holds string
}

// Kinds are the variables that expressions may use.
var Kinds = []Kind{
	{"pods", corev1.Pod{}, "Pods"},
	{"nodes", corev1.Node{}, "Nodes"},
	{"claims", corev1.PersistentVolumeClaim{}, "PersistentVolumeClaims"},
	{"volumes", corev1.PersistentVolume{}, "PersistentVolumes"},
	{"attachments", storagev1.VolumeAttachment{}, "VolumeAttachments"},
	{"deployments", appsv1.Deployment{}, "Deployments"},
	{"replicasets", appsv1.ReplicaSet{}, "ReplicaSets"},
	{"statefulsets", appsv1.StatefulSet{}, "StatefulSets"},
	{"daemonsets", appsv1.DaemonSet{}, "DaemonSets"},
	{"jobs", batchv1.Job{}, "Jobs"},
	{"events", corev1.Event{}, "Events"},
	{"configmaps", corev1.ConfigMap{}, "ConfigMaps of kube-system"},
	{"groups", Group{}, "the cloud's node groups"},
	{"subnets", Subnet{}, "the cloud's subnets"},
	{"interfaces", Interface{}, "the cloud's network interfaces"},
	{"calls", Call{}, "the AWS calls that the cloud has answered or refused"},
	{"remediations", unstructured.Unstructured{}, "naosu's Remediations"},
	{"repairpolicies", unstructured.Unstructured{}, "naosu's NodeRepairPolicies"},
	{"addresspolicies", unstructured.Unstructured{}, "naosu's AddressPolicies"},
	{"headroompolicies", unstructured.Unstructured{}, "naosu's HeadroomPolicies"},
}

// World is what expressions are evaluated over.
type World interface {
	// List returns pointers to the objects of a kind, named by its variable, in a stable order.
	List(variable string) []any
	// NamedNodes are the nodes that the scenario has given names to: of those listed, and, where one is gone, as it was last
	// seen. So a named node equals the one in the list, however the cluster changes meanwhile.
	NamedNodes(listed []any) map[string]*corev1.Node
}

// ofCluster says whether a kind is the API server's rather than the cloud's.
func (k Kind) ofCluster() bool {
	return !slices.Contains([]string{"groups", "subnets", "interfaces", "calls"}, k.Variable)
}

func (k Kind) reflectType() reflect.Type { return reflect.TypeOf(k.Object) }
