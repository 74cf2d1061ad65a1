package custom

import (
	"encoding/json"
	"fmt"
	"reflect"

	"google.golang.org/protobuf/encoding/protowire"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Object is one of a kind that is not built into Kubernetes. Spec and Status have the fields that are read; others are dropped.
type Object[Spec, Status any] struct {
	metav1.TypeMeta   `json:",inline"`
	metav1.ObjectMeta `json:"metadata"`

	Spec   Spec   `json:"spec"`
	Status Status `json:"status"`
}

// body is what an object has beside its metadata.
type body[Spec, Status any] struct {
	Spec   Spec   `json:"spec"`
	Status Status `json:"status"`
}

// Field numbers of an object's protobuf form.
const (
	fieldMeta = 1 // as in every kind of Kubernetes' own
	fieldBody = 2
)

// Marshal is the object in a protobuf form as Kubernetes' own kinds have one, so that it can be taken in as they are. It is not
// part of any API, and is not written to files.
func (o *Object[Spec, Status]) Marshal() ([]byte, error) {
	meta, err := o.ObjectMeta.Marshal()
	if err != nil {
		return nil, err
	}
	rest, err := json.Marshal(body[Spec, Status]{o.Spec, o.Status})
	if err != nil {
		return nil, err
	}
	data := protowire.AppendBytes(protowire.AppendTag(nil, fieldMeta, protowire.BytesType), meta)
	return protowire.AppendBytes(protowire.AppendTag(data, fieldBody, protowire.BytesType), rest), nil
}

// Unmarshal reads what Marshal wrote. Either field may be missing.
func (o *Object[Spec, Status]) Unmarshal(data []byte) error {
	for len(data) > 0 {
		number, wire, length := protowire.ConsumeTag(data)
		if length < 0 {
			return protowire.ParseError(length)
		}
		if wire != protowire.BytesType {
			return fmt.Errorf("field %d is of wire type %d", number, wire)
		}
		data = data[length:]
		value, length := protowire.ConsumeBytes(data)
		if length < 0 {
			return protowire.ParseError(length)
		}
		data = data[length:]
		if err := o.field(number, value); err != nil {
			return err
		}
	}
	return nil
}

func (o *Object[Spec, Status]) field(number protowire.Number, value []byte) error {
	switch number {
	case fieldMeta:
		return o.ObjectMeta.Unmarshal(value)
	case fieldBody:
		var rest body[Spec, Status]
		if err := json.Unmarshal(value, &rest); err != nil {
			return err
		}
		o.Spec, o.Status = rest.Spec, rest.Status
	}
	return nil
}

// DeepCopyObject shares nothing with the object.
func (o *Object[Spec, Status]) DeepCopyObject() runtime.Object {
	twin := &Object[Spec, Status]{TypeMeta: o.TypeMeta}
	o.DeepCopyInto(&twin.ObjectMeta)
	data, err := json.Marshal(body[Spec, Status]{o.Spec, o.Status})
	if err == nil {
		err = twin.field(fieldBody, data)
	}
	if err != nil { // Both types are plain data, as every kind's are.
		panic(fmt.Sprintf("copying a %s: %v", reflect.TypeOf(o), err))
	}
	return twin
}
