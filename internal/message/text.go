package message

import (
	"cmp"
	"reflect"
	"strings"
)

// text is a sentence in the making. The functions that make one are generated from the sentences (generate/), and mean
// what text/template would: TestCompiled holds them against it. What they call thousands of times is not inlined, or
// compiling them would take five times as long.
type text struct {
	printer Printer
	said    strings.Builder
	args    Args
	// failed is whether a value is missing, or is not what the sentence needs.
	failed bool
}

//go:noinline
func (t *text) say(words string) { t.said.WriteString(words) }

// put is {{.name}}.
func (t *text) put(value any) { t.said.WriteString(t.words(value)) }

// words is the text of a value.
func (t *text) words(value any) string {
	said, ok := t.printer.Value(value)
	if !ok {
		t.failed = true
	}
	return said
}

//go:noinline
func (t *text) value(name string) any {
	value, ok := t.args[name]
	if !ok {
		t.failed = true
	}
	return value
}

// field is {{.name.field}}, of a struct.
func (t *text) field(name, field string) any {
	if v := reflect.ValueOf(t.value(name)); v.Kind() == reflect.Struct {
		if f := v.FieldByName(field); f.IsValid() {
			return f.Interface()
		}
	}
	t.failed = true
	return nil
}

//go:noinline
func (t *text) items(name string) []string {
	switch items := t.value(name).(type) {
	case []string:
		return items
	case List:
		said := make([]string, len(items))
		for i, item := range items {
			said[i] = t.words(item)
		}
		return said
	}
	t.failed = true
	return nil
}

//go:noinline
func (t *text) number(name string) int {
	n, ok := t.value(name).(int)
	if !ok {
		t.failed = true
	}
	return n
}

// is says whether a value is there, as if of text/template does.
func (t *text) is(value any) bool {
	if sentence, ok := value.(Sentence); ok {
		return !sentence.IsZero()
	}
	switch v := reflect.ValueOf(value); v.Kind() {
	case reflect.Invalid:
		return false
	case reflect.Slice, reflect.Map:
		return v.Len() > 0
	case reflect.Struct:
		return true
	default:
		return !v.IsZero()
	}
}

func (t *text) equal(a, b any) bool {
	x, y := reflect.ValueOf(a), reflect.ValueOf(b)
	if x.IsValid() && y.IsValid() && x.Type() == y.Type() && x.Comparable() {
		return a == b
	}
	return t.compare(x, y) == 0
}

//go:noinline
func (t *text) less(a, b any) bool { return t.compare(reflect.ValueOf(a), reflect.ValueOf(b)) < 0 }

// compare orders numbers and strings, of whatever types.
func (t *text) compare(a, b reflect.Value) int {
	switch {
	case a.CanInt() && b.CanInt():
		return cmp.Compare(a.Int(), b.Int())
	case a.Kind() == reflect.String && b.Kind() == reflect.String:
		return cmp.Compare(a.String(), b.String())
	}
	t.failed = true
	return 0
}
