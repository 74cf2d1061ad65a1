// Package addresses is the verb that shows who holds the addresses of the nodes' subnets, and when they run out.
package addresses

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Options are what the verb is asked.
type Options struct {
	input.Options
	Format output.Format
	// History are earlier snapshots, or folders of them.
	History []string
	FailOn  string
}

// failOn are the severities that --fail-on takes.
var failOn = []string{string(finding.Warning), string(finding.Critical)}

// NewCommand is `naosu addresses`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}}}
	cmd := &cobra.Command{
		Use:                   "addresses",
		Example:               "  naosu addresses\n  naosu addresses -o wide\n  naosu addresses --from cluster.naosu --fail-on warning\n  naosu addresses --history snapshots/",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddSourceFlags(cmd)
	o.Format.AddFlag(cmd)
	cmd.Flags().StringVar(&o.FailOn, "fail-on", "", "")
	cmd.Flags().StringArrayVar(&o.History, "history", nil, "")
	// The flag was added a line above, so registering its completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOn, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// Validate says what is wrong with the flags.
func (o *Options) Validate() error {
	if o.FailOn != "" && !slices.Contains(failOn, o.FailOn) {
		return exit.BadInput("--fail-on", sentence.ErrNotOneOf(strconv.Quote(o.FailOn)), sentence.ErrUseOneOf(message.ListOf(failOn)))
	}
	return nil
}

// Run reads the world and its network and writes the answer.
func (o *Options) Run(ctx context.Context) error {
	world, err := o.ReadWorld(ctx)
	if err != nil {
		return err
	}
	for _, kind := range []cluster.Kind{cluster.Node, cluster.Pod} {
		if world.Knowledge(kind) == cluster.Forbidden {
			return exit.Failure(sentence.ErrForbiddenKind(string(kind)))
		}
	}
	world = o.AddNetwork(ctx, world)
	report := addresses.Compute(world)
	if ctx.Err() != nil {
		return exit.Failure(sentence.ErrInterrupted())
	}
	if ranges := addresses.PodRanges(world); report == nil && len(ranges) > 0 {
		return o.write(world, rangesAnswer(world, ranges))
	}
	if report == nil {
		return exit.BadInput(o.source(), sentence.AddressesNoNetwork(), sentence.AddressesNoRemedy())
	}
	a := answerOf(report)
	a.Findings, a.Unknown = diagnosis.Addresses(ctx, query.Query{World: world})
	a.Unknown = append(a.Unknown, gaps(report)...)
	if len(o.History) > 0 {
		if a.History, err = o.history(ctx, world); err != nil {
			return err
		}
	}
	if err := o.write(world, a); err != nil {
		return err
	}
	return o.verdict(a.Findings)
}

// source is where the network should have come from.
func (o *Options) source() string {
	if o.From != "" {
		return "--from"
	}
	return "AWS"
}

func (o *Options) write(world *cluster.Snapshot, a answer) error {
	if o.Format.ForPeople() {
		page := o.Format.Page(o.Out)
		page.Aim = o.Aim
		return writer{page, o.Say(), world.Taken()}.write(a)
	}
	o.AimAll(func(each func(*finding.Remedy)) {
		for i := range a.Findings {
			for j := range a.Findings[i].Remedies {
				each(&a.Findings[i].Remedies[j])
			}
		}
	})
	return o.Format.WriteData(o.Out, o.Say(), a)
}

// verdict is an error if --fail-on says so.
func (o *Options) verdict(findings []finding.Finding) error {
	n := 0
	for _, f := range findings {
		if o.FailOn != "" && f.Severity.AtLeast(finding.Severity(o.FailOn)) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exit.Verdict(sentence.ErrFailOn(n, o.FailOn))
}
