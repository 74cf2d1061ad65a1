package action

import (
	"cmp"
	"context"
	"errors"
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/record"
)

// ErrForeignRoom is that an object of the name of one that holds room is not naosu's.
var ErrForeignRoom = errors.New("an object of this name is not naosu's")

// errPolicyChanged is that a policy is not what the room was decided for any more.
var errPolicyChanged = errors.New("the policy has changed")

// RoomWriter creates, updates and deletes the Deployments and DaemonSets that hold the room of HeadroomPolicies, and nothing else. It has no state but the
// API's: names and contents follow from the policy, so that any number of RoomWriters may follow each other.
type RoomWriter struct {
	// Client writes; Reader reads past any cache.
	Client client.Client
	Reader client.Reader
	// Leading says whether this process holds the controller's lease; it is called right before each write.
	Leading func(context.Context) (bool, error)
	// Namespace is where the room is held, and Image what placeholder pods run.
	Namespace, Image string
}

// Maker makes the objects that hold room for a policy, or for none if it is nil. They are deleted with the controller's Lease, which the chart makes and removes;
// without one, with their policy.
func (r *RoomWriter) Maker(ctx context.Context, policy *v1alpha1.HeadroomPolicy) (headroompolicy.Maker, error) {
	m := headroompolicy.Maker{Namespace: r.Namespace, Image: cmp.Or(r.Image, headroompolicy.DefaultImage)}
	var lease coordinationv1.Lease
	err := r.Reader.Get(ctx, client.ObjectKey{Namespace: r.Namespace, Name: record.LeaseName}, &lease)
	switch {
	case apierrors.IsNotFound(err):
		m.Owner = metav1.OwnerReference{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.HeadroomPolicyKind}
		if policy != nil {
			m.Owner.Name, m.Owner.UID = policy.Name, policy.UID
		}
	case err != nil:
		return m, fmt.Errorf("reading the Lease %s: %w", record.LeaseName, err)
	default:
		m.Owner = metav1.OwnerReference{APIVersion: coordinationv1.SchemeGroupVersion.String(), Kind: "Lease", Name: lease.Name, UID: lease.UID}
	}
	return m, nil
}

// +kubebuilder:rbac:groups=apps,namespace=naosu-system,resources=daemonsets;deployments,verbs=create;delete;update

// Existing reads what holds room, past any cache.
func (r *RoomWriter) Existing(ctx context.Context) (headroompolicy.Objects, error) {
	var all headroompolicy.Objects
	selected := []client.ListOption{client.InNamespace(r.Namespace), client.HasLabels{v1alpha1.HeadroomPolicyLabel}}
	var deployments appsv1.DeploymentList
	if err := r.Reader.List(ctx, &deployments, selected...); err != nil {
		return all, fmt.Errorf("list the Deployments that hold room: %w", err)
	}
	var sets appsv1.DaemonSetList
	if err := r.Reader.List(ctx, &sets, selected...); err != nil {
		return all, fmt.Errorf("list the DaemonSets that hold room: %w", err)
	}
	for i := range deployments.Items {
		all.Deployments = append(all.Deployments, &deployments.Items[i])
	}
	for i := range sets.Items {
		all.DaemonSets = append(all.DaemonSets, &sets.Items[i])
	}
	return all, nil
}

// Apply performs changes for a policy, in their order. It stops where this process does not lead, or the policy is not as it was read: it has another UID or
// generation, or is gone. What is deleted or updated is as it was read, or is left to the next attempt.
func (r *RoomWriter) Apply(ctx context.Context, policy *v1alpha1.HeadroomPolicy, c headroompolicy.Changes) error {
	if err := r.remove(ctx, c.Delete, func(client.Object) error { return r.unchanged(ctx, policy) }); err != nil {
		return err
	}
	for _, o := range objectsOf(c.Update) {
		if err := errors.Join(r.unchanged(ctx, policy), r.leads(ctx)); err != nil {
			return err
		}
		if err := r.Client.Update(ctx, o); err != nil {
			return fmt.Errorf("update %s, which holds room: %w", o.GetName(), err)
		}
	}
	for _, o := range objectsOf(c.Create) {
		if err := errors.Join(r.unchanged(ctx, policy), r.leads(ctx)); err != nil {
			return err
		}
		switch err := r.Client.Create(ctx, o); {
		case apierrors.IsAlreadyExists(err):
			return fmt.Errorf("create %s/%s: %w", o.GetNamespace(), o.GetName(), ErrForeignRoom)
		case err != nil:
			return fmt.Errorf("create %s, which holds room: %w", o.GetName(), err)
		}
	}
	return nil
}

// Remove deletes what holds room of policies that are gone, as gone says of each UID.
func (r *RoomWriter) Remove(ctx context.Context, all headroompolicy.Objects, gone func(context.Context, string) (bool, error)) error {
	return r.remove(ctx, all, func(o client.Object) error {
		switch is, err := gone(ctx, o.GetLabels()[v1alpha1.HeadroomPolicyLabel]); {
		case err != nil:
			return err
		case !is:
			return errPolicyChanged
		}
		return nil
	})
}

func (r *RoomWriter) remove(ctx context.Context, all headroompolicy.Objects, check func(client.Object) error) error {
	for _, o := range objectsOf(all) {
		if err := errors.Join(check(o), r.leads(ctx)); err != nil {
			return err
		}
		uid, version := o.GetUID(), o.GetResourceVersion()
		err := r.Client.Delete(ctx, o, client.Preconditions{UID: &uid, ResourceVersion: &version}, client.PropagationPolicy("Background"))
		if client.IgnoreNotFound(err) != nil {
			return fmt.Errorf("delete %s, which holds room: %w", o.GetName(), err)
		}
	}
	return nil
}

// ErrNotLeading is that this process does not hold the controller's lease.
var ErrNotLeading = errors.New("this process does not hold the controller's lease")

func (r *RoomWriter) leads(ctx context.Context) error {
	switch leading, err := r.Leading(ctx); {
	case err != nil:
		return err
	case !leading:
		return ErrNotLeading
	}
	return nil
}

// unchanged reads the policy again.
func (r *RoomWriter) unchanged(ctx context.Context, policy *v1alpha1.HeadroomPolicy) error {
	var now v1alpha1.HeadroomPolicy
	switch err := r.Reader.Get(ctx, client.ObjectKey{Name: policy.Name}, &now); {
	case apierrors.IsNotFound(err):
		return errPolicyChanged
	case err != nil:
		return fmt.Errorf("read the HeadroomPolicy %s: %w", policy.Name, err)
	case now.UID != policy.UID || now.Generation != policy.Generation || now.DeletionTimestamp != nil:
		return errPolicyChanged
	}
	return nil
}

func objectsOf(all headroompolicy.Objects) []client.Object {
	var objects []client.Object
	for _, o := range all.Deployments {
		objects = append(objects, o)
	}
	for _, o := range all.DaemonSets {
		objects = append(objects, o)
	}
	return objects
}
