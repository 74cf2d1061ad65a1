package cli

import (
	"bytes"
	"strings"
	"testing"
	"unicode"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/help"
	"github.com/naosu-dev/naosu/internal/message"
)

// textsOf are the texts of a command and those below it, by what they are about.
func textsOf(cmd *cobra.Command, texts map[string]string) map[string]string {
	if cmd.Hidden {
		return texts
	}
	texts[cmd.CommandPath()], texts[cmd.CommandPath()+", long"] = cmd.Short, cmd.Long
	cmd.NonInheritedFlags().VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			texts[cmd.CommandPath()+" --"+flag.Name] = flag.Usage
		}
	})
	for _, below := range cmd.Commands() {
		textsOf(below, texts)
	}
	return texts
}

// TestEveryTextIsInBothLanguages finds a command or a flag without its message: its text is empty, or the same in both.
func TestEveryTextIsInBothLanguages(t *testing.T) {
	root := NewCommand("naosu", genericiooptions.IOStreams{In: strings.NewReader(""), Out: &bytes.Buffer{}, ErrOut: &bytes.Buffer{}})
	root.AddCommand(&cobra.Command{Use: "forgotten", Short: "Say nothing", Long: "Say nothing."})
	help.Speak(root, message.English())
	english := textsOf(root, map[string]string{})
	help.Speak(root, message.Japanese())
	japanese := textsOf(root, map[string]string{})
	for about, text := range english {
		untold := text == "" || text == japanese[about] || strings.ContainsFunc(text, isJapanese) || !strings.ContainsFunc(japanese[about], isJapanese)
		if forgotten := strings.Contains(about, "forgotten") && !strings.Contains(about, "--help"); untold != forgotten {
			t.Errorf("%s: English %q, Japanese %q", about, text, japanese[about])
		}
	}
}

func isJapanese(r rune) bool { return unicode.In(r, unicode.Hiragana, unicode.Katakana, unicode.Han) }
