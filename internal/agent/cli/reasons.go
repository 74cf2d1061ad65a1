package cli

import (
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func newReasons(o *options) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "reasons",
		Short: "List what the agent can report, as configured, own reasons last",
		Args:  noArgs,
		RunE: func(*cobra.Command, []string) error {
			japanese, err := o.japanese()
			if err != nil {
				return err
			}
			if format != "" && format != "json" {
				return inputError{fmt.Errorf("--output %q: there is json", format)}
			}
			_, c, err := o.readWhole()
			if err != nil {
				return err
			}
			if format == "json" {
				return o.json(c.Catalogue())
			}
			return o.reasons(c.Catalogue(), japanese)
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "json for programs")
	return cmd
}

func (o *options) reasons(list []reason.Reason, japanese bool) error {
	say := wordsOf(japanese)
	rows := table{}
	rows.row(say.reasonsHeads...)
	for _, r := range list {
		needs := say.look
		switch {
		case !r.Looked():
			needs = fmt.Sprintf(say.occurrences, r.Needs.Count, short(r.Needs.Within))
		case r.Needs.For > 0:
			needs = fmt.Sprintf(say.looks, short(r.Needs.For))
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

// short is a duration without what is zero: 24h, not 24h0m0s.
func short(d time.Duration) string {
	s := d.String()
	for _, zero := range []string{"m0s", "h0m"} {
		if strings.HasSuffix(s, zero) {
			s = s[:len(s)-len(zero)+1]
		}
	}
	return s
}
