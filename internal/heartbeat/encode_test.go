package heartbeat_test

import (
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/heartbeat"
)

func TestFramesAreReadAsEncoded(t *testing.T) {
	frames := []heartbeat.Frame{
		{Type: heartbeat.Heartbeat},
		{Type: heartbeat.Probe, ID: 7, Address: "[2001:db8::1]:10250"},
		{Type: heartbeat.Answer, ID: 7, Result: heartbeat.Failed, Message: "two\nlines"},
		{Type: heartbeat.Goodbye},
	}
	var text strings.Builder
	for _, f := range frames {
		text.Write(f.Encode())
	}
	reader := heartbeat.NewReader(strings.NewReader(text.String()))
	var got []heartbeat.Frame
	for range frames {
		f, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, f)
	}
	if diff := cmp.Diff(frames, got); diff != "" {
		t.Errorf("(-encoded +read):\n%s", diff)
	}
	if _, err := reader.Next(); !errors.Is(err, io.EOF) {
		t.Errorf("at the end: %v", err)
	}
}

// The longest message still makes a frame that a Reader accepts, also if JSON escapes each of its bytes.
func TestLongMessagesAreShortened(t *testing.T) {
	for _, message := range []string{strings.Repeat("x", 5000), strings.Repeat("é", 5000), strings.Repeat("\x01", 5000)} {
		line := heartbeat.Frame{Type: heartbeat.Answer, ID: 1<<64 - 1, Result: heartbeat.Unreached, Message: message}.Encode()
		f, err := heartbeat.NewReader(strings.NewReader(string(line))).Next()
		if err != nil || len(f.Message) > heartbeat.MaxMessage || !strings.HasPrefix(message, f.Message) {
			t.Errorf("%d bytes, %v, message %q", len(line), err, f.Message)
		}
	}
}

func TestMalformedFrames(t *testing.T) {
	long := `{"type":"heartbeat","message":"` + strings.Repeat("x", heartbeat.MaxFrame) + "\"}\n"
	for _, line := range []string{"\n", "heartbeat\n", "{}\n", "[]\n", `{"type":1}` + "\n", `{"type":"answer","id":-1}` + "\n", "\x00\xff\n", long, strings.Repeat("x", 1<<20)} {
		if f, err := heartbeat.NewReader(strings.NewReader(line)).Next(); !errors.Is(err, heartbeat.ErrMalformed) {
			t.Errorf("%.40q: %v, %v", line, f, err)
		}
	}
	if _, err := heartbeat.NewReader(strings.NewReader(`{"type":"heartbeat"}`)).Next(); !errors.Is(err, io.EOF) {
		t.Errorf("a line that is cut off: %v", err)
	}
}
