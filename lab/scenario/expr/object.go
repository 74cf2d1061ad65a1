package expr

import (
	"fmt"
	"reflect"

	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"github.com/google/cel-go/common/types/traits"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// object is a Go struct as a CEL value.
type object struct {
	value any // the struct or a pointer to it
	of    reflect.Type
	ts    *typeSystem
}

// ConvertToNative is part of ref.Val.
func (o object) ConvertToNative(t reflect.Type) (any, error) {
	if v := reflect.ValueOf(o.value); v.Type().AssignableTo(t) {
		return o.value, nil
	}
	return nil, fmt.Errorf("a %s cannot be used as a %s", structName(o.of), t)
}

// ConvertToType is part of ref.Val.
func (o object) ConvertToType(t ref.Type) ref.Val {
	if t == types.TypeType {
		return types.NewObjectType(structName(o.of))
	}
	return types.NewErr("a %s cannot be converted to %s", structName(o.of), t.TypeName())
}

// Equal is part of ref.Val.
func (o object) Equal(other ref.Val) ref.Val {
	second, ok := other.(object)
	if !ok || second.of != o.of {
		return types.False
	}
	a, b := reflect.Indirect(reflect.ValueOf(o.value)), reflect.Indirect(reflect.ValueOf(second.value))
	return types.Bool(equality.Semantic.DeepEqual(a.Interface(), b.Interface()))
}

// Type is part of ref.Val.
func (o object) Type() ref.Type { return types.NewObjectType(structName(o.of)) }

// Value is part of ref.Val.
func (o object) Value() any { return o.value }

// IsSet is part of traits.FieldTester.
func (o object) IsSet(field ref.Val) ref.Val {
	f, found := o.ts.FindStructFieldType(structName(o.of), fmt.Sprint(field.Value()))
	if !found {
		return types.NewErr("no such field: %v", field.Value())
	}
	return types.Bool(f.IsSet(o.value))
}

// Get is part of traits.Indexer.
func (o object) Get(field ref.Val) ref.Val {
	f, found := o.ts.FindStructFieldType(structName(o.of), fmt.Sprint(field.Value()))
	if !found {
		return types.NewErr("no such field: %v", field.Value())
	}
	value, err := f.GetFrom(o.value)
	if err != nil {
		return types.WrapErr(err)
	}
	return o.ts.NativeToValue(value)
}

// untyped is an object of a kind that has no Go type here, as a CEL map that knows its object. A field that is not set is
// an error there, as CEL has it for maps.
type untyped struct {
	traits.Mapper
	object *unstructured.Unstructured
}

// Value is part of ref.Val.
func (u untyped) Value() any { return u.object }
