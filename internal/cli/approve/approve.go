// Package approve is the verb by which a person lets a proposed Remediation go on, or rejects it.
package approve

import (
	"context"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// Options are what the verb is asked.
type Options struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Name   string
	Reject bool
	Say    message.Printer
}

// NewCommand is `naosu approve`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{IOStreams: streams, Config: config}
	cmd := &cobra.Command{
		Use:                   "approve NAME",
		Example:               "  naosu repair approve worker-1-0a1b2c3d4e\n  naosu repair approve worker-1-0a1b2c3d4e --reject",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Say = language.Of(cmd)
			if err := o.Complete(args); err != nil {
				return err
			}
			return o.Run(cmd.Context())
		},
	}
	cmd.ValidArgsFunction = own.CompleteRemediations(config, 1, func(r *v1alpha1.Remediation) bool { return own.NotEnded(r) && r.Spec.Drill == nil })
	cmd.Flags().BoolVar(&o.Reject, "reject", false, "")
	return cmd
}

// Complete finds the name, with or without its kind.
func (o *Options) Complete(args []string) error {
	remedy := sentence.ApproveRemedy()
	if len(args) == 0 {
		return exit.BadInput("name", sentence.ErrMissing(), remedy)
	}
	given := strings.Join(args, " ")
	var ok bool
	if o.Name, ok = own.RemediationName(args...); !ok {
		return exit.BadInput("name", sentence.ApproveNoName(strconv.Quote(given)), remedy)
	}
	return nil
}

// Run writes the person's word, unless it no longer matters.
func (o *Options) Run(ctx context.Context) error {
	objects, err := connect.ToObjects(o.Config)
	if err != nil {
		return err
	}
	var r v1alpha1.Remediation
	switch err := objects.Get(ctx, client.ObjectKey{Name: o.Name}, &r); {
	case apierrors.IsNotFound(err):
		return exit.BadInput("name", sentence.ApproveGone(o.Name), sentence.ApproveRemedy())
	case err != nil:
		return exit.Talking(objects.Host, err)
	}
	word := v1alpha1.Approved
	if o.Reject {
		word = v1alpha1.Rejected
	}
	if why := refusal(&r, word); !why.IsZero() {
		return exit.Failure(why)
	}
	if r.Spec.Approval != word {
		if err := o.write(ctx, objects, &r, word); err != nil {
			return err
		}
	}
	return terminal.WriteLine(o.Out, o.Say.Say(sentence.ApproveDone("remediation/"+r.Name, string(r.Spec.Action()), own.SubjectOf(&r), o.Reject, waits(&r))))
}

// write sets a person's word, in their name as the API server knows it.
func (o *Options) write(ctx context.Context, objects connect.Objects, r *v1alpha1.Remediation, word v1alpha1.Approval) error {
	user, err := own.User(ctx, objects)
	if err != nil {
		return err
	}
	return own.Decide(ctx, objects, r, word, user)
}

// refusal is why a word comes too late, or has no place; nothing if it does not. The API server holds to the same, less plainly.
func refusal(r *v1alpha1.Remediation, word v1alpha1.Approval) message.Sentence {
	ref := "remediation/" + r.Name
	switch {
	case r.Spec.Drill != nil:
		return sentence.ApproveDrill(ref)
	case r.Status.Phase == v1alpha1.PhaseEnded:
		return sentence.ApproveEnded(ref)
	case r.Spec.Approval == v1alpha1.Rejected && word == v1alpha1.Approved:
		return sentence.ApproveRejected(ref)
	}
	return message.Sentence{}
}

// waits is what else the guard waits for: approval alone does not make it happen.
func waits(r *v1alpha1.Remediation) string {
	for _, v := range r.Status.Verdicts {
		if v.Decision != v1alpha1.DecisionAllow && v.Reason != "AwaitingApproval" && v.Check != "mode" || v.Reason == "ReportOnly" {
			return v.Message
		}
	}
	return ""
}
