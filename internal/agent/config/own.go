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

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// Limits of own reasons, which keep their cost small: the memory limit of the agent is 25 MiB.
const (
	maxOwnFile     = 64 << 10 // bytes
	maxOwn         = 64       // reasons, of all files together
	maxOwnMatches  = 8        // of a reason
	maxOwnPatterns = 128      // of all files together
	maxOwnPattern  = 512      // bytes
	maxOwnProgram  = 500      // instructions of a compiled pattern
	maxOwnCount    = 100
	maxOwnDuration = 24 * time.Hour
	maxOwnName     = 63 // bytes
	maxOwnMeans    = 256
)

// OwnFile is a file of own reasons.
type OwnFile struct {
	// Reasons are added to the catalogue. All files together may contain at most 64.
	Reasons []OwnReason `yaml:"reasons"`
}

// OwnReason is a reason that log lines show, defined by the operators of a cluster.
type OwnReason struct {
	// Name is the reason field of the Event or node condition, in CamelCase, such as RaidBatteryFailed: 2 to 63 letters and digits. It
	// must differ from the names in the catalogue.
	Name string `yaml:"name"`
	// Means is what the reason means, in one sentence of at most 256 bytes.
	Means string `yaml:"means"`
	// Condition is the node condition that the reason belongs to: KernelReady, NetworkingReady, StorageReady, ContainerRuntimeReady or
	// AcceleratedHardwareReady.
	Condition OwnCondition `yaml:"condition"`
	// Severity is the severity: warning (an Event), fatal (the condition turns False; requires a witness) or off.
	Severity Severity `yaml:"severity"`
	// Matches are patterns of the lines that are evidence: at most 8, and at most 128 for all reasons together.
	Matches []OwnMatch `yaml:"matches"`
	// Needs is how many lines about one entity are needed before the reason is reported.
	Needs OwnNeeds `yaml:"needs"`
	// Clears is when the reason is no longer reported.
	Clears OwnClears `yaml:"clears"`
	// Witness must confirm each line of a fatal reason. Exactly one of unit and counter is set.
	Witness OwnWitness `yaml:"witness"`
}

// OwnMatch is a pattern of log lines.
type OwnMatch struct {
	// Log is the log to read: kernel, kubelet, unit:NAME (the journal of a systemd service), or the path of a file, which must be
	// visible to the agent.
	Log OwnLog `yaml:"log"`
	// Pattern is a regular expression (RE2) of at most 512 bytes. It begins with ^ and the beginning of the line; its group "entity"
	// captures the entity.
	Pattern string `yaml:"pattern"`
}

// OwnNeeds is how much evidence is needed before a reason is reported.
type OwnNeeds struct {
	// Count is the number of lines after which the reason is reported, at most 100. A fatal reason requires at least 2.
	Count int `yaml:"count"`
	// Within is the time within which they must occur, at most 24h.
	Within time.Duration `yaml:"within"`
}

// OwnClears is when a reason is no longer reported.
type OwnClears struct {
	// Quiet is the time without a line after which the reason clears, at most 24h.
	Quiet time.Duration `yaml:"quiet"`
}

// OwnWitness is a second source of evidence that is not a log.
type OwnWitness struct {
	// Unit is a systemd service. It confirms a line while systemd reports the service as failed.
	Unit string `yaml:"unit"`
	// Counter is a file in /sys or /proc, or a pattern for such files (path/filepath.Match). It confirms a line while a file contains
	// a number greater than 0.
	Counter string `yaml:"counter"`
}

// DefaultOwn returns the defaults of an own reason.
func DefaultOwn() OwnReason {
	return OwnReason{Severity: Severity(reason.Warning), Needs: OwnNeeds{Count: 1, Within: 10 * time.Minute}, Clears: OwnClears{Quiet: reason.OwnQuiet}}
}

// Refusal is an invalid file of own reasons, and its errors.
type Refusal struct {
	// File is the name of the file, without its folder.
	File string
	Err  error
}

// readOwn reads the files of own reasons in a folder, sorted by name. A file with any error is refused as a whole.
func (c *Config) readOwn(folder string) {
	files, err := filepath.Glob(filepath.Join(escaped(folder), "*"+reason.OwnFiles))
	if err != nil {
		c.refuse(folder, err)
	}
	for _, file := range files {
		c.readOwnFile(file)
	}
}

// escaped escapes a path for use in a pattern of filepath.Glob.
func escaped(path string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(path)
}

func (c *Config) refuse(file string, err error) {
	c.Refused = append(c.Refused, Refusal{File: filepath.Base(file), Err: err})
}

func (c *Config) readOwnFile(path string) {
	text, err := readBounded(path)
	if err != nil {
		c.refuse(path, err)
		return
	}
	own, err := parseOwn(path, text, c.Own)
	if err != nil {
		c.refuse(path, err)
		return
	}
	c.Own = append(c.Own, own...)
}

// readBounded reads a file of own reasons. A file that is too large is an error.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("read own reasons: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxOwnFile+1))
	if err != nil {
		return nil, fmt.Errorf("read own reasons: %w", err)
	}
	if len(text) > maxOwnFile {
		return nil, fmt.Errorf("%s: the file is larger than %d KiB; split it", path, maxOwnFile>>10)
	}
	return text, nil
}

// CheckOwn returns all errors in the text of a file of own reasons.
func CheckOwn(file string, text []byte) error {
	_, err := parseOwn(file, text, nil)
	return err
}

// parseOwn decodes a file of own reasons; others are the reasons of the preceding files. The returned error contains all errors.
func parseOwn(file string, text []byte, others []reason.Reason) ([]reason.Reason, error) {
	var root yaml.Node
	switch err := yaml.NewDecoder(bytes.NewReader(text)).Decode(&root); {
	case errors.Is(err, io.EOF):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	var f OwnFile
	d := decoder{file: file, at: map[string]*yaml.Node{}}
	d.decode(root.Content[0], reflect.ValueOf(&f).Elem(), "")
	names, patterns := map[string]string{}, 0
	for _, r := range others {
		patterns += len(r.Matches)
		names[strings.ToLower(string(r.ID))] = "the file " + r.Own + " defines it"
	}
	if all := len(others) + len(f.Reasons); all > maxOwn {
		d.wrong(root.Content[0], "reasons", "all files together have %d own reasons so far; the maximum is %d", all, maxOwn)
	}
	list := make([]reason.Reason, 0, len(f.Reasons))
	for i, own := range f.Reasons {
		d.checkOwn(fmt.Sprintf("reasons[%d]", i), own.withDefaults(), names)
		list = append(list, own.withDefaults().reason(filepath.Base(file)))
		patterns += len(own.Matches)
	}
	if patterns > maxOwnPatterns {
		d.wrong(root.Content[0], "reasons", "all files together have %d patterns so far; the maximum is %d", patterns, maxOwnPatterns)
	}
	d.sort()
	return list, errors.Join(d.mistakes...)
}

// withDefaults returns the reason with the defaults for fields that are not set.
func (o OwnReason) withDefaults() OwnReason {
	otherwise := DefaultOwn()
	o.Severity = cmp.Or(o.Severity, otherwise.Severity)
	o.Needs.Count, o.Needs.Within = cmp.Or(o.Needs.Count, otherwise.Needs.Count), cmp.Or(o.Needs.Within, otherwise.Needs.Within)
	o.Clears.Quiet = cmp.Or(o.Clears.Quiet, otherwise.Clears.Quiet)
	return o
}

// reason returns the reason in the form of the catalogue. It has no action: only a policy can specify one.
func (o OwnReason) reason(file string) reason.Reason {
	r := reason.Reason{
		ID: reason.ID(o.Name), Condition: reason.Condition(o.Condition), Severity: reason.Severity(o.Severity), Action: reason.None,
		Means: reason.Words{EN: o.Means, JA: o.Means},
		Needs: reason.Needs{Count: o.Needs.Count, Within: o.Needs.Within}, Clears: reason.Clears{Quiet: o.Clears.Quiet},
		Own: file, Witness: reason.SecondWitness(o.Witness),
	}
	var reads []string
	for _, m := range o.Matches {
		r.Matches = append(r.Matches, reason.Match{Log: string(m.Log), Pattern: m.Pattern})
		reads = append(reads, string(m.Log)+": "+m.Pattern)
		if strings.Contains(m.Pattern, "(?P<entity>") || strings.Contains(m.Pattern, "(?<entity>") {
			r.Entity = "entity"
		}
	}
	r.Reads = strings.Join(reads, "; ")
	if r.Severity == reason.Fatal {
		witness := o.Witness.Unit + o.Witness.Counter
		r.Basis = reason.Basis{Kind: reason.Witness, Text: reason.Words{
			EN: "Kernel messages, each counted once " + witness + " confirms it.",
			JA: "カーネル自身の行を、" + witness + " が同じことを示したときに数えます。",
		}}
	}
	return r
}

// ownReasons returns the reasons of all files, sorted like the catalogue.
func (c Config) ownReasons() []reason.Reason {
	list := slices.Clone(c.Own)
	slices.SortFunc(list, func(a, b reason.Reason) int {
		return cmp.Or(cmp.Compare(slices.Index(reason.Conditions, a.Condition), slices.Index(reason.Conditions, b.Condition)), cmp.Compare(a.ID, b.ID))
	})
	return list
}
