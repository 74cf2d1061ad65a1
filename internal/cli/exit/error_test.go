package exit

import (
	"errors"
	"testing"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// TestLine: what a server or a plugin says stays on one line and does not steer the terminal.
func TestLine(t *testing.T) {
	err := errors.New("get pods:\n\tserver said \x1b]0;x\a and \u009b2J\u202e and \xff")
	if got, want := Line(message.English(), err), `get pods: server said  ]0;x  and \u009b2J\u202e and \xff`; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// TestTalking: a verdict, and what was wrong with the input, are not troubles with the server.
func TestTalking(t *testing.T) {
	for _, err := range []error{Verdict(sentence.AbortLeft(2)), BadInput("name", sentence.ErrMissing(), sentence.AbortRemedy())} {
		if got := Talking("host", err); Code(got) != Code(err) || got.Error() != err.Error() {
			t.Errorf("%v (exit code %d) became %v (%d)", err, Code(err), got, Code(got))
		}
	}
}
