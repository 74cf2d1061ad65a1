package cli_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/cli"
)

const dockerMonitor = "../npd/testdata/docker-monitor.json"

// converted is what convert-npd prints, and what it says beside it.
func converted(t *testing.T, args ...string) (out, said string, err error) {
	t.Helper()
	t.Setenv("LC_ALL", "C")
	var stdout, stderr bytes.Buffer
	cmd := cli.NewCommand(&stdout, &stderr)
	cmd.SetArgs(append([]string{"convert-npd"}, args...))
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), stderr.String(), err
}

// What convert-npd writes, the agent takes; what it could not keep, it says.
func TestConvert(t *testing.T) {
	out, said, err := converted(t, dockerMonitor, "../npd/testdata/abrt-adaptor.json", "--unit", "abrt-notification=abrtd.service")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"converted CorruptDockerImage (docker-monitor.json): its pattern is searched for in the message", "built in CorruptDockerOverlay2 (docker-monitor.json): the agent already has the reason CorruptDockerOverlay2",
		"converted CCPPCrash (abrt-adaptor.json): ^ was added to its pattern", "Converted: 3, built in: 2, refused: 0.",
	} {
		if !strings.Contains(said, want) {
			t.Errorf("it says no %q, but\n%s", want, said)
		}
	}
	file := filepath.Join(t.TempDir(), "npd.patterns.yaml")
	if err := os.WriteFile(file, []byte(out), 0o600); err != nil {
		t.Fatal(err)
	}
	listed, err := run(t, "reasons", "--config", file)
	if err != nil || !strings.Contains(listed, "own (npd.patterns.yaml): Detected by the rule CCPPCrash of node-problem-detector's abrt-adaptor.") {
		t.Errorf("%v\n%s", err, listed)
	}
}

func TestConvertInJapanese(t *testing.T) {
	_, said, err := converted(t, dockerMonitor, "../npd/testdata/abrt-adaptor.json", "--lang", "ja")
	if err != nil || !strings.Contains(said, "変換 2、組み込み済み 2、変換不可 1。") || strings.Contains(said, "converted") || !strings.Contains(said, "--unit abrt-notification=NAME.service") {
		t.Errorf("%v\n%s", err, said)
	}
}

func TestConvertRefusesWhatIsWrong(t *testing.T) {
	lines := filepath.Join(t.TempDir(), "lines")
	if err := os.WriteFile(lines, []byte("dockerd: Process 7 (x) crashed in main\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"no file":         {nil, "FILE is missing"},
		"no such file":    {[]string{"/no/such.json"}, "/no/such.json"},
		"no JSON":         {[]string{"convert_test.go"}, "convert_test.go: invalid character"},
		"half a unit":     {[]string{dockerMonitor, "--unit", "a"}, `--unit "a": must be SOURCE=SERVICE`},
		"half a witness":  {[]string{dockerMonitor, "--witness", "A=unit"}, `--witness "A=unit": must be REASON=unit:SERVICE`},
		"another witness": {[]string{dockerMonitor, "--witness", "A=file:/x"}, `--witness "A=file:/x": must be REASON=unit:SERVICE`},
		"no lines":        {[]string{dockerMonitor, "--lines", "/no/such"}, "--lines: "},
	} {
		t.Run(name, func(t *testing.T) {
			out, _, err := converted(t, tc.args...)
			if cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), tc.want) || out != "" {
				t.Errorf("it says %v, prints %q", err, out)
			}
		})
	}
	_, said, err := converted(t, "../npd/testdata/abrt-adaptor.json", "--unit", "abrt-notification=abrtd.service", "--lines", lines)
	if err != nil || !strings.Contains(said, "refused CCPPCrash (abrt-adaptor.json): its pattern matches the middle of this line; add the beginning of the line to the pattern: dockerd: Process 7 (x) crashed in main") {
		t.Errorf("%v\n%s", err, said)
	}
}
