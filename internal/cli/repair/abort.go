package repair

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"github.com/spf13/cobra"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/terminal"
)

const (
	// leaseMargin is how long after the timeout the controller's Lease is held: longer than Helm takes to delete the Deployment after
	// its hook.
	leaseMargin = time.Minute
	// stepDownDelay is after what time a controller has noticed that it lost its Lease: its renew deadline and a margin.
	stepDownDelay = 15 * time.Second
	// pollInterval is the time between two reads of a Remediation that the controller is to abort.
	pollInterval = time.Second
)

// AbortOptions are the options of abort.
type AbortOptions struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Clock  clock.WithTicker
	// Names are the Remediations to abort; All is every one that has not ended.
	Names []string
	All   bool
	// Force takes the Lease from a running controller, and removes the finalizer of a Remediation whose node could not be restored.
	Force   bool
	Timeout time.Duration

	Say     message.Printer
	Client  client.Client
	records *record.Records
	// held is the Lease, if this process took it.
	held *coordinationv1.Lease
}

func newAbort(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &AbortOptions{IOStreams: streams, Config: config, Clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:                   "abort (NAME... | --all)",
		Example:               "  naosu repair abort worker-1-0a1b2c3d4e\n  naosu repair abort --all\n  naosu repair abort --all --force",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Say = language.Of(cmd)
			if err := o.Complete(args); err != nil {
				return err
			}
			objects, err := connect.ToObjects(o.Config)
			if err != nil {
				return err
			}
			o.Client = objects
			if err := o.Run(cmd.Context()); err != nil {
				return exit.Talking(objects.Host, err)
			}
			return nil
		},
	}
	cmd.ValidArgsFunction = own.CompleteRemediations(config, math.MaxInt, own.NotEnded)
	flags := cmd.Flags()
	flags.BoolVar(&o.All, "all", false, "")
	flags.BoolVar(&o.Force, "force", false, "")
	flags.DurationVar(&o.Timeout, "timeout", 2*time.Minute, "")
	return cmd
}

// Complete finds the names, with or without their kind.
func (o *AbortOptions) Complete(args []string) error {
	remedy := sentence.AbortRemedy()
	switch {
	case o.All && len(args) > 0:
		return exit.BadInput("--all", sentence.AbortAllAlone(), remedy)
	case !o.All && len(args) == 0:
		return exit.BadInput("name", sentence.ErrMissing(), remedy)
	case o.Timeout <= 0:
		return exit.BadInput("--timeout", sentence.AbortTimeoutPositive(), remedy)
	}
	for _, given := range args {
		name, ok := own.RemediationName(given)
		if !ok {
			return exit.BadInput("name", sentence.ApproveNoName(strconv.Quote(given)), remedy)
		}
		o.Names = append(o.Names, name)
	}
	return nil
}

// Run aborts Remediations: it asks the controller, or, where none leads, aborts them itself.
func (o *AbortOptions) Run(ctx context.Context) error {
	o.records = &record.Records{Client: o.Client, Reader: o.Client, Clock: o.Clock}
	ctx, cancel := context.WithTimeout(ctx, o.Timeout)
	defer cancel()
	all, err := o.openRemediations(ctx)
	if err != nil {
		return err
	}
	if o.Force && (len(all) > 0 || o.All && o.policies(ctx)) {
		if err := o.lead(ctx); err != nil {
			return err
		}
		defer o.release(ctx)
		if all, err = o.openRemediations(ctx); err != nil { // The controller may have proposed more meanwhile.
			return err
		}
	}
	err = o.abortAll(ctx, all)
	if o.All && o.Force {
		err = errors.Join(err, o.removeNodeFinalizers(ctx))
	}
	return err
}

// abortAll aborts Remediations, all of which are asked to end before the first is waited for.
func (o *AbortOptions) abortAll(ctx context.Context, all []v1alpha1.Remediation) error {
	if len(all) == 0 {
		return terminal.WriteLine(o.Out, o.Say.Say(sentence.AbortNone()))
	}
	for i := range all {
		if err := o.ask(ctx, &all[i]); err != nil {
			return err
		}
	}
	left := 0
	for i := range all {
		aborted, err := o.abort(ctx, &all[i])
		if err != nil {
			return err
		}
		if !aborted {
			left++
		}
	}
	if left > 0 {
		return exit.Verdict(sentence.AbortLeft(left))
	}
	return nil
}

// policies says whether there are policies, by which a controller may propose more or keep Nodes; true if that is not known.
func (o *AbortOptions) policies(ctx context.Context) bool {
	for _, policies := range []client.ObjectList{&v1alpha1.NodeRepairPolicyList{}, &v1alpha1.FailoverPolicyList{}} {
		err := o.Client.List(ctx, policies)
		if meta.LenList(policies) > 0 || err != nil && !resourceUndefined(err) {
			return true
		}
	}
	return false
}

// removeNodeFinalizers removes naosu's finalizer from all Nodes: without a controller, nobody would, and a Node that is deleted would stay.
func (o *AbortOptions) removeNodeFinalizers(ctx context.Context) error {
	var nodes corev1.NodeList
	if err := o.Client.List(ctx, &nodes); err != nil {
		return fmt.Errorf("list the nodes: %w", err)
	}
	for i := range nodes.Items {
		if !failoverpolicy.HasFinalizer(&nodes.Items[i]) {
			continue
		}
		name := nodes.Items[i].Name
		err := retry.RetryOnConflict(retry.DefaultBackoff, func() error {
			_, err := action.RemoveFinalizer(ctx, o.Client, o.Client, name)
			return err
		})
		if err != nil {
			return err
		}
		if err := terminal.WriteLine(o.Out, o.Say.Say(sentence.AbortNodeFinalizer("node/"+name, failoverpolicy.Finalizer))); err != nil {
			return err
		}
	}
	return nil
}

// resourceUndefined says whether an error is that the API server does not have the resource.
func resourceUndefined(err error) bool { return apierrors.IsNotFound(err) || meta.IsNoMatchError(err) }

// openRemediations are the Remediations that are named, or all, that have not ended or have a finalizer. Without their definition there
// are none.
func (o *AbortOptions) openRemediations(ctx context.Context) ([]v1alpha1.Remediation, error) {
	all, err := o.records.List(ctx)
	if err != nil && !resourceUndefined(err) {
		return nil, err
	}
	for _, name := range o.Names {
		if !slices.ContainsFunc(all, func(r v1alpha1.Remediation) bool { return r.Name == name && r.Spec.Drill == nil }) {
			return nil, exit.BadInput("name", sentence.ApproveGone(name), sentence.AbortRemedy())
		}
	}
	return slices.DeleteFunc(all, func(r v1alpha1.Remediation) bool { return !o.All && !slices.Contains(o.Names, r.Name) || hasEnded(&r) }), nil
}

// hasEnded says whether a Remediation has ended and has no finalizer left.
func hasEnded(r *v1alpha1.Remediation) bool {
	ended := r.Spec.Drill != nil || r.Status.Phase == v1alpha1.PhaseEnded
	return ended && !controllerutil.ContainsFinalizer(r, v1alpha1.RemediationFinalizer)
}

// ask sets the annotation by which the leader aborts a Remediation.
func (o *AbortOptions) ask(ctx context.Context, r *v1alpha1.Remediation) error {
	before := r.DeepCopy()
	metav1.SetMetaDataAnnotation(&r.ObjectMeta, v1alpha1.RemediationAbortAnnotation, "true")
	if err := o.Client.Patch(ctx, r, client.MergeFrom(before)); client.IgnoreNotFound(err) != nil {
		return fmt.Errorf("mark the Remediation %s: %w", r.Name, err)
	}
	return nil
}

// abort waits until a Remediation has ended, or ends it where no controller leads.
func (o *AbortOptions) abort(ctx context.Context, r *v1alpha1.Remediation) (aborted bool, err error) {
	for {
		now, err := o.records.Get(ctx, r.Name)
		switch {
		case apierrors.IsNotFound(err), err == nil && (now.UID != r.UID || hasEnded(now)):
			return true, terminal.WriteLine(o.Out, o.Say.Say(sentence.AbortDone("remediation/"+r.Name, own.SubjectOf(r))))
		case err != nil && ctx.Err() == nil:
			return false, err
		}
		if err == nil {
			err = o.advance(ctx, now)
		}
		select {
		case <-ctx.Done():
			return o.Force, o.reportFailure(context.WithoutCancel(ctx), r, err)
		case <-o.Clock.After(pollInterval):
		}
	}
}

// advance performs the next transitions of a Remediation if this process leads, which it does if no controller leads.
func (o *AbortOptions) advance(ctx context.Context, r *v1alpha1.Remediation) error {
	if o.held == nil {
		lease, err := o.records.Lease(ctx)
		if err != nil {
			return err
		}
		if record.Holder(lease, o.Clock.Now()) != "" {
			return nil // The controller does it.
		}
		if o.held, err = o.records.TakeLease(ctx, lease, identity(), o.Timeout+leaseMargin); err != nil {
			return err
		}
		defer o.release(ctx)
	}
	if r.Spec.PolicyKind() == v1alpha1.RebalancePolicyKind {
		rebalancer := &action.Rebalancer{Client: o.Client, Reader: o.Client, Records: o.records, Clock: o.Clock, Leading: o.leads}
		_, err := rebalancer.Advance(ctx, r.Name, nil)
		return err
	}
	if r.Spec.PolicyKind() == v1alpha1.AddressPolicyKind {
		reclaimer := &action.Reclaimer{Records: o.records, Clock: o.Clock, Leading: o.leads}
		_, err := reclaimer.Advance(ctx, r.Name, nil)
		return err
	}
	if r.Spec.PolicyKind() == v1alpha1.HeadroomPolicyKind {
		resizer := &action.NodeGroupResizer{Records: o.records, Clock: o.Clock, Leading: o.leads}
		_, err := resizer.Advance(ctx, r.Name, nil)
		return err
	}
	performer := &action.Performer{
		Client: o.Client, Reader: o.Client, Records: o.records, Advisor: action.AbortOnly{}, Clock: o.Clock, Leading: o.leads,
	}
	_, err := performer.Advance(ctx, r.Name, nil)
	return err
}

// lead takes the Lease, also from a running controller, and waits until that one has noticed.
func (o *AbortOptions) lead(ctx context.Context) error {
	led := false
	err := retry.RetryOnConflict(retry.DefaultBackoff, func() error { // The controller renews it meanwhile.
		lease, err := o.records.Lease(ctx)
		if err != nil {
			return err
		}
		led = record.Holder(lease, o.Clock.Now()) != ""
		o.held, err = o.records.TakeLease(ctx, lease, identity(), o.Timeout+leaseMargin)
		return err
	})
	if err != nil || !led {
		return err
	}
	select {
	case <-ctx.Done():
		return fmt.Errorf("wait for the controller to step down: %w", ctx.Err())
	case <-o.Clock.After(stepDownDelay):
		return nil
	}
}

func (o *AbortOptions) leads(ctx context.Context) (bool, error) {
	lease, err := o.records.Lease(ctx)
	return err == nil && record.Holder(lease, o.Clock.Now()) == identity(), err
}

// release releases the Lease, but not after --all --force: an uninstallation follows, and a controller that leads again would propose
// again.
func (o *AbortOptions) release(ctx context.Context) {
	if o.All && o.Force {
		return
	}
	if err := o.records.ReleaseLease(context.WithoutCancel(ctx), o.held); err != nil {
		terminal.WriteLine(o.ErrOut, err.Error())
	}
	o.held = nil
}

// reportFailure reports why a Remediation could not be aborted in time. With --force its finalizer is removed all the same.
func (o *AbortOptions) reportFailure(ctx context.Context, r *v1alpha1.Remediation, why error) error {
	ref, words := "remediation/"+r.Name, ""
	if why != nil {
		words = why.Error()
	}
	outcome := sentence.AbortInVain(ref, words)
	if o.Force {
		outcome = sentence.AbortForced(ref, own.SubjectOf(r), words)
		now, err := o.records.Get(ctx, r.Name)
		if err == nil {
			err = o.records.RemoveFinalizer(ctx, now)
		}
		if client.IgnoreNotFound(err) != nil {
			return errors.Join(why, err)
		}
	}
	return terminal.WriteLine(o.ErrOut, o.Say.Say(outcome))
}

// identity is this process's holderIdentity in the Lease.
func identity() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return fmt.Sprintf("naosu-repair-abort_%s_%d", host, os.Getpid())
}
