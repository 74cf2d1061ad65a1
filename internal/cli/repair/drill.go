package repair

import (
	"context"
	"crypto/rand"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/facts"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// DrillOptions are the options of drill.
type DrillOptions struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Clock  clock.WithTicker
	Format output.Format
	// Node is the name of the node to drill.
	Node              string
	Reason, Condition string
	// HopTimeout is how long any one hop of a dry run may take.
	HopTimeout time.Duration

	// Act sets the condition; Expendable names the node once more, as node/NAME.
	Act        bool
	Expendable string
	// Wait is how long the repairer waits before it acts, zero for the time of its rule; Margin is added to it.
	Wait, Margin time.Duration

	Say     message.Printer
	objects connect.Objects
	node    *corev1.Node
}

// Drilled is the result of a drill.
type Drilled struct {
	Node      string              `json:"node"`
	Condition string              `json:"condition,omitempty"`
	Reason    string              `json:"reason"`
	Depth     v1alpha1.DrillDepth `json:"depth"`
	// By is the repairer that was expected to act.
	By     string `json:"by,omitempty"`
	Passed bool   `json:"passed"`
	Hops   []Hop  `json:"hops"`
	// FailedAt is the hop that was not passed, and Message why, as far as that is known.
	FailedAt HopName `json:"failedAt,omitempty"`
	Message  string  `json:"message,omitempty"`
	// Remediation is the name of the drill's Remediation; empty if none could be created.
	Remediation string `json:"remediation,omitempty"`
}

func newDrill(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &DrillOptions{IOStreams: streams, Config: config, Clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:                   "drill node/NAME",
		Example:               "  naosu repair drill node/worker-1\n  naosu repair drill node/worker-1 --reason InterfaceNotRunning -o json\n  naosu repair drill --act --expendable node/worker-9 --reason InterfaceNotUp",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Say = language.Of(cmd)
			if err := o.Complete(args); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.Format.AddFlag(cmd)
	flags := cmd.Flags()
	flags.StringVar(&o.Reason, "reason", string(reason.InterfaceNotUp), "")
	flags.StringVar(&o.Condition, "condition", "", "")
	flags.DurationVar(&o.HopTimeout, "hop-timeout", time.Minute, "")
	flags.BoolVar(&o.Act, "act", false, "")
	flags.StringVar(&o.Expendable, "expendable", "", "")
	flags.DurationVar(&o.Wait, "wait", 0, "")
	flags.DurationVar(&o.Margin, "margin", 10*time.Minute, "")
	cmd.ValidArgsFunction = own.CompleteNodes(config)
	_ = cmd.RegisterFlagCompletionFunc("expendable", func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return own.CompleteNodes(config)(cmd, nil, typed)
	})
	return cmd
}

// Complete sets the node's name, and fails if the arguments are invalid.
func (o *DrillOptions) Complete(args []string) error {
	if o.Act && len(args) == 0 && o.Expendable != "" {
		args = []string{o.Expendable}
	}
	given := strings.Join(args, " ")
	if err := o.allowRaise(given); err != nil {
		return err
	}
	ref, ok := input.ParseResource(args, "Node")
	if !ok || ref.Kind != "Node" || ref.Namespace != "" || !strings.Contains(given, "/") { // A bare name may be a slip.
		return exit.BadInput("node", sentence.DrillNoNodeGiven(strconv.Quote(given)), sentence.DrillNodeRemedy())
	}
	o.Node = ref.Name
	if known, is := reason.Find(o.Reason); is {
		o.Reason = string(known.ID)
		if o.Act && o.Condition == "" {
			o.Condition = string(known.Condition)
		}
	}
	if o.Act && o.Condition == "" {
		return exit.BadInput("--condition", sentence.ErrMissing(), sentence.DrillConditionRemedy(o.Reason))
	}
	return nil
}

// allowRaise fails unless the node is also named as expendable.
func (o *DrillOptions) allowRaise(given string) error {
	wrong := func(flag string, problem message.Sentence) error {
		return exit.BadInput(flag, problem, sentence.DrillExpendableRemedy())
	}
	switch {
	case !o.Act && o.Expendable != "":
		return wrong("--expendable", sentence.DrillExpendableAlone())
	case o.Act && o.Expendable == "":
		return wrong("--act", sentence.DrillActAlone())
	case o.Act && o.Expendable != given:
		return wrong("--expendable", sentence.DrillOtherNode(strconv.Quote(o.Expendable), given))
	}
	return nil
}

// Run drills and prints the result. A hop that failed has its own exit code.
func (o *DrillOptions) Run(ctx context.Context) error {
	var err error
	if o.objects, err = connect.ToObjects(o.Config); err != nil {
		return err
	}
	o.node = &corev1.Node{}
	switch err := o.objects.Get(ctx, client.ObjectKey{Name: o.Node}, o.node); {
	case apierrors.IsNotFound(err):
		return exit.BadInput("node", sentence.DrillNodeGone(o.Node), sentence.DrillNodeRemedy())
	case err != nil:
		return exit.Talking(o.objects.Host, err)
	}
	page := o.page()
	drill := o.dryRun
	if o.Act {
		drill = o.raise
	}
	answer, err := drill(ctx, page)
	if err != nil {
		return err
	}
	if page != nil {
		page.end(answer)
	} else if err := o.Format.WriteData(o.Out, o.Say, answer); err != nil {
		return err
	}
	if !answer.Passed {
		return exit.Verdict(sentence.DrillDidFail(string(answer.FailedAt)))
	}
	return nil
}

// nonce identifies a drill's evidence.
func nonce() string { return strings.ToLower(rand.Text())[:16] }

// remediation is the drill's Remediation as it is created.
func (o *DrillOptions) remediation(depth v1alpha1.DrillDepth) *v1alpha1.Remediation {
	r := &v1alpha1.Remediation{}
	mark := nonce()
	r.Name = "drill-" + mark
	r.Annotations = map[string]string{}
	r.Spec.Node = v1alpha1.NodeReference{Name: o.node.Name, UID: o.node.UID, ProviderID: o.node.Spec.ProviderID}
	r.Spec.Drill = &v1alpha1.Drill{Nonce: mark, Condition: o.Condition, Reason: o.Reason, Depth: depth}
	return r
}

// agentImage records the image of the node's agent, as far as it can be read.
func (o *DrillOptions) agentImage(ctx context.Context, r *v1alpha1.Remediation) {
	var pods corev1.PodList
	err := o.objects.List(ctx, &pods, client.MatchingLabels{kube.NameLabel: string(repaircheck.Naosu)}, client.MatchingFields{"spec.nodeName": o.Node})
	if err == nil && len(pods.Items) > 0 {
		r.Annotations[repaircheck.AgentImageAnnotation] = facts.ImageOf(&pods.Items[0])
	}
}
