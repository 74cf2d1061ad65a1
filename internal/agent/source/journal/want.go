package journal

import (
	"strconv"
	"strings"
	"time"
)

// Want is a log within the journal.
type Want struct {
	fields []field
	// losses are the messages with which journald reports lines that it missed or suppressed.
	losses []field
	// After is the time since boot up to which entries are skipped, because an earlier run has processed them or they are too old. It is not
	// wall-clock time, which may be set back.
	After time.Duration
}

// field is a field value that the entries of a log have.
type field struct {
	name, value string
	// own reports whether an entry really belongs to the log. Nil if journald itself sets the field: no one else can write fields that begin
	// with an underscore (systemd.journal-fields(7)).
	own func(Entry) bool
}

// The message IDs of lost lines: SD_MESSAGE_JOURNAL_MISSED, SD_MESSAGE_JOURNAL_DROPPED in src/systemd/sd-messages.h of systemd.
const (
	missed  = "e9bf28e6e834481bb6f48f548ad13606"
	dropped = "a596d6fe7bfa4994828e72309e95d61e"
)

// Kernel is the kernel's own log. journald marks lines that processes wrote to it with their facility (src/journal/journald-kmsg.c in
// systemd); older versions omit the facility of the kernel's own lines.
func Kernel() Want {
	return Want{
		fields: []field{{"_TRANSPORT", "kernel", func(e Entry) bool { return e.Facility <= 0 }}},
		losses: []field{{"MESSAGE_ID", missed, func(e Entry) bool { return e.transport == "driver" }}},
	}
}

// Unit is the log of a systemd unit: the output of its processes, and messages of PID 1 about it. Entries that a process sends to journald
// itself are omitted, because Docker forwards the output of containers this way (its log driver journald).
func Unit(name string) Want {
	return Want{
		fields: []field{
			{"_SYSTEMD_UNIT", name, func(e Entry) bool { return e.transport != "journal" }},
			{"UNIT", name, func(e Entry) bool { return e.PID == 1 }},
		},
		losses: []field{{"MESSAGE_ID", dropped, func(e Entry) bool { return e.transport == "driver" && strings.HasSuffix(e.Message, " from "+name) }}},
	}
}

// lostIn returns the number in "Missed 12 kernel messages" or "Suppressed 12 messages from …".
func lostIn(message string) uint64 {
	_, rest, _ := strings.Cut(message, " ")
	count, _, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(count, 10, 64)
	if err != nil {
		return 1
	}
	return n
}
