package aws

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/internal/cluster"
	controller "github.com/naosu-dev/naosu/internal/controller/addresses"
	"github.com/naosu-dev/naosu/internal/guard"
	"github.com/naosu-dev/naosu/internal/record"
)

// everyCall are the calls of a controller with an AddressPolicy.
var everyCall = []string{
	"autoscaling:DescribeAutoScalingGroups", "ec2:DeleteNetworkInterface", "ec2:DescribeInstanceTypes", "ec2:DescribeInstances", "ec2:DescribeNetworkInterfaces", "ec2:DescribeSubnets",
	"ec2:GetSubnetCidrReservations",
}

// reconciled has a controller carry out an AddressPolicy for a quarter of an hour, with EC2 over the wire. It returns the policy then, and what was said of each Remediation.
func (b *fixture) reconciled() (*v1alpha1.AddressPolicy, []string) {
	b.t.Helper()
	scheme := runtime.NewScheme()
	b.must(v1alpha1.AddToScheme(scheme))
	policy := &v1alpha1.AddressPolicy{ObjectMeta: metav1.ObjectMeta{Name: "all", UID: "u", Generation: 1}, Spec: v1alpha1.AddressPolicySpec{Mode: v1alpha1.ModeAuto}}
	api := fake.NewClientBuilder().WithScheme(scheme).WithObjects(policy).WithStatusSubresource(policy, &v1alpha1.Remediation{}).Build()
	objects := []runtime.Object{&appsv1.DaemonSet{ObjectMeta: metav1.ObjectMeta{Namespace: metav1.NamespaceSystem, Name: "aws-node"}}}
	workers := b.members("workers")
	for _, m := range machines(workers) {
		objects = append(objects, &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: m.Node}, Spec: corev1.NodeSpec{ProviderID: m.ProviderID}})
	}
	clock := clocktesting.NewFakeClock(time.Now())
	p := b.provider(provider.Options{})
	var last naosu.Network
	c := &controller.Reconciler{
		Snapshot: func() *cluster.Snapshot {
			known := map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Complete, cluster.DaemonSet: cluster.Complete}
			return cluster.New(cluster.Contents{Taken: clock.Now(), Objects: objects, Knowledge: known}).WithNetwork(last)
		},
		ReadNetwork: func(ctx context.Context) (naosu.Network, bool) {
			last = p.Network(ctx, machines(workers))
			return last, true
		},
		FindDeleter: func() naosu.InterfaceDeleter { return p },
		Client:      api, Reader: api, Records: &record.Records{Client: api, Reader: api, Clock: clock}, Clock: clock,
		Leading: func(context.Context) (bool, error) { return true, nil },
		ClusterFacts: func(context.Context, *cluster.Snapshot) guard.Facts {
			now := clock.Now()
			return guard.Facts{Now: now, Leading: guard.Known(true, now), APIServer: guard.Known(guard.APIServer{Ready: true, Leases: 2}, now)}
		},
	}
	for end := clock.Now().Add(15 * time.Minute); clock.Now().Before(end); {
		again, err := c.Reconcile(b.t.Context())
		b.must(err)
		clock.Step(again)
	}
	var all v1alpha1.RemediationList
	b.must(api.List(b.t.Context(), &all))
	var said []string
	for _, r := range all.Items {
		if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end != nil {
			said = append(said, end.Reason+": "+end.Message)
		}
	}
	b.must(api.Get(b.t.Context(), client.ObjectKeyFromObject(policy), policy))
	return policy, said
}

// labelled attaches an interface with the cluster's name to a worker, and leaves one of an instance that is gone.
func (b *fixture) labelled() (leaked string) {
	b.t.Helper()
	b.attach(b.left(b.members("workers")[0].ID, nil))
	return b.left(absent, nil)
}

// TestAddressPolicy has a controller delete a leaked interface over the wire, by these calls and no others.
func TestAddressPolicy(t *testing.T) {
	b := newNetwork(t)
	id := b.labelled()
	before := len(b.cloud.NetworkInterfaces())
	policy, said := b.reconciled()
	if b.has(id) || len(b.cloud.NetworkInterfaces()) != before-1 || len(said) != 1 || !strings.HasPrefix(said[0], "AsForecast") {
		t.Errorf("%q; %+v", said, policy.Status)
	}
	called := map[string]bool{}
	for _, c := range b.server.Calls() {
		called[c.Service+":"+c.Action] = true
	}
	for _, call := range everyCall {
		delete(called, call)
	}
	if len(called) > 0 {
		t.Errorf("also called: %v", called)
	}
}

// TestLeastPolicy takes each permission away: without one that the documented policy has, nothing is deleted, and the status of the AddressPolicy or of its Remediation
// names it; without any other, the interface is deleted.
func TestLeastPolicy(t *testing.T) {
	needed := documented(t, "en")
	if diff := cmp.Diff(needed, documented(t, "ja")); diff != "" {
		t.Errorf("the documented policies differ (-en +ja):\n%s", diff)
	}
	for _, permission := range everyCall {
		t.Run(permission, func(t *testing.T) {
			b := newNetworkDenying(t, permission)
			id := b.labelled()
			policy, said := b.reconciled()
			if is := slices.Contains(needed, permission); b.has(id) != is {
				t.Errorf("deleted: %t, though the policy has it: %t; %q", !b.has(id), is, said)
			}
			if policy.Status.Unknown != nil {
				said = append(said, policy.Status.Unknown.Message)
			}
			if b.has(id) && !strings.Contains(strings.Join(said, " "), permission) {
				t.Errorf("nothing names the permission: %q; %+v", said, policy.Status)
			}
		})
	}
}

// documented are the permissions of the IAM policy for AddressPolicies, whose deletion is limited to interfaces with the tags of the cluster and of the VPC CNI.
func documented(t *testing.T, language string) (permissions []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", language, "addresses.md"))
	if err != nil {
		t.Fatal(err)
	}
	for block := range strings.SplitSeq(string(text), "```json\n") {
		block, _, _ = strings.Cut(block, "```")
		var policy struct {
			Statement []struct {
				Action    any
				Resource  string
				Condition map[string]map[string]string
			}
		}
		if !strings.Contains(block, deleteCall) || json.Unmarshal([]byte(block), &policy) != nil {
			continue
		}
		for _, s := range policy.Statement {
			if s.Action == deleteCall {
				want := map[string]map[string]string{"StringEquals": {"aws:ResourceTag/cluster.k8s.amazonaws.com/name": "my-cluster", "aws:ResourceTag/eks:eni:owner": "amazon-vpc-cni"}}
				if diff := cmp.Diff(want, s.Condition); diff != "" || s.Resource != "arn:aws:ec2:*:*:network-interface/*" {
					t.Errorf("docs/%s/addresses.md: %s (-want +got):\n%s", language, s.Resource, diff)
				}
				permissions = append(permissions, deleteCall)
				continue
			}
			for _, action := range s.Action.([]any) {
				permissions = append(permissions, action.(string))
			}
		}
	}
	slices.Sort(permissions)
	return permissions
}
