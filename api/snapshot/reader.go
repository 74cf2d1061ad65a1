package snapshot

import (
	"bufio"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
)

// What may be wrong with a file; a Reader's errors wrap one of these.
var (
	ErrNoSnapshot = errors.New("this is no snapshot of naosu")
	ErrVersion    = errors.New("the snapshot has a format that this version of naosu does not read")
	ErrTruncated  = errors.New("the snapshot ends too early")
	ErrDamaged    = errors.New("the snapshot is damaged")
	ErrTooLarge   = errors.New("the snapshot is too large")
)

// Reader reads a file. It holds one record in memory at a time.
type Reader struct {
	packed *bufio.Reader
	gzip   *gzip.Reader
	plain  *bufio.Reader
	header Header
	words  map[string]string
	count  uint64
	size   uint64
	ended  error
	// length and wordData are read into, again and again.
	length   [4]byte
	wordData []byte
}

// NewReader reads a file's header.
func NewReader(r io.Reader) (*Reader, error) {
	s := &Reader{packed: bufio.NewReaderSize(r, 64<<10), words: map[string]string{}}
	begin := make([]byte, len(Magic)+1)
	if n, err := io.ReadFull(s.packed, begin); err != nil {
		switch {
		case !isEnd(err):
			return nil, fmt.Errorf("reading the snapshot: %w", err)
		case n > 0 && bytes.HasPrefix([]byte(Magic), begin[:n]):
			return nil, ErrTruncated
		default:
			return nil, ErrNoSnapshot
		}
	}
	if string(begin[:len(Magic)]) != Magic {
		return nil, ErrNoSnapshot
	}
	if begin[len(Magic)] != version {
		return nil, ErrVersion
	}
	var err error
	if s.gzip, err = gzip.NewReader(s.packed); err != nil {
		return nil, cause(err)
	}
	s.gzip.Multistream(false)
	s.plain = bufio.NewReaderSize(s.gzip, 64<<10)
	header, err := s.field(maxHeader, nil)
	if err != nil {
		return nil, err
	}
	if err := json.Unmarshal(header, &s.header); err != nil {
		return nil, fmt.Errorf("%w: its header: %w", ErrDamaged, err)
	}
	return s, nil
}

// Header is what the file says of itself.
func (s *Reader) Header() Header { return s.header }

// Next is the next record, whose data the caller may keep. The error is io.EOF at the end of a file that is whole, and
// stays what it was once.
func (s *Reader) Next() (Record, error) { return s.NextInto(nil) }

// NextInto is Next with the data in the capacity of room, if it is large enough.
func (s *Reader) NextInto(room []byte) (Record, error) {
	if s.ended != nil {
		return Record{}, s.ended
	}
	r, err := s.next(room)
	if err == nil && r.Encoding == "" {
		err = s.end(r)
	}
	if err != nil {
		s.ended = err
		return Record{}, err
	}
	s.count++
	return r, nil
}

func (s *Reader) next(room []byte) (Record, error) {
	var r Record
	var err error
	for _, word := range []*string{&r.APIVersion, &r.Kind, &r.Encoding} {
		if *word, err = s.word(); err != nil {
			return Record{}, err
		}
	}
	if r.Data, err = s.field(maxData, room); err != nil {
		return Record{}, err
	}
	if s.size += uint64(len(r.Data)); s.size > MaxSize {
		return Record{}, ErrTooLarge
	}
	return r, nil
}

// end checks that the last record says how many came before it, and that nothing follows.
func (s *Reader) end(last Record) error {
	if len(last.Data) != 8 || binary.BigEndian.Uint64(last.Data) != s.count || last.APIVersion != "" || last.Kind != "" {
		return fmt.Errorf("%w: it holds %d objects and not what its end says", ErrDamaged, s.count)
	}
	for _, rest := range []io.ByteReader{s.plain, s.packed} { // The first reads gzip's checksum.
		switch _, err := rest.ReadByte(); {
		case err == nil:
			return fmt.Errorf("%w: something follows its end", ErrDamaged)
		case !errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
			return cause(err)
		}
	}
	return io.EOF
}

// word is a short field. Few differ, so each is held once.
func (s *Reader) word() (string, error) {
	field, err := s.field(maxWord, s.wordData)
	if err != nil {
		return "", err
	}
	s.wordData = field
	if known, ok := s.words[string(field)]; ok {
		return known, nil
	}
	const manyWords = 1000
	word := string(field)
	if len(s.words) < manyWords {
		s.words[word] = word
	}
	return word, nil
}

// field reads a field, into the capacity of room if it is large enough.
func (s *Reader) field(most int, room []byte) ([]byte, error) {
	if _, err := io.ReadFull(s.plain, s.length[:]); err != nil {
		return nil, cause(err)
	}
	length := int(binary.BigEndian.Uint32(s.length[:]))
	if length > most {
		return nil, fmt.Errorf("%w: a field of %d bytes", ErrDamaged, length)
	}
	// A length that lies costs no more than what is there: memory grows as the file is read.
	const trusted = 64 << 10
	data := room[:0]
	if cap(data) < length {
		data = make([]byte, 0, min(length, trusted))
	}
	for len(data) < length {
		data = slices.Grow(data, 1)
		room := data[len(data):min(cap(data), length)]
		if _, err := io.ReadFull(s.plain, room); err != nil {
			return nil, cause(err)
		}
		data = data[:len(data)+len(room)]
	}
	return data, nil
}

// cause says which of the package's errors a failure to read stands for.
func cause(err error) error {
	switch {
	case isEnd(err):
		return ErrTruncated
	case errors.Is(err, gzip.ErrHeader), errors.Is(err, gzip.ErrChecksum), errors.As(err, new(flate.CorruptInputError)):
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	default:
		return fmt.Errorf("reading the snapshot: %w", err)
	}
}

func isEnd(err error) bool { return errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) }
