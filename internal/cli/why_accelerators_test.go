package cli

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
)

// Asked about a node whose GPU is lost, it says which Xid that was, what it means, and what NVIDIA says to do.
func TestWhyTellsOfAccelerators(t *testing.T) {
	withoutCloud(t)
	objects := ofAWS(true)
	n := objects[0].(*corev1.Node)
	record := "NVRM: Xid (PCI:0000:3b:00): 79, pid='<unknown>', name=<unknown>, GPU has fallen off the bus."
	n.Status.Conditions = append(n.Status.Conditions, corev1.NodeCondition{
		Type: "AcceleratedHardwareReady", Status: corev1.ConditionFalse, Reason: "NvidiaXID79Error",
		Message:            "NvidiaXID79Error 0000:3b:00 since 2026-11-20T14:00:00Z: " + record,
		LastTransitionTime: metav1.NewTime(time.Now().Add(-time.Hour)), LastHeartbeatTime: metav1.Now(),
	})
	host := (&clustertest.API{Objects: append(objects, noRoom())}).Serve(t)
	for language, wants := range map[string][]string{
		"en": {"AcceleratedHardwareReady has been False", "NvidiaXID79Error of 0000:3b:00", "fallen off the bus: the host can no longer access it. NVIDIA's recommendation: power-cycle the machine", record},
		"ja": {"AcceleratedHardwareReady", "0000:3b:00", "GPU がバスから切り離され、ホストからアクセスできません。NVIDIA の推奨対応: マシンの電源を入れ直す", record},
	} {
		page := strings.Join(strings.Fields(run(t, "why", "node/n1", "--server", host, "--lang", language)), " ")
		for _, want := range wants {
			if !strings.Contains(strings.ReplaceAll(page, " ", ""), strings.ReplaceAll(want, " ", "")) {
				t.Errorf("%s: it does not say %q:\n%s", language, want, page)
			}
		}
	}
}
