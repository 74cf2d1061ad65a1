package exit

import (
	"context"
	"errors"
	"net/url"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	utilnet "k8s.io/apimachinery/pkg/util/net"

	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// The exit codes of every verb, as those of diff and grep: 1 is an answer too, so that a pipeline can tell trouble in the
// cluster from a question that could not be answered. The help of a verb says what its 1 means.
const (
	OK       = 0
	Found    = 1 // what --fail-on looks for is there, a drill failed, or repair abort or cleanup left something over
	NoAnswer = 2 // bad input, the cluster could not be asked, or what was asked for was not done
)

// NoArgs is for commands that take no arguments: one that is there is most likely a mistyped command.
func NoArgs(cmd *cobra.Command, args []string) error {
	if len(args) == 0 {
		return nil
	}
	return BadInput("", sentence.ErrNoCommand(args[0], cmd.CommandPath()), meant(cmd, args[0]))
}

// mostMistakes is how many characters of a command may be mistyped for another to be offered in its place.
const mostMistakes = 2

// meant is the command that was most likely meant, or where the commands are listed.
func meant(cmd *cobra.Command, given string) message.Sentence {
	cmd.SuggestionsMinimumDistance = mostMistakes
	var near []string
	for _, name := range cmd.SuggestionsFor(given) {
		near = append(near, cmd.CommandPath()+" "+name)
	}
	if len(near) == 0 {
		return seeHelp(cmd)
	}
	return sentence.ErrNear(message.ListOf(near))
}

func seeHelp(cmd *cobra.Command) message.Sentence {
	return sentence.ErrSeeHelp(cmd.CommandPath())
}

// BadFlag is an error that parsing the flags came upon; a flag's own bad value says itself what is wrong.
func BadFlag(cmd *cobra.Command, err error) error {
	if own, ok := errors.AsType[*sayable](err); ok {
		return own
	}
	if bad, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		return BadInput(dashed(bad.GetFlag().Name), sentence.ErrValue(strconv.Quote(bad.GetValue())), seeHelp(cmd))
	}
	problem := sentence.ErrFlag(err.Error())
	if unknown, ok := errors.AsType[*pflag.NotExistError](err); ok {
		problem = sentence.ErrNoFlag(dashed(unknown.GetSpecifiedName()))
	} else if lacking, ok := errors.AsType[*pflag.ValueRequiredError](err); ok {
		problem = sentence.ErrFlagValue(dashed(lacking.GetSpecifiedName()))
	}
	return BadInput("command", problem, seeHelp(cmd))
}

func dashed(flag string) string {
	if len(flag) == 1 {
		return "-" + flag
	}
	return "--" + flag
}

// Code is the exit code that goes with an error.
func Code(err error) int {
	if err == nil {
		return OK
	}
	if said, ok := errors.AsType[*sayable](err); ok {
		return said.code
	}
	return NoAnswer
}

// Talking says in plain words why talking to the API server at host failed. It does not treat missing objects, which
// only the caller can name, and returns an error that has words of its own as it is.
func Talking(host string, err error) error {
	if own, ok := errors.AsType[*sayable](err); ok {
		return own
	}
	var status apierrors.APIStatus
	switch {
	case errors.Is(err, context.Canceled):
		return talking(err, sentence.ErrInterrupted())
	case apierrors.IsUnauthorized(err):
		return talking(err, sentence.ErrUnauthorized(host))
	case apierrors.IsForbidden(err):
		errors.As(err, &status)
		return talking(err, sentence.ErrForbidden(status.Status().Message))
	case errors.As(err, &status):
		return talking(err, sentence.ErrAnswered(host, status.Status().Message))
	case utilnet.IsTimeout(err) || errors.Is(err, context.DeadlineExceeded):
		return talking(err, sentence.ErrTimeout(host))
	default:
		return talking(err, sentence.ErrUnreachable(host, innermost(err).Error()))
	}
}

func talking(cause error, said message.Sentence) error {
	return &sayable{code: NoAnswer, cause: cause, say: func(p message.Printer) string { return p.Say(said) }}
}

// innermost drops the request's line, which says the host again and a path that tells a reader nothing.
func innermost(err error) error {
	if request, ok := errors.AsType[*url.Error](err); ok {
		return request.Err
	}
	return err
}
