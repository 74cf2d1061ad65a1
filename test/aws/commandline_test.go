package aws

import (
	"encoding/json"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/lab/cloud"
)

// run is one call of AWS's command line, unchanged.
func (b *fixture) run(arguments ...string) (string, error) {
	out, err := exec.CommandContext(b.t.Context(), "aws", append(arguments, "--output", "json")...).CombinedOutput()
	return string(out), err
}

func TestCommandLine(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of a quick run: each start of AWS's command line takes seconds")
	}
	agenttest.Need(t, "aws")
	b := newFixture(t)
	b.unsettle()

	out, err := b.run("ec2", "describe-instances", "--filters", "Name=instance-state-name,Values=running,stopping", "--page-size", "5",
		"--query", "Reservations[].Instances[].InstanceId")
	if err != nil {
		t.Fatalf("describe-instances: %v\n%s", err, out)
	}
	var got, want []string
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("reading %s: %v", out, err)
	}
	for _, i := range b.held(func(i cloud.Instance) bool { return i.State == cloud.Running || i.State == cloud.Stopping }) {
		want = append(want, i.ID)
	}
	if slices.Sort(got); !cmp.Equal(want, got) {
		t.Errorf("instances (-held +printed):\n%s", cmp.Diff(want, got))
	}

	struck := b.members("workers")[0]
	for _, tc := range []struct {
		arguments []string
		want      string
		fails     bool
	}{
		{[]string{"ec2", "reboot-instances", "--dry-run", "--instance-ids", struck.ID}, "DryRunOperation", true},
		{[]string{"ec2", "reboot-instances", "--instance-ids", absent}, "InvalidInstanceID.NotFound", true},
		{[]string{"ec2", "reboot-instances", "--instance-ids", struck.ID}, "", false},
		{[]string{"ec2", "describe-instance-status", "--instance-ids", struck.ID}, `"initializing"`, false},
		{[]string{"autoscaling", "terminate-instance-in-auto-scaling-group", "--instance-id", struck.ID, "--no-should-decrement-desired-capacity"}, `"InProgress"`, false},
		{[]string{"autoscaling", "describe-auto-scaling-groups", "--auto-scaling-group-names", "workers"}, `"Terminating"`, false},
		{[]string{"autoscaling", "describe-auto-scaling-instances", "--instance-ids", struck.ID}, `"HEALTHY"`, false},
		{[]string{"autoscaling", "suspend-processes", "--auto-scaling-group-name", "spare", "--scaling-processes", "Launch"}, "", false},
		{[]string{"autoscaling", "describe-auto-scaling-groups", "--auto-scaling-group-names", "spare"}, `"ProcessName": "Launch"`, false},
		{[]string{"autoscaling", "resume-processes", "--auto-scaling-group-name", "spare"}, "", false},
		{[]string{"eks", "describe-nodegroup", "--cluster-name", "shop", "--nodegroup-name", "workers", "--query", "nodegroup.nodeRepairConfig.enabled"}, "true", false},
		{[]string{"eks", "update-nodegroup-config", "--cluster-name", "shop", "--nodegroup-name", "workers", "--node-repair-config", "enabled=false"}, `"ConfigUpdate"`, false},
		{[]string{"eks", "describe-nodegroup", "--cluster-name", "shop", "--nodegroup-name", "workers", "--query", "nodegroup.nodeRepairConfig.enabled"}, "false", false},
	} {
		out, err := b.run(tc.arguments...)
		if (err != nil) != tc.fails || !strings.Contains(out, tc.want) {
			t.Errorf("aws %s: %v\n%s", strings.Join(tc.arguments, " "), err, out)
		}
	}
	if i, _ := b.cloud.Instance(struck.ID); i.Reboots != 1 || i.State != cloud.ShuttingDown {
		t.Errorf("the instance was rebooted %d times and is %s", i.Reboots, i.State)
	}
}

// TestCommandLineOnNetwork looks at the network and takes away what a removed worker has left, as a person would.
func TestCommandLineOnNetwork(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of a quick run: each start of AWS's command line takes seconds")
	}
	agenttest.Need(t, "aws")
	b := newNetwork(t)
	left, owner := b.cloud.NetworkInterfaces()[2], b.members("workers")[0]
	for _, tc := range []struct {
		arguments []string
		want      string
		fails     bool
	}{
		{[]string{"ec2", "describe-subnets", "--filters", "Name=tag:Name,Values=narrow", "--query", "Subnets[].AvailableIpAddressCount"}, "46", false},
		{[]string{"ec2", "get-subnet-cidr-reservations", "--subnet-id", b.cloud.Subnets()[0].ID, "--filters", "Name=reservationType,Values=explicit", "--query", "SubnetIpv4CidrReservations[].Cidr"}, "10.0.0.240/29", false},
		{[]string{"ec2", "get-subnet-cidr-reservations", "--subnet-id", "subnet-0123456789abcdef0"}, "InvalidSubnetID.NotFound", true},
		{[]string{"ec2", "describe-network-interfaces", "--filters", "Name=status,Values=available", "Name=description,Values=aws-K8S-i-*", "--page-size", "5", "--query", "length(NetworkInterfaces)"}, "4", false},
		{[]string{"ec2", "describe-instances", "--instance-ids", owner.ID, "--query", "Reservations[].Instances[].NetworkInterfaces[].SubnetId"}, owner.Subnet, false},
		{[]string{"ec2", "describe-instance-types", "--instance-types", "m5.large", "--query", "InstanceTypes[].NetworkInfo.Ipv4AddressesPerInterface"}, "10", false},
		{[]string{"ec2", "delete-network-interface", "--dry-run", "--network-interface-id", left.ID}, "DryRunOperation", true},
		{[]string{"ec2", "delete-network-interface", "--network-interface-id", left.ID}, "", false},
		{[]string{"ec2", "delete-network-interface", "--network-interface-id", left.ID}, "InvalidNetworkInterfaceID.NotFound", true},
		{[]string{"ec2", "describe-subnets", "--subnet-ids", left.Subnet, "--query", "Subnets[].AvailableIpAddressCount"}, "49", false},
		{[]string{"ec2", "create-network-interface", "--subnet-id", left.Subnet, "--description", "mine", "--secondary-private-ip-address-count", "2", "--query", "NetworkInterface.PrivateIpAddresses[].Primary"}, "true", false},
	} {
		out, err := b.run(tc.arguments...)
		if (err != nil) != tc.fails || !strings.Contains(out, tc.want) {
			t.Errorf("aws %s: %v\n%s", strings.Join(tc.arguments, " "), err, out)
		}
	}
}
