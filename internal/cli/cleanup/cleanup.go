// Package cleanup is the verb that removes what naosu's agents leave on Nodes when they are uninstalled: their conditions.
package cleanup

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/client-go/util/retry"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/agent/managedfields"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/record"
	"github.com/naosu-dev/naosu/internal/terminal"
)

const (
	// asksAgain is how often it is looked whether the agent's pods have ended.
	asksAgain = time.Second
	// pageSize is how many Nodes are read at once: with their managed fields, some tens of KiB each.
	pageSize = 250
	// mostNamed bounds how many nodes a message names.
	mostNamed = 5
)

// Options are what the verb is asked.
type Options struct {
	genericiooptions.IOStreams
	Config genericclioptions.RESTClientGetter
	Clock  clock.WithTicker
	// Timeout is how long to wait for the agent's pods to end.
	Timeout time.Duration

	Say    message.Printer
	Client client.Client
}

// NewCommand is `naosu cleanup`.
func NewCommand(config genericclioptions.RESTClientGetter, streams genericiooptions.IOStreams) *cobra.Command {
	o := &Options{IOStreams: streams, Config: config, Clock: clock.RealClock{}}
	cmd := &cobra.Command{
		Use:                   "cleanup",
		Example:               "  kubectl delete -k config/agent --ignore-not-found && naosu cleanup",
		DisableFlagsInUseLine: true,
		Args:                  exit.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o.Say = language.Of(cmd)
			if err := o.Validate(); err != nil {
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
	cmd.Flags().DurationVar(&o.Timeout, "timeout", 2*time.Minute, "")
	return cmd
}

// Validate says what is wrong with what was asked.
func (o *Options) Validate() error {
	if o.Timeout <= 0 {
		return exit.BadInput("--timeout", sentence.AbortTimeoutPositive(), sentence.CleanupRemedy())
	}
	return nil
}

// Run waits until the agent has ended, and removes the conditions that it wrote. Of a node on which it goes on running they stay:
// it would write them again.
func (o *Options) Run(ctx context.Context) error {
	running, err := o.ended(ctx)
	if err != nil {
		return err
	}
	removed, err := o.remove(ctx, running)
	if err != nil {
		return err
	}
	if n := len(running); n > 0 {
		return exit.Verdict(sentence.CleanupAgents(n, message.ListOf(running[:min(n, mostNamed)])))
	}
	if !removed {
		return terminal.WriteLine(o.Out, o.Say.Say(sentence.CleanupNone()))
	}
	return nil
}

// ended waits for the agent's pods to end, and returns the nodes on which they have not when the time is over, sorted.
func (o *Options) ended(ctx context.Context) ([]string, error) {
	end := o.Clock.Now().Add(o.Timeout)
	for waits := false; ; waits = true {
		running, err := o.running(ctx)
		if err != nil || len(running) == 0 || !o.Clock.Now().Before(end) {
			return running, err
		}
		if !waits {
			terminal.WriteLine(o.ErrOut, o.Say.Say(sentence.CleanupWaits(len(running))))
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-o.Clock.After(asksAgain):
		}
	}
}

// running are the nodes on which an agent runs, sorted. A pod that is to end on a node that is not Ready stays until the node is
// back, or gone, and is not counted: by then its account has no rights any more.
func (o *Options) running(ctx context.Context) ([]string, error) {
	var pods corev1.PodList
	if err := o.Client.List(ctx, &pods, client.InNamespace(record.DefaultNamespace), client.MatchingLabels{kube.NameLabel: managedfields.Agent}); err != nil {
		return nil, fmt.Errorf("list the agent's pods: %w", err)
	}
	on := map[string]bool{}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Spec.NodeName == "" || cluster.Ended(pod) {
			continue
		}
		if pod.DeletionTimestamp != nil {
			ready, err := o.ready(ctx, pod.Spec.NodeName)
			if err != nil {
				return nil, err
			}
			if !ready {
				continue
			}
		}
		on[pod.Spec.NodeName] = true
	}
	return slices.Sorted(maps.Keys(on)), nil
}

func (o *Options) ready(ctx context.Context, name string) (bool, error) {
	var node corev1.Node
	if err := o.Client.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
		return false, client.IgnoreNotFound(err)
	}
	return kube.IsNodeReady(&node), nil
}

// remove removes the agent's conditions from all Nodes but some, and says of each what.
func (o *Options) remove(ctx context.Context, except []string) (removed bool, err error) {
	records := &record.Records{Client: o.Client, Reader: o.Client, Clock: o.Clock}
	page := client.ListOptions{Limit: pageSize}
	for {
		var nodes corev1.NodeList
		if err := o.Client.List(ctx, &nodes, &page); err != nil {
			return removed, fmt.Errorf("list nodes: %w", err)
		}
		for i := range nodes.Items {
			if slices.Contains(except, nodes.Items[i].Name) {
				continue
			}
			gone, err := o.removeFrom(ctx, records, &nodes.Items[i])
			if err != nil {
				return removed, err
			}
			if len(gone) > 0 {
				removed = true
				terminal.WriteLine(o.Out, o.Say.Say(sentence.CleanupDone("node/"+nodes.Items[i].Name, message.ListOf(gone))))
			}
		}
		if page.Continue = nodes.Continue; page.Continue == "" {
			return removed, nil
		}
	}
}

// removeFrom removes the agent's conditions from a Node, and returns their types. Whose they are is decided by what is replaced:
// where the Node has changed meanwhile, it is read and decided again.
func (o *Options) removeFrom(ctx context.Context, records *record.Records, node *corev1.Node) (removed []string, err error) {
	err = retry.OnError(retry.DefaultBackoff, apierrors.IsConflict, func() error {
		own := ownConditions(node)
		if removed = nil; len(own) == 0 {
			return nil
		}
		err := records.RemoveConditions(ctx, node, own)
		switch {
		case err == nil:
			for _, kind := range own {
				removed = append(removed, string(kind))
			}
		case apierrors.IsConflict(err):
			if err := o.Client.Get(ctx, client.ObjectKeyFromObject(node), node); err != nil {
				return err
			}
		}
		return err
	})
	return removed, client.IgnoreNotFound(err)
}

// ownConditions are the types of a Node's conditions that the agent wrote last.
func ownConditions(node *corev1.Node) []corev1.NodeConditionType {
	var fields []managedfields.Field
	for _, f := range node.ManagedFields {
		field := managedfields.Field{Manager: f.Manager, Subresource: f.Subresource}
		if f.Time != nil {
			field.Time = f.Time.Time
		}
		if f.FieldsV1 != nil {
			field.FieldsV1 = f.FieldsV1.GetRawBytes()
		}
		fields = append(fields, field)
	}
	var own []corev1.NodeConditionType
	for _, kind := range managedfields.Own(fields) {
		if slices.ContainsFunc(node.Status.Conditions, func(c corev1.NodeCondition) bool { return string(c.Type) == string(kind) }) {
			own = append(own, corev1.NodeConditionType(kind))
		}
	}
	return own
}
