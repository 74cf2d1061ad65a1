package why

import (
	"context"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// Options are what the verb is asked.
type Options struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Format output.Format
	Clock  clock.PassiveClock

	args    []string
	subject change.Ref
}

// NewCommand is `naosu why`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:   "why (pod/NAME | pod NAME)",
		Short: "Say why a pod is not running",
		Long: "Say why a pod is not running: the cause a person can act on, the evidence for each step to it,\n" +
			"what was ruled out, what could not be known, and the way out.\n\n" +
			"Exit code 0 whenever there is an answer, 1 if there is none, 2 on bad input.",
		Example:               "  naosu why pod/redis-0 -n redash\n  naosu why pod redis-0 -n redash -o json",
		DisableFlagsInUseLine: true,
		ValidArgsFunction:     o.completePods,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Complete(args)
			if err := o.Validate(); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.Format.AddFlag(cmd)
	return cmd
}

// Complete reads the subject from the arguments.
func (o *Options) Complete(args []string) {
	o.args = args
	o.subject = parseSubject(args)
}

// Validate says what is wrong with the arguments.
func (o *Options) Validate() error {
	remedy := message.Of(message.ErrAskWhy, nil)
	switch {
	case len(o.args) == 0:
		return exit.BadInput("subject", message.Of(message.ErrMissing, nil), remedy)
	case o.subject.Name == "":
		return exit.BadInput("subject", message.Of(message.ErrNoSubject, message.Args{"given": strings.Join(o.args, " ")}), remedy)
	case o.subject.Kind != string(cluster.Pod):
		return exit.BadInput("subject", message.Of(message.ErrNoSubject, message.Args{"given": o.subject.Kind}), remedy)
	default:
		return nil
	}
}

// Run reads the cluster and writes the explanation.
func (o *Options) Run(ctx context.Context) error {
	explanation, err := o.explain(ctx)
	if err != nil {
		return err
	}
	if o.Format != output.Text {
		return o.Format.WriteData(o.Out, explanation)
	}
	return writeText(output.NewPage(o.Out), message.English(), o.Clock.Now(), explanation)
}

// explain reads the cluster that flags and kubeconfig choose.
func (o *Options) explain(ctx context.Context) (finding.Explanation, error) {
	api, err := connect.To(o.Config)
	if err != nil {
		return finding.Explanation{}, err
	}
	subject := o.subject
	subject.Namespace = api.Namespace
	world, err := cluster.ReadPod(ctx, api.Client, cluster.PodScope{
		Pod: types.NamespacedName{Namespace: subject.Namespace, Name: subject.Name}, Clock: o.Clock,
	})
	if apierrors.IsNotFound(err) {
		return finding.Explanation{}, fmt.Errorf("%s does not exist in namespace %s", subject, subject.Namespace)
	}
	if err != nil {
		return finding.Explanation{}, exit.Talking(api.Host, err)
	}
	return diagnosis.Explain(ctx, diagnosis.View{World: world, Say: message.English(), Subject: &subject}), nil
}

// podNames are the words for pods, as kubectl knows them.
var podNames = map[string]bool{"pod": true, "pods": true, "po": true}

// parseSubject reads kind/name, or kind and name. What it cannot read stays empty for Validate to see.
func parseSubject(args []string) change.Ref {
	var kind, name string
	switch len(args) {
	case 1:
		kind, name, _ = strings.Cut(args[0], "/")
	case 2:
		kind, name = args[0], args[1]
	}
	if strings.Contains(name, "/") || strings.Contains(kind, "/") {
		return change.Ref{}
	}
	if podNames[strings.ToLower(kind)] {
		kind = string(cluster.Pod)
	}
	return change.Ref{Kind: kind, Name: name}
}
