package input

import (
	"context"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Options are the flags that the reading verbs share.
type Options struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Clock  clock.PassiveClock
	// From is a snapshot, a file or folder of objects as kubectl writes them, or "-"; empty is the cluster.
	From string
	// SchedulerConfig is a file with a KubeSchedulerConfiguration.
	SchedulerConfig string
	// Plain judges without the fast path, to tell whether a wrong answer is the fast path's.
	Plain bool
	// SomePods lets the judge speak where only some of the cluster's pods may be read.
	SomePods bool
	// Network says whether the network of the cloud is read, too, for an Input that has no Judge yet; nil is never.
	Network func(Input) bool
	// Groups says whether of that at least what concerns node groups is read; nil is never.
	Groups func(Input) bool
	// Applied reads what manifests are merged by, too.
	Applied bool

	command *cobra.Command
}

// Input is what a verb works on.
type Input struct {
	World *cluster.Snapshot
	// Judge is nil if not every node and every pod of the World is known: whatever it said would be a guess. With SomePods
	// it is there, and what it says of room is the most there can be.
	Judge *scheduling.Judge
	Say   message.Printer
	// Namespace is the one that flags or the kubeconfig's context choose.
	Namespace string
}

// AddFlags adds --from, --scheduler-config and --plain, which is hidden.
func (o *Options) AddFlags(cmd *cobra.Command) {
	o.AddSourceFlags(cmd)
	cmd.Flags().StringVar(&o.SchedulerConfig, "scheduler-config", "", "")
	cmd.Flags().BoolVar(&o.Plain, "plain", false, "")
	cmd.Flags().Lookup("plain").Hidden = true
}

// AddSourceFlags adds --from only, for a verb that judges nothing.
func (o *Options) AddSourceFlags(cmd *cobra.Command) {
	o.command = cmd
	cmd.Flags().StringVar(&o.From, "from", "", "")
}

// Say is the language that --lang or the locale chooses.
func (o *Options) Say() message.Printer {
	if o.command == nil {
		return message.English()
	}
	return language.Of(o.command)
}

// Read reads the world and makes its judge, with progress on standard error.
func (o *Options) Read(ctx context.Context) (Input, error) {
	in := Input{Say: o.Say()}
	progress := output.NewProgress(o.ErrOut)
	defer progress.End()
	var err error
	if in.World, in.Namespace, err = o.readWorld(ctx, progress); err != nil {
		return Input{}, err
	}
	switch {
	case o.Network != nil && o.Network(in):
		in.World = o.AddNetwork(ctx, in.World)
	case o.Groups != nil && o.Groups(in):
		in.World = o.addGroups(ctx, in.World)
	}
	progress.Show(in.Say.Say(sentence.ProgressJudge()), 0, 0)
	if in.Judge, err = o.judge(ctx, in.World); err != nil {
		return Input{}, err
	}
	return in, nil
}

// ReadWorld reads the world only.
func (o *Options) ReadWorld(ctx context.Context) (*cluster.Snapshot, error) {
	progress := output.NewProgress(o.ErrOut)
	defer progress.End()
	world, _, err := o.readWorld(ctx, progress)
	return world, err
}

func (o *Options) judge(ctx context.Context, world *cluster.Snapshot) (*scheduling.Judge, error) {
	options := scheduling.Options{Plain: o.Plain}
	if o.SchedulerConfig != "" {
		var err error
		if options.Config, err = os.ReadFile(o.SchedulerConfig); err != nil {
			return nil, exit.Unread("--scheduler-config", o.SchedulerConfig, err, sentence.ErrSchedulerConfigRemedy())
		}
	}
	if world.Knowledge(cluster.Node) != cluster.Complete || world.Knowledge(cluster.Pod) != cluster.Complete && !o.SomePods {
		return nil, nil
	}
	judge, err := scheduling.New(ctx, world, options)
	if err != nil {
		return nil, exit.Unread("--scheduler-config", o.SchedulerConfig, err, sentence.ErrSchedulerConfigRemedy())
	}
	return judge, nil
}
