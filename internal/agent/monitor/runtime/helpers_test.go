package runtime

import (
	"crypto/sha256"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func listen(t *testing.T, network, address string) (net.Listener, error) {
	t.Helper()
	return (&net.ListenConfig{}).Listen(t.Context(), network, address)
}

func digest(content []byte) string { return fmt.Sprintf("sha256:%x", sha256.Sum256(content)) }

// quoted is a list of plugins in containerd's configuration.
func quoted(plugins []string) string {
	var list []string
	for _, name := range plugins {
		list = append(list, strconv.Quote("io.containerd.grpc.v1."+name))
	}
	return strings.Join(list, ", ")
}

// await waits until something holds that nothing tells of.
func await(t *testing.T, what string, holds func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	for !holds() {
		select {
		case <-end:
			t.Fatalf("waited a minute until %s", what)
		case <-time.After(10 * time.Millisecond):
		}
	}
}

// hierarchies are where cgroups are mounted: one of version 2, or one for each controller of version 1.
func hierarchies() []string {
	const top = "/sys/fs/cgroup"
	if _, err := os.Stat(top + "/cgroup.procs"); err == nil {
		return []string{top}
	}
	procs, _ := filepath.Glob(top + "/*/cgroup.procs")
	var folders []string
	for _, path := range procs {
		folders = append(folders, filepath.Dir(path))
	}
	return folders
}
