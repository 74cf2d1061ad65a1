package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/npd"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/terminal"
)

func newConvert(o *options) *cobra.Command {
	var units, witnesses []string
	var lines string
	cmd := &cobra.Command{
		Use:   "convert-npd FILE…",
		Short: "Convert rules of node-problem-detector to own reasons",
		Long: `Convert rules of node-problem-detector to own reasons. The file of own reasons is written to standard output, the outcome for each rule to
standard error. The rules can be those of the system log monitor (kmsg, journald), and those of the custom plugin monitor that count
lines with log-counter.

A temporary rule becomes a warning. A permanent rule also becomes a warning unless --witness specifies a second source that confirms its
lines, because log lines alone never set a condition. Patterns must match from the beginning of a line: if ^ is added to a pattern,
compare it with a real line, or specify real lines with --lines. For Docker and containerd, patterns are searched for in the message.
Rules for which the catalogue has a reason are omitted. Rules that run a command, read a file or match several lines are refused.`,
		Example: `  naosu-agent convert-npd kernel-monitor.json docker-monitor.json > npd.patterns.yaml
  naosu-agent convert-npd abrt-adaptor.json --unit abrt-notification=abrtd.service
  naosu-agent convert-npd raid.json --witness RaidDegraded=counter:/sys/block/md*/md/degraded`,
		RunE: func(_ *cobra.Command, files []string) error {
			language, err := o.language()
			if err != nil {
				return err
			}
			if len(files) == 0 {
				return inputError{errors.New("FILE is missing: specify configuration files of node-problem-detector")}
			}
			converter, err := newConverter(units, witnesses)
			if err != nil {
				return err
			}
			if converter.Options.Lines, err = linesOf(lines); err != nil {
				return err
			}
			for _, file := range files {
				text, err := os.ReadFile(file)
				if err != nil {
					return inputError{err}
				}
				if err := converter.Convert(filepath.Base(file), text); err != nil {
					return inputError{err}
				}
			}
			return o.converted(converter.Result, conversionWordsOf(language))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&units, "unit", nil, "SOURCE=SERVICE: the systemd service of a journald source, such as abrt-notification=abrtd.service; may be repeated")
	flags.StringArrayVar(&witnesses, "witness", nil, "REASON=unit:SERVICE or REASON=counter:PATH: what confirms the lines of a permanent rule, which then sets a condition; may be repeated")
	flags.StringVar(&lines, "lines", "", "file of real lines as printed by `journalctl -o cat`: a rule that matches one of them only in the middle is refused")
	return cmd
}

// linesOf returns the lines of a file, or none if file is empty.
func linesOf(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, inputError{fmt.Errorf("--lines: %w", err)}
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n"), nil
}

// newConverter returns a converter with the options of the flags.
func newConverter(units, witnesses []string) (*npd.Converter, error) {
	options := npd.Options{Units: map[string]string{}, Witnesses: map[string]config.OwnWitness{}}
	for _, given := range units {
		source, unit, is := strings.Cut(given, "=")
		if !is || source == "" || unit == "" {
			return nil, inputError{fmt.Errorf("--unit %q: must be SOURCE=SERVICE", given)}
		}
		options.Units[source] = unit
	}
	for _, given := range witnesses {
		name, what, _ := strings.Cut(given, "=")
		kind, value, _ := strings.Cut(what, ":")
		switch {
		case name == "" || value == "":
			return nil, inputError{fmt.Errorf("--witness %q: must be REASON=unit:SERVICE or REASON=counter:PATH", given)}
		case kind == "unit":
			options.Witnesses[name] = config.OwnWitness{Unit: value}
		case kind == "counter":
			options.Witnesses[name] = config.OwnWitness{Counter: value}
		default:
			return nil, inputError{fmt.Errorf("--witness %q: must be REASON=unit:SERVICE or REASON=counter:PATH", given)}
		}
	}
	return &npd.Converter{Options: options}, nil
}

// converted prints the file of own reasons, and the outcome for each rule.
func (o *options) converted(result npd.Result, say conversionWords) error {
	if err := config.CheckOwn("", result.File("")); err != nil {
		return inputError{err}
	}
	if _, err := o.out.Write(result.File(say.comment)); err != nil {
		return fmt.Errorf("write the own reasons: %w", err)
	}
	counts := map[npd.Outcome]int{}
	for _, outcome := range []npd.Outcome{npd.Kept, npd.BuiltIn, npd.Refused} {
		for _, converted := range result.Converted {
			if converted.Outcome != outcome {
				continue
			}
			counts[outcome]++
			var notes []string
			for _, n := range converted.Notes {
				notes = append(notes, strings.ReplaceAll(say.notes[n.Kind], "%s", reason.OneLine(n.Argument)))
			}
			terminal.WriteLine(o.errOut, fmt.Sprintf("%s %s (%s): %s", say.outcomes[outcome], converted.Reason, converted.File, strings.Join(notes, "; ")))
		}
	}
	terminal.WriteLine(o.errOut, fmt.Sprintf(say.summary, counts[npd.Kept], counts[npd.BuiltIn], counts[npd.Refused]))
	return nil
}
