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
	"github.com/naosu-dev/naosu/internal/textutil"
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
			if known, ok := c.lately(policy, action, asked); ok {
				all = append(all, known)
				continue
			}
			told := summary(asked.kinds, c.ask(ctx, action, asked))
			told.Action, told.Actuator, told.At = action, asked.name, metav1.NewTime(c.Clock.Now())
			all = append(all, told)
		}
	}
	return all
}

// lately is an answer that is young enough, and about the groups that there are now.
func (c *Concern) lately(policy *v1alpha1.NodeRepairPolicy, action v1alpha1.Action, asked actuator) (v1alpha1.Permission, bool) {
	at := slices.IndexFunc(policy.Status.Permissions, func(p v1alpha1.Permission) bool { return p.Action == action && p.Actuator == asked.name })
	if at < 0 || c.Clock.Since(policy.Status.Permissions[at].At.Time) > askedAgain {
		return v1alpha1.Permission{}, false
	}
	known := policy.Status.Permissions[at]
	var about []string
	for _, group := range known.Groups {
		about = append(about, group.Name)
	}
	return known, slices.Equal(about, groupsOf(asked.kinds))
}

// mayOf is what a policy's status says of whether an actuator is let to act on a node of a group; empty if nobody was asked.
func mayOf(policy *v1alpha1.NodeRepairPolicy, actuator string, action v1alpha1.Action, group string) v1alpha1.May {
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

// actuator is who would be asked for an action, and about what.
type actuator struct {
	name     string
	provider cloud.Provider
	// kinds are those of the machines; of the agent, which is not asked by machine, none.
	kinds []machineKind
}

// actuators are those who would be asked for an action on nodes, each once; nobody is among them if a node has none.
func (c *Concern) actuators(action v1alpha1.Action, nodes []*corev1.Node) []actuator {
	if action == v1alpha1.ActionRestartService {
		return []actuator{{name: agentName}}
	}
	var all []actuator
	of, providers := map[string][]*corev1.Node{}, c.providers()
	for _, node := range nodes {
		one := actuator{name: nobody}
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

// answer is what came of asking about one kind of machine.
type answer struct {
	may v1alpha1.May
	why string
}

// ask asks whether an action would be let through, without taking it: the cluster first, since a node is drained before its
// machine is touched, and then who runs the machines, about one machine of each kind. There is one answer for each kind, and one
// of an actuator that is not asked by machine.
func (c *Concern) ask(ctx context.Context, action v1alpha1.Action, asked actuator) []answer {
	say := message.English()
	if asked.name == nobody {
		var answers []answer
		for _, kind := range asked.kinds {
			may, gaps := c.notAsked(kind.machine)
			answers = append(answers, answer{may, say.Text(message.PermissionNobody, message.Args{"machine": kind.machine.Node, "gaps": gaps})})
		}
		return answers
	}
	for _, right := range rightsTo(action) {
		if may, why := c.allowed(ctx, right); may != v1alpha1.MayYes {
			return slices.Repeat([]answer{{may, say.Say(why)}}, max(1, len(asked.kinds)))
		}
	}
	if asked.name == agentName {
		return []answer{c.agentMay()}
	}
	permitter, ok := asked.provider.(cloud.Permitter)
	if !ok {
		return slices.Repeat([]answer{{v1alpha1.MayUnknown, say.Text(message.PermissionNotAsked, message.Args{"actuator": asked.name})}}, len(asked.kinds))
	}
	var answers []answer
	for _, kind := range asked.kinds[:min(len(asked.kinds), mostAsked)] {
		permission, err := permitter.May(ctx, action, kind.machine)
		if err != nil { // Who does not answer is not kept waiting for about the others.
			silent := answer{v1alpha1.MayUnknown, say.Text(message.PermissionUnanswered, message.Args{"actuator": asked.name, "words": err.Error()})}
			return append(answers, slices.Repeat([]answer{silent}, len(asked.kinds)-len(answers))...)
		}
		answers = append(answers, answer{permission.May, say.Say(permission.Why)})
	}
	left := answer{v1alpha1.MayUnknown, say.Text(message.PermissionLeft, message.Args{"asked": len(answers), "kinds": len(asked.kinds)})}
	return append(answers, slices.Repeat([]answer{left}, len(asked.kinds)-len(answers))...)
}

// agentMay is whether agents of naosu run, whose rights are their own.
func (c *Concern) agentMay() answer {
	for _, pod := range c.World().Pods() {
		if kube.NodeAgentOf(pod) == kube.NaosuAgent && pod.Spec.NodeName != "" && !cluster.Ended(pod) {
			return answer{v1alpha1.MayUnknown, message.English().Text(message.PermissionAgent, nil)}
		}
	}
	return answer{v1alpha1.MayUnknown, message.English().Text(message.PermissionNoAgent, nil)}
}

// notAsked are why providers could not be asked, and whether one of them may yet act on a machine: it is not known, as long as
// one is that it would be the machine of.
func (c *Concern) notAsked(m cloud.Machine) (v1alpha1.May, []string) {
	providers, all := c.machines()
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

func short(s string) string { return textutil.Truncate(s, 1024) }

func shorter(s string) string { return textutil.Truncate(s, 512) }

func cut(s string) string { return textutil.Truncate(s, 4096) }
