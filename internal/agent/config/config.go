// Package config is the agent's configuration: a YAML file in which every field has a default, read strictly.
package config

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor"
	"github.com/naosu-dev/naosu/internal/agent/monitor/accelerator"
	"github.com/naosu-dev/naosu/internal/agent/monitor/kernel"
	"github.com/naosu-dev/naosu/internal/agent/monitor/logs"
	"github.com/naosu-dev/naosu/internal/agent/monitor/network"
	"github.com/naosu-dev/naosu/internal/agent/monitor/runtime"
	"github.com/naosu-dev/naosu/internal/agent/monitor/storage"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/tasks"
)

//go:generate go run ./generate

// Config is what may be configured.
type Config struct {
	// Reasons are changes to the catalogue, by reason.
	Reasons map[name]Setting `yaml:"reasons"`
	// Kernel, Logs, Network, Runtime and Storage are the options of the monitors of these names.
	Kernel  kernel.Options  `yaml:"kernel"`
	Logs    logs.Options    `yaml:"logs"`
	Network network.Options `yaml:"network"`
	Runtime runtime.Options `yaml:"runtime"`
	Storage storage.Options `yaml:"storage"`
	// Work is what Remediations may have the agent do.
	Work tasks.Options `yaml:"work"`

	// Own are the reasons of the files of own reasons, and Refused the files that are left out.
	Own     []reason.Reason
	Refused []Refusal
}

// Setting changes a reason. What is zero stays as the catalogue has it.
type Setting struct {
	// Severity is one of fatal, warning and off. What is not said of a reason stays as the catalogue has it.
	Severity Severity `yaml:"severity"`
	// Needs and Clears are of the same kind as the catalogue's: occurrences stay occurrences.
	Needs  Needs  `yaml:"needs"`
	Clears Clears `yaml:"clears"`
}

// Needs is how much evidence makes a reason stand.
type Needs struct {
	// Count is how many occurrences make the reason stand, if lines tell it.
	Count int `yaml:"count"`
	// Within is the time in which they come.
	Within time.Duration `yaml:"within"`
	// For is for how long every look has to find the fault, if looks tell the reason.
	For time.Duration `yaml:"for"`
}

// Clears is what makes a reason go.
type Clears struct {
	// Quiet is for how long no more occurrences may come.
	Quiet time.Duration `yaml:"quiet"`
	// For is for how long looks have to find no fault.
	For time.Duration `yaml:"for"`
}

// name is a reason's, in any of its spellings.
type name reason.ID

func (n *name) UnmarshalText(text []byte) error {
	r, known := reason.Find(string(text))
	if !known {
		return errors.New("no such reason; `naosu-agent reasons` lists them")
	}
	*n = name(r.ID)
	return nil
}

// Severity is a reason's, as a file has it.
type Severity reason.Severity

// UnmarshalText reads one.
func (s *Severity) UnmarshalText(text []byte) error {
	*s = Severity(text)
	if all := []reason.Severity{reason.Fatal, reason.Warning, reason.Off}; !slices.Contains(all, reason.Severity(text)) {
		return fmt.Errorf("%q is none of %q", text, all)
	}
	return nil
}

// Default is what holds without a file.
func Default() Config {
	return Config{
		Kernel: kernel.DefaultOptions(), Logs: logs.DefaultOptions(), Network: network.DefaultOptions(), Runtime: runtime.DefaultOptions(), Storage: storage.DefaultOptions(),
		Work: tasks.DefaultOptions(),
	}
}

// Monitors are all that watch a host. In the folder they keep how far logs were read and what answered, over a restart; empty keeps
// nothing.
func (c Config) Monitors(h host.Host, folder string) []monitor.Monitor {
	return slices.Concat(
		kernel.Monitors(h, c.Kernel), logs.Monitors(h, c.Logs, c.Catalogue(), folder), network.Monitors(h, c.Network, folder),
		runtime.Monitors(h, c.Runtime), storage.Monitors(h, c.Storage), accelerator.Monitors(h), []monitor.Monitor{c.refusals()},
	)
}

// Read reads a configuration file, and the files of own reasons beside it. The error names everything that is wrong with the former,
// each with file, line and field; what is wrong with the latter is in Refused. A file of own reasons alone may be given as well.
func Read(path string) (Config, error) {
	if strings.HasSuffix(path, reason.OwnFiles) {
		c := Default()
		c.readOwnFile(path)
		return c, nil
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return Config{}, fmt.Errorf("read the configuration: %w", err)
	}
	c, err := parse(path, text)
	if err != nil {
		return c, err
	}
	c.readOwn(filepath.Dir(path))
	return c, nil
}

func parse(file string, text []byte) (Config, error) {
	c := Default()
	var root yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root); {
	case errors.Is(err, io.EOF):
		return c, nil
	case err != nil:
		return Config{}, fmt.Errorf("%s: %w", file, err)
	}
	d := decoder{file: file, at: map[string]*yaml.Node{}}
	d.decode(root.Content[0], reflect.ValueOf(&c).Elem(), "")
	for id, s := range c.Reasons {
		s.check(&d, reason.ID(id))
	}
	d.sort()
	return c, errors.Join(d.mistakes...)
}

// check holds a setting against what the catalogue says of the reason's evidence.
func (s Setting) check(d *decoder, id reason.ID) {
	r, _ := reason.Find(string(id))
	path := "reasons." + string(id)
	say := func(bad bool, field, why string) {
		if n := d.at[path+field]; bad && n != nil {
			d.wrong(n, path+field, "%s", why)
		}
	}
	if r.Looked() {
		say(s.Needs.Count != 0, ".needs.count", "looks find this reason: needs takes {for}, clears {for}")
		say(s.Needs.Within != 0, ".needs.within", "looks find this reason: needs takes {for}, clears {for}")
		say(s.Clears.Quiet != 0, ".clears.quiet", "looks find this reason: needs takes {for}, clears {for}")
		return
	}
	say(s.Needs.For != 0, ".needs.for", "occurrences make this reason: needs takes {count, within}, clears {quiet}")
	say(s.Clears.For != 0, ".clears.for", "occurrences make this reason: needs takes {count, within}, clears {quiet}")
	say(s.Needs.Count < 0, ".needs.count", "it counts occurrences, from 1")
	if cmp.Or(reason.Severity(s.Severity), r.Severity) != reason.Fatal {
		return
	}
	say(r.Written(), ".severity", "its lines are not the kernel's own, and a workload may have them written: it cannot be fatal")
	if cmp.Or(s.Needs.Count, r.Needs.Count) > 1 || r.Rests.On == reason.Driver {
		return
	}
	field := ".needs.count"
	if s.Needs.Count == 0 {
		field = ".severity"
	}
	say(true, field, "one stray line must not make a condition False: a fatal reason needs a count of 2 or more")
}

// Catalogue is the reasons as configured: the catalogue's, and then own ones.
func (c Config) Catalogue() []reason.Reason {
	list := slices.Clone(reason.Catalogue)
	for i := range list {
		r := &list[i]
		s := c.Reasons[name(r.ID)]
		r.Severity = cmp.Or(reason.Severity(s.Severity), r.Severity)
		r.Needs.Count, r.Needs.Within, r.Needs.For = cmp.Or(s.Needs.Count, r.Needs.Count), cmp.Or(s.Needs.Within, r.Needs.Within), cmp.Or(s.Needs.For, r.Needs.For)
		r.Clears.Quiet, r.Clears.For = cmp.Or(s.Clears.Quiet, r.Clears.Quiet), cmp.Or(s.Clears.For, r.Clears.For)
	}
	return append(list, c.ownReasons()...)
}
