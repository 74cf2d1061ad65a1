package engine_test

import (
	"testing"

	registrationv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/internal/simulation"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
	"github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// about is a webhook rule for the creation of resources.
func about(group string, resources ...string) registrationv1.RuleWithOperations {
	return registrationv1.RuleWithOperations{
		Operations: []registrationv1.OperationType{registrationv1.Create},
		Rule:       registrationv1.Rule{APIGroups: []string{group}, APIVersions: []string{"v1"}, Resources: resources},
	}
}

func labelSelector(key, value string) *metav1.LabelSelector {
	return &metav1.LabelSelector{MatchLabels: map[string]string{key: value}}
}

func webhook(name string, rule registrationv1.RuleWithOperations, namespaces, objects *metav1.LabelSelector) runtime.Object {
	return &registrationv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Webhooks: []registrationv1.ValidatingWebhook{{
			Name: name + ".example.com", Rules: []registrationv1.RuleWithOperations{rule}, NamespaceSelector: namespaces, ObjectSelector: objects,
		}},
	}
}

// policy is one that denies, bound unless actions are nil.
func policy(name string, rule registrationv1.RuleWithOperations, actions ...registrationv1.ValidationAction) []runtime.Object {
	match := &registrationv1.MatchResources{ResourceRules: []registrationv1.NamedRuleWithOperations{{RuleWithOperations: rule}}}
	one := &registrationv1.ValidatingAdmissionPolicy{ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: registrationv1.ValidatingAdmissionPolicySpec{MatchConstraints: match}}
	if actions == nil {
		return []runtime.Object{one}
	}
	return []runtime.Object{one, &registrationv1.ValidatingAdmissionPolicyBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Spec: registrationv1.ValidatingAdmissionPolicyBindingSpec{PolicyName: name, ValidationActions: actions},
	}}
}

// TestAdmissionControllers names those that the API server would call for what is created, and no others.
func TestAdmissionControllers(t *testing.T) {
	configured := testworld.Objects{
		webhook("pods", about("", "pods"), nil, nil),
		webhook("everything", about("*", "*/*"), nil, nil),
		webhook("here", about("", "pods"), labelSelector("team", "a"), nil),
		webhook("elsewhere", about("", "pods"), labelSelector("team", "b"), nil),
		webhook("web", about("", "pods"), nil, labelSelector("app", "web")),
		webhook("others", about("", "pods"), nil, labelSelector("app", "other")),
		webhook("deployments", about("apps", "deployments"), nil, nil),
		webhook("subresources", about("", "pods/exec"), nil, nil),
		&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "default", Labels: map[string]string{"team": "a"}}},
	}
	for _, more := range [][]runtime.Object{
		policy("denies", about("", "pods"), registrationv1.Deny), policy("warns", about("", "pods"), registrationv1.Warn), policy("unbound", about("", "pods")),
	} {
		configured = append(configured, more...)
	}
	w := testworld.Of(testworld.Node("n1", "a"), testworld.Deployment("web", testworld.Template("web", "1"), "n1"), configured)
	pods := []string{
		"validatingadmissionpolicy/denies", "validatingwebhookconfiguration/everything", "validatingwebhookconfiguration/here",
		"validatingwebhookconfiguration/pods", "validatingwebhookconfiguration/web",
	}
	scale := change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 2}
	expectSaid(t, w.Run(t, scale), sentence.GapAdmission(message.ListOf(pods), len(pods)))
	expectSaid(t, w.Run(t, change.ScaleWorkload{Kind: "Deployment", Namespace: "default", Name: "web", Replicas: 1}))

	// The applied object is reviewed, too.
	known := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete}
	applied := change.Apply{From: "-", Objects: []runtime.Object{testworld.NewDeployment(0, testworld.Template("new", "1"))}}
	future := func(o testworld.Objects) outcome.Outcome {
		t.Helper()
		judge, err := scheduling.New(t.Context(), cluster.New(cluster.Contents{Objects: o, Taken: testworld.Epoch, Knowledge: known}), scheduling.Options{Seed: 1})
		if err != nil {
			t.Fatal(err)
		}
		result, err := simulation.Run(t.Context(), judge, []change.Change{applied}, simulation.Options{})
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
	expectSaid(t, future(testworld.Of(testworld.Node("n1", "a"))), sentence.GapAdmissionUnread())
	for _, kind := range []cluster.Kind{
		cluster.MutatingWebhookConfiguration, cluster.ValidatingWebhookConfiguration, cluster.MutatingAdmissionPolicy,
		cluster.MutatingAdmissionPolicyBinding, cluster.ValidatingAdmissionPolicy, cluster.ValidatingAdmissionPolicyBinding,
	} {
		known[kind] = cluster.Complete
	}
	expectSaid(t, future(testworld.Of(testworld.Node("n1", "a"))))
	both := []string{"validatingwebhookconfiguration/deployments", "validatingwebhookconfiguration/everything"}
	expectSaid(t, future(w), sentence.GapAdmission(message.ListOf(both), len(both)))
}

// expectSaid compares the gaps about admission.
func expectSaid(t *testing.T, o outcome.Outcome, want ...message.Sentence) {
	t.Helper()
	var got []string
	for _, gap := range o.NotModelled {
		if gap.About == "admission" {
			got = append(got, message.English().Say(gap.Why))
		}
	}
	var said []string
	for _, s := range want {
		said = append(said, message.English().Say(s))
	}
	if len(got) != len(said) || len(got) > 0 && got[0] != said[0] {
		t.Errorf("said %q, want %q", got, said)
	}
}
