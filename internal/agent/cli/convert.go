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
		Short: "Make own reasons of node-problem-detector's rules, and say what became of each",
		Long: `Make own reasons of node-problem-detector's rules, and say what became of each: the file goes to standard output, what is to be said
to standard error. It reads configurations of the system log monitor (kmsg, journald), and of the custom plugin monitor those rules that
count lines with log-counter.

A temporary rule becomes a warning. So does a permanent one, unless --witness names what agrees with it: a line alone turns no condition.
Patterns are to begin where the line begins, and to end where it ends, as node-problem-detector has it: where ^ is put before one, look
at a real line first, or give some with --lines. Of Docker's and containerd's lines the message is looked through. Rules that the catalogue has are left out, and those that run a command, that read a file or that take several
lines are refused.`,
		Example: `  naosu-agent convert-npd kernel-monitor.json docker-monitor.json > npd.patterns.yaml
  naosu-agent convert-npd abrt-adaptor.json --unit abrt-notification=abrtd.service
  naosu-agent convert-npd raid.json --witness RaidDegraded=counter:/sys/block/md*/md/degraded`,
		RunE: func(_ *cobra.Command, files []string) error {
			language, err := o.language()
			if err != nil {
				return err
			}
			if len(files) == 0 {
				return inputError{errors.New("FILE is missing: a configuration of node-problem-detector")}
			}
			converter, err := newConverter(units, witnesses)
			if err != nil {
				return err
			}
			if converter.Options.Lines, err = linesOf(lines); err != nil {
				return err
			}
			for _, file := range files {
				text, err := os.ReadFile(file) //nolint:gosec // G304: the person names it.
				if err != nil {
					return inputError{err}
				}
				if err := converter.Convert(filepath.Base(file), text); err != nil {
					return inputError{err}
				}
			}
			return o.converted(converter.Result, fatesOf(language))
		},
	}
	flags := cmd.Flags()
	flags.StringArrayVar(&units, "unit", nil, "SOURCE=SERVICE: the systemd service of a journald source, as abrt-notification=abrtd.service; may be given again")
	flags.StringArrayVar(&witnesses, "witness", nil, "REASON=unit:SERVICE or REASON=counter:PATH: what agrees with a permanent rule, which then turns a condition; may be given again")
	flags.StringVar(&lines, "lines", "", "file of real lines, as `journalctl -o cat` prints them: a rule that takes one only in its middle is refused, with that line")
	return cmd
}

// linesOf are the lines of a file; none without one.
func linesOf(file string) ([]string, error) {
	if file == "" {
		return nil, nil
	}
	text, err := os.ReadFile(file) //nolint:gosec // G304: the person names it.
	if err != nil {
		return nil, inputError{fmt.Errorf("--lines: %w", err)}
	}
	return strings.Split(strings.TrimRight(string(text), "\n"), "\n"), nil
}

// newConverter is one with what the flags say.
func newConverter(units, witnesses []string) (*npd.Converter, error) {
	options := npd.Options{Units: map[string]string{}, Witnesses: map[string]config.OwnWitness{}}
	for _, given := range units {
		source, unit, is := strings.Cut(given, "=")
		if !is || source == "" || unit == "" {
			return nil, inputError{fmt.Errorf("--unit %q: it is SOURCE=SERVICE", given)}
		}
		options.Units[source] = unit
	}
	for _, given := range witnesses {
		name, what, _ := strings.Cut(given, "=")
		kind, value, _ := strings.Cut(what, ":")
		switch {
		case name == "" || value == "":
			return nil, inputError{fmt.Errorf("--witness %q: it is REASON=unit:SERVICE or REASON=counter:PATH", given)}
		case kind == "unit":
			options.Witnesses[name] = config.OwnWitness{Unit: value}
		case kind == "counter":
			options.Witnesses[name] = config.OwnWitness{Counter: value}
		default:
			return nil, inputError{fmt.Errorf("--witness %q: there are unit and counter", given)}
		}
	}
	return &npd.Converter{Options: options}, nil
}

// converted prints the file, and what became of each rule.
func (o *options) converted(result npd.Result, say fates) error {
	if err := config.CheckOwn("", result.File("")); err != nil {
		return inputError{err}
	}
	if _, err := o.out.Write(result.File(say.comment)); err != nil {
		return fmt.Errorf("write the own reasons: %w", err)
	}
	counts := map[npd.Fate]int{}
	for _, fate := range []npd.Fate{npd.Kept, npd.BuiltIn, npd.Refused} {
		for _, told := range result.Told {
			if told.Fate != fate {
				continue
			}
			counts[fate]++
			var notes []string
			for _, n := range told.Notes {
				notes = append(notes, strings.ReplaceAll(say.notes[n.About], "%s", reason.OneLine(n.Argument)))
			}
			terminal.WriteLine(o.errOut, fmt.Sprintf("%s %s (%s): %s", say.fates[fate], told.Reason, told.File, strings.Join(notes, "; ")))
		}
	}
	terminal.WriteLine(o.errOut, fmt.Sprintf(say.summary, counts[npd.Kept], counts[npd.BuiltIn], counts[npd.Refused]))
	return nil
}
