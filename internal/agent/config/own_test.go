package config_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// folder is one with a configuration and files beside it, and the path of the configuration.
func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	at := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(at, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	config := filepath.Join(at, "agent.yaml")
	if _, err := os.Stat(config); err != nil {
		if err := os.WriteFile(config, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return config
}

const good = `
reasons:
- name: RaidBatteryFailed
  means: The battery of the RAID controller is flat.
  condition: StorageReady
  matches:
  - {log: kernel, pattern: '^megaraid_sas (?P<entity>\S+): .*battery'}
- name: RaidDegraded
  means: An array has lost a disk.
  condition: StorageReady
  severity: fatal
  matches:
  - {log: kernel, pattern: '^md/raid1:(?P<entity>md\d+): Disk failure on \S+, disabling device'}
  needs: {count: 2, within: 1h}
  clears: {quiet: 1h}
  witness: {counter: /sys/block/md*/md/degraded}
`

func TestOwnReasons(t *testing.T) {
	c, err := config.Read(folder(t, map[string]string{"storage.patterns.yaml": good, "other.yaml": "nonsense: ["}))
	if err != nil || len(c.Refused) > 0 {
		t.Fatal(err, c.Refused)
	}
	got := c.Catalogue()[len(reason.Catalogue):]
	want := []reason.Reason{{
		ID: "RaidBatteryFailed", Condition: "StorageReady", Severity: reason.Warning, Action: reason.None, Entity: "entity", Own: "storage.patterns.yaml",
		Means:   reason.Words{EN: "The battery of the RAID controller is flat.", JA: "The battery of the RAID controller is flat."},
		Reads:   `kernel: ^megaraid_sas (?P<entity>\S+): .*battery`,
		Needs:   reason.Needs{Count: 1, Within: 10 * time.Minute},
		Clears:  reason.Clears{Quiet: 10 * time.Minute},
		Matches: []reason.Match{{Log: "kernel", Pattern: `^megaraid_sas (?P<entity>\S+): .*battery`}},
	}, {
		ID: "RaidDegraded", Condition: "StorageReady", Severity: reason.Fatal, Action: reason.None, Entity: "entity", Own: "storage.patterns.yaml",
		Means:   reason.Words{EN: "An array has lost a disk.", JA: "An array has lost a disk."},
		Reads:   `kernel: ^md/raid1:(?P<entity>md\d+): Disk failure on \S+, disabling device`,
		Needs:   reason.Needs{Count: 2, Within: time.Hour},
		Clears:  reason.Clears{Quiet: time.Hour},
		Matches: []reason.Match{{Log: "kernel", Pattern: `^md/raid1:(?P<entity>md\d+): Disk failure on \S+, disabling device`}},
		Basis: reason.Basis{Kind: reason.Witness, Text: reason.Words{
			EN: "Kernel messages, each counted once /sys/block/md*/md/degraded confirms it.",
			JA: "カーネル自身の行を、/sys/block/md*/md/degraded が同じことを示したときに数えます。",
		}},
		Witness: reason.SecondWitness{Counter: "/sys/block/md*/md/degraded"},
	}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// one is a file with one reason, of which some fields are others.
func one(fields map[string]string) string {
	all := map[string]string{
		"name": "RaidBatteryFailed", "means": "It is flat.", "condition": "StorageReady", "matches": `[{log: kernel, pattern: '^megaraid_sas and more: '}]`,
	}
	maps.Copy(all, fields)
	text := "reasons:\n-"
	for _, name := range []string{"name", "means", "condition", "severity", "action", "matches", "needs", "clears", "witness"} {
		if all[name] != "" {
			text += fmt.Sprintf(" %s: %s\n ", name, all[name])
		}
	}
	return text
}

func pattern(log, pattern string) string {
	return fmt.Sprintf("[{log: '%s', pattern: '%s'}]", log, strings.ReplaceAll(pattern, "'", "''"))
}

// A wrong file is refused with the field and what to do; what is right is taken.
func TestOwnReasonsAreChecked(t *testing.T) {
	fatal := map[string]string{"severity": "fatal", "needs": "{count: 2}", "witness": "{unit: raid.service}"}
	with := func(base map[string]string, field, value string) map[string]string {
		all := maps.Clone(base)
		all[field] = value
		return all
	}
	for name, tc := range map[string]struct {
		text string
		want string // empty if it is taken
	}{
		"plain":                      {one(nil), ""},
		"nothing":                    {"# none yet\n", ""},
		"no list":                    {"- 1\n", "a list instead of a mapping"},
		"no YAML":                    {"reasons: [", "did not find expected node content"},
		"unknown field":              {one(map[string]string{"action": "Reboot"}), "reasons[0].action: unknown field"},
		"no name":                    {one(map[string]string{"name": `""`}), "reasons[0].name"},
		"small letters":              {one(map[string]string{"name": "raidFailed"}), `reasons[0].name: "raidFailed" is not a valid name`},
		"blank in the name":          {one(map[string]string{"name": "Raid Failed"}), "reasons[0].name"},
		"line break in the name":     {one(map[string]string{"name": `"Raid\nFailed"`}), "reasons[0].name"},
		"long name":                  {one(map[string]string{"name": strings.Repeat("A", 64)}), "reasons[0].name"},
		"name of the catalogue":      {one(map[string]string{"name": "OOMKilling"}), "reasons[0].name: the catalogue already has OOMKilling"},
		"its alias":                  {one(map[string]string{"name": "TaskHung"}), "reasons[0].name: the catalogue already has AppBlocked"},
		"nearly its name":            {one(map[string]string{"name": "OomKilling"}), "reasons[0].name: the catalogue already has OOMKilling"},
		"reason of True":             {one(map[string]string{"name": "NoFault"}), "reasons[0].name: the agent itself uses NoFault"},
		"no meaning":                 {one(map[string]string{"means": `""`}), "reasons[0].means"},
		"Ready":                      {one(map[string]string{"condition": "Ready"}), `reasons[0].condition: "Ready" is not a condition that the agent writes; it writes KernelReady, `},
		"NPD's condition":            {one(map[string]string{"condition": "KernelDeadlock"}), "reasons[0].condition"},
		"no condition":               {one(map[string]string{"condition": "~"}), "reasons[0].condition"},
		"severity":                   {one(map[string]string{"severity": "error"}), "reasons[0].severity"},
		"off":                        {one(map[string]string{"severity": "off"}), ""},
		"no matches":                 {one(map[string]string{"matches": "[]"}), "reasons[0].matches: has 0 patterns; must have 1 to 8"},
		"nine matches":               {one(map[string]string{"matches": "[" + strings.Repeat("{log: kernel, pattern: ^abc}, ", 9) + "]"}), "has 9 patterns"},
		"no log":                     {one(map[string]string{"matches": "[{pattern: ^abc}]"}), "reasons[0].matches[0].log: missing"},
		"log":                        {one(map[string]string{"matches": pattern("dmesg", "^abc")}), "reasons[0].matches[0].log"},
		"no service":                 {one(map[string]string{"matches": pattern("unit:a b", "^abc")}), "reasons[0].matches[0].log"},
		"path with ..":               {one(map[string]string{"matches": pattern("/var/log/../pods/x", "^abc")}), "reasons[0].matches[0].log"},
		"pod's log":                  {one(map[string]string{"matches": pattern("/var/log/pods/a/b/0.log", "^abc")}), "contains lines that a pod writes"},
		"unit":                       {one(map[string]string{"matches": pattern("unit:docker.service", "^abc")}), ""},
		"file":                       {one(map[string]string{"matches": pattern("/var/log/raid.log", "^abc")}), ""},
		"unanchored":                 {one(map[string]string{"matches": pattern("kernel", "abc")}), "reasons[0].matches[0].pattern: matches in the middle of a line"},
		"one branch anchored":        {one(map[string]string{"matches": pattern("kernel", "^abc|def")}), "matches in the middle of a line"},
		"both anchored":              {one(map[string]string{"matches": pattern("kernel", "^abc|^def")}), ""},
		"optional anchor":            {one(map[string]string{"matches": pattern("kernel", "(?:^)?abc")}), "matches in the middle of a line"},
		"anchored within":            {one(map[string]string{"matches": pattern("kernel", "(?m)^abc")}), "matches in the middle of a line"},
		"anchor later":               {one(map[string]string{"matches": pattern("kernel", ".*^abc")}), "matches in the middle of a line"},
		"any text first":             {one(map[string]string{"matches": pattern("kernel", "^.*abc")}), "matches any text"},
		"any text in a group":        {one(map[string]string{"matches": pattern("kernel", "^(?P<entity>.+): abc")}), "matches any text"},
		"nearly any text":            {one(map[string]string{"matches": pattern("kernel", "^[^]]*abc")}), "matches any text"},
		"any text in a branch":       {one(map[string]string{"matches": pattern("kernel", "^(?:abc|.*def)")}), "matches any text"},
		"any text, optional":         {one(map[string]string{"matches": pattern("kernel", "^(?:.*: )?abc")}), "matches any text"},
		"^ alone":                    {one(map[string]string{"matches": pattern("kernel", "^")}), "matches any text"},
		"a word first":               {one(map[string]string{"matches": pattern("kernel", `^(?P<entity>\S+): abc`)}), ""},
		"a number first":             {one(map[string]string{"matches": pattern("kernel", `^\{\d+\}abc`)}), ""},
		"lookahead":                  {one(map[string]string{"matches": pattern("kernel", "^a(?!b)")}), "without lookarounds"},
		"backreference":              {one(map[string]string{"matches": pattern("kernel", `^(a)\1`)}), "is not a regular expression"},
		"long pattern":               {one(map[string]string{"matches": pattern("kernel", "^"+strings.Repeat("a", 512))}), "has 513 bytes; the maximum is 512"},
		"large pattern":              {one(map[string]string{"matches": pattern("kernel", "^a(?:[a-z]{30}){30}x{500}")}), "too large"},
		"kubelet":                    {one(map[string]string{"matches": pattern("kubelet", `^prober\.go:\d+\] "Probe failed"`)}), ""},
		"kubelet without its file":   {one(map[string]string{"matches": pattern("kubelet", `^"Probe failed"`)}), "must begin with the source file"},
		"count":                      {one(map[string]string{"needs": "{count: -1}"}), "reasons[0].needs.count"},
		"large count":                {one(map[string]string{"needs": "{count: 101}"}), "reasons[0].needs.count"},
		"long time":                  {one(map[string]string{"needs": "{within: 25h}"}), "reasons[0].needs.within"},
		"long quiet":                 {one(map[string]string{"clears": "{quiet: 25h}"}), "reasons[0].clears.quiet"},
		"fatal":                      {one(with(fatal, "matches", pattern("kernel", "^megaraid_sas and more"))), ""},
		"fatal without witness":      {one(map[string]string{"severity": "fatal", "needs": "{count: 2}"}), "reasons[0].witness: missing; a fatal reason needs a second source"},
		"fatal of one line":          {one(with(fatal, "needs", "{within: 1h}")), "reasons[0].needs.count: a single line"},
		"fatal of a unit's log":      {one(with(fatal, "matches", pattern("unit:raid.service", "^megaraid_sas and more"))), "reasons[0].matches[0].log: must be kernel"},
		"fatal of the kubelet's log": {one(with(fatal, "matches", pattern("kubelet", `^prober\.go:\d+\] "Probe failed"`))), "reasons[0].matches[0].log: must be kernel"},
		"fatal of a process' name":   {one(with(fatal, "matches", pattern("kernel", `^123456789012345`))), "the name of a process"},
		"fatal of any word":          {one(with(fatal, "matches", pattern("kernel", `^\S+: a text that is long enough`))), "the name of a process"},
		"fatal, short at first":      {one(with(fatal, "matches", pattern("kernel", `^md/raid1:\S+: Disk failure on`))), ""},
		"fatal of a short branch":    {one(with(fatal, "matches", pattern("kernel", `^md: (?:a text that is long enough|x)`))), "the name of a process"},
		"two witnesses":              {one(with(fatal, "witness", "{unit: a.service, counter: /sys/x}")), "reasons[0].witness: has both unit and counter"},
		"fatal, switched off":        {one(with(fatal, "severity", "off")), ""},
		"witness of a warning":       {one(map[string]string{"witness": "{unit: a.service}"}), "reasons[0].witness: only fatal reasons have a witness"},
		"witness in a log":           {one(with(fatal, "witness", "{counter: /var/log/x}")), "is not a path in /sys or /proc"},
		"witness by ..":              {one(with(fatal, "witness", "{counter: /sys/../var/log/x}")), "is not a path in"},
		"bad pattern of a witness":   {one(with(fatal, "witness", "{counter: '/sys/[x'}")), "is not a path in"},
		"no service as witness":      {one(with(fatal, "witness", "{unit: raid}")), "is not a systemd service"},
		"unknown witness":            {one(with(fatal, "witness", "{readonly: /}")), "reasons[0].witness.readonly: unknown field"},
		"twice":                      {strings.TrimRight(one(nil), " ") + strings.TrimPrefix(one(nil), "reasons:\n"), "reasons[1].name: this file defines it twice"},
		"too many":                   {many(65), "all files together have 65 own reasons so far; the maximum is 64"},
		"many":                       {many(64), ""},
		"many patterns":              {strings.ReplaceAll(many(64), "[{log: kernel, pattern: ^abc}]", "[{log: kernel, pattern: ^abc}, {log: kernel, pattern: ^def}]"), ""},
		"too many patterns":          {strings.ReplaceAll(many(64), "[{log: kernel, pattern: ^abc}]", "[{log: kernel, pattern: ^abc}, {log: kernel, pattern: ^def}, {log: kernel, pattern: ^ghi}]"), "all files together have 192 patterns so far; the maximum is 128"},
		"long file":                  {one(nil) + "#" + strings.Repeat("x", 64<<10), "larger than 64 KiB"},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := config.Read(folder(t, map[string]string{"storage.patterns.yaml": tc.text}))
			if err != nil {
				t.Fatal(err)
			}
			if tc.want == "" {
				if len(c.Refused) > 0 {
					t.Error(c.Refused)
				}
				return
			}
			if len(c.Refused) != 1 || len(c.Own) > 0 || !strings.Contains(c.Refused[0].Err.Error(), tc.want) || !strings.Contains(c.Refused[0].Err.Error(), "storage.patterns.yaml") {
				t.Errorf("refused %v, own %v; want %q", c.Refused, c.Own, tc.want)
			}
		})
	}
}

func many(n int) string {
	var text strings.Builder
	text.WriteString("reasons:\n")
	for i := range n {
		fmt.Fprintf(&text, "- {name: Own%d, means: x, condition: KernelReady, matches: [{log: kernel, pattern: ^abc}]}\n", i)
	}
	return text.String()
}

// Each file stands for itself: one that is wrong takes no other with it, and ends nothing.
func TestBadOwnReasonsAreLeftOut(t *testing.T) {
	path := folder(t, map[string]string{
		"a.patterns.yaml": one(nil), "b.patterns.yaml": one(map[string]string{"name": "Other", "condition": "Ready"}), "c.patterns.yaml": one(map[string]string{"name": "Third"}),
		"d.patterns.yaml": one(nil),
	})
	if err := os.Symlink("nowhere", filepath.Join(filepath.Dir(path), "e.patterns.yaml")); err != nil {
		t.Fatal(err)
	}
	c, err := config.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	var names, refused []string
	for _, r := range c.Own {
		names = append(names, string(r.ID))
	}
	for _, r := range c.Refused {
		refused = append(refused, r.File)
	}
	if diff := cmp.Diff([]string{"RaidBatteryFailed", "Third"}, names); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"b.patterns.yaml", "d.patterns.yaml", "e.patterns.yaml"}, refused); diff != "" {
		t.Error(diff)
	}
	if err := c.Refused[1].Err; !strings.Contains(err.Error(), "the file a.patterns.yaml defines it") {
		t.Error(err)
	}
}

// What is left out stands as a reason of its own.
func TestRefusedFilesAreTold(t *testing.T) {
	for name, tc := range map[string]struct {
		files map[string]string
		want  map[evidence.State][]string
	}{
		"none":    {nil, map[evidence.State][]string{evidence.Inapplicable: {""}}},
		"good":    {map[string]string{"a.patterns.yaml": one(nil)}, map[evidence.State][]string{evidence.Well: {""}}},
		"one bad": {map[string]string{"a.patterns.yaml": one(nil), "b.patterns.yaml": "reasons: 1"}, map[evidence.State][]string{evidence.Fault: {"b.patterns.yaml"}, evidence.Well: {""}}},
	} {
		t.Run(name, func(t *testing.T) {
			c, err := config.Read(folder(t, tc.files))
			if err != nil {
				t.Fatal(err)
			}
			got := map[evidence.State][]string{}
			for _, m := range c.Monitors(agentHost(t), "") {
				if m.Name() != "own-reasons" {
					continue
				}
				if err := m.Look(t.Context(), func(e evidence.Evidence) { got[e.State] = append(got[e.State], e.Entity) }); err != nil {
					t.Fatal(err)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func agentHost(t *testing.T) host.Host {
	t.Helper()
	return host.Host{Root: t.TempDir()}
}

// The example of the docs is one that the agent takes.
func TestOwnReasonsOfTheDocs(t *testing.T) {
	for _, language := range []string{"en", "ja"} {
		text, err := os.ReadFile("../../../docs/" + language + "/agent.md")
		if err != nil {
			t.Fatal(err)
		}
		_, after, found := strings.Cut(string(text), "```yaml\nreasons:\n")
		example, _, _ := strings.Cut("reasons:\n"+after, "```")
		if err := config.CheckOwn(language, []byte(example)); !found || err != nil || !strings.Contains(example, "fatal") {
			t.Errorf("%v in\n%s", err, example)
		}
	}
}
