package input

import (
	"context"
	"errors"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
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
}

// Input is what a verb works on.
type Input struct {
	World *cluster.Snapshot
	Judge *scheduling.Judge
	Say   message.Printer
	// Namespace is the one that flags or the kubeconfig's context choose.
	Namespace string
}

// AddFlags adds --from and --scheduler-config.
func (o *Options) AddFlags(cmd *cobra.Command) {
	cmd.Flags().StringVar(&o.From, "from", "", "read a snapshot, a file or folder of objects, or - for standard input")
	cmd.Flags().StringVar(&o.SchedulerConfig, "scheduler-config", "", "a file with the scheduler's KubeSchedulerConfiguration")
}

// Say is the language that --lang or the locale chooses.
func (o *Options) Say() message.Printer { return message.English() }

// Read reads the world and makes its judge, with progress on standard error.
func (o *Options) Read(ctx context.Context) (Input, error) { return Input{}, errors.New("not built") }
