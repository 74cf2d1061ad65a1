package exit

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// sayable is an error that can be said in any language.
type sayable struct {
	code int
	say  func(message.Printer) string
	// cause is what it came of, for errors.Is and errors.As; nil if nothing.
	cause error
}

func (e *sayable) Error() string { return e.say(message.English()) }
func (e *sayable) Unwrap() error { return e.cause }

// BadInput is an error in what the person typed: the field that is wrong, if it is one, what is wrong with it, and what to do instead.
func BadInput(field string, problem, remedy message.Sentence) error {
	return &sayable{code: NoAnswer, say: func(p message.Printer) string {
		return p.Say(sentence.ErrBadInput(field, p.Say(problem), p.Say(remedy)))
	}}
}

// Unread is bad input too: a file that a flag names cannot be read, or not be understood.
func Unread(flag, path string, err error, remedy message.Sentence) error {
	problem := sentence.ErrFromParse(err.Error())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		problem = sentence.ErrFromMissing(path)
	case errors.Is(err, fs.ErrPermission):
		problem = sentence.ErrFromForbidden(path)
	}
	return BadInput(flag, problem, remedy)
}

// Verdict is an answer with exit code 1: what --fail-on looks for is there, a drill failed, or a verb left something undone.
func Verdict(said message.Sentence) error {
	return &sayable{code: Found, say: func(p message.Printer) string { return p.Say(said) }}
}

// Failure is any other error that has words of its own.
func Failure(said message.Sentence) error {
	return &sayable{code: NoAnswer, say: func(p message.Printer) string { return p.Say(said) }}
}

// Line is the error on one line, in a language: what it quotes from servers and plugins may hold line ends and control
// characters, and stays in theirs.
func Line(p message.Printer, err error) string {
	text := err.Error()
	if said, ok := errors.AsType[*sayable](err); ok {
		text = strings.Replace(text, said.Error(), said.say(p), 1)
	}
	return terminal.Escape(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7f }), " "))
}
