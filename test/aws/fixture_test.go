// Package aws holds the lab's AWS against the real clients: the Go SDK and, where it is installed, AWS's own command line
// are pointed at it by AWS's endpoint variables and by nothing else.
package aws

import (
	"context"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
)

const (
	operator = "AKIAIOSFODNN7EXAMPLE"
	reader   = "AKIAI44QH8DHBEXAMPLE"
	secret   = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY"
)

// fixture is a cloud, AWS's protocols in front of it, and the environment that leads there. A reader may neither reboot nor
// terminate.
type fixture struct {
	t      *testing.T
	cloud  *cloud.Cloud
	server *lab.Server
}

// newFixture has nine instances over three zones, of which several have left the running state.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	return newFixtureAt(t, clock.RealClock{}, 0)
}

// newFixtureAt is one with a clock of its own, in which Describe calls lag behind.
func newFixtureAt(t *testing.T, now clock.WithTicker, lag time.Duration) *fixture {
	t.Helper()
	c, err := cloud.New(cloud.Options{InstantStart: true, Clock: now, Spec: cloud.Spec{Groups: []cloud.GroupSpec{
		{
			Name: "workers", InstanceType: "m5.large", Min: 2, Desired: 6, Max: 9, NodeRepair: &cloud.NodeRepairConfig{Enabled: true},
			Labels:             map[string]string{"team": "search"},
			Taints:             []corev1.Taint{{Key: "dedicated", Value: "search", Effect: corev1.TaintEffectNoSchedule}},
			SuspendedProcesses: []string{"AZRebalance"},
		},
		{Name: "spare", InstanceType: "c5.xlarge", Desired: 2, Zones: []string{"us-east-1a"}},
		{Name: "own", InstanceType: "r5.large", Desired: 1, Foreign: true},
	}}})
	if err != nil {
		t.Fatalf("building the cloud: %v", err)
	}
	endpoint, err := lab.Listen(t.Context(), lab.Options{Cloud: c, ClusterName: "shop", Clock: now, Lag: lag, Keys: []lab.Key{
		{ID: operator, Secret: secret},
		{ID: reader, Secret: secret, Denied: []string{"ec2:RebootInstances", "autoscaling:TerminateInstanceInAutoScalingGroup", "eks:DescribeNodegroup"}},
	}})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, endpoint)
	point(t, endpoint)
	b := &fixture{t: t, cloud: c, server: endpoint.Server}
	return b
}

// serve answers until the test ends.
func serve(t testing.TB, endpoint *lab.Endpoint) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	served := make(chan error, 1)
	go func() { served <- endpoint.Run(ctx) }()
	t.Cleanup(func() {
		cancel()
		if err := <-served; err != nil {
			t.Error(err)
		}
	})
}

// point leads the clients to the endpoint, and nowhere else.
func point(t testing.TB, endpoint *lab.Endpoint) {
	for _, variable := range endpoint.Environment() {
		name, value, _ := strings.Cut(variable, "=")
		t.Setenv(name, value)
	}
	for _, name := range []string{"AWS_PROFILE", "AWS_DEFAULT_PROFILE", "AWS_SESSION_TOKEN", "AWS_ENDPOINT_URL", "AWS_IGNORE_CONFIGURED_ENDPOINT_URLS"} {
		t.Setenv(name, "") // to be put back
		if err := os.Unsetenv(name); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"AWS_CONFIG_FILE", "AWS_SHARED_CREDENTIALS_FILE"} {
		t.Setenv(file, os.DevNull)
	}
	t.Setenv("AWS_EC2_METADATA_DISABLED", "true")
}

// as has the clients that are made from now on sign with a key.
func (b *fixture) as(key, secret string) {
	b.t.Setenv("AWS_ACCESS_KEY_ID", key)
	b.t.Setenv("AWS_SECRET_ACCESS_KEY", secret)
}

type clients struct {
	ec2         *ec2.Client
	autoscaling *autoscaling.Client
	eks         *eks.Client
}

func (b *fixture) clients() clients {
	b.t.Helper()
	return newClients(b.t)
}

func newClients(t *testing.T) clients {
	t.Helper()
	c, err := config.LoadDefaultConfig(t.Context())
	if err != nil {
		t.Fatalf("loading the SDK's configuration: %v", err)
	}
	return clients{ec2.NewFromConfig(c), autoscaling.NewFromConfig(c), eks.NewFromConfig(c)}
}

func (b *fixture) must(err error) {
	b.t.Helper()
	if err != nil {
		b.t.Fatal(err)
	}
}

// members are a group's running instances.
func (b *fixture) members(group string) []cloud.Instance {
	var members []cloud.Instance
	for _, i := range b.cloud.Instances() {
		if i.Group == group && i.State == cloud.Running {
			members = append(members, i)
		}
	}
	return members
}

func second(t time.Time) time.Time { return t.UTC().Truncate(time.Second) }
