package heartbeat

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// ErrMalformed is the error of a Reader for a line that is not a frame, or is too long.
var ErrMalformed = errors.New("malformed frame")

// Encode returns the frame as one line, with its newline. A message that is too long is shortened.
func (f Frame) Encode() []byte {
	if len(f.Message) > MaxMessage {
		f.Message = strings.ToValidUTF8(f.Message[:MaxMessage], "")
	}
	line, err := json.Marshal(f)
	if err != nil {
		panic(err) // Strings and a number are always valid.
	}
	return append(line, '\n')
}

// plain is nearly all that a controller reads; it is not decoded again and again.
var plain = Frame{Type: Heartbeat}.Encode()

// Reader reads frames. It holds MaxFrame bytes.
type Reader struct {
	lines *bufio.Reader
}

// NewReader returns a Reader of r.
func NewReader(r io.Reader) *Reader {
	return &Reader{lines: bufio.NewReaderSize(r, MaxFrame)}
}

// Next returns the next frame. The error is ErrMalformed (wrapped), io.EOF at the end, or that of the underlying reader.
func (r *Reader) Next() (Frame, error) {
	line, err := r.lines.ReadSlice('\n')
	switch {
	case errors.Is(err, bufio.ErrBufferFull):
		return Frame{}, fmt.Errorf("%w: longer than %d bytes", ErrMalformed, MaxFrame)
	case err != nil:
		return Frame{}, err
	}
	if bytes.Equal(line, plain) {
		return Frame{Type: Heartbeat}, nil
	}
	var f Frame
	if err := json.Unmarshal(line, &f); err != nil {
		return Frame{}, fmt.Errorf("%w: %w", ErrMalformed, err)
	}
	if f.Type == "" {
		return Frame{}, fmt.Errorf("%w: it has no type", ErrMalformed)
	}
	return f, nil
}
