package simulation

import (
	"maps"
	"slices"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// admitters are the webhooks and policies that the API server asks about objects, and that are not asked here.
type admitters struct {
	all []admitter
	// asked are objects that were looked at already, by what tells one from another to an admitter.
	asked map[string]bool
	// names are those of the admitters that match any.
	names map[string]bool
}

// admitter is a webhook or a policy. It looks at what each of its matches lets through.
type admitter struct {
	name    change.Ref
	matches []registrationv1.MatchResources
}

// admissionKinds are the kinds that admitters are configured by.
var admissionKinds = []cluster.Kind{
	cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration, cluster.MutatingAdmissionPolicy,
	cluster.MutatingAdmissionPolicyBinding, cluster.ValidatingAdmissionPolicy, cluster.ValidatingAdmissionPolicyBinding,
}

func newAdmitters(world *cluster.Snapshot) admitters {
	a := admitters{asked: map[string]bool{}, names: map[string]bool{}}
	add := func(kind cluster.Kind, name string, matches ...registrationv1.MatchResources) {
		a.all = append(a.all, admitter{change.Ref{Kind: string(kind), Name: name}, matches})
	}
	for _, o := range world.Objects(cluster.MutatingWebhookConfiguration) {
		for _, w := range o.(*registrationv1.MutatingWebhookConfiguration).Webhooks {
			add(cluster.MutatingWebhookConfiguration, o.GetName(), ofWebhook(w.Rules, w.NamespaceSelector, w.ObjectSelector))
		}
	}
	for _, o := range world.Objects(cluster.ValidatingWebhookConfiguration) {
		for _, w := range o.(*registrationv1.ValidatingWebhookConfiguration).Webhooks {
			add(cluster.ValidatingWebhookConfiguration, o.GetName(), ofWebhook(w.Rules, w.NamespaceSelector, w.ObjectSelector))
		}
	}
	for _, o := range world.Objects(cluster.ValidatingAdmissionPolicyBinding) {
		binding := o.(*registrationv1.ValidatingAdmissionPolicyBinding).Spec
		policy, is := world.Object(cluster.ValidatingAdmissionPolicy, "", binding.PolicyName).(*registrationv1.ValidatingAdmissionPolicy)
		if is && policy.Spec.MatchConstraints != nil && slices.Contains(binding.ValidationActions, registrationv1.Deny) {
			add(cluster.ValidatingAdmissionPolicy, binding.PolicyName, *policy.Spec.MatchConstraints, all(binding.MatchResources))
		}
	}
	for _, o := range world.Objects(cluster.MutatingAdmissionPolicyBinding) {
		binding := o.(*registrationv1.MutatingAdmissionPolicyBinding).Spec
		policy, is := world.Object(cluster.MutatingAdmissionPolicy, "", binding.PolicyName).(*registrationv1.MutatingAdmissionPolicy)
		if is && policy.Spec.MatchConstraints != nil {
			add(cluster.MutatingAdmissionPolicy, binding.PolicyName, *policy.Spec.MatchConstraints, all(binding.MatchResources))
		}
	}
	return a
}

func ofWebhook(rules []registrationv1.RuleWithOperations, namespaces, objects *metav1.LabelSelector) registrationv1.MatchResources {
	match := registrationv1.MatchResources{NamespaceSelector: namespaces, ObjectSelector: objects}
	for _, rule := range rules {
		match.ResourceRules = append(match.ResourceRules, registrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	return match
}

// anything is the rule of a binding that has none.
var anything = []registrationv1.NamedRuleWithOperations{{RuleWithOperations: registrationv1.RuleWithOperations{
	Operations: []registrationv1.OperationType{registrationv1.OperationAll}, Rule: registrationv1.Rule{APIGroups: []string{"*"}, Resources: []string{"*"}},
}}}

// all are the resources of a binding, every one if it does not say.
func all(of *registrationv1.MatchResources) registrationv1.MatchResources {
	if of == nil {
		of = &registrationv1.MatchResources{}
	}
	match := *of
	if len(match.ResourceRules) == 0 {
		match.ResourceRules = anything
	}
	return match
}

// admitted notes who would have been asked about an object that is created or updated.
func (f *future) admitted(o metav1.Object, operation registrationv1.OperationType) {
	if len(f.admitters.all) == 0 {
		return
	}
	gvks, _, err := scheme.Scheme.ObjectKinds(o.(runtime.Object))
	if err != nil {
		return // Kinds of a Snapshot alone are created.
	}
	resource, _ := meta.UnsafeGuessKindToResource(gvks[0])
	key := string(operation) + resource.String() + o.GetNamespace() + labels.Set(o.GetLabels()).String()
	if f.admitters.asked[key] {
		return
	}
	f.admitters.asked[key] = true
	for _, a := range f.admitters.all {
		looks := func(match registrationv1.MatchResources) bool {
			return ruled(match.ResourceRules, o, resource.Group, resource.Resource, operation) &&
				!ruled(match.ExcludeResourceRules, o, resource.Group, resource.Resource, operation) &&
				selected(match.ObjectSelector, o.GetLabels()) && (o.GetNamespace() == "" || selected(match.NamespaceSelector, f.labelsOfNamespace(o)))
		}
		if !slices.ContainsFunc(a.matches, func(match registrationv1.MatchResources) bool { return !looks(match) }) {
			f.admitters.names[a.name.String()] = true
		}
	}
}

// ruled says whether any rule is about an operation on an object. Versions are not looked at: by default an admitter is asked about
// each version of what it names (matchPolicy Equivalent).
func ruled(rules []registrationv1.NamedRuleWithOperations, o metav1.Object, group, resource string, operation registrationv1.OperationType) bool {
	return slices.ContainsFunc(rules, func(rule registrationv1.NamedRuleWithOperations) bool {
		scoped := rule.Scope == nil || *rule.Scope == registrationv1.AllScopes || (*rule.Scope == registrationv1.NamespacedScope) == (o.GetNamespace() != "")
		return scoped && has(rule.Operations, operation, registrationv1.OperationAll) && has(rule.APIGroups, group, "*") &&
			(has(rule.Resources, resource, "*") || slices.Contains(rule.Resources, "*/*")) &&
			(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, o.GetName()))
	})
}

func has[T comparable](list []T, one, every T) bool {
	return slices.Contains(list, one) || slices.Contains(list, every)
}

// selected says whether a selector takes labels. One that cannot be read takes all.
func selected(selector *metav1.LabelSelector, of map[string]string) bool {
	if selector == nil {
		return true
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err != nil || parsed.Matches(labels.Set(of))
}

// labelsOfNamespace are those of an object's namespace, or what is known of them by its name.
func (f *future) labelsOfNamespace(o metav1.Object) map[string]string {
	if namespace := f.world().Namespace(o.GetNamespace()); namespace != nil {
		return namespace.Labels
	}
	return map[string]string{corev1.LabelMetadataName: o.GetNamespace()}
}

// noteAdmitters says who would have been asked, or that it is not known.
func (f *future) noteAdmitters() {
	if names := slices.Sorted(maps.Keys(f.admitters.names)); len(names) > 0 {
		f.gaps.note("admission", message.Of(message.GapAdmission, message.Args{"names": names, "n": len(names)}))
	}
}

// noteUnreadAdmitters says that it is not known who is asked about what is applied.
func (f *future) noteUnreadAdmitters() {
	if slices.ContainsFunc(admissionKinds, func(kind cluster.Kind) bool { return !f.world().Knowledge(kind).Known() }) {
		f.gaps.note("admission", message.Of(message.GapAdmissionUnread, nil))
	}
}
