package config_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func read(t *testing.T, text string) (config.Config, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "agent.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Read(file)
	return c, err
}

func TestRead(t *testing.T) {
	c, err := read(t, `
reasons:
  InterfaceNotUp:
    severity: warning
    needs: {for: 1m}
`)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range c.Catalogue() {
		if r.ID == reason.InterfaceNotUp && (r.Severity != reason.Warning || r.Needs.For != time.Minute || r.Clears.For == 0) {
			t.Errorf("InterfaceNotUp is %+v", r)
		}
	}
	if diff := cmp.Diff(reason.Catalogue, config.Default().Catalogue()); diff != "" {
		t.Errorf("without a file the catalogue is another (-want +got):\n%s", diff)
	}
}

// Everything that is wrong is told at once, where it stands.
func TestReadTellsAllMistakes(t *testing.T) {
	_, err := read(t, `reasons:
  InterfaceNotUp:
    severity: deadly
    needs: {count: 3, for: soon}
    colour: red
  NoSuchReason: {severity: off}
  InterfaceNotUp: {}
other: 1
`)
	if err == nil {
		t.Fatal("it is taken")
	}
	var got []string
	for line := range strings.Lines(err.Error()) {
		_, what, _ := strings.Cut(line, "agent.yaml:")
		got = append(got, strings.TrimSpace(what))
	}
	want := []string{
		`3: reasons.InterfaceNotUp.severity: "deadly" is not one of ["fatal" "warning" "off"]`,
		`4: reasons.InterfaceNotUp.needs.for: "soon" is not a positive duration such as "30s" or "10m"`,
		`5: reasons.InterfaceNotUp.colour: unknown field; the known ones are clears, needs, severity`,
		"6: reasons.NoSuchReason: the reason does not exist; `naosu-agent reasons` lists all reasons",
		`7: reasons.InterfaceNotUp: duplicate key, first in line 2`,
		`8: other: unknown field; the known ones are kernel, logs, network, reasons, runtime, storage, work`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestReadHoldsEvidenceToItsKind(t *testing.T) {
	_, err := read(t, "reasons: {InterfaceNotUp: {needs: {count: 3}}}")
	if err == nil || !strings.Contains(err.Error(), "reasons.InterfaceNotUp.needs.count: checks detect this reason") {
		t.Errorf("a count for a reason that checks detect: %v", err)
	}
}

// One line never makes a condition False, nor do lines that a workload may have written, whatever is configured.
func TestReadRefusesFatalReasonsOnLittle(t *testing.T) {
	for text, want := range map[string]string{
		"reasons: {OOMKilling: {severity: fatal}}":                              "reasons.OOMKilling.severity: a single line",
		"reasons: {OOMKilling: {severity: fatal, needs: {count: 1}}}":           "reasons.OOMKilling.needs.count: a single line",
		"reasons: {OOMKilling: {severity: fatal, needs: {within: 1h}}}":         "reasons.OOMKilling.severity: a single line",
		"reasons: {CperHardwareErrorFatal: {needs: {count: 1}}}":                "reasons.CperHardwareErrorFatal.needs.count: a single line",
		"reasons: {FailedKillPod: {severity: fatal}}":                           "reasons.FailedKillPod.severity: a workload may be able to write its log lines",
		"reasons: {IPAMDNoIPs: {severity: fatal, needs: {count: 9}}}":           "reasons.IPAMDNoIPs.severity: a workload may be able to write its log lines",
		"reasons: {OOMKilling: {severity: fatal, needs: {count: 2}}}":           "",
		"reasons: {OOMKilling: {severity: warning, needs: {count: 1}}}":         "",
		"reasons: {FailedKillPod: {severity: warning, needs: {count: 1}}}":      "",
		"reasons: {CperHardwareErrorFatal: {severity: off, needs: {count: 1}}}": "",
		"reasons: {PortConflict: {severity: fatal}}":                            "",
		"reasons: {NvidiaXIDWarning: {severity: fatal}}":                        "reasons.NvidiaXIDWarning.severity: a single line",
		"reasons: {NeuronDMAError: {severity: fatal, needs: {count: 9}}}":       "reasons.NeuronDMAError.severity: a workload may be able to write its log lines",
		"reasons: {NvidiaXID79Error: {needs: {within: 1h}}}":                    "",
		"reasons: {NvidiaXID63Error: {severity: off}}":                          "",
	} {
		_, err := read(t, text)
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", text, err, want)
		}
	}
}

func TestReadOfNothing(t *testing.T) {
	if _, err := read(t, "# all as it is\n"); err != nil {
		t.Error(err)
	}
	if _, err := read(t, "- 1\n"); err == nil {
		t.Error("a list is taken for a configuration")
	}
}
