package aws

import (
	"context"
	"errors"
	"slices"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling"
	"github.com/aws/aws-sdk-go-v2/service/autoscaling/types"
	"github.com/aws/aws-sdk-go-v2/service/ec2"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// May tries a reboot by EC2's dry run. Auto Scaling has no dry run: for a replacement it is checked only whether the group would launch a new
// instance.
func (p *Provider) May(ctx context.Context, action v1alpha1.Action, m cloud.Machine) (cloud.Permission, error) {
	if err := p.identify(ctx, m); errors.Is(err, errOtherMachine) { // Other errors are those of the call itself.
		return answer(v1alpha1.MayNo, sentence.CloudOtherMachine(err.Error())), nil
	}
	switch action {
	case v1alpha1.ActionReboot:
		return p.mayReboot(ctx, instanceOf(m))
	case v1alpha1.ActionReplace:
		return p.mayReplace(ctx, instanceOf(m))
	}
	return cloud.Permission{}, cloud.ErrNotOffered
}

func (p *Provider) mayReboot(ctx context.Context, id string) (cloud.Permission, error) {
	_, err := ask(ctx, callReboot, p.ec2.RebootInstances, &ec2.RebootInstancesInput{InstanceIds: []string{id}, DryRun: sdk.Bool(true)})
	if code(err) == codeDryRun {
		return answer(v1alpha1.MayYes, sentence.CloudDryRunPassed(callReboot)), nil
	}
	return unpermitted(callReboot, id, err)
}

// unpermitted is the permission for an error of a call that changes nothing.
func unpermitted(call, id string, err error) (cloud.Permission, error) {
	switch code(err) {
	case codeUnauthorized, codeAuthFailure, codeAccessDenied:
		return answer(v1alpha1.MayNo, sentence.CloudRefused(call, messageOf(err))), nil
	case codeNotFound:
		return answer(v1alpha1.MayUnknown, sentence.CloudGone(id)), nil
	}
	if err == nil || errors.Is(err, cloud.ErrPassing) || ctxEnded(err) {
		return cloud.Permission{}, err
	}
	return answer(v1alpha1.MayUnknown, sentence.CloudUnanswered(call, messageOf(err))), nil
}

func ctxEnded(err error) bool { return errors.Is(err, context.Canceled) }

func (p *Provider) mayReplace(ctx context.Context, id string) (cloud.Permission, error) {
	member, err := p.member(ctx, id)
	if err != nil {
		return unread(err)
	}
	if member == nil {
		return answer(v1alpha1.MayNo, sentence.CloudNoScaling(id)), nil
	}
	group := sdk.ToString(member.AutoScalingGroupName)
	if protected(member) {
		return answer(v1alpha1.MayNo, sentence.CloudProtected(id, group)), nil
	}
	launches, err := p.launches(ctx, group)
	switch {
	case err != nil:
		return unread(err)
	case !launches:
		return answer(v1alpha1.MayNo, sentence.CloudNoLaunch(group)), nil
	}
	return answer(v1alpha1.MayUnknown, sentence.CloudNoDryRun(callTerminate)), nil
}

// unread is the permission where the group cannot be read: it is unknown.
func unread(err error) (cloud.Permission, error) {
	if errors.Is(err, cloud.ErrPassing) || ctxEnded(err) {
		return cloud.Permission{}, err
	}
	return answer(v1alpha1.MayUnknown, sentence.CloudUnread("Auto Scaling", messageOf(err))), nil
}

// launches says whether a group launches new instances: its process Launch may be suspended.
// https://docs.aws.amazon.com/autoscaling/ec2/userguide/as-suspend-resume-processes.html
func (p *Provider) launches(ctx context.Context, group string) (bool, error) {
	out, err := ask(ctx, callDescribeGroups, p.scaling.DescribeAutoScalingGroups,
		&autoscaling.DescribeAutoScalingGroupsInput{AutoScalingGroupNames: []string{group}})
	if err != nil {
		return false, err
	}
	return !slices.ContainsFunc(out.AutoScalingGroups, func(g types.AutoScalingGroup) bool {
		return slices.ContainsFunc(g.SuspendedProcesses, func(s types.SuspendedProcess) bool { return sdk.ToString(s.ProcessName) == "Launch" })
	}), nil
}

func answer(may v1alpha1.May, why message.Sentence) cloud.Permission {
	return cloud.Permission{May: may, Why: why}
}
