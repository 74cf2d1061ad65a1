package storage

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/ebs"
	"github.com/naosu-dev/naosu/internal/agent/source/nvme"
)

const (
	healthPeriod = 10 * time.Minute
	// healthTimeout is longer than the driver's own (nvme.LogPage).
	healthTimeout = 10 * time.Second
)

var healthReasons = []reason.ID{reason.NVMeHealthCritical, reason.NVMeMediaErrors, reason.NVMeReadOnly, reason.NVMeWornOut}

// health reads the health log of NVMe disks. EBS volumes are left out: the disks behind them are Amazon's, and their log says nothing of them.
type health struct {
	host  host.Host
	read  func(nvme.Controller) (nvme.Health, error)
	calls inflight.Calls[nvme.Health]
	// lost is the count of media errors of each disk at the last look that read it, by name and serial number.
	lost map[string]uint64
}

func newHealth(h host.Host) *health {
	return &health{host: h, read: nvme.ReadHealth, lost: map[string]uint64{}}
}

func (h *health) every() monitor.Periodic {
	return monitor.Periodic{Title: "nvme-health", IDs: healthReasons, Period: healthPeriod, Source: "NVMe's health log page", Find: h.find}
}

func (h *health) find(ctx context.Context) ([]evidence.Evidence, error) {
	controllers, err := nvme.Controllers(h.host)
	if err != nil {
		return nil, err
	}
	var found []evidence.Evidence
	var readErrs error
	calls := 0
	for _, c := range controllers {
		if ebs.Is(c) {
			continue
		}
		now, err := h.calls.Do(ctx, c.Name, healthTimeout, func(context.Context) (nvme.Health, error) { return h.read(c) })
		var refused nvme.StatusError
		switch {
		case errors.As(err, &refused): // It has no such log page.
			continue
		case err != nil:
			readErrs = errors.Join(readErrs, err)
		default:
			found = append(found, h.faults(c, now)...)
		}
		calls++
	}
	switch {
	case calls == 0:
		return all(healthReasons, evidence.Inapplicable, "no NVMe disk that knows its health"), ctx.Err()
	case readErrs != nil:
		found = append(found, all(healthReasons, evidence.Unreadable, readErrs.Error())...)
	}
	return found, ctx.Err()
}

// faults is evidence of the warnings in a disk's health log, and of media errors since the last look.
func (h *health) faults(c nvme.Controller, now nvme.Health) []evidence.Evidence {
	var found []evidence.Evidence
	add := func(id reason.ID, format string, args ...any) {
		found = append(found, evidence.Evidence{Reason: id, State: evidence.Fault, Entity: c.Name, Raw: c.Model + ": " + fmt.Sprintf(format, args...)})
	}
	if rest := criticalOf(now); rest != 0 {
		add(reason.NVMeHealthCritical, "%s (available spare %d %%, threshold %d %%)", rest, now.Spare, now.Threshold)
	}
	if now.Critical&nvme.ReadOnly != 0 {
		add(reason.NVMeReadOnly, "%s", nvme.ReadOnly)
	}
	if now.Used >= 100 {
		add(reason.NVMeWornOut, "%d %% of its endurance used", now.Used)
	}
	key := c.Name + " " + c.Serial
	if before, known := h.lost[key]; known && now.MediaErrors > before {
		add(reason.NVMeMediaErrors, "%d more media and data integrity errors, %d in all", now.MediaErrors-before, now.MediaErrors)
	}
	h.lost[key] = now.MediaErrors
	return found
}

// criticalOf are the warnings that have no reason of their own. Some disks report that they are degraded once they are worn out, for that alone
// (https://github.com/smartmontools/smartmontools/issues/537).
func criticalOf(now nvme.Health) nvme.Warning {
	rest := now.Critical &^ nvme.ReadOnly
	if now.Used >= 100 {
		rest &^= nvme.Unreliable
	}
	if now.Spare < now.Threshold {
		rest |= nvme.SpareLow
	}
	return rest
}
