package status

import (
	"context"
	"regexp"
	"slices"
	"strconv"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

const (
	// requestLimit is how many seconds the API server gives the creation of an object (apiserver, endpoints/handlers,
	// requestTimeoutUpperBound).
	requestLimit = 34
	// hookSeconds are what a webhook is given that does not say (k8s.io/api/admissionregistration/v1, timeoutSeconds).
	hookSeconds = 10
	// fewHookSeconds are enough for a webhook that answers.
	fewHookSeconds = 5
)

// hook is an admission webhook.
type hook struct {
	config   change.Ref
	name     string
	mutating bool
	service  *admissionv1.ServiceReference
	rules    []admissionv1.RuleWithOperations
	// namespaces and objects select; nil selects everything.
	namespaces, objects *metav1.LabelSelector
	timeout             *int32
}

func (h hook) seconds() int {
	if h.timeout == nil {
		return hookSeconds
	}
	return int(*h.timeout)
}

// hooks are all admission webhooks.
func (s *Status) hooks() []hook {
	var all []hook
	for _, config := range s.World.MutatingWebhooks() {
		for i := range config.Webhooks {
			w := &config.Webhooks[i]
			all = append(all, hook{
				facts.RefTo(cluster.MutatingWebhookConfiguration, config), w.Name, true, w.ClientConfig.Service, w.Rules, w.NamespaceSelector, w.ObjectSelector, w.TimeoutSeconds,
			})
		}
	}
	for _, config := range s.World.ValidatingWebhooks() {
		for i := range config.Webhooks {
			w := &config.Webhooks[i]
			all = append(all, hook{
				facts.RefTo(cluster.ValidatingWebhookConfiguration, config), w.Name, false, w.ClientConfig.Service, w.Rules, w.NamespaceSelector, w.ObjectSelector, w.TimeoutSeconds,
			})
		}
	}
	return all
}

// serviceOf reads a Service's namespace and name from the URL that the API server calls a webhook by.
var serviceOf = regexp.MustCompile(`https://([a-z0-9-]+)\.([a-z0-9-]+)\.svc[:/]`)

// webhooks follows what the API server says of admission webhooks to their Services, and to what they may take together.
func (s *Status) webhooks(ctx context.Context, controller metav1.Object, id message.ID, args message.Args, text string) {
	switch id {
	case message.RefusedWebhookSilent, message.RefusedWebhookCert:
		s.webhookSilent(ctx, id, args, text)
	case message.RefusedTimeout:
		s.webhooksSlow(ctx, controller)
	}
}

// webhookSilent is about a webhook that does not answer, or not by a certificate that is trusted.
func (s *Status) webhookSilent(ctx context.Context, id message.ID, args message.Args, text string) {
	if named := serviceOf.FindStringSubmatch(text); named != nil && id == message.RefusedWebhookSilent { // Else it has answered.
		s.behind(ctx, change.Ref{Kind: string(cluster.Service), Namespace: named[2], Name: named[1]})
	}
	hooks := slices.DeleteFunc(s.hooks(), func(h hook) bool { return h.name != args["webhook"] })
	if len(hooks) == 0 {
		s.Needs(cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration)
	}
	for _, h := range hooks {
		args := message.Args{"webhook": h.name, "config": h.config}
		done := change.Patch{Object: h.config, Patch: hookPatch(h, `"failurePolicy":"Ignore"`)}
		s.remedy(s.way(done, message.RemedyIgnoreHook, message.RemedyIgnoreHookCost, message.RemedyIgnoreHookRisk, args))
	}
}

// hookPatch changes a field of a webhook, which its configuration knows by its name.
func hookPatch(h hook, field string) string {
	return `{"webhooks":[{"name":` + strconv.Quote(h.name) + `,` + field + `}]}`
}

// webhooksSlow is about webhooks that may together take longer than the API server waits: those that mutate are called one
// after the other, those that validate side by side.
func (s *Status) webhooksSlow(ctx context.Context, controller metav1.Object) {
	s.Needs(cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration)
	var called []hook
	var names []string
	var evidence []finding.Evidence
	total, longest := 0, 0
	for _, h := range s.hooks() {
		if !s.calls(h, controller) {
			continue
		}
		called, names = append(called, h), append(names, h.name)
		if h.mutating {
			total += h.seconds()
		} else {
			longest = max(longest, h.seconds())
		}
		value := ""
		if h.timeout != nil {
			value = strconv.Itoa(int(*h.timeout))
		}
		evidence = append(evidence, facts.Fact(h.config, "webhooks["+h.name+"].timeoutSeconds", value))
	}
	if len(called) == 0 {
		return
	}
	total += longest
	args := message.Args{"n": len(called), "webhooks": names, "seconds": total, "limit": requestLimit, "more": total > requestLimit}
	s.because(message.WebhooksTake, args, evidence...)
	for _, h := range called {
		if h.service != nil {
			s.behind(ctx, change.Ref{Kind: string(cluster.Service), Namespace: h.service.Namespace, Name: h.service.Name})
		}
		if total > requestLimit && h.seconds() > fewHookSeconds {
			args := message.Args{"webhook": h.name, "config": h.config, "seconds": fewHookSeconds}
			done := change.Patch{Object: h.config, Patch: hookPatch(h, `"timeoutSeconds":`+strconv.Itoa(fewHookSeconds))}
			s.remedy(s.way(done, message.RemedyHookTimeout, message.RemedyHookTimeoutCost, message.RemedyHookTimeoutRisk, args))
		}
	}
}

// calls says whether the API server calls a webhook for the pods that a controller makes, by all that can be told without
// matchConditions.
func (s *Status) calls(h hook, controller metav1.Object) bool {
	template := facts.TemplateOf(controller)
	if template == nil || !slices.ContainsFunc(h.rules, ofPods) || !selects(h.objects, template.Labels) {
		return false
	}
	namespace := s.World.Namespace(controller.GetNamespace())
	if namespace == nil {
		return h.namespaces == nil || len(h.namespaces.MatchLabels)+len(h.namespaces.MatchExpressions) == 0
	}
	return selects(h.namespaces, namespace.Labels)
}

// selects reads a webhook's selector, of which none selects everything.
func selects(selector *metav1.LabelSelector, of map[string]string) bool {
	if selector == nil {
		return true
	}
	chosen, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && chosen.Matches(labels.Set(of))
}

// ofPods says whether a rule is about the creation of pods.
func ofPods(r admissionv1.RuleWithOperations) bool {
	any := func(of []string, words ...string) bool {
		return slices.ContainsFunc(of, func(one string) bool { return slices.Contains(words, one) })
	}
	create := slices.Contains(r.Operations, admissionv1.Create) || slices.Contains(r.Operations, admissionv1.OperationAll)
	return create && any(r.APIGroups, "", "*") && any(r.APIVersions, "v1", "*") && any(r.Resources, "pods", "*", "*/*") &&
		(r.Scope == nil || *r.Scope != admissionv1.ClusterScope)
}
