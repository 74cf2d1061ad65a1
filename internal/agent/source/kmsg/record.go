// Package kmsg reads the kernel's own log, /dev/kmsg, record by record: who logged a line, when, and how many were
// overwritten before they could be read
// (https://www.kernel.org/doc/Documentation/ABI/testing/dev-kmsg).
package kmsg

import (
	"bytes"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"
)

// Kernel is the kernel's own facility. The kernel gives whatever a process writes into its log another one, so a record of
// this facility is the kernel's word.
const Kernel = 0

// Record is one record of the log.
type Record struct {
	// Priority is the syslog level, 0 (emergency) to 7 (debug); Facility who logged it.
	Priority, Facility int
	// Seq rises by one from record to record since boot.
	Seq uint64
	// Up is when it was logged, on the kernel's own clock, which starts at boot and stands still while suspended.
	Up time.Duration
	// Continues says that it is a further part of the line before.
	Continues bool
	// Text is the message, with line breaks and control characters as they were logged.
	Text string
	// Fields are NAME=value about the device that it concerns: SUBSYSTEM, DEVICE.
	Fields []string
	// At is when it was logged, by the wall clock. Parse does not know it.
	At time.Time
}

var errFormat = errors.New("not a record of the kernel log")

// Parse reads one record as one read of /dev/kmsg gives it: "6,1524,987,-;text", and a line each for the fields.
func Parse(raw []byte) (Record, error) {
	prefix, rest, found := bytes.Cut(raw, []byte{';'})
	if !found {
		return Record{}, errFormat
	}
	r, err := parsePrefix(string(prefix))
	if err != nil {
		return Record{}, err
	}
	text, fields, _ := bytes.Cut(rest, []byte{'\n'})
	r.Text = unescape(text)
	for line := range bytes.Lines(fields) {
		if field, is := bytes.CutPrefix(bytes.TrimSuffix(line, []byte{'\n'}), []byte{' '}); is {
			r.Fields = append(r.Fields, unescape(field))
		}
	}
	return r, nil
}

// parsePrefix reads "priority and facility, sequence, microseconds, flag", after which newer kernels may add more.
func parsePrefix(prefix string) (Record, error) {
	parts := strings.SplitN(prefix, ",", 5)
	if len(parts) < 3 {
		return Record{}, errFormat
	}
	code, err := strconv.ParseUint(parts[0], 10, 16)
	if err != nil {
		return Record{}, fmt.Errorf("%w: priority: %w", errFormat, err)
	}
	seq, err := strconv.ParseUint(parts[1], 10, 64)
	if err != nil {
		return Record{}, fmt.Errorf("%w: sequence: %w", errFormat, err)
	}
	micro, err := strconv.ParseInt(parts[2], 10, 64)
	if err != nil || micro < 0 || micro > int64(1<<63-1)/int64(time.Microsecond) {
		return Record{}, fmt.Errorf("%w: time %q", errFormat, parts[2])
	}
	return Record{
		Priority: int(code & 7), Facility: int(code >> 3), Seq: seq, Up: time.Duration(micro) * time.Microsecond,
		Continues: len(parts) > 3 && parts[3] == "c",
	}, nil
}

// unescape gives back the characters that the kernel writes as \xNN: control characters, the backslash, and all but ASCII.
func unescape(text []byte) string {
	if !bytes.Contains(text, []byte(`\x`)) {
		return string(text)
	}
	out := make([]byte, 0, len(text))
	for i := 0; i < len(text); i++ {
		if i+4 <= len(text) && text[i] == '\\' && text[i+1] == 'x' {
			if c, err := strconv.ParseUint(string(text[i+2:i+4]), 16, 8); err == nil {
				out = append(out, byte(c))
				i += 3
				continue
			}
		}
		out = append(out, text[i])
	}
	return string(out)
}
