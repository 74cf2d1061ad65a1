package agent

import (
	"fmt"
	"os"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// What a process writes into the kernel's log is no evidence, whatever facility it claims: after its line, a real fault is
// seen, and that alone.
func TestSpoofedLine(t *testing.T) {
	agenttest.Need(t, agenttest.Root)
	log, err := os.OpenFile("/dev/kmsg", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("not run: it needs to write to the kernel's log: %v", err)
	}
	defer log.Close()
	w := agenttest.Watch(t, kernelLog(t))
	for _, facility := range []int{0, 1, 3, 16} {
		if _, err := fmt.Fprintf(log, "<%d>traps: naosu-spoof[1] trap by hand ip:0 sp:0 error:0\n", facility<<3|6); err != nil {
			t.Fatal(err)
		}
	}
	name := own("real")
	crash(t, name, nullPointer)
	w.Stands(reason.AppCrash, name)
	for _, s := range w.Snapshot().Standing {
		if s.Entity == "naosu-spoof" {
			t.Errorf("a line by hand stands: %+v", s)
		}
	}
}
