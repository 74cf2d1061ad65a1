package facts

import (
	"testing"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func TestConfigure(t *testing.T) {
	var f Facts
	if err := f.configure("storage: {folders: [/a]}\nreasons:\n  InterfaceNotUp: {severity: off}\n  TaskHung: {severity: fatal}\n  Nonsense: {severity: off}\n"); err != nil {
		t.Fatal(err)
	}
	if len(f.Configured) != 2 || f.Configured[reason.InterfaceNotUp] != reason.Off || f.Configured[reason.AppBlocked] != reason.Fatal {
		t.Errorf("configured: %v", f.Configured)
	}
	if f.configure("a: [") == nil {
		t.Error("nonsense is taken for a configuration")
	}
}
