package rebalance

import (
	"context"
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
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
)

// PlanOptions are the options of plan.
type PlanOptions struct {
	input.Options
	Format output.Format
	// AllNamespaces is what is planned for anyway, unless --namespace is given.
	AllNamespaces bool
	Selector      string
	// MaxShare is the largest share of a workload on one node or in one zone, in percent.
	MaxShare int
	// MaxUtilizationDeviation is by how many percentage points more of a node may be requested than of all of them.
	MaxUtilizationDeviation int

	scope input.Scope
}

func newPlan(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &PlanOptions{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, Network: input.UsesVPCCNI}}
	cmd := &cobra.Command{
		Use:                   "plan",
		Example:               "  naosu rebalance plan\n  naosu rebalance plan -n shop --max-share 50\n  naosu rebalance plan --from cluster.naosu -o json",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Complete(cmd)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddFlags(cmd)
	o.Format.AddFlag(cmd)
	o.addPlanFlags(cmd)
	return cmd
}

// addPlanFlags adds the flags that say what is planned.
func (o *PlanOptions) addPlanFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "")
	flags.StringVarP(&o.Selector, "selector", "l", "", "")
	flags.IntVar(&o.MaxShare, "max-share", rebalance.DefaultSharePercent, "")
	flags.IntVar(&o.MaxUtilizationDeviation, "max-utilization-deviation", 0, "")
}

// planFlags are those of these flags that were given, as a command repeats them.
func (o *PlanOptions) planFlags() (given []change.Flag) {
	if o.scope.Namespace != "" {
		given = append(given, change.Flag{Name: "namespace", Value: o.scope.Namespace})
	}
	if o.Selector != "" {
		given = append(given, change.Flag{Name: "selector", Value: o.Selector})
	}
	if o.MaxShare != rebalance.DefaultSharePercent {
		given = append(given, change.Flag{Name: "max-share", Value: strconv.Itoa(o.MaxShare)})
	}
	if o.MaxUtilizationDeviation != 0 {
		given = append(given, change.Flag{Name: "max-utilization-deviation", Value: strconv.Itoa(o.MaxUtilizationDeviation)})
	}
	return given
}

// Complete sets the namespace, if one was given.
func (o *PlanOptions) Complete(cmd *cobra.Command) {
	if flag := cmd.Flags().Lookup("namespace"); flag != nil && flag.Changed && !o.AllNamespaces {
		o.scope.Namespace = flag.Value.String()
	}
}

// Validate says what is wrong with the flags.
func (o *PlanOptions) Validate() error {
	if o.MaxShare < 1 || o.MaxShare > 100 {
		return exit.BadInput("--max-share", sentence.ErrNoNumber(strconv.Itoa(o.MaxShare)), sentence.ErrNumberRemedy(1, 100))
	}
	if d := o.MaxUtilizationDeviation; d < 0 || d > 100 {
		return exit.BadInput("--max-utilization-deviation", sentence.ErrNoNumber(strconv.Itoa(d)), sentence.ErrNumberRemedy(0, 100))
	}
	var err error
	o.scope.Selector, err = input.ParseSelector(o.Selector)
	return err
}

// Run reads the cluster, plans and writes the plan. It changes nothing.
func (o *PlanOptions) Run(ctx context.Context) error {
	in, err := o.read(ctx)
	if err != nil {
		return err
	}
	plan, obstacle, err := o.plan(ctx, in, 0)
	switch {
	case err != nil:
		return err
	case !o.Format.ForPeople():
		return o.Format.WriteData(o.Out, in.Say, document{plan, obstacle})
	}
	page := o.Format.Page(o.Out)
	writePlan(page, in.Say, plan)
	writeCommands(page, in.Say, plan, o.Aim)
	writeUnmet(page, in.Say, plan)
	writeObstacle(page, in.Say, obstacle)
	return page.Err()
}

// document is the answer as JSON.
type document struct {
	rebalance.Plan
	// UtilizationObstacle is why utilization was not considered although that was asked for.
	UtilizationObstacle message.Sentence `json:"utilizationObstacle,omitzero"`
}

// utilizationDeviation is the one that was asked for; zero where the utilization of nodes is not to be considered, and why.
func (o *PlanOptions) utilizationDeviation(world *cluster.Snapshot) (int, message.Sentence) {
	if o.MaxUtilizationDeviation == 0 {
		return 0, message.Sentence{}
	}
	if obstacle := rebalance.UtilizationObstacle(world); !obstacle.IsZero() {
		return 0, obstacle
	}
	return o.MaxUtilizationDeviation, message.Sentence{}
}

// read reads the cluster, and fails if what a plan needs is not known.
func (o *PlanOptions) read(ctx context.Context) (input.Input, error) {
	in, err := o.Read(ctx)
	if err != nil {
		return in, err
	}
	if in.Judge == nil {
		return in, exit.Failure(sentence.ErrCannotForetell(message.ListOf(in.Unread(cluster.Node, cluster.Pod)), o.From))
	}
	// Without them, a pod that must not be evicted may look as if it could be.
	if unread := in.Unread(cluster.ReplicaSet, cluster.StatefulSet, cluster.PodDisruptionBudget); len(unread) > 0 {
		return in, exit.Failure(sentence.ErrCannotForetell(message.ListOf(unread), o.From))
	}
	return in, input.InNamespace(in.World, o.scope.Namespace)
}

// plan plans, with up to so many evictions; zero is no limit. obstacle is why utilization is not considered although that was asked for.
func (o *PlanOptions) plan(ctx context.Context, in input.Input, maxEvictions int) (plan rebalance.Plan, obstacle message.Sentence, err error) {
	deviation, obstacle := o.utilizationDeviation(in.World)
	progress := output.NewProgress(o.ErrOut)
	plan, err = rebalance.New(ctx, in.Judge, rebalance.Options{
		MaxShare: rebalance.Share(o.MaxShare), MaxUtilizationDeviation: deviation, MaxEvictions: maxEvictions, Asks: func(ref change.Ref) bool { return o.scope.Asks(in.World, ref) },
		OutOfTime: rebalance.Deadline(o.Clock, rebalance.SearchTime), Progress: func(done, total int) { progress.Show(in.Say.Say(sentence.ProgressPlan(done, total)), done, total) },
	})
	progress.End()
	if ctx.Err() != nil {
		return plan, obstacle, exit.Failure(sentence.ErrInterrupted())
	}
	return plan, obstacle, err
}
