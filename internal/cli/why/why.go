package why

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/change"
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
	Format output.Format
	// Unlike is the thing that works, for a comparison.
	Unlike string
	FailOn string
	// AllNamespaces asks about every namespace, or finds the subject in whichever it is.
	AllNamespaces bool
	Selector      string

	args          []string
	subject, good change.Ref
	selector      labels.Selector
}

// failOn are the severities that --fail-on takes.
var failOn = []string{string(finding.Warning), string(finding.Critical)}

// NewCommand is `naosu why`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, SomePods: true}}
	o.Network, o.Groups = o.needsNetwork, o.lacksNodes
	cmd := &cobra.Command{
		Use: "why [KIND/NAME | KIND NAME] [--unlike KIND/NAME]",
		Example: "  naosu why pod/redis-0 -n redash\n  naosu why deploy web -o json\n  naosu why -A\n" +
			"  naosu why node/ip-10-0-1-7 --unlike node/ip-10-0-1-9\n  naosu why --from cluster.naosu -A --fail-on critical",
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     o.completeSubject,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Complete(args)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddFlags(cmd)
	o.Format.AddFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.Unlike, "unlike", "", "")
	flags.StringVar(&o.FailOn, "fail-on", "", "")
	flags.BoolVarP(&o.AllNamespaces, "all-namespaces", "A", false, "")
	flags.StringVarP(&o.Selector, "selector", "l", "", "")
	// The flags were added a line above, so registering their completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("fail-on", cobra.FixedCompletions(failOn, cobra.ShellCompDirectiveNoFileComp))
	_ = cmd.RegisterFlagCompletionFunc("unlike", o.completeUnlike)
	return cmd
}

// Complete reads the subject from the arguments.
func (o *Options) Complete(args []string) {
	o.args = args
	o.subject = parseSubject(args)
	o.good = parseSubject([]string{o.Unlike})
	if !strings.Contains(o.Unlike, "/") {
		o.good = change.Ref{Kind: o.subject.Kind, Name: o.Unlike}
	}
}

// Validate says what is wrong with the arguments.
func (o *Options) Validate() error {
	if err := o.validateSubject(); err != nil {
		return err
	}
	switch {
	case o.FailOn != "" && !slices.Contains(failOn, o.FailOn):
		return exit.BadInput("--fail-on", sentence.ErrNotOneOf(strconv.Quote(o.FailOn)),
			sentence.ErrUseOneOf(message.ListOf(failOn)))
	case o.Selector != "" && len(o.args) > 0:
		return exit.BadInput("--selector", sentence.ErrSelectorOne(strconv.Quote(o.Selector), o.subject.String()), sentence.ErrSelectorOneRemedy())
	case o.Unlike != "" && len(o.args) == 0:
		return exit.BadInput("subject", sentence.ErrMissing(), sentence.ErrAskWhy())
	case o.Unlike != "" && (o.good.Kind != o.subject.Kind || o.good.Name == "" || !slices.Contains(compared, cluster.Kind(o.good.Kind))):
		return exit.BadInput("--unlike", sentence.ErrUnlike(strconv.Quote(o.Unlike), o.subject.String()), sentence.ErrUnlikeRemedy())
	}
	var err error
	o.selector, err = input.ParseSelector(o.Selector)
	return err
}

// compared are the kinds that --unlike compares.
var compared = []cluster.Kind{cluster.Pod, cluster.Node}

func (o *Options) validateSubject() error {
	remedy := sentence.ErrAskWhy()
	switch {
	case len(o.args) == 0:
		return nil
	case o.subject.Name == "":
		return exit.BadInput("subject", sentence.ErrNoSubject(strings.Join(o.args, " ")), remedy)
	case !slices.Contains(explained, o.subject.Kind):
		return exit.BadInput("subject", sentence.ErrNoSubject(cmp.Or(o.subject.Kind, strings.Join(o.args, " "))),
			sentence.ErrUseOneOf(message.ListOf(kindWords())))
	default:
		return nil
	}
}

// Run reads the world and writes the answer.
func (o *Options) Run(ctx context.Context) error {
	in, err := o.Read(ctx)
	if err != nil {
		return err
	}
	var worst finding.Severity
	switch {
	case o.Unlike != "":
		worst, err = o.compare(ctx, in)
	case len(o.args) > 0:
		worst, err = o.explain(ctx, in)
	default:
		worst, err = o.overview(ctx, in)
	}
	switch {
	case ctx.Err() != nil:
		return exit.Failure(sentence.ErrInterrupted())
	case err != nil:
		return err
	case o.FailOn != "" && worst != "" && worst.AtLeast(finding.Severity(o.FailOn)):
		return exit.Verdict(sentence.ErrWhyFailOn(string(worst)))
	default:
		return nil
	}
}

func (o *Options) explain(ctx context.Context, in input.Input) (finding.Severity, error) {
	subject, err := o.find(in, o.subject)
	if err != nil {
		return "", err
	}
	e := diagnosis.Explain(ctx, query.Query{World: in.World, Judge: in.Judge, Subject: &subject})
	if subject.Kind == string(cluster.Node) {
		o.addRepair(ctx, in, subject.Name, &e)
	}
	if !o.Format.ForPeople() {
		o.AimAll(e.EachRemedy)
		return worst(e), o.Format.WriteData(o.Out, in.Say, e)
	}
	return worst(e), writeText(o.page(), in.Say, in.World.Taken(), e)
}

func (o *Options) overview(ctx context.Context, in input.Input) (finding.Severity, error) {
	scope := diagnosis.Scope{Namespace: in.Namespace, Selector: o.selector}
	if o.AllNamespaces {
		scope.Namespace = ""
	}
	if err := input.InNamespace(in.World, scope.Namespace); err != nil {
		return "", err
	}
	if in.World.Knowledge(cluster.Pod) == cluster.Forbidden {
		return "", exit.Failure(sentence.ErrForbiddenKind(string(cluster.Pod)))
	}
	found := diagnosis.Overview(ctx, query.Query{World: in.World, Judge: in.Judge}, scope)
	severity := worst(found.Explanations...)
	if !o.Format.ForPeople() {
		o.AimAll(found.EachRemedy)
		return severity, o.Format.WriteData(o.Out, in.Say, found)
	}
	return severity, writeOverview(ctx, o.page(), in, scope, found)
}

func (o *Options) page() *output.Page {
	page := o.Format.Page(o.Out)
	page.Aim = o.Aim
	return page
}

// worst is the gravest that explanations tell, empty if all is well and nothing threatens it.
func worst(all ...finding.Explanation) finding.Severity {
	var worst finding.Severity
	graver := func(s finding.Severity) {
		if s != "" && (worst == "" || s.AtLeast(worst)) {
			worst = s
		}
	}
	for _, e := range all {
		graver(e.Severity)
		for _, f := range e.Findings {
			graver(f.Severity)
		}
	}
	return worst
}
