package cli

import (
	"fmt"
	"os"
	"os/exec"
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

func TestNicenessIsBad(t *testing.T) {
	for _, value := range []string{"high", "20", "-21", "1.5"} {
		t.Setenv(niceVariable, value)
		want := fmt.Sprintf("naosu-lab: the environment variable NAOSU_LAB_NICE is %q; set it to a number from -20 to 19\n", value)
		if code, out, errOut := run(t, "list"); code != exitBadInput || out != "" || errOut != want {
			t.Errorf("%s: exit code %d, output %q, error %q, want %q", value, code, out, errOut, want)
		}
	}
}
