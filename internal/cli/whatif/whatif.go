package whatif

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// Options are what the verb is asked.
type Options struct {
	input.Options
	Format output.Format
	FailOn []string
	// Seeds is how often the changes are simulated. Where the provider chooses the zones of new nodes, that is zoneSeeds unless SeedsGiven.
	Seeds      int
	SeedsGiven bool
	// AllNamespaces finds what changes in whichever namespace it is.
	AllNamespaces bool
	// Selector chooses the pods that are told of.
	Selector string

	scope     input.Scope
	flags     changeFlags
	questions []*question
	// made are the namespaces that the manifests read so far create.
	made []string
}

// NewCommand is `naosu whatif`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, Network: input.UsesVPCCNI}}
	o.Groups = o.needsZones
	cmd := &cobra.Command{
		Use: "whatif CHANGE [, CHANGE]...",
		Example: "  naosu whatif lose zone/us-east-1a\n" +
			"  naosu whatif grow daemonset/calico-node -n kube-system --cpu 450m\n" +
			"  naosu whatif rotate group/workers --zones us-east-1a,us-east-1b, lose node/ip-10-0-1-7\n" +
			"  naosu whatif apply -f deploy/ --from cluster.naosu --fail-on waiting,preempted",
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     o.complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.SeedsGiven = cmd.Flags().Changed("seeds")
			o.Complete(args)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddFlags(cmd)
	o.Format.AddFlag(cmd)
	o.flags.add(cmd)
	cmd.Flags().StringSliceVar(&o.FailOn, "fail-on", nil, "")
	cmd.Flags().IntVar(&o.Seeds, "seeds", 1, "")
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "")
	cmd.Flags().StringVarP(&o.Selector, "selector", "l", "", "")
	// The flags were added just above, so registering their completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOn, cobra.ShellCompDirectiveNoFileComp))
	for _, flag := range []string{"group", "zone", "zones"} {
		_ = cmd.RegisterFlagCompletionFunc(flag, o.completeFlag(flag))
	}
	return cmd
}

// Complete reads the changes from the arguments.
func (o *Options) Complete(args []string) {
	o.questions = split(args, &o.flags)
	o.Applied = slices.ContainsFunc(o.questions, func(q *question) bool { return q.verb == "apply" || q.verb == "patch" })
}

const (
	// mostSeeds bounds --seeds.
	mostSeeds = 1000
	// zoneSeeds is how often changes are simulated where the provider chooses the zones of new nodes. Of a group that leaves one of three zones out, that it is
	// never the same one has a chance of 3 in 10,000.
	zoneSeeds = 20
)

// Validate says what is wrong with the line before anything is read.
func (o *Options) Validate() error {
	if len(o.questions) == 0 {
		return exit.BadInput("change", sentence.ErrMissing(), sentence.ErrUseOneOf(message.ListOf(verbNames)))
	}
	for _, q := range o.questions {
		if !slices.Contains(verbNames, q.verb) {
			return exit.BadInput("change", sentence.ErrNotOneOf(strconv.Quote(q.verb)),
				sentence.ErrUseOneOf(message.ListOf(verbNames)))
		}
	}
	for _, on := range o.FailOn {
		if !slices.Contains(failOn, on) {
			return exit.BadInput("--fail-on", sentence.ErrNotOneOf(strconv.Quote(on)),
				sentence.ErrUseOneOf(message.ListOf(failOn)))
		}
	}
	if o.Seeds < 1 || o.Seeds > mostSeeds {
		return exit.BadInput("--seeds", sentence.ErrNoNumber(strconv.Itoa(o.Seeds)),
			sentence.ErrNumberRemedy(1, mostSeeds))
	}
	var err error
	if o.scope.Selector, err = input.ParseSelector(o.Selector); err != nil {
		return err
	}
	_, err = o.changes("default", nil)
	return err
}

// changes reads every change. Without a world, only what needs none is looked at.
func (o *Options) changes(namespace string, world *cluster.Snapshot) ([]change.Change, error) {
	var changes []change.Change
	for _, q := range o.questions {
		var c change.Change
		var err error
		if o.AllNamespaces {
			q.world = world
		}
		if q.verb == "apply" {
			c, err = o.manifests(q, namespace, world)
		} else {
			c, err = verbs[q.verb](q, namespace)
		}
		if err != nil {
			return nil, err
		}
		for name := range q.flags {
			if !slices.Contains(q.used, name) {
				return nil, exit.BadInput("--"+name, sentence.ErrNotOfChange(q.verb),
					sentence.ErrSeeHelp("naosu whatif"))
			}
		}
		if world == nil {
			changes = append(changes, c)
			continue
		}
		if err := unknownZone(world, c); err != nil {
			return nil, err
		}
		if resize, ok := c.(change.ResizeGroup); ok {
			c = sized(resize, world)
		}
		if grow, ok := c.(change.GrowDaemonSet); ok {
			if err := unknownContainer(world, grow); err != nil {
				return nil, err
			}
		}
		changes = append(changes, c)
	}
	return changes, nil
}

// sized tells a change of a group's size whose command makes it.
func sized(c change.ResizeGroup, world *cluster.Snapshot) change.ResizeGroup {
	for _, group := range world.Groups() {
		if group.Name != c.Group {
			continue
		}
		c.Provider, c.Cluster, c.Region = group.Sizer(), group.Cluster(), group.Region()
		zones := map[string]bool{}
		for _, node := range group.Nodes {
			zones[cluster.Zone(node)] = true
		}
		if c.Provider == change.GKE {
			c.PerZone = (c.To + len(zones) - 1) / len(zones)
		}
	}
	return c
}

// Run reads the world, plays the changes and writes what they would do.
func (o *Options) Run(ctx context.Context) error {
	in, err := o.Read(ctx)
	if err != nil {
		return err
	}
	if in.Judge == nil {
		return exit.Failure(sentence.ErrCannotForetell(message.ListOf(in.Unread(cluster.Node, cluster.Pod)), o.From))
	}
	changes, err := o.changes(in.Namespace, in.World)
	if err != nil {
		return err
	}
	if err := networkKnown(in, o.From, changes); err != nil {
		return err
	}
	changes, notes, err := nextSteps(in, changes)
	if err != nil {
		return err
	}
	tried, err := o.dryRun(ctx, in.Say, changes)
	if err != nil {
		return err
	}
	notes = append(notes, incidents(in)...)
	notes = append(notes, losses(in.Say, changes)...)
	progress := output.NewProgress(o.ErrOut)
	progress.Show(in.Say.Say(sentence.ProgressFuture()), 0, 0)
	view := query.Query{World: in.World, Judge: in.Judge}
	if !o.scope.Whole() {
		view.Limits.Scope = o.scope.Asks
	}
	forecast, err := diagnosis.Forecast(ctx, view, changes, simulation.Options{Seeds: o.seeds(in.World, changes)})
	progress.End()
	unknown, patch, refused := outcome.UnknownError{}, outcome.PatchError{}, outcome.RefusedError{}
	switch {
	case ctx.Err() != nil:
		return exit.Failure(sentence.ErrInterrupted())
	case errors.As(err, &unknown):
		return notThere(in.World, unknown.Ref)
	case errors.As(err, &patch):
		return exit.BadInput("--patch", sentence.ErrFlag(patch.Error()), sentence.ErrPatchRemedy())
	case errors.As(err, &refused):
		return refusal(refused.Object, refused)
	case err != nil:
		return err
	}
	forecast.Refused, forecast.NotModelled = tried.refused, append(forecast.NotModelled, tried.gaps...)
	if o.Format.ForPeople() {
		page := o.Format.Page(o.Out)
		page.Aim = o.Aim
		err = writeText(page, in.Say, forecast, notes)
	} else {
		o.AimAll(forecast.EachRemedy)
		err = o.Format.WriteData(o.Out, in.Say, forecast)
	}
	if err != nil {
		return err
	}
	return o.verdict(forecast)
}

// incidents say what goes on already and is continued in the forecast.
func incidents(in input.Input) []string {
	var nodes []string
	for _, node := range in.World.Nodes() {
		if kube.IsNodeUnreachable(node) {
			nodes = append(nodes, "node/"+node.Name)
		}
	}
	if len(nodes) == 0 {
		return nil
	}
	return []string{in.Say.Say(sentence.ForecastIncident(message.ListOf(nodes), len(nodes)))}
}

// losses say what the loss of a node means before, and while, its pods are replaced.
func losses(say message.Printer, changes []change.Change) []string {
	loses := slices.ContainsFunc(changes, func(c change.Change) bool {
		switch c.(type) {
		case change.LoseNode, change.LoseNodes, change.LoseZone, change.LoseGroup:
			return true
		default:
			return false
		}
	})
	if !loses {
		return nil
	}
	return []string{say.Say(sentence.ForecastLoss())}
}

// failOn is what --fail-on takes: fates, budgets, refused objects, instances that cannot be launched, and the severities of new findings.
var failOn = []string{
	string(outcome.Waiting), string(outcome.Delayed), string(outcome.Preempted), string(outcome.Lost), "budget", "refused", "unlaunched",
	string(finding.Info), string(finding.Warning), string(finding.Critical),
}

// verdict is an error if --fail-on says so.
func (o *Options) verdict(f finding.Forecast) error {
	for _, on := range o.FailOn {
		n := f.Outcome.Counts[on]
		switch on {
		case "budget":
			n = len(f.PDBViolations)
		case "refused":
			n = len(f.Refused)
		case "unlaunched":
			n = len(f.Unlaunched)
		case string(finding.Info), string(finding.Warning), string(finding.Critical):
			for _, found := range f.Findings {
				if found.Severity.AtLeast(finding.Severity(on)) {
					n++
				}
			}
		}
		if n > 0 {
			return exit.Verdict(sentence.ErrWhatifFailOn(on, n))
		}
	}
	return nil
}
