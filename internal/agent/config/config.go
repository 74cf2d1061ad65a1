// Package config decodes the agent's configuration: a YAML file in which every field has a default and unknown fields are errors. The
// files of own reasons (reason.OwnFiles) are in the same folder.
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

// Config is the configuration.
type Config struct {
	// Reasons are changes to reasons of the catalogue, by name.
	Reasons map[name]Setting `yaml:"reasons"`
	// Kernel, Logs, Network, Runtime and Storage are the options of the monitors with these names.
	Kernel  kernel.Options  `yaml:"kernel"`
	Logs    logs.Options    `yaml:"logs"`
	Network network.Options `yaml:"network"`
	Runtime runtime.Options `yaml:"runtime"`
	Storage storage.Options `yaml:"storage"`
	// Work is what the agent may do for a Remediation.
	Work tasks.Options `yaml:"work"`

	// Own are the reasons of the valid files of own reasons, Refused the invalid files, whose reasons do not apply.
	Own     []reason.Reason
	Refused []Refusal
}

// Setting changes a reason. Fields that are zero keep the values of the catalogue.
type Setting struct {
	// Severity is the severity: fatal (the condition turns False), warning (an Event) or off.
	Severity Severity `yaml:"severity"`
	// Needs and Clears are of the same kind as in the catalogue: either for occurrences or for checks.
	Needs  Needs  `yaml:"needs"`
	Clears Clears `yaml:"clears"`
}

// Needs is how much evidence is needed before a reason is reported.
type Needs struct {
	// Count is the number of occurrences after which the reason is reported, for reasons whose evidence is occurrences, such as log
	// lines.
	Count int `yaml:"count"`
	// Within is the time within which they must occur.
	Within time.Duration `yaml:"within"`
	// For is the time in which every check must find the fault, for reasons that checks detect.
	For time.Duration `yaml:"for"`
}

// Clears is when a reason is no longer reported.
type Clears struct {
	// Quiet is the time without an occurrence after which the reason clears.
	Quiet time.Duration `yaml:"quiet"`
	// For is the time in which no check may find the fault before the reason clears.
	For time.Duration `yaml:"for"`
}

// name is the name of a reason, or one of its aliases in a file.
type name reason.ID

func (n *name) UnmarshalText(text []byte) error {
	r, known := reason.Find(string(text))
	if !known {
		return errors.New("the reason does not exist; `naosu-agent reasons` lists all reasons")
	}
	*n = name(r.ID)
	return nil
}

// Severity is the severity of a reason.
type Severity reason.Severity

// UnmarshalText implements encoding.TextUnmarshaler.
func (s *Severity) UnmarshalText(text []byte) error {
	*s = Severity(text)
	if all := []reason.Severity{reason.Fatal, reason.Warning, reason.Off}; !slices.Contains(all, reason.Severity(text)) {
		return fmt.Errorf("%q is not one of %q", text, all)
	}
	return nil
}

// Default returns the configuration without a file.
func Default() Config {
	return Config{
		Kernel: kernel.DefaultOptions(), Logs: logs.DefaultOptions(), Network: network.DefaultOptions(), Runtime: runtime.DefaultOptions(), Storage: storage.DefaultOptions(),
		Work: tasks.DefaultOptions(),
	}
}

// Monitors returns the monitors of a host. In the folder, they save how far they have read each log and which endpoints have responded, so
// that they continue there after a restart. If folder is empty, they save nothing.
func (c Config) Monitors(h host.Host, folder string) []monitor.Monitor {
	return slices.Concat(
		kernel.Monitors(h, c.Kernel), logs.Monitors(h, c.Logs, c.Catalogue(), folder), network.Monitors(h, c.Network, folder),
		runtime.Monitors(h, c.Runtime), storage.Monitors(h, c.Storage), accelerator.Monitors(h), []monitor.Monitor{c.refusals()},
	)
}

// Read reads a configuration file and the files of own reasons in its folder. The returned error contains all errors of the former, each
// with file, line and field; Refused contains those of the latter. The path may also be that of a single file of own reasons.
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

// check checks that a setting is of the same kind as the evidence of its reason.
func (s Setting) check(d *decoder, id reason.ID) {
	r, _ := reason.Find(string(id))
	path := "reasons." + string(id)
	say := func(bad bool, field, why string) {
		if n := d.at[path+field]; bad && n != nil {
			d.wrong(n, path+field, "%s", why)
		}
	}
	if r.Polled() {
		say(s.Needs.Count != 0, ".needs.count", "checks detect this reason: needs takes {for}, clears takes {for}")
		say(s.Needs.Within != 0, ".needs.within", "checks detect this reason: needs takes {for}, clears takes {for}")
		say(s.Clears.Quiet != 0, ".clears.quiet", "checks detect this reason: needs takes {for}, clears takes {for}")
		return
	}
	say(s.Needs.For != 0, ".needs.for", "the evidence of this reason is occurrences: needs takes {count, within}, clears takes {quiet}")
	say(s.Clears.For != 0, ".clears.for", "the evidence of this reason is occurrences: needs takes {count, within}, clears takes {quiet}")
	say(s.Needs.Count < 0, ".needs.count", "must be at least 1")
	if cmp.Or(reason.Severity(s.Severity), r.Severity) != reason.Fatal {
		return
	}
	say(r.WritableByWorkloads(), ".severity", "a workload may be able to write its log lines: it cannot be fatal")
	if cmp.Or(s.Needs.Count, r.Needs.Count) > 1 || r.Basis.Kind == reason.Driver {
		return
	}
	field := ".needs.count"
	if s.Needs.Count == 0 {
		field = ".severity"
	}
	say(true, field, "a single line must not turn a condition False: a fatal reason needs a count of at least 2")
}

// Catalogue returns the reasons as configured: those of the catalogue, followed by own reasons.
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
