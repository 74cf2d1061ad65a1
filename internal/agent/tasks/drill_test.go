package tasks

import (
	"context"
	"errors"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/monitor/network"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/report/kube"
)

const nonce = "c0ffee0ddba11"

// drills are those of an agent whose reasons stand after a second, as a test changes it.
func drills(change func(*Drills, *reason.Reason)) *Drills {
	d := &Drills{
		Host: host.Host{}, Network: network.DefaultOptions(), Reasons: slices.Clone(reason.Catalogue), Clock: clock.RealClock{},
		OtherWriters: func() map[string]string { return nil },
		Try:          func(context.Context, kube.Condition) error { return nil },
	}
	for i := range d.Reasons {
		d.Reasons[i].Needs.For = min(d.Reasons[i].Needs.For, time.Second)
		change(d, &d.Reasons[i])
	}
	return d
}

// node gives the test's namespace the link of a node.
func node(t *testing.T) {
	t.Helper()
	if out, err := exec.CommandContext(t.Context(), "ip", "link", "add", "eth1", "type", "veth", "peer", "name", "other").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
}

func TestDrill(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	node(t)
	for id, link := range map[string]string{"InterfaceNotUp": " eth1", "InterfaceNotRunning": " eth1", "MissingLoopbackInterface": "", "SoftLockup": ""} {
		var tried kube.Condition
		d := drills(func(d *Drills, r *reason.Reason) {
			r.Severity = reason.Fatal
			d.Try = func(_ context.Context, condition kube.Condition) error { tried = condition; return nil }
		})
		var hops []string
		condition, message, err := d.run(t.Context(), kube.Drill{Nonce: nonce, Reason: id}, func(name, by string) { hops = append(hops, name); t.Logf("%s: %s: %s", id, name, by) })
		if err != nil {
			t.Errorf("%s: %v", id, err)
			continue
		}
		if diff := cmp.Diff([]string{hopFault, hopDetect, hopEvidence, hopReport}, hops); diff != "" {
			t.Errorf("%s: hops (-want +got):\n%s", id, diff)
		}
		r, _ := reason.Find(id)
		lines := reason.Parse(condition.Message)
		if condition.Type != string(r.Condition) || condition.Status != kube.False || condition.Reason != id || len(lines) != 1 ||
			!strings.Contains(condition.Message, id+link+" since ") || !strings.HasPrefix(lines[0].Raw, "drill "+nonce+": ") || condition.LastTransitionTime.IsZero() {
			t.Errorf("%s: the condition would be %+v", id, condition)
		}
		if diff := cmp.Diff(condition, tried); diff != "" {
			t.Errorf("%s: another condition was tried (-made +tried):\n%s", id, diff)
		}
		if unproven := strings.Contains(message, "not tried"); unproven != (id == "SoftLockup") {
			t.Errorf("%s: it says %q", id, message)
		}
	}
}

// Each hop fails in turn, and the error names it.
func TestDrillThatIsCut(t *testing.T) {
	if !agenttest.Alone(t) {
		return
	}
	node(t)
	for name, tc := range map[string]struct {
		change func(*Drills, *reason.Reason)
		reason string
		says   string
	}{
		"no such log": {func(d *Drills, _ *reason.Reason) { d.Host.Root = "/no/such" }, "SoftLockup", "failed at Fault: read the host's boot ID"},
		"links that nobody watches": {
			func(d *Drills, _ *reason.Reason) { d.Network.Links = regexp.MustCompile(`^never$`) }, "InterfaceNotUp", "failed at Detect: no link of this node has a name that is watched (network.links is ^never$)",
		},
		"a reason that is off":    {func(_ *Drills, r *reason.Reason) { r.Severity = reason.Off }, "InterfaceNotUp", "failed at Evidence: InterfaceNotUp is off"},
		"a reason that is a hint": {func(_ *Drills, r *reason.Reason) { r.Severity = reason.Warning }, "InterfaceNotUp", "failed at Report: InterfaceNotUp is a warning on this node"},
		"another agent": {
			func(d *Drills, _ *reason.Reason) {
				d.OtherWriters = func() map[string]string { return map[string]string{"NetworkingReady": "eks-node-monitoring-agent"} }
			}, "InterfaceNotUp", "failed at Report: NetworkingReady is left to eks-node-monitoring-agent",
		},
		"no right to report": {
			func(d *Drills, _ *reason.Reason) {
				d.Try = func(context.Context, kube.Condition) error { return errors.New("forbidden") }
			}, "InterfaceNotUp", "failed at Report: forbidden",
		},
	} {
		t.Run(name, func(t *testing.T) {
			var last string
			_, _, err := drills(tc.change).run(t.Context(), kube.Drill{Nonce: nonce, Reason: tc.reason}, func(hop, _ string) { last = hop })
			if err == nil || !strings.HasPrefix(err.Error(), tc.says) {
				t.Errorf("it says %v, want %q", err, tc.says)
			}
			if last != "" && strings.HasPrefix(tc.says, "failed at "+last+":") {
				t.Errorf("it passed %s", last)
			}
		})
	}
}

func TestDrillsThatAreRefused(t *testing.T) {
	d := drills(func(*Drills, *reason.Reason) {})
	own := func(id reason.ID, log string) reason.Reason {
		return reason.Reason{ID: id, Condition: reason.StorageReady, Own: "raid.patterns.yaml", Matches: []reason.Match{{Log: log, Pattern: "^md"}}}
	}
	d.Reasons = append(d.Reasons, own("RaidDegraded", "kernel"), own("RaidSlow", "/var/log/raid.log"))
	for name, tc := range map[string]struct {
		drill kube.Drill
		why   string
	}{
		"a link":             {kube.Drill{Reason: "InterfaceNotUp"}, ""},
		"with its condition": {kube.Drill{Reason: "InterfaceNotUp", Condition: "NetworkingReady"}, ""},
		"with another":       {kube.Drill{Reason: "InterfaceNotUp", Condition: "KernelReady"}, "InterfaceNotUp turns NetworkingReady, not KernelReady"},
		"the kernel's log":   {kube.Drill{Reason: "SoftLockup"}, ""},
		"a disk":             {kube.Drill{Reason: "DiskProbeFailed"}, "no harmless fault for this reason"},
		"an own reason":      {kube.Drill{Reason: "RaidDegraded", Condition: "StorageReady"}, ""},
		"an own, of a file":  {kube.Drill{Reason: "RaidSlow"}, "no harmless fault for this reason"},
		"what nobody knows":  {kube.Drill{Reason: "Gremlins"}, "knows no reason Gremlins"},
	} {
		if why := d.whyRefused(tc.drill); !strings.Contains(why, tc.why) || tc.why == "" && why != "" {
			t.Errorf("%s: %q, want %q", name, why, tc.why)
		}
	}
}
