package twin

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/api/snapshot"
)

// object is one of the cluster's.
type object interface {
	metav1.Object
	runtime.Object
}

// contents are a snapshot's objects on their way into a lab.
type contents struct {
	header  snapshot.Header
	objects []object
	uids    map[types.UID]object
	notes   notes
}

// read decodes a snapshot file. Its errors are those of api/snapshot, and of objects that cannot be decoded.
func read(r io.Reader) (*contents, error) {
	file, err := snapshot.NewReader(r)
	if err != nil {
		return nil, err
	}
	c := &contents{header: file.Header(), uids: map[types.UID]object{}}
	unknown := map[string]int{}
	for {
		record, err := file.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, err
		}
		gvk := schema.FromAPIVersionAndKind(record.APIVersion, record.Kind)
		if _, served := resources[gvk.GroupKind()]; !served {
			unknown[gvk.GroupKind().String()]++
			continue
		}
		o, err := decode(gvk, record)
		if err != nil {
			return nil, fmt.Errorf("%w: a %s: %w", snapshot.ErrDamaged, record.Kind, err)
		}
		c.add(o)
	}
	for _, kind := range slices.Sorted(maps.Keys(unknown)) {
		c.notes.add(unknown[kind], "object of kind "+kind, "the lab has no such kind")
	}
	return c, nil
}

func decode(gvk schema.GroupVersionKind, record snapshot.Record) (object, error) {
	empty, err := scheme.Scheme.New(gvk)
	if err != nil {
		return nil, err
	}
	if record.Encoding == snapshot.Protobuf {
		message, ok := empty.(interface{ Unmarshal(data []byte) error })
		if !ok {
			return nil, errors.New("it has no protobuf form")
		}
		err = message.Unmarshal(record.Data)
	} else {
		_, _, err = scheme.Codecs.UniversalDeserializer().Decode(record.Data, &gvk, empty)
	}
	if err != nil {
		return nil, err
	}
	empty.GetObjectKind().SetGroupVersionKind(gvk)
	o, ok := empty.(object)
	if !ok || o.GetName() == "" {
		return nil, errors.New("it has no name")
	}
	return o, nil
}

func (c *contents) add(o object) {
	c.objects = append(c.objects, o)
	c.uids[o.GetUID()] = o
}

// drop removes the objects for which gone is true.
func (c *contents) drop(gone func(object) bool) (dropped int) {
	before := len(c.objects)
	c.objects = slices.DeleteFunc(c.objects, func(o object) bool {
		if !gone(o) {
			return false
		}
		delete(c.uids, o.GetUID())
		return true
	})
	return before - len(c.objects)
}

// all are the objects of one type, in the snapshot's order.
func all[T object](c *contents) []T {
	var found []T
	for _, o := range c.objects {
		if typed, ok := o.(T); ok {
			found = append(found, typed)
		}
	}
	return found
}

// named are the objects of one type by namespace and name.
func named[T object](c *contents) map[types.NamespacedName]T {
	found := map[types.NamespacedName]T{}
	for _, o := range all[T](c) {
		found[types.NamespacedName{Namespace: o.GetNamespace(), Name: o.GetName()}] = o
	}
	return found
}

func owned[T object](of object, among []T) []T {
	var found []T
	for _, o := range among {
		if ref := metav1.GetControllerOfNoCopy(o); ref != nil && ref.UID == of.GetUID() {
			found = append(found, o)
		}
	}
	return found
}
