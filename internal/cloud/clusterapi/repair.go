package clusterapi

import (
	"context"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
)

// Repairers are the MachineHealthChecks with conditions of nodes. One without any acts only on annotated Machines.
func (p *Provider) Repairers(ctx context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	owned := map[client.ObjectKey]string{}
	everything := cloud.Repairer{By: change.Ref{Kind: healthCheckKind.Kind, Name: "*"}}
	for _, m := range machines {
		if p.Owns(m) {
			owned[keyOf(m)] = m.Node
			everything.Nodes = append(everything.Nodes, m.Node)
		}
	}
	if len(owned) == 0 {
		return nil, nil
	}
	checks, err := object.List(ctx, p.client, healthCheckKind)
	if err != nil {
		return object.UnknownRepairer(everything, err)
	}
	if len(checks) == 0 {
		return nil, nil
	}
	all, err := object.List(ctx, p.client, machineKind)
	if err != nil {
		return object.UnknownRepairer(everything, err)
	}
	var repairers []cloud.Repairer
	for _, check := range checks {
		found, err := repairer(check, all, owned)
		if err != nil {
			unread, err := object.UnknownRepairer(found, err)
			if err != nil {
				return nil, err
			}
			found = unread[0]
		}
		if len(found.Nodes) > 0 && (len(found.Rules) > 0 || !found.Known()) {
			repairers = append(repairers, found)
		}
	}
	return repairers, nil
}

// repairer is one MachineHealthCheck with the nodes that it covers.
func repairer(check unstructured.Unstructured, machines []unstructured.Unstructured, owned map[client.ObjectKey]string) (cloud.Repairer, error) {
	found := cloud.Repairer{By: change.Ref{Kind: check.GetKind(), Namespace: check.GetNamespace(), Name: check.GetName()}}
	for _, machine := range machines {
		node, is := owned[client.ObjectKeyFromObject(&machine)]
		if !is {
			continue
		}
		covered, err := covers(check, machine)
		if err != nil {
			found.Nodes = append(found.Nodes, node)
			return found, err
		}
		if covered && !skipsRemediation(machine) {
			found.Nodes = append(found.Nodes, node)
		}
	}
	found.Rules = rules(check)
	return found, nil
}

func skipsRemediation(machine unstructured.Unstructured) bool {
	annotations := machine.GetAnnotations()
	_, skipped := annotations[annotationSkip]
	_, paused := annotations[annotationPaused]
	return skipped || paused
}

// covers says whether a check is about a Machine: of its cluster, in its namespace, and selected.
func covers(check, machine unstructured.Unstructured) (bool, error) {
	if _, paused := check.GetAnnotations()[annotationPaused]; paused || check.GetNamespace() != machine.GetNamespace() {
		return false, nil
	}
	cluster, _, _ := unstructured.NestedString(check.Object, "spec", "clusterName")
	if cluster != machine.GetLabels()["cluster.x-k8s.io/cluster-name"] {
		return false, nil
	}
	selector, _, err := unstructured.NestedMap(check.Object, "spec", "selector")
	if err != nil {
		return false, err
	}
	return object.Selects(selector, machine.GetLabels())
}

// rules reads the conditions of nodes from either version: v1beta2 has spec.checks.unhealthyNodeConditions with seconds,
// v1beta1 spec.unhealthyConditions with a duration.
func rules(check unstructured.Unstructured) []cloud.RepairerRule {
	conditions, _, _ := unstructured.NestedSlice(check.Object, "spec", "checks", "unhealthyNodeConditions")
	older, _, _ := unstructured.NestedSlice(check.Object, "spec", "unhealthyConditions")
	action := v1alpha1.ActionReplace
	for _, elsewhere := range [][]string{{"spec", "remediation", "templateRef"}, {"spec", "remediationTemplate"}} {
		if _, external, _ := unstructured.NestedMap(check.Object, elsewhere...); external {
			action = "" // what the controller of the remediation template does is unknown
		}
	}
	var found []cloud.RepairerRule
	for _, one := range append(conditions, older...) {
		fields, _ := one.(map[string]any)
		condition, _, _ := unstructured.NestedString(fields, "type")
		status, _, _ := unstructured.NestedString(fields, "status")
		found = append(found, cloud.RepairerRule{
			Condition: corev1.NodeConditionType(condition), Status: corev1.ConditionStatus(status), For: timeout(fields), Action: action,
		})
	}
	return found
}

func timeout(condition map[string]any) time.Duration {
	if seconds, is, _ := unstructured.NestedInt64(condition, "timeoutSeconds"); is {
		return time.Duration(seconds) * time.Second
	}
	text, _, _ := unstructured.NestedString(condition, "timeout")
	wait, _ := time.ParseDuration(text)
	return wait
}
