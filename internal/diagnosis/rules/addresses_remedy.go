package rules

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis/status"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// remedies are ways to more addresses of a subnet of which so many are missing, or to fewer of it in use. A smaller warm pool comes last if it does not
// suffice. All but a new subnet are simulated if pods wait.
func (a addressRule) remedies(ctx context.Context, s *addresses.Subnet, missing int64, waiting []change.Ref) []finding.Remedy {
	all := append(a.tagRemedy(ctx, s, waiting), a.eniConfigRemedy(s)...)
	tagged := slices.DeleteFunc(a.LeaksIn(s.ID), func(l addresses.Leak) bool { return !l.Tagged })
	slices.SortStableFunc(tagged, func(x, y addresses.Leak) int { return cmp.Compare(y.Held, x.Held) })
	all = append(all, a.leakRemedy(ctx, tagged, waiting)...)
	larger := []finding.Remedy{{Message: sentence.RemedyNewSubnet(s.Zone), Cost: sentence.RemedyNewSubnetCost(), Risk: sentence.RemedyNewSubnetRisk()}}
	pool := a.SmallerPool(s)
	smaller := a.warmPoolRemedy(ctx, pool, waiting)
	if pool.Saved < missing {
		return slices.Concat(all, larger, smaller)
	}
	return slices.Concat(all, smaller, larger)
}

// tagRemedy has the nodes use the subnet of their zone with the most free addresses. It is verified if all pods that wait start then.
func (a addressRule) tagRemedy(ctx context.Context, s *addresses.Subnet, waiting []change.Ref) []finding.Remedy {
	other := a.Candidate(s)
	if other == nil || !a.Settings.Discovery || a.Settings.Custom {
		return nil
	}
	done := change.TagSubnet{Subnet: other.ID}
	return []finding.Remedy{{
		Message: sentence.RemedyTagSubnet(status.SubnetRef(other.ID), other.Zone, int(other.Free)), Change: done, Command: done.Command(),
		Cost: sentence.RemedyTagSubnetCost(), Risk: sentence.RemedyTagSubnetRisk(), Verified: a.start(ctx, done, waiting),
	}}
}

// eniConfigRemedy has an ENIConfig name the subnet of its zone with the most free addresses. It cannot be simulated.
func (a addressRule) eniConfigRemedy(s *addresses.Subnet) []finding.Remedy {
	at := slices.IndexFunc(a.ENIConfigs, func(e addresses.ENIConfig) bool { return e.Subnet == s.ID })
	other := a.Candidate(s)
	if at < 0 || other == nil {
		return nil
	}
	config := status.ENIConfigRef(a.ENIConfigs[at].Name)
	return []finding.Remedy{{
		Message: sentence.RemedyENIConfig(config, status.SubnetRef(other.ID), other.Zone, int(other.Free)), Command: change.SetENIConfigSubnet(config.Name, other.ID),
		Cost: sentence.RemedyENIConfigCost(), Risk: sentence.RemedyENIConfigRisk(),
	}}
}

// leakRemedy deletes the first of some leaked interfaces, if there is one, one of those whose instance no longer exists. None is offered whose instance exists.
// It is verified if all pods that wait start then.
func (a addressRule) leakRemedy(ctx context.Context, leaks []addresses.Leak, waiting []change.Ref) []finding.Remedy {
	leaks = slices.DeleteFunc(slices.Clone(leaks), func(l addresses.Leak) bool { return l.Reclaim == reclaim.OwnerExists })
	if len(leaks) == 0 {
		return nil
	}
	first := leaks[max(0, slices.IndexFunc(leaks, addresses.Leak.Deletable))]
	risk := sentence.RemedyDeleteLeakRisk(first.Instance)
	if first.Deletable() {
		risk = sentence.RemedyDeleteLeakGone(first.Instance)
	}
	done := change.DeleteInterface{Interface: first.ID}
	return []finding.Remedy{{
		Message: sentence.RemedyDeleteLeak(first.ID, int(first.Held), len(leaks)-1), Change: done, Command: done.Command(),
		Cost: sentence.RemedyNoCost(), Risk: risk, Verified: a.start(ctx, done, waiting),
	}}
}

// warmPoolRemedy has nodes keep a few spare addresses instead of a whole interface of them. It is verified if all pods that wait start then.
func (a addressRule) warmPoolRemedy(ctx context.Context, pool addresses.Pool, waiting []change.Ref) []finding.Remedy {
	if pool.Saved == 0 {
		return nil
	}
	ip, minimum := strconv.Itoa(pool.WarmIP), strconv.Itoa(pool.MinimumIP)
	variables := []string{"WARM_IP_TARGET=" + ip, "MINIMUM_IP_TARGET=" + minimum}
	done := change.PatchPluginEnv(variables...)
	return []finding.Remedy{{
		Message: sentence.RemedyWarmPool(ip, minimum, int(pool.Saved)), Change: done, Command: change.SetPluginEnv(variables...),
		Cost: sentence.RemedyWarmPoolCost(), Risk: sentence.RemedyWarmPoolRisk(), Verified: a.start(ctx, done, waiting),
	}}
}

// start says whether, in a simulation, all of some pods that wait on their nodes for an address start after a change; false if there are none, or if
// addresses are not counted.
func (a addressRule) start(ctx context.Context, done change.Change, waiting []change.Ref) bool {
	if !a.CanSimulate() || !a.Counted() || len(waiting) == 0 {
		return false
	}
	result, err := simulation.Run(ctx, a.Judge, []change.Change{done}, simulation.Options{})
	if err != nil {
		return false
	}
	started := map[change.Ref]bool{}
	for _, fate := range result.Fates {
		started[fate.Pod] = fate.Kind == outcome.Moved
	}
	return !slices.ContainsFunc(waiting, func(pod change.Ref) bool { return !started[pod] })
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
