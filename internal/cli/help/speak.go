package help

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/naosu-dev/naosu/internal/message"
)

// movedBelow goes before the paths of verbs that have their texts by the path they had before.
const movedBelow = "repair/"

// Speak gives a command and those below it their texts in a language. What has no message keeps the text it has.
func Speak(cmd *cobra.Command, say message.Printer) {
	cmd.InitDefaultHelpFlag()
	cmd.SetHelpFunc(func(c *cobra.Command, _ []string) { write(c, say) })
	path := strings.TrimPrefix(pathOf(cmd), movedBelow)
	if message.Label("help/" + path).IsZero() {
		path = pathOf(cmd)
	}
	if short := message.Label("help/" + path); !short.IsZero() {
		cmd.Short = say.Say(short)
		cmd.Long = cmd.Short
	}
	if long := message.Label("help/" + path + "/long"); !long.IsZero() {
		cmd.Long = say.Say(long)
	}
	cmd.NonInheritedFlags().VisitAll(func(flag *pflag.Flag) {
		for _, name := range []string{"flag/" + path + "/" + flag.Name, "flag/" + flag.Name} {
			if usage := message.Label(name); !usage.IsZero() {
				flag.Usage = say.Say(usage)
				return
			}
		}
	})
	for _, below := range cmd.Commands() {
		Speak(below, say)
	}
}

// pathOf is a command's path without the root's name, which is how the program was started; the root's own is naosu.
func pathOf(cmd *cobra.Command) string {
	if !cmd.HasParent() {
		return "naosu"
	}
	words := []string{cmd.Name()}
	for up := cmd.Parent(); up.HasParent(); up = up.Parent() {
		words = append([]string{up.Name()}, words...)
	}
	return strings.Join(words, "/")
}
