package rebalance

import (
	"context"
	"slices"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/rebalancepolicy"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// ApplyOptions are the options of apply.
type ApplyOptions struct {
	PlanOptions
	// Yes requests the evictions; without it, they are shown.
	Yes bool

	objects connect.Objects
}

func newApply(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &ApplyOptions{PlanOptions: PlanOptions{Options: input.Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}, Network: input.UsesVPCCNI}}}
	cmd := &cobra.Command{
		Use:                   "apply",
		Example:               "  naosu rebalance apply\n  naosu rebalance apply --yes\n  naosu rebalance apply -n shop --max-share 50 --yes",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Complete(cmd)
			if err := o.Validate(); err != nil {
				return err
			}
			var err error
			if o.objects, err = connect.ToObjects(o.Config); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	o.AddSourceFlags(cmd)
	cmd.Flags().Lookup("from").Hidden = true // It is refused with a reason.
	o.addPlanFlags(cmd)
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "")
	return cmd
}

// Validate says what is wrong with the flags.
func (o *ApplyOptions) Validate() error {
	if o.From != "" {
		return exit.BadInput("--from", sentence.ApplyFrom(), sentence.ApplyFromRemedy())
	}
	return o.PlanOptions.Validate()
}

// Run reads the cluster, plans, writes the plan, and requests its evictions if the user has confirmed that.
func (o *ApplyOptions) Run(ctx context.Context) error {
	in, err := o.read(ctx)
	if err != nil {
		return err
	}
	plan, obstacle, err := o.plan(ctx, in, 0)
	if err != nil {
		return err
	}
	all := evictionsOf(plan)
	if all > v1alpha1.MaxPolicyEvictions {
		if plan, _, err = o.plan(ctx, in, v1alpha1.MaxPolicyEvictions); err != nil {
			return err
		}
	}
	request := v1alpha1.Request{MaxSharePercent: int32(o.MaxShare)}
	if obstacle.IsZero() {
		request.MaxUtilizationDeviationPercent = int32(o.MaxUtilizationDeviation)
	}
	requested, plan, err := rebalancepolicy.Settle(ctx, request, in.Judge, plan, o.Clock.Now())
	if err != nil {
		return err
	}
	if err := o.write(in.Say, plan, obstacle, all); err != nil {
		return err
	}
	switch {
	case plan.Result == rebalance.Balanced:
		return nil
	case len(plan.Waves) == 0:
		return exit.Verdict(sentence.ApplyNoPlan())
	}
	return o.request(ctx, in.Say, requested)
}

// write writes the plan, and how many of all evictions it is.
func (o *ApplyOptions) write(say message.Printer, plan rebalance.Plan, obstacle message.Sentence, all int) error {
	page := o.Format.Page(o.Out)
	writePlan(page, say, plan)
	if n := evictionsOf(plan); all > v1alpha1.MaxPolicyEvictions {
		page.Blank()
		page.Paragraph("", say.Say(sentence.ApplyFirst(n, all)), output.Plain)
		plan.Unmet = slices.DeleteFunc(slices.Clone(plan.Unmet), func(u rebalance.Unmet) bool { return u.Reason == rebalance.LimitReached })
	}
	writeUnmet(page, say, plan)
	writeObstacle(page, say, obstacle)
	page.Blank()
	return page.Err()
}

// request creates a Remediation and approves it, if a controller leads, no other Remediation is about the same workloads, and the user has confirmed.
func (o *ApplyOptions) request(ctx context.Context, say message.Printer, r *v1alpha1.Remediation) error {
	other, err := o.other(ctx, r)
	switch {
	case err != nil:
		return err
	case other != nil:
		return o.say(say, sentence.ApplyOther("remediation/"+other.Name, string(phaseOf(other)), o.Aim(waitsFor(other))))
	}
	if err := o.needController(ctx, say); err != nil {
		return err
	}
	if !o.Yes {
		return exit.Verdict(sentence.ApplyNotConfirmed(o.Aim(change.ApplyRebalance(o.planFlags()...))))
	}
	user, err := own.User(ctx, o.objects)
	if err != nil {
		return err
	}
	r.Spec.Request.By = user
	if err := o.create(ctx, r); err != nil {
		return err
	}
	if err := own.Decide(ctx, o.objects, r, v1alpha1.Approved, user); err != nil {
		created := sentence.ApplyNotApproved("remediation/"+r.Name, o.Aim(change.ApproveRemediation(r.Name)))
		if said := o.say(say, created); said != nil {
			return said
		}
		return err
	}
	return o.say(say, sentence.ApplyDone("remediation/"+r.Name, len(r.Spec.Changes), o.Aim(change.WatchRemediation(r.Name))))
}

func (o *ApplyOptions) say(say message.Printer, said message.Sentence) error {
	return terminal.WriteLine(o.Out, say.Say(said))
}

// create creates the Remediation.
func (o *ApplyOptions) create(ctx context.Context, r *v1alpha1.Remediation) error {
	err := o.objects.Create(ctx, r)
	switch {
	case apierrors.IsForbidden(err):
		return exit.Failure(sentence.ApplyForbidden(r.Spec.Request.By, err.Error()))
	case err != nil:
		return exit.Talking(o.objects.Host, err)
	}
	return nil
}

// other is a Remediation that a person requested for the same workloads and that has not ended, or another that evicts pods of them now; nil if there is none.
func (o *ApplyOptions) other(ctx context.Context, r *v1alpha1.Remediation) (*v1alpha1.Remediation, error) {
	var all v1alpha1.RemediationList
	switch err := o.objects.List(ctx, &all); {
	case meta.IsNoMatchError(err):
		return nil, exit.Failure(sentence.CheckNoCRDs())
	case err != nil:
		return nil, exit.Talking(o.objects.Host, err)
	}
	return otherOf(all.Items, r), nil
}

func otherOf(all []v1alpha1.Remediation, r *v1alpha1.Remediation) *v1alpha1.Remediation {
	open := record.Open(all)
	at := slices.IndexFunc(open, func(other v1alpha1.Remediation) bool {
		same := slices.ContainsFunc(other.Spec.Subjects, func(s v1alpha1.Subject) bool { return slices.Contains(r.Spec.Subjects, s) })
		running := other.Spec.PolicyKind() == v1alpha1.RebalancePolicyKind && other.Status.Phase == v1alpha1.PhaseRunning
		return same && (other.Spec.Request != nil || running)
	})
	if at < 0 {
		return nil
	}
	return &open[at]
}

func phaseOf(r *v1alpha1.Remediation) v1alpha1.Phase {
	if r.Status.Phase == "" {
		return v1alpha1.PhaseProposed
	}
	return r.Status.Phase
}

// waitsFor is the command that a Remediation waits for, or one that shows what becomes of it.
func waitsFor(r *v1alpha1.Remediation) string {
	if r.Spec.Request != nil && r.Spec.Approval == "" {
		return change.ApproveRemediation(r.Name)
	}
	return change.WatchRemediation(r.Name)
}

// needController fails if no controller leads, which would carry out what is requested. If that is not known, it says so.
func (o *ApplyOptions) needController(ctx context.Context, say message.Printer) error {
	records := &record.Records{Client: o.objects, Reader: o.objects, Clock: o.Clock}
	lease, err := records.Lease(ctx)
	switch {
	case err != nil:
		return terminal.WriteLine(o.ErrOut, say.Say(sentence.ApplyLeaseUnknown(err.Error())))
	case record.Holder(lease, o.Clock.Now()) == "":
		return exit.Failure(sentence.ApplyNoController())
	}
	return nil
}
