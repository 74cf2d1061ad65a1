package agenttest

import (
	"net"
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestPort(t *testing.T) {
	address := Port(t)
	for range 2 {
		if c, err := net.Dial("tcp", address); err == nil {
			_ = c.Close()
			t.Error("somebody listens there")
		}
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		c, err := net.Dial("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		_, _ = c.Close(), listener.Close()
	}
	if other := Port(t); other == address {
		t.Errorf("%s is given twice", address)
	}
}

// Folders behave as cgroups do, but for their processes.
func TestCgroupsAreSwept(t *testing.T) {
	top := t.TempDir()
	for _, path := range []string{"naosu-killed.slice/kubelet.service", "naosu-now/pod", "system.slice"} {
		if err := os.MkdirAll(filepath.Join(top, path), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	long := time.Now().Add(-2 * left)
	for _, path := range []string{"naosu-killed.slice", "system.slice"} {
		if err := os.Chtimes(filepath.Join(top, path), long, long); err != nil {
			t.Fatal(err)
		}
	}
	t.Run("a test", func(t *testing.T) {
		if err := os.Mkdir(filepath.Join(top, Cgroup(t, ".slice", top), "below"), 0o700); err != nil {
			t.Error(err)
		}
	})
	entries, err := os.ReadDir(top)
	if err != nil || len(entries) != 2 || entries[0].Name() != "naosu-now" || entries[1].Name() != "system.slice" {
		t.Errorf("left are %v: %v", entries, err)
	}
}
