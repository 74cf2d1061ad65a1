package cli

import (
	"fmt"
	"io/fs"
	"strings"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/scenarios"
)

func newListCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "list",
		Short: "Show the scenarios, their passes and the points that --until takes",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			names, err := scenarioNames()
			if err != nil {
				return err
			}
			table := tabwriter.NewWriter(cmd.OutOrStdout(), 0, 8, 3, ' ', 0)
			fmt.Fprintln(table, "NAME\tSTORY\tPASSES\tPOINTS\tTITLE")
			for _, name := range names {
				s, err := load(name, 1)
				if err != nil {
					return err
				}
				passes := s.Passes()
				with := make([]string, len(passes))
				for i, p := range passes {
					with[i] = p.With
				}
				fmt.Fprintf(table, "%s\t%d\t%s\t%s\t%s\n", s.Name, s.Story, strings.Join(with, ","), strings.Join(passes[0].Points(), ","), s.Title)
			}
			return table.Flush()
		},
	}
}

// scenarioNames are those that this program carries.
func scenarioNames() ([]string, error) {
	files, err := fs.Glob(scenarios.Files, "*.yaml")
	if err != nil {
		return nil, fmt.Errorf("listing the scenarios: %w", err)
	}
	names := make([]string, len(files))
	for i, file := range files {
		names[i] = strings.TrimSuffix(file, ".yaml")
	}
	return names, nil
}
