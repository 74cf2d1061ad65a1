package agent

import (
	"context"
	"crypto/sha256"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent"
	"github.com/naosu-dev/naosu/internal/agent/config"
	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// soak is for how long a host is watched. NAOSU_SOAK=30m makes it longer, on a host where nothing else is tried out.
const soak = 25 * time.Second

// TestSoak watches a healthy host with every monitor and every reason as shipped, idle and then busy with computing,
// writing and starting threads: no reason may hold. Lines of the kernel's log are left out unless NAOSU_SOAK is set: other
// tests provoke real ones on this kernel. So is the clock, which is not synchronized where tests run in a sandbox.
func TestSoak(t *testing.T) {
	if testing.Short() {
		t.Skip("left out of a quick run: it takes a minute")
	}
	lasting, own := soak, false
	if text := os.Getenv("NAOSU_SOAK"); text != "" {
		var err error
		if lasting, err = time.ParseDuration(text); err != nil {
			t.Fatal(err)
		}
		own = true
	}
	for name, load := range map[string]func(context.Context){"idle": nil, "busy": busy(t.TempDir())} {
		t.Run(name, func(t *testing.T) {
			for _, s := range watched(t, lasting, load) {
				r, _ := reason.Find(string(s.Reason))
				kernelLog := slices.ContainsFunc(r.Matches, func(m reason.Match) bool { return m.Log == "kernel" })
				ofTests := strings.HasPrefix(strings.TrimPrefix(s.Entity, "/"), "naosu-") // that run beside this one
				if s.Reason == reason.ClockUnsynchronized || (kernelLog || ofTests) && !own {
					continue
				}
				t.Errorf("%s of %q stands on a healthy host: %s: %s", s.Reason, s.Entity, s.Source, s.Raw)
			}
		})
	}
}

// watched is all that stood at any time while an agent watched this host.
func watched(t *testing.T, lasting time.Duration, load func(context.Context)) []evidence.Standing {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), lasting)
	defer cancel()
	var mu sync.Mutex
	var stood []evidence.Standing
	snapshots := 0
	a := agent.Agent{
		Monitors: config.Default().Monitors(host.Host{}, ""), Reasons: reason.Catalogue, Clock: clock.RealClock{}, Log: slog.New(slog.NewTextHandler(t.Output(), nil)),
		Show: func(p evidence.Snapshot) {
			mu.Lock()
			defer mu.Unlock()
			snapshots++
			stood = append(stood, p.Standing...)
		},
	}
	var working sync.WaitGroup
	if load != nil {
		working.Go(func() { load(ctx) })
	}
	if err := a.Run(ctx); err != nil {
		t.Error(err)
	}
	working.Wait()
	if snapshots == 0 {
		t.Error("nothing was looked at")
	}
	return stood
}

// busy keeps every core, the disk and the scheduler at work until ctx ends.
func busy(folder string) func(context.Context) {
	return func(ctx context.Context) {
		var working sync.WaitGroup
		for range runtime.NumCPU() {
			working.Go(func() {
				block := make([]byte, 1<<20)
				for ctx.Err() == nil {
					sha256.Sum256(block)
				}
			})
		}
		working.Go(func() {
			block := make([]byte, 4<<20)
			for ctx.Err() == nil {
				_ = os.WriteFile(filepath.Join(folder, "busy"), block, 0o600) // a full disk is not this test's
			}
		})
		working.Go(func() {
			for ctx.Err() == nil {
				ended := make(chan struct{})
				go func() { runtime.LockOSThread(); close(ended) }() // the thread ends with it
				<-ended
			}
		})
		working.Wait()
	}
}
