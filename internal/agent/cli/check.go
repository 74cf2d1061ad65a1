package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/locale"
)

// checkTimeout limits the time of all checks.
const checkTimeout = 20 * time.Second

func newCheck(o *options) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Check this host once and print the results",
		Long: `Check this host once and print what each check read and found. It changes nothing and needs no cluster.

Most reasons need more evidence than a single check before they are reported: see naosu-agent reasons.

With --config, it first validates the configuration and the files of own reasons (*.patterns.yaml) in the same folder; if they contain
errors, it prints all of them and the exit code is 2. --config can also specify a single file of own reasons.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			language, err := o.language()
			if err != nil {
				return err
			}
			if format != "" && format != "json" {
				return inputError{fmt.Errorf("--output %q: must be json", format)}
			}
			h, c, err := o.readWhole()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), checkTimeout)
			defer cancel()
			reasons := c.Catalogue()
			seen := agent.Check(ctx, c.Monitors(h, ""), reasons)
			if format == "json" {
				return o.json(seen)
			}
			return o.table(seen, reasons, wordsOf(language))
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "output format: json")
	return cmd
}

func (o *options) json(v any) error {
	encoder := json.NewEncoder(o.out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// table prints faults first, then unknown results, then the rest.
func (o *options) table(seen []agent.Seen, reasons []reason.Reason, say words) error {
	polled := map[reason.ID]bool{}
	for _, r := range reasons {
		polled[r.ID] = r.Polled()
	}
	rows := table{}
	rows.row(say.heads...)
	counts := map[evidence.State]int{}
	for _, state := range []evidence.State{evidence.Fault, evidence.Unreadable, evidence.Well, evidence.Inapplicable} {
		for _, s := range seen {
			if s.State != state {
				continue
			}
			counts[state]++
			add := rows.row
			if state == evidence.Fault || state == evidence.Unreadable {
				add = rows.wholeRow
			}
			add(say.states[state], string(s.Condition), string(s.Reason), s.Entity, occurrences(s, polled[s.Reason])+told(s, say.language))
		}
	}
	rows.print(o.out)
	_, err := fmt.Fprintf(o.out, "\n"+say.summary+"\n", counts[evidence.Fault], counts[evidence.Unreadable], counts[evidence.Well], counts[evidence.Inapplicable])
	return err
}

// occurrences formats how often, and when last, a fault occurred. It is empty if a check has just found the fault itself (polled).
func occurrences(s agent.Seen, polled bool) string {
	switch {
	case s.State != evidence.Fault || polled:
		return ""
	case s.Count == 1:
		return s.Last.Local().Format(time.TimeOnly) + " "
	}
	return fmt.Sprintf("%d×, …%s ", s.Count, s.Last.Local().Format(time.TimeOnly))
}

// told returns what a check read or, if there is nothing to quote, what it reads in general.
func told(s agent.Seen, language string) string {
	switch {
	case s.Raw == "" && language == locale.Japanese:
		return cmp.Or(s.ReadsJA, s.Reads)
	case s.Raw == "":
		return s.Reads
	case s.Source == "":
		return s.Raw
	}
	return s.Source + ": " + s.Raw
}
