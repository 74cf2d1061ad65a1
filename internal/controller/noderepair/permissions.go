package noderepair

import (
	"context"
	"slices"
	"time"

	authorizationv1 "k8s.io/api/authorization/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	// askedAgain is how old an answer may be: clouds count requests.
	askedAgain = 10 * time.Minute
	// agentName is the node agent, as an actuator.
	agentName = "agent"
	// nobody is who is asked for what nobody offers.
	nobody = "None"
)

// permissions are, of each action that a policy may come to, whether it may be taken. Answers that its status has are kept
// for a while.
func (c *Concern) permissions(ctx context.Context, policy *v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) []v1alpha1.Permission {
	if len(nodes) == 0 {
		return nil
	}
	var all []v1alpha1.Permission
	for _, action := range actionsOf(&policy.Spec) {
		for _, asked := range c.actuators(action, nodes) {
			if known, ok := c.lately(policy, action, asked.name); ok {
				all = append(all, known)
				continue
			}
			may, why := c.may(ctx, action, asked)
			all = append(all, v1alpha1.Permission{Action: action, Actuator: asked.name, May: may, Message: short(why), At: metav1.NewTime(c.Clock.Now())})
		}
	}
	return all
}

func (c *Concern) lately(policy *v1alpha1.NodeRepairPolicy, action v1alpha1.Action, actuator string) (v1alpha1.Permission, bool) {
	at := slices.IndexFunc(policy.Status.Permissions, func(p v1alpha1.Permission) bool { return p.Action == action && p.Actuator == actuator })
	if at < 0 || c.Clock.Since(policy.Status.Permissions[at].At.Time) > askedAgain {
		return v1alpha1.Permission{}, false
	}
	return policy.Status.Permissions[at], true
}

// actionsOf are those that a policy's rules ask for and its ladder leads to, each once.
func actionsOf(spec *v1alpha1.NodeRepairPolicySpec) []v1alpha1.Action {
	var actions []v1alpha1.Action
	add := func(action v1alpha1.Action) {
		if action != v1alpha1.ActionNone && !slices.Contains(actions, action) {
			actions = append(actions, action)
		}
	}
	for _, rule := range spec.Rules {
		add(rule.Action)
	}
	for _, step := range spec.Escalation {
		add(step.Action)
	}
	return actions
}

// actuator is who would be asked for an action, and a machine to ask about.
type actuator struct {
	name     string
	provider cloud.Provider
	machine  cloud.Machine
}

// actuators are those who would be asked for an action on nodes, each once; nobody is among them if a node has none.
func (c *Concern) actuators(action v1alpha1.Action, nodes []*corev1.Node) []actuator {
	if action == v1alpha1.ActionRestartService {
		return []actuator{{name: agentName}}
	}
	var all []actuator
	for _, node := range nodes {
		one := c.actuator(action, node)
		if !slices.ContainsFunc(all, func(other actuator) bool { return other.name == one.name }) {
			all = append(all, one)
		}
	}
	return all
}

func (c *Concern) actuator(action v1alpha1.Action, node *corev1.Node) actuator {
	machine := cloud.MachineOf(node)
	if provider, ok := c.Providers.For(action, machine); ok {
		return actuator{provider.Name(), provider, machine}
	}
	return actuator{name: nobody, machine: machine}
}

// may asks whether an action would be let through, without taking it: the cluster first, since a node is drained before
// its machine is touched, and then who runs the machine.
func (c *Concern) may(ctx context.Context, action v1alpha1.Action, asked actuator) (v1alpha1.May, string) {
	say := message.English()
	switch asked.name {
	case nobody:
		return v1alpha1.MayNo, say.Text(message.PermissionNobody, message.Args{"machine": asked.machine.Node, "gaps": c.gaps()})
	case agentName:
		return c.agentMay()
	}
	for _, right := range drainRights {
		if may, why := c.allowed(ctx, right); may != v1alpha1.MayYes {
			return may, why
		}
	}
	permitter, ok := asked.provider.(cloud.Permitter)
	if !ok {
		return v1alpha1.MayUnknown, say.Text(message.PermissionNotAsked, message.Args{"actuator": asked.name})
	}
	permission, err := permitter.May(ctx, action, asked.machine)
	if err != nil {
		return v1alpha1.MayUnknown, say.Text(message.PermissionUnanswered, message.Args{"actuator": asked.name, "words": err.Error()})
	}
	return permission.May, say.Say(permission.Why)
}

// agentMay is whether agents of naosu run, whose rights are their own.
func (c *Concern) agentMay() (v1alpha1.May, string) {
	for _, pod := range c.World().Pods() {
		if pod.Labels[nameLabel] == naosuAgent && pod.Spec.NodeName != "" && !cluster.Ended(pod) {
			return v1alpha1.MayUnknown, message.English().Text(message.PermissionAgent, nil)
		}
	}
	return v1alpha1.MayUnknown, message.English().Text(message.PermissionNoAgent, nil)
}

// gaps are why providers could not be asked.
func (c *Concern) gaps() []string {
	var gaps []string
	for _, gap := range c.Gaps {
		gaps = append(gaps, message.English().Say(gap.Why))
	}
	return gaps
}

// drainRights are what a drain takes.
var drainRights = []authorizationv1.ResourceAttributes{
	{Verb: "patch", Resource: "nodes"},
	{Verb: "create", Resource: "pods", Subresource: "eviction"},
}

// +kubebuilder:rbac:groups=authorization.k8s.io,resources=selfsubjectaccessreviews,verbs=create

func (c *Concern) allowed(ctx context.Context, right authorizationv1.ResourceAttributes) (v1alpha1.May, string) {
	review := &authorizationv1.SelfSubjectAccessReview{Spec: authorizationv1.SelfSubjectAccessReviewSpec{ResourceAttributes: &right}}
	what := right.Resource
	if right.Subresource != "" {
		what += "/" + right.Subresource
	}
	switch err := c.Client.Create(ctx, review); {
	case err != nil:
		return v1alpha1.MayUnknown, message.English().Text(message.PermissionUnanswered, message.Args{"actuator": "kubernetes", "words": err.Error()})
	case !review.Status.Allowed:
		return v1alpha1.MayNo, message.English().Text(message.PermissionRBAC, message.Args{"verb": right.Verb, "resource": what})
	}
	return v1alpha1.MayYes, ""
}

func short(s string) string { return cutTo(s, 1024) }

func cut(s string) string { return cutTo(s, 4096) }

func cutTo(s string, longest int) string {
	if runes := []rune(s); len(runes) > longest {
		return string(runes[:longest])
	}
	return s
}
