package message

import (
	"fmt"
	"strconv"
	"strings"
)

// Sentence is something to say, not yet in a language: which sentence, and its values by name. A value is a string, a
// number, an error, whatever has a String method, a Sentence, a Translated, a list of strings, or a List. The functions of
// package sentence make them; the zero Sentence says nothing.
type Sentence struct {
	ID   ID
	Args Args
}

// Args are the values of a sentence, by the names its catalogue entry uses.
type Args map[string]any

// List is a list of values, such as things and how many more there are.
type List []any

// ListOf is a list of values of one type.
func ListOf[T any](values []T) List {
	list := make(List, len(values))
	for i, value := range values {
		list[i] = value
	}
	return list
}

// Translated is a value that has a text in each language, such as the meaning of a catalogue's entry.
type Translated interface {
	// In is the text in a language, by the name that --lang takes.
	In(language string) string
}

// of makes a Sentence, with those of the values that it has.
func of(id ID, args Args) Sentence {
	names := namesOf()[id]
	if len(names) == 0 {
		return Sentence{ID: id}
	}
	s := Sentence{ID: id, Args: make(Args, len(names))}
	for _, name := range names {
		if value, ok := args[name]; ok {
			s.Args[name] = value
		}
	}
	return s
}

// Label is the text that goes by a name: one of those without values, such as the title of a code or the help of a command.
// It is the zero Sentence if there is none.
func Label(name string) Sentence {
	if values, ok := namesOf()[ID(name)]; !ok || len(values) > 0 {
		return Sentence{}
	}
	return Sentence{ID: ID(name)}
}

// Verbatim says what others wrote, such as the message of an Event, in their words.
func Verbatim(words string) Sentence {
	if words == "" {
		return Sentence{}
	}
	return of(VerbatimText, Args{"text": words})
}

// Sequence says sentences one after another.
func Sequence(parts ...Sentence) Sentence {
	var all List
	for _, part := range parts {
		switch {
		case part.IsZero():
		case part.ID == SentenceSequence:
			all = append(all, part.Args["sentences"].(List)...)
		default:
			all = append(all, part)
		}
	}
	switch len(all) {
	case 0:
		return Sentence{}
	case 1:
		return all[0].(Sentence)
	}
	return of(SentenceSequence, Args{"sentences": all})
}

// IsZero says whether there is nothing to say.
func (s Sentence) IsZero() bool { return s.ID == "" }

// Equal says whether two sentences say the same, in any language.
func (s Sentence) Equal(other Sentence) bool { return s.ID == other.ID && s.Key() == other.Key() }

// Contains says whether a sentence is another, or has it among its values.
func (s Sentence) Contains(other Sentence) bool {
	if s.Equal(other) {
		return true
	}
	found := false
	s.Map(func(_ ID, _ string, value any) any {
		inner, ok := value.(Sentence)
		found = found || ok && inner.Equal(other)
		return value
	})
	return found
}

// Map is the sentence with each value replaced by what change makes of it: those of lists and of inner sentences one by
// one. It is handed the ID of the sentence that has the value, or the list with it, and the name that it has there. Inner
// sentences are handed to it after their values.
func (s Sentence) Map(change func(in ID, name string, value any) any) Sentence {
	if len(s.Args) == 0 {
		return s
	}
	args := make(Args, len(s.Args))
	for name, value := range s.Args {
		args[name] = mapped(value, func(value any) any { return change(s.ID, name, value) }, change)
	}
	return Sentence{s.ID, args}
}

func mapped(value any, one func(any) any, change func(ID, string, any) any) any {
	switch v := value.(type) {
	case Sentence:
		return one(v.Map(change))
	case List:
		list := make(List, len(v))
		for i, item := range v {
			list[i] = mapped(item, one, change)
		}
		return list
	case []string:
		list := make(List, len(v))
		for i, item := range v {
			list[i] = one(item)
		}
		return list
	}
	return one(value)
}

// Key is the sentence in a form that is equal for equal sentences alone, and orders them: by their values, the one that is
// said first before the others, then by the ID.
func (s Sentence) Key() string {
	var key strings.Builder
	s.writeKey(&key)
	return key.String()
}

// Compare orders sentences by their Keys.
func (s Sentence) Compare(other Sentence) int { return strings.Compare(s.Key(), other.Key()) }

func (s Sentence) writeKey(key *strings.Builder) {
	key.WriteByte('(')
	for _, name := range namesOf()[s.ID] {
		key.WriteString(name)
		key.WriteByte('=')
		writeValueKey(key, s.Args[name])
		key.WriteByte(' ')
	}
	key.WriteByte(')')
	key.WriteString(string(s.ID))
}

func writeValueKey(key *strings.Builder, value any) {
	switch v := value.(type) {
	case string:
		key.WriteString(strconv.Quote(v))
	case int:
		fmt.Fprintf(key, "%010d", v)
	case Sentence:
		v.writeKey(key)
	case error:
		key.WriteString(strconv.Quote(v.Error()))
	case fmt.Stringer:
		fmt.Fprintf(key, "%q %#v", v.String(), v)
	case List:
		writeListKey(key, v)
	case []string:
		writeListKey(key, v)
	default:
		fmt.Fprintf(key, "%#v", v)
	}
}

func writeListKey[T any](key *strings.Builder, list []T) {
	key.WriteByte('[')
	for _, item := range list {
		writeValueKey(key, item)
		key.WriteByte(' ')
	}
	key.WriteByte(']')
}

// UnmarshalText takes a text that was said, as answers in JSON have it, for words of others: which sentence it was is told
// beside it.
func (s *Sentence) UnmarshalText(text []byte) error {
	*s = Verbatim(string(text))
	return nil
}
