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

// lookTime is how long a check lets monitors look.
const lookTime = 20 * time.Second

func newCheck(o *options) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "check",
		Short: "Look once at everything on this host, and say what was read and seen",
		Long: `Look once at everything on this host, and say what was read and seen. It changes nothing and needs no cluster.

One look is not all the evidence that a reason needs: naosu-agent reasons tells how much that is.

With --config it says first what is wrong with the configuration and with the files of own reasons (*.patterns.yaml) beside it, and
ends with 2 if anything is. --config also takes such a file alone.`,
		Args: noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			language, err := o.language()
			if err != nil {
				return err
			}
			if format != "" && format != "json" {
				return inputError{fmt.Errorf("--output %q: there is json", format)}
			}
			h, c, err := o.readWhole()
			if err != nil {
				return err
			}
			ctx, cancel := context.WithTimeout(cmd.Context(), lookTime)
			defer cancel()
			reasons := c.Catalogue()
			seen := agent.Check(ctx, c.Monitors(h, ""), reasons)
			if format == "json" {
				return o.json(seen)
			}
			return o.table(seen, reasons, wordsOf(language))
		},
	}
	cmd.Flags().StringVarP(&format, "output", "o", "", "json for programs")
	return cmd
}

func (o *options) json(v any) error {
	encoder := json.NewEncoder(o.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(v)
}

// table has the faults first, then what is not known, then the rest.
func (o *options) table(seen []agent.Seen, reasons []reason.Reason, say words) error {
	looked := map[reason.ID]bool{}
	for _, r := range reasons {
		looked[r.ID] = r.Looked()
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
			add(say.states[state], string(s.Condition), string(s.Reason), s.Entity, often(s, looked[s.Reason])+told(s, say.language))
		}
	}
	rows.print(o.out)
	_, err := fmt.Fprintf(o.out, "\n"+say.summary+"\n", counts[evidence.Fault], counts[evidence.Unreadable], counts[evidence.Well], counts[evidence.Inapplicable])
	return err
}

// often says how often and when a fault was seen, if that is not just once, now: looked is of reasons that looks tell.
func often(s agent.Seen, looked bool) string {
	switch {
	case s.State != evidence.Fault || looked:
		return ""
	case s.Count == 1:
		return s.Last.Local().Format(time.TimeOnly) + " "
	}
	return fmt.Sprintf("%d×, …%s ", s.Count, s.Last.Local().Format(time.TimeOnly))
}

// told is what a look read; where it found nothing to quote, what it reads.
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
