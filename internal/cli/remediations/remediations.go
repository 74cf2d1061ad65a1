package remediations

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Options are what the verb is asked.
type Options struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Clock  clock.PassiveClock
	Format output.Format
	// Name is the one that is asked about; empty is all.
	Name string
	// Watch is --watch: after what exists, each change is written, too.
	Watch bool
	Say   message.Printer
}

// Listed is the answer about all.
type Listed struct {
	Remediations []v1alpha1.Remediation `json:"remediations"`
	Policies     []Earned               `json:"policies"`
}

// Earned is how far a policy has come towards acting by itself.
type Earned struct {
	Name string        `json:"name"`
	Mode v1alpha1.Mode `json:"mode"`
	// AsForecast is how many of its Remediations turned out as forecast, ByAction how many of each action. Wanted is how many
	// an action must have before it is taken unasked; zero if nothing has to be earned.
	AsForecast int32                  `json:"asForecast"`
	ByAction   []v1alpha1.ActionCount `json:"asForecastByAction,omitempty"`
	Wanted     int32                  `json:"wanted,omitempty"`
}

// NewCommand is `naosu remediations`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:                   "remediations [NAME]",
		Example:               "  naosu repair remediations\n  naosu repair remediations worker-1-0a1b2c3d4e\n  naosu repair remediations -o json\n  naosu repair remediations -w",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Say = language.Of(cmd)
			if err := o.Complete(args); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	cmd.ValidArgsFunction = own.CompleteRemediations(config, 1, func(*v1alpha1.Remediation) bool { return true })
	o.Format.AddFlag(cmd)
	cmd.Flags().BoolVarP(&o.Watch, "watch", "w", false, "")
	return cmd
}

// Complete finds the name, if one is given, with or without its kind.
func (o *Options) Complete(args []string) error {
	given := strings.Join(args, " ")
	var ok bool
	if o.Name, ok = own.RemediationName(args...); !ok && len(args) > 0 {
		return exit.BadInput("name", sentence.ApproveNoName(strconv.Quote(given)), sentence.ApproveRemedy())
	}
	return nil
}

// Run reads and writes.
func (o *Options) Run(ctx context.Context) error {
	objects, err := connect.ToObjects(o.Config)
	if err != nil {
		return err
	}
	if o.Watch {
		return o.watch(ctx, objects)
	}
	if o.Name != "" {
		return o.one(ctx, objects)
	}
	listed, err := list(ctx, objects)
	switch {
	case meta.IsNoMatchError(err):
		return exit.Failure(sentence.CheckNoCRDs())
	case err != nil:
		return exit.Talking(objects.Host, err)
	case o.Format.ForPeople():
		return writeAll(o.Format.Page(o.Out), o.Say, listed, o.Clock.Now())
	}
	return o.Format.WriteData(o.Out, o.Say, listed)
}

func (o *Options) one(ctx context.Context, objects connect.Objects) error {
	var r v1alpha1.Remediation
	switch err := objects.Get(ctx, client.ObjectKey{Name: o.Name}, &r); {
	case meta.IsNoMatchError(err):
		return exit.Failure(sentence.CheckNoCRDs())
	case apierrors.IsNotFound(err):
		return exit.BadInput("name", sentence.ApproveGone(o.Name), sentence.ApproveRemedy())
	case err != nil:
		return exit.Talking(objects.Host, err)
	case o.Format.ForPeople():
		return writeOne(o.Format.Page(o.Out), o.Say, &r)
	}
	return o.Format.WriteData(o.Out, o.Say, r)
}

// list reads all, the youngest first.
func list(ctx context.Context, reader client.Reader) (Listed, error) {
	var all v1alpha1.RemediationList
	if err := reader.List(ctx, &all); err != nil {
		return Listed{}, err
	}
	var policies v1alpha1.NodeRepairPolicyList
	if err := reader.List(ctx, &policies); err != nil {
		return Listed{}, err
	}
	return listedOf(all.Items, policies.Items), nil
}

func listedOf(remediations []v1alpha1.Remediation, policies []v1alpha1.NodeRepairPolicy) Listed {
	listed := Listed{Remediations: slices.Clone(remediations), Policies: []Earned{}}
	if listed.Remediations == nil {
		listed.Remediations = []v1alpha1.Remediation{}
	}
	slices.SortStableFunc(listed.Remediations, func(a, b v1alpha1.Remediation) int {
		return cmp.Or(b.CreationTimestamp.Compare(a.CreationTimestamp.Time), cmp.Compare(a.Name, b.Name))
	})
	for _, p := range policies {
		earned := Earned{Name: p.Name, Mode: p.Spec.Mode, ByAction: p.Status.AsForecastByAction}
		if p.Status.AsForecast != nil {
			earned.AsForecast = *p.Status.AsForecast
		}
		if p.Spec.EarnAuto != nil {
			earned.Wanted = *p.Spec.EarnAuto
		}
		listed.Policies = append(listed.Policies, earned)
	}
	return listed
}
