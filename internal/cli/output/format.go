package output

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message"
)

// Format is how an answer is written.
type Format string

// The formats.
const (
	Text Format = "text"
	JSON Format = "json"
	YAML Format = "yaml"
)

var formats = []string{string(Text), string(JSON), string(YAML)}

// AddFlag adds -o to a command's flags.
func (f *Format) AddFlag(cmd *cobra.Command) {
	*f = Text
	cmd.Flags().VarP((*formatValue)(f), "output", "o", "how to write the answer: "+strings.Join(formats, ", "))
	// The flag was added a line above, so registering its completion cannot fail.
	_ = cmd.RegisterFlagCompletionFunc("output", cobra.FixedCompletions(formats, cobra.ShellCompDirectiveNoFileComp))
}

// WriteData writes an answer as JSON or YAML. The format must not be Text.
func (f Format) WriteData(w io.Writer, answer any) error {
	var data bytes.Buffer
	encoder := json.NewEncoder(&data)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false) // Commands hold <placeholders>, which a reader of the JSON should see as such.
	if err := encoder.Encode(answer); err != nil {
		return fmt.Errorf("encoding the answer: %w", err)
	}
	written := data.Bytes()
	if f == YAML {
		var err error
		if written, err = yaml.JSONToYAML(written); err != nil {
			return fmt.Errorf("encoding the answer: %w", err)
		}
	}
	if _, err := w.Write(written); err != nil {
		return fmt.Errorf("writing the answer: %w", err)
	}
	return nil
}

// formatValue makes an unknown format an error of the flag, before anything else happens.
type formatValue Format

var _ pflag.Value = (*formatValue)(nil)

func (f *formatValue) String() string { return string(*f) }
func (*formatValue) Type() string     { return "format" }

func (f *formatValue) Set(s string) error {
	if !slices.Contains(formats, s) {
		return exit.BadInput("--output", message.Of(message.ErrNotOneOf, message.Args{"given": strconv.Quote(s)}), message.Of(message.ErrUseOneOf, message.Args{"choices": formats}))
	}
	*f = formatValue(s)
	return nil
}
