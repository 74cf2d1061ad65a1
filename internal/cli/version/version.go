// Package version is the verb that says which naosu this is.
package version

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// NewCommand is `naosu version`.
func NewCommand(streams genericiooptions.IOStreams) *cobra.Command {
	return &cobra.Command{
		Use:  "version",
		Args: exit.NoArgs,
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprintln(streams.Out, line())
			return err
		},
	}
}

// line says which naosu this is, what it was built with, and for what.
func line() string {
	return fmt.Sprintf("naosu %s %s %s/%s", Number(), runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// Number is what the Go toolchain noted at build: a module version, or the commit of a checkout.
func Number() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	return info.Main.Version
}
