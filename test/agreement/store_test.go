package agreement

import (
	"context"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// store does what the volume controller and a storage driver do when the scheduler has chosen a node for a pod.
type store struct {
	*lab
	claims, volumes watch.Interface
	// seen are the versions of claims and volumes that the judge knows, by UID.
	seen map[types.UID]string
}

func watchStore(ctx context.Context, l *lab, known *cluster.Snapshot) (*store, error) {
	s := &store{lab: l, seen: map[types.UID]string{}}
	for _, claim := range known.Claims() {
		s.seen[claim.UID] = claim.ResourceVersion
	}
	for _, volume := range known.Volumes() {
		s.seen[volume.UID] = volume.ResourceVersion
	}
	for _, claim := range known.ResourceClaims() {
		s.seen[claim.UID] = claim.ResourceVersion
	}
	var err error
	if s.claims, err = l.client.CoreV1().PersistentVolumeClaims("").Watch(ctx, metav1.ListOptions{}); err != nil {
		return nil, err
	}
	s.volumes, err = l.client.CoreV1().PersistentVolumes().Watch(ctx, metav1.ListOptions{})
	return s, err
}

func (s *store) stop() {
	s.claims.Stop()
	s.volumes.Stop()
}

// claimChanged makes the volume of a claim for which the scheduler has chosen a node.
func (s *store) claimChanged(ctx context.Context, event watch.Event) error {
	claim, ok := event.Object.(*corev1.PersistentVolumeClaim)
	if !ok || event.Type == watch.Deleted || claim.Annotations[selectedNode] == "" || claim.Spec.VolumeName != "" {
		return nil
	}
	node, err := s.client.CoreV1().Nodes().Get(ctx, claim.Annotations[selectedNode], metav1.GetOptions{})
	if err != nil {
		return err
	}
	at := where{}
	if zone := node.Labels[corev1.LabelTopologyZone]; zone != "" {
		at = inZone(zone)
	}
	volume := newVolume("made-"+string(claim.UID), *claim.Spec.StorageClassName, at)
	claim = claim.DeepCopy()
	bind(volume, claim)
	made, err := s.client.CoreV1().PersistentVolumes().Create(ctx, volume, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil // the claim has changed otherwise since
	}
	if err != nil {
		return err
	}
	made.Status = volume.Status
	if _, err := s.client.CoreV1().PersistentVolumes().UpdateStatus(ctx, made, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return s.updateClaim(ctx, claim)
}

// volumeChanged binds the claim that the scheduler has chosen an existing volume for.
func (s *store) volumeChanged(ctx context.Context, event watch.Event) error {
	volume, ok := event.Object.(*corev1.PersistentVolume)
	if !ok || event.Type == watch.Deleted || volume.Spec.ClaimRef == nil || volume.Status.Phase == corev1.VolumeBound {
		return nil
	}
	ref := volume.Spec.ClaimRef
	claim, err := s.client.CoreV1().PersistentVolumeClaims(ref.Namespace).Get(ctx, ref.Name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	if claim.Spec.VolumeName != "" {
		return nil
	}
	volume = volume.DeepCopy()
	bind(volume, claim)
	if _, err := s.client.CoreV1().PersistentVolumes().UpdateStatus(ctx, volume, metav1.UpdateOptions{}); err != nil {
		return err
	}
	return s.updateClaim(ctx, claim)
}

func (s *store) updateClaim(ctx context.Context, claim *corev1.PersistentVolumeClaim) error {
	client := s.client.CoreV1().PersistentVolumeClaims(claim.Namespace)
	status := claim.Status
	updated, err := client.Update(ctx, claim, metav1.UpdateOptions{})
	if err != nil {
		return err
	}
	updated.Status = status
	_, err = client.UpdateStatus(ctx, updated, metav1.UpdateOptions{})
	return err
}

// changes are those to claims and volumes since it was last asked.
func (s *store) changes(ctx context.Context) ([]cluster.Edit, error) {
	var edits []cluster.Edit
	look := func(o metav1.Object) {
		if s.seen[o.GetUID()] != o.GetResourceVersion() {
			s.seen[o.GetUID()] = o.GetResourceVersion()
			edits = append(edits, cluster.Put(o))
		}
	}
	claims, err := s.client.CoreV1().PersistentVolumeClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range claims.Items {
		look(&claims.Items[i])
	}
	volumes, err := s.client.CoreV1().PersistentVolumes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range volumes.Items {
		look(&volumes.Items[i])
	}
	devices, err := s.client.ResourceV1().ResourceClaims("").List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	for i := range devices.Items {
		look(&devices.Items[i])
	}
	return edits, nil
}
