package report

import (
	"slices"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/evidence"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

// gpus are the reasons of a node with GPUs: a record of the driver's, a counter that is looked at, and a warning.
var gpus = []reason.Reason{
	{ID: "Lost", Condition: reason.AcceleratedHardwareReady, Severity: reason.Fatal, Needs: reason.Needs{Count: 1, Within: time.Hour}, Clears: reason.Clears{Quiet: time.Hour}},
	{ID: "Counted", Condition: reason.AcceleratedHardwareReady, Severity: reason.Fatal},
	{ID: "Odd", Condition: reason.AcceleratedHardwareReady, Severity: reason.Warning, Needs: reason.Needs{Count: 1, Within: time.Hour}, Clears: reason.Clears{Quiet: time.Hour}},
}

// The condition of accelerators is written where one of its fatal reasons is known to be a matter of the host, and nowhere else: not
// before anything was told, so that an update of the agent gives no node a condition that it must not have.
func TestConditionOfAccelerators(t *testing.T) {
	handle := func(id reason.ID, state evidence.State) evidence.Evidence {
		e := evidence.Evidence{Reason: id, State: state, At: start, Entity: "", Raw: "raw"}
		if state == evidence.Fault || state == evidence.Well {
			e.Until = start.Add(time.Hour)
		}
		return e
	}
	for name, tc := range map[string]struct {
		told []evidence.Evidence
		off  []reason.ID
		want string // status and reason; empty if the node is without it
	}{
		"nothing told yet":             {nil, nil, ""},
		"no accelerator":               {[]evidence.Evidence{handle("Lost", evidence.Inapplicable), handle("Counted", evidence.Inapplicable), handle("Odd", evidence.Inapplicable)}, nil, ""},
		"half told, and none":          {[]evidence.Evidence{handle("Counted", evidence.Inapplicable)}, nil, ""},
		"half told, and one":           {[]evidence.Evidence{handle("Lost", evidence.Readable)}, nil, "Unknown NotKnown"},
		"a GPU":                        {[]evidence.Evidence{handle("Lost", evidence.Readable), handle("Counted", evidence.Inapplicable)}, nil, "True NoFault"},
		"a warning alone":              {[]evidence.Evidence{handle("Lost", evidence.Inapplicable), handle("Counted", evidence.Inapplicable), handle("Odd", evidence.Fault)}, nil, ""},
		"a GPU that is lost":           {[]evidence.Evidence{handle("Lost", evidence.Readable), handle("Counted", evidence.Inapplicable), handle("Lost", evidence.Fault)}, nil, "False Lost"},
		"a GPU, and no log":            {[]evidence.Evidence{handle("Lost", evidence.Unreadable), handle("Counted", evidence.Inapplicable)}, nil, "Unknown NotKnown"},
		"a Neuron device":              {[]evidence.Evidence{handle("Lost", evidence.Inapplicable), handle("Counted", evidence.Well)}, nil, "True NoFault"},
		"a Neuron device that is sick": {[]evidence.Evidence{handle("Lost", evidence.Inapplicable), handle("Counted", evidence.Fault)}, nil, "False Counted"},
		"a GPU whose reason is off":    {[]evidence.Evidence{handle("Lost", evidence.Readable), handle("Counted", evidence.Inapplicable)}, []reason.ID{"Lost"}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			effective := append(slices.Clone(reasons), gpus...)
			for i := range effective {
				if slices.Contains(tc.off, effective[i].ID) {
					effective[i].Severity = reason.Off
				}
			}
			store := evidence.NewStore(effective)
			for _, e := range tc.told {
				store.Add(e)
			}
			got := ""
			verdicts := judge(store.Snapshot(start.Add(time.Second)), byID(effective))
			for _, c := range verdicts {
				if c.Type == string(reason.AcceleratedHardwareReady) {
					got = c.Status + " " + c.Reason
				}
			}
			if got != tc.want {
				t.Errorf("%q, want %q", got, tc.want)
			}
			if others := len(verdicts); tc.want != "" && others != 5 || tc.want == "" && others != 4 {
				t.Errorf("%d conditions are written", others)
			}
		})
	}
}

// What stood before a restart of the agent stands on, before anything is told again.
func TestConditionOfAcceleratorsOverRestart(t *testing.T) {
	before := evidence.NewStore(gpus)
	before.Add(evidence.Evidence{Reason: "Lost", State: evidence.Fault, At: start, Entity: "0000:3b:00", Raw: "raw"})
	kept, err := before.Save("boot")
	if err != nil {
		t.Fatal(err)
	}
	after := evidence.NewStore(gpus)
	if err := after.Restore(kept, "boot", start.Add(time.Minute)); err != nil {
		t.Fatal(err)
	}
	verdicts := judge(after.Snapshot(start.Add(time.Minute)), byID(gpus))
	if len(verdicts) != 5 || verdicts[4].Status != kube.False || verdicts[4].Reason != "Lost" {
		t.Errorf("%+v", verdicts)
	}
}
