package message

import (
	"errors"
	"testing"
)

type thing struct{ Namespace, Name string }

func (t thing) String() string { return "thing/" + t.Name }

type words struct{ en, ja string }

func (w words) In(language string) string {
	if language == "ja" {
		return w.ja
	}
	return w.en
}

func TestSentenceInSentence(t *testing.T) {
	inner := of(PodFinished, Args{"pod": thing{"a", "b"}})
	for name, tc := range map[string]struct {
		sentence Sentence
		en, ja   string
	}{
		"nothing":             {Sentence{}, "", ""},
		"in words of others":  {Verbatim("it broke"), "it broke", "it broke"},
		"no words of others":  {Verbatim(""), "", ""},
		"a sentence":          {of(UnplacedAlso, Args{"said": "a", "also": inner}), "a " + English().Say(inner), "a" + Japanese().Say(inner)},
		"in a list":           {of(CauseNoNode, Args{"zones": List{"1a", Verbatim("1b"), thing{Name: "c"}}}), English().text(CauseNoNode, Args{"zones": []string{"1a", "1b", "thing/c"}}), ""},
		"an error":            {of(UnplacedAlso, Args{"said": errors.New("a"), "also": 1}), "a 1", "a1"},
		"translated":          {of(UnplacedAlso, Args{"said": words{"yes", "はい"}, "also": ""}), "yes ", "はい"},
		"one after another":   {Sequence(Verbatim("a"), Sentence{}, Sequence(Verbatim("b"), Verbatim("c"))), "a b c", "a b c"},
		"one of none":         {Sequence(Sentence{}, Verbatim("a")), "a", "a"},
		"a value of no other": {of(PodFinished, Args{"pod": "a", "pods": "b"}), English().text(PodFinished, Args{"pod": "a"}), ""},
	} {
		t.Run(name, func(t *testing.T) {
			if got := English().Say(tc.sentence); got != tc.en {
				t.Errorf("got %q, want %q", got, tc.en)
			}
			if got := Japanese().Say(tc.sentence); tc.ja != "" && got != tc.ja {
				t.Errorf("got %q, want %q", got, tc.ja)
			}
		})
	}
}

func TestKey(t *testing.T) {
	finished := func(pod any) Sentence { return of(PodFinished, Args{"pod": pod}) }
	same := [][2]Sentence{
		{finished("a"), finished("a")}, {finished([]string{"a"}), finished(List{"a"})}, {finished(finished("a")), finished(finished("a"))}, {Sentence{}, Sentence{}},
	}
	for _, pair := range same {
		if !pair[0].Equal(pair[1]) || pair[0].Compare(pair[1]) != 0 {
			t.Errorf("%s and %s differ", pair[0].Key(), pair[1].Key())
		}
	}
	// In this order, too.
	other := [][2]Sentence{
		{finished("a"), finished("b")},
		{finished("a"), of(PodDeleting, Args{"pod": "b"})},
		{of(PodDeleting, Args{"pod": "a"}), finished("a")},
		{finished(2), finished(10)},
		{finished(thing{"a", "x"}), finished(thing{"b", "x"})},
		{finished(List{"a"}), finished(List{"b"})},
		{finished(finished("a")), finished(finished("b"))},
	}
	for _, pair := range other {
		if pair[0].Equal(pair[1]) || pair[0].Compare(pair[1]) >= 0 {
			t.Errorf("%s does not come before %s", pair[0].Key(), pair[1].Key())
		}
	}
}

func TestContains(t *testing.T) {
	inner := of(PodFinished, Args{"pod": "a"})
	outer := of(CauseNoNode, Args{"zones": List{of(UnplacedAlso, Args{"said": inner, "also": "b"})}})
	if !outer.Contains(inner) || !outer.Contains(outer) {
		t.Error("it does not contain what it has")
	}
	if outer.Contains(of(PodFinished, Args{"pod": "b"})) || inner.Contains(outer) {
		t.Error("it contains what it has not")
	}
}

func TestMap(t *testing.T) {
	s := of(UnplacedAlso, Args{"said": of(PodFinished, Args{"pod": "a"}), "also": []string{"a", "b"}})
	got := s.Map(func(in ID, name string, value any) any {
		if value == "a" && (in == PodFinished && name == "pod" || in == UnplacedAlso && name == "also") {
			return "x"
		}
		return value
	})
	if want := of(UnplacedAlso, Args{"said": of(PodFinished, Args{"pod": "x"}), "also": List{"x", "b"}}); !got.Equal(want) {
		t.Errorf("got %s, want %s", got.Key(), want.Key())
	}
	if s.Args["also"].([]string)[0] != "a" {
		t.Error("the sentence itself has changed")
	}
}
