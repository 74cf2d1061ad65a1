package random

import (
	"bytes"
	"context"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	command "github.com/naosu-dev/naosu/internal/cli/failover"
	"github.com/naosu-dev/naosu/internal/failoverpolicy"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
)

// confirm has a person confirm that a machine is off: the command itself, on a node that it may refuse.
func (n *run) confirm(m *machine) {
	before, after := &corev1.Node{}, &corev1.Node{}
	if err := n.api.Direct.Get(n.ctx, client.ObjectKey{Name: m.node}, before); err != nil {
		must(client.IgnoreNotFound(err))
		return
	}
	known := interceptor.NewClient(n.api.Direct, interceptor.Funcs{
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if self, is := o.(*authenticationv1.SelfSubjectReview); is {
				self.Status.UserInfo.Username = "somebody"
				return nil
			}
			return c.Create(ctx, o, opts...)
		},
	})
	var out bytes.Buffer
	o := command.ConfirmOptions{
		IOStreams: genericiooptions.IOStreams{Out: &out, ErrOut: &out}, Clock: clock.RealClock{}, Node: m.node, Yes: true, Say: message.English(), Command: "naosu failover confirm",
	}
	if o.Run(n.ctx, connect.Objects{WithWatch: known, Host: "memory"}) != nil {
		return // It is refused: the node is ready, or was lately.
	}
	n.wrote()
	must(n.api.Direct.Get(n.ctx, client.ObjectKey{Name: m.node}, after))
	if _, declared := failoverpolicy.DeclarationOf(after); declared && !kube.IsOutOfService(before) {
		n.checker.counts.confirmed++
		if kube.IsNodeReady(before) {
			n.checker.report(declaredReady, "%s is confirmed", m.node)
		}
	}
}
