package snapshot

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"

	"github.com/spf13/cobra"
	"golang.org/x/term"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// Options are what the verb is asked.
type Options struct {
	input.Options
	// Output is the file to write, or "-" for standard output.
	Output string
	// Force replaces a file that is there.
	Force bool
	// AllNamespaces is what is written anyway: part of a cluster would be another world.
	AllNamespaces bool
	// Anonymize replaces names.
	Anonymize bool
}

// NewCommand is `naosu snapshot`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, Applied: true}}
	cmd := &cobra.Command{
		Use: "snapshot -o FILE",
		Example: "  naosu snapshot -o prod.naosu\n  naosu why pod/redis-0 -n redash --from prod.naosu\n" +
			"  kubectl get nodes,pods -A -o yaml | naosu snapshot --from - -o prod.naosu\n" +
			"  naosu snapshot --from prod.naosu --anonymize -o shared.naosu",
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
	cmd.Flags().StringVarP(&o.Output, "output", "o", "", "")
	cmd.Flags().BoolVar(&o.Force, "force", false, "")
	cmd.Flags().BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "")
	cmd.Flags().BoolVar(&o.Anonymize, "anonymize", false, "")
	return cmd
}

// Validate says what is wrong with the flags, before anything is read.
func (o *Options) Validate() error {
	switch {
	case o.Output == "":
		return exit.BadInput("--output", sentence.ErrOutMissing(), sentence.ErrOutMissingRemedy())
	case output.Known(o.Output):
		return exit.BadInput("--output", sentence.ErrOutFormat(o.Output), sentence.ErrOutFormatRemedy())
	case o.Output == "-" && isTerminal(o.Out):
		return exit.BadInput("--output", sentence.ErrOutTerminal(), sentence.ErrOutMissingRemedy())
	case o.Output == "-" || o.Force:
		return nil
	}
	if _, err := os.Lstat(o.Output); !errors.Is(err, fs.ErrNotExist) {
		return exit.BadInput("--output", sentence.ErrOutExists(o.Output), sentence.ErrOutExistsRemedy())
	}
	return nil
}

func isTerminal(w io.Writer) bool {
	file, ok := w.(*os.File)
	return ok && term.IsTerminal(int(file.Fd()))
}

// Run reads the cluster and writes the file.
func (o *Options) Run(ctx context.Context) error {
	world, err := o.ReadWorld(ctx)
	if err != nil {
		return err
	}
	if world.Knowledge(cluster.Pod) == cluster.Forbidden && world.Knowledge(cluster.Node) == cluster.Forbidden {
		return exit.Failure(sentence.ErrForbiddenKind(string(cluster.Pod))) // Of nothing no file is of use.
	}
	world = o.AddNetwork(ctx, world)
	if o.Anonymize {
		if world, err = world.Anonymize(); err != nil {
			return err
		}
	}
	if o.Output == "-" {
		err = world.Write(o.Out)
	} else {
		err = write(o.Output, world)
	}
	keyed := false
	if err == nil && o.Output != "-" {
		keyed, err = writeKey(o.Output, world)
	}
	if err != nil {
		return exit.Failure(sentence.ErrOutWrite(o.Output, err.Error()))
	}
	o.tell(world)
	if keyed {
		terminal.WriteLine(o.ErrOut, o.Say().Say(sentence.SnapshotKey(input.KeyFile(o.Output))))
	}
	return nil
}

// tell says what was written on standard error, as standard output may be the file.
func (o *Options) tell(world *cluster.Snapshot) {
	say := o.Say()
	terminal.WriteLine(o.ErrOut, say.Say(sentence.SnapshotWritten(o.Output, len(world.Nodes()), len(world.Pods()))))
	if world.Anonymized() {
		terminal.WriteLine(o.ErrOut, say.Say(sentence.SnapshotAnonymous()))
	}
	var unread []string
	for _, kind := range cluster.Kinds() {
		if !world.Knowledge(kind).Known() {
			unread = append(unread, string(kind))
		}
	}
	for _, part := range cloud.NetworkParts {
		if why, failed := world.Network().Unread[part]; failed && why.Permission != "" {
			unread = append(unread, string(part)+" ("+why.Permission+")")
		}
	}
	if len(unread) > 0 {
		terminal.WriteLine(o.ErrOut, say.Say(sentence.SnapshotUnread(message.ListOf(unread))))
	}
}
