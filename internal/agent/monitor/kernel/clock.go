package kernel

import (
	"context"
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// lost is the error at which the kernel takes its clock for unsynchronized: NTP_PHASE_LIMIT of include/linux/timex.h. Nobody
// correcting it, the error grows by 500 µs a second, to this in nine hours.
const lost = 16 * time.Second

// clock asks the kernel how wrong its clock may be.
type clock struct {
	// adjtimex is the system call. With nothing to set it needs no privilege.
	adjtimex func(*unix.Timex) (int, error)
}

func (c clock) find(context.Context) ([]evidence.Evidence, error) {
	var t unix.Timex
	if _, err := c.adjtimex(&t); err != nil {
		return nil, fmt.Errorf("ask for the clock's error: adjtimex: %w", err)
	}
	if time.Duration(t.Maxerror)*time.Microsecond < lost {
		return nil, nil
	}
	raw := fmt.Sprintf("maxerror %d µs, esterror %d µs, status %#x", t.Maxerror, t.Esterror, t.Status)
	return []evidence.Evidence{fault(reason.ClockUnsynchronized, "", "adjtimex", raw)}, nil
}
