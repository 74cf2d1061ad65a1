package logs

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
)

// machine is a host whose files a test writes: /proc as of this one, and nothing else.
func machine(t testing.TB) host.Host {
	t.Helper()
	h := host.Host{Root: t.TempDir()}
	for _, path := range []string{"/proc/stat", "/proc/sys/kernel/random/boot_id"} {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		put(t, h, path, string(text))
	}
	return h
}

func put(t testing.TB, h host.Host, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(h.Path(path)), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(h.Path(path), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// kernelDevice makes a kernel log on a host, as a pipe that keeps records apart.
func kernelDevice(t testing.TB, h host.Host) *os.File {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_DIRECT|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	if _, err := unix.FcntlInt(uintptr(ends[1]), unix.F_SETPIPE_SZ, 1<<20); err != nil { // A page holds one record.
		t.Fatal(err)
	}
	out, in := os.NewFile(uintptr(ends[0]), "out"), os.NewFile(uintptr(ends[1]), "in")
	t.Cleanup(func() { _ = out.Close(); _ = in.Close() })
	if err := os.MkdirAll(h.Path("/dev"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fmt.Sprintf("/proc/self/fd/%d", ends[0]), h.Path("/dev/kmsg")); err != nil {
		t.Fatal(err)
	}
	return in
}

// listener keeps what is told.
type listener struct {
	mu      sync.Mutex
	emitted []evidence.Evidence
	more    chan struct{}
}

func newListener() *listener { return &listener{more: make(chan struct{}, 1)} }

func (l *listener) emit(e evidence.Evidence) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.emitted = append(l.emitted, e)
	select {
	case l.more <- struct{}{}:
	default:
	}
}

// saw is what was told in a word or two, without the reasons of which it was told in the same way before.
func (l *listener) saw(state evidence.State) (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, e := range l.emitted {
		if e.State == state {
			all = append(all, strings.TrimSpace(fmt.Sprintf("%s %s", e.Reason, e.Entity)))
		}
	}
	return all
}

// await waits until something was told.
func (l *listener) await(t *testing.T, is func() bool) {
	t.Helper()
	end := time.After(time.Minute)
	for !is() {
		select {
		case <-l.more:
		case <-end:
			t.Fatalf("never told; told was %+v", l.emitted)
		}
	}
}

var few = []reason.Reason{
	{ID: "Kernel", Matches: []reason.Match{{Log: "kernel", Pattern: `^sick (?P<entity>\S+)`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
	{ID: "Unit", Matches: []reason.Match{{Log: "unit:a.service", Pattern: `sick`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
	{ID: "File", Matches: []reason.Match{{Log: "/var/log/a.log", Pattern: `sick`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
	{ID: "Both", Matches: []reason.Match{{Log: "kernel", Pattern: `bad`}, {Log: "/var/log/a.log", Pattern: `bad`}}, Needs: reason.Needs{Count: 1, Within: time.Hour}},
	{ID: "Off", Severity: reason.Off, Matches: []reason.Match{{Log: "kernel", Pattern: `sick`}}},
}

func look(t *testing.T, h host.Host, o Options) *listener {
	t.Helper()
	heard, folder := newListener(), t.TempDir()
	if err := New(h, o, few, folder).Look(t.Context(), heard.emit); err != nil {
		t.Fatal(err)
	}
	if savedPositions, err := os.ReadDir(folder); err != nil || len(savedPositions) > 0 {
		t.Errorf("a look has kept %v (%v)", savedPositions, err)
	}
	return heard
}

func expect(t *testing.T, what string, got, want []string) {
	t.Helper()
	slices.Sort(got)
	if !slices.Equal(got, want) {
		t.Errorf("%s: %q, want %q", what, got, want)
	}
}

// A look reads what each log holds now: what the kernel itself says, of this boot, and in a file what says when it was.
func TestLook(t *testing.T) {
	h := machine(t)
	kernel := kernelDevice(t, h)
	for _, record := range []string{"3,1,1000000,-;sick a\n", "11,2,1000001,-;sick b\n", "3,3,1000002,-;bad\n", "3,4,1000003,-;well\n"} {
		if _, err := kernel.WriteString(record); err != nil {
			t.Fatal(err)
		}
	}
	now := time.Now().UTC().Format(time.RFC3339)
	put(t, h, "/var/log/a.log", now+" sick\n2001-01-01T00:00:00Z bad\nbad, nobody knows when\n")
	heard := look(t, h, DefaultOptions())
	expect(t, "faults", heard.saw(evidence.Fault), []string{"Both", "File", "Kernel a"})
	expect(t, "readable", heard.saw(evidence.Readable), []string{"Both", "File", "Kernel", "LogLinesLost"})
	expect(t, "inapplicable", heard.saw(evidence.Inapplicable), []string{"Unit"})
	expect(t, "unreadable", heard.saw(evidence.Unreadable), nil)
}

// What cannot be read is said with the reason why; a host without journal or file has nothing for their reasons.
func TestNothingToRead(t *testing.T) {
	heard := look(t, machine(t), DefaultOptions())
	expect(t, "inapplicable", heard.saw(evidence.Inapplicable), []string{"File", "Unit"})
	expect(t, "unreadable", heard.saw(evidence.Unreadable), []string{"Both", "Kernel", "LogLinesLost"})
	for _, e := range heard.emitted {
		if e.Reason == "Kernel" && (!strings.Contains(e.Raw, "/dev/kmsg") || !strings.Contains(e.Raw, "/run/log/journal")) {
			t.Errorf("says %q, and not both that it tried", e.Raw)
		}
	}
	o := DefaultOptions()
	o.Kernel = Device
	for _, e := range look(t, machine(t), o).emitted {
		if e.Reason == "Kernel" && strings.Contains(e.Raw, "journal") {
			t.Errorf("with the device only: %q", e.Raw)
		}
	}
}

// A restart goes on after the last line that was evidence; a reboot begins anew.
func TestRestart(t *testing.T) {
	h, folder := machine(t), t.TempDir()
	kernel := kernelDevice(t, h)
	run := func(until string, records ...string) []string {
		heard := newListener()
		ctx, cancel := context.WithCancel(t.Context())
		var running sync.WaitGroup
		running.Go(func() {
			if err := New(h, DefaultOptions(), few, folder).Run(ctx, heard.emit); err != nil {
				t.Error(err)
			}
		})
		for _, record := range records {
			if _, err := kernel.WriteString(record); err != nil {
				t.Fatal(err)
			}
		}
		heard.await(t, func() bool { return slices.Contains(heard.saw(evidence.Fault), until) })
		cancel()
		running.Wait()
		return heard.saw(evidence.Fault)
	}
	one, two, three := "3,1,1,-;sick one\n", "3,2,2,-;sick two\n", "3,3,3,-;sick three\n"
	expect(t, "first run", run("Kernel two", one, two), []string{"Kernel one", "Kernel two"})
	expect(t, "second run", run("Kernel three", one, two, three), []string{"Kernel three"})
	put(t, h, "/proc/sys/kernel/random/boot_id", "00000000-0000-0000-0000-000000000001\n")
	expect(t, "after a reboot", run("Kernel two", one, two), []string{"Kernel one", "Kernel two"})
}

// A gap in the kernel's sequence numbers is lines that nobody read, and is told.
func TestLostRecords(t *testing.T) {
	h := machine(t)
	kernel := kernelDevice(t, h)
	for _, record := range []string{"3,1,1,-;x\n", "3,12,2,-;x\n"} {
		if _, err := kernel.WriteString(record); err != nil {
			t.Fatal(err)
		}
	}
	heard := newListener()
	m := New(h, DefaultOptions(), few, "")
	if err := m.Look(t.Context(), heard.emit); err != nil {
		t.Fatal(err)
	}
	expect(t, "faults", heard.saw(evidence.Fault), []string{"LogLinesLost kernel"})
	if m.Lost()["kernel"] != 10 {
		t.Errorf("%v lost", m.Lost())
	}
}

func TestConfiguration(t *testing.T) {
	var from From
	if err := from.UnmarshalText([]byte("journal")); err != nil || from != Journal {
		t.Errorf("%q, %v", from, err)
	}
	if err := from.UnmarshalText([]byte("dmesg")); err == nil {
		t.Error("dmesg is taken")
	}
}
