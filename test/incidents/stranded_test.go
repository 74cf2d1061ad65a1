package incidents

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/test/program"
)

// explanation is what a program reads of `naosu why -o json`.
type explanation struct {
	Summary  string
	Findings []struct {
		Code             string
		Causes, RuledOut []struct{ Message string }
		Remedies         []struct {
			Command  string
			Verified bool
		}
		Unknown []struct{ Message string }
	}
}

// TestStrandedVolumeIsExplainedAndHealed is the main job: story 1 happens, `naosu why` names its cause, and its remedy,
// carried out unchanged, brings the pods back.
func TestStrandedVolumeIsExplainedAndHealed(t *testing.T) {
	t.Parallel()
	l := up(t, "--scenario", "stranded-volume", "--until", "stranded", "--time-scale", timeScale)

	var remedy string
	worlds := worlds(t, l)
	for _, pod := range waiting(t, l) {
		why := []string{"why", "pod/" + pod.Name, "-n", pod.Namespace}
		for name, from := range worlds {
			var e explanation
			l.decode(t, &e, "naosu", slices.Concat(why, from, []string{"-o", "json"})...)
			if len(e.Findings) != 1 || e.Findings[0].Code != "N101" {
				t.Fatalf("%s: pod %s has the findings %+v, want one N101", name, pod.Name, e.Findings)
			}
			if !strings.Contains(e.Summary, "us-east-1c") {
				t.Errorf("%s: the summary %q does not name the zone", name, e.Summary)
			}
			f := e.Findings[0]
			if len(f.Remedies) == 0 || !f.Remedies[0].Verified {
				t.Fatalf("%s: no remedy is verified: %+v", name, f.Remedies)
			}
			remedy = f.Remedies[0].Command
			if pod.Namespace == "jupyterhub" && !mentions(f.RuledOut, "shared-data") {
				t.Errorf("%s: the EFS claim is not ruled out: %+v", name, f.RuledOut)
			}
			if !mentions(f.Unknown, "zones") {
				t.Errorf("%s: it does not say that a group's zones are unknown: %+v", name, f.Unknown)
			}
			inJapanese(t, l, slices.Concat(why, from), "N101")
		}
	}

	theGroupIsRead(t, l.withAWS(t))

	if want := "naosu-lab scale group/general --to 3"; remedy != want {
		t.Fatalf("the remedy is %q, want %q", remedy, want)
	}
	l.types(t, remedy)
	eventually(t, "the pods to run", func() error { return running(t, l) })
	eventually(t, "N101 to go", func() error {
		if f, ok := l.finds(t, "N101", nil); ok {
			return errors.New(f.Message)
		}
		return nil
	})
}

// theGroupIsRead asks with credentials for the lab's cloud: nothing of the group's size and zones is unknown then. With a lower maximum, the remedy raises it.
func theGroupIsRead(t *testing.T, l lab) {
	t.Helper()
	pod := waiting(t, l)[0]
	ask := func() (causes, unknown []struct{ Message string }, remedy string) {
		var e explanation
		l.decode(t, &e, "naosu", "why", "pod/"+pod.Name, "-n", pod.Namespace, "-o", "json")
		if len(e.Findings) != 1 || len(e.Findings[0].Remedies) == 0 || !e.Findings[0].Remedies[0].Verified {
			t.Fatalf("with credentials, pod %s has the findings %+v", pod.Name, e.Findings)
		}
		f := e.Findings[0]
		return f.Causes, f.Unknown, f.Remedies[0].Command
	}
	causes, unknown, remedy := ask()
	if !mentions(causes, "a desired size of 2 and a maximum of 6") || mentions(unknown, "does not show") || !mentions(unknown, "15 node groups have no node") || remedy != "naosu-lab scale group/general --to 3" {
		t.Errorf("with credentials, the causes are %+v, unknown is %+v, and the remedy is %q", causes, unknown, remedy)
	}
	l.must(t, "naosu-lab", "scale", "group/general", "--to", "2", "--max", "2", "--data-dir", l.dir)
	eventually(t, "AWS to show the maximum", func() error {
		if causes, _, remedy = ask(); !mentions(causes, "its maximum is 2") || remedy != "naosu-lab scale group/general --to 3 --max 3" {
			return fmt.Errorf("the causes are %+v, and the remedy is %q", causes, remedy)
		}
		return nil
	})
	l.must(t, "naosu-lab", "scale", "group/general", "--to", "2", "--max", "6", "--data-dir", l.dir)
}

// waiting are the two stranded pods.
func waiting(t *testing.T, l lab) []corev1.Pod {
	t.Helper()
	var pods corev1.PodList
	l.decode(t, &pods, "kubectl", "get", "pods", "-A", "-o", "json", "--field-selector", "status.phase=Pending")
	if len(pods.Items) != 2 {
		t.Fatalf("%d pods are pending, want redis and the notebook server", len(pods.Items))
	}
	return pods.Items
}

func running(t *testing.T, l lab) error {
	var pods corev1.PodList
	if err := l.list(t, &pods); err != nil {
		return err
	}
	var waiting error
	for _, pod := range pods.Items {
		if pod.Status.Phase != corev1.PodRunning {
			waiting = errors.Join(waiting, fmt.Errorf("pod %s is %s", pod.Name, pod.Status.Phase))
		}
	}
	return waiting
}

func mentions(links []struct{ Message string }, word string) bool {
	for _, link := range links {
		if strings.Contains(link.Message, word) {
			return true
		}
	}
	return false
}

// slowAudit replaces naosu: it answers its first question as late as on a machine that is a hundred times slower.
const slowAudit = `#!/bin/sh
[ "$1" != audit ] || sleep 40
exec %q "$@"
`

// TestDemo runs the demo, which is what `make run` shows. However long naosu takes to foresee the incident, the cluster must be
// as it was: cluster-autoscaler would soon remove an idle node.
func TestDemo(t *testing.T) {
	t.Parallel()
	naosu := filepath.Join(t.TempDir(), "naosu")
	if err := os.WriteFile(naosu, fmt.Appendf(nil, slowAudit, program.Need(t, "naosu")), 0o700); err != nil {
		t.Fatal(err)
	}
	out, err := judged(t, "20", "demo", "stranded-volume", "--naosu", naosu)
	for _, said := range []string{"N101", "naosu-lab scale group/general --to 3", "The pods run again"} {
		if !strings.Contains(string(out), said) {
			t.Errorf("the demo (%v) does not say %q:\n%s", err, said, out)
		}
	}
}
