package explain

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/language"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/codes"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// NewCommand is `naosu explain`.
func NewCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:                   "explain CODE",
		Example:               "  naosu explain N101",
		DisableFlagsInUseLine: true,
		ValidArgs:             names(),
		RunE: func(cmd *cobra.Command, args []string) error {
			code, err := parse(args)
			if err != nil {
				return err
			}
			say := language.Of(cmd)
			if _, err := fmt.Fprint(streams.Out, codes.Entry(say.Language(), code)); err != nil {
				return fmt.Errorf("writing the answer: %w", err)
			}
			return nil
		},
	}
}

// parse reads a code, in whichever case it was typed.
func parse(args []string) (finding.Code, error) {
	remedy := sentence.ErrUseCode(message.ListOf(names()))
	if len(args) == 0 {
		return "", exit.BadInput("code", sentence.ErrMissing(), remedy)
	}
	given := strings.Join(args, " ")
	for _, code := range finding.Codes {
		if strings.EqualFold(given, string(code)) {
			return code, nil
		}
	}
	return "", exit.BadInput("code", sentence.ErrNoCode(strconv.Quote(given)), remedy)
}

func names() []string {
	all := make([]string, 0, len(finding.Codes))
	for _, code := range finding.Codes {
		all = append(all, string(code))
	}
	return all
}
