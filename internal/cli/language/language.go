// Package language chooses the language that naosu answers in: --lang, else the locale.
package language

import (
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/help"
	"github.com/naosu-dev/naosu/internal/locale"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const flagName = "lang"

// value is the flag: a language's name, empty for the locale's.
type value struct {
	name string
	// root is the command whose help changes its language at once: the help may be all that is asked for.
	root *cobra.Command
}

var _ pflag.Value = (*value)(nil)

// AddFlag adds --lang to a command and those below it.
func AddFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().Var(&value{root: cmd}, flagName, "")
	// The flag was added a line above, so registering its completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc(flagName, cobra.FixedCompletions(locale.Languages, cobra.ShellCompDirectiveNoFileComp))
}

// Of is the language that a command answers in, as far as its flags have been read.
func Of(cmd *cobra.Command) message.Printer {
	if flag := cmd.Root().PersistentFlags().Lookup(flagName); flag != nil && flag.Value.String() != "" {
		return printer(flag.Value.String())
	}
	return printer(locale.Language(os.Getenv))
}

// Wanted is the language for an error: that of the command, or what the line asks for behind the flag that is wrong,
// where reading has stopped.
func Wanted(cmd *cobra.Command, line []string) message.Printer {
	for i, word := range line {
		name, ok := strings.CutPrefix(word, "--"+flagName+"=")
		if word == "--"+flagName && i+1 < len(line) {
			name, ok = line[i+1], true
		}
		if ok && slices.Contains(locale.Languages, name) {
			return printer(name)
		}
	}
	return Of(cmd)
}

func printer(name string) message.Printer {
	if name == locale.Japanese {
		return message.Japanese()
	}
	return message.English()
}

func (v *value) String() string { return v.name }
func (*value) Type() string     { return "language" }

func (v *value) Set(s string) error {
	if !slices.Contains(locale.Languages, s) {
		return exit.BadInput("--"+flagName, sentence.ErrNotOneOf(strconv.Quote(s)),
			sentence.ErrUseOneOf(message.ListOf(locale.Languages)))
	}
	v.name = s
	help.Speak(v.root, printer(s))
	return nil
}
