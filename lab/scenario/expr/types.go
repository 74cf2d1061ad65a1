package expr

import (
	"fmt"
	"path"
	"reflect"
	"time"

	"github.com/google/cel-go/cel"
	"github.com/google/cel-go/common/types"
	"github.com/google/cel-go/common/types/ref"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	apiservercel "k8s.io/apiserver/pkg/cel"

	"github.com/naosu-dev/naosu/lab/scenario/jsonfield"
)

// typeSystem shows Go structs to CEL: their fields by JSON name when an expression is checked, their values when it runs.
type typeSystem struct {
	types.Provider
	types.Adapter
	structs map[string]reflect.Type
}

func newTypeSystem(base *cel.Env) *typeSystem {
	ts := &typeSystem{Provider: base.CELTypeProvider(), Adapter: base.CELTypeAdapter(), structs: map[string]reflect.Type{}}
	for _, k := range Kinds {
		ts.declare(k.reflectType())
	}
	return ts
}

// declare makes a struct and all that can be reached from it known.
func (ts *typeSystem) declare(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Map:
		ts.declare(t.Elem())
	case reflect.Struct:
		if celType(t).Kind() != types.StructKind || celType(t) == apiservercel.QuantityType {
			return
		}
		if _, known := ts.structs[structName(t)]; known {
			return
		}
		ts.structs[structName(t)] = t
		for _, f := range jsonfield.Of(t) {
			ts.declare(f.Type)
		}
	}
}

// structName is what CEL calls a Go struct, such as "core.v1.Pod".
func structName(t reflect.Type) string {
	dir, version := path.Split(t.PkgPath())
	return path.Base(dir) + "." + version + "." + t.Name()
}

// celType is the CEL type of a Go type as the API's JSON has it.
func celType(t reflect.Type) *cel.Type {
	switch reflect.Zero(t).Interface().(type) {
	case metav1.Time, metav1.MicroTime, time.Time:
		return cel.TimestampType
	case metav1.Duration, time.Duration:
		return cel.DurationType
	case resource.Quantity:
		return apiservercel.QuantityType
	case intstr.IntOrString, runtime.RawExtension, metav1.FieldsV1, unstructured.Unstructured:
		return cel.DynType
	}
	switch t.Kind() {
	case reflect.Pointer:
		return celType(t.Elem())
	case reflect.Struct:
		return cel.ObjectType(structName(t))
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return cel.BytesType
		}
		return cel.ListType(celType(t.Elem()))
	case reflect.Map:
		return cel.MapType(cel.StringType, celType(t.Elem()))
	case reflect.String:
		return cel.StringType
	case reflect.Bool:
		return cel.BoolType
	case reflect.Float32, reflect.Float64:
		return cel.DoubleType
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return cel.IntType
	case reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
		return cel.UintType
	}
	return cel.DynType
}

// FindStructType is part of types.Provider.
func (ts *typeSystem) FindStructType(name string) (*types.Type, bool) {
	if _, ok := ts.structs[name]; ok {
		return types.NewTypeTypeWithParam(types.NewObjectType(name)), true
	}
	return ts.Provider.FindStructType(name)
}

// FindStructFieldNames is part of types.Provider.
func (ts *typeSystem) FindStructFieldNames(name string) ([]string, bool) {
	t, ok := ts.structs[name]
	if !ok {
		return ts.Provider.FindStructFieldNames(name)
	}
	var names []string
	for _, f := range jsonfield.Of(t) {
		names = append(names, f.Name)
	}
	return names, true
}

// FindStructFieldType is part of types.Provider.
func (ts *typeSystem) FindStructFieldType(name, field string) (*types.FieldType, bool) {
	t, ok := ts.structs[name]
	if !ok {
		return ts.Provider.FindStructFieldType(name, field)
	}
	f, ok := jsonfield.Named(t, field)
	if !ok {
		return nil, false
	}
	return &types.FieldType{
		Type: celType(f.Type),
		IsSet: func(target any) bool {
			v, err := fieldValue(target, f)
			return err == nil && !v.IsZero()
		},
		GetFrom: func(target any) (any, error) {
			v, err := fieldValue(target, f)
			if err != nil {
				return nil, err
			}
			return native(v), nil
		},
	}, true
}

func fieldValue(target any, f jsonfield.Field) (reflect.Value, error) {
	v := reflect.Indirect(reflect.ValueOf(target))
	if v.Kind() != reflect.Struct {
		return reflect.Value{}, fmt.Errorf("%T has no field %s", target, f.Name)
	}
	return v.FieldByIndex(f.Index), nil
}

// native is a field's value; one that is not set is its type's zero.
func native(v reflect.Value) any {
	for v.Kind() == reflect.Pointer {
		if v.IsNil() {
			v = reflect.Zero(v.Type().Elem())
			continue
		}
		if v.Elem().Kind() == reflect.Struct {
			return v.Interface()
		}
		v = v.Elem()
	}
	if v.Kind() == reflect.Struct && v.CanAddr() {
		return v.Addr().Interface() // a pointer, so that a large struct is not copied
	}
	return v.Interface()
}

// NativeToValue is part of types.Adapter.
func (ts *typeSystem) NativeToValue(value any) ref.Val {
	if v, ok := value.(ref.Val); ok {
		return v
	}
	if u, ok := value.(*unstructured.Unstructured); ok {
		return untyped{types.NewDynamicMap(ts, u.Object), u}
	}
	v := reflect.Indirect(reflect.ValueOf(value))
	if !v.IsValid() {
		return types.NullValue
	}
	switch v.Kind() {
	case reflect.Struct:
		if special := scalarOf(v.Interface()); special != nil {
			return special
		}
		if ts.structs[structName(v.Type())] == v.Type() {
			return object{value: value, of: v.Type(), ts: ts}
		}
	case reflect.Slice:
		if v.Type().Elem().Kind() != reflect.Uint8 {
			return types.NewDynamicList(ts, value)
		}
	case reflect.Map:
		return types.NewDynamicMap(ts, value)
	}
	return ts.Adapter.NativeToValue(value)
}

// scalarOf is the value of a struct that JSON shows as a scalar, or nil.
func scalarOf(value any) ref.Val {
	switch v := value.(type) {
	case metav1.Time:
		return types.Timestamp{Time: v.Time}
	case metav1.MicroTime:
		return types.Timestamp{Time: v.Time}
	case time.Time:
		return types.Timestamp{Time: v}
	case metav1.Duration:
		return types.Duration{Duration: v.Duration}
	case resource.Quantity:
		return apiservercel.Quantity{Quantity: &v}
	case intstr.IntOrString:
		if v.Type == intstr.Int {
			return types.Int(v.IntVal)
		}
		return types.String(v.StrVal)
	}
	return nil
}
