package help

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

const indent = "  "

// page is one command's help.
type page struct {
	*output.Page
	say message.Printer
}

func write(cmd *cobra.Command, say message.Printer) {
	p := page{output.NewPage(cmd.OutOrStdout()), say}
	p.text(cmd.Long)
	p.head(sentence.HelpUsage())
	p.usage(cmd)
	if cmd.HasExample() {
		p.head(sentence.HelpExamples())
		for line := range strings.Lines(cmd.Example) {
			p.Command(indent, output.AsCalled(cmd, strings.TrimSpace(line)))
		}
	}
	p.commands(cmd)
	p.flags(sentence.HelpFlags(), cmd.LocalFlags())
	p.flags(sentence.HelpGlobalFlags(), cmd.InheritedFlags())
	if cmd.HasAvailableSubCommands() {
		p.Blank()
		p.Paragraph("", say.Say(sentence.HelpMore(cmd.CommandPath())), output.Plain)
	}
}

func (p page) head(title message.Sentence) {
	p.Blank()
	p.Paragraph("", p.say.Say(title), output.Heading)
}

func (p page) usage(cmd *cobra.Command) {
	if cmd.Runnable() {
		p.Command(indent, cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		p.Command(indent, cmd.CommandPath()+" [command]")
	}
}

func (p page) commands(cmd *cobra.Command) {
	var rows [][]string
	for _, below := range cmd.Commands() {
		if below.IsAvailableCommand() {
			rows = append(rows, []string{below.Name(), below.Short})
		}
	}
	if len(rows) > 0 {
		p.head(sentence.HelpCommands())
		p.Table(indent, nil, rows)
	}
}

func (p page) flags(head message.Sentence, flags *pflag.FlagSet) {
	var rows [][]string
	flags.VisitAll(func(flag *pflag.Flag) {
		if !flag.Hidden {
			rows = append(rows, p.flag(flag))
		}
	})
	if len(rows) > 0 {
		p.head(head)
		p.Table(indent, nil, rows)
	}
}

// zero are the defaults that mean a flag was not given.
var zero = []string{"", "0", "false", "[]"}

// flag is what is typed, the value named as the usage quotes it, and what it is for.
func (p page) flag(flag *pflag.Flag) []string {
	value, usage := pflag.UnquoteUsage(flag)
	typed := strings.TrimSpace("--" + flag.Name + " " + value)
	if flag.Shorthand != "" {
		typed = "-" + flag.Shorthand + ", " + typed
	} else {
		typed = "    " + typed
	}
	if !slices.Contains(zero, flag.DefValue) {
		usage += p.say.Say(sentence.HelpDefault(flag.DefValue))
	}
	return []string{typed, usage}
}

// text writes paragraphs, and as tables the lines that begin with two spaces, a tab between their columns.
func (p page) text(long string) {
	for i, block := range strings.Split(strings.TrimSpace(long), "\n\n") {
		if i > 0 {
			p.Blank()
		}
		var words []string
		var rows [][]string
		for line := range strings.Lines(block) {
			if row, ok := strings.CutPrefix(strings.TrimRight(line, "\n"), indent); ok {
				typed, meaning, _ := strings.Cut(row, "\t")
				rows = append(rows, []string{typed, meaning})
			} else {
				words = append(words, strings.TrimSpace(line))
			}
		}
		if len(words) > 0 {
			p.Paragraph("", strings.Join(words, " "), output.Plain)
		}
		p.Table(indent, nil, rows)
	}
}
