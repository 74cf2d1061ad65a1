package failover

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/duration"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/action"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cli/own"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/terminal"
)

// leaseDuration is how long a kubelet holds its Lease: one that has renewed it since is running.
//
// Source: nodeLeaseDurationSeconds in pkg/kubelet/apis/config/v1beta1/defaults.go of Kubernetes.
const leaseDuration = 40 * time.Second

// ConfirmOptions are the options of confirm.
type ConfirmOptions struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Clock  clock.PassiveClock
	Node   string
	Yes    bool
	Say    message.Printer
	// Command is how the user calls the verb.
	Command string
}

func newConfirm(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &ConfirmOptions{IOStreams: streams, Config: config, Clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:                   "confirm node/NAME",
		Example:               "  naosu failover confirm node/ip-10-0-1-7.ec2.internal\n  naosu failover confirm node/ip-10-0-1-7.ec2.internal --yes",
		DisableFlagsInUseLine: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			o.Say, o.Command = language.Of(cmd), cmd.CommandPath()
			if err := o.Complete(args); err != nil {
				return err
			}
			objects, err := connect.ToObjects(o.Config)
			if err != nil {
				return err
			}
			return o.Run(cmd.Context(), objects)
		},
	}
	cmd.ValidArgsFunction = own.CompleteNodes(config)
	cmd.Flags().BoolVar(&o.Yes, "yes", false, "")
	return cmd
}

// Complete finds the name of the node, with or without its kind.
func (o *ConfirmOptions) Complete(args []string) error {
	if len(args) == 0 {
		return exit.BadInput("node", sentence.ErrMissing(), sentence.ConfirmRemedy())
	}
	ref, ok := input.ParseResource(args, string(cluster.Node))
	if !ok || ref.Kind != string(cluster.Node) || ref.Namespace != "" {
		return exit.BadInput("node", sentence.ConfirmNoName(strconv.Quote(strings.Join(args, " "))), sentence.ConfirmRemedy())
	}
	o.Node = ref.Name
	return nil
}

func (o *ConfirmOptions) ref() string { return "node/" + o.Node }

// Run says what declaring the node out of service deletes and detaches, and declares it so if the user has confirmed that its machine
// is off.
func (o *ConfirmOptions) Run(ctx context.Context, objects connect.Objects) error {
	var node corev1.Node
	switch err := objects.Get(ctx, client.ObjectKey{Name: o.Node}, &node); {
	case apierrors.IsNotFound(err):
		return exit.BadInput("node", sentence.ConfirmGone(o.ref()), sentence.ConfirmRemedy())
	case err != nil:
		return exit.Talking(objects.Host, err)
	}
	var lease coordinationv1.Lease
	if err := objects.Get(ctx, client.ObjectKey{Namespace: corev1.NamespaceNodeLease, Name: o.Node}, &lease); client.IgnoreNotFound(err) != nil {
		return exit.Talking(objects.Host, err)
	}
	renewed := ""
	if at := failoverpolicy.RenewTime(&lease); at != nil {
		since := o.Clock.Since(at.Time)
		renewed = duration.HumanDuration(since)
		if since < leaseDuration {
			return exit.Failure(sentence.ConfirmRenewed(o.ref(), renewed))
		}
	}
	switch {
	case kube.IsNodeReady(&node):
		return exit.Failure(sentence.ConfirmReady(o.ref()))
	case kube.IsOutOfService(&node):
		return terminal.WriteLine(o.Out, o.Say.Say(sentence.ConfirmAlready(o.ref())))
	case kube.NodeReady(&node).Status == corev1.ConditionFalse: // By whatever clock its Lease was renewed.
		return exit.Failure(sentence.ConfirmReported(o.ref()))
	}
	pods, volumes, err := released(ctx, objects, o.Node)
	if err != nil {
		return exit.Talking(objects.Host, err)
	}
	silent := duration.HumanDuration(o.Clock.Since(kube.NodeReady(&node).LastTransitionTime.Time))
	lines := []string{o.Say.Say(sentence.ConfirmState(o.ref(), silent, renewed)), o.Say.Say(sentence.ConfirmReleases(len(pods), len(volumes)))}
	for _, ref := range slices.Concat(pods, volumes) {
		lines = append(lines, "  "+change.NamespacedRef(ref).String())
	}
	for _, line := range lines {
		if err := terminal.WriteLine(o.Out, line); err != nil {
			return err
		}
	}
	if !o.Yes {
		return exit.Verdict(sentence.ConfirmNotConfirmed(o.ref(), o.Command+" "+o.ref()+" --yes"))
	}
	return o.declare(ctx, objects, &node, &lease)
}

// declare declares the node out of service, if it is still as it was shown.
func (o *ConfirmOptions) declare(ctx context.Context, objects connect.Objects, node *corev1.Node, lease *coordinationv1.Lease) error {
	var self authenticationv1.SelfSubjectReview
	if err := objects.Create(ctx, &self); err != nil {
		return exit.Talking(objects.Host, err)
	}
	proof := message.English().Say(sentence.ConfirmProof(self.Status.UserInfo.Username))
	changed, err := action.DeclareOutOfService(ctx, objects, objects, node, failoverpolicy.Declaration{
		By: "naosu failover confirm", Proof: proof, BootID: node.Status.NodeInfo.BootID, RenewTime: failoverpolicy.RenewTime(lease),
	})
	switch {
	case apierrors.IsConflict(err) || err == nil && !changed:
		return exit.Failure(sentence.ConfirmChanged(o.ref()))
	case err != nil:
		return exit.Talking(objects.Host, err)
	}
	undo := change.Untaint(change.Taint{Node: o.Node, Taint: kube.OutOfServiceTaint}).Command()
	return terminal.WriteLine(o.Out, o.Say.Say(sentence.ConfirmDone(o.ref(), undo)))
}

// released are the pods that the out-of-service taint deletes from a node, and the volumes that are attached to it.
func released(ctx context.Context, read client.Reader, node string) (pods, volumes []change.Ref, err error) {
	var all corev1.PodList
	if err := read.List(ctx, &all, client.MatchingFields{"spec.nodeName": node}); err != nil {
		return nil, nil, err
	}
	for i := range all.Items {
		pod := &all.Items[i]
		if !cluster.Ended(pod) && !cluster.IsMirror(pod) && !kube.Tolerates(pod.Spec.Tolerations, &kube.OutOfServiceTaint) {
			pods = append(pods, change.Ref{Kind: string(cluster.Pod), Namespace: pod.Namespace, Name: pod.Name})
		}
	}
	var attachments storagev1.VolumeAttachmentList
	if err := read.List(ctx, &attachments); err != nil {
		return nil, nil, err
	}
	for _, a := range attachments.Items {
		if volume := a.Spec.Source.PersistentVolumeName; a.Spec.NodeName == node && volume != nil {
			volumes = append(volumes, change.Ref{Kind: string(cluster.PersistentVolume), Name: *volume})
		}
	}
	return pods, volumes, nil
}
