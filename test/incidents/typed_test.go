package incidents

import (
	"fmt"
	"os/exec"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestRemedies provokes findings, types the commands of their remedies as naosu prints them, and sees the findings
// go: a command that is refused, or changes nothing, is no remedy. Those of the incidents are typed by TestForeseen,
// TestExplained and TestStrandedVolumeIsExplainedAndHealed, where the incident is played anyway.
func TestRemedies(t *testing.T) {
	t.Parallel()
	for name, tc := range map[string]struct {
		code    string
		word    string
		provoke func(*testing.T, lab)
		// typed is a word of the remedy that is typed, if that is not the first.
		typed string
	}{
		"no room":    {code: "N504", word: "web", provoke: noRoom},
		"in the way": {code: "N504", word: "late", provoke: inTheWay, typed: "uncordon"},
		"tainted":    {code: "N504", word: "web", provoke: tainted},
		"too little": {code: "N503", word: "web", provoke: full},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := up(t, "--nodes", "2", "--time-scale", timeScale)
			tc.provoke(t, l)
			l.heals(t, tc.code, []string{tc.word}, tc.typed)
		})
	}
}

// heals waits for a finding, types its remedies that belong together, or the first that has a word, and waits until the
// finding is gone.
func (l lab) heals(t *testing.T, code string, words []string, typed string) {
	t.Helper()
	var remedies []remedy
	eventually(t, "the finding "+code, func() error {
		f, ok := l.finds(t, code, words)
		if remedies = f.Remedies; !ok || len(remedies) == 0 {
			return fmt.Errorf("there is %+v", f)
		}
		return nil
	})
	if remedies[0].Together {
		remedies = slices.DeleteFunc(remedies, func(r remedy) bool { return !r.Together })
	} else {
		i := slices.IndexFunc(remedies, func(r remedy) bool { return strings.Contains(r.Command, typed) })
		if i < 0 {
			t.Fatalf("no remedy has %q: %+v", typed, remedies)
		}
		remedies = remedies[i : i+1]
	}
	for _, r := range remedies {
		if !r.Verified {
			t.Errorf("%q is not verified", r.Command)
		}
		l.types(t, r.Command)
	}
	eventually(t, code+" to go", func() error {
		if f, ok := l.finds(t, code, words); ok {
			return fmt.Errorf("after %+v it still says: %s", remedies, f.Message)
		}
		return nil
	})
}

// finds is what the audit of the whole cluster says under a code with some words.
func (l lab) finds(t *testing.T, code string, words []string) (found, bool) {
	t.Helper()
	var audit struct{ Findings []found }
	l.decode(t, &audit, "naosu", "audit", "-A", "-o", "json")
	i := slices.IndexFunc(audit.Findings, func(f found) bool { return f.Code == code && says(f, words) })
	if i < 0 {
		return found{}, false
	}
	return audit.Findings[i], true
}

// types enters a command line in a shell, as a person does who has it from naosu.
func (l lab) types(t *testing.T, line string) {
	t.Helper()
	shell, err := exec.LookPath("sh")
	if err != nil {
		t.Fatal(err)
	}
	c := command(t, l.kubeconfig, "kubectl")
	c.Path, c.Args = shell, []string{"sh", "-c", line}
	if out, err := c.CombinedOutput(); err != nil || strings.TrimSpace(line) == "" {
		t.Fatalf("typed %q: %v\n%s", line, err, out)
	}
}

// allReady waits for the nodes, which come after the API server.
func allReady(t *testing.T, l lab) {
	t.Helper()
	eventually(t, "two nodes at least", func() error {
		var nodes corev1.NodeList
		err := l.list(t, &nodes)
		if n := len(nodes.Items); err == nil && n < 2 {
			err = fmt.Errorf("there are %d", n)
		}
		return err
	})
	l.must(t, "kubectl", "wait", "node", "--all", "--for=condition=Ready", "--timeout=4m")
}

// full leaves no node room for a second pod.
func full(t *testing.T, l lab) {
	t.Helper()
	allReady(t, l)
	web(t, l, 2)
	l.must(t, "kubectl", "rollout", "status", "deployment/web", "--timeout=4m")
}

// noRoom has one pod more than there is room for.
func noRoom(t *testing.T, l lab) {
	t.Helper()
	allReady(t, l)
	web(t, l, 3)
}

// inTheWay has a small pod on the one node where another would fit instead of it, while there is room for the small one beside
// what must stay on the other node.
func inTheWay(t *testing.T, l lab) {
	t.Helper()
	allReady(t, l)
	names := strings.Fields(l.must(t, "kubectl", "get", "nodes", "-o", "jsonpath={.items[*].metadata.name}"))
	run := func(name, cpu, pin string) {
		l.must(t, "kubectl", "create", "deployment", name, "--image="+name, "--replicas=0")
		l.must(t, "kubectl", "set", "resources", "deployment/"+name, "--requests=cpu="+cpu)
		if pin != "" {
			l.must(t, "kubectl", "patch", "deployment", name, "--patch", `{"spec":{"template":{"spec":{"nodeSelector":{"kubernetes.io/hostname":"`+pin+`"}}}}}`)
		}
		l.must(t, "kubectl", "scale", "deployment", name, "--replicas=1")
	}
	run("stays", "1000m", names[0])
	run("stays-too", "1400m", names[1])
	l.must(t, "kubectl", "cordon", names[1])
	run("small", "300m", "")
	l.must(t, "kubectl", "rollout", "status", "deployment/small", "--timeout=4m")
	l.must(t, "kubectl", "uncordon", names[1])
	run("late", "800m", "")
}

// tainted keeps a Deployment's pods off every node.
func tainted(t *testing.T, l lab) {
	t.Helper()
	allReady(t, l)
	l.must(t, "kubectl", "taint", "nodes", "--all", "team=a:NoSchedule")
	web(t, l, 2)
}

// web makes a Deployment of which one pod fits on a node.
func web(t *testing.T, l lab, replicas int) {
	t.Helper()
	l.must(t, "kubectl", "create", "deployment", "web", "--image=web", fmt.Sprintf("--replicas=%d", replicas))
	l.must(t, "kubectl", "set", "resources", "deployment/web", "--requests=cpu=1200m")
}
