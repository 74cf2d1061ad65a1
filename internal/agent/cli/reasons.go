package cli

import (
	"fmt"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/reason/duration"
)

func newReasons(o *options) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "reasons",
		Short: "List the reasons that the agent can report, as configured",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			language, err := o.language()
			if err != nil {
				return err
			}
			if format != "" && format != "json" {
				return inputError{fmt.Errorf("--output %q: must be json", format)}
			}
			_, c, err := o.readWhole()
			if err != nil {
				return err
			}
			if format == "json" {
				out := []reasonOutput{}
				for _, r := range c.Catalogue() {
					out = append(out, outputOf(r, language))
				}
				return o.json(out)
			}
			return o.reasons(c.Catalogue(), language)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "output format: json")
	return cmd
}

func (o *options) reasons(list []reason.Reason, language string) error {
	say := wordsOf(language)
	rows := table{}
	rows.row(say.reasonsHeads...)
	for _, r := range list {
		needs := say.oneCheck
		switch {
		case !r.Polled():
			needs = fmt.Sprintf(say.occurrences, r.Needs.Count, duration.In(say.language, r.Needs.Within))
		case r.Needs.For > 0:
			needs = fmt.Sprintf(say.everyCheck, duration.In(say.language, r.Needs.For))
		}
		means := r.Means.In(say.language)
		if r.Own != "" {
			means = fmt.Sprintf(say.own, r.Own, means)
		}
		rows.wholeRow(string(r.Condition), string(r.ID), string(r.Severity), needs, means)
	}
	rows.print(o.out)
	return nil
}
