package noderepair

import (
	"context"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/textutil"
)

const (
	// permissionMaxAge is how long an answer is used: clouds limit requests.
	permissionMaxAge = 10 * time.Minute
	// agentName is the node agent, as an actuator.
	agentName = "agent"
	// noActuator is the name in a status where no provider offers the action.
	noActuator = "None"
)

// permissions are whether each action that a policy may take is permitted. Answers in its status are used for permissionMaxAge.
func (c *Reconciler) permissions(ctx context.Context, policy *v1alpha1.NodeRepairPolicy, nodes []*corev1.Node) []v1alpha1.Permission {
	if len(nodes) == 0 {
		return nil
	}
	var all []v1alpha1.Permission
	for _, action := range actionsOf(&policy.Spec) {
		for _, asked := range c.actuators(action, nodes) {
			if known, ok := c.cachedPermission(policy, action, asked); ok {
				all = append(all, known)
				continue
			}
			told := summarize(asked.kinds, c.askPermission(ctx, action, asked))
			told.Action, told.Actuator, told.At = action, asked.name, metav1.NewTime(c.Clock.Now())
			all = append(all, told)
		}
	}
	return all
}

// cachedPermission is the answer in the status, if it is young enough and about the present groups.
func (c *Reconciler) cachedPermission(policy *v1alpha1.NodeRepairPolicy, action v1alpha1.Action, asked actuator) (v1alpha1.Permission, bool) {
	at := slices.IndexFunc(policy.Status.Permissions, func(p v1alpha1.Permission) bool { return p.Action == action && p.Actuator == asked.name })
	if at < 0 || c.Clock.Since(policy.Status.Permissions[at].At.Time) > permissionMaxAge {
		return v1alpha1.Permission{}, false
	}
	known := policy.Status.Permissions[at]
	var about []string
	for _, group := range known.Groups {
		about = append(about, group.Name)
	}
	return known, slices.Equal(about, groupNames(asked.kinds))
}

// statusPermission is whether an actuator permits an action on a node of a group, by a policy's status; empty if it was not asked.
func statusPermission(policy *v1alpha1.NodeRepairPolicy, actuator string, action v1alpha1.Action, group string) v1alpha1.May {
	at := slices.IndexFunc(policy.Status.Permissions, func(p v1alpha1.Permission) bool { return p.Action == action && p.Actuator == actuator })
	if at < 0 {
		return ""
	}
	told := policy.Status.Permissions[at]
	if len(told.Groups) == 0 {
		return told.May
	}
	at = slices.IndexFunc(told.Groups, func(g v1alpha1.GroupPermission) bool { return g.Name == group })
	if at < 0 {
		return ""
	}
	return told.Groups[at].May
}

// actionsOf are the actions of a policy's rules and escalation, each once.
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

// actuator is a provider or agent that would perform an action, and on which machines.
type actuator struct {
	name     string
	provider cloud.Provider
	// kinds are those of the machines; none of the agent, which is not asked by machine.
	kinds []machineKind
}

// actuators are those that would perform an action on nodes, each once; noActuator is among them if a node has none.
func (c *Reconciler) actuators(action v1alpha1.Action, nodes []*corev1.Node) []actuator {
	if action == v1alpha1.ActionRestartService {
		return []actuator{{name: agentName}}
	}
	var all []actuator
	of, providers := map[string][]*corev1.Node{}, c.providers()
	for _, node := range nodes {
		one := actuator{name: noActuator}
		if provider, ok := providers.For(action, cloud.MachineOf(node)); ok {
			one = actuator{name: provider.Name(), provider: provider}
		}
		if of[one.name] == nil {
			all = append(all, one)
		}
		of[one.name] = append(of[one.name], node)
	}
	for i := range all {
		all[i].kinds = kindsOf(of[all[i].name])
	}
	return all
}

// answer is whether an action is permitted on one kind of machine, and why.
type answer struct {
	may v1alpha1.May
	why string
}

// askPermission asks whether an action would be permitted, without taking it: the API server first, since a node is drained before its
// machine is acted on, and then the provider, about one machine of each kind. There is one answer for each kind, and one of an
// actuator that is not asked by machine.
func (c *Reconciler) askPermission(ctx context.Context, action v1alpha1.Action, asked actuator) []answer {
	say := message.English()
	if asked.name == noActuator {
		var answers []answer
		for _, kind := range asked.kinds {
			may, gaps := c.permissionWithoutProvider(kind.machine)
			answers = append(answers, answer{may, say.Say(sentence.PermissionNobody(kind.machine.Node, message.ListOf(gaps)))})
		}
		return answers
	}
	for _, right := range rightsTo(action) {
		if may, why := c.reviewAccess(ctx, right); may != v1alpha1.MayYes {
			return slices.Repeat([]answer{{may, say.Say(why)}}, max(1, len(asked.kinds)))
		}
	}
	if asked.name == agentName {
		return []answer{c.agentPermission()}
	}
	permitter, ok := asked.provider.(cloud.Permitter)
	if !ok {
		return slices.Repeat([]answer{{v1alpha1.MayUnknown, say.Say(sentence.PermissionNotAsked(asked.name))}}, len(asked.kinds))
	}
	var answers []answer
	for _, kind := range asked.kinds[:min(len(asked.kinds), maxAsked)] {
		permission, err := permitter.May(ctx, action, kind.machine)
		if err != nil { // A provider that does not answer is not asked about the others.
			silent := answer{v1alpha1.MayUnknown, say.Say(sentence.PermissionUnanswered(asked.name, err.Error()))}
			return append(answers, slices.Repeat([]answer{silent}, len(asked.kinds)-len(answers))...)
		}
		answers = append(answers, answer{permission.May, say.Say(permission.Why)})
	}
	left := answer{v1alpha1.MayUnknown, say.Say(sentence.PermissionLeft(len(answers), len(asked.kinds)))}
	return append(answers, slices.Repeat([]answer{left}, len(asked.kinds)-len(answers))...)
}

// agentPermission is the answer for the node agents, whose permissions the controller cannot review.
func (c *Reconciler) agentPermission() answer {
	for _, pod := range c.World().Pods() {
		if kube.NodeAgentOf(pod) == kube.NaosuAgent && pod.Spec.NodeName != "" && !cluster.Ended(pod) {
			return answer{v1alpha1.MayUnknown, message.English().Say(sentence.PermissionAgent())}
		}
	}
	return answer{v1alpha1.MayUnknown, message.English().Say(sentence.PermissionNoAgent())}
}

// permissionWithoutProvider is the answer where no provider offers an action, and why providers are not available. It is unknown if one
// that is not available owns the machine.
func (c *Reconciler) permissionWithoutProvider(m cloud.Machine) (v1alpha1.May, []string) {
	providers, all := c.providersAndGaps()
	may := v1alpha1.MayNo
	var gaps []string
	for _, gap := range all {
		gaps = append(gaps, message.English().Say(gap.Why))
		if slices.ContainsFunc(providers, func(p cloud.Provider) bool { return p.Name() == gap.Provider && p.Owns(m) }) {
			may = v1alpha1.MayUnknown
		}
	}
	return may, gaps
}

func truncateCondition(s string) string { return textutil.Truncate(s, 1024) }

func truncateGroup(s string) string { return textutil.Truncate(s, 512) }

func truncateStep(s string) string { return textutil.Truncate(s, 4096) }
