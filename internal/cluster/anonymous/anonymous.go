package anonymous

import (
	"crypto/rand"
	"reflect"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
)

// Anonymizer replaces what objects call things. Every object is to be shown to it first: only then does it know which
// words of a sentence are names.
type Anonymizer struct {
	tokens *tokens
	// readable says of a container whether its command is to be kept, up to names.
	readable func(*corev1.Container) bool
	// replace is false while objects are only looked at.
	replace bool
}

// New is an Anonymizer that replaces as no other does. Of the containers for which readable is true, the command is
// kept up to names; that of others means nothing afterwards.
func New(readable func(*corev1.Container) bool) *Anonymizer {
	key := make([]byte, 32)
	_, _ = rand.Read(key) // It never fails (crypto/rand).
	return &Anonymizer{tokens: newTokens(key), readable: readable}
}

// Look learns an object's names.
func (a *Anonymizer) Look(o runtime.Object) {
	a.replace = false
	a.value(reflect.ValueOf(o), "")
}

// Anonymize replaces an object's names in place.
func (a *Anonymizer) Anonymize(o runtime.Object) {
	a.replace = true
	a.value(reflect.ValueOf(o), "")
}

// value replaces what is in a value, which stands in a field of that name.
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
			a.set(v, reflect.Zero(v.Type())) // Nobody can say what bytes hold.
			return
		}
		for i := range v.Len() {
			a.value(v.Index(i), field)
		}
	case reflect.Map:
		a.mapping(v, field)
	case reflect.String:
		a.set(v, reflect.ValueOf(a.word(v.String(), v.Type(), field)).Convert(v.Type()))
	}
}

func (a *Anonymizer) set(v, replaced reflect.Value) {
	if a.replace && v.CanSet() {
		v.Set(replaced)
	}
}

var untouched = []reflect.Type{reflect.TypeFor[resource.Quantity](), reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]()}

func (a *Anonymizer) structure(v reflect.Value) {
	if slices.Contains(untouched, v.Type()) {
		return
	}
	key, texts := "", false
	if v.CanAddr() {
		if container, ok := v.Addr().Interface().(*corev1.Container); ok {
			texts = a.readable(container)
		}
	}
	if named := v.FieldByName("Key"); named.IsValid() && named.Kind() == reflect.String {
		key = named.String() // It is replaced below.
	}
	for i := range v.NumField() {
		field := v.Type().Field(i)
		switch {
		case !field.IsExported() || v.Type() == reflect.TypeFor[corev1.NodeSystemInfo]() && !strings.HasSuffix(field.Name, "ID"):
		case key != "" && (field.Name == "Value" || field.Name == "Values"):
			a.labelled(v.Field(i), key)
		case texts && (field.Name == "Command" || field.Name == "Args"):
			a.value(v.Field(i), "Message")
		default:
			a.value(v.Field(i), field.Name)
		}
	}
}

// labelled replaces what a taint, a toleration or a requirement asks of a label.
func (a *Anonymizer) labelled(v reflect.Value, key string) {
	switch v.Kind() {
	case reflect.String:
		a.set(v, reflect.ValueOf(a.labelValue(key, v.String())))
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
	replaced := reflect.MakeMap(v.Type())
	for _, key := range v.MapKeys() {
		value := reflect.New(v.Type().Elem()).Elem()
		value.Set(v.MapIndex(key))
		name := key.String()
		switch {
		case field == "Annotations" && !isOwn(name):
			continue
		case field == "Data":
			a.value(value, "Message")
		case value.Kind() == reflect.String:
			a.set(value, reflect.ValueOf(a.labelValue(name, value.String())).Convert(value.Type()))
		default:
			a.value(value, field)
		}
		replaced.SetMapIndex(reflect.ValueOf(a.word(name, key.Type(), "Key")).Convert(key.Type()), value)
	}
	a.set(v, replaced)
}

// key replaces the key of a label, an annotation, a taint or a resource, or what else is qualified by a domain.
func (a *Anonymizer) key(s string) string {
	if class, rest, ok := strings.Cut(s, ".storageclass.storage.k8s.io/"); ok {
		return a.tokens.name(class) + ".storageclass.storage.k8s.io/" + rest // What a quota counts.
	}
	if isOwn(s) || plainLabels[s] {
		return s
	}
	return a.tokens.name(s)
}

func (a *Anonymizer) labelValue(key, s string) string {
	if isHarmless(key) {
		if !a.replace {
			a.tokens.keep(s) // Where zones stand in names and sentences they stay as well.
		}
		return s
	}
	return a.key(s)
}

// Fields by their names, the same in whatever kind.
var (
	kept = []string{
		"Kind", "APIVersion", "APIGroup", "Reason", "Type", "Action", "ResourceVersion", "FSType", "Verb", "Operation", "DefaultRuntime",
		"TimeZone", "Schedule", "TerminationMessagePath",
	}
	sentences = []string{"Message", "Note", "FieldPath", "Expression", "LastUpdateMessage"}
	keys      = []string{
		"Key", "TopologyKey", "TopologyKeys", "MatchLabelKeys", "MismatchLabelKeys", "Finalizers", "Provisioner", "Attacher", "Driver", "DriverName",
	}
)

// word replaces a string of a type, in a field of that name. Most strings that have a type of their own can only be one
// of a few.
func (a *Anonymizer) word(s string, of reflect.Type, field string) string {
	switch {
	case of == reflect.TypeFor[corev1.ResourceName]():
		return a.resource(s)
	case of != reflect.TypeFor[string]() && !slices.Contains(names, of), slices.Contains(kept, field):
		return s
	case slices.Contains(sentences, field):
		if !a.replace {
			return s
		}
		return a.tokens.text(s)
	case slices.Contains(keys, field):
		return a.key(s)
	default:
		return a.tokens.name(s)
	}
}

// names are the types of strings that are names nevertheless.
var names = []reflect.Type{reflect.TypeFor[types.UID](), reflect.TypeFor[types.NodeName](), reflect.TypeFor[corev1.UniqueVolumeName]()}

// resource is a resource's name, of which those without a domain are Kubernetes' own.
func (a *Anonymizer) resource(s string) string {
	if !strings.Contains(s, "/") {
		return s
	}
	return a.key(s)
}
