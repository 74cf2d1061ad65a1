package cli_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"k8s.io/klog/v2"

	"github.com/naosu-dev/naosu/internal/agent/cli"
)

// What libraries log with klog is in the agent's log and has its format. Without a cluster the agent ends before it logs anything of its own.
func TestLogFormats(t *testing.T) {
	defer klog.ClearLogger()
	for format, check := range map[string]func(line string) bool{
		"text": func(line string) bool {
			return strings.Contains(line, ` level=ERROR msg="cannot \x1b[2J read" err=gone disk=sda`)
		},
		"json": func(line string) bool {
			var record map[string]any
			err := json.Unmarshal([]byte(line), &record)
			return err == nil && record["level"] == "ERROR" && record["msg"] == "cannot \x1b[2J read" && record["disk"] == "sda" && record["err"] == "gone"
		},
	} {
		var log bytes.Buffer
		cmd := cli.NewCommand(&bytes.Buffer{}, &log)
		cmd.SetArgs([]string{"--node-name", "n", "--kubeconfig", "/nowhere", "--logging-format", format})
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := cmd.ExecuteContext(ctx); cli.ExitCode(err) != 2 {
			t.Fatalf("%s: %v", format, err)
		}
		klog.ErrorS(errors.New("gone"), "cannot \x1b[2J read", "disk", "sda")
		if !check(log.String()) || strings.Count(log.String(), "\n") != 1 {
			t.Errorf("the log in %s is\n%s", format, log.String())
		}
	}
	cmd := cli.NewCommand(&bytes.Buffer{}, &bytes.Buffer{})
	cmd.SetArgs([]string{"--node-name", "n", "--logging-format", "logfmt"})
	if err := cmd.ExecuteContext(t.Context()); cli.ExitCode(err) != 2 || !strings.Contains(err.Error(), "--logging-format") {
		t.Errorf("of a format that is none it says %v", err)
	}
}
