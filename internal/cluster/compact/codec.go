package compact

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

// Codec decodes and encodes objects: unused and confidential fields are stripped, and equal parts are interned. It is safe for concurrent use. It
// holds all that it has interned, and should be dropped once all objects are decoded.
type Codec struct {
	keepApplied bool
	digester    Digester

	metas       internTable[metav1.ObjectMeta]
	labels      internTable[map[string]string]
	annotations internTable[map[string]string]
	owners      internTable[[]metav1.OwnerReference]
	strings     internTable[string]

	specs             internTable[corev1.PodSpec]
	affinities        internTable[*corev1.Affinity]
	containers        internTable[corev1.Container]
	mounts            internTable[corev1.VolumeMount]
	volumes           internTable[corev1.Volume]
	statuses          internTable[corev1.PodStatus]
	conditions        internTable[corev1.PodCondition]
	hostIPs           internTable[[]corev1.HostIP]
	containerStatuses internTable[corev1.ContainerStatus]
	images            internTable[corev1.ContainerImage]
}

// New returns a Codec with nothing interned yet.
func New() *Codec { return &Codec{} }

var errNoName = errors.New("it has no name")

// Compact returns a stripped and interned copy of an object that is decoded already.
func (c *Codec) Compact(o Object) (Object, error) {
	data, err := o.Marshal()
	if err != nil {
		return nil, fmt.Errorf("compact %s: %w", o.GetName(), err)
	}
	taken := reflect.New(reflect.TypeOf(o).Elem()).Interface().(Object)
	return taken, c.Decode(data, taken)
}

// Decode decodes an object's protobuf encoding, without the API's envelope, into an empty object of its type.
func (c *Codec) Decode(data []byte, into Object) error {
	var err error
	switch o := into.(type) {
	case *corev1.Pod:
		err = c.pod(data, o)
	case *corev1.Node:
		err = c.node(data, o)
	default:
		err = c.object(data, o)
	}
	if err == nil && into.GetName() == "" {
		err = errNoName
	}
	return err
}

// Field numbers of an object, the same for each kind.
const (
	objectMeta   = 1
	objectSpec   = 2
	objectStatus = 3
)

// object interns what is common to objects of any kind.
func (c *Codec) object(data []byte, o Object) error {
	p, err := split(data, objectMeta)
	if err != nil {
		return err
	}
	defer p.release()
	if err := o.Unmarshal(p.rest); err != nil {
		return err
	}
	strip(o, c.digester)
	return c.meta(p, o.(metav1.ObjectMetaAccessor).GetObjectMeta().(*metav1.ObjectMeta), c.keepApplied && IsApplied(o))
}

// node interns images besides: most nodes hold the same.
func (c *Codec) node(data []byte, o *corev1.Node) error {
	p, err := split(data, objectMeta, objectStatus)
	if err != nil {
		return err
	}
	defer p.release()
	if err := o.Unmarshal(p.rest); err != nil {
		return err
	}
	if err := c.meta(p, &o.ObjectMeta, false); err != nil {
		return err
	}
	const images = 8
	status, err := p.split(objectStatus, images)
	if err != nil {
		return err
	}
	defer status.release()
	if err := o.Status.Unmarshal(status.rest); err != nil {
		return err
	}
	o.Status.Images, err = decodeList(status.values(images), func(o *corev1.ContainerImage, data []byte) error {
		return c.images.get(data, o, unmarshal[corev1.ContainerImage])
	})
	return err
}

// Encode returns an object's protobuf encoding without what Decode would strip.
func (c *Codec) Encode(o Object) ([]byte, error) {
	taken, err := c.Compact(o)
	if err != nil {
		return nil, err
	}
	return taken.Marshal()
}
