// Package npd makes own reasons of the rules of node-problem-detector: those of its system log monitor, and those of its custom plugin
// monitor that count lines of a log. It keeps what means the same here, and says of every rule what became of it.
//
// Source: pkg/systemlogmonitor, pkg/custompluginmonitor and cmd/logcounter of kubernetes/node-problem-detector.
package npd

import (
	"encoding/json"
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Options are what a person says of what node-problem-detector's files do not.
type Options struct {
	// Units are the systemd services of journald sources (SYSLOG_IDENTIFIER), beside those that are known.
	Units map[string]string
	// Witnesses are what agrees with rules that turn a condition, by reason.
	Witnesses map[string]config.OwnWitness
	// Lines are real ones of the logs, which show whether lines begin as patterns do.
	Lines []string
}

// Fate is what became of a rule.
type Fate string

const (
	// Kept is a rule that is an own reason now.
	Kept Fate = "kept"
	// BuiltIn is one that the catalogue has.
	BuiltIn Fate = "built in"
	// Refused is one that cannot be kept.
	Refused Fate = "refused"
)

// About is something that a person should know of a rule's fate. In comments are its arguments.
type About string

const (
	// Anchored says that ^ was put before the pattern.
	Anchored About = "Anchored"
	// Begins says that a real line begins so.
	Begins About = "Begins" // the line
	// InMessage says that the pattern is looked for in the message of a line's msg="…".
	InMessage About = "InMessage"
	// IsWarning says that the rule turned a condition, and makes an Event now.
	IsWarning About = "IsWarning" // the NPD condition
	// IsFatal says that it turns a condition as before, with its witness.
	IsFatal About = "IsFatal" // the witness
	// InCondition says which condition it belongs to.
	InCondition About = "InCondition" // the condition
	// HasReason says that the catalogue has it.
	HasReason About = "HasReason" // the catalogue's reason

	// OfFile says that NPD cuts the message out of a file's line.
	OfFile About = "OfFile" // the file
	// RunsCommand says that the rule runs a command.
	RunsCommand About = "RunsCommand" // the command
	// OtherPlugin says that the plugin is none that is known.
	OtherPlugin About = "OtherPlugin" // the plugin
	// NoUnit says that the service is not known of a journald source.
	NoUnit About = "NoUnit" // the source
	// Reverts says that lines take counts back.
	Reverts About = "Reverts"
	// BeginsAnywhere says that the pattern itself begins with any text.
	BeginsAnywhere About = "BeginsAnywhere"
	// BeginsOtherwise says that a real line has something before what the pattern takes.
	BeginsOtherwise About = "BeginsOtherwise" // the line
	// SeveralLines says that the pattern takes several lines.
	SeveralLines About = "SeveralLines"
	// NoPattern says that there is none, or none that can be read.
	NoPattern About = "NoPattern" // why
	// Differs says that another rule of the reason has another type, log or count.
	Differs About = "Differs"
	// Fails says what naosu-agent check has against it.
	Fails About = "Fails" // why
)

// Note is something to know, with its argument.
type Note struct {
	About    About
	Argument string
}

// Told is a rule and what became of it.
type Told struct {
	File, Reason string
	Fate         Fate
	Notes        []Note
}

// Result is what was made of files.
type Result struct {
	Reasons []config.OwnReason
	Told    []Told
	// anchored are the patterns before which ^ was put.
	anchored map[string]bool
}

// Converter makes own reasons of files, one after the other.
type Converter struct {
	Options Options
	Result  Result
}

// file is a configuration of either monitor.
type file struct {
	Plugin       string `json:"plugin"`
	PluginConfig struct {
		Source string `json:"source"`
	} `json:"pluginConfig"`
	LogPath string `json:"logPath"`
	Source  string `json:"source"`
	Rules   []rule `json:"rules"`
}

type rule struct {
	Type      string   `json:"type"`
	Condition string   `json:"condition"`
	Reason    string   `json:"reason"`
	Pattern   string   `json:"pattern"`
	Path      string   `json:"path"`
	Args      []string `json:"args"`
}

// named are the reasons of node-problem-detector's own files that the catalogue has under names that are no aliases there.
var named = map[string]reason.ID{
	"DockerHung": reason.KernelDeadlock, "NTPIsDown": reason.ClockUnsynchronized, "KubeProxyUnhealthy": reason.KubeProxyNotReady,
	"ContainerdUnhealthy": reason.ContainerRuntimeUnhealthy, "DockerUnhealthy": reason.ContainerRuntimeUnhealthy,
}

// builtIn is the catalogue's reason of a rule's.
func builtIn(name string) (reason.ID, bool) {
	if id, is := named[name]; is {
		return id, true
	}
	for _, r := range reason.Catalogue {
		for _, known := range append([]reason.ID{r.ID}, r.Aliases...) {
			if strings.EqualFold(string(known), name) {
				return r.ID, true
			}
		}
	}
	return "", false
}

// Convert takes in a file. An error says that it is none of node-problem-detector's with rules.
func (c *Converter) Convert(name string, text []byte) error {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(f.Rules) == 0 {
		return fmt.Errorf("%s: it has no rules; those of a system log monitor or a custom plugin monitor have", name)
	}
	for _, r := range f.Rules {
		told := Told{File: name, Reason: r.Reason}
		told.Fate, told.Notes = c.take(f, r)
		c.Result.Told = append(c.Result.Told, told)
	}
	return nil
}

// take is what becomes of a rule.
func (c *Converter) take(f file, r rule) (Fate, []Note) {
	if known, is := builtIn(r.Reason); is {
		return BuiltIn, []Note{{HasReason, string(known)}}
	}
	own := config.OwnReason{Name: r.Reason, Means: fmt.Sprintf("As node-problem-detector's rule %s of %s says.", r.Reason, f.Source)}
	source, pattern, wrong := c.lines(f, r, &own)
	if wrong != nil {
		return Refused, wrong
	}
	log, isKnown := c.log(source)
	if !isKnown {
		return Refused, []Note{{NoUnit, source}}
	}
	anchored, notes, wrong := anchor(pattern, log)
	if wrong == nil {
		notes, wrong = tried(pattern, anchored, c.Options.Lines, notes)
	}
	if wrong != nil {
		return Refused, wrong
	}
	own.Condition = config.OwnCondition(conditionOf(r.Condition, log))
	own.Matches = []config.OwnMatch{{Log: config.OwnLog(log), Pattern: anchored}}
	notes = append(notes, c.weigh(r, &own)...)
	if err := config.CheckOwn("", Result{Reasons: []config.OwnReason{own}}.File("")); err != nil {
		return Refused, []Note{{Fails, plain(err)}}
	}
	if !c.add(own) {
		return Refused, []Note{{Differs, ""}}
	}
	if len(notes) > 0 && notes[0].About == Anchored {
		if c.Result.anchored == nil {
			c.Result.anchored = map[string]bool{}
		}
		c.Result.anchored[anchored] = true
	}
	return Kept, notes
}

// plain is an error of CheckOwn without the place in a file that nobody has.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if _, after, found := strings.Cut(text, "reasons[0]."); found {
		return after
	}
	return text
}

// lines are the source and the pattern of the lines that a rule is about; of those that count lines also how many.
func (c *Converter) lines(f file, r rule, own *config.OwnReason) (source, pattern string, wrong []Note) {
	switch f.Plugin {
	case "kmsg":
		return "kernel", r.Pattern, nil
	case "journald":
		return f.PluginConfig.Source, r.Pattern, nil
	case "filelog":
		return "", "", []Note{{OfFile, f.LogPath}}
	case "custom":
		if path.Base(r.Path) == "log-counter" {
			return counted(r, own)
		}
		return "", "", []Note{{RunsCommand, r.Path}}
	}
	return "", "", []Note{{OtherPlugin, f.Plugin}}
}

// counted are the lines that log-counter counts.
func counted(r rule, own *config.OwnReason) (source, pattern string, wrong []Note) {
	flags := map[string]string{}
	for _, arg := range r.Args {
		name, value, _ := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		flags[name] = value
	}
	if flags["revert-pattern"] != "" {
		return "", "", []Note{{Reverts, ""}}
	}
	if count, err := strconv.Atoi(flags["count"]); err == nil {
		own.Needs.Count = count
	}
	if within, err := time.ParseDuration(flags["lookback"]); err == nil {
		own.Needs.Within, own.Clears.Quiet = within, within
	}
	return flags["journald-source"], flags["pattern"], nil
}

// units are the services of identifiers that are known.
var units = map[string]string{"docker": "docker.service", "dockerd": "docker.service", "containerd": "containerd.service", "crio": "crio.service"}

// log is where the lines of a source stand here. The kubelet's are read wherever it runs.
func (c *Converter) log(source string) (string, bool) {
	if source == "kernel" || source == "kubelet" {
		return source, true
	}
	for _, known := range []map[string]string{c.Options.Units, units} {
		if unit := known[source]; unit != "" {
			return "unit:" + unit, true
		}
	}
	return "", false
}

// storage and runtimes are parts of the names of node-problem-detector's conditions that are about these.
var (
	storage  = []string{"filesystem", "xfs", "ext4", "disk", "readonly", "storage", "volume"}
	runtimes = []string{"docker", "containerd", "crio", "kubelet", "runtime"}
	networks = []string{"network", "netdev", "iptables", "dns", "conntrack"}
)

// conditionOf is the condition here: by the name of node-problem-detector's, else by the log.
func conditionOf(theirs, log string) reason.Condition {
	about := func(parts []string) bool {
		return slices.ContainsFunc(parts, func(part string) bool { return strings.Contains(strings.ToLower(theirs), part) })
	}
	switch {
	case about(storage):
		return reason.StorageReady
	case about(networks):
		return reason.NetworkingReady
	case about(runtimes), log == "kubelet", slices.Contains([]string{"unit:docker.service", "unit:containerd.service", "unit:crio.service"}, log):
		return reason.ContainerRuntimeReady
	}
	return reason.KernelReady
}

// weigh says what the reason may do: one that turned a condition does so on only with a witness.
func (c *Converter) weigh(r rule, own *config.OwnReason) []Note {
	notes := []Note{{InCondition, string(own.Condition)}}
	witness, has := c.Options.Witnesses[r.Reason]
	switch {
	case r.Type == "permanent" && has:
		own.Severity, own.Witness = config.Severity(reason.Fatal), witness
		own.Needs.Count = max(2, own.Needs.Count)
		return append(notes, Note{IsFatal, witness.Unit + witness.Counter})
	case r.Type == "permanent":
		return append(notes, Note{IsWarning, r.Condition})
	}
	return notes
}

// add adds a reason, or its pattern to one that is there; false says that they differ otherwise.
func (c *Converter) add(own config.OwnReason) bool {
	i := slices.IndexFunc(c.Result.Reasons, func(r config.OwnReason) bool { return r.Name == own.Name })
	if i < 0 {
		c.Result.Reasons = append(c.Result.Reasons, own)
		return true
	}
	there := &c.Result.Reasons[i]
	if there.Condition != own.Condition || there.Severity != own.Severity || there.Needs != own.Needs || there.Witness != own.Witness {
		return false
	}
	if !slices.Contains(there.Matches, own.Matches[0]) {
		there.Matches = append(there.Matches, own.Matches[0])
	}
	return true
}
