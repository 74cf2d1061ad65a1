package agent

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A network with more neighbors than the kernel's table holds, which is one for all network namespaces.
func TestNeighborTableOverflow(t *testing.T) {
	agenttest.Need(t, agenttest.Root, "ip")
	if !agenttest.Alone(t) {
		return
	}
	w := agenttest.Watch(t, kernelLog(t), agenttest.Sooner(reason.NeighborTableOverflow))
	var all bytes.Buffer
	for i := range 8192 { // The kernel's default is 1024 (gc_thresh3).
		fmt.Fprintf(&all, "neighbor add 10.1.%d.%d lladdr 02:00:00:00:00:01 nud stale dev v0\n", i>>8, i&0xff)
	}
	batch := filepath.Join(t.TempDir(), "batch")
	if err := os.WriteFile(batch, all.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := fill(t, batch); err != nil {
		t.Skipf("not run: it needs a table of less than 8192 neighbors: %v", err)
	}
	stop := again(t, func() error { return fill(t, batch) })
	w.Stands(reason.NeighborTableOverflow, "arp_cache")
	stop()
	w.Goes(reason.NeighborTableOverflow, "arp_cache")
}

// fill adds neighbors until the table is full, and has the kernel drop them at once: others of the machine have theirs in it,
// too.
func fill(t *testing.T, batch string) error {
	t.Helper()
	const script = `set -e
ip link add v0 type veth peer name v1
ip address add 10.0.0.1/8 dev v0
ip link set v0 up
ip link set v1 up
ip -batch "$1" || :
ip link delete v0`
	out, err := exec.CommandContext(context.WithoutCancel(t.Context()), "sh", "-c", script, "sh", batch).CombinedOutput()
	if err != nil || !bytes.Contains(out, []byte("No buffer space available")) {
		return fmt.Errorf("the table is not full: %w: %s", err, out)
	}
	return nil
}
