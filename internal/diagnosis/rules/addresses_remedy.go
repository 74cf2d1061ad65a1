package rules

import (
	"strconv"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// remedies are ways to more addresses of a subnet, or fewer of it in use. None is simulated.
func (a addressRule) remedies(s *addresses.Subnet) []finding.Remedy {
	all := a.tagRemedy(s)
	var tagged []addresses.Leak
	for _, l := range a.LeaksIn(s.ID) {
		if l.Tagged {
			tagged = append(tagged, l)
		}
	}
	all = append(all, leakRemedy(tagged)...)
	all = append(all, a.warmPoolRemedy(s)...)
	return append(all, finding.Remedy{Message: sentence.RemedyNewSubnet(s.Zone), Cost: sentence.RemedyNewSubnetCost(), Risk: sentence.RemedyNewSubnetRisk()})
}

// tagRemedy has the nodes use the subnet of their zone with the most free addresses.
func (a addressRule) tagRemedy(s *addresses.Subnet) []finding.Remedy {
	other := a.Candidate(s)
	if other == nil || !a.Settings.Discovery {
		return nil
	}
	return []finding.Remedy{{
		Message: sentence.RemedyTagSubnet(status.SubnetRef(other.ID), other.Zone, int(other.Free)), Command: change.TagForPods(other.ID),
		Cost: sentence.RemedyTagSubnetCost(), Risk: sentence.RemedyTagSubnetRisk(),
	}}
}

// leakRemedy deletes the first of some leaked interfaces.
func leakRemedy(leaks []addresses.Leak) []finding.Remedy {
	if len(leaks) == 0 {
		return nil
	}
	first := leaks[0]
	return []finding.Remedy{{
		Message: sentence.RemedyDeleteLeak(first.ID, int(first.Held), len(leaks)-1), Command: change.DeleteInterface(first.ID),
		Cost: sentence.RemedyNoCost(), Risk: sentence.RemedyDeleteLeakRisk(first.Instance),
	}}
}

// warmPoolRemedy has nodes keep a few spare addresses instead of a whole interface of them.
func (a addressRule) warmPoolRemedy(s *addresses.Subnet) []finding.Remedy {
	saving := a.SmallerPool(s)
	if saving.Saved == 0 {
		return nil
	}
	ip, minimum := strconv.Itoa(saving.WarmIP), strconv.Itoa(saving.MinimumIP)
	return []finding.Remedy{{
		Message: sentence.RemedyWarmPool(ip, minimum, int(saving.Saved)), Command: change.SetPluginEnv("WARM_IP_TARGET="+ip, "MINIMUM_IP_TARGET="+minimum),
		Cost: sentence.RemedyWarmPoolCost(), Risk: sentence.RemedyWarmPoolRisk(),
	}}
}

// prefixRemedy lets nodes have 16 addresses for each that their type allows.
func (a addressRule) prefixRemedy() []finding.Remedy {
	if a.Settings.Prefixes {
		return nil
	}
	return []finding.Remedy{{
		Message: sentence.RemedyPrefixes(), Command: change.SetPluginEnv("ENABLE_PREFIX_DELEGATION=true", "WARM_PREFIX_TARGET=1"),
		Cost: sentence.RemedyPrefixesCost(), Risk: sentence.RemedyPrefixesRisk(),
	}}
}
