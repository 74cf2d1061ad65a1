package aws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	sdk "github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/aws/retry"
	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/smithy-go"

	"github.com/naosu-dev/naosu/internal/cloud"
)

// longest is how long a call may take, with its retries.
const longest = 20 * time.Second

// The codes that are told from others.
const (
	codeDryRun       = "DryRunOperation"
	codeUnauthorized = "UnauthorizedOperation"
	codeAuthFailure  = "AuthFailure"
	codeAccessDenied = "AccessDenied"
	codeNotFound     = "InvalidInstanceID.NotFound"
	codeValidation   = "ValidationError"
)

var (
	// busyCodes are of requests that were not carried out and that may be when they are made again: something else is in
	// progress on the group or the machine, or the credentials that the request was signed with have expired since.
	// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
	// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
	busyCodes = []string{
		"ScalingActivityInProgress", "ResourceContention", "IncorrectInstanceState",
		"ExpiredToken", "ExpiredTokenException", "RequestExpired",
	}
	// permissionCodes are of requests that IAM does not allow: EC2's, Auto Scaling's and EKS's.
	permissionCodes = []string{codeUnauthorized, codeAccessDenied, "AccessDeniedException"}
)

// ask makes one call, named as IAM names it. Its error is ErrPassing where a later try may fare better, and a RefusedError
// where AWS answered that it will not do it.
func ask[In, Out, Options any](
	ctx context.Context, call string, do func(context.Context, *In, ...func(*Options)) (*Out, error), in *In, options ...func(*Options),
) (*Out, error) {
	bounded, cancel := context.WithTimeout(ctx, longest)
	defer cancel()
	out, err := do(bounded, in, options...)
	switch {
	case err == nil:
		return out, nil
	case ctx.Err() == nil && passing(err):
		return nil, fmt.Errorf("%s: %w: %w", call, cloud.ErrPassing, err)
	case rejected(err):
		refused := &cloud.RefusedError{Err: fmt.Errorf("%s: %w", call, err)}
		if slices.Contains(permissionCodes, code(err)) && !errors.Is(err, errUnsigned) {
			refused.Permission = call
		}
		return nil, refused
	}
	return nil, fmt.Errorf("%s: %w", call, err)
}

var transient = retry.IsErrorRetryables(retry.DefaultRetryables)

func passing(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || transient.IsErrorRetryable(err) == sdk.TrueTernary ||
		slices.Contains(busyCodes, code(err)) || errors.Is(err, errUnsigned) && !rejected(err)
}

// rejected says whether AWS answered that the request itself is at fault.
func rejected(err error) bool {
	answer, answered := errors.AsType[*awshttp.ResponseError](err)
	return answered && answer.HTTPStatusCode() < http.StatusInternalServerError
}

// errUnsigned is that no credentials could be had, so that a request was not sent.
var errUnsigned = errors.New("no credentials to sign the request with")

// signing tells errors of credentials from those of requests that they sign.
type signing struct{ sdk.CredentialsProvider }

// Retrieve is that of the provider of credentials; its errors are errUnsigned.
func (s signing) Retrieve(ctx context.Context) (sdk.Credentials, error) {
	found, err := s.CredentialsProvider.Retrieve(ctx)
	if err != nil {
		return found, fmt.Errorf("%w: %w", errUnsigned, err)
	}
	return found, nil
}

// code is that of AWS's answer, empty if there was none.
func code(err error) string {
	if fault, answered := errors.AsType[smithy.APIError](err); answered {
		return fault.ErrorCode()
	}
	return ""
}

// words are AWS's, without the SDK's story of how they came.
func words(err error) string {
	if fault, answered := errors.AsType[smithy.APIError](err); answered {
		return fault.ErrorCode() + ": " + fault.ErrorMessage()
	}
	return err.Error()
}

// undone says whether it is known that what was asked was not done: AWS answered so, or was not asked.
func undone(err error) bool {
	return rejected(err) || throttled.IsErrorRetryable(err) == sdk.TrueTernary || slices.Contains(busyCodes, code(err)) || errors.Is(err, errUnsigned)
}

// unlessUndone says that it is not known whether what was asked was done, unless it is known that it was not.
func unlessUndone(err error) error {
	if undone(err) {
		return err
	}
	return fmt.Errorf("%w: %w", cloud.ErrUnsure, err)
}

var throttled = retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}

// careful retries what was turned away for its number and nothing else: of any other fault it cannot be known whether
// what was asked has been done.
var careful = retry.NewStandard(func(o *retry.StandardOptions) { o.Retryables = []retry.IsErrorRetryable{throttled} })
