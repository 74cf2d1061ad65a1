package agent

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A process that reads past the page cache waits for the disk nearly all the time. That the kernel counts it is a setting
// of the whole machine.
func TestIODelays(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "dd")
	agenttest.SetMachine(t, agenttest.Setting{Path: "/proc/sys/kernel/task_delayacct", Value: "1"})
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, bytes.Repeat([]byte("naosu..."), 16<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	w := agenttest.Watch(t, watching(t, quick(), "io-delays"), agenttest.Sooner(reason.IODelays))
	w.Goes(reason.IODelays, "") // It is looked at.

	reader := exec.CommandContext(t.Context(), "dd", "if="+file, "of=/dev/null", "bs=4k", "iflag=direct")
	if err := reader.Start(); err != nil {
		t.Fatal(err)
	}
	entity := fmt.Sprintf("dd[%d]", reader.Process.Pid)
	w.Stands(reason.IODelays, entity)
	_ = reader.Process.Kill()
	_ = reader.Wait()
	w.Goes(reason.IODelays, entity)
}
