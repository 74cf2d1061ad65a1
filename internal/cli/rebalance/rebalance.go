// Package rebalance is the verb that restores the balance of workloads over nodes and zones.
package rebalance

import (
	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// NewCommand is `naosu rebalance`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	cmd := &cobra.Command{
		Use:                   "rebalance",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE:                  func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	cmd.AddCommand(newPlan(config, streams), newApply(config, streams))
	return cmd
}
