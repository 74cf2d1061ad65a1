package lag

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"testing"
	"time"
)

// busyVariable makes the test's program a child that uses a processor, says so, and waits.
const busyVariable = "LAG_TEST_BURN"

const busyTime = 200 * time.Millisecond

func TestMain(m *testing.M) {
	if os.Getenv(busyVariable) == "" {
		os.Exit(m.Run())
	}
	r, err := newReader()
	for used := time.Duration(0); err == nil && used < busyTime; {
		used, err = r.used()
	}
	_, _ = os.Stdout.WriteString("burnt\n")
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// TestUsageOfAChild finds what a child has used among what is this process's own, while it runs and after it has ended.
func TestUsageOfAChild(t *testing.T) {
	r, err := newReader()
	if err != nil {
		t.Skip(err)
	}
	before, err := r.used()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.CommandContext(t.Context(), os.Args[0])
	child.Env = append(os.Environ(), busyVariable+"=yes")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	check := func(when string) {
		t.Helper()
		if now, err := r.used(); err != nil || now-before < busyTime {
			t.Errorf("%s: used %s more, %v; want at least %s", when, now-before, err, busyTime)
		}
	}
	check("while it runs")
	if err := in.Close(); err != nil {
		t.Fatal(err)
	}
	if err := child.Wait(); err != nil {
		t.Fatal(err)
	}
	check("after its end")
}

// TestRead reads the machine that it runs on.
func TestRead(t *testing.T) {
	r, err := newReader()
	if err != nil {
		t.Skip(err)
	}
	u, err := r.read()
	if err != nil {
		t.Fatal(err)
	}
	if u.processors < 1 || u.all <= 0 || len(u.threads) == 0 {
		t.Errorf("read %+v", u)
	}
}

// BenchmarkSample is what the meter costs once a second.
func BenchmarkSample(b *testing.B) {
	usage := readUsage()
	for b.Loop() {
		usage()
	}
}
