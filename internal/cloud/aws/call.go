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

// callTimeout bounds a call with its retries.
const callTimeout = 20 * time.Second

// Error codes that are handled specially.
const (
	codeDryRun       = "DryRunOperation"
	codeUnauthorized = "UnauthorizedOperation"
	codeAuthFailure  = "AuthFailure"
	codeAccessDenied = "AccessDenied"
	codeNotFound     = "InvalidInstanceID.NotFound"
	codeValidation   = "ValidationError"
)

var (
	// busyCodes are of requests that were not carried out, and may be if they are made again: another operation is in progress on the
	// group or the machine, or the credentials of the request have expired.
	// https://docs.aws.amazon.com/autoscaling/ec2/APIReference/API_TerminateInstanceInAutoScalingGroup.html
	// https://docs.aws.amazon.com/AWSEC2/latest/APIReference/errors-overview.html
	busyCodes = []string{
		"ScalingActivityInProgress", "ResourceContention", "ResourceInUseException", "IncorrectInstanceState",
		"ExpiredToken", "ExpiredTokenException", "RequestExpired",
	}
	// permissionCodes are of requests that IAM does not allow: EC2's, Auto Scaling's and EKS's.
	permissionCodes = []string{codeUnauthorized, codeAccessDenied, "AccessDeniedException"}
)

// ask makes one call; call is its name in IAM. Its error is ErrPassing if a later try may succeed, and a RefusedError if AWS rejected the request.
func ask[In, Out, Options any](
	ctx context.Context, call string, do func(context.Context, *In, ...func(*Options)) (*Out, error), in *In, options ...func(*Options),
) (*Out, error) {
	bounded, cancel := context.WithTimeout(ctx, callTimeout)
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

// rejected says whether AWS answered that the request itself is wrong.
func rejected(err error) bool {
	answer, answered := errors.AsType[*awshttp.ResponseError](err)
	return answered && answer.HTTPStatusCode() < http.StatusInternalServerError
}

// errUnsigned says that credentials could not be retrieved, so that a request was not sent.
var errUnsigned = errors.New("no credentials to sign the request with")

// signingCredentials marks errors of retrieving credentials, to tell them from errors of the requests.
type signingCredentials struct{ sdk.CredentialsProvider }

// Retrieve is that of the provider of credentials; its errors are errUnsigned.
func (s signingCredentials) Retrieve(ctx context.Context) (sdk.Credentials, error) {
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

// messageOf is the message of AWS's error, without what the SDK wraps around it.
func messageOf(err error) string {
	if fault, answered := errors.AsType[smithy.APIError](err); answered {
		return fault.ErrorCode() + ": " + fault.ErrorMessage()
	}
	return err.Error()
}

// knownNotDone says whether it is known that a request was not carried out: AWS answered so, or the request was not sent.
func knownNotDone(err error) bool {
	return rejected(err) || throttled.IsErrorRetryable(err) == sdk.TrueTernary || slices.Contains(busyCodes, code(err)) || errors.Is(err, errUnsigned)
}

// unlessKnownNotDone marks an error with ErrUnsure, unless it is known that the request was not carried out.
func unlessKnownNotDone(err error) error {
	if knownNotDone(err) {
		return err
	}
	return fmt.Errorf("%w: %w", cloud.ErrUnsure, err)
}

var throttled = retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}

// throttleRetryer retries throttled requests alone: after any other error it is unknown whether the request was carried out.
var throttleRetryer = retry.NewStandard(func(o *retry.StandardOptions) { o.Retryables = []retry.IsErrorRetryable{throttled} })
