// Package medik8s reads what medik8s' NodeHealthChecks repair. It changes nothing.
package medik8s

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
)

// +kubebuilder:rbac:groups=remediation.medik8s.io,resources=nodehealthchecks,verbs=list

var kind = schema.GroupKind{Group: "remediation.medik8s.io", Kind: "NodeHealthCheck"}

// Provider runs no machines: it only reads what repairs them. It is safe for concurrent use.
type Provider struct{ client client.Client }

var _ interface {
	cloud.Provider
	cloud.Repairers
} = (*Provider)(nil)

// New returns a provider that finds nothing where medik8s is not installed.
func New(c client.Client) *Provider { return &Provider{c} }

// Name is medik8s.
func (p *Provider) Name() string { return "medik8s" }

// Owns is true of every machine, because a NodeHealthCheck may select any. No action is offered.
func (p *Provider) Owns(cloud.Machine) bool { return true }

// Repairers are the NodeHealthChecks that are neither paused nor disabled. What they do depends on the remediation template, and is unknown.
// https://github.com/medik8s/node-healthcheck-operator/blob/main/docs/configuration.md
func (p *Provider) Repairers(ctx context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	checks, err := object.List(ctx, p.client, kind)
	if err != nil {
		everything := cloud.Repairer{By: change.Ref{Kind: kind.Kind, Name: "*"}}
		for _, m := range machines {
			everything.Nodes = append(everything.Nodes, m.Node)
		}
		return object.UnknownRepairer(everything, err)
	}
	var repairers []cloud.Repairer
	for _, check := range checks {
		if isPausedOrDisabled(check) {
			continue
		}
		found, err := repairer(check, machines)
		if err != nil {
			return nil, err
		}
		if len(found.Nodes) > 0 {
			repairers = append(repairers, found)
		}
	}
	return repairers, nil
}

func isPausedOrDisabled(check unstructured.Unstructured) bool {
	paused, _, _ := unstructured.NestedSlice(check.Object, "spec", "pauseRequests")
	phase, _, _ := unstructured.NestedString(check.Object, "status", "phase")
	return len(paused) > 0 || phase == "Disabled"
}

func repairer(check unstructured.Unstructured, machines []cloud.Machine) (cloud.Repairer, error) {
	found := cloud.Repairer{By: change.Ref{Kind: check.GetKind(), Name: check.GetName()}, Rules: rules(check)}
	selector, _, err := unstructured.NestedMap(check.Object, "spec", "selector")
	if err != nil {
		return found, err
	}
	for _, m := range machines {
		selected, err := object.Selects(selector, m.Labels)
		if err != nil {
			return found, err
		}
		if selected {
			found.Nodes = append(found.Nodes, m.Node)
		}
	}
	return found, nil
}

func rules(check unstructured.Unstructured) []cloud.RepairerRule {
	conditions, _, _ := unstructured.NestedSlice(check.Object, "spec", "unhealthyConditions")
	var found []cloud.RepairerRule
	for _, one := range conditions {
		fields, _ := one.(map[string]any)
		condition, _, _ := unstructured.NestedString(fields, "type")
		status, _, _ := unstructured.NestedString(fields, "status")
		text, _, _ := unstructured.NestedString(fields, "duration")
		wait, _ := time.ParseDuration(text)
		found = append(found, cloud.RepairerRule{Condition: corev1.NodeConditionType(condition), Status: corev1.ConditionStatus(status), For: wait})
	}
	return found
}
