package kmsg

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
)

var booted = time.Date(2026, 8, 1, 0, 0, 0, 0, time.UTC)

// fixture is a kernel log that is written by hand. Its pipe keeps records apart, as the device does.
func fixture(t *testing.T, from uint64, now clock.Clock) (log *Reader, write func(string)) {
	t.Helper()
	var ends [2]int
	if err := unix.Pipe2(ends[:], unix.O_DIRECT|unix.O_CLOEXEC); err != nil {
		t.Fatal(err)
	}
	in := os.NewFile(uintptr(ends[1]), "log")
	t.Cleanup(func() { _ = in.Close() })
	log, err := Open(fmt.Sprintf("/proc/self/fd/%d", ends[0]), booted, from, now)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = log.Close() })
	log.batchDelay = 0
	_ = unix.Close(ends[0])
	return log, func(record string) {
		if _, err := in.WriteString(record); err != nil {
			t.Fatal(err)
		}
	}
}

func seqs(t *testing.T, log *Reader) (all []uint64) {
	t.Helper()
	for {
		r, err := log.Buffered()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, r.Seq)
	}
}

func TestLossesAreCounted(t *testing.T) {
	log, write := fixture(t, 0, clock.RealClock{})
	for _, seq := range []int{40, 41, 50} {
		write(fmt.Sprintf("6,%d,1,-;x\n", seq))
	}
	write("what is this\n")
	if got := seqs(t, log); len(got) != 3 {
		t.Errorf("read %v", got)
	}
	if log.Lost() != 8+1 {
		t.Errorf("%d lost, want the eight between 41 and 50 and the one that is no record", log.Lost())
	}
}

func TestGoesOnWhereAnEarlierRunEnded(t *testing.T) {
	log, write := fixture(t, 42, clock.RealClock{})
	for _, seq := range []int{40, 41, 42, 43} {
		write(fmt.Sprintf("6,%d,1,-;x\n", seq))
	}
	if got := fmt.Sprint(seqs(t, log)); got != "[42 43]" || log.Lost() != 0 {
		t.Errorf("read %s and lost %d", got, log.Lost())
	}
	late, write := fixture(t, 42, clock.RealClock{})
	write("6,45,1,-;x\n")
	if got := fmt.Sprint(seqs(t, late)); got != "[45]" || late.Lost() != 3 {
		t.Errorf("read %s and lost %d, which were overwritten while nobody read", got, late.Lost())
	}
}

func TestOverrunIsNotTheEnd(t *testing.T) {
	log, write := fixture(t, 0, clock.RealClock{})
	overruns := 2
	log.syscall = func(fd int, into []byte) (int, error) {
		if overruns > 0 {
			overruns--
			return -1, unix.EPIPE
		}
		return unix.Read(fd, into)
	}
	write("6,9,1,-;x\n")
	if r, err := log.Next(t.Context()); err != nil || r.Seq != 9 || overruns != 0 {
		t.Errorf("read %+v, %v", r, err)
	}
}

// A record that was there before is as old as it says; the kernel's clock drifts, so a new one is of now.
func TestTimes(t *testing.T) {
	now := clocktesting.NewFakeClock(booted.Add(time.Hour))
	log, write := fixture(t, 0, now)
	write("6,1,60000000,-;a minute after boot\n")
	write("6,2,7200000000,-;by a clock that is fast\n")
	for _, want := range []time.Time{booted.Add(time.Minute), now.Now()} {
		if r, err := log.Next(t.Context()); err != nil || !r.At.Equal(want) {
			t.Errorf("%v: at %v, want %v (%v)", r.Text, r.At, want, err)
		}
	}
	over, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if r, err := log.Next(over); err == nil {
		t.Fatalf("read %+v where nothing is", r)
	}
	write("6,3,3000000,-;by a clock that stood still\n")
	if r, err := log.Next(t.Context()); err != nil || !r.At.Equal(now.Now()) {
		t.Errorf("at %v, want now (%v)", r.At, err)
	}
}

// A flood is read in batches: after the first record the reader rests, and what came meanwhile needs no waiting.
func TestRests(t *testing.T) {
	now := clocktesting.NewFakeClock(booted.Add(time.Hour))
	log, write := fixture(t, 0, now)
	log.batchDelay = maxBatchDelay
	write("6,1,1,-;x\n")
	if _, err := log.Next(t.Context()); err != nil {
		t.Fatal(err)
	}
	got := make(chan uint64)
	go func() {
		for range 2 {
			r, err := log.Next(t.Context())
			if err != nil {
				t.Error(err)
			}
			got <- r.Seq
		}
	}()
	for !now.HasWaiters() {
		runtime.Gosched()
	}
	write("6,2,1,-;x\n")
	write("6,3,1,-;x\n")
	select {
	case seq := <-got:
		t.Errorf("%d was read while it rested", seq)
	default:
	}
	now.Step(maxBatchDelay)
	if a, b := <-got, <-got; a != 2 || b != 3 {
		t.Errorf("read %d and %d", a, b)
	}
}

// In a flood of any rate the reader rests so long that about batchSize records come, and at a low rate as long as it may.
func TestRestsLessInAFlood(t *testing.T) {
	for _, perSecond := range []int{1, 100, 2_000, 36_000, 1_000_000} {
		delay := maxBatchDelay
		var batch int
		for range 10 {
			batch = max(1, int(delay*time.Duration(perSecond)/time.Second))
			delay = nextBatchDelay(delay, batch)
		}
		switch {
		case perSecond <= 2_000 && delay != maxBatchDelay:
			t.Errorf("%d a second: rests %v, want %v", perSecond, delay, maxBatchDelay)
		case perSecond == 36_000 && (batch < batchSize/2 || batch > batchSize):
			t.Errorf("%d a second: rests %v, in which %d records come, want about %d", perSecond, delay, batch, batchSize)
		case perSecond == 1_000_000 && delay != minBatchDelay:
			t.Errorf("%d a second: rests %v, want %v", perSecond, delay, minBatchDelay)
		}
	}
}

func TestEndsWithTheContext(t *testing.T) {
	log, _ := fixture(t, 0, clock.RealClock{})
	ctx, cancel := context.WithCancel(t.Context())
	go cancel()
	if _, err := log.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestPlainFileEnds(t *testing.T) {
	path := filepath.Join(t.TempDir(), "kmsg")
	if err := os.WriteFile(path, []byte("6,1,2,-;saved\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	log, err := Open(path, booted, 0, clock.RealClock{})
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = log.Close() }()
	if r, err := log.Next(t.Context()); err != nil || r.Text != "saved" {
		t.Errorf("read %+v, %v", r, err)
	}
	if r, err := log.Next(t.Context()); !errors.Is(err, io.EOF) {
		t.Errorf("read %+v, %v after the end", r, err)
	}
}

// What a process writes into the kernel's log is never the kernel's, whatever facility it claims.
func TestWhatAProcessWritesIsNotTheKernels(t *testing.T) {
	device, err := os.OpenFile("/dev/kmsg", os.O_WRONLY, 0)
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	defer func() { _ = device.Close() }()
	log, err := Open("/dev/kmsg", booted, 0, clock.RealClock{})
	if err != nil {
		t.Skipf("NOT RUN: %v", err)
	}
	defer func() { _ = log.Close() }()
	if all := seqs(t, log); len(all) == 0 {
		t.Error("the real log is empty")
	}
	mark := fmt.Sprintf("naosu: a line by hand %d", os.Getpid())
	if _, err := device.WriteString("<4>" + mark + "\n"); err != nil { // 4 is facility 0, warning. Without its end the line stays open.
		t.Fatal(err)
	}
	for {
		r, err := log.Next(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(r.Text, mark) {
			if r.Facility == Kernel {
				t.Errorf("%+v is taken for the kernel's", r)
			}
			return
		}
	}
}
