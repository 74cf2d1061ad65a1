package storage

import (
	"context"
	"errors"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/inflight"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/ata"
)

var smartReasons = []reason.ID{reason.SMARTFailurePredicted}

// smart asks ATA disks whether they predict a failure (SMART RETURN STATUS).
type smart struct {
	host  host.Host
	ask   func(ata.Disk) (bool, error)
	calls inflight.Calls[bool]
}

func newSMART(h host.Host) *smart {
	return &smart{host: h, ask: ata.FailurePredicted}
}

func (s *smart) every() monitor.Periodic {
	return monitor.Periodic{Title: "smart", IDs: smartReasons, Period: healthPeriod, Source: "SMART RETURN STATUS", Find: s.find}
}

func (s *smart) find(ctx context.Context) ([]evidence.Evidence, error) {
	disks, err := ata.Disks(s.host)
	if err != nil {
		return nil, err
	}
	var found []evidence.Evidence
	var readErrs error
	calls := 0
	for _, d := range disks {
		predicted, err := s.calls.Do(ctx, d.Name, healthTimeout, func(context.Context) (bool, error) { return s.ask(d) })
		switch {
		case errors.Is(err, ata.ErrUnsupported):
			continue
		case err != nil:
			readErrs = errors.Join(readErrs, err)
		case predicted:
			found = append(found, evidence.Evidence{
				Reason: reason.SMARTFailurePredicted, State: evidence.Fault, Entity: d.Name, Raw: d.Model + ": a threshold is exceeded",
			})
		}
		calls++
	}
	switch {
	case calls == 0:
		return all(smartReasons, evidence.Inapplicable, "no ATA disk that knows SMART"), ctx.Err()
	case readErrs != nil:
		found = append(found, all(smartReasons, evidence.Unreadable, readErrs.Error())...)
	}
	return found, ctx.Err()
}
