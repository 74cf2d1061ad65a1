package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"time"
)

// Entry is an entry of the journal, with the fields that the agent uses.
type Entry struct {
	// Want is the index of the Want that it belongs to.
	Want int
	// At is when journald received it; Up is the same as time since boot, by which the entries of a boot are ordered.
	At time.Time
	Up time.Duration
	// Message is the logged text.
	Message string
	// Facility is the syslog facility, PID the process that logged it: -1 if the entry does not contain it.
	Facility, PID int
	// Continues is true if the message continues the line of the previous entry, which journald split.
	Continues bool

	transport string // how journald received it; "driver" is journald itself
	stream    string // ID of the output stream of the process; empty for other transports
	cut       bool   // the line continues in the next entry of the stream
	loss      bool   // it reports lost lines
	said      bool   // it contains a MESSAGE field
}

func le(b []byte) uint64 { return binary.LittleEndian.Uint64(b) }

// stamp is when an entry was logged.
type stamp struct {
	up   uint64 // microseconds since boot
	boot id
}

func (f *file) stamp(at uint64) (stamp, error) {
	if _, err := f.object(at, typeEntry, f.buf[:sizeEntry]); err != nil {
		return stamp{}, err
	}
	return stamp{up: le(f.buf[32:]), boot: id(f.buf[40:56])}, nil
}

// entry reads an entry.
func (f *file) entry(at uint64, unused *unused) (Entry, error) {
	size, err := f.object(at, typeEntry, f.buf[:sizeEntry])
	if err != nil {
		return Entry{}, err
	}
	e := Entry{At: time.UnixMicro(int64(le(f.buf[24:]))), Up: time.Duration(le(f.buf[32:])) * time.Microsecond, Facility: -1, PID: -1}
	step := uint64(16)
	if f.compact {
		step = 4
	}
	items := make([]byte, min((size-sizeEntry)/step, maxItems)*step)
	if err := f.read(at+sizeEntry, items); err != nil {
		return Entry{}, err
	}
	for ; len(items) > 0; items = items[step:] {
		data := uint64(binary.LittleEndian.Uint32(items))
		if !f.compact {
			data = le(items)
		}
		if data == 0 || unused.is(data) {
			continue
		}
		if payload, err := f.payload(data, taken...); err != nil || !e.take(payload) {
			unused.add(data) // A value that cannot be decompressed is most likely a core dump.
		}
	}
	if !e.said {
		return Entry{}, errNoMessage
	}
	return e, nil
}

var errNoMessage = errors.New("an entry of the journal has no readable message")

// taken are the prefixes of the fields that are read (systemd.journal-fields(7)).
var taken = []string{"MESSAGE=", "SYSLOG_FACILITY=", "_PID=", "_TRANSPORT=", "_STREAM_ID=", "_LINE_BREAK="}

// take stores a field in the entry and reports whether the agent uses it.
func (e *Entry) take(payload []byte) bool {
	name, value, _ := bytes.Cut(payload, []byte{'='})
	switch string(name) {
	case "MESSAGE":
		e.Message, e.said = string(value), true
	case "SYSLOG_FACILITY":
		e.Facility = number(value)
	case "_PID":
		e.PID = number(value)
	case "_TRANSPORT":
		e.transport = string(value)
	case "_STREAM_ID":
		e.stream = string(value)
	case "_LINE_BREAK": // How the line ended, if not by a line feed: line-max, nul, pid-change, or eof.
		e.cut = string(value) != "eof"
	default:
		return false
	}
	return true
}

func number(text []byte) int {
	if n, err := strconv.Atoi(string(text)); err == nil {
		return n
	}
	return -1
}

// unused is a cache of the offsets of field values that the agent does not use. journald writes each value once, and entries refer to it,
// so that hardly any such value is read twice.
type unused struct{ values map[uint64]struct{} }

const maxUnused = 4096

func (u *unused) is(data uint64) bool {
	_, known := u.values[data]
	return known
}

func (u *unused) add(data uint64) {
	if len(u.values) >= maxUnused || u.values == nil {
		u.values = map[uint64]struct{}{}
	}
	u.values[data] = struct{}{}
}
