package whatif

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// one is a group of two nodes of one zone. In the first future the second goes, on which there is nothing; what stands on the
// first is lost, or waits for ever, only in others.
const one = `
apiVersion: v1
kind: List
items:
- {apiVersion: v1, kind: Node, metadata: {name: n1, labels: {kubernetes.io/hostname: n1, topology.kubernetes.io/zone: a, eks.amazonaws.com/nodegroup: g}},
   status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Node, metadata: {name: n2, labels: {kubernetes.io/hostname: n2, topology.kubernetes.io/zone: a, eks.amazonaws.com/nodegroup: g}},
   status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}, capacity: {cpu: "4", memory: 8Gi, pods: "110"}, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: shop, uid: bare}, spec: {nodeName: n1, containers: [{name: main, image: x}]},
   status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: apps/v1, kind: ReplicaSet, metadata: {name: held, namespace: shop, uid: held}, spec: {replicas: 1, selector: {matchLabels: {app: held}},
   template: {metadata: {labels: {app: held}}, spec: {nodeSelector: {kubernetes.io/hostname: n1}, containers: [{name: main, image: x}]}}}, status: {replicas: 1, readyReplicas: 1}}
- {apiVersion: v1, kind: Pod, metadata: {name: held-x, namespace: shop, uid: held-x, labels: {app: held},
    ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: held, uid: held, controller: true}]},
   spec: {nodeName: n1, nodeSelector: {kubernetes.io/hostname: n1}, containers: [{name: main, image: x}]}, status: {phase: Running, conditions: [{type: Ready, status: "True"}]}}
- {apiVersion: policy/v1, kind: PodDisruptionBudget, metadata: {name: keep, namespace: shop}, spec: {minAvailable: 1, selector: {matchLabels: {app: held}}}}
`

// TestOtherFutures sees what comes only in futures other than the first: in rows, budgets, findings and --fail-on.
func TestOtherFutures(t *testing.T) {
	file := filepath.Join(t.TempDir(), "one.yaml")
	if err := os.WriteFile(file, []byte(one), 0o600); err != nil {
		t.Fatal(err)
	}
	ask := func(args ...string) (string, error) {
		return run(t, "", append([]string{"scale", "group/g", "--to", "1", "--from", file, "-n", "shop"}, args...)...)
	}
	for _, on := range []string{"lost", "waiting", "budget", "warning"} {
		if out, err := ask("--fail-on", on); err != nil {
			t.Errorf("the first future fails on %s: %v\n%s", on, err, out)
		}
		if _, err := ask("--fail-on", on, "--seeds", "20"); exit.Code(err) == 0 {
			t.Errorf("20 futures do not fail on %s: %v", on, err)
		}
	}
	out, err := ask("--seeds", "20")
	if err != nil || strings.Count(strings.Join(strings.Fields(out), " "), "% of 20 simulations") < 3 {
		t.Errorf("the shares of the futures are missing (%v):\n%s", err, out)
	}
	var forecast struct {
		Outcome struct {
			Lost   []struct{ Chance, NodeChance float64 }
			Counts map[string]int
		}
		PDBViolations []struct{ Chance float64 }
	}
	out, err = ask("--seeds", "20", "-o", "json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(out), &forecast); err != nil {
		t.Fatal(err)
	}
	lost := forecast.Outcome.Lost
	if len(lost) != 1 || lost[0].Chance <= 0 || lost[0].Chance >= 1 || lost[0].NodeChance != lost[0].Chance || forecast.Outcome.Counts["lost"] != 1 || forecast.Outcome.Counts["stays"] != 0 {
		t.Errorf("lost %v, counts %v", lost, forecast.Outcome.Counts)
	}
	if v := forecast.PDBViolations; len(v) != 1 || v[0].Chance <= 0 || v[0].Chance >= 1 {
		t.Errorf("violations %v", v)
	}
}

// TestIncidentIsNoted says that what goes on already is in the forecast; an answer about no pods is one, too.
func TestIncidentIsNoted(t *testing.T) {
	node := `{apiVersion: v1, kind: Node, metadata: {name: n1}, status: {conditions: [{type: Ready, status: "STATUS"}]}}
---
{apiVersion: v1, kind: Pod, metadata: {name: bare, namespace: shop}, spec: {containers: [{name: main, image: x}]}, status: {phase: Pending}}`
	for status, noted := range map[string]bool{"Unknown": true, "True": false} {
		for lang, want := range map[string][2]string{
			"en": {"node/n1 does not respond now", "No pods."}, "ja": {"node/n1 は現在応答していません", "対象の Pod はありません。"},
		} {
			out, err := run(t, strings.Replace(node, "STATUS", status, 1), "cordon", "n1", "--from", "-", "-l", "app=none", "--lang", lang)
			if err != nil || strings.Contains(out, want[0]) != noted || !strings.Contains(out, want[1]) || strings.Contains(out, ": .") || strings.Contains(out, ": 。") {
				t.Errorf("Ready is %s (%v):\n%s", status, err, out)
			}
		}
	}
}
