package finding

import (
	"bytes"
	"cmp"
	"encoding"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/message"
)

// EncodeJSON writes an answer as indented JSON as encoding/json does, but for its sentences: a field that is one has its text in the
// Printer's language, and beside it which sentence it is (messageID) and with which values (args). Other fields than the
// object's main sentence have these by their own name, such as costID and costArgs. What others wrote has its text alone.
func EncodeJSON(say message.Printer, answer any) ([]byte, error) {
	e := encoder{say: say}
	e.value(reflect.ValueOf(answer))
	var indented bytes.Buffer
	if err := cmp.Or(e.err, json.Indent(&indented, bytes.TrimSpace(e.out.Bytes()), "", "  ")); err != nil {
		return nil, fmt.Errorf("encoding the answer: %w", err)
	}
	indented.WriteByte('\n')
	return indented.Bytes(), nil
}

type encoder struct {
	say message.Printer
	out bytes.Buffer
	err error
}

var (
	sentenceType   = reflect.TypeFor[message.Sentence]()
	evidenceType   = reflect.TypeFor[Evidence]()
	differenceType = reflect.TypeFor[Difference]()
)

// value writes a value. One whose type has no sentences is left to encoding/json.
func (e *encoder) value(v reflect.Value) {
	switch {
	case !v.IsValid() || !holdsSentence(v.Type()):
		e.plain(v)
	case v.Type() == evidenceType:
		e.plain(reflect.ValueOf(v.Interface().(Evidence).In(e.say)))
	case v.Kind() == reflect.Pointer && !v.IsNil():
		e.value(v.Elem())
	case v.Kind() == reflect.Slice && !v.IsNil():
		e.list(v)
	case v.Type() == sentenceType:
		e.any(e.spoken(v.Interface()))
	case v.Type() == differenceType:
		e.object(reflect.ValueOf(v.Interface().(Difference).In(e.say)))
	case v.Kind() == reflect.Struct:
		e.object(v)
	default:
		e.plain(v)
	}
}

func (e *encoder) list(v reflect.Value) {
	e.out.WriteByte('[')
	for i := range v.Len() {
		if i > 0 {
			e.out.WriteByte(',')
		}
		e.value(v.Index(i))
	}
	e.out.WriteByte(']')
}

func (e *encoder) object(v reflect.Value) {
	e.out.WriteByte('{')
	e.fields(v, true)
	e.out.WriteByte('}')
}

// fields writes those of a struct, and says whether there were none before the next.
func (e *encoder) fields(v reflect.Value, first bool) bool {
	for i := range v.NumField() {
		field := v.Type().Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		switch {
		case name == "-" || !field.IsExported():
			continue
		case field.Anonymous && name == "":
			first = e.fields(v.Field(i), first)
			continue
		case omitted(v.Field(i), options):
			continue
		}
		if name == "" {
			name = field.Name
		}
		if field.Type == sentenceType {
			first = e.sentence(name, v.Field(i).Interface().(message.Sentence), first)
			continue
		}
		first = e.name(name, first)
		e.value(v.Field(i))
	}
	return first
}

func omitted(v reflect.Value, options string) bool {
	switch options {
	case "omitempty":
		switch v.Kind() {
		case reflect.Slice, reflect.Map, reflect.String:
			return v.Len() == 0
		case reflect.Struct:
			return false
		}
		return v.IsZero()
	case "omitzero":
		return v.IsZero()
	}
	return false
}

// mainSentences are the fields whose sentence is what the object says.
var mainSentences = []string{"message", "summary", "why"}

func (e *encoder) sentence(name string, s message.Sentence, first bool) bool {
	first = e.name(name, first)
	e.any(e.say.Say(s))
	if s.IsZero() || s.ID == message.VerbatimText {
		return first
	}
	id, args := name+"ID", name+"Args"
	if slices.Contains(mainSentences, name) {
		id, args = "messageID", "args"
	}
	e.name(id, first)
	e.any(s.ID)
	e.name(args, first)
	e.any(e.args(s.Args))
	return first
}

func (e *encoder) args(args message.Args) map[string]any {
	values := map[string]any{}
	for name := range maps.Keys(args) {
		values[name] = e.spoken(args[name])
	}
	return values
}

// spokenSentence is a sentence among the values of another.
type spokenSentence struct {
	Message   string         `json:"message"`
	MessageID message.ID     `json:"messageID"`
	Args      map[string]any `json:"args"`
}

// spoken is a sentence's value as JSON has it.
func (e *encoder) spoken(value any) any {
	switch v := value.(type) {
	case message.Sentence:
		if v.IsZero() || v.ID == message.VerbatimText {
			return e.say.Say(v)
		}
		return spokenSentence{e.say.Say(v), v.ID, e.args(v.Args)}
	case message.List:
		list := make([]any, len(v))
		for i, item := range v {
			list[i] = e.spoken(item)
		}
		return list
	case []string:
		return append([]string{}, v...)
	case message.Translated, error:
		text, _ := e.say.Value(v)
		return text
	case json.Marshaler, encoding.TextMarshaler:
		return v
	case fmt.Stringer:
		if reflect.ValueOf(v).Kind() != reflect.Struct {
			return v.String()
		}
	}
	return value
}

// name writes the name of an object's next member.
func (e *encoder) name(name string, first bool) bool {
	if !first {
		e.out.WriteByte(',')
	}
	e.any(name)
	e.out.WriteByte(':')
	return false
}

func (e *encoder) plain(v reflect.Value) {
	if !v.IsValid() {
		e.any(nil)
		return
	}
	e.any(v.Interface())
}

func (e *encoder) any(value any) {
	encoder := json.NewEncoder(&e.out)
	encoder.SetEscapeHTML(false) // Commands hold <placeholders>, which a reader of the JSON should see as such.
	if err := encoder.Encode(value); err != nil && e.err == nil {
		e.err = err
	}
}

// holdsSentence says whether values of a type may have sentences in them.
func holdsSentence(t reflect.Type) bool { return holds(t, map[reflect.Type]bool{}) }

func holds(t reflect.Type, seen map[reflect.Type]bool) bool {
	if t == sentenceType {
		return true
	}
	if seen[t] {
		return false
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice:
		return holds(t.Elem(), seen)
	case reflect.Struct:
		for field := range t.Fields() {
			if holds(field.Type, seen) {
				return true
			}
		}
	}
	return false
}
