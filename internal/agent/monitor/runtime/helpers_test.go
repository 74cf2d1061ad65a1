package runtime

import (
	"crypto/sha256"
	"fmt"
	"net"
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
