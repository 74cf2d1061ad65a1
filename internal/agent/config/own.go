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

// What own reasons may be at most, so that a file costs the node little: the agent may take 25 MiB.
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
	// Reasons are what a team adds to the catalogue. All files together have 64 at most.
	Reasons []OwnReason `yaml:"reasons"`
}

// OwnReason is a reason that lines of a log tell.
type OwnReason struct {
	// Name is what the Event or the node condition has as its reason: an English word or several in CamelCase, as RaidBatteryFailed,
	// of 63 letters and digits at most. The catalogue has no such name.
	Name string `yaml:"name"`
	// Means is one sentence that says it, of 256 bytes at most.
	Means string `yaml:"means"`
	// Condition is the node condition that the reason belongs to: one of those that the agent writes.
	Condition OwnCondition `yaml:"condition"`
	// Severity is one of warning (an Event), fatal (the condition turns False; it takes a witness) and off.
	Severity Severity `yaml:"severity"`
	// Matches are the lines that are evidence, 8 at most, and 128 of all reasons together.
	Matches []OwnMatch `yaml:"matches"`
	// Needs is how many lines about one entity make the reason stand.
	Needs OwnNeeds `yaml:"needs"`
	// Clears is what makes it go.
	Clears OwnClears `yaml:"clears"`
	// Witness is what must agree with each line of a reason that is fatal: one of unit and counter.
	Witness OwnWitness `yaml:"witness"`
}

// OwnMatch is a pattern of lines.
type OwnMatch struct {
	// Log is one of kernel, kubelet, unit:NAME (the journal of a systemd service) and the path of a file, which the agent must see.
	Log OwnLog `yaml:"log"`
	// Pattern is a regular expression (RE2) of 512 bytes at most. It begins with ^ and what the line begins with; what its group
	// "entity" takes is the entity.
	Pattern string `yaml:"pattern"`
}

// OwnNeeds is how much evidence makes a reason stand.
type OwnNeeds struct {
	// Count is the number of lines, 100 at most. A fatal reason takes 2 or more.
	Count int `yaml:"count"`
	// Within is the time in which they come, 24h at most.
	Within time.Duration `yaml:"within"`
}

// OwnClears is what makes a reason go.
type OwnClears struct {
	// Quiet is for how long no more lines may come, 24h at most.
	Quiet time.Duration `yaml:"quiet"`
}

// OwnWitness is something that is not a log.
type OwnWitness struct {
	// Unit is a systemd service, which agrees while systemd says that it has failed.
	Unit string `yaml:"unit"`
	// Counter is a file below /sys or /proc, or a pattern of such (path/filepath.Match). It agrees while one holds a number above zero.
	Counter string `yaml:"counter"`
}

// DefaultOwn is what holds for a reason where its file says nothing.
func DefaultOwn() OwnReason {
	return OwnReason{Severity: Severity(reason.Warning), Needs: OwnNeeds{Count: 1, Within: 10 * time.Minute}, Clears: OwnClears{Quiet: reason.OwnQuiet}}
}

// Refusal is a file of own reasons that is left out, and why.
type Refusal struct {
	// File is its name, without the folder.
	File string
	Err  error
}

// readOwn reads the files of own reasons in a folder, in the order of their names. One in which anything is wrong is left out whole.
func (c *Config) readOwn(folder string) {
	files, err := filepath.Glob(filepath.Join(escaped(folder), "*"+reason.OwnFiles))
	if err != nil {
		c.refuse(folder, err)
	}
	for _, file := range files {
		c.readOwnFile(file)
	}
}

// escaped is a path as filepath.Glob takes it for itself.
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

// readBounded reads a file of own reasons, unless it is too long.
func readBounded(path string) ([]byte, error) {
	file, err := os.Open(path) //nolint:gosec // G304: of the folder that --config names.
	if err != nil {
		return nil, fmt.Errorf("read own reasons: %w", err)
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, maxOwnFile+1))
	if err != nil {
		return nil, fmt.Errorf("read own reasons: %w", err)
	}
	if len(text) > maxOwnFile {
		return nil, fmt.Errorf("%s: it is longer than %d KiB; split it", path, maxOwnFile>>10)
	}
	return text, nil
}

// CheckOwn says what is wrong with the text of a file of own reasons; nil if nothing is.
func CheckOwn(file string, text []byte) error {
	_, err := parseOwn(file, text, nil)
	return err
}

// parseOwn reads own reasons; others are those of the files before it. The error names everything that is wrong, as Read's does.
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
		names[strings.ToLower(string(r.ID))] = "the file " + r.Own + " has it"
	}
	if all := len(others) + len(f.Reasons); all > maxOwn {
		d.wrong(root.Content[0], "reasons", "there are %d own reasons by now; %d are the most, of all files together", all, maxOwn)
	}
	list := make([]reason.Reason, 0, len(f.Reasons))
	for i, own := range f.Reasons {
		d.checkOwn(fmt.Sprintf("reasons[%d]", i), own.withDefaults(), names)
		list = append(list, own.withDefaults().reason(filepath.Base(file)))
		patterns += len(own.Matches)
	}
	if patterns > maxOwnPatterns {
		d.wrong(root.Content[0], "reasons", "there are %d patterns by now; %d are the most, of all files together", patterns, maxOwnPatterns)
	}
	d.sort()
	return list, errors.Join(d.mistakes...)
}

// withDefaults is the reason with what its file does not say.
func (o OwnReason) withDefaults() OwnReason {
	otherwise := DefaultOwn()
	o.Severity = cmp.Or(o.Severity, otherwise.Severity)
	o.Needs.Count, o.Needs.Within = cmp.Or(o.Needs.Count, otherwise.Needs.Count), cmp.Or(o.Needs.Within, otherwise.Needs.Within)
	o.Clears.Quiet = cmp.Or(o.Clears.Quiet, otherwise.Clears.Quiet)
	return o
}

// reason is it as one of the catalogue's. Nothing but a policy says what mends it.
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
		r.Rests = reason.Rests{On: reason.Witness, Says: reason.Words{
			EN: "Lines of the kernel's own, each counted once " + witness + " says the same.",
			JA: "カーネル自身の行を、" + witness + " が同じことを示したときに数えます。",
		}}
	}
	return r
}

// ownReasons are those of all files, sorted as the catalogue is.
func (c Config) ownReasons() []reason.Reason {
	list := slices.Clone(c.Own)
	slices.SortFunc(list, func(a, b reason.Reason) int {
		return cmp.Or(cmp.Compare(slices.Index(reason.Conditions, a.Condition), slices.Index(reason.Conditions, b.Condition)), cmp.Compare(a.ID, b.ID))
	})
	return list
}
