// Package journal reads systemd's journal from its files, without libsystemd. A journal file contains a list of the entries with each
// field value; the package follows these lists, so that it reads only the requested entries.
//
// The format is documented at https://systemd.io/JOURNAL_FILE_FORMAT/; numbers are little-endian. journald only appends to existing
// objects, so a file can be read while it is written. Files may be damaged: all values are validated, and offsets must increase, so that
// reading always ends.
package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"
)

// Flags and types of the format.
const (
	flagXZ      = 1 << 0
	flagLZ4     = 1 << 1
	flagKeyed   = 1 << 2
	flagZstd    = 1 << 3
	flagCompact = 1 << 4
	flagsKnown  = flagXZ | flagLZ4 | flagKeyed | flagZstd | flagCompact

	typeData  = 1
	typeField = 2
	typeEntry = 3
	typeArray = 6

	stateArchived = 2

	sizeHeader = 208 // as far as every version writes it
	sizeObject = 16
	sizeField  = 40
	sizeEntry  = 64
	sizeArray  = 24
)

// Limits for values in a file; larger ones mean that the file is damaged.
const (
	maxFieldTable = 1 << 20 // bytes
	maxFields     = 1 << 14 // names of fields in a file
	maxItems      = 1024    // fields of an entry
	maxPayload    = 64 << 10
	longestWord   = 16
)

var (
	errDamaged = errors.New("the journal file is damaged")
	errNewer   = errors.New("the journal file is of a newer systemd")
)

// id is a 128 bit ID.
type id [16]byte

// file is an open journal file.
type file struct {
	r       io.ReaderAt
	id      id
	compact bool
	// The offset and the length of the hash table of field names.
	fields, fieldsLen uint64
	buf               [512]byte
}

func openFile(r io.ReaderAt) (*file, error) {
	var h [sizeHeader]byte
	if _, err := r.ReadAt(h[:], 0); errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: its header is cut", errDamaged)
	} else if err != nil {
		return nil, fmt.Errorf("read the journal's header: %w", err)
	}
	if string(h[:8]) != "LPKSHHRH" {
		return nil, errors.New("not a journal file")
	}
	flags := binary.LittleEndian.Uint32(h[12:])
	if unknown := flags &^ flagsKnown; unknown != 0 {
		return nil, fmt.Errorf("%w: it has the unknown flags %#x", errNewer, unknown)
	}
	f := &file{
		r: r, id: id(h[24:40]), compact: flags&flagCompact != 0,
		fields: binary.LittleEndian.Uint64(h[120:]), fieldsLen: binary.LittleEndian.Uint64(h[128:]),
	}
	if f.fieldsLen > maxFieldTable {
		return nil, errDamaged
	}
	return f, nil
}

// archived reports whether journald has finished writing the file.
func (f *file) archived() bool {
	_, err := f.r.ReadAt(f.buf[:1], 16)
	return err == nil && f.buf[0] == stateArchived
}

// last returns when the last entry was logged. Before systemd 254, the boot is that in which the file was last opened for writing.
func (f *file) last() (stamp, error) {
	var boot id
	if err := f.read(56, boot[:]); err != nil {
		return stamp{}, err
	}
	up, err := f.number(200)
	return stamp{up: up, boot: boot}, err
}

func (f *file) number(at uint64) (uint64, error) {
	if err := f.read(at, f.buf[:8]); err != nil {
		return 0, err
	}
	return binary.LittleEndian.Uint64(f.buf[:]), nil
}

func (f *file) read(at uint64, into []byte) error {
	if at > 1<<62 {
		return errDamaged
	}
	if _, err := f.r.ReadAt(into, int64(at)); err != nil {
		return fmt.Errorf("read the journal: %w", err)
	}
	return nil
}

// object reads the beginning of an object of a type and returns the size of the object in bytes.
func (f *file) object(at uint64, kind byte, into []byte) (size uint64, err error) {
	if err := f.read(at, into); err != nil {
		return 0, err
	}
	size = binary.LittleEndian.Uint64(into[8:])
	if into[0] != kind || size < uint64(len(into)) {
		return 0, errDamaged
	}
	return size, nil
}

// head returns the size of a DATA object before its payload, in bytes.
func (f *file) head() uint64 {
	if f.compact {
		return 72
	}
	return 64
}

// item returns the size of a reference in bytes: of an array to an entry, or of an entry to data (followed by a hash if not compact).
func (f *file) item() uint64 {
	if f.compact {
		return 4
	}
	return 8
}

// reference reads the reference at an offset.
func (f *file) reference(at uint64) (uint64, error) {
	n := f.item()
	if err := f.read(at, f.buf[:n]); err != nil {
		return 0, err
	}
	if f.compact {
		return uint64(binary.LittleEndian.Uint32(f.buf[:])), nil
	}
	return binary.LittleEndian.Uint64(f.buf[:]), nil
}

// payload returns the "NAME=value" of a DATA object. It returns nil if the payload is not compressed and begins with none of the given
// words, because most values need not be read. An uncompressed value is truncated to maxPayload.
func (f *file) payload(at uint64, words ...string) ([]byte, error) {
	head := f.head()
	n, err := f.r.ReadAt(f.buf[:head+longestWord], int64(at&(1<<62-1)))
	if uint64(n) < head {
		return nil, fmt.Errorf("read the journal: %w", err)
	}
	size := le(f.buf[8:])
	if f.buf[0] != typeData || size < head {
		return nil, errDamaged
	}
	packed, length := f.buf[1], size-head // an object's flags: 1 xz, 2 lz4, 4 zstd
	start := f.buf[head:min(head+length, uint64(n))]
	if packed == 0 && len(words) > 0 && !slices.ContainsFunc(words, func(w string) bool { return bytes.HasPrefix(start, []byte(w)) }) {
		return nil, nil
	}
	if packed != 0 && length > maxPayload {
		return nil, errTooLong
	}
	raw := make([]byte, min(length, maxPayload))
	if err := f.read(at+head, raw); err != nil {
		return nil, err
	}
	if packed != 0 {
		return decompress(packed, raw)
	}
	return raw, nil
}
