package logs

import (
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// ofJournal puts a journal on a host, of a boot which becomes the host's: a line each third second since boot, to 362 s, by a wall's
// clock of other months.
func ofJournal(t *testing.T, h host.Host) {
	t.Helper()
	file, err := os.Open("../../source/journal/testdata/compact.journal.gz")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	unpacked, err := gzip.NewReader(file)
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unpacked)
	if err != nil {
		t.Fatal(err)
	}
	put(t, h, "/var/log/journal/0123456789abcdef0123456789abcdef/system.journal", string(content))
	put(t, h, "/proc/sys/kernel/random/boot_id", "9b0a1c1e-5d3f-4a6c-8e7d-2b4f6a8c0e1d\n")
}

// bootedAt has a host say that it was booted at a time.
func bootedAt(t *testing.T, h host.Host, at time.Time) {
	t.Helper()
	text, err := os.ReadFile("/proc/stat")
	if err != nil {
		t.Fatal(err)
	}
	put(t, h, "/proc/stat", regexp.MustCompile(`btime \d+`).ReplaceAllString(string(text), fmt.Sprintf("btime %d", at.Unix())))
}

// appendUntil writes a line to a file again and again until ctx ends: nothing tells when what was there before is read.
func appendUntil(ctx context.Context, t *testing.T, path, line string) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
		if err == nil {
			_, err = file.WriteString(line)
			_ = file.Close()
		}
		if err != nil {
			t.Error(err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

// Wherever the wall's clock was put, before the agent began or after, lines of this boot are evidence, as of now.
func TestClockSteps(t *testing.T) {
	reasons := []reason.Reason{
		{ID: "Kernel", Matches: []reason.Match{{Log: "kernel", Pattern: `^sick`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
		{ID: "Unit", Matches: []reason.Match{{Log: "unit:kubelet.service", Pattern: `^kubelet line 11[0-9]`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
		{ID: "File", Matches: []reason.Match{{Log: "/var/log/a.log", Pattern: `sick`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
	}
	for name, ahead := range map[string]time.Duration{"true": -time.Hour, "was eight hours ahead": 8 * time.Hour, "was of 1970": -50 * 365 * 24 * time.Hour} {
		t.Run(name, func(t *testing.T) {
			h := machine(t)
			kernel := kernelDevice(t, h)
			ofJournal(t, h)
			bootedAt(t, h, time.Now().Add(ahead))
			put(t, h, "/var/log/a.log", "2001-01-01T00:00:00Z of an earlier boot\n")
			heard := newListener()
			m := New(h, DefaultOptions(), reasons, "")
			m.uptime = func() (time.Duration, error) { return 400 * time.Second, nil }
			ctx, cancel := context.WithCancel(t.Context())
			var running sync.WaitGroup
			t.Cleanup(func() { cancel(); running.Wait() })
			running.Go(func() {
				if err := m.Run(ctx, heard.emit); err != nil {
					t.Error(err)
				}
			})
			began := time.Now()
			if _, err := fmt.Fprint(kernel, "3,1,300000000,-;sick\n"); err != nil {
				t.Fatal(err)
			}
			running.Go(func() { appendUntil(ctx, t, h.Path("/var/log/a.log"), "sick, and no word of when\n") })
			heard.await(t, func() bool {
				faults := heard.saw(evidence.Fault)
				return slices.Contains(faults, "Kernel") && slices.Contains(faults, "Unit") && slices.Contains(faults, "File")
			})
			cancel()
			running.Wait()
			for _, e := range heard.emitted {
				if e.State == evidence.Fault && (e.At.Before(began.Add(-5*time.Minute)) || e.At.After(time.Now())) {
					t.Errorf("%s is told as of %v", e.Reason, e.At)
				}
			}
		})
	}
}
