package output

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	Text Format = "text"
	// Wide is text that leaves nothing out for the sake of a page: namespaces, nodes, every row and every remedy.
	Wide Format = "wide"
	JSON Format = "json"
	YAML Format = "yaml"
)

var formats = []string{string(Text), string(Wide), string(JSON), string(YAML)}

// AddFlag adds -o to a command's flags. More are formats that only this command writes.
func (f *Format) AddFlag(cmd *cobra.Command, more ...Format) {
	*f = Text
	choices := slices.Clone(formats)
	for _, format := range more {
		choices = append(choices, string(format))
	}
	cmd.Flags().VarP(&formatValue{f, choices}, "output", "o", "")
	// The flag was added a line above, so registering its completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(choices, cobra.ShellCompDirectiveNoFileComp))
}

// Known says whether a word is a format's name.
func Known(word string) bool { return slices.Contains(formats, word) }

// ForPeople says whether an answer in the format goes on a Page; else it is data.
func (f Format) ForPeople() bool { return f == Text || f == Wide }

// Page is where an answer for people is written.
func (f Format) Page(w io.Writer) *Page {
	if f != Wide {
		return NewPage(w)
	}
	page := newPage(w, wide, math.MaxInt)
	page.Wide = true
	return page
}

// WriteData writes an answer as JSON or YAML, its sentences in the Printer's language and as data. The format must be none
// for people.
func (f Format) WriteData(w io.Writer, say message.Printer, answer any) error {
	written, err := finding.EncodeJSON(say, answer)
	if err != nil {
		return err
	}
	if f == YAML {
		if written, err = yaml.JSONToYAML(written); err != nil {
			return fmt.Errorf("encoding the answer: %w", err)
		}
	}
	if _, err := w.Write(written); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// WriteDocument writes an answer as one document of several, of which so many were written before it.
func (f Format) WriteDocument(w io.Writer, say message.Printer, before int, answer any) error {
	if f == YAML && before > 0 {
		if _, err := w.Write([]byte("---\n")); err != nil {
			return fmt.Errorf("writing the answer: %w", err)
		}
	}
	return f.WriteData(w, say, answer)
}

// formatValue makes an unknown format an error of the flag, before anything else happens.
type formatValue struct {
	format  *Format
	choices []string
}

var _ pflag.Value = (*formatValue)(nil)

func (f *formatValue) String() string {
	if f.format == nil {
		return "" // pflag makes such a one to know the zero value.
	}
	return string(*f.format)
}

func (*formatValue) Type() string { return "format" }

func (f *formatValue) Set(s string) error {
	if !slices.Contains(f.choices, s) {
		return exit.BadInput("--output", sentence.ErrNotOneOf(strconv.Quote(s)), sentence.ErrUseOneOf(message.ListOf(f.choices)))
	}
	*f.format = Format(s)
	return nil
}
