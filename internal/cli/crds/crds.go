// Package crds is the verb that prints naosu's custom resource definitions, ready for kubectl apply.
package crds

import (
	"fmt"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/config/crd"
	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// NewCommand is `naosu crds`.
func NewCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:                   "crds",
		Example:               "  naosu crds | kubectl apply --server-side -f -",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			if _, err := streams.Out.Write(crd.YAML()); err != nil {
				return fmt.Errorf("writing the answer: %w", err)
			}
			return nil
		},
	}
}
