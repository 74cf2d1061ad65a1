package kernel

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// maxClockError is the estimated error at which the kernel calls its clock unsynchronized: NTP_PHASE_LIMIT of include/linux/timex.h. Without
// corrections the estimate grows by 500 µs a second, to this in nine hours.
const maxClockError = 16 * time.Second

// clock reads the kernel's estimate of its clock's error.
type clock struct {
	// adjtimex is the system call. With nothing to set it needs no privilege.
	adjtimex func(*unix.Timex) (int, error)
}

func (c clock) find(context.Context) ([]evidence.Evidence, error) {
	var t unix.Timex
	if _, err := c.adjtimex(&t); err != nil {
		return nil, fmt.Errorf("ask for the clock's error: adjtimex: %w", err)
	}
	if time.Duration(t.Maxerror)*time.Microsecond < maxClockError {
		return nil, nil
	}
	raw := fmt.Sprintf("maxerror %d µs, esterror %d µs, status %#x", t.Maxerror, t.Esterror, t.Status)
	return []evidence.Evidence{fault(reason.ClockUnsynchronized, "", "adjtimex", raw)}, nil
}
