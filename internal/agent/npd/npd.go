// Package npd converts rules of node-problem-detector (NPD) to own reasons: those of its system log monitor, and those of its custom plugin
// monitor that count log lines. It converts only rules that work the same way in naosu's agent, and explains the result for every rule.
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

// Options is information that the files of node-problem-detector do not contain.
type Options struct {
	// Units are systemd services by journald source (SYSLOG_IDENTIFIER), in addition to the known ones.
	Units map[string]string
	// Witnesses are the witnesses of rules that set a condition, by reason.
	Witnesses map[string]config.OwnWitness
	// Lines are real log lines, which show whether patterns match from the beginning of a line.
	Lines []string
}

// Outcome is the outcome of the conversion of a rule.
type Outcome string

const (
	// Kept means that the rule was converted to an own reason.
	Kept Outcome = "kept"
	// BuiltIn means that the catalogue has a reason for it.
	BuiltIn Outcome = "built in"
	// Refused means that the rule cannot be converted.
	Refused Outcome = "refused"
)

// Kind is the kind of a note about the conversion of a rule. The comment at the end of a line is the argument of the note.
type Kind string

const (
	// Anchored means that ^ was added before the pattern.
	Anchored Kind = "Anchored"
	// Begins means that ^ was added, and a real line matches.
	Begins Kind = "Begins" // the line
	// InMessage means that the pattern is searched for in msg="…" of a line.
	InMessage Kind = "InMessage"
	// IsWarning means that the rule set a condition in NPD, and creates an Event here.
	IsWarning Kind = "IsWarning" // the NPD condition
	// IsFatal means that the rule sets a condition, as in NPD, together with its witness.
	IsFatal Kind = "IsFatal" // the witness
	// InCondition is the condition that the reason belongs to.
	InCondition Kind = "InCondition" // the condition
	// HasReason is the reason in the catalogue.
	HasReason Kind = "HasReason" // the catalogue's reason

	// OfFile means that NPD extracts the message from the lines of a file.
	OfFile Kind = "OfFile" // the file
	// RunsCommand means that the rule runs a command.
	RunsCommand Kind = "RunsCommand" // the command
	// OtherPlugin means that the plugin is unknown.
	OtherPlugin Kind = "OtherPlugin" // the plugin
	// NoUnit means that the systemd service of the journald source is unknown.
	NoUnit Kind = "NoUnit" // the source
	// Reverts means that some lines cancel others.
	Reverts Kind = "Reverts"
	// BeginsAnywhere means that the pattern begins with a wildcard.
	BeginsAnywhere Kind = "BeginsAnywhere"
	// BeginsOtherwise means that the pattern matches a real line, but not from its beginning.
	BeginsOtherwise Kind = "BeginsOtherwise" // the line
	// SeveralLines means that the pattern matches several lines.
	SeveralLines Kind = "SeveralLines"
	// NoPattern means that the pattern is missing or invalid.
	NoPattern Kind = "NoPattern" // why
	// Differs means that another rule for the same reason has a different type, log or count.
	Differs Kind = "Differs"
	// Fails is the error that naosu-agent check reports.
	Fails Kind = "Fails" // why
)

// Note explains the outcome for a rule.
type Note struct {
	Kind     Kind
	Argument string
}

// Converted is a rule and the outcome of its conversion.
type Converted struct {
	File, Reason string
	Outcome      Outcome
	Notes        []Note
}

// Result is the result for all files.
type Result struct {
	Reasons   []config.OwnReason
	Converted []Converted
	// anchored are the patterns to which ^ was added.
	anchored map[string]bool
}

// Converter converts files one after the other.
type Converter struct {
	Options Options
	Result  Result
}

// file is a configuration file of either monitor.
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

// named maps reasons in the files that NPD ships to reasons of the catalogue that do not have them as aliases.
var named = map[string]reason.ID{
	"DockerHung": reason.KernelDeadlock, "NTPIsDown": reason.ClockUnsynchronized, "KubeProxyUnhealthy": reason.KubeProxyNotReady,
	"ContainerdUnhealthy": reason.ContainerRuntimeUnhealthy, "DockerUnhealthy": reason.ContainerRuntimeUnhealthy,
}

// builtIn returns the reason of the catalogue for the reason of a rule.
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

// Convert converts a file. It fails if the file is not a configuration of NPD with rules.
func (c *Converter) Convert(name string, text []byte) error {
	var f file
	if err := json.Unmarshal(text, &f); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	if len(f.Rules) == 0 {
		return fmt.Errorf("%s: no rules found; this must be the configuration of a system log monitor or a custom plugin monitor", name)
	}
	for _, r := range f.Rules {
		converted := Converted{File: name, Reason: r.Reason}
		converted.Outcome, converted.Notes = c.convert(f, r)
		c.Result.Converted = append(c.Result.Converted, converted)
	}
	return nil
}

// convert converts a rule and adds the result.
func (c *Converter) convert(f file, r rule) (Outcome, []Note) {
	if known, is := builtIn(r.Reason); is {
		return BuiltIn, []Note{{HasReason, string(known)}}
	}
	own := config.OwnReason{Name: r.Reason, Means: fmt.Sprintf("Detected by the rule %s of node-problem-detector's %s.", r.Reason, f.Source)}
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
	if len(notes) > 0 && notes[0].Kind == Anchored {
		if c.Result.anchored == nil {
			c.Result.anchored = map[string]bool{}
		}
		c.Result.anchored[anchored] = true
	}
	return Kept, notes
}

// plain returns an error of CheckOwn without the position in the temporary file.
func plain(err error) string {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	if _, after, found := strings.Cut(text, "reasons[0]."); found {
		return after
	}
	return text
}

// lines returns the source and the pattern of the lines of a rule. If the rule counts lines, it sets own.Needs.
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

// counted returns the source and the pattern of the lines that NPD's log-counter counts.
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

// units are the known systemd services, by SYSLOG_IDENTIFIER.
var units = map[string]string{"docker": "docker.service", "dockerd": "docker.service", "containerd": "containerd.service", "crio": "crio.service"}

// log returns the log of an own reason for a source. The agent finds the kubelet's log itself.
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

// Parts of the names of NPD's conditions that show their area.
var (
	storage  = []string{"filesystem", "xfs", "ext4", "disk", "readonly", "storage", "volume"}
	runtimes = []string{"docker", "containerd", "crio", "kubelet", "runtime"}
	networks = []string{"network", "netdev", "iptables", "dns", "conntrack"}
)

// conditionOf returns the node condition for a rule, by the name of its condition in NPD or else by its log.
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

// weigh sets the severity: a rule that set a condition remains fatal only with a witness.
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

// add adds a reason, or its pattern to an existing reason of the same name. It returns false if the two differ in anything else.
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
