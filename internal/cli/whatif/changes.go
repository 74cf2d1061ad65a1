package whatif

import (
	"io"

	"github.com/spf13/pflag"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// Changes are the changes of a line, the arguments and flags that stand behind `naosu whatif`, as Run plays them in a world.
// What names no namespace is in this one. Where `apply -f -` is asked, the manifests are read from in. Errors are those of
// the command.
func Changes(line []string, in io.Reader, namespace string, world *cluster.Snapshot) ([]change.Change, error) {
	o := &Options{Seeds: 1}
	o.In = in
	set := pflag.NewFlagSet("whatif", pflag.ContinueOnError)
	o.flags.addTo(set)
	if err := set.Parse(line); err != nil {
		return nil, err
	}
	o.Complete(set.Args())
	if err := o.Validate(); err != nil {
		return nil, err
	}
	return o.changes(namespace, world)
}
