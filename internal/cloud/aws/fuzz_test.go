package aws

import (
	"context"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/addresses/reclaim"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// forged is an interface as anybody who may create interfaces and tags can make it look.
type forged struct {
	status, kind, description, cluster, madeBy, instance, createdAt, keep string
	requester, operator, attached                                         bool
	owner                                                                 string
}

func (f forged) describe() types.NetworkInterface {
	i := types.NetworkInterface{
		NetworkInterfaceId: sdk.String("eni-1"), Status: types.NetworkInterfaceStatus(f.status), InterfaceType: types.NetworkInterfaceType(f.kind),
		Description: sdk.String(f.description), RequesterManaged: sdk.Bool(f.requester), Operator: &types.OperatorResponse{Managed: sdk.Bool(f.operator)},
	}
	for key, value := range map[string]string{
		"cluster.k8s.amazonaws.com/name": f.cluster, "eks:eni:owner": f.madeBy, "node.k8s.amazonaws.com/instance_id": f.instance,
		"node.k8s.amazonaws.com/createdAt": f.createdAt, "node.k8s.amazonaws.com/no_manage": f.keep,
	} {
		if value != "" {
			i.TagSet = append(i.TagSet, types.Tag{Key: sdk.String(key), Value: sdk.String(value)})
		}
	}
	if f.attached {
		i.Attachment = &types.NetworkInterfaceAttachment{InstanceId: sdk.String("i-1")}
	}
	return i
}

// harmless says, from what EC2 describes alone, whether the interface can be deleted without harm: nothing has it or keeps it, it is the cluster's, and the
// instance that both its description and its tag name is gone.
func (f forged) harmless(now time.Time) bool {
	created, err := time.Parse(time.RFC3339, f.createdAt)
	old := err != nil || !created.After(now.Add(-30*time.Minute))
	gone := f.owner == string(cloud.Gone) || f.owner == string(cloud.NotFound)
	free := f.status == "available" && !f.attached && f.kind == "interface" && !f.requester && !f.operator && (f.keep == "" || f.keep == "false")
	ours := f.cluster == "shop" && f.madeBy == "amazon-vpc-cni" && strings.HasPrefix(f.instance, "i-") && f.description == "aws-K8S-"+f.instance
	return free && ours && gone && old && f.instance != "i-node"
}

// FuzzInterface: whatever description, tags and states an interface has, reading it does not panic, and it is eligible only if deleting it harms nothing.
func FuzzInterface(f *testing.F) {
	leaked := forged{
		status: "available", kind: "interface", description: "aws-K8S-i-0123456789abcdef0", cluster: "shop", madeBy: "amazon-vpc-cni", instance: "i-0123456789abcdef0",
		createdAt: "2026-11-02T08:00:00Z", owner: string(cloud.Gone),
	}
	add := func(change func(*forged)) {
		one := leaked
		change(&one)
		f.Add(one.status, one.kind, one.description, one.cluster, one.madeBy, one.instance, one.createdAt, one.keep, one.owner, one.requester, one.operator, one.attached)
	}
	for _, change := range []func(*forged){
		func(*forged) {},
		func(one *forged) { one.createdAt = "" },
		func(one *forged) { one.createdAt = "yesterday" },
		func(one *forged) { one.createdAt = "9999-12-31T23:59:59+23:59" },
		func(one *forged) { one.createdAt = "0000-01-01T00:00:00Z" },
		func(one *forged) { one.description += " " },
		func(one *forged) { one.description, one.instance = "aws-K8S-i-node", "i-node" },
		func(one *forged) { one.description, one.instance = "aws-K8S-", "" },
		func(one *forged) { one.description = "aws-K8S-aws-K8S-i-0123456789abcdef0" },
		func(one *forged) { one.cluster = "Shop" },
		func(one *forged) { one.keep = "False" },
		func(one *forged) { one.owner = "" },
		func(one *forged) { one.status = "Available" },
		func(one *forged) { one.attached = true },
		func(one *forged) { one.requester = true },
		func(one *forged) { one.operator = true },
		func(one *forged) { one.kind = "trunk" },
		func(one *forged) { one.madeBy = "" },
	} {
		add(change)
	}
	now := time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)
	scope := reclaim.Scope{Now: now, Cluster: "shop", Nodes: map[string]bool{"i-node": true}, SeesInstances: true, Limits: reclaim.DefaultLimits}
	eligible := func(one forged) bool {
		i := interfaceOf(one.describe())
		i.InstanceState = cloud.Running(one.owner)
		seen := reclaim.Observation{ID: i.ID, Owner: i.Owner(), First: now.Add(-50 * time.Minute), Last: now.Add(-time.Minute)}
		return scope.Decide(i, &seen) == reclaim.Eligible
	}
	if !eligible(leaked) || !leaked.harmless(now) {
		f.Fatal("the leaked interface is not eligible")
	}
	f.Fuzz(func(t *testing.T, status, kind, description, cluster, madeBy, instance, createdAt, keep, owner string, requester, operator, attached bool) {
		one := forged{status, kind, description, cluster, madeBy, instance, createdAt, keep, requester, operator, attached, owner}
		if eligible(one) && !one.harmless(now) {
			t.Errorf("eligible: %+v", one)
		}
	})
}

// answersOnce answers each action with a text once, and then with nothing that is an error.
type answersOnce struct {
	text  string
	asked map[string]bool
}

func (a *answersOnce) Do(r *http.Request) (*http.Response, error) {
	action, err := actionOf(r)
	if err != nil {
		return nil, err
	}
	text := a.text
	if a.asked[action] {
		text = "<" + action + "Response></" + action + "Response>"
	}
	a.asked[action] = true
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"text/xml"}}, Body: io.NopCloser(strings.NewReader(text)), Request: r}, nil
}

// networkOf is what is read of the network of one machine if AWS answers so.
func networkOf(ctx context.Context, text string) cloud.Network {
	c := sdk.Config{Region: "us-east-1", RetryMaxAttempts: 1, HTTPClient: &answersOnce{text, map[string]bool{}}, Credentials: sdk.CredentialsProviderFunc(func(context.Context) (sdk.Credentials, error) {
		return sdk.Credentials{AccessKeyID: "a", SecretAccessKey: "b"}, nil
	})}
	p := &Provider{region: c.Region, ec2: ec2.NewFromConfig(c), scaling: autoscaling.NewFromConfig(c)}
	return p.Network(ctx, []cloud.Machine{{Node: "n", ProviderID: "aws:///us-east-1a/" + protectedID}})
}

// FuzzAnswers: whatever AWS answers, reading the network and computing with it does not panic, and no subnet has more free addresses than its size.
func FuzzAnswers(f *testing.F) {
	all := `<R><subnetSet><item><subnetId>subnet-1</subnetId><cidrBlock>10.0.0.0/28</cidrBlock><availableIpAddressCount>2147483647</availableIpAddressCount></item></subnetSet>` +
		`<networkInterfaceSet><item><networkInterfaceId>eni-1</networkInterfaceId><subnetId>subnet-1</subnetId><status>available</status><description>aws-K8S-i-</description>` +
		`<attachment><instanceId>` + protectedID + `</instanceId><deviceIndex>-1</deviceIndex></attachment><tagSet><item><key>node.k8s.amazonaws.com/createdAt</key></item></tagSet>` +
		`<privateIpAddressesSet><item><privateIpAddress>300.1.1.1</privateIpAddress></item></privateIpAddressesSet><ipv4PrefixSet><item><ipv4Prefix>10.0.0.0/99</ipv4Prefix></item></ipv4PrefixSet></item></networkInterfaceSet>` +
		`<reservationSet><item><instancesSet><item><instanceId>` + protectedID + `</instanceId><vpcId>vpc-1</vpcId><subnetId>subnet-1</subnetId><instanceType>m5.large</instanceType><tagSet><item><key>aws:autoscaling:groupName</key><value>g</value></item></tagSet></item></instancesSet></item></reservationSet>` +
		`<instanceTypeSet><item><instanceType>m5.large</instanceType><networkInfo><maximumNetworkInterfaces>2147483647</maximumNetworkInterfaces><ipv4AddressesPerInterface>-5</ipv4AddressesPerInterface></networkInfo></item></instanceTypeSet>` +
		`<subnetIpv4CidrReservationSet><item><cidr>10.0.0.0/29</cidr><reservationType>explicit</reservationType></item></subnetIpv4CidrReservationSet>` +
		`<nextToken>more</nextToken></R>`
	if n := networkOf(f.Context(), all); len(n.Subnets) != 1 || len(n.Interfaces) != 1 || len(n.Instances) != 1 || len(n.Subnets[0].Reservations) != 1 {
		f.Fatalf("the answers are not read: %+v", n)
	}
	f.Add(all)
	f.Add(`<R><DescribeAutoScalingGroupsResult><AutoScalingGroups><member><AutoScalingGroupName>g</AutoScalingGroupName><MaxSize>2147483647</MaxSize><MinSize>-1</MinSize>` +
		`<VPCZoneIdentifier>,,subnet-1</VPCZoneIdentifier></member></AutoScalingGroups></DescribeAutoScalingGroupsResult></R>`)
	f.Add("")
	f.Add("<")
	f.Fuzz(func(t *testing.T, text string) {
		n := networkOf(t.Context(), text)
		node := &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: "n"}, Spec: corev1.NodeSpec{ProviderID: "aws:///us-east-1a/" + protectedID}}
		world := cluster.New(cluster.Contents{
			Objects: []runtime.Object{node}, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.Pod: cluster.Complete},
		}).WithNetwork(n)
		report := addresses.Compute(world)
		for _, s := range report.Subnets {
			if s.Free < 0 || s.Valid && s.Free > s.Size || s.Warm < 0 {
				t.Errorf("%+v", s)
			}
		}
		if a := addresses.NewAllocator(world); a != nil {
			a.Assign("n")
			a.Terminate("n")
		}
	})
}
