package facts

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/agent/reason"
)

func TestConfigure(t *testing.T) {
	var f Facts
	if err := f.configure("agent.yaml", "storage: {folders: [/a]}\nreasons:\n  InterfaceNotUp: {severity: off}\n  TaskHung: {severity: fatal}\n  Nonsense: {severity: off}\n"); err != nil {
		t.Fatal(err)
	}
	if len(f.Configured) != 2 || f.Configured[reason.InterfaceNotUp] != reason.Off || f.Configured[reason.AppBlocked] != reason.Fatal {
		t.Errorf("configured: %v", f.Configured)
	}
	if f.configure("agent.yaml", "a: [") == nil {
		t.Error("nonsense is taken for a configuration")
	}
}

// A file of own reasons beside the configuration adds to what the agent reports, and is no wrong configuration.
func TestConfigureOwnReasons(t *testing.T) {
	var f Facts
	text := "reasons:\n- {name: RaidDegraded, condition: StorageReady, severity: fatal, clears: {quiet: 1h}}\n- {name: FanFailed, condition: KernelReady}\n"
	if err := f.configure("raid.patterns.yaml", text); err != nil {
		t.Fatal(err)
	}
	want := []reason.Reason{
		{ID: "RaidDegraded", Condition: reason.StorageReady, Severity: reason.Fatal, Clears: reason.Clears{Quiet: time.Hour}},
		{ID: "FanFailed", Condition: reason.KernelReady, Severity: reason.Warning, Clears: reason.Clears{Quiet: 10 * time.Minute}},
	}
	if diff := cmp.Diff(want, f.OwnReasons); diff != "" {
		t.Error(diff)
	}
	if f.configure("raid.patterns.yaml", "reasons: {}") == nil {
		t.Error("nonsense is taken for own reasons")
	}
}
