package cli

import (
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/addresses"
	"github.com/naosu-dev/naosu/internal/cli/approve"
	"github.com/naosu-dev/naosu/internal/cli/audit"
	"github.com/naosu-dev/naosu/internal/cli/cleanup"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/controller"
	"github.com/naosu-dev/naosu/internal/cli/crds"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/explain"
	"github.com/naosu-dev/naosu/internal/cli/failover"
	"github.com/naosu-dev/naosu/internal/cli/headroom"
	"github.com/naosu-dev/naosu/internal/cli/help"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/rebalance"
	"github.com/naosu-dev/naosu/internal/cli/remediations"
	"github.com/naosu-dev/naosu/internal/cli/repair"
	"github.com/naosu-dev/naosu/internal/cli/snapshot"
	"github.com/naosu-dev/naosu/internal/cli/version"
	"github.com/naosu-dev/naosu/internal/cli/whatif"
	"github.com/naosu-dev/naosu/internal/cli/why"
)

// NewCommand is naosu's root command. The name it was started by decides what it calls itself: as kubectl-naosu it is
// kubectl's plugin.
func NewCommand(startedAs string, streams genericiooptions.IOStreams) *cobra.Command {
	root := &cobra.Command{
		Use:                   "naosu",
		Version:               version.Number(),
		DisableFlagsInUseLine: true,
		SilenceErrors:         true,
		SilenceUsage:          true,
		Args:                  exit.NoArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	if strings.HasPrefix(filepath.Base(startedAs), "kubectl-") {
		root.Annotations = map[string]string{cobra.CommandDisplayNameAnnotation: "kubectl naosu"}
	}
	root.SetIn(streams.In)
	root.SetOut(streams.Out)
	root.SetErr(streams.ErrOut)
	root.SetFlagErrorFunc(exit.BadFlag)
	language.AddFlag(root)
	flags := connect.Flags()
	flags.AddFlags(root.PersistentFlags())
	root.SetHelpCommand(help.NewCommand())
	repairs := repair.NewCommand(flags, streams)
	repairs.AddCommand(remediations.NewCommand(flags, streams), approve.NewCommand(flags, streams))
	root.AddCommand(why.NewCommand(flags, streams), whatif.NewCommand(flags, streams), audit.NewCommand(flags, streams), addresses.NewCommand(flags, streams), headroom.NewCommand(flags, streams), explain.NewCommand(streams),
		snapshot.NewCommand(flags, streams), repairs, failover.NewCommand(flags, streams), rebalance.NewCommand(flags, streams), asBefore(remediations.NewCommand(flags, streams)), asBefore(approve.NewCommand(flags, streams)), controller.NewCommand(flags, streams), cleanup.NewCommand(flags, streams), crds.NewCommand(streams), version.NewCommand(streams))
	root.InitDefaultHelpCmd()
	root.InitDefaultVersionFlag()
	addCompletion(root)
	help.Speak(root, language.Of(root))
	return root
}

// asBefore is a verb of repair where it stood before it came to stand below repair. It goes on to work there, and help does not list it.
func asBefore(cmd *cobra.Command) *cobra.Command {
	cmd.Hidden = true
	return cmd
}

// addCompletion adds cobra's completion command, with naosu's words for a mistyped shell.
func addCompletion(root *cobra.Command) {
	root.InitDefaultCompletionCmd()
	completion, _, _ := root.Find([]string{"completion"}) // Cobra has just added it.
	completion.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
	for _, cmd := range append(completion.Commands(), completion) {
		cmd.Args, cmd.DisableFlagsInUseLine = exit.NoArgs, true
	}
}
