package engine

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
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// admissionControllers are the webhooks and policies that the API server calls for an object. The simulation does not call them.
type admissionControllers struct {
	all []admissionController
	// reviewed are objects already matched, by operation, resource, namespace and labels.
	reviewed map[string]bool
	// names are those of the admission controllers that matched any object.
	names map[string]bool
}

// admissionController is a webhook or a policy. It reviews what all of its matches select.
type admissionController struct {
	name    change.Ref
	matches []registrationv1.MatchResources
}

// admissionKinds are the kinds that configure admission controllers.
var admissionKinds = []cluster.Kind{
	cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration, cluster.MutatingAdmissionPolicy,
	cluster.MutatingAdmissionPolicyBinding, cluster.ValidatingAdmissionPolicy, cluster.ValidatingAdmissionPolicyBinding,
}

func newAdmissionControllers(world *cluster.Snapshot) admissionControllers {
	a := admissionControllers{reviewed: map[string]bool{}, names: map[string]bool{}}
	add := func(kind cluster.Kind, name string, matches ...registrationv1.MatchResources) {
		a.all = append(a.all, admissionController{change.Ref{Kind: string(kind), Name: name}, matches})
	}
	for _, o := range world.Objects(cluster.MutatingWebhookConfiguration) {
		for _, w := range o.(*registrationv1.MutatingWebhookConfiguration).Webhooks {
			add(cluster.MutatingWebhookConfiguration, o.GetName(), webhookMatchResources(w.Rules, w.NamespaceSelector, w.ObjectSelector))
		}
	}
	for _, o := range world.Objects(cluster.ValidatingWebhookConfiguration) {
		for _, w := range o.(*registrationv1.ValidatingWebhookConfiguration).Webhooks {
			add(cluster.ValidatingWebhookConfiguration, o.GetName(), webhookMatchResources(w.Rules, w.NamespaceSelector, w.ObjectSelector))
		}
	}
	for _, o := range world.Objects(cluster.ValidatingAdmissionPolicyBinding) {
		binding := o.(*registrationv1.ValidatingAdmissionPolicyBinding).Spec
		policy, is := world.Object(cluster.ValidatingAdmissionPolicy, "", binding.PolicyName).(*registrationv1.ValidatingAdmissionPolicy)
		if is && policy.Spec.MatchConstraints != nil && slices.Contains(binding.ValidationActions, registrationv1.Deny) {
			add(cluster.ValidatingAdmissionPolicy, binding.PolicyName, *policy.Spec.MatchConstraints, bindingMatchResources(binding.MatchResources))
		}
	}
	for _, o := range world.Objects(cluster.MutatingAdmissionPolicyBinding) {
		binding := o.(*registrationv1.MutatingAdmissionPolicyBinding).Spec
		policy, is := world.Object(cluster.MutatingAdmissionPolicy, "", binding.PolicyName).(*registrationv1.MutatingAdmissionPolicy)
		if is && policy.Spec.MatchConstraints != nil {
			add(cluster.MutatingAdmissionPolicy, binding.PolicyName, *policy.Spec.MatchConstraints, bindingMatchResources(binding.MatchResources))
		}
	}
	return a
}

func webhookMatchResources(rules []registrationv1.RuleWithOperations, namespaces, objects *metav1.LabelSelector) registrationv1.MatchResources {
	match := registrationv1.MatchResources{NamespaceSelector: namespaces, ObjectSelector: objects}
	for _, rule := range rules {
		match.ResourceRules = append(match.ResourceRules, registrationv1.NamedRuleWithOperations{RuleWithOperations: rule})
	}
	return match
}

// matchEverything is the rule of a binding that has none.
var matchEverything = []registrationv1.NamedRuleWithOperations{{RuleWithOperations: registrationv1.RuleWithOperations{
	Operations: []registrationv1.OperationType{registrationv1.OperationAll}, Rule: registrationv1.Rule{APIGroups: []string{"*"}, Resources: []string{"*"}},
}}}

// bindingMatchResources are the resources that a binding selects, every one if it does not say.
func bindingMatchResources(of *registrationv1.MatchResources) registrationv1.MatchResources {
	if of == nil {
		of = &registrationv1.MatchResources{}
	}
	match := *of
	if len(match.ResourceRules) == 0 {
		match.ResourceRules = matchEverything
	}
	return match
}

// RecordAdmission records which admission controllers the API server would call for an object that is created or updated.
func (e *Engine) RecordAdmission(o metav1.Object, operation registrationv1.OperationType) {
	if len(e.admissionControllers.all) == 0 {
		return
	}
	gvks, _, err := scheme.Scheme.ObjectKinds(o.(runtime.Object))
	if err != nil {
		return // Only kinds of the Kubernetes API are reviewed.
	}
	resource, _ := meta.UnsafeGuessKindToResource(gvks[0])
	key := string(operation) + resource.String() + o.GetNamespace() + labels.Set(o.GetLabels()).String()
	if e.admissionControllers.reviewed[key] {
		return
	}
	e.admissionControllers.reviewed[key] = true
	for _, a := range e.admissionControllers.all {
		looks := func(match registrationv1.MatchResources) bool {
			return matchesRule(match.ResourceRules, o, resource.Group, resource.Resource, operation) &&
				!matchesRule(match.ExcludeResourceRules, o, resource.Group, resource.Resource, operation) &&
				selectorMatches(match.ObjectSelector, o.GetLabels()) && (o.GetNamespace() == "" || selectorMatches(match.NamespaceSelector, e.namespaceLabels(o)))
		}
		if !slices.ContainsFunc(a.matches, func(match registrationv1.MatchResources) bool { return !looks(match) }) {
			e.admissionControllers.names[a.name.String()] = true
		}
	}
}

// matchesRule reports whether any rule matches an operation on an object. Versions are not compared: by default an admission
// controller is called for each version of what it names (matchPolicy Equivalent).
func matchesRule(rules []registrationv1.NamedRuleWithOperations, o metav1.Object, group, resource string, operation registrationv1.OperationType) bool {
	return slices.ContainsFunc(rules, func(rule registrationv1.NamedRuleWithOperations) bool {
		scoped := rule.Scope == nil || *rule.Scope == registrationv1.AllScopes || (*rule.Scope == registrationv1.NamespacedScope) == (o.GetNamespace() != "")
		return scoped && containsEither(rule.Operations, operation, registrationv1.OperationAll) && containsEither(rule.APIGroups, group, "*") &&
			(containsEither(rule.Resources, resource, "*") || slices.Contains(rule.Resources, "*/*")) &&
			(len(rule.ResourceNames) == 0 || slices.Contains(rule.ResourceNames, o.GetName()))
	})
}

func containsEither[T comparable](list []T, value, wildcard T) bool {
	return slices.Contains(list, value) || slices.Contains(list, wildcard)
}

// selectorMatches reports whether a selector matches labels. An invalid selector matches all.
func selectorMatches(selector *metav1.LabelSelector, of map[string]string) bool {
	if selector == nil {
		return true
	}
	parsed, err := metav1.LabelSelectorAsSelector(selector)
	return err != nil || parsed.Matches(labels.Set(of))
}

// namespaceLabels are the labels of an object's namespace; if the namespace is not known, only the one that carries its name.
func (e *Engine) namespaceLabels(o metav1.Object) map[string]string {
	if namespace := e.World().Namespace(o.GetNamespace()); namespace != nil {
		return namespace.Labels
	}
	return map[string]string{corev1.LabelMetadataName: o.GetNamespace()}
}

// NoteAdmissionControllers notes the admission controllers that the API server would have called.
func (e *Engine) NoteAdmissionControllers() {
	if names := slices.Sorted(maps.Keys(e.admissionControllers.names)); len(names) > 0 {
		e.Gaps.Note("admission", sentence.GapAdmission(message.ListOf(names), len(names)))
	}
}

// NoteUnknownAdmission notes that it is not known which admission controllers are called for applied objects.
func (e *Engine) NoteUnknownAdmission() {
	if slices.ContainsFunc(admissionKinds, func(kind cluster.Kind) bool { return !e.World().Knowledge(kind).Known() }) {
		e.Gaps.Note("admission", sentence.GapAdmissionUnread())
	}
}
