package output

import (
	"regexp"

	"github.com/spf13/cobra"
)

// run is naosu where a shell's command begins.
var run = regexp.MustCompile(`(^|\| |&& )naosu( |$)`)

// AsCalled is a command line that runs naosu as the program was started: by its own name, or as kubectl's plugin.
func AsCalled(cmd *cobra.Command, line string) string {
	program := cmd.Root().DisplayName()
	if program == "naosu" {
		return line
	}
	return run.ReplaceAllString(line, "${1}"+program+"${2}")
}
