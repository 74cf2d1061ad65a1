package input

import (
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
)

// Aim adds to a command the flags that chose the cluster, so that it reaches the one that was asked about, and has it run naosu as
// this program was started.
func (o *Options) Aim(line string) string {
	line = change.WithFlags(line, connect.Chosen(o.Config)...)
	if o.command == nil {
		return line
	}
	return output.AsCalled(o.command, line)
}

// AimAll does so with the commands of all remedies of an answer that is written as data; a Page does it with each by itself.
func (o *Options) AimAll(each func(func(*finding.Remedy))) {
	each(func(r *finding.Remedy) { r.Command = o.Aim(r.Command) })
}
