package cli

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// TestNiceness starts the program as tests do: all of its threads have the niceness that the environment names.
func TestNiceness(t *testing.T) {
	lab := exec.CommandContext(t.Context(), program.Need(t, "naosu-lab"), controlplane.ServeCommand)
	lab.Env = append(os.Environ(), niceVariable+"=7")
	in, err := lab.StdinPipe() // It waits for what to start, and ends when the pipe is closed.
	must(t, err)
	must(t, lab.Start())
	t.Cleanup(func() { _ = in.Close(); _ = lab.Wait() })
	testbed.Eventually(t, func() error {
		got, err := niceness(lab.Process.Pid)
		if err != nil || len(got) < 2 || slices.ContainsFunc(got, func(n int) bool { return n != 7 }) {
			return fmt.Errorf("its threads have the niceness %d, want 7 (%w)", got, err)
		}
		return nil
	})
}

// niceness is that of each thread of a process, the 19th field of its stat (proc(5)).
func niceness(process int) (all []int, err error) {
	tasks := fmt.Sprintf("/proc/%d/task", process)
	threads, err := os.ReadDir(tasks)
	for _, thread := range threads {
		stat, err := os.ReadFile(tasks + "/" + thread.Name() + "/stat")
		if err != nil {
			return nil, err
		}
		_, fields, _ := strings.Cut(string(stat), ") ")
		n, err := strconv.Atoi(strings.Fields(fields)[16])
		if err != nil {
			return nil, err
		}
		all = append(all, n)
	}
	return all, err
}

func TestProcessorLimit(t *testing.T) {
	before := runtime.GOMAXPROCS(0)
	t.Cleanup(func() { runtime.GOMAXPROCS(before) })
	t.Setenv(processorsVariable, "3")
	if code, _, errOut := run(t, "list"); code != 0 || runtime.GOMAXPROCS(0) != 3 {
		t.Errorf("exit code %d, it takes %d processors, want 3: %s", code, runtime.GOMAXPROCS(0), errOut)
	}
}

func TestBadProcessorLimits(t *testing.T) {
	for variable, test := range map[string]struct {
		bad  []string
		want string
	}{
		"NAOSU_LAB_NICE":       {[]string{"high", "20", "-21", "1.5"}, "from -20 to 19"},
		"NAOSU_LAB_GOMAXPROCS": {[]string{"all", "0", "1025"}, "from 1 to 1024"},
	} {
		for _, value := range test.bad {
			t.Setenv(variable, value)
			want := fmt.Sprintf("naosu-lab: the environment variable %s is %q; set it to a number %s\n", variable, value, test.want)
			if code, out, errOut := run(t, "list"); code != exitBadInput || out != "" || errOut != want {
				t.Errorf("%s=%s: exit code %d, output %q, error %q, want %q", variable, value, code, out, errOut, want)
			}
		}
		t.Setenv(variable, "")
	}
}
