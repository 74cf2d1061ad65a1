package snapshot

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
)

// Writer writes a file. What was written is whole once Close has returned no error.
type Writer struct {
	buffer *bufio.Writer
	gzip   *gzip.Writer
	count  uint64
	size   uint64
}

// NewWriter begins a file.
func NewWriter(w io.Writer, h Header) (*Writer, error) {
	header, err := json.Marshal(h)
	if err != nil {
		return nil, fmt.Errorf("encoding the header: %w", err)
	}
	if len(header) > maxHeader {
		return nil, fmt.Errorf("a header of %d bytes is too long", len(header))
	}
	if _, err := io.WriteString(w, Magic+string(version)); err != nil {
		return nil, fmt.Errorf("writing the header: %w", err)
	}
	// The fastest level packs objects of one template nearly as well as the best does.
	packed, err := gzip.NewWriterLevel(w, gzip.BestSpeed)
	if err != nil {
		return nil, fmt.Errorf("writing the header: %w", err)
	}
	s := &Writer{gzip: packed, buffer: bufio.NewWriterSize(packed, 64<<10)}
	if err := s.field(header); err != nil {
		return nil, fmt.Errorf("writing the header: %w", err)
	}
	return s, nil
}

// Write adds a record.
func (s *Writer) Write(r Record) error {
	if r.Encoding == "" {
		return fmt.Errorf("writing a %s: it has no encoding", r.Kind)
	}
	for _, word := range []string{r.APIVersion, r.Kind, r.Encoding} {
		if len(word) > maxWord {
			return fmt.Errorf("writing a record: %.20q… is too long for a word", word)
		}
	}
	s.size += uint64(len(r.Data))
	switch {
	case len(r.Data) > maxData:
		return fmt.Errorf("writing a %s: %d bytes are too long for an object", r.Kind, len(r.Data))
	case s.size > MaxSize:
		return fmt.Errorf("writing a %s: the snapshot would hold more than %d bytes", r.Kind, uint64(MaxSize))
	}
	s.count++
	return s.record(r)
}

// Close ends the file. It does not close what the file is written to.
func (s *Writer) Close() error {
	err := s.record(Record{Data: binary.BigEndian.AppendUint64(nil, s.count)})
	if err == nil {
		err = s.buffer.Flush()
	}
	if err == nil {
		err = s.gzip.Close()
	}
	if err != nil {
		return fmt.Errorf("ending the snapshot: %w", err)
	}
	return nil
}

func (s *Writer) record(r Record) error {
	for _, field := range [][]byte{[]byte(r.APIVersion), []byte(r.Kind), []byte(r.Encoding), r.Data} {
		if err := s.field(field); err != nil {
			return fmt.Errorf("writing a %s: %w", r.Kind, err)
		}
	}
	return nil
}

func (s *Writer) field(data []byte) error {
	if _, err := s.buffer.Write(binary.BigEndian.AppendUint32(nil, uint32(len(data)))); err != nil {
		return err
	}
	_, err := s.buffer.Write(data)
	return err
}
