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
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const (
	// requestLimit is the API server's timeout for creating an object, in seconds (apiserver, endpoints/handlers,
	// requestTimeoutUpperBound).
	requestLimit = 34
	// defaultWebhookTimeout is the default of timeoutSeconds (k8s.io/api/admissionregistration/v1).
	defaultWebhookTimeout = 10
	// shortWebhookTimeout is enough for a webhook that responds.
	shortWebhookTimeout = 5
)

// webhook is an admission webhook.
type webhook struct {
	config   change.Ref
	name     string
	mutating bool
	service  *admissionv1.ServiceReference
	rules    []admissionv1.RuleWithOperations
	// namespaceSelector and objects select; nil selects everything.
	namespaceSelector, objectSelector *metav1.LabelSelector
	timeout                           *int32
}

func (h webhook) seconds() int {
	if h.timeout == nil {
		return defaultWebhookTimeout
	}
	return int(*h.timeout)
}

// allWebhooks are all admission webhooks.
func (s *Status) allWebhooks() []webhook {
	var all []webhook
	for _, config := range s.World.MutatingWebhooks() {
		for i := range config.Webhooks {
			w := &config.Webhooks[i]
			all = append(all, webhook{
				facts.RefTo(cluster.MutatingWebhookConfiguration, config), w.Name, true, w.ClientConfig.Service, w.Rules, w.NamespaceSelector, w.ObjectSelector, w.TimeoutSeconds,
			})
		}
	}
	for _, config := range s.World.ValidatingWebhooks() {
		for i := range config.Webhooks {
			w := &config.Webhooks[i]
			all = append(all, webhook{
				facts.RefTo(cluster.ValidatingWebhookConfiguration, config), w.Name, false, w.ClientConfig.Service, w.Rules, w.NamespaceSelector, w.ObjectSelector, w.TimeoutSeconds,
			})
		}
	}
	return all
}

// webhookService matches a Service's namespace and name in the URL of a webhook.
var webhookService = regexp.MustCompile(`https://([a-z0-9-]+)\.([a-z0-9-]+)\.svc[:/]`)

// webhookNotAnswering explains a webhook that does not respond, or whose certificate is not trusted.
func (s *Status) webhookNotAnswering(ctx context.Context, id message.ID, text string) {
	if named := webhookService.FindStringSubmatch(text); named != nil && id == message.RefusedWebhookSilent { // Otherwise, it has responded.
		s.explainService(ctx, change.Ref{Kind: string(cluster.Service), Namespace: named[2], Name: named[1]})
	}
	hooks := slices.DeleteFunc(s.allWebhooks(), func(h webhook) bool { return h.name != webhookIn(text) })
	cert := id == message.RefusedWebhookCert
	if len(hooks) == 0 {
		s.AddUnknownKinds(cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration)
		s.addRemedies(finding.Remedy{Message: sentence.RemedyFindHook(webhookIn(text), cert), Command: change.ListWebhooks()})
	}
	for _, h := range hooks {
		if cert {
			s.advise(sentence.RemedyHookCert(h.name, h.config))
		}
		done := change.Patch{Object: h.config, Patch: webhookPatch(h, `"failurePolicy":"Ignore"`)}
		s.addRemedies(s.propose(done, sentence.RemedyIgnoreHook(h.name), sentence.RemedyIgnoreHookCost(), sentence.RemedyIgnoreHookRisk(h.config)))
	}
}

// webhookPatch patches a field of the webhook of a given name in a configuration.
func webhookPatch(h webhook, field string) string {
	return `{"webhooks":[{"name":` + strconv.Quote(h.name) + `,` + field + `}]}`
}

// webhooksSlow explains webhooks whose timeouts exceed the API server's in sum: mutating webhooks are called one after the
// other, validating ones in parallel.
func (s *Status) webhooksSlow(ctx context.Context, controller metav1.Object) {
	s.AddUnknownKinds(cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration)
	var called []webhook
	var names []string
	var evidence []finding.Evidence
	total, longest := 0, 0
	for _, h := range s.allWebhooks() {
		if !s.callsWebhook(h, controller) {
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
		evidence = append(evidence, facts.Evidence(h.config, "webhooks["+h.name+"].timeoutSeconds", value))
	}
	if len(called) == 0 {
		s.addRemedies(finding.Remedy{Message: sentence.RemedyFindSlowHooks(requestLimit), Command: change.ListWebhooks()})
		return
	}
	total += longest

	s.addCause(sentence.WebhooksTake(len(called), message.ListOf(names), total, total > requestLimit, requestLimit), evidence...)
	for _, h := range called {
		if h.service != nil {
			s.explainService(ctx, change.Ref{Kind: string(cluster.Service), Namespace: h.service.Namespace, Name: h.service.Name})
		}
		if total > requestLimit && h.seconds() > shortWebhookTimeout {
			done := change.Patch{Object: h.config, Patch: webhookPatch(h, `"timeoutSeconds":`+strconv.Itoa(shortWebhookTimeout))}
			s.addRemedies(s.propose(done, sentence.RemedyHookTimeout(h.name, shortWebhookTimeout), sentence.RemedyHookTimeoutCost(), sentence.RemedyHookTimeoutRisk(h.config)))
		}
	}
}

// callsWebhook reports whether the API server calls a webhook for the pods of a controller; matchConditions are not evaluated.
func (s *Status) callsWebhook(h webhook, controller metav1.Object) bool {
	template := kube.PodTemplate(controller)
	if template == nil || !slices.ContainsFunc(h.rules, matchesPodCreation) || !selects(h.objectSelector, template.Labels) {
		return false
	}
	namespace := s.World.Namespace(controller.GetNamespace())
	if namespace == nil {
		return h.namespaceSelector == nil || len(h.namespaceSelector.MatchLabels)+len(h.namespaceSelector.MatchExpressions) == 0
	}
	return selects(h.namespaceSelector, namespace.Labels)
}

// selects reports whether a webhook's selector matches; none matches everything.
func selects(selector *metav1.LabelSelector, of map[string]string) bool {
	if selector == nil {
		return true
	}
	chosen, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && chosen.Matches(labels.Set(of))
}

// matchesPodCreation reports whether a rule matches the creation of pods.
func matchesPodCreation(r admissionv1.RuleWithOperations) bool {
	any := func(of []string, words ...string) bool {
		return slices.ContainsFunc(of, func(one string) bool { return slices.Contains(words, one) })
	}
	create := slices.Contains(r.Operations, admissionv1.Create) || slices.Contains(r.Operations, admissionv1.OperationAll)
	return create && any(r.APIGroups, "", "*") && any(r.APIVersions, "v1", "*") && any(r.Resources, "pods", "*", "*/*") &&
		(r.Scope == nil || *r.Scope != admissionv1.ClusterScope)
}
