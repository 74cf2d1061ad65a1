// Package language chooses the language that naosu answers in: --lang, else the locale.
package language

import (
	"cmp"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message"
)

const flagName = "lang"

var names = []string{"en", "ja"}

// value is the flag: a language's name, empty for the locale's.
type value string

var _ pflag.Value = (*value)(nil)

// AddFlag adds --lang to a command and those below it.
func AddFlag(cmd *cobra.Command) {
	cmd.PersistentFlags().Var(new(value), flagName, "the language of the answer: "+strings.Join(names, ", ")+" (default: the locale's)")
	// The flag was added a line above, so registering its completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc(flagName, cobra.FixedCompletions(names, cobra.ShellCompDirectiveNoFileComp))
}

// Of is the language that a command answers in, as far as its flags have been read.
func Of(cmd *cobra.Command) message.Printer {
	if flag := cmd.Root().PersistentFlags().Lookup(flagName); flag != nil && flag.Value.String() != "" {
		return printer(flag.Value.String())
	}
	return fromLocale(os.Getenv)
}

// fromLocale follows POSIX: LC_ALL goes before LC_MESSAGES, and that before LANG.
func fromLocale(env func(string) string) message.Printer {
	locale := cmp.Or(env("LC_ALL"), env("LC_MESSAGES"), env("LANG"))
	name, _, _ := strings.Cut(locale, "_")
	return printer(name)
}

func printer(name string) message.Printer {
	if name == "ja" {
		return message.Japanese()
	}
	return message.English()
}

func (v *value) String() string { return string(*v) }
func (*value) Type() string     { return "language" }

func (v *value) Set(s string) error {
	if !slices.Contains(names, s) {
		return exit.BadInput("--"+flagName, message.Of(message.ErrNotOneOf, message.Args{"given": strconv.Quote(s)}),
			message.Of(message.ErrUseOneOf, message.Args{"choices": names}))
	}
	*v = value(s)
	return nil
}
