package intake

import (
	"errors"
	"fmt"
	"reflect"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is one of the API's, with a protobuf form.
type Object interface {
	metav1.Object
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// Intake takes objects in. It may be used by several goroutines, and should be dropped once all objects are in: it holds
// what it found to be common.
type Intake struct {
	keeps  bool
	values Values

	metas       shelf[metav1.ObjectMeta]
	labels      shelf[map[string]string]
	annotations shelf[map[string]string]
	owners      shelf[[]metav1.OwnerReference]
	words       shelf[string]

	specs      shelf[corev1.PodSpec]
	affinities shelf[*corev1.Affinity]
	containers shelf[corev1.Container]
	mounts     shelf[corev1.VolumeMount]
	volumes    shelf[corev1.Volume]
	statuses   shelf[corev1.PodStatus]
	conditions shelf[corev1.PodCondition]
	runs       shelf[corev1.ContainerStatus]
	images     shelf[corev1.ContainerImage]
}

// New is an Intake that has seen nothing yet.
func New() *Intake { return &Intake{} }

var errNameless = errors.New("it has no name")

// Take takes in an object that is decoded already. It must not be used any more; what is returned stands for it.
func (in *Intake) Take(o Object) (Object, error) {
	data, err := o.Marshal()
	if err != nil {
		return nil, fmt.Errorf("taking in %s: %w", o.GetName(), err)
	}
	taken := reflect.New(reflect.TypeOf(o).Elem()).Interface().(Object)
	return taken, in.Decode(data, taken)
}

// Decode takes in an object's protobuf form, without the API's envelope, into an empty object of its type.
func (in *Intake) Decode(data []byte, into Object) error {
	var err error
	switch o := into.(type) {
	case *corev1.Pod:
		err = in.pod(data, o)
	case *corev1.Node:
		err = in.node(data, o)
	default:
		err = in.other(data, o)
	}
	if err == nil && into.GetName() == "" {
		err = errNameless
	}
	return err
}

// The fields of an object, the same for each kind.
const (
	objectMeta   = 1
	objectSpec   = 2
	objectStatus = 3
)

// other shares what any object may have in common with others.
func (in *Intake) other(data []byte, o Object) error {
	p, err := cut(data, objectMeta)
	if err != nil {
		return err
	}
	defer p.done()
	if err := o.Unmarshal(p.rest); err != nil {
		return err
	}
	dropValues(o, in.values)
	return in.meta(p, o.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta), in.keeps && Appliable(o))
}

// node shares images besides: most nodes hold the same.
func (in *Intake) node(data []byte, o *corev1.Node) error {
	p, err := cut(data, objectMeta, objectStatus)
	if err != nil {
		return err
	}
	defer p.done()
	if err := o.Unmarshal(p.rest); err != nil {
		return err
	}
	if err := in.meta(p, &o.ObjectMeta, false); err != nil {
		return err
	}
	const images = 8
	status, err := p.inside(objectStatus, images)
	if err != nil {
		return err
	}
	defer status.done()
	if err := o.Status.Unmarshal(status.rest); err != nil {
		return err
	}
	o.Status.Images, err = each(&in.images, status.values(images), as[corev1.ContainerImage])
	return err
}

// each decodes a repeated field, nil if there is none of it.
func each[T any](shelf *shelf[T], values [][]byte, decode func([]byte) (T, error)) ([]T, error) {
	if len(values) == 0 {
		return nil, nil
	}
	parts := make([]T, len(values))
	for i, value := range values {
		var err error
		if parts[i], err = shelf.get(value, decode); err != nil {
			return nil, err
		}
	}
	return parts, nil
}

// Encode is an object's protobuf form without what Decode would drop.
func (in *Intake) Encode(o Object) ([]byte, error) {
	taken, err := in.Take(o)
	if err != nil {
		return nil, err
	}
	return taken.Marshal()
}
