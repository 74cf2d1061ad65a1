package help

import (
	"strings"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// NewCommand is `naosu help`.
func NewCommand() *cobra.Command {
	return &cobra.Command{
		Use:                   "help [command]",
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     complete,
		RunE: func(cmd *cobra.Command, args []string) error {
			found, rest, err := cmd.Root().Find(args)
			if err != nil || len(rest) > 0 {
				return exit.NoArgs(cmd.Root(), args)
			}
			return found.Help()
		},
	}
}

// complete offers the commands below those that were typed.
func complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	var names []string
	if found, _, err := cmd.Root().Find(args); err == nil {
		for _, below := range found.Commands() {
			if below.IsAvailableCommand() && strings.HasPrefix(below.Name(), typed) {
				names = append(names, cobra.CompletionWithDesc(below.Name(), below.Short))
			}
		}
	}
	return names, cobra.ShellCompDirectiveNoFileComp
}
