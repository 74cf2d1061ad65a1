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
	// healthPatience is longer than the driver's own (nvme.LogPage).
	healthPatience = 10 * time.Second
)

var healthReasons = []reason.ID{reason.NVMeHealthCritical, reason.NVMeMediaErrors, reason.NVMeReadOnly, reason.NVMeWornOut}

// health asks NVMe disks how they are. An EBS volume is none: what is behind it is Amazon's to mend, and its page says nothing.
type health struct {
	host  host.Host
	read  func(nvme.Controller) (nvme.Health, error)
	asked inflight.Calls[nvme.Health]
	// lost is how many media errors each disk had at the last look that read it, by name and serial number.
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
	var unread error
	asked := 0
	for _, c := range controllers {
		if ebs.Is(c) {
			continue
		}
		now, err := h.asked.Do(ctx, c.Name, healthPatience, func(context.Context) (nvme.Health, error) { return h.read(c) })
		var refused nvme.StatusError
		switch {
		case errors.As(err, &refused): // It has no such page.
			continue
		case err != nil:
			unread = errors.Join(unread, err)
		default:
			found = append(found, h.faults(c, now)...)
		}
		asked++
	}
	switch {
	case asked == 0:
		return all(healthReasons, evidence.Inapplicable, "no NVMe disk that knows its health"), ctx.Err()
	case unread != nil:
		found = append(found, all(healthReasons, evidence.Unreadable, unread.Error())...)
	}
	return found, ctx.Err()
}

// faults are what a disk says is wrong with it, and what it lost since the last look.
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

// criticalOf are the warnings that have no reason of their own. Some disks call themselves degraded once they are used up, and for
// nothing else (https://github.com/smartmontools/smartmontools/issues/537).
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
