package headroom

import (
	"maps"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// NameOf is what a failure is called.
func NameOf(f Failure) message.Sentence {
	switch f.Kind {
	case TwoNodes:
		return sentence.HeadroomTwoNodes()
	case Zone:
		return sentence.HeadroomZone(f.Zone)
	case Rotation:
		return sentence.HeadroomRotation(f.Group)
	case Step:
		if f.Subject == nil {
			return sentence.HeadroomSteps()
		}
		if f.Step == nil {
			return sentence.HeadroomUnknownStep(change.NamespacedRef(*f.Subject))
		}
		var requests message.List
		for _, name := range slices.Sorted(maps.Keys(f.Step.Requests)) {
			quantity := f.Step.Requests[name]
			requests = append(requests, string(name)+" "+quantity.String())
		}
		return sentence.HeadroomStep(f.Subject.Name, requests, f.Step.AtNodes)
	case Burst:
		return sentence.HeadroomBurst(f.More, change.NamespacedRef(*f.Subject))
	default:
		kind := f.InstanceType + ", " + f.Zone
		return sentence.HeadroomNode(f.Group, strings.Trim(kind, ", "))
	}
}
