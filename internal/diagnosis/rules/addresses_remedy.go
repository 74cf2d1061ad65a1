package rules

import (
	"slices"
	"strconv"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// remedies are ways to more addresses of a subnet of which so many are missing, or to fewer of it in use. None is simulated. A smaller warm pool comes last
// if it does not suffice.
func (a addressRule) remedies(s *addresses.Subnet, missing int64) []finding.Remedy {
	all := a.tagRemedy(s)
	var tagged []addresses.Leak
	for _, l := range a.LeaksIn(s.ID) {
		if l.Tagged {
			tagged = append(tagged, l)
		}
	}
	all = append(all, leakRemedy(tagged)...)
	larger := []finding.Remedy{{Message: sentence.RemedyNewSubnet(s.Zone), Cost: sentence.RemedyNewSubnetCost(), Risk: sentence.RemedyNewSubnetRisk()}}
	pool := a.SmallerPool(s)
	if pool.Saved < missing {
		return slices.Concat(all, larger, a.warmPoolRemedy(pool))
	}
	return slices.Concat(all, a.warmPoolRemedy(pool), larger)
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

// leakRemedy deletes the first of some leaked interfaces, if there is one, one of those whose instance no longer exists. None is offered whose instance exists.
func leakRemedy(leaks []addresses.Leak) []finding.Remedy {
	leaks = slices.DeleteFunc(slices.Clone(leaks), func(l addresses.Leak) bool { return l.Reclaim == reclaim.OwnerExists })
	if len(leaks) == 0 {
		return nil
	}
	first := leaks[max(0, slices.IndexFunc(leaks, addresses.Leak.Deletable))]
	risk := sentence.RemedyDeleteLeakRisk(first.Instance)
	if first.Deletable() {
		risk = sentence.RemedyDeleteLeakGone(first.Instance)
	}
	return []finding.Remedy{{
		Message: sentence.RemedyDeleteLeak(first.ID, int(first.Held), len(leaks)-1), Command: change.DeleteInterface(first.ID),
		Cost: sentence.RemedyNoCost(), Risk: risk,
	}}
}

// warmPoolRemedy has nodes keep a few spare addresses instead of a whole interface of them.
func (a addressRule) warmPoolRemedy(pool addresses.Pool) []finding.Remedy {
	if pool.Saved == 0 {
		return nil
	}
	ip, minimum := strconv.Itoa(pool.WarmIP), strconv.Itoa(pool.MinimumIP)
	return []finding.Remedy{{
		Message: sentence.RemedyWarmPool(ip, minimum, int(pool.Saved)), Command: change.SetPluginEnv("WARM_IP_TARGET="+ip, "MINIMUM_IP_TARGET="+minimum),
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
