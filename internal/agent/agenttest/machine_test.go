package agenttest

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	timeout  = "/proc/sys/kernel/hung_task_timeout_secs"
	warnings = "/proc/sys/kernel/hung_task_warnings"
	bootID   = "/proc/sys/kernel/random/boot_id"
)

// fake is a machine of plain files.
func fake(t *testing.T) machine {
	t.Helper()
	m := machine{root: t.TempDir(), folder: filepath.Join(t.TempDir(), "machine"), patience: time.Minute}
	for path, text := range map[string]string{timeout: "120\n", warnings: "10\n", bootID: "b-o-o-t\n", "/etc/passwd": "root\n"} {
		put(t, m.root+path, text)
	}
	return m
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// is holds that settings have some values.
func (m machine) is(t *testing.T, want ...string) {
	t.Helper()
	var got []string
	for _, path := range []string{timeout, warnings} {
		text, err := os.ReadFile(m.root + path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, strings.TrimSpace(string(text)))
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("timeout and warnings (-want +got):\n%s", diff)
	}
}

func (m machine) take(t *testing.T, who string) *held {
	t.Helper()
	h, err := m.hold(who)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

var ours = []Setting{{timeout, "1"}, {warnings, "-1"}}

func TestMachineIsGivenBack(t *testing.T) {
	m := fake(t)
	h := m.take(t, "a")
	if err := h.set(ours); err != nil {
		t.Fatal(err)
	}
	m.is(t, "1", "-1")
	if err := h.release(); err != nil {
		t.Fatal(err)
	}
	m.is(t, "120", "10")
	if left, err := filepath.Glob(m.folder + "/*"); err != nil || len(left) != 1 {
		t.Errorf("beside the lock there is %q left: %v", left, err)
	}
}

// A holder is killed between any two steps: what there is then, the next holder repairs.
func TestMachineAfterAKill(t *testing.T) {
	const whole = `{"boot":"b-o-o-t","holder":"a","undo":[{"path":"` + timeout + `","value":"120"},{"path":"` + warnings + `","value":"10"}]}`
	for name, at := range map[string]struct{ timeout, warnings, record, half string }{
		"before the record is written":     {timeout: "120", warnings: "10"},
		"while it is":                      {timeout: "120", warnings: "10", half: whole[:50]},
		"before it is in its place":        {timeout: "120", warnings: "10", half: whole},
		"before the first setting":         {timeout: "120", warnings: "10", record: whole},
		"before the second":                {timeout: "1", warnings: "10", record: whole},
		"when all is set":                  {timeout: "1", warnings: "-1", record: whole},
		"when the first is restored":       {timeout: "120", warnings: "-1", record: whole},
		"before the record is removed":     {timeout: "120", warnings: "10", record: whole},
		"as above, and one killed earlier": {timeout: "1", warnings: "-1", record: whole, half: whole[:9]},
	} {
		t.Run(name, func(t *testing.T) {
			m := fake(t)
			_ = m.take(t, "a").release() // makes the folder
			for path, text := range map[string]string{m.root + timeout: at.timeout, m.root + warnings: at.warnings, m.record(): at.record, m.record() + ".new": at.half} {
				if text != "" {
					put(t, path, text)
				}
			}
			h := m.take(t, "b")
			m.is(t, "120", "10")
			if _, err := os.Stat(m.record()); err == nil {
				t.Error("the record is still there")
			}
			if err := h.set(ours); err != nil {
				t.Error(err)
			}
			if err := h.release(); err != nil {
				t.Error(err)
			}
			m.is(t, "120", "10")
		})
	}
}

// What is no record, or one of what tests do not set, has nothing written and is not removed.
func TestMachineRecordThatIsNone(t *testing.T) {
	for name, record := range map[string]string{
		"empty":                 "",
		"truncated":             `{"boot":"b-o-o-t","holder":"a","undo":[{"path":"` + timeout + `","value":"7"}`,
		"another's file":        `{"boot":"b-o-o-t","undo":[{"path":"` + timeout + `","value":"7"},{"path":"/etc/passwd","value":"7"}]}`,
		"a way around":          `{"boot":"b-o-o-t","undo":[{"path":"/proc/sys/kernel/../../../etc/passwd","value":"7"}]}`,
		"a setting of no test":  `{"boot":"b-o-o-t","undo":[{"path":"/proc/sys/kernel/modprobe","value":"7"}]}`,
		"a value that is none":  `{"boot":"b-o-o-t","undo":[{"path":"` + timeout + `","value":"7; reboot"}]}`,
		"a line more":           `{"boot":"b-o-o-t","undo":[{"path":"` + timeout + `\n","value":"7"}]}`,
		"a field of another":    `{"boot":"b-o-o-t","undo":[{"path":"` + timeout + `","value":"7","mode":1}]}`,
		"of another boot, even": `{"boot":"other","undo":[{"path":"/etc/passwd","value":"7"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			m := fake(t)
			_ = m.take(t, "a").release()
			put(t, m.record(), record)
			if _, err := m.hold("b"); err == nil || !strings.Contains(err.Error(), m.record()+" is no record") {
				t.Errorf("it is held: %v", err)
			}
			m.is(t, "120", "10")
			if text, err := os.ReadFile(m.root + "/etc/passwd"); err != nil || string(text) != "root\n" {
				t.Errorf("another file now says %q: %v", text, err)
			}
			if _, err := os.Stat(m.record()); err != nil {
				t.Error(err)
			}
		})
	}
}

// What a test sets is what a record may restore.
func TestMachineSetsNothingElse(t *testing.T) {
	m := fake(t)
	h := m.take(t, "a")
	if err := h.set([]Setting{{timeout, "1"}, {"/etc/passwd", "1"}}); err == nil {
		t.Error("it may be set")
	}
	m.is(t, "120", "10")
	if err := h.release(); err != nil {
		t.Error(err)
	}
}

func TestMachineOfAnotherBoot(t *testing.T) {
	m := fake(t)
	h := m.take(t, "a")
	if err := h.set(ours); err != nil {
		t.Fatal(err)
	}
	_ = h.lock.Close() // killed
	put(t, m.root+bootID, "another\n")
	put(t, m.root+timeout, "60\n")
	put(t, m.root+warnings, "3\n")
	if err := m.take(t, "b").release(); err != nil {
		t.Fatal(err)
	}
	m.is(t, "60", "3")
}

// Who waits too long is told for whom.
func TestMachineIsHeld(t *testing.T) {
	m := fake(t)
	h := m.take(t, "TestFirst of a.test")
	m.patience = time.Millisecond
	if _, err := m.hold("TestSecond"); err == nil || !strings.Contains(err.Error(), "held by TestFirst of a.test, since ") {
		t.Errorf("it says %v", err)
	}
	if err := h.release(); err != nil {
		t.Fatal(err)
	}
	m.patience = time.Minute
	if err := m.take(t, "TestThird").release(); err != nil { // The second, which has left, does not keep it.
		t.Fatal(err)
	}
}

// In a folder that others could have prepared there may be any lock and any record.
func TestMachineFolderOfOthers(t *testing.T) {
	for name, make := range map[string]func(path string) error{
		"open to all": func(path string) error { _ = os.Mkdir(path, 0o700); return os.Chmod(path, 0o777) },
		"a link":      func(path string) error { return os.Symlink(t.TempDir(), path) },
		"a file":      func(path string) error { return os.WriteFile(path, nil, 0o600) },
	} {
		m := fake(t)
		if err := make(m.folder); err != nil {
			t.Fatal(err)
		}
		if _, err := m.hold("a"); err == nil || !strings.Contains(err.Error(), "is not a folder") {
			t.Errorf("%s: it says %v", name, err)
		}
	}
}

// holder, set in the environment, has this program hold a machine: "ROOT FOLDER TIMES".
const holder = "NAOSU_TEST_HOLDER"

func TestMain(m *testing.M) {
	var err error
	switch {
	case os.Getenv(holder) != "":
		err = holdTimes(os.Getenv(holder))
	case os.Getenv(freezer) != "":
		err = freezeForGood(os.Getenv(freezer))
	default:
		os.Exit(m.Run())
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(1)
	}
}

// holdTimes holds a machine some times, or until it is killed if that is never. Each time it must be as it was at first.
func holdTimes(what string) error {
	m := machine{patience: time.Minute}
	times := 0
	if _, err := fmt.Sscan(what, &m.root, &m.folder, &times); err != nil {
		return err
	}
	for i := 0; i < max(1, times); i++ {
		h, err := m.hold(fmt.Sprint("child ", os.Getpid()))
		if err != nil {
			return err
		}
		for path, want := range map[string]string{timeout: "120", warnings: "10"} {
			if err := h.holds(Setting{path, want}); err != nil {
				return fmt.Errorf("another holds it, too: %w", err)
			}
		}
		if err := h.set([]Setting{{timeout, fmt.Sprint(os.Getpid())}, {warnings, "-1"}}); err != nil {
			return err
		}
		if times == 0 {
			fmt.Println("held")
			_, _ = fmt.Scanln() // It is never given a line.
		}
		if err := h.holds(Setting{timeout, fmt.Sprint(os.Getpid())}); err != nil {
			return err
		}
		if err := h.release(); err != nil {
			return err
		}
	}
	return nil
}

func (m machine) child(t *testing.T, times int) *exec.Cmd {
	t.Helper()
	child := exec.CommandContext(t.Context(), "/proc/self/exe")
	child.Env = append(os.Environ(), fmt.Sprintf("%s=%s %s %d", holder, m.root, m.folder, times))
	return child
}

func TestMachineOfAKilledProcess(t *testing.T) {
	m := fake(t)
	child := m.child(t, 0)
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := child.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("it says %q: %v", line, err)
	}
	m.is(t, fmt.Sprint(child.Process.Pid), "-1")
	_ = child.Process.Kill()
	_ = child.Wait()
	m.is(t, fmt.Sprint(child.Process.Pid), "-1")
	h := m.take(t, "next")
	m.is(t, "120", "10")
	if err := h.release(); err != nil {
		t.Error(err)
	}
}

func TestMachineOfTwoProcesses(t *testing.T) {
	m := fake(t)
	a, b := m.child(t, 30), m.child(t, 30)
	said := map[*exec.Cmd]*strings.Builder{a: {}, b: {}}
	for child, to := range said {
		child.Stdout, child.Stderr = to, to
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
	}
	for child, to := range said {
		if err := child.Wait(); err != nil {
			t.Errorf("%v: %s", err, to)
		}
	}
	m.is(t, "120", "10")
}

// A kernel that makes no device leaves a record of one that is not there.
func TestZramIsNoted(t *testing.T) {
	m := fake(t)
	for _, path := range []string{"/sys/block/zram0/reset", "/sys/block/zram2/reset", zramRemove} {
		put(t, m.root+path, "")
	}
	put(t, m.root+zramControl+"/hot_add", "1\n")
	h := m.take(t, "a")
	name, err := h.zram()
	if err != nil || name != "zram1" {
		t.Errorf("%s, %v", name, err)
	}
	put(t, m.root+"/sys/block/zram1/reset", "")
	if err := h.release(); err != nil {
		t.Error(err)
	}
	for path, want := range map[string]string{"/sys/block/zram0/reset": "", "/sys/block/zram1/reset": "1", "/sys/block/zram2/reset": "", zramRemove: "1"} {
		if text, err := os.ReadFile(m.root + path); err != nil || string(text) != want {
			t.Errorf("%s is %q, not %q: %v", path, text, want, err)
		}
	}
}
