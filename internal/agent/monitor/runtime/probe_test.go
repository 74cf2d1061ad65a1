package runtime

import (
	"testing"
	"time"

	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/agent/host"
	"github.com/naosu-dev/naosu/internal/agent/reason"
	"github.com/naosu-dev/naosu/internal/agent/source/cri"
)

// The runtime calls itself ready, and cannot make a pod: its network plugin is configured and not there.
func TestCRISandboxProbeFailed(t *testing.T) {
	needContainerd(t)
	if !agenttest.Alone(t) {
		return
	}
	c := startContainerd(t)
	c.network("ptp")
	client := cri.New(c.socket)
	defer client.Close()
	left, err := client.Run(t.Context(), cri.NewSandbox{
		Namespace: "naosu-probe", Name: "sandbox", UID: "naosu-probe-1", Attempt: 1, Labels: probeLabels, CgroupParent: c.group,
	})
	if err != nil {
		t.Fatalf("a sandbox as if left behind: %v", err)
	}
	other, err := client.Run(t.Context(), cri.NewSandbox{Namespace: "shop", Name: "web-0", UID: "u", CgroupParent: c.group})
	if err != nil {
		t.Fatalf("a pod's sandbox: %v", err)
	}
	o := ofContainerd(c)
	o.SandboxProbe = SandboxProbe{Period: time.Minute, Patience: time.Minute, CgroupParent: c.group}
	w := watch(t, host.Host{}, o)
	w.Goes(reason.CRISandboxProbeFailed, c.socket)
	c.network("absent")
	w.Stands(reason.CRISandboxProbeFailed, c.socket)
	c.network("ptp")
	w.Goes(reason.CRISandboxProbeFailed, c.socket)

	sandboxes, err := client.Sandboxes(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	there := map[string]bool{}
	for _, s := range sandboxes {
		there[s.ID] = true
	}
	if there[left] || !there[other] {
		t.Errorf("what an earlier run left is to be removed, and no other sandbox: %+v", sandboxes)
	}
}
