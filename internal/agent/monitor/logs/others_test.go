package logs

import (
	"regexp"
	"slices"
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/kmsg"
)

// Patterns in use elsewhere that no longer match what kernels write, or never did what /dev/kmsg gives. Ours take each record
// that theirs miss: this is what the catalogue's columns on other agents say.
func TestPatternsThatAreDeadElsewhere(t *testing.T) {
	for name, dead := range map[string]struct {
		pattern string
		reason  reason.ID
	}{
		"EKS agent 1.7, KernelBug: wants dmesg's brackets":                 {`\[.*?] BUG: (.*)`, reason.KernelBug},
		"EKS agent 1.7, AppCrash: wants a blank before the name":           {`\s(.*?)\[\d+\]: segfault at`, reason.AppCrash},
		"node-problem-detector, KernelOops: the wording before Linux 5.0":  {`BUG: unable to handle kernel NULL pointer dereference`, reason.KernelBug},
		"node-problem-detector, KernelOops: SMP right after the number":    {`divide error: 0000 \[#\d+\] SMP`, reason.KernelOops},
		"node-problem-detector, KernelDeadlock: a process that is no more": {`task docker:\w+ blocked for more than`, reason.AppBlocked},
	} {
		theirs := regexp.MustCompile(dead.pattern)
		missed := 0
		for _, r := range records(t)["testdata/records/kernel.yaml"] {
			if !slices.Contains(r.Of, dead.reason) {
				continue
			}
			parsed, err := kmsg.Parse([]byte(r.Raw))
			if err != nil {
				t.Fatal(err)
			}
			if theirs.MatchString(parsed.Text) {
				t.Errorf("%s: matches %q", name, parsed.Text)
			}
			missed++
		}
		if missed == 0 {
			t.Errorf("%s: no record of %s", name, dead.reason)
		}
	}
}
