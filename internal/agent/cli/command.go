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

// NewCommand is naosu-agent.
func NewCommand(out, errOut io.Writer) *cobra.Command {
	o := &options{out: out, errOut: errOut}
	run := runOptions{options: o}
	cmd := &cobra.Command{
		Use:   "naosu-agent --node-name NODE",
		Short: "Watch this host and report its health as conditions of its Node",
		Long: `Watch this host and report its health as conditions of its Node.

naosu-agent check looks once, changes nothing and needs no cluster.

Exit codes: 0 as asked, 1 it failed, 2 the flags or the configuration are wrong.`,
		Args:          noArgs,
		SilenceErrors: true, SilenceUsage: true,
		RunE: func(cmd *cobra.Command, _ []string) error { return run.run(cmd.Context()) },
	}
	cmd.SetOut(out)
	cmd.SetErr(errOut)
	cmd.SetFlagErrorFunc(func(_ *cobra.Command, err error) error { return inputError{err} })
	flags := cmd.PersistentFlags()
	flags.StringVar(&o.config, "config", "", "configuration file, beside which files of own reasons (*.patterns.yaml) are read; without one, every default holds")
	flags.StringVar(&o.hostRoot, "host-root", "/", "folder below which the host's files are found, where the agent runs in a container")
	flags.StringVar(&o.lang, "lang", "", "language of what is printed, en or ja; without it, the locale's")
	run.addFlags(cmd)
	cmd.AddCommand(newCheck(o), newReasons(o), newConvert(o))
	return cmd
}

func noArgs(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return inputError{fmt.Errorf("%q is no command; there are check, reasons and convert-npd", args[0])}
	}
	return nil
}

// readWhole is what read reads, if nothing is wrong with the files of own reasons either.
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

// read is the host and the configuration, as the flags say. Files of own reasons in which something is wrong are left out.
func (o *options) read() (host.Host, config.Config, error) {
	c := config.Default()
	root, err := filepath.Abs(o.hostRoot)
	if err != nil {
		return host.Host{}, c, err
	}
	h := host.Host{Root: root}
	if info, err := os.Stat(h.Path("/proc")); err != nil || !info.IsDir() {
		return h, c, inputError{fmt.Errorf("--host-root %s: there is no %s", o.hostRoot, h.Path("/proc"))}
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

// language is --lang, else the locale's.
func (o *options) language() (string, error) {
	switch {
	case o.lang == "":
		return locale.Language(os.Getenv), nil
	case slices.Contains(locale.Languages, o.lang):
		return o.lang, nil
	}
	return "", inputError{fmt.Errorf("--lang %q: there are en and ja", o.lang)}
}

// inputError is an error that a person mends in what he typed or wrote.
type inputError struct{ error }

func (b inputError) Unwrap() error { return b.error }

// ExitCode is 2 for what the person got wrong, 1 for any other error.
func ExitCode(err error) int {
	switch {
	case err == nil:
		return 0
	case errors.As(err, new(inputError)):
		return 2
	}
	return 1
}
