package karpenter

import (
	"context"
	"strconv"
	"strings"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

var deployment = schema.GroupKind{Group: appsv1.GroupName, Kind: "Deployment"}

// Repairers is Karpenter's own node repair, if its Deployment enables the feature gate. EKS Auto Mode, whose Karpenter is not visible, is reported
// by the AWS provider.
// https://karpenter.sh/docs/concepts/disruption/#node-auto-repair
func (p *Provider) Repairers(ctx context.Context, machines []cloud.Machine) ([]cloud.Repairer, error) {
	var nodes []string
	onAWS := true
	for _, m := range machines {
		if p.Owns(m) && m.Labels[labelCompute] != "auto" {
			nodes = append(nodes, m.Node)
			onAWS = onAWS && strings.HasPrefix(m.ProviderID, "aws://")
		}
	}
	if len(nodes) == 0 {
		return nil, nil
	}
	found := cloud.Repairer{By: change.Ref{Kind: deployment.Kind, Name: name}, Nodes: nodes}
	var deployments appsv1.DeploymentList
	if err := p.client.List(ctx, &deployments, client.MatchingLabels{"app.kubernetes.io/name": name}); err != nil {
		return object.UnknownRepairer(found, object.Failed("list", deployment, err))
	}
	if len(deployments.Items) == 0 {
		found.Unknown = sentence.CloudNoKarpenter()
		return []cloud.Repairer{found}, nil
	}
	for _, d := range deployments.Items {
		on, known := nodeRepairGate(d.Spec.Template.Spec)
		if known && !on {
			continue
		}
		found.By = change.Ref{Kind: deployment.Kind, Namespace: d.Namespace, Name: d.Name}
		switch {
		case !known:
			found.Unknown = sentence.CloudUnread(found.By.String(), "FEATURE_GATES")
		case onAWS:
			found.Rules = rulesOnAWS
		default:
			found.Unknown = sentence.CloudNoRules(found.By.String())
		}
		return []cloud.Repairer{found}, nil
	}
	return nil, nil
}

// nodeRepairGate reads the feature gate from a pod template, in which the flag takes precedence over the environment variable. It is unknown if
// the variable's value comes from another object. The default is off.
func nodeRepairGate(pod corev1.PodSpec) (on, known bool) {
	known = true
	for _, c := range pod.Containers {
		for _, e := range c.Env {
			if e.Name == "FEATURE_GATES" {
				on, known = gate(e.Value, on), e.ValueFrom == nil
			}
		}
		words := append(append([]string{}, c.Command...), c.Args...)
		for i, word := range words {
			flag, value, joined := strings.Cut(word, "=")
			if strings.TrimLeft(flag, "-") != "feature-gates" || flag == "feature-gates" {
				continue
			}
			if !joined && i+1 < len(words) {
				value = words[i+1]
			}
			on, known = gate(value, false), true
		}
	}
	return on, known
}

// gate reads NodeRepair from a list such as "NodeRepair=true,StaticCapacity=false".
func gate(list string, otherwise bool) bool {
	on := otherwise
	for one := range strings.SplitSeq(list, ",") {
		if gate, value, _ := strings.Cut(strings.TrimSpace(one), "="); gate == "NodeRepair" {
			on, _ = strconv.ParseBool(value)
		}
	}
	return on
}

// rulesOnAWS are those of Karpenter's AWS provider; those of other clouds' are unknown.
// https://github.com/aws/karpenter-provider-aws/blob/main/pkg/cloudprovider/cloudprovider.go (RepairPolicies)
var rulesOnAWS = []cloud.RepairerRule{
	rule(corev1.NodeReady, corev1.ConditionFalse, 30*time.Minute),
	rule(corev1.NodeReady, corev1.ConditionUnknown, 30*time.Minute),
	rule("AcceleratedHardwareReady", corev1.ConditionFalse, 10*time.Minute),
	rule("StorageReady", corev1.ConditionFalse, 30*time.Minute),
	rule("NetworkingReady", corev1.ConditionFalse, 30*time.Minute),
	rule("KernelReady", corev1.ConditionFalse, 30*time.Minute),
	rule("ContainerRuntimeReady", corev1.ConditionFalse, 30*time.Minute),
}

func rule(condition corev1.NodeConditionType, status corev1.ConditionStatus, wait time.Duration) cloud.RepairerRule {
	return cloud.RepairerRule{Condition: condition, Status: status, For: wait, Action: v1alpha1.ActionReplace}
}
