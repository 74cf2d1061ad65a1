package why

import (
	"context"
	"slices"

	"github.com/naosu-dev/naosu/internal/cli/facts"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// addRepair adds what no Snapshot tells of a node: what the guard holds back, and, if the node is not healthy, whether anybody
// is to repair it, and when, and what speaks against that.
func (o *Options) addRepair(ctx context.Context, in input.Input, name string, e *finding.Explanation) {
	node := in.World.Node(name)
	var all own.Resources
	var gaps []finding.Gap
	unhealthy := node != nil && (!kube.IsNodeReady(node) || slices.ContainsFunc(e.Findings, func(f finding.Finding) bool { return f.Code == finding.N301 }))
	if !unhealthy || o.From != "" {
		all, gaps = own.Read(ctx, o.Options)
	} else if read, err := facts.ReadBeside(ctx, &o.Options, in.World); err != nil {
		gaps = []finding.Gap{{About: "repair", Message: sentence.ProofOwnUnread(err.Error())}}
	} else {
		all, gaps = own.Resources{Policies: read.Policies, Remediations: read.Remediations}, read.Unknown()
		prospect := repaircheck.Expect(read.Facts, node)
		if prospect.Known {
			answer(e.Findings)
		}
		e.Causes, e.Findings = append(e.Causes, prospect.Awaited...), append(e.Findings, prospect.Findings...)
	}
	e.Findings, e.Unknown = append(e.Findings, all.HeldOn(name, node, in.World.Taken())...), append(e.Unknown, gaps...)
}

// answer takes the question who repairs the node out of findings that could not tell.
func answer(found []finding.Finding) {
	for i := range found {
		found[i].Unknown = slices.DeleteFunc(found[i].Unknown, func(g finding.Gap) bool { return g.About == "repair" })
	}
}
