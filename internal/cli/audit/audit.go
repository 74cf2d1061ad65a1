package audit

import (
	"context"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Options are what the verb is asked.
type Options struct {
	input.Options
	Format   output.Format
	FailOn   string
	Accepted string
	// AllNamespaces is what is asked anyway, unless --namespace is given.
	AllNamespaces bool
	Selector      string

	scope    input.Scope
	accepted *acceptance
}

// failOn are the severities that --fail-on takes.
var failOn = []string{string(finding.Warning), string(finding.Critical)}

// NewCommand is `naosu audit`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, Network: input.UsesVPCCNI, Groups: input.NeedsZones}}
	cmd := &cobra.Command{
		Use: "audit",
		Example: "  naosu audit\n  naosu audit -n shop --fail-on critical\n" +
			"  naosu audit --from cluster.naosu --accepted accepted.yaml -o sarif",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Complete(cmd)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddFlags(cmd)
	o.Format.AddFlag(cmd, SARIF)
	flags := cmd.Flags()
	flags.StringVar(&o.FailOn, "fail-on", "", "")
	flags.StringVar(&o.Accepted, "accepted", "", "")
	flags.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "")
	flags.StringVarP(&o.Selector, "selector", "l", "", "")
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOn, cobra.ShellCompDirectiveNoFileComp))
	return cmd
}

// Complete reads which namespace is asked about: only one that was typed, for the kubeconfig's says where to work and
// not what to worry about.
func (o *Options) Complete(cmd *cobra.Command) {
	if flag := cmd.Flags().Lookup("namespace"); flag != nil && flag.Changed && !o.AllNamespaces {
		o.scope.Namespace = flag.Value.String()
	}
}

// Validate says what is wrong with the flags and the file of accepted findings.
func (o *Options) Validate() error {
	if o.FailOn != "" && !slices.Contains(failOn, o.FailOn) {
		return exit.BadInput("--fail-on", sentence.ErrNotOneOf(strconv.Quote(o.FailOn)),
			sentence.ErrUseOneOf(message.ListOf(failOn)))
	}
	var err error
	if o.scope.Selector, err = input.ParseSelector(o.Selector); err != nil {
		return err
	}
	o.accepted, err = readAccepted(o.Accepted, o.Clock.Now())
	return err
}

// Run audits and writes what was found.
func (o *Options) Run(ctx context.Context) error {
	in, err := o.Read(ctx)
	if err != nil {
		return err
	}
	if in.World.Knowledge(cluster.Pod) == cluster.Forbidden {
		return exit.Failure(sentence.ErrForbiddenKind(string(cluster.Pod))) // Silence would look like health.
	}
	if err := input.InNamespace(in.World, o.scope.Namespace); err != nil {
		return err
	}
	view := query.Query{World: in.World, Judge: in.Judge, Limits: o.limits()}
	progress := output.NewProgress(o.ErrOut)
	found := diagnosis.Audit(ctx, view, func(done, total int) {
		progress.Show(in.Say.Say(sentence.ProgressAudit(done, total)), done, total)
	})
	progress.End()
	o.addRepairs(ctx, view, &found)
	o.addHeadroom(ctx, view, &found)
	if ctx.Err() != nil {
		return exit.Failure(sentence.ErrInterrupted())
	}
	found.Accepted = o.accepted.used()
	o.accepted.warn(o.ErrOut, in.Say, o.Clock.Now(), o.scope.Whole())
	if err := o.write(in.Say, found); err != nil {
		return err
	}
	return o.verdict(found)
}

// limits are what flags leave out.
func (o *Options) limits() query.Limits {
	limits := query.Limits{Accepted: o.accepted.accepts}
	if !o.scope.Whole() {
		limits.Scope = o.scope.Asks
	}
	return limits
}

func (o *Options) write(say message.Printer, found finding.Audit) error {
	if o.Format != output.Text && o.Format != output.Wide {
		o.AimAll(found.EachRemedy)
	}
	switch o.Format {
	case output.Text, output.Wide:
		page := o.Format.Page(o.Out)
		page.Aim = o.Aim
		return writeText(page, say, found)
	case SARIF:
		return output.JSON.WriteData(o.Out, say, sarif(say, found))
	default:
		return o.Format.WriteData(o.Out, say, found)
	}
}

// verdict is an error if --fail-on says so.
func (o *Options) verdict(found finding.Audit) error {
	n := 0
	for _, f := range found.Findings {
		if o.FailOn != "" && f.Severity.AtLeast(finding.Severity(o.FailOn)) {
			n++
		}
	}
	if n == 0 {
		return nil
	}
	return exit.Verdict(sentence.ErrFailOn(n, o.FailOn))
}
