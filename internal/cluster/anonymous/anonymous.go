package anonymous

import (
	"crypto/rand"
	"reflect"
	"slices"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)

// Anonymizer replaces names in objects. Learn must be called with every object first, because words in sentences are replaced if they are names.
type Anonymizer struct {
	tokens *tokens
	// keepCommand says of a container whether its command is to be kept, up to names.
	keepCommand func(*corev1.Container) bool
	// replace is false while names are only learned.
	replace bool
	// annotations are the keys of annotations that are kept beside isOwn's, because a setting of the VPC CNI names them.
	annotations map[string]bool
}

// New returns an Anonymizer with a new random key. The commands of containers for which keepCommand is true are kept up to names; all others are
// made unreadable.
func New(keepCommand func(*corev1.Container) bool) *Anonymizer {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // It never fails (crypto/rand).
	return &Anonymizer{tokens: newTokens(key), keepCommand: keepCommand, annotations: map[string]bool{}}
}

// Learn learns an object's names. No object may follow once one was anonymized.
func (a *Anonymizer) Learn(o runtime.Object) { a.value(reflect.ValueOf(o), "") }

// Anonymize replaces an object's names in place.
func (a *Anonymizer) Anonymize(o runtime.Object) {
	if !a.replace {
		a.replace = true
		a.tokens.freeze()
	}
	a.value(reflect.ValueOf(o), "")
}

// value replaces names in the value of a field.
func (a *Anonymizer) value(v reflect.Value, field string) {
	switch v.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			a.value(v.Elem(), field)
		}
	case reflect.Struct:
		a.structure(v)
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			a.set(v, reflect.Zero(v.Type())) // The contents of bytes are unknown.
			return
		}
		for i := range v.Len() {
			a.value(v.Index(i), field)
		}
	case reflect.Map:
		a.mapping(v, field)
	case reflect.String:
		a.text(v, a.word(v.String(), v.Type(), field))
	}
}

func (a *Anonymizer) set(v, replaced reflect.Value) {
	if a.replace && v.CanSet() {
		v.Set(replaced)
	}
}

// text replaces a string, of whatever type.
func (a *Anonymizer) text(v reflect.Value, replaced string) {
	if a.replace && v.CanSet() {
		v.SetString(replaced)
	}
}

var untouched = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]()}

func (a *Anonymizer) structure(v reflect.Value) {
	if slices.Contains(untouched, v.Type()) {
		return
	}
	key, said := "", false
	if v.CanAddr() {
		if container, ok := reflect.TypeAssert[*corev1.Container](v.Addr()); ok {
			said = a.keepCommand(container)
		}
		a.learnAnnotation(v.Addr())
	}
	if keyField := v.FieldByName("Key"); keyField.IsValid() && keyField.Kind() == reflect.String {
		key = keyField.String() // It is replaced below.
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case !field.IsExported():
		case key != "" && (field.Name == "Value" || field.Name == "Values"):
			a.labelled(v.Field(i), key)
		case said && (field.Name == "Command" || field.Name == "Args"):
			a.value(v.Field(i), "Message")
		default:
			a.value(v.Field(i), meaning(v.Type(), field.Name))
		}
	}
}

// learnAnnotation learns the annotation that names a node's ENIConfig, if that is what a pointer to a variable says.
func (a *Anonymizer) learnAnnotation(pointer reflect.Value) {
	if env, ok := reflect.TypeAssert[*corev1.EnvVar](pointer); ok && env.Name == "ENI_CONFIG_ANNOTATION_DEF" && !a.replace {
		a.annotations[env.Value] = true
	}
}

// meaning is the name of a field of a type, or of one that holds the same: the value of an environment variable is a setting, which may be the key of a label;
// all other values were digested.
func meaning(of reflect.Type, field string) string {
	if of == reflect.TypeFor[corev1.EnvVar]() && field == "Value" {
		return "Key"
	}
	return field
}

// labelled replaces what a taint, a toleration or a requirement asks of a label.
func (a *Anonymizer) labelled(v reflect.Value, key string) {
	switch v.Kind() {
	case reflect.String:
		a.text(v, a.labelValue(key, v.String()))
	case reflect.Slice:
		for i := range v.Len() {
			a.labelled(v.Index(i), key)
		}
	}
}

// mapping replaces the keys and the values of a map.
func (a *Anonymizer) mapping(v reflect.Value, field string) {
	if v.IsNil() {
		return
	}
	replaced := reflect.MakeMapWithSize(v.Type(), v.Len())
	for entries := v.MapRange(); entries.Next(); {
		name, value := entries.Key().String(), reflect.New(v.Type().Elem()).Elem()
		value.Set(entries.Value())
		switch {
		case field == "Annotations" && !isOwn(name) && !a.annotations[name]:
			continue
		case field == "Data":
			a.value(value, "Message")
		case value.Kind() == reflect.String:
			a.text(value, a.labelValue(name, value.String()))
		default:
			a.value(value, field)
		}
		key := reflect.New(v.Type().Key()).Elem()
		key.SetString(a.word(name, key.Type(), "Key"))
		replaced.SetMapIndex(key, value)
	}
	a.set(v, replaced)
}
