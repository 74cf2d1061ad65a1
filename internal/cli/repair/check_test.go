package repair

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/repaircheck"
)

// run is `naosu repair ARGS`.
func run(args ...string) (string, error) {
	var out bytes.Buffer
	cmd := NewCommand(genericclioptions.NewConfigFlags(false), genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &bytes.Buffer{}})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.PersistentFlags().String("lang", "en", "")
	cmd.SetArgs(args)
	err := cmd.Execute()
	return out.String(), err
}

const story = "../../diagnosis/testdata/stories/3-repair.yaml"

func TestCheckSnapshot(t *testing.T) {
	out, err := run("check", "--from", story, "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	var answer Checked
	if err := json.Unmarshal([]byte(out), &answer); err != nil {
		t.Fatal(err)
	}
	row := map[string]repaircheck.Row{}
	for _, r := range answer.Rows {
		row[r.Reason] = r
	}
	if r := row["InterfaceNotUp"]; r.Verdict != repaircheck.Unproven || r.BrokenLink != repaircheck.Match || r.Code != finding.N302 {
		t.Errorf("InterfaceNotUp: %+v", r)
	}
	if r := row["PortConflict"]; r.Verdict != repaircheck.Broken || r.BrokenLink != repaircheck.Detect {
		t.Errorf("PortConflict: %+v", r)
	}
	if len(answer.Unknown) != 1 || !strings.Contains(message.English().Say(answer.Unknown[0].Message), "neither naosu's own resources") {
		t.Errorf("unknown: %v", answer.Unknown)
	}
}

func TestCheckForPeople(t *testing.T) {
	out, err := run("check", "--from", story)
	if err != nil || !strings.Contains(out, "Match") || !strings.Contains(out, "NetworkingReady: InterfaceNotUp") || strings.Contains(out, "PortConflict") {
		t.Errorf("%v\n%s", err, out)
	}
	if out, _ = run("check", "--from", story, "-o", "wide"); !strings.Contains(out, "NetworkingReady: PortConflict") {
		t.Errorf("a wide page leaves out what is only an Event:\n%s", out)
	}
}

func TestCheckFails(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"on findings":  {[]string{"check", "--from", story, "--fail-on", "warning"}, exit.Found},
		"on bad flags": {[]string{"check", "--from", story, "--fail-on", "critical"}, exit.NoAnswer},
		"on no file":   {[]string{"check", "--from", "/nowhere"}, exit.NoAnswer},
	} {
		t.Run(name, func(t *testing.T) {
			if _, err := run(tc.args...); exit.Code(err) != tc.code {
				t.Errorf("exit code %d (%v), want %d", exit.Code(err), err, tc.code)
			}
		})
	}
}

// What waits for a person is told apart from what acts by itself, and is no finding.
func TestCheckTellsOfApproval(t *testing.T) {
	row := func(verdict repaircheck.Verdict, reason string) repaircheck.Row {
		return repaircheck.Row{Condition: "NetworkingReady", Reason: reason, Nodes: 3, Fresh: 3, By: "noderepairpolicy/workers", Action: "Reboot", For: "10m0s", Verdict: verdict}
	}
	for language, tc := range map[string]struct {
		say  message.Printer
		want []string
	}{
		"en": {message.English(), []string{"1 would lead to a repair, 2 would after approval, 0 may", "needs approval", "InterfaceNotUp, IPAMDNotReady"}},
		"ja": {message.Japanese(), []string{"承認後に修復されるものが 2 件", "承認が必要"}},
	} {
		var out bytes.Buffer
		rows := []repaircheck.Row{row(repaircheck.NeedsApproval, "InterfaceNotUp"), row(repaircheck.WouldAct, "PortConflict"), row(repaircheck.NeedsApproval, "IPAMDNotReady")}
		var format output.Format
		if err := writeCheck(format.Page(&out), tc.say, Checked{Rows: rows, Findings: repaircheck.Findings(rows)}); err != nil {
			t.Fatal(err)
		}
		page := strings.Join(strings.Fields(out.String()), " ")
		for _, want := range tc.want {
			if !strings.Contains(page, want) {
				t.Errorf("%s: %q is not on the page:\n%s", language, want, out.String())
			}
		}
		if strings.Contains(page, "N302") {
			t.Errorf("%s: there is a finding:\n%s", language, out.String())
		}
	}
}
