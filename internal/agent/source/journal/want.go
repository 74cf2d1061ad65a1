package journal

import (
	"strconv"
	"strings"
	"time"
)

// Want is a log within the journal.
type Want struct {
	fields []field
	// losses are how journald says that it could not take lines of the log, or would not, as there were too many.
	losses []field
	// After is up to when, since boot, entries are of no interest: they were dealt with by an earlier run, or are old. The wall's
	// clock may be put back at any time.
	After time.Duration
}

// field is what the entries of a log have.
type field struct {
	name, value string
	// own says whether an entry really is of the log, and not what somebody says in its name. Nil if journald vouches for
	// the field: nobody else can write those that begin with an underscore (systemd.journal-fields(7)).
	own func(Entry) bool
}

// The message IDs of losses: SD_MESSAGE_JOURNAL_MISSED, SD_MESSAGE_JOURNAL_DROPPED in src/systemd/sd-messages.h of systemd.
const (
	missed  = "e9bf28e6e834481bb6f48f548ad13606"
	dropped = "a596d6fe7bfa4994828e72309e95d61e"
)

// Kernel is the kernel's own log. Lines that processes wrote into it journald marks with their facility
// (src/journal/journald-kmsg.c in systemd); older ones leave out the kernel's own.
func Kernel() Want {
	return Want{
		fields: []field{{"_TRANSPORT", "kernel", func(e Entry) bool { return e.Facility <= 0 }}},
		losses: []field{{"MESSAGE_ID", missed, func(e Entry) bool { return e.transport == "driver" }}},
	}
}

// Unit is the log of a systemd unit: what its processes write, and what PID 1 says of it. What a process of it hands to journald
// as entries of the process's own making is left out: Docker hands on so what containers write (its log driver journald).
func Unit(name string) Want {
	return Want{
		fields: []field{
			{"_SYSTEMD_UNIT", name, func(e Entry) bool { return e.transport != "journal" }},
			{"UNIT", name, func(e Entry) bool { return e.PID == 1 }},
		},
		losses: []field{{"MESSAGE_ID", dropped, func(e Entry) bool { return e.transport == "driver" && strings.HasSuffix(e.Message, " from "+name) }}},
	}
}

// lostIn is the number in "Missed 12 kernel messages" or "Suppressed 12 messages from …".
func lostIn(message string) uint64 {
	_, rest, _ := strings.Cut(message, " ")
	count, _, _ := strings.Cut(rest, " ")
	n, err := strconv.ParseUint(count, 10, 64)
	if err != nil {
		return 1
	}
	return n
}
