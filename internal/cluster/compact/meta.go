package compact

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
)

// Fields of k8s.io/apimachinery/pkg/apis/meta/v1 ObjectMeta, by generated.proto.
const (
	metaName              = 1
	metaUID               = 5
	metaResourceVersion   = 6
	metaCreationTimestamp = 8
	metaLabels            = 11
	metaAnnotations       = 12
	metaOwnerReferences   = 13
	metaManagedFields     = 17
)

// meta interns what objects of one owner and one namespace have in common. It strips managed fields and the last-applied
// annotation unless they are to be kept.
func (c *Codec) meta(p *splitMessage, o *metav1.ObjectMeta, keep bool) error {
	m, err := p.split(objectMeta, metaName, metaUID, metaResourceVersion, metaCreationTimestamp, metaLabels, metaAnnotations, metaOwnerReferences, metaManagedFields)
	if err != nil {
		return err
	}
	defer m.release()
	if err := c.metas.get(m.rest, o, unmarshal[metav1.ObjectMeta]); err != nil {
		return err
	}
	o.Name = string(m.last(metaName))
	o.UID = types.UID(m.last(metaUID))
	o.ResourceVersion = string(m.last(metaResourceVersion))
	if err := o.CreationTimestamp.Unmarshal(m.merged(metaCreationTimestamp)); err != nil {
		return err
	}
	if err := c.labels.get(m.raw(metaLabels), &o.Labels, labelsOf); err != nil {
		return err
	}
	if err := c.annotations.get(m.raw(metaAnnotations), &o.Annotations, annotationsOf); err != nil {
		return err
	}
	if err := c.owners.get(m.raw(metaOwnerReferences), &o.OwnerReferences, ownersOf); err != nil || !keep {
		return err
	}
	return c.restoreApplied(m, o)
}

func labelsOf(fields []byte) (map[string]string, error) {
	m, err := unmarshal[metav1.ObjectMeta](fields)
	return m.Labels, err
}

// annotationsOf decodes annotations without the last-applied one.
func annotationsOf(fields []byte) (map[string]string, error) {
	m, err := unmarshal[metav1.ObjectMeta](fields)
	delete(m.Annotations, corev1.LastAppliedConfigAnnotation)
	if len(m.Annotations) == 0 {
		return nil, err
	}
	return m.Annotations, err
}

func ownersOf(fields []byte) ([]metav1.OwnerReference, error) {
	m, err := unmarshal[metav1.ObjectMeta](fields)
	return m.OwnerReferences, err
}
