// Package headroom is the verb that shows what failures would cost today, and the room that survives them.
package headroom

import (
	"context"
	"os"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/headroom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Options are what the verb is asked.
type Options struct {
	input.Options
	Format   output.Format
	FailOn   []string
	Failures []string
	Bursts   []string
	// Sized computes the rooms that survive the failures, too.
	Sized bool
	// NodePrices is a file with the prices of nodes.
	NodePrices string
	prices     headroom.Prices
}

// failOn is what --fail-on takes.
var failOn = []string{string(outcome.Waiting), string(outcome.Preempted), string(outcome.Lost)}

// failures are what --failures takes, and usual those that are simulated without it.
var (
	failures = []string{string(headroom.Node), string(headroom.TwoNodes), string(headroom.Zone), string(headroom.Rotation), string(headroom.Step)}
	usual    = []string{string(headroom.Node), string(headroom.Zone), string(headroom.Rotation), string(headroom.Step)}
)

// NewCommand is `naosu headroom`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, Network: input.UsesVPCCNI}}
	cmd := &cobra.Command{
		Use: "headroom",
		Example: "  naosu headroom\n  naosu headroom --failures node,two-nodes -o wide\n" +
			"  naosu headroom --from cluster.naosu --burst shop/deployment/web=+10 --fail-on waiting,preempted",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddFlags(cmd)
	o.Format.AddFlag(cmd)
	flags := cmd.Flags()
	flags.StringSliceVar(&o.FailOn, "fail-on", nil, "")
	flags.StringSliceVar(&o.Failures, "failures", usual, "")
	flags.StringArrayVar(&o.Bursts, "burst", nil, "")
	flags.BoolVar(&o.Sized, "room", true, "")
	flags.StringVar(&o.NodePrices, "node-prices", "", "")
	// The flags were added just above, so registering their completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOn, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("failures", cobra.FixedCompletions(failures, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("burst", cobra.FixedCompletions(burstKinds(), cobra.ShellCompDirectiveNoFileComp|cobra.ShellCompDirectiveNoSpace))
	return cmd
}

// Validate says what is wrong with the flags, before anything is read.
func (o *Options) Validate() error {
	for _, flag := range []struct {
		name           string
		given, allowed []string
	}{{"--fail-on", o.FailOn, failOn}, {"--failures", o.Failures, failures}} {
		for _, word := range flag.given {
			if !slices.Contains(flag.allowed, word) {
				return exit.BadInput(flag.name, sentence.ErrNotOneOf(strconv.Quote(word)), sentence.ErrUseOneOf(message.ListOf(flag.allowed)))
			}
		}
	}
	if len(o.Failures)+len(o.Bursts) == 0 {
		return exit.BadInput("--failures", sentence.ErrMissing(), sentence.ErrUseOneOf(message.ListOf(failures)))
	}
	for _, text := range o.Bursts {
		if _, err := parseBurst(text); err != nil {
			return err
		}
	}
	var err error
	o.prices, err = input.NodePrices(o.NodePrices)
	return err
}

const (
	// mostBurst bounds how many replicas a burst adds.
	mostBurst = 10_000
	burstFlag = "--burst"
)

// scalable are the kinds of workloads that a burst may be of.
var scalable = []string{string(cluster.Deployment), string(cluster.StatefulSet), string(cluster.ReplicaSet)}

func burstKinds() []string {
	words := make([]string, len(scalable))
	for i, kind := range scalable {
		words[i] = strings.ToLower(kind) + "/"
	}
	return words
}

// parseBurst reads [NAMESPACE/]KIND/NAME=+N.
func parseBurst(text string) (headroom.BurstOf, error) {
	bad := func(problem message.Sentence) (headroom.BurstOf, error) {
		return headroom.BurstOf{}, exit.BadInput(burstFlag, problem, sentence.HeadroomBurstRemedy(mostBurst))
	}
	name, number, _ := strings.Cut(text, "=")
	ref, ok := input.ParseResource([]string{name}, scalable...)
	switch {
	case !ok:
		return bad(sentence.ErrNoName(name))
	case !slices.Contains(scalable, ref.Kind):
		return bad(sentence.ErrNotOneOf(strconv.Quote(ref.Kind)))
	}
	more, err := strconv.Atoi(strings.TrimPrefix(number, "+"))
	if err != nil || more < 1 || more > mostBurst {
		return bad(sentence.ErrNoNumber(strconv.Quote(number)))
	}
	return headroom.BurstOf{Workload: ref, More: more}, nil
}

const (
	// fewNodes is up to how many nodes memory is given for time, and gcPercent how much the heap then grows between two garbage collections: at 500
	// nodes, a quarter less CPU for a third more memory.
	fewNodes  = 1000
	gcPercent = 400
)

// collectLess has the garbage collector run less often in a cluster of few nodes, unless the environment says how often.
func collectLess(nodes int) {
	if nodes <= fewNodes && os.Getenv("GOGC") == "" {
		debug.SetGCPercent(gcPercent)
	}
}

// Run reads the cluster, simulates the failures and writes the answer.
func (o *Options) Run(ctx context.Context) error {
	in, err := o.Read(ctx)
	if err != nil {
		return err
	}
	if in.Judge == nil {
		return exit.Failure(sentence.ErrCannotForetell(message.ListOf(in.Unread(cluster.Node, cluster.Pod)), o.From))
	}
	asked, err := o.asked(in)
	if err != nil {
		return err
	}
	progress := output.NewProgress(o.ErrOut)
	asked.Progress = func(done, total int) {
		progress.Show(in.Say.Say(sentence.ProgressHeadroom(done, total)), done, total)
	}
	collectLess(len(in.World.Nodes()))
	report, err := headroom.Compute(ctx, in.Judge, asked)
	progress.End()
	switch {
	case ctx.Err() != nil:
		return exit.Failure(sentence.ErrInterrupted())
	case err != nil:
		return err
	}
	a := answerOf(report)
	var gaps []finding.Gap
	a.Policies, gaps = o.readPolicies(ctx)
	a.Unknown = append(a.Unknown, gaps...)
	if o.Format.ForPeople() {
		err = writer{o.Format.Page(o.Out), in.Say, o.prices != nil}.write(a)
	} else {
		err = o.Format.WriteData(o.Out, in.Say, a)
	}
	if err != nil {
		return err
	}
	return o.verdict(a)
}

// asked are the failures that flags name.
func (o *Options) asked(in input.Input) (headroom.Options, error) {
	asked := headroom.Options{Sized: o.Sized, Patient: true, Prices: o.prices}
	for _, word := range o.Failures {
		asked.Kinds = append(asked.Kinds, headroom.Kind(word))
	}
	for _, text := range o.Bursts {
		b, err := parseBurst(text)
		if err != nil {
			return asked, err
		}
		if b.Workload.Namespace == "" {
			b.Workload.Namespace = in.Namespace
		}
		if err := exists(in.World, b.Workload); err != nil {
			return asked, err
		}
		asked.Kinds, asked.Bursts = append(asked.Kinds, headroom.Burst), append(asked.Bursts, b)
	}
	return asked, nil
}

// exists is bad input if there is no such workload, with where one of its name is.
func exists(world *cluster.Snapshot, ref change.Ref) error {
	if world.Object(cluster.Kind(ref.Kind), ref.Namespace, ref.Name) != nil {
		return nil
	}
	var near []string
	for _, namespace := range input.Namesakes(world, ref) {
		near = append(near, namespace+"/"+ref.String())
	}
	remedy := sentence.HeadroomBurstRemedy(mostBurst)
	if len(near) > 0 {
		remedy = sentence.ErrNear(message.ListOf(near))
	}
	return exit.BadInput(burstFlag+" "+ref.String(), sentence.ErrThing(ref.Namespace), remedy)
}

// verdict is an error if --fail-on says so, or if it cannot be said because the cost of failures is not known.
func (o *Options) verdict(a answer) error {
	for _, on := range o.FailOn {
		n := 0
		for _, f := range a.Failures {
			if f.Worst.Count(on) > 0 {
				n++
			}
		}
		if n > 0 {
			return exit.Verdict(sentence.ErrHeadroomFailOn(on, n))
		}
	}
	if n := a.undecided(); n > 0 && len(o.FailOn) > 0 {
		return exit.Failure(sentence.ErrHeadroomUnknown(n))
	}
	return nil
}
