package audit

import (
	"cmp"
	"context"
	"slices"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/facts"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/headroompolicy"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// addRepairs adds what no Snapshot tells: what the guard holds back now, and repairs that somebody set up and that would not
// happen, or that nothing shows would happen. Of what nobody is to repair, and of what nobody counts on, `repair check`
// alone tells. That something could not be read is a gap and no error, for there is an audit without it.
func (o *Options) addRepairs(ctx context.Context, q query.Query, found *finding.Audit) {
	if o.From != "" {
		found.Unknown = append(found.Unknown, finding.Gap{About: v1alpha1.GroupVersion.Group, Message: sentence.CheckSnapshot()})
		return
	}
	read, err := facts.ReadBeside(ctx, &o.Options, q.World)
	if err != nil {
		found.Unknown = append(found.Unknown, finding.Gap{About: v1alpha1.GroupVersion.Group, Message: sentence.ProofOwnUnread(err.Error())})
		return
	}
	rows := slices.DeleteFunc(repaircheck.Check(read.Facts), func(r repaircheck.Row) bool { return r.By == "" || !r.Expected() })
	for _, f := range slices.Concat(repaircheck.Held(read.Facts), repaircheck.Findings(rows)) {
		if q.WithinLimits(f) {
			found.Findings = append(found.Findings, f)
		}
	}
	slices.SortStableFunc(found.Findings, func(a, b finding.Finding) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
	found.Unknown = append(found.Unknown, unknown(read)...)
}

// addHeadroom adds N503 for HeadroomPolicies that do not cover what they state. That there are none to read is nothing to say: the cluster may not know them.
func (o *Options) addHeadroom(ctx context.Context, q query.Query, found *finding.Audit) {
	if o.From != "" {
		return // addRepairs has said that a snapshot does not hold policies.
	}
	var policies v1alpha1.HeadroomPolicyList
	objects, err := connect.ToObjects(o.Config)
	if err == nil {
		err = objects.List(ctx, &policies)
	}
	if err != nil {
		if !own.Absent(err) {
			found.Unknown = append(found.Unknown, finding.Gap{About: v1alpha1.HeadroomPolicyKind, Message: sentence.ProofOwnUnread(err.Error())})
		}
		return
	}
	for _, f := range headroompolicy.Findings(policies.Items) {
		if q.WithinLimits(f) {
			found.Findings = append(found.Findings, f)
		}
	}
	slices.SortStableFunc(found.Findings, func(a, b finding.Finding) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
}

// unknown is what could not be read, each reason once. Who else repairs matters only where something is there to begin
// with: an agent that reports, a policy, or another repairer.
func unknown(read *facts.Facts) []finding.Gap {
	concerned := len(read.Agents) > 0 || len(read.Policies) > 0 || slices.ContainsFunc(read.Repairers, func(r cloud.Repairer) bool { return r.Known() })
	var gaps []finding.Gap
	said := map[string]bool{}
	for _, gap := range read.Unknown() {
		if (concerned || gap.About == v1alpha1.GroupVersion.Group) && !said[gap.Message.Key()] {
			said[gap.Message.Key()] = true
			gaps = append(gaps, gap)
		}
	}
	return gaps
}
