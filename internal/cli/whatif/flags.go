package whatif

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// given is a flag of one change, as it was typed.
type given struct {
	name, value string
	// after is how many arguments stood before it, which tells the change it belongs to.
	after int
}

// changeFlags are those that belong to one change of several, and so may come more than once.
type changeFlags struct {
	set   *pflag.FlagSet
	given []given
	// ends are the numbers of arguments after which a flag's value ended a change with its comma.
	ends map[int]bool
}

// changeFlagNames are the flags of changes and their short forms. Where they stand in the line tells which change they are about.
var changeFlagNames = []struct{ name, short string }{
	{"cpu", ""},
	{"memory", ""},
	{"container", ""},
	{"group", ""},
	{"zone", ""},
	{"zones", ""},
	{"to", ""},
	{"replicas", ""},
	{"filename", "f"},
	{"patch", "p"},
}

func (c *changeFlags) add(cmd *cobra.Command) {
	c.addTo(cmd.Flags())
}

func (c *changeFlags) addTo(set *pflag.FlagSet) {
	c.set, c.ends = set, map[int]bool{}
	for _, flag := range changeFlagNames {
		c.set.VarP(&flagValue{c, flag.name, "string"}, flag.name, flag.short, "")
	}
	for _, name := range []string{"force", "server-side", "force-conflicts", "server-dry-run"} {
		c.set.Var(&flagValue{c, name, "bool"}, name, "")
		c.set.Lookup(name).NoOptDefVal = "true"
	}
}

// flagValue notes what was given and where.
type flagValue struct {
	flags      *changeFlags
	name, kind string
}

func (*flagValue) String() string { return "" }

// Type is what stands for the value in the help.
func (v *flagValue) Type() string { return v.kind }

// Set is called in the order of the line: the flag set's arguments are those that stand before.
func (v *flagValue) Set(value string) error {
	after := len(v.flags.set.Args())
	value, ends := strings.CutSuffix(value, ",")
	if ends {
		v.flags.ends[after] = true
	}
	v.flags.given = append(v.flags.given, given{v.name, value, after})
	return nil
}

// between are the flags that stand after so many arguments, up to so many.
func (c *changeFlags) between(from, to int) map[string]string {
	values := map[string]string{}
	for _, g := range c.given {
		if g.after > from && g.after <= to {
			values[g.name] = g.value
		}
	}
	return values
}
