package message

import (
	"cmp"
	"fmt"
	"reflect"
	"strings"
)

// text is a sentence in the making. The functions that make one are generated from the sentences (generate/), and mean
// what text/template would: TestCompiled holds them against it. What they call thousands of times is not inlined, or
// compiling them would take five times as long.
type text struct {
	said strings.Builder
	args Args
	// failed is whether a value is missing, or is not what the sentence needs.
	failed bool
}

//go:noinline
func (t *text) say(words string) { t.said.WriteString(words) }

// put is {{.name}}.
func (t *text) put(value any) {
	switch v := value.(type) {
	case nil:
		t.failed = true
	case string:
		t.said.WriteString(v)
	case error, fmt.Stringer:
		fmt.Fprint(&t.said, v)
	default:
		fmt.Fprint(&t.said, reflect.Indirect(reflect.ValueOf(v)))
	}
}

//go:noinline
func (t *text) value(name string) any { return t.in(t.args, name) }

func (t *text) in(args Args, name string) any {
	value, ok := args[name]
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
	items, ok := t.value(name).([]string)
	if !ok {
		t.failed = true
	}
	return items
}

func (t *text) records(name string) []Args {
	records, ok := t.value(name).([]Args)
	if !ok {
		t.failed = true
	}
	return records
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
