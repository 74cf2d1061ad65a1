package aws

import (
	"context"
	"errors"
	"net/http"
	"testing"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/ec2"
	"github.com/aws/aws-sdk-go-v2/service/ec2/types"
	"github.com/aws/aws-sdk-go-v2/service/eks"
	"github.com/aws/smithy-go"

	"github.com/naosu-dev/naosu/lab/cloud"
)

const absent = "i-0123456789abcdef0"

// Calls that the tests below have refused.
type attempt func(context.Context, clients) error

func reboot(dry bool, ids ...string) attempt {
	return func(ctx context.Context, c clients) error {
		_, err := c.ec2.RebootInstances(ctx, &ec2.RebootInstancesInput{InstanceIds: ids, DryRun: &dry})
		return err
	}
}

func describe(input ec2.DescribeInstancesInput) attempt {
	return func(ctx context.Context, c clients) error {
		_, err := c.ec2.DescribeInstances(ctx, &input)
		return err
	}
}

func terminate(id string, decrement bool) attempt {
	return func(ctx context.Context, c clients) error {
		_, err := c.autoscaling.TerminateInstanceInAutoScalingGroup(ctx, &autoscaling.TerminateInstanceInAutoScalingGroupInput{
			InstanceId: &id, ShouldDecrementDesiredCapacity: &decrement,
		})
		return err
	}
}

func describeNodegroup(cluster, name string) attempt {
	return func(ctx context.Context, c clients) error {
		_, err := c.eks.DescribeNodegroup(ctx, &eks.DescribeNodegroupInput{ClusterName: &cluster, NodegroupName: &name})
		return err
	}
}

// refused checks what the SDK makes of the answer, and what the call log says of it.
func (b *fixture) refused(try attempt, code string, status int) {
	b.t.Helper()
	err := try(b.t.Context(), b.clients())
	var fault smithy.APIError
	var response *awshttp.ResponseError
	if !errors.As(err, &fault) || !errors.As(err, &response) {
		b.t.Fatalf("got %v, want the API's %s", err, code)
	}
	if fault.ErrorCode() != code || response.HTTPStatusCode() != status || fault.ErrorMessage() == "" || response.ServiceRequestID() == "" {
		b.t.Errorf("got %v, want code %s with status %d, a message and a request ID", err, code, status)
	}
	calls := b.server.Calls()
	if last := calls[len(calls)-1]; last.Code != code || last.Status != status {
		b.t.Errorf("the call log says %+v, want %s and %d", last, code, status)
	}
}

func TestRefusals(t *testing.T) {
	b := newFixture(t)
	stopping, _ := b.unsettle()
	running, onlyTwo := b.members("workers")[0].ID, b.members("spare")[0].ID
	b.must(b.cloud.SetBounds("spare", 2, 2))
	tests := []struct {
		name   string
		try    attempt
		code   string
		status int
	}{
		{"dry run", reboot(true, running), "DryRunOperation", http.StatusPreconditionFailed},
		{"reboot: not found", reboot(false, running, absent), "InvalidInstanceID.NotFound", http.StatusBadRequest},
		{"reboot: malformed", reboot(false, "node-7"), "InvalidInstanceID.Malformed", http.StatusBadRequest},
		{"reboot: stopping", reboot(false, running, stopping.ID), "IncorrectInstanceState", http.StatusBadRequest},
		{"describe: not found", describe(ec2.DescribeInstancesInput{InstanceIds: []string{absent}}), "InvalidInstanceID.NotFound", http.StatusBadRequest},
		{"describe: IDs and pages", describe(ec2.DescribeInstancesInput{InstanceIds: []string{running}, MaxResults: sdk.Int32(5)}), "InvalidParameterCombination", http.StatusBadRequest},
		{"describe: small pages", describe(ec2.DescribeInstancesInput{MaxResults: sdk.Int32(4)}), "InvalidParameterValue", http.StatusBadRequest},
		{"describe: false token", describe(ec2.DescribeInstancesInput{NextToken: sdk.String("?")}), "InvalidParameterValue", http.StatusBadRequest},
		{"describe: unknown filter", describe(ec2.DescribeInstancesInput{Filters: []types.Filter{{Name: sdk.String("colour"), Values: []string{"red"}}}}), "InvalidParameterValue", http.StatusBadRequest},
		{"terminate: not found", terminate(absent, false), "ValidationError", http.StatusBadRequest},
		{"terminate: below the smallest size", terminate(onlyTwo, true), "ValidationError", http.StatusBadRequest},
		{"node group: not found", describeNodegroup("shop", "absent"), "ResourceNotFoundException", http.StatusNotFound},
		{"node group: not EKS's", describeNodegroup("shop", "own"), "ResourceNotFoundException", http.StatusNotFound},
		{"node group: another cluster's", describeNodegroup("absent", "workers"), "ResourceNotFoundException", http.StatusNotFound},
	}
	before := b.held(everything)
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			asked := *b
			asked.t = t
			asked.refused(tc.try, tc.code, tc.status)
		})
	}
	b.unchanged(before)
}

// unchanged says that no refused call left a trace.
func (b *fixture) unchanged(before []instance) {
	b.t.Helper()
	after := b.held(everything)
	if len(after) != len(before) {
		b.t.Fatalf("the cloud has %d instances, had %d", len(after), len(before))
	}
	for i := range after {
		if after[i] != before[i] {
			b.t.Errorf("%+v became %+v", before[i], after[i])
		}
	}
	for _, i := range b.cloud.Instances() {
		if i.Reboots != 0 {
			b.t.Errorf("%s was rebooted", i.ID)
		}
	}
}

// TestSignature: an unknown key, a wrong secret and another region's signature are refused.
func TestSignature(t *testing.T) {
	b := newFixture(t)
	id := b.members("workers")[0].ID
	before := b.held(everything)
	tries := []attempt{reboot(false, id), terminate(id, false), describeNodegroup("shop", "workers")}
	wrong := []string{"SignatureDoesNotMatch", "SignatureDoesNotMatch", "InvalidSignatureException"}

	b.as("AKIAABSENT", secret)
	for i, code := range []string{"AuthFailure", "InvalidClientTokenId", "UnrecognizedClientException"} {
		b.refused(tries[i], code, map[bool]int{true: http.StatusUnauthorized, false: http.StatusForbidden}[i == 0])
	}
	b.as(operator, "not the secret")
	for i, code := range wrong {
		b.refused(tries[i], code, http.StatusForbidden)
	}
	b.as(operator, secret)
	t.Setenv("AWS_REGION", "eu-west-1")
	for i, code := range wrong {
		b.refused(tries[i], code, http.StatusForbidden)
	}
	b.unchanged(before)
}

// TestPermission: a dry run distinguishes who may from who may not.
func TestPermission(t *testing.T) {
	b := newFixture(t)
	id := b.members("workers")[0].ID
	before := b.held(everything)
	b.as(reader, secret)
	b.refused(reboot(true, id), "UnauthorizedOperation", http.StatusForbidden)
	b.refused(reboot(false, id), "UnauthorizedOperation", http.StatusForbidden)
	b.refused(terminate(id, false), "AccessDenied", http.StatusForbidden)
	b.refused(describeNodegroup("shop", "workers"), "AccessDeniedException", http.StatusForbidden)
	b.must(describe(ec2.DescribeInstancesInput{})(t.Context(), b.clients()))
	b.unchanged(before)
}

// TestScriptedFaults: a passing fault is retried by the SDK itself, a refusal is not.
func TestScriptedFaults(t *testing.T) {
	b := newFixture(t)
	id := b.members("workers")[0].ID
	b.server.Script("ec2:RebootInstances", 1, &cloud.Error{Code: "RequestLimitExceeded", Message: "Request limit exceeded."})
	b.must(reboot(false, id)(t.Context(), b.clients()))
	calls := b.server.Calls()
	if len(calls) != 2 || calls[0].Code != "RequestLimitExceeded" || calls[0].Status != http.StatusServiceUnavailable || calls[1].Code != "" {
		t.Errorf("calls: %+v, want one over the limit and one answered", calls)
	}
	b.server.Script("ec2:RebootInstances", 1, &cloud.Error{Code: "UnsupportedOperation", Message: "This instance type cannot be rebooted."})
	b.refused(reboot(false, id), "UnsupportedOperation", http.StatusBadRequest)
	if i, _ := b.cloud.Instance(id); i.Reboots != 1 {
		t.Errorf("rebooted %d times, want once", i.Reboots)
	}
}

func idsOf(ids ...string) ec2.DescribeInstancesInput {
	return ec2.DescribeInstancesInput{InstanceIds: ids}
}
