// Package cli is the command line of the node agent.
package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/locale"
)

// options are what all commands share.
type options struct {
	out, errOut io.Writer
	config      string
	hostRoot    string
	lang        string
}

// NewCommand returns the command naosu-agent.
func NewCommand(out, errOut io.Writer) *cobra.Command {
	o := &options{out: out, errOut: errOut}
	run := runOptions{options: o}
	cmd := &cobra.Command{
		Use:   "naosu-agent --node-name NODE",
		Short: "Monitor this host and report its health as conditions of its Node",
		Long: `Monitor this host and report its health as conditions and Events of its Node.

To check a host once without a cluster, use naosu-agent check.

Exit codes: 0 success, 1 failure, 2 invalid flags or configuration.`,
		Args:          noArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return run.run(cmd.Context()) },
	}
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return inputError{err} })
	flags := cmd.PersistentFlags()
	flags.StringVar(&o.config, "config", "", "configuration file; the agent also reads files of own reasons (*.patterns.yaml) in its folder. By default, there is none")
	flags.StringVar(&o.hostRoot, "host-root", "/", "folder that contains the host's files, if the agent runs in a container")
	flags.StringVar(&o.lang, "lang", "", "language of the output, en or ja; by default, that of the locale")
	run.addFlags(cmd)
	cmd.AddCommand(newCheck(o), newReasons(o), newConvert(o))
	return cmd
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return inputError{fmt.Errorf("unknown command %q; the commands are check, reasons and convert-npd", args[0])}
	}
	return nil
}

// readWhole is like read, but invalid files of own reasons are errors.
func (o *options) readWhole() (host.Host, config.Config, error) {
	h, c, err := o.read()
	for _, r := range c.Refused {
		err = errors.Join(err, r.Err)
	}
	if err != nil && !errors.As(err, new(inputError)) {
		err = inputError{err}
	}
	return h, c, err
}

// read returns the host and the configuration of the flags. Invalid files of own reasons are in Config.Refused.
func (o *options) read() (host.Host, config.Config, error) {
	c := config.Default()
	root, err := filepath.Abs(o.hostRoot)
	if err != nil {
		return host.Host{}, c, err
	}
	h := host.Host{Root: root}
	if info, err := os.Stat(h.Path("/proc")); err != nil || !info.IsDir() {
		return h, c, inputError{fmt.Errorf("--host-root %s: %s does not exist", o.hostRoot, h.Path("/proc"))}
	}
	if o.config == "" {
		return h, c, nil
	}
	c, err = config.Read(o.config)
	if err != nil {
		return h, c, inputError{err}
	}
	return h, c, nil
}

// language returns --lang, or else the language of the locale.
func (o *options) language() (string, error) {
	switch {
	case o.lang == "":
		return locale.Language(os.Getenv), nil
	case slices.Contains(locale.Languages, o.lang):
		return o.lang, nil
	}
	return "", inputError{fmt.Errorf("--lang %q: must be en or ja", o.lang)}
}

// inputError is an error in flags or files that the user can correct.
type inputError struct{ error }

func (b inputError) Unwrap() error { return b.error }

// ExitCode returns 2 for an error that the user can correct, 1 for any other error.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(inputError)):
		return 2
	}
	return 1
}
