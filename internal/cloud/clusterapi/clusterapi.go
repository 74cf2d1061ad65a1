// Package clusterapi replaces Cluster API's Machines, in clusters that manage themselves, and reads what MachineHealthChecks repair.
package clusterapi

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machines,verbs=get;list;patch;delete
// +kubebuilder:rbac:groups=cluster.x-k8s.io,resources=machinehealthchecks,verbs=list

// name is that of the provider.
const name = "clusterapi"

var (
	machineKind     = schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "Machine"}
	healthCheckKind = schema.GroupKind{Group: "cluster.x-k8s.io", Kind: "MachineHealthCheck"}
)

// Cluster API's annotations: of nodes, which Machine is theirs; of Machines, what a person wants done or left.
// https://cluster-api.sigs.k8s.io/reference/api/labels-and-annotations
const (
	annotationMachine   = "cluster.x-k8s.io/machine"
	annotationNamespace = "cluster.x-k8s.io/cluster-namespace"
	annotationRemediate = "cluster.x-k8s.io/remediate-machine"
	annotationSkip      = "cluster.x-k8s.io/skip-remediation"
	annotationPaused    = "cluster.x-k8s.io/paused"
)

// Provider is Cluster API. It is safe for concurrent use.
type Provider struct{ client client.Client }

var _ interface {
	cloud.Provider
	cloud.Replacer
	cloud.Permitter
	cloud.Repairers
} = (*Provider)(nil)

// New returns a provider that owns nothing where Cluster API is not installed.
func New(c client.Client) *Provider { return &Provider{c} }

// Name is clusterapi.
func (p *Provider) Name() string { return name }

// Owns says whether a node has the annotation of its Machine.
func (p *Provider) Owns(m cloud.Machine) bool { return keyOf(m).Name != "" }

func keyOf(m cloud.Machine) client.ObjectKey {
	return client.ObjectKey{Namespace: m.Annotations[annotationNamespace], Name: m.Annotations[annotationMachine]}
}

// Replace annotates the Machine for remediation if a MachineHealthCheck covers it, so that its owner's checks are made. Otherwise nothing would
// read the annotation, and the Machine of a MachineSet is deleted, which creates another.
func (p *Provider) Replace(ctx context.Context, m cloud.Machine) (cloud.Operation, error) {
	machine, err := object.Get(ctx, p.client, machineKind, keyOf(m))
	if err != nil || machine == nil || machine.GetDeletionTimestamp() != nil {
		return cloud.Operation{}, err
	}
	if id, _, _ := unstructured.NestedString(machine.Object, "spec", "providerID"); id != "" && id != m.ProviderID {
		return cloud.Operation{}, nil // the machine is gone, and another has its name
	}
	method, refusal, err := p.method(ctx, machine)
	switch {
	case err != nil:
		return cloud.Operation{}, err
	case refusal.ID != "":
		return cloud.Operation{}, fmt.Errorf("%w: %s", cloud.ErrNotOffered, message.English().Say(refusal))
	case method == byDeletion:
		err = object.Delete(ctx, p.client, machine)
	default:
		err = object.Annotate(ctx, p.client, machine, annotationRemediate, "")
	}
	if err != nil {
		return cloud.Operation{}, err
	}
	return cloud.Operation{ID: string(machine.GetUID())}, nil
}

// method is how a Machine is replaced, as the API's verb.
type method string

const (
	byAnnotation method = "patch"
	byDeletion   method = "delete"
)

// method finds how a Machine is replaced, or why it is not.
func (p *Provider) method(ctx context.Context, machine *unstructured.Unstructured) (method, message.Sentence, error) {
	subject := "machine/" + machine.GetName()
	for _, held := range []string{annotationSkip, annotationPaused} {
		if _, is := machine.GetAnnotations()[held]; is {
			return "", sentence.CloudHeld(subject, held), nil
		}
	}
	checks, err := object.List(ctx, p.client, healthCheckKind, client.InNamespace(machine.GetNamespace()))
	if err != nil {
		return "", message.Sentence{}, err
	}
	for _, check := range checks {
		covered, err := covers(check, *machine)
		if err != nil {
			return "", message.Sentence{}, err
		}
		if covered {
			return byAnnotation, message.Sentence{}, nil
		}
	}
	if owner := metav1.GetControllerOf(machine); owner == nil || owner.Kind != "MachineSet" {
		return "", sentence.CloudNoOwner(subject), nil
	}
	return byDeletion, message.Sentence{}, nil
}

// May asks the API server whether the request of Replace is allowed.
func (p *Provider) May(ctx context.Context, action v1alpha1.Action, m cloud.Machine) (cloud.Permission, error) {
	if action != v1alpha1.ActionReplace {
		return cloud.Permission{}, cloud.ErrNotOffered
	}
	machine, err := object.Get(ctx, p.client, machineKind, keyOf(m))
	if err != nil {
		return cloud.Permission{}, err
	}
	if machine == nil {
		return cloud.Permission{May: v1alpha1.MayUnknown, Why: sentence.CloudGone(keyOf(m).Name)}, nil
	}
	method, refusal, err := p.method(ctx, machine)
	if err != nil {
		return cloud.Permission{}, err
	}
	if refusal.ID != "" {
		return cloud.Permission{May: v1alpha1.MayNo, Why: refusal}, nil
	}
	return object.May(ctx, p.client, string(method), machineKind, machine.GetNamespace())
}
