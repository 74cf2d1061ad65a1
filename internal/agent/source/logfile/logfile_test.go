package logfile

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"
)

var now = time.Date(2026, 8, 1, 12, 0, 0, 0, time.UTC)

func log(t *testing.T, content string, from Position) (*Reader, string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "ipamd.log")
	write(t, path, content)
	return open(t, path, from), path
}

func open(t *testing.T, path string, from Position) *Reader {
	t.Helper()
	r, err := Open(path, Options{From: from, Poll: time.Second, Clock: clocktesting.NewFakeClock(now)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = r.Close() })
	return r
}

func write(t *testing.T, path, content string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(content); err != nil {
		t.Fatal(err)
	}
}

func all(t *testing.T, r *Reader) (lines []string) {
	t.Helper()
	for {
		line, err := r.Buffered()
		if errors.Is(err, io.EOF) {
			return lines
		}
		if err != nil {
			t.Fatal(err)
		}
		lines = append(lines, line.Text)
	}
}

func expect(t *testing.T, r *Reader, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, all(t, r)); diff != "" {
		t.Error(diff)
	}
}

func TestFollowsThroughRotation(t *testing.T) {
	r, path := log(t, "one\ntwo\nhal", Position{})
	expect(t, r, "one", "two")
	write(t, path, "f\n")
	expect(t, r, "half")
	write(t, path, "last of the old\n")
	if err := os.Rename(path, path+".1"); err != nil {
		t.Fatal(err)
	}
	expect(t, r, "last of the old")
	write(t, path, "new\n")
	write(t, path+".1", "late\n")
	expect(t, r, "late", "new")
	if err := os.Truncate(path, 0); err != nil {
		t.Fatal(err)
	}
	expect(t, r)
	write(t, path, "a\n")
	expect(t, r, "a")
}

func TestGoesOnWhereAnEarlierRunEnded(t *testing.T) {
	r, path := log(t, "one\ntwo\nthree\n", Position{})
	first, err := r.Buffered()
	if err != nil {
		t.Fatal(err)
	}
	expect(t, open(t, path, first.End), "two", "three")
	expect(t, open(t, path, Position{Inode: first.End.Inode + 1, Offset: first.End.Offset}), "one", "two", "three")
	expect(t, open(t, path, Position{Inode: first.End.Inode, Offset: 1 << 40}), "one", "two", "three")
}

// Of lines that were there before nobody knows when they were logged, unless they say so.
func TestTimes(t *testing.T) {
	r, path := log(t, `{"level":"error","ts":"2026-07-31T23:59:58.123Z","msg":"x"}`+"\n"+"I0731 23:59:58.1 x\n2026-07-31 23:59:58 x\n", Position{})
	for _, want := range []time.Time{time.Date(2026, 7, 31, 23, 59, 58, 123e6, time.UTC), {}, {}} {
		if line, err := r.Buffered(); err != nil || !line.At.Equal(want) {
			t.Errorf("%s: at %v, want %v (%v)", line.Text, line.At, want, err)
		}
	}
	expect(t, r)
	write(t, path, "2020-01-01T00:00:00Z new\n")
	if line, err := r.Next(t.Context()); err != nil || !line.At.Equal(now) {
		t.Errorf("at %v, want now (%v)", line.At, err)
	}
}

func TestLongLines(t *testing.T) {
	long := strings.Repeat("x", maxLine+8192)
	r, _ := log(t, "a\n"+long+"\nb\n"+long+long+"\nc\n", Position{})
	expect(t, r, "a", "b", "c")
	if r.Lost() != 2 {
		t.Errorf("%d lost", r.Lost())
	}
	if cap(r.have) > 4*maxLine {
		t.Errorf("%d bytes are kept", cap(r.have))
	}
	past := strings.Repeat("an old line\n", maxPast/12+100)
	r, _ = log(t, past, Position{})
	if got := len(all(t, r)); got > maxPast/12+1 || got < maxPast/12-1 {
		t.Errorf("%d lines of the past", got)
	}
}

func TestEnds(t *testing.T) {
	r, path := log(t, "", Position{})
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := r.Next(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
	if _, err := Open(path+".2", Options{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("opened what is not there: %v", err)
	}
}
