package npd_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/npd"
)

// outcomes returns the outcomes of all rules in short.
func outcomes(r npd.Result) []string {
	var all []string
	for _, converted := range r.Converted {
		line := fmt.Sprintf("%s %s", converted.Outcome, converted.Reason)
		for _, n := range converted.Notes {
			line += fmt.Sprintf(" %s", n.Kind)
			if n.Argument != "" {
				line += "=" + n.Argument
			}
		}
		all = append(all, line)
	}
	return all
}

// node-problem-detector's own files: what the agent has is not taken twice.
func TestPublishedFiles(t *testing.T) {
	for name, want := range map[string][]string{
		"kernel-monitor.json": {
			"built in OOMKilling HasReason=OOMKilling", "built in TaskHung HasReason=AppBlocked", "built in UnregisterNetDevice HasReason=UnregisterNetDevice",
			"built in KernelOops HasReason=KernelOops", "built in IOError HasReason=BlockDeviceIOError", "built in XfsHasShutdown HasReason=XfsShutdown",
			"built in CperHardwareErrorFatal HasReason=CperHardwareErrorFatal", "built in DockerHung HasReason=KernelDeadlock",
		},
		"docker-monitor.json": {
			"kept CorruptDockerImage InMessage InCondition=ContainerRuntimeReady", "built in CorruptDockerOverlay2 HasReason=CorruptDockerOverlay2",
			"kept DockerContainerStartupFailure InMessage InCondition=ContainerRuntimeReady",
		},
		"abrt-adaptor.json": {
			"refused CCPPCrash NoUnit=abrt-notification", "built in KernelOops HasReason=KernelOops",
		},
		"systemd-monitor-counter.json":  {"built in FrequentKubeletRestart HasReason=KubeletRepeatedRestart", "built in FrequentDockerRestart HasReason=ServiceRepeatedRestart"},
		"docker-monitor-filelog.json":   {"refused CorruptDockerImage OfFile=/var/log/docker.log"},
		"network-problem-monitor.json":  {"built in ConntrackFull HasReason=ConntrackFull"},
		"iptables-mode-monitor.json":    {"refused IPTablesVersionsMismatch RunsCommand=./config/plugin/iptables_mode.sh"},
		"windows-defender-monitor.json": {`refused WindowsDefenderThreatsDetected RunsCommand=C:\etc\kubernetes\node-problem-detector\config\plugin\windows_defender_problem.ps1`},
	} {
		t.Run(name, func(t *testing.T) {
			text, err := os.ReadFile(filepath.Join("testdata", name))
			if err != nil {
				t.Fatal(err)
			}
			var c npd.Converter
			if err := c.Convert(name, text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, outcomes(c.Result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			if err := config.CheckOwn(name, c.Result.File("a comment")); err != nil {
				t.Error(err)
			}
		})
	}
}

// of is a file with one rule.
func of(t *testing.T, plugin, source string, rules ...map[string]any) []byte {
	t.Helper()
	text, err := json.Marshal(map[string]any{"plugin": plugin, "pluginConfig": map[string]any{"source": source}, "source": "our-monitor", "logPath": "/var/log/x", "rules": rules})
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func counter(args ...string) map[string]any {
	return map[string]any{"type": "permanent", "condition": "FrequentFlap", "reason": "LinkFlaps", "path": "/home/kubernetes/bin/log-counter", "args": args}
}

func TestRules(t *testing.T) {
	rule := func(pattern string) map[string]any {
		return map[string]any{"type": "temporary", "reason": "FanFailed", "pattern": pattern}
	}
	permanent := map[string]any{"type": "permanent", "condition": "DiskBroken", "reason": "RaidDegraded", "pattern": `md/raid1:\w+: Disk failure on \w+, disabling device.`}
	options := npd.Options{Units: map[string]string{"ours": "ours.service"}}
	witness := npd.Options{Witnesses: map[string]config.OwnWitness{"RaidDegraded": {Counter: "/sys/block/md*/md/degraded"}}}
	for name, tc := range map[string]struct {
		text    []byte
		options npd.Options
		want    string
		pattern string
	}{
		"a kernel's":                 {of(t, "kmsg", "", rule(`fan \d+ failed`)), options, "kept FanFailed Anchored InCondition=KernelReady", `^fan \d+ failed$`},
		"anchored":                   {of(t, "kmsg", "", rule(`^fan failed.*`)), options, "kept FanFailed InCondition=KernelReady", `^fan failed.*`},
		"either":                     {of(t, "kmsg", "", rule(`fan failed|no fan`)), options, "kept FanFailed Anchored InCondition=KernelReady", `^(?:fan failed|no fan)$`},
		"quotes":                     {of(t, "kmsg", "", rule(`fan's "end": #{1}`)), options, "kept FanFailed Anchored InCondition=KernelReady", `^fan's "end": #{1}$`},
		"a unit's":                   {of(t, "journald", "ours", rule(`fan failed`)), options, "kept FanFailed Anchored InCondition=KernelReady", `^fan failed$`},
		"the journal's kernel":       {of(t, "journald", "kernel", rule(`fan failed`)), options, "kept FanFailed Anchored InCondition=KernelReady", `^fan failed$`},
		"containerd's":               {of(t, "journald", "containerd", rule(`.*fan failed.*`)), options, "kept FanFailed InMessage InCondition=ContainerRuntimeReady", `^(?:time="[^"]*" )?level=[a-z]+ msg="(?:[^"\\]|\\.)*fan failed.*`},
		"the kubelet's":              {of(t, "journald", "kubelet", rule(`fan failed`)), options, `refused FanFailed Fails=matches[0].pattern: must begin with the source file that writes the line, such as ^prober\.go:, because the log is the kubelet's`, ""},
		"anywhere":                   {of(t, "kmsg", "", rule(`.*fan failed`)), options, "refused FanFailed BeginsAnywhere", ""},
		"anywhere in a group":        {of(t, "kmsg", "", rule(`(.*)fan failed`)), options, "refused FanFailed BeginsAnywhere", ""},
		"anywhere in a branch":       {of(t, "kmsg", "", rule(`no fan|(?:x|.+)fan failed`)), options, "refused FanFailed BeginsAnywhere", ""},
		"two lines":                  {of(t, "kmsg", "", rule("fan\nfailed")), options, "refused FanFailed SeveralLines", ""},
		"all lines":                  {of(t, "kmsg", "", rule("(?s)fan.*failed")), options, "refused FanFailed SeveralLines", ""},
		"lookahead":                  {of(t, "kmsg", "", rule("fan(?= failed)")), options, "refused FanFailed NoPattern=error parsing regexp: invalid or unsupported Perl syntax: `(?=`", ""},
		"no pattern":                 {of(t, "kmsg", "", rule("")), options, "refused FanFailed NoPattern", ""},
		"no name":                    {of(t, "kmsg", "", map[string]any{"type": "temporary", "reason": "fan failed\nseverity: off", "pattern": "fan"}), options, "refused fan failed\nseverity: off Fails=name: \"fan failed severity: off\" is not a valid name: use 2 to 63 letters and digits, beginning with a capital letter, such as RaidBatteryFailed", ""},
		"another plugin":             {of(t, "etw", "", rule("fan")), options, "refused FanFailed OtherPlugin=etw", ""},
		"permanent":                  {of(t, "kmsg", "", permanent), options, "kept RaidDegraded Anchored InCondition=StorageReady IsWarning=DiskBroken", `^md/raid1:\w+: Disk failure on \w+, disabling device.$`},
		"permanent with a witness":   {of(t, "kmsg", "", permanent), witness, "kept RaidDegraded Anchored InCondition=StorageReady IsFatal=/sys/block/md*/md/degraded", `^md/raid1:\w+: Disk failure on \w+, disabling device.$`},
		"of a unit, with a witness":  {of(t, "journald", "docker", permanent), witness, "refused RaidDegraded Fails=matches[0].log: must be kernel for a fatal reason: a workload may be able to write the lines of other logs", ""},
		"counted":                    {of(t, "custom", "", counter("--journald-source=kernel", "--lookback=20m", "--delay=5m", "--count=3", "--pattern=link \\w+ is down")), options, "kept LinkFlaps Anchored InCondition=KernelReady IsWarning=FrequentFlap", `^link \w+ is down$`},
		"counted with a revert":      {of(t, "custom", "", counter("--journald-source=kernel", "--count=3", "--pattern=a", "--revert-pattern=b")), options, "refused LinkFlaps Reverts", ""},
		"counted too often":          {of(t, "custom", "", counter("--journald-source=kernel", "--lookback=20m", "--count=300", "--pattern=link")), options, "refused LinkFlaps Fails=needs.count: must be from 1 to 100", ""},
		"of a real line":             {of(t, "kmsg", "", rule(`fan \d+ failed`)), npd.Options{Lines: []string{"x", "fan 3 failed"}}, "kept FanFailed Begins=fan 3 failed InCondition=KernelReady", `^fan \d+ failed$`},
		"of the middle of a line":    {of(t, "kmsg", "", rule(`fan \d+ failed`)), npd.Options{Lines: []string{"bmc: fan 3 failed"}}, "refused FanFailed BeginsOtherwise=bmc: fan 3 failed", ""},
		"of a message":               {of(t, "journald", "docker", rule(`no space left on device.*`)), npd.Options{Lines: []string{`time="2026-11-20T14:20:00Z" level=error msg="write \"x\": no space left on device" id=1`}}, "kept FanFailed InMessage InCondition=ContainerRuntimeReady", `^(?:time="[^"]*" )?level=[a-z]+ msg="(?:[^"\\]|\\.)*no space left on device.*`},
		"of another field of a line": {of(t, "journald", "docker", rule(`no space left on device.*`)), npd.Options{Lines: []string{`time="2026-11-20T14:20:00Z" level=error msg="x" error="no space left on device"`}}, `refused FanFailed BeginsOtherwise=time="2026-11-20T14:20:00Z" level=error msg="x" error="no space left on device"`, ""},
	} {
		t.Run(name, func(t *testing.T) {
			c := npd.Converter{Options: tc.options}
			if err := c.Convert("x.json", tc.text); err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff([]string{tc.want}, outcomes(c.Result)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			pattern := ""
			if len(c.Result.Reasons) > 0 {
				pattern = c.Result.Reasons[0].Matches[0].Pattern
				if _, err := regexp.Compile(pattern); err != nil {
					t.Error(err)
				}
			}
			if pattern != tc.pattern {
				t.Errorf("the pattern is %s, want %s", pattern, tc.pattern)
			}
			if err := config.CheckOwn("x.patterns.yaml", c.Result.File("comment")); err != nil {
				t.Errorf("%v\n%s", err, c.Result.File("comment"))
			}
		})
	}
}

// Rules of one reason become one; what differs in more than the pattern does not.
func TestRulesOfOneReason(t *testing.T) {
	var c npd.Converter
	rule := func(kind, pattern string) map[string]any {
		return map[string]any{"type": kind, "reason": "FanFailed", "condition": "FanBroken", "pattern": pattern}
	}
	c.Options.Witnesses = map[string]config.OwnWitness{"FanFailed": {Unit: "fan.service"}}
	long := "the first fan of the machine has failed"
	if err := c.Convert("a.json", of(t, "kmsg", "", rule("temporary", "fan one"), rule("temporary", "fan two"), rule("permanent", long))); err != nil {
		t.Fatal(err)
	}
	want := []string{"kept FanFailed Anchored InCondition=KernelReady", "kept FanFailed Anchored InCondition=KernelReady", "refused FanFailed Differs"}
	if diff := cmp.Diff(want, outcomes(c.Result)); diff != "" {
		t.Error(diff)
	}
	if len(c.Result.Reasons) != 1 || len(c.Result.Reasons[0].Matches) != 2 {
		t.Errorf("%+v", c.Result.Reasons)
	}
	if file := string(c.Result.File("look here")); strings.Count(file, "# look here") != 2 {
		t.Errorf("the comments are in\n%s", file)
	}
}

func TestNoRules(t *testing.T) {
	for _, text := range []string{"", "{", "[]", "{}", `{"rules": []}`, `{"rules": 1}`, `{"cpu": {"metricsConfigs": {}}}`} {
		var c npd.Converter
		if err := c.Convert("x.json", []byte(text)); err == nil || !strings.Contains(err.Error(), "x.json") {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzConvert(f *testing.F) {
	f.Add("kmsg", "", "FanFailed", `fan \d+ failed`)
	f.Add("journald", "docker", "A'B", "(.*)|'\"\\")
	f.Fuzz(func(t *testing.T, plugin, source, reason, pattern string) {
		var c npd.Converter
		if err := c.Convert("x.json", of(t, plugin, source, map[string]any{"type": "temporary", "reason": reason, "pattern": pattern})); err != nil {
			t.Skip()
		}
		if err := config.CheckOwn("x.patterns.yaml", c.Result.File("a comment")); err != nil {
			t.Errorf("what was kept is refused: %v\n%s", err, c.Result.File("a comment"))
		}
	})
}
