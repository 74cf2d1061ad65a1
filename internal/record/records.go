package record

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/client-go/tools/events"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Records stores naosu's own objects.
type Records struct {
	// Client writes.
	Client client.Client
	// Reader reads past any cache: what a write is based on must be what is there.
	Reader client.Reader
	// Namespace is where the ledger is; empty is naosu-system.
	Namespace string
	// Events takes Events; nil drops them.
	Events events.EventRecorder
	// Last caches the state of the ledger; may be nil.
	Last  *LastLedger
	Clock clock.PassiveClock
}

// +kubebuilder:rbac:groups=naosu.dev,resources=remediations,verbs=get;list;watch;create;patch;delete;propose
// +kubebuilder:rbac:groups=naosu.dev,resources=remediations/status,verbs=patch
// +kubebuilder:rbac:groups=naosu.dev,resources=addresspolicies/status;failoverpolicies/status;headroompolicies/status;noderepairpolicies/status;rebalancepolicies/status,verbs=patch
// +kubebuilder:rbac:groups=events.k8s.io,resources=events,verbs=create;patch

// Get reads a Remediation past any cache.
func (r *Records) Get(ctx context.Context, name string) (*v1alpha1.Remediation, error) {
	var found v1alpha1.Remediation
	if err := r.Reader.Get(ctx, client.ObjectKey{Name: name}, &found); err != nil {
		return nil, fmt.Errorf("read the Remediation %s: %w", name, err)
	}
	return &found, nil
}

// List reads all Remediations past any cache.
func (r *Records) List(ctx context.Context) ([]v1alpha1.Remediation, error) {
	var all v1alpha1.RemediationList
	if err := r.Reader.List(ctx, &all); err != nil {
		return nil, fmt.Errorf("list Remediations: %w", err)
	}
	return all.Items, nil
}

// Open are the Remediations that have not ended.
func Open(all []v1alpha1.Remediation) []v1alpha1.Remediation {
	return slices.DeleteFunc(slices.Clone(all), func(r v1alpha1.Remediation) bool {
		return r.Status.Phase == v1alpha1.PhaseEnded || r.DeletionTimestamp != nil
	})
}

// maxEnded is how many ended Remediations Prune keeps of each policy.
const maxEnded = 100

// Prune deletes the oldest ended Remediations of each policy.
func (r *Records) Prune(ctx context.Context, all []v1alpha1.Remediation) error {
	byPolicy := map[string][]*v1alpha1.Remediation{}
	for i := range all {
		if one := &all[i]; one.Status.Phase == v1alpha1.PhaseEnded && one.DeletionTimestamp == nil {
			byPolicy[one.Spec.Policy.Name] = append(byPolicy[one.Spec.Policy.Name], one)
		}
	}
	var errs error
	for _, policy := range slices.Sorted(maps.Keys(byPolicy)) {
		ended := byPolicy[policy]
		slices.SortFunc(ended, func(a, b *v1alpha1.Remediation) int { return b.CreationTimestamp.Compare(a.CreationTimestamp.Time) })
		for _, one := range ended[min(len(ended), maxEnded):] {
			err := r.Client.Delete(ctx, one, client.Preconditions{UID: &one.UID, ResourceVersion: &one.ResourceVersion})
			if client.IgnoreNotFound(err) != nil {
				errs = errors.Join(errs, fmt.Errorf("deleting the old Remediation %s: %w", one.Name, err))
			}
		}
	}
	return errs
}

// Create creates a Remediation. Its name identifies what it is for, so that one that exists already is the same; it is returned as it
// is.
func (r *Records) Create(ctx context.Context, proposed *v1alpha1.Remediation) (*v1alpha1.Remediation, error) {
	if proposed.Name == "" {
		return nil, errors.New("a Remediation needs a name by which it is known when it is made again")
	}
	made := proposed.DeepCopy()
	err := r.Client.Create(ctx, made)
	switch {
	case apierrors.IsAlreadyExists(err):
		return r.Get(ctx, proposed.Name)
	case err != nil:
		return nil, fmt.Errorf("create the Remediation %s: %w", proposed.Name, err)
	}
	return made, nil
}

// AddFinalizer adds naosu's finalizer to a Remediation. It fails with a conflict if the Remediation is not as read any more.
func (r *Records) AddFinalizer(ctx context.Context, read *v1alpha1.Remediation) error {
	after := read.DeepCopy()
	controllerutil.AddFinalizer(after, v1alpha1.RemediationFinalizer)
	return r.patchMetadata(ctx, read, after)
}

// RemoveFinalizer takes naosu's finalizer off a Remediation, likewise. One that was deleted is gone then.
func (r *Records) RemoveFinalizer(ctx context.Context, read *v1alpha1.Remediation) error {
	after := read.DeepCopy()
	controllerutil.RemoveFinalizer(after, v1alpha1.RemediationFinalizer)
	return r.patchMetadata(ctx, read, after)
}

func (r *Records) patchMetadata(ctx context.Context, read, after *v1alpha1.Remediation) error {
	patch := client.MergeFromWithOptions(read, client.MergeFromWithOptimisticLock{})
	if err := r.Client.Patch(ctx, after, patch); err != nil {
		return fmt.Errorf("write the finalizers of the Remediation %s: %w", read.Name, err)
	}
	return nil
}

// UpdateStatus writes the status of a Remediation as change makes it of the one that was read, which is not modified. It fails with a
// conflict if the Remediation has changed since, its spec included: a decision is written only if what it was made from has not
// changed. status.agent is the agent's and is never written. Nothing is written where nothing changes.
func (r *Records) UpdateStatus(ctx context.Context, read *v1alpha1.Remediation, change func(*v1alpha1.RemediationStatus)) (*v1alpha1.Remediation, error) {
	after := read.DeepCopy()
	change(&after.Status)
	after.Status.Agent = read.Status.Agent.DeepCopy()
	return after, r.patchStatus(ctx, read, after)
}

// UpdatePolicyStatus writes the status of a policy, likewise.
func (r *Records) UpdatePolicyStatus(ctx context.Context, read *v1alpha1.NodeRepairPolicy, change func(*v1alpha1.NodeRepairPolicyStatus)) (*v1alpha1.NodeRepairPolicy, error) {
	after := read.DeepCopy()
	change(&after.Status)
	return after, r.patchStatus(ctx, read, after)
}

// UpdateFailoverPolicyStatus writes the status of a FailoverPolicy, likewise.
func (r *Records) UpdateFailoverPolicyStatus(ctx context.Context, read *v1alpha1.FailoverPolicy, change func(*v1alpha1.FailoverPolicyStatus)) (*v1alpha1.FailoverPolicy, error) {
	after := read.DeepCopy()
	change(&after.Status)
	return after, r.patchStatus(ctx, read, after)
}

// UpdateRebalancePolicyStatus writes the status of a RebalancePolicy, likewise.
func (r *Records) UpdateRebalancePolicyStatus(ctx context.Context, read *v1alpha1.RebalancePolicy, change func(*v1alpha1.RebalancePolicyStatus)) (*v1alpha1.RebalancePolicy, error) {
	after := read.DeepCopy()
	change(&after.Status)
	return after, r.patchStatus(ctx, read, after)
}

// UpdateAddressPolicyStatus writes the status of an AddressPolicy, likewise.
func (r *Records) UpdateAddressPolicyStatus(ctx context.Context, read *v1alpha1.AddressPolicy, change func(*v1alpha1.AddressPolicyStatus)) (*v1alpha1.AddressPolicy, error) {
	after := read.DeepCopy()
	change(&after.Status)
	return after, r.patchStatus(ctx, read, after)
}

// UpdateHeadroomPolicyStatus writes the status of a HeadroomPolicy, likewise.
func (r *Records) UpdateHeadroomPolicyStatus(ctx context.Context, read *v1alpha1.HeadroomPolicy, change func(*v1alpha1.HeadroomPolicyStatus)) (*v1alpha1.HeadroomPolicy, error) {
	after := read.DeepCopy()
	change(&after.Status)
	return after, r.patchStatus(ctx, read, after)
}

// Event records an Event about an object; kind is corev1.EventTypeNormal or Warning. It may be lost.
func (r *Records) Event(about client.Object, kind, reason, action, message string) {
	if r.Events != nil {
		r.Events.Eventf(about, nil, kind, reason, action, "%s", message)
	}
}
