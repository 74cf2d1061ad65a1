package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"strconv"
	"time"
)

// Entry is one entry of the journal, as far as it is read.
type Entry struct {
	// Want is what it was asked for by: its place among the Wants.
	Want int
	// At is when journald took it; Up the same since boot, by which entries of one boot are in order.
	At time.Time
	Up time.Duration
	// Message is what was logged.
	Message string
	// Facility is the syslog facility, PID the process that logged it: -1 where the entry does not say.
	Facility, PID int
	// Continues says that it goes on with the line of the entry before, which journald has cut: where it begins is no line of its
	// own.
	Continues bool

	transport string // how journald got it: "driver" is journald itself
	stream    string // the ID of the connection by which it came, as one line of output; empty of other transports
	cut       bool   // its line goes on in the next entry of the stream
	loss      bool   // it tells of a loss
	said      bool   // it has a Message
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
func (f *file) entry(at uint64, boring *boring) (Entry, error) {
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
		if data == 0 || boring.is(data) {
			continue
		}
		if payload, err := f.payload(data, taken...); err != nil || !e.take(payload) {
			boring.add(data) // A value that cannot be unpacked is most likely a core dump.
		}
	}
	if !e.said {
		return Entry{}, errSilent
	}
	return e, nil
}

var errSilent = errors.New("an entry of the journal without a message that could be read")

// taken are how the fields begin that are read (systemd.journal-fields(7)).
var taken = []string{"MESSAGE=", "SYSLOG_FACILITY=", "_PID=", "_TRANSPORT=", "_STREAM_ID=", "_LINE_BREAK="}

// take takes a field in, and says whether it is one to be taken.
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
	case "_LINE_BREAK": // It says how the line ended, if not by a line feed: line-max, nul, pid-change, or eof.
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

// boring are values of fields that nobody asks for. journald writes each value once and lets entries refer to it, so that
// hardly any is read twice.
type boring struct{ values map[uint64]struct{} }

const maxBoring = 4096

func (b *boring) is(data uint64) bool {
	_, known := b.values[data]
	return known
}

func (b *boring) add(data uint64) {
	if len(b.values) >= maxBoring || b.values == nil {
		b.values = map[uint64]struct{}{}
	}
	b.values[data] = struct{}{}
}
