package cluster

import (
	"errors"
	"fmt"
	"reflect"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// object is what a Snapshot holds: every kind has a protobuf form.
type object interface {
	metav1.Object
	runtime.Object
	Marshal() ([]byte, error)
	Unmarshal(data []byte) error
}

// empty is an object of a kind.
func (k Kind) empty() object {
	return reflect.New(forms[k].empty().holds().Elem()).Interface().(object)
}

var errUnnamed = errors.New("it has no name")

// intake is what every object passes on its way into a Snapshot, wherever it comes from.
type intake struct{}

// decode reads an object's protobuf form.
func (in *intake) decode(kind Kind, data []byte) (metav1.Object, error) {
	o := kind.empty()
	if err := o.Unmarshal(data); err != nil {
		return nil, fmt.Errorf("a %s: %w", kind, err)
	}
	if o.GetName() == "" {
		return nil, fmt.Errorf("a %s: %w", kind, errUnnamed)
	}
	slim(o)
	return o, nil
}

// take is an object that came in another form. It must not be used any more.
func (in *intake) take(o metav1.Object) (metav1.Object, error) {
	if o.GetName() == "" {
		return nil, fmt.Errorf("a %T: %w", o, errUnnamed)
	}
	slim(o)
	return o, nil
}
