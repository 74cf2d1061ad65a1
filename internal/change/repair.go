package change

import "strings"

// RebootNode drains a node, restarts its machine and lets the scheduler use it again.
type RebootNode struct {
	Node string `json:"node"`
	// Provider is who runs the node's group, empty if its labels do not tell.
	Provider Provider `json:"provider,omitempty"`
	// ProviderID is the Node's own, such as aws:///us-east-1a/i-0123456789abcdef0.
	ProviderID string `json:"providerID,omitempty"`
	// Region is the cloud's, empty if the Node does not tell.
	Region string `json:"region,omitempty"`
}

// Subject is the node.
func (r RebootNode) Subject() Ref { return Ref{Kind: "Node", Name: r.Node} }

// Command is the cloud's own, for the restart alone: draining comes first, with DrainNode's. It is empty where the Node
// does not tell its machine.
//
// Source: AWS CLI `ec2 reboot-instances`.
func (r RebootNode) Command() string {
	if r.Provider == Lab {
		return command("naosu-lab", "fault", r.Subject().String(), "off") + " && " + command("naosu-lab", "fault", r.Subject().String(), "on")
	}
	if instance := ec2Instance(r.ProviderID); instance != "" {
		return command(append(inRegion(r.Region, "aws", "ec2", "reboot-instances"), "--instance-ids", instance)...)
	}
	return ""
}

// MarshalJSON adds the kind of change to its fields.
func (r RebootNode) MarshalJSON() ([]byte, error) {
	type fields RebootNode
	return marshalTagged("RebootNode", fields(r))
}

func (RebootNode) sealed() {}

// ReplaceNode drains a node and gives its machine up; its group brings up another.
type ReplaceNode struct {
	Node string `json:"node"`
	// Provider is who runs the node's group, empty if its labels do not tell.
	Provider Provider `json:"provider,omitempty"`
	// ProviderID is the Node's own, such as aws:///us-east-1a/i-0123456789abcdef0.
	ProviderID string `json:"providerID,omitempty"`
	// Region is the cloud's, empty if the Node does not tell.
	Region string `json:"region,omitempty"`
}

// Subject is the node.
func (r ReplaceNode) Subject() Ref { return Ref{Kind: "Node", Name: r.Node} }

// Command is the cloud's own, which keeps the group's size; Karpenter ends a node's machine when the Node is deleted. It is
// empty where the Node does not tell its machine. naosu-lab answers AWS's command.
//
// Sources: AWS CLI `autoscaling terminate-instance-in-auto-scaling-group`; Karpenter, "Disruption", manual methods.
func (r ReplaceNode) Command() string {
	if r.Provider == Karpenter {
		return command("kubectl", "delete", "node", r.Node)
	}
	if instance := ec2Instance(r.ProviderID); instance != "" {
		return command(append(inRegion(r.Region, "aws", "autoscaling", "terminate-instance-in-auto-scaling-group"),
			"--instance-id", instance, "--no-should-decrement-desired-capacity")...)
	}
	return ""
}

// MarshalJSON adds the kind of change to its fields.
func (r ReplaceNode) MarshalJSON() ([]byte, error) {
	type fields ReplaceNode
	return marshalTagged("ReplaceNode", fields(r))
}

func (ReplaceNode) sealed() {}

// RestartService restarts one systemd unit on a node; its pods stay.
type RestartService struct {
	Node string `json:"node"`
	// Service is the unit, such as containerd.service.
	Service string `json:"service"`
}

// Subject is the node.
func (r RestartService) Subject() Ref { return Ref{Kind: "Node", Name: r.Node} }

// Command is kubectl's own: a privileged pod on the node, in whose root it is done.
func (r RestartService) Command() string {
	return command("kubectl", "debug", "node/"+r.Node, "--profile=sysadmin", "--image=busybox", "--", "chroot", "/host", "systemctl", "restart", r.Service)
}

// MarshalJSON adds the kind of change to its fields.
func (r RestartService) MarshalJSON() ([]byte, error) {
	type fields RestartService
	return marshalTagged("RestartService", fields(r))
}

func (RestartService) sealed() {}

// ec2Instance is the instance that a provider ID of AWS's cloud provider names: aws:///ZONE/ID. Empty for other IDs, such
// as those of Fargate.
//
// Source: KubernetesInstanceID in cloud-provider-aws, pkg/providers/v1/instances.go.
func ec2Instance(providerID string) string {
	path, found := strings.CutPrefix(providerID, "aws://")
	instance := path[strings.LastIndex(path, "/")+1:]
	if !found || !strings.HasPrefix(instance, "i-") {
		return ""
	}
	return instance
}

func inRegion(region string, words ...string) []string {
	if region == "" {
		return words
	}
	return append(words, "--region", region)
}
