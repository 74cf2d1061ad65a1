package logs

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// A line that says that a fault is over ends it for the one that it names, and for no other; the next one begins it anew.
func TestLineThatClears(t *testing.T) {
	lost := func(server string) string { return "nfs: server " + server + " not responding, still trying" }
	found := func(server string) string { return "nfs: server " + server + " OK" }
	for name, c := range map[string]struct{ lines, stands []string }{
		"over":            {[]string{lost("a"), lost("a"), lost("b"), found("a")}, []string{"b"}},
		"over, and again": {[]string{lost("a"), found("a"), lost("a")}, []string{"a"}},
		"never begun":     {[]string{found("a"), lost("b")}, []string{"b"}},
		"both":            {[]string{lost("a"), lost("b"), found("b"), found("a")}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			kernel := kernelDevice(t, h)
			for i, line := range c.lines {
				if _, err := fmt.Fprintf(kernel, "5,%d,%d,-;%s\n", i, 1000+i, line); err != nil {
					t.Fatal(err)
				}
			}
			store := evidence.NewStore(reason.Catalogue)
			err := New(h, DefaultOptions(), reason.Catalogue, "").Look(t.Context(), func(e evidence.Evidence) {
				if e.Reason == reason.NFSServerNotResponding {
					e.At = time.Now() // The lines are as old as the boot.
					store.Add(e)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			var stands []string
			for _, s := range store.Snapshot(time.Now()).Standing {
				stands = append(stands, s.Entity)
			}
			if !slices.Equal(stands, c.stands) {
				t.Errorf("stand %q, want %q", stands, c.stands)
			}
		})
	}
}
