package cli

import (
	"errors"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/lab/remote"
)

func newScaleCommand() *cobra.Command {
	var (
		dir         string
		to, highest int
	)
	cmd := &cobra.Command{
		Use:     "scale group/NAME --to N [--max N]",
		Short:   "Set the desired size of a node group of a running lab",
		Example: "  naosu-lab scale group/workers --to 3",
		Args:    exactly(1, "a node group such as group/workers"),
		RunE: func(cmd *cobra.Command, args []string) error {
			target, err := parseTarget(args[0])
			if err == nil && target.Group == "" {
				err = fmt.Errorf("target: %s is not a node group; give group/NAME", args[0])
			}
			if err == nil && to < 0 {
				err = errors.New("--to: give the new size, 0 or more")
			}
			if err == nil && highest < 0 {
				err = errors.New("--max: give the new maximum, 1 or more")
			}
			if err != nil {
				return badInputError{err}
			}
			client, err := remote.Dial(labDir(dir))
			if err != nil {
				return err
			}
			from, err := client.Scale(cmd.Context(), target.Group, to, highest)
			if err != nil {
				return err
			}
			fmt.Fprintf(cmd.OutOrStdout(), "group/%s scaled from %d to %d\n", target.Group, from, to)
			return nil
		},
	}
	cmd.Flags().IntVar(&to, "to", -1, "the new desired size")
	cmd.Flags().IntVar(&highest, "max", 0, "the new maximum size; it stays as it is without this flag")
	addDirFlag(cmd, &dir)
	return cmd
}
