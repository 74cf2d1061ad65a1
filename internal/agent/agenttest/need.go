package agenttest

import (
	"os"
	"os/exec"
	"testing"
)

// Root is the need to be root.
const Root = "root"

// Need says what a test needs of the machine: Root, or a command. Where it is missing the test is not run and says so, and
// fails where NAOSU_TEST_ALL is set, as in CI. A quick run (go test -short) does nothing as root.
func Need(t testing.TB, needs ...string) {
	t.Helper()
	for _, need := range needs {
		if need == Root && testing.Short() {
			t.Skip("left out of a quick run: it needs root")
		}
		if has(need) {
			continue
		}
		if os.Getenv("NAOSU_TEST_ALL") != "" {
			t.Fatalf("needs %s, which is not here: hack/prepare.sh installs commands", need)
		}
		t.Skipf("not run: it needs %s", need)
	}
}

func has(need string) bool {
	if need == Root {
		return os.Geteuid() == 0
	}
	_, err := exec.LookPath(need)
	return err == nil
}
