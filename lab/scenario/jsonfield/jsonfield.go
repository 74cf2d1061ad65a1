// Package jsonfield knows one thing: which fields a Go struct has in JSON, with embedded structs flattened as encoding/json
// does. Decoder, schema and expressions ask it, so that the three agree on every name.
package jsonfield

import (
	"reflect"
	"strings"
	"sync"
)

// Field is one field of a struct as JSON shows it.
type Field struct {
	Name string
	Type reflect.Type
	// Index leads to the field, as for reflect.Value.FieldByIndex.
	Index []int
	// Optional fields are marked omitempty or omitzero.
	Optional bool
	// Owner is the struct that declares the field, and GoName what it calls it.
	Owner  reflect.Type
	GoName string
}

var cache sync.Map // reflect.Type → []Field

// Of lists the fields of a struct type in the order in which they are declared.
func Of(t reflect.Type) []Field {
	if known, ok := cache.Load(t); ok {
		return known.([]Field)
	}
	fields := collect(t)
	cache.Store(t, fields)
	return fields
}

// Named returns a struct's field of that name.
func Named(t reflect.Type, name string) (Field, bool) {
	for _, f := range Of(t) {
		if f.Name == name {
			return f, true
		}
	}
	return Field{}, false
}

func collect(t reflect.Type) []Field {
	var fields []Field
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported():
		case name == "" && f.Anonymous && f.Type.Kind() == reflect.Struct:
			for _, inner := range Of(f.Type) {
				inner.Index = append([]int{i}, inner.Index...)
				fields = append(fields, inner)
			}
		case name != "":
			fields = append(fields, Field{
				Name: name, Type: f.Type, Index: []int{i}, Owner: t, GoName: f.Name,
				Optional: strings.Contains(options, "omitempty") || strings.Contains(options, "omitzero"),
			})
		}
	}
	return fields
}
