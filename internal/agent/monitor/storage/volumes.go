package storage

import (
	"context"
	"fmt"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/ebs"
)

// exceeded are the reasons of EBS, in the order of limits' result.
var exceeded = []reason.ID{
	reason.EBSVolumeIOPSExceeded, reason.EBSVolumeThroughputExceeded, reason.EBSInstanceIOPSExceeded, reason.EBSInstanceThroughputExceeded,
}

func limits(e ebs.Exceeded) []time.Duration {
	return []time.Duration{e.VolumeIOPS, e.VolumeThroughput, e.InstanceIOPS, e.InstanceThroughput}
}

// volumes finds EBS volumes that are throttled because they exceed the provisioned performance of the volume or the instance.
type volumes struct {
	host    host.Host
	options EBS
	before  map[string]ebs.Exceeded
}

func (v *volumes) find(ctx context.Context) ([]evidence.Evidence, error) {
	attached, err := ebs.Volumes(v.host)
	if err != nil {
		return nil, err
	}
	if len(attached) == 0 {
		return all(exceeded, evidence.Inapplicable, "no EBS volume"), nil
	}
	now := map[string]ebs.Exceeded{}
	for _, volume := range attached {
		if now[volume.ID], err = ebs.Read(volume); err != nil {
			return all(exceeded, evidence.Unreadable, err.Error()), nil
		}
	}
	before := v.before
	v.before = now
	return v.options.throttled(before, now), ctx.Err()
}

// throttled compares two looks. A volume that was attached or re-attached between them is left out, because its counters begin at zero.
func (o EBS) throttled(before, now map[string]ebs.Exceeded) []evidence.Evidence {
	var found []evidence.Evidence
	for id, figures := range now {
		earlier, known := before[id]
		if !known {
			continue
		}
		was, is := limits(earlier), limits(figures)
		for i, which := range exceeded {
			if more := is[i] - was[i]; more > o.Most {
				found = append(found, evidence.Evidence{
					Reason: which, State: evidence.Fault, Entity: id,
					Raw: fmt.Sprintf("held back for %v since the last look", more.Round(time.Millisecond)),
				})
			}
		}
	}
	return found
}

// all is the same evidence for several reasons.
func all(reasons []reason.ID, state evidence.State, why string) []evidence.Evidence {
	told := make([]evidence.Evidence, len(reasons))
	for i, which := range reasons {
		told[i] = evidence.Evidence{Reason: which, State: state, Raw: why}
	}
	return told
}
