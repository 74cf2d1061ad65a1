package aws

import (
	"context"
	"errors"
	"fmt"
	"net/http"
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
	codeNotFound     = "InvalidInstanceID.NotFound"
	codeValidation   = "ValidationError"
)

// ask makes one call, named as IAM names it. Its error is ErrPassing where a later try may fare better.
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
	}
	return nil, fmt.Errorf("%s: %w", call, err)
}

var transient = retry.IsErrorRetryables(retry.DefaultRetryables)

func passing(err error) bool {
	return errors.Is(err, context.DeadlineExceeded) || transient.IsErrorRetryable(err) == sdk.TrueTernary
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

// refused says whether AWS answered that it will not do what was asked, and has not.
func refused(err error) bool {
	answer, answered := errors.AsType[*awshttp.ResponseError](err)
	return answered && answer.HTTPStatusCode() < http.StatusInternalServerError || throttled.IsErrorRetryable(err) == sdk.TrueTernary
}

// unless says that it is not known whether what was asked was done, unless it was refused.
func unless(refused bool, err error) error {
	if refused {
		return err
	}
	return fmt.Errorf("%w: %w", cloud.ErrUnsure, err)
}

var throttled = retry.RetryableErrorCode{Codes: retry.DefaultThrottleErrorCodes}

// careful retries what was turned away for its number and nothing else: of any other fault it cannot be known whether
// what was asked has been done.
var careful = retry.NewStandard(func(o *retry.StandardOptions) { o.Retryables = []retry.IsErrorRetryable{throttled} })
