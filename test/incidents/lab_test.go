package incidents

import (
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// TestKubectl uses the lab as any cluster, with the real kubectl.
func TestKubectl(t *testing.T) {
	t.Parallel()
	l := up(t, "--nodes", "2", "--time-scale", timeScale)
	l.must(t, "kubectl", "wait", "node", "--all", "--for=condition=Ready", "--timeout=4m")

	l.must(t, "kubectl", "create", "deployment", "web", "--image=nginx", "--replicas=3")
	l.must(t, "kubectl", "rollout", "status", "deployment/web", "--timeout=4m")
	if out := l.must(t, "kubectl", "get", "pods", "-o", "wide"); strings.Count(out, "Running") != 3 {
		t.Errorf("kubectl get pods shows\n%s\nwant three that run", out)
	}
	if out := l.must(t, "kubectl", "events", "--for", "deployment/web", "--types", "Normal"); !strings.Contains(out, "ScalingReplicaSet") {
		t.Errorf("kubectl events shows nothing of the deployment:\n%s", out)
	}
	if out := l.must(t, "kubectl", "get", "events", "--field-selector", "source=kubelet,reason=Started"); strings.Count(out, "pod/web-") != 3 {
		t.Errorf("kubectl get events shows\n%s\nwant the start of three pods by their kubelets", out)
	}
	if out := l.must(t, "kubectl", "describe", "pod", "-l", "app=web", "--show-events=true"); strings.Count(out, "Successfully assigned") != 3 {
		t.Errorf("kubectl describe pod shows\n%s\nwant the scheduler's events", out)
	}
	if out, err := l.run(t, "kubectl", "auth", "can-i", "get", "nodes", "--as", "jane"); err == nil || strings.TrimSpace(out) != "no" {
		t.Errorf("asked whether jane, who was given nothing, may get nodes, kubectl says %q", out)
	}
	l.must(t, "kubectl", "delete", "deployment", "web", "--cascade=foreground", "--timeout=4m")
}

// TestFaultAndScale breaks a running lab by hand and repairs it.
func TestFaultAndScale(t *testing.T) {
	t.Parallel()
	l := up(t, "--nodes", "3", "--time-scale", "20")
	l.must(t, "kubectl", "wait", "node", "--all", "--for=condition=Ready", "--timeout=4m")

	if out := l.must(t, "naosu-lab", "fault", "zone/us-east-1b", "cut-off"); strings.Count(out, "cut-off") != 1 {
		t.Errorf("the fault struck\n%s\nwant one node", out)
	}
	l.must(t, "kubectl", "wait", "node", "-l", "topology.kubernetes.io/zone=us-east-1b", "--for=condition=Ready=Unknown", "--timeout=4m")
	l.must(t, "naosu-lab", "fault", "zone/us-east-1b", "on")
	l.must(t, "kubectl", "wait", "node", "--all", "--for=condition=Ready", "--timeout=4m")

	l.must(t, "naosu-lab", "scale", "group/workers", "--to", "4")
	eventually(t, "a fourth node", func() error {
		var nodes corev1.NodeList
		if err := l.list(t, &nodes); err != nil {
			return err
		}
		if len(nodes.Items) != 4 {
			return fmt.Errorf("there are %d nodes", len(nodes.Items))
		}
		return nil
	})
	if _, err := l.run(t, "naosu-lab", "scale", "group/workers", "--to", "99"); err == nil || !strings.Contains(err.Error(), "max") {
		t.Errorf("scaling beyond the maximum says %v, want a refusal that names the maximum", err)
	}
}

// TestBadInput finds nothing started, one clear error, and exit code 2.
func TestBadInput(t *testing.T) {
	t.Parallel()
	tests := map[string]struct {
		args []string
		want string
	}{
		"unknown scenario":      {[]string{"run", "no-such-story"}, "naosu-lab list"},
		"missing file":          {[]string{"run", "./no-such.yaml"}, "no-such.yaml"},
		"slower than reality":   {[]string{"run", "stranded-volume", "--time-scale", "0.1"}, "--time-scale"},
		"tolerations too short": {[]string{"run", "lopsided-return", "--time-scale", "100"}, "lopsided-return.yaml:"},
		"unknown pass":          {[]string{"run", "stranded-volume", "--with", "magic"}, "--with"},
		"unknown format":        {[]string{"run", "stranded-volume", "-o", "xml"}, "--output"},
		"unknown point":         {[]string{"up", "--scenario", "stranded-volume", "--until", "nowhere"}, "--until"},
		"until alone":           {[]string{"up", "--until", "start"}, "--scenario"},
		"no snapshot":           {[]string{"up", "--from", "./no-such.snapshot"}, "no-such.snapshot"},
		"not a snapshot":        {[]string{"up", "--from", "testdata/wrong.yaml"}, "no snapshot"},
		"nothing on stdin":      {[]string{"up", "--from", "-"}, "no snapshot"},
		"snapshot and nodes":    {[]string{"up", "--from", "-", "--nodes", "3"}, "--nodes"},
		"over a kept cluster":   {[]string{"up", "--from", "-", "--data-dir", "testdata"}, "--data-dir"},
		"no target":             {[]string{"fault", "off"}, "fault --help"},
		"unknown target":        {[]string{"fault", "pod/x", "off"}, "node/NAME"},
		"unknown state":         {[]string{"fault", "node/x", "tired"}, "cut-off"},
		"unknown flag":          {[]string{"up", "--knots", "3"}, "--knots"},
		"unknown command":       {[]string{"upp"}, "upp"},
		"no scenario":           {[]string{"run"}, "run"},
		"not a number":          {[]string{"scale", "group/x", "--to", "many"}, "--to"},
		"size forgotten":        {[]string{"scale", "group/x"}, "to"},
	}
	for name, tc := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			out, err := command(t, "", "naosu-lab", tc.args...).CombinedOutput()
			var exit *exec.ExitError
			if !errors.As(err, &exit) || exit.ExitCode() != 2 {
				t.Errorf("it ended with %v, want exit code 2\n%s", err, out)
			}
			if !strings.Contains(string(out), tc.want) {
				t.Errorf("it says\n%s\nwant a word of %q", out, tc.want)
			}
		})
	}
}

// TestFolderSurvivesARestart finds objects, certificate authority and cloud again.
func TestFolderSurvivesARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	var before, after corev1.NodeList
	t.Run("first", func(t *testing.T) {
		l := upIn(t, dir, "--nodes", "2", "--time-scale", timeScale)
		l.must(t, "kubectl", "wait", "node", "--all", "--for=condition=Ready", "--timeout=4m")
		l.must(t, "kubectl", "create", "configmap", "kept", "--from-literal=a=b")
		l.must(t, "naosu-lab", "scale", "group/workers", "--to", "3")
		eventually(t, "a third node", func() error {
			if err := l.list(t, &before); err != nil {
				return err
			}
			if len(before.Items) != 3 {
				return fmt.Errorf("there are %d nodes", len(before.Items))
			}
			return nil
		})
	})
	t.Run("second", func(t *testing.T) {
		l := upIn(t, dir, "--time-scale", timeScale)
		l.must(t, "kubectl", "get", "configmap", "kept")
		l.must(t, "kubectl", "wait", "node", "--all", "--for=condition=Ready", "--timeout=4m")
		l.decode(t, &after, "kubectl", "get", "nodes", "-o", "json")
	})
	if a, b := names(t, before), names(t, after); a != b {
		t.Errorf("the nodes were %s and are %s", a, b)
	}
}

func names(t *testing.T, nodes corev1.NodeList) string {
	t.Helper()
	var all []string
	for _, node := range nodes.Items {
		all = append(all, node.Name+"="+string(node.UID))
	}
	out, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
