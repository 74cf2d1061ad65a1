package repair

import (
	"cmp"
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/facts"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// CheckOptions are what check is asked.
type CheckOptions struct {
	input.Options
	Format output.Format
	FailOn string
}

// Checked is the answer.
type Checked struct {
	Rows     []repaircheck.Row `json:"rows"`
	Findings []finding.Finding `json:"findings"`
	Unknown  []finding.Gap     `json:"unknown"`
}

// failOn are the severities that --fail-on takes.
var failOn = []string{string(finding.Info), string(finding.Warning)}

func newCheck(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &CheckOptions{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}}}
	cmd := &cobra.Command{
		Use:                   "check",
		Example:               "  naosu repair check\n  naosu repair check -o wide\n  naosu repair check --fail-on warning",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddSourceFlags(cmd)
	o.Format.AddFlag(cmd)
	cmd.Flags().StringVar(&o.FailOn, "fail-on", "", "")
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOn, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// Validate says what is wrong with the flags.
func (o *CheckOptions) Validate() error {
	if o.FailOn != "" && !slices.Contains(failOn, o.FailOn) {
		return exit.BadInput("--fail-on", sentence.ErrNotOneOf(strconv.Quote(o.FailOn)),
			sentence.ErrUseOneOf(message.ListOf(failOn)))
	}
	return nil
}

// Run checks and writes what was found.
func (o *CheckOptions) Run(ctx context.Context) error {
	read, err := facts.Read(ctx, &o.Options)
	if err != nil {
		return err
	}
	say := o.Say()
	rows := repaircheck.Check(read.Facts)
	found := append(repaircheck.Held(read.Facts), repaircheck.Findings(rows)...)
	slices.SortStableFunc(found, func(a, b finding.Finding) int { return cmp.Compare(a.Severity.Rank(), b.Severity.Rank()) })
	answer := Checked{Rows: rows, Findings: found, Unknown: read.Unknown()}
	if read.Absent {
		answer.Unknown = append(answer.Unknown, finding.Gap{About: v1alpha1.GroupVersion.Group, Message: sentence.CheckNoCRDs()})
	}
	if o.Format.ForPeople() {
		page := o.Format.Page(o.Out)
		page.Aim = o.Aim
		err = writeCheck(page, say, answer)
	} else {
		for i := range answer.Findings {
			for j := range answer.Findings[i].Remedies {
				r := &answer.Findings[i].Remedies[j]
				r.Command = o.Aim(r.Command)
			}
		}
		err = o.Format.WriteData(o.Out, say, answer)
	}
	if err != nil {
		return err
	}
	return o.verdict(answer.Findings)
}

// verdict is an error if --fail-on says so.
func (o *CheckOptions) verdict(found []finding.Finding) error {
	n := 0
	for _, f := range found {
		if o.FailOn != "" && f.Severity.AtLeast(finding.Severity(o.FailOn)) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exit.Verdict(sentence.ErrFailOn(n, o.FailOn))
}
