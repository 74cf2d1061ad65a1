package exit

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	"github.com/spf13/cobra"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"
)

// The exit codes of every verb.
const (
	OK     = 0
	Failed = 1
	Usage  = 2
)

// usageError is bad input.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// BadInput is an error in what the person typed: the field that is wrong, what is wrong with it, and what to do instead.
func BadInput(field, problem, remedy string) error {
	return usageError{fmt.Errorf("%s: %s; %s", field, problem, remedy)}
}

// AsUsage marks an error as bad input.
func AsUsage(err error) error {
	if err == nil {
		return nil
	}
	return usageError{err}
}

// NoArgs is for commands that take no arguments: one that is there is most likely a mistyped command.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return BadInput("command", args[0]+" is none of "+cmd.Name()+"'s", "see "+cmd.CommandPath()+" --help")
}

// Code is the exit code that goes with an error.
func Code(err error) int {
	switch {
	case err == nil:
		return OK
	case errors.As(err, new(usageError)):
		return Usage
	default:
		return Failed
	}
}

// Line is the error on one line: what it quotes from servers and plugins may hold line ends and control characters.
func Line(err error) string {
	return strings.Join(strings.FieldsFunc(err.Error(), func(r rune) bool { return r < ' ' || r == 0x7f }), " ")
}

// Talking says in plain words why talking to the API server at host failed. It does not treat missing objects, which
// only the caller can name.
func Talking(host string, err error) error {
	var status apierrors.APIStatus
	switch {
	case errors.Is(err, context.Canceled):
		return errors.New("interrupted")
	case apierrors.IsUnauthorized(err):
		return fmt.Errorf("the API server at %s does not accept your credentials; renew them, or choose others with --context or --user", host)
	case apierrors.IsForbidden(err):
		errors.As(err, &status)
		return fmt.Errorf("permission is missing: %s", status.Status().Message)
	case errors.As(err, &status):
		return fmt.Errorf("the API server at %s answered: %s", host, status.Status().Message)
	case utilnet.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("the API server at %s does not answer in time; see whether this machine reaches it, or raise --request-timeout", host)
	default:
		return fmt.Errorf("cannot reach the API server at %s: %w", host, innermost(err))
	}
}

// innermost drops the request's line, which says the host again and a path that tells a reader nothing.
func innermost(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}
