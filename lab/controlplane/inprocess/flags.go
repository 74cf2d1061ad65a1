package inprocess

import (
	"fmt"
	"strconv"

	"github.com/spf13/pflag"
	cliflag "k8s.io/component-base/cli/flag"
	"k8s.io/component-base/logs"
	logsapi "k8s.io/component-base/logs/api/v1"

	"github.com/naosu-dev/naosu/lab/controlplane"
)

// parse reads a component's flags as its command would. The log's verbosity is the process's, so the last one set holds.
func parse(c controlplane.Component, sets cliflag.NamedFlagSets, logging *logs.Options, flags []string) error {
	all := pflag.NewFlagSet(string(c), pflag.ContinueOnError)
	all.SetOutput(components)
	all.SetNormalizeFunc(cliflag.WordSepNormalizeFunc)
	for _, set := range sets.FlagSets {
		all.AddFlagSet(set)
	}
	if err := all.Parse(flags); err != nil {
		return err
	}
	if rest := all.Args(); len(rest) != 0 {
		return fmt.Errorf("%q is not a flag", rest[0])
	}
	if logging.Format != logsapi.DefaultLogFormat {
		return fmt.Errorf("--logging-format=%s: only %q is possible", logging.Format, logsapi.DefaultLogFormat)
	}
	if logging.Verbosity != 0 {
		if _, err := logs.GlogSetter(strconv.Itoa(int(logging.Verbosity))); err != nil {
			return fmt.Errorf("-v=%d: %w", logging.Verbosity, err)
		}
	}
	return nil
}
