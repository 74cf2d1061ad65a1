package intake

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Fields of k8s.io/apimachinery/pkg/apis/meta/v1 ObjectMeta, by generated.proto.
const (
	metaName            = 1
	metaUID             = 5
	metaResourceVersion = 6
	metaCreation        = 8
	metaLabels          = 11
	metaAnnotations     = 12
	metaOwners          = 13
	metaManagedFields   = 17
)

// meta shares what objects of one owner and one namespace have in common, and leaves out what manifests are merged by, the
// managed fields and the manifest last applied, unless that is to be kept.
func (in *Intake) meta(p *pieces, o *metav1.ObjectMeta, keep bool) error {
	m, err := p.inside(objectMeta, metaName, metaUID, metaResourceVersion, metaCreation, metaLabels, metaAnnotations, metaOwners, metaManagedFields)
	if err != nil {
		return err
	}
	defer m.done()
	if *o, err = in.metas.get(m.rest, as[metav1.ObjectMeta]); err != nil {
		return err
	}
	o.Name = string(m.last(metaName))
	o.UID = types.UID(m.last(metaUID))
	o.ResourceVersion = string(m.last(metaResourceVersion))
	if err := o.CreationTimestamp.Unmarshal(m.joined(metaCreation)); err != nil {
		return err
	}
	if o.Labels, err = in.labels.get(m.whole(metaLabels), labelsOf); err != nil {
		return err
	}
	if o.Annotations, err = in.annotations.get(m.whole(metaAnnotations), annotationsOf); err != nil {
		return err
	}
	if o.OwnerReferences, err = in.owners.get(m.whole(metaOwners), ownersOf); err != nil || !keep {
		return err
	}
	return in.keep(m, o)
}

func labelsOf(fields []byte) (map[string]string, error) {
	m, err := as[metav1.ObjectMeta](fields)
	return m.Labels, err
}

// annotationsOf leaves out the manifest that kubectl last applied.
func annotationsOf(fields []byte) (map[string]string, error) {
	m, err := as[metav1.ObjectMeta](fields)
	delete(m.Annotations, corev1.LastAppliedConfigAnnotation)
	if len(m.Annotations) == 0 {
		return nil, err
	}
	return m.Annotations, err
}

func ownersOf(fields []byte) ([]metav1.OwnerReference, error) {
	m, err := as[metav1.ObjectMeta](fields)
	return m.OwnerReferences, err
}
