package reporting

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
	"github.com/naosu-dev/naosu/test/program"
)

// TestRepair is the whole chain, first drilled and then for real: a link is set down in the network namespace of a node's real agent, naosu's controller has
// the machine rebooted through AWS's API, and the forecast comes true. The test plays the machine: when AWS is asked to reboot
// it, the agent ends at once, and starts with the link up once the lab's machine has booted.
func TestRepair(t *testing.T) {
	agenttest.Need(t, "ip", "nsenter")
	if !agenttest.Alone(t) {
		return
	}
	m := newMachine(t, "")
	l, env := cluster(t)
	c := defined(t, env)
	n := m.joins(env)
	controls(t, l)
	policy(t, c, n)
	drilled(t, c, n)

	m.ip("link", "set", "eth1", "down")
	testbed.Eventually(t, func() error {
		if asked := reboots(l, n); asked != 1 {
			return fmt.Errorf("AWS was asked %d times to reboot the machine; %s\n%s", asked, reportedSteps(t, c), m.log)
		}
		return nil
	})
	_ = m.agent.Process.Signal(syscall.SIGKILL)
	_ = m.agent.Wait() // it was killed
	m.ip("link", "set", "eth1", "up")
	testbed.Eventually(t, func() error {
		if now := m.node(env); now.Status.NodeInfo.BootID == n.Status.NodeInfo.BootID {
			return fmt.Errorf("the machine has not booted; %s", reportedSteps(t, c))
		}
		return nil
	})
	m.start()
	testbed.Eventually(t, func() error {
		if r := of(t, c); r == nil || r.Status.Phase != v1alpha1.PhaseEnded {
			return fmt.Errorf("not ended: %s\n%s", reportedSteps(t, c), m.log)
		}
		return nil
	})
	r := of(t, c)
	end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded)
	if end == nil || end.Status != metav1.ConditionTrue || end.Reason != v1alpha1.RemediationAsForecastReason || r.Spec.Evidence.Reason != "InterfaceNotUp" {
		t.Errorf("it ended so: %s", reportedSteps(t, c))
	}
	if asked := reboots(l, n); asked != 1 {
		t.Errorf("AWS was asked %d times to reboot the machine", asked)
	}
	m.shows(env, corev1.ConditionTrue, "NoFault")
	if now := m.node(env); now.Spec.Unschedulable || now.UID != n.UID {
		t.Errorf("afterwards the node is cordoned (%t), of UID %s; it was of %s", now.Spec.Unschedulable, now.UID, n.UID)
	}
	m.stop()
}

// cluster is a lab with three nodes, the agent's DaemonSet, and pods that can move.
func cluster(t *testing.T) (*lab.Lab, *testbed.Environment) {
	t.Helper()
	l := labtest.Start(t, lab.Options{
		BindAddress: serverAddress, Pace: pace.New(10), DataDir: t.TempDir(),
		Cloud: cloud.Spec{Groups: []cloud.GroupSpec{{Name: "workers", InstanceType: "m5.large", Min: 3, Desired: 3, Max: 3}}},
	})
	env := &testbed.Environment{Plane: l.Plane}
	var err error
	if env.Client, err = kubernetes.NewForConfig(env.AdminConfig()); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"access.yaml", "policy.yaml", "daemonset.yaml", "../crd/naosu.dev_noderepairpolicies.yaml", "../crd/naosu.dev_failoverpolicies.yaml", "../crd/naosu.dev_rebalancepolicies.yaml", "../crd/naosu.dev_addresspolicies.yaml", "../crd/naosu.dev_headroompolicies.yaml"} {
		apply(t, env.AdminConfig(), file)
	}
	labels := map[string]string{"app": "web"}
	web := &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Name: "web"}, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			TerminationGracePeriodSeconds: new(int64(1)), Containers: []corev1.Container{{Name: "web", Image: "web:1"}},
		}},
	}}
	if _, err := env.Client.AppsV1().Deployments("default").Create(t.Context(), web, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		now, err := env.Client.AppsV1().Deployments("default").Get(t.Context(), "web", metav1.GetOptions{})
		if err != nil || now.Status.AvailableReplicas != 3 {
			return fmt.Errorf("%d pods run (%w)", now.Status.AvailableReplicas, err)
		}
		return nil
	})
	return l, env
}

// joins runs the agent as the pod that the DaemonSet has on a node, and waits for its first report.
func (m *machine) joins(env *testbed.Environment) *corev1.Node {
	m.t.Helper()
	var pod corev1.Pod
	testbed.Eventually(m.t, func() error {
		pods, err := env.Client.CoreV1().Pods(namespace).List(m.t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		i := slices.IndexFunc(pods.Items, func(p corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning })
		if i < 0 {
			return fmt.Errorf("of %d pods of the agent none runs", len(pods.Items))
		}
		pod = pods.Items[i]
		return nil
	})
	config := filepath.Join(m.t.TempDir(), "agent.yaml")
	if err := os.WriteFile(config, []byte("reasons: {InterfaceNotUp: {needs: {for: 1s}, clears: {for: 1s}}}\n"), 0o600); err != nil {
		m.t.Fatal(err)
	}
	m.name, m.flags = pod.Spec.NodeName, []string{"--config", config}
	m.kubeconfig = kubeconfig(m.t, env.AdminConfig(), strings.Replace(env.AdminConfig().Host, "127.0.0.1", serverAddress, 1), granted(m.t, env.Client, &pod))
	m.start()
	m.shows(env, corev1.ConditionTrue, "NoFault")
	return m.node(env)
}

// controls runs naosu's controller, led to the lab by its environment alone.
func controls(t *testing.T, l *lab.Lab) {
	t.Helper()
	said := &log{}
	controller := exec.CommandContext(t.Context(), program.Need(t, "naosu"), "controller", "--leader-elect=false", "--health-address", "0", "--metrics-address", "0")
	controller.Env = append(append(os.Environ(), l.AWS.Environment()...), "KUBECONFIG="+l.Plane.KubeconfigPath())
	controller.Stdout, controller.Stderr = said, said
	controller.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	controller.Cancel = func() error { return controller.Process.Signal(os.Interrupt) }
	if err := controller.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = controller.Wait() // The test's context has ended.
		if t.Failed() {
			t.Logf("the controller says:\n%s", said)
		}
	})
}

// policy has a node rebooted whose link is down.
func policy(t *testing.T, c client.Client, n *corev1.Node) {
	t.Helper()
	second := metav1.Duration{Duration: time.Second}
	p := &v1alpha1.NodeRepairPolicy{ObjectMeta: metav1.ObjectMeta{Name: "links"}, Spec: v1alpha1.NodeRepairPolicySpec{
		Mode: v1alpha1.ModeAuto, NodeSelector: metav1.LabelSelector{MatchLabels: map[string]string{corev1.LabelHostname: n.Labels[corev1.LabelHostname]}},
		Rules: []v1alpha1.RepairRule{{
			Name: "link", Condition: "NetworkingReady", Status: metav1.ConditionFalse, Reasons: []string{"InterfaceNotUp"}, For: second, Action: v1alpha1.ActionReboot,
		}},
		Verification: v1alpha1.Verification{Dwell: &second}, NodeStartupGracePeriod: &metav1.Duration{},
	}}
	if err := c.Create(t.Context(), p); err != nil {
		t.Fatal(err)
	}
}

// drilled has the chain tried, from the agent's harmless fault to what AWS says of a dry run.
func drilled(t *testing.T, c client.Client, n *corev1.Node) {
	t.Helper()
	r := made(t, c, drill(n.Name, n.UID))
	testbed.Eventually(t, func() error {
		if err := c.Get(t.Context(), client.ObjectKeyFromObject(r), r); err != nil || r.Status.Phase != v1alpha1.PhaseEnded {
			return fmt.Errorf("the drill has not ended (%w): %+v", err, r.Status)
		}
		return nil
	})
	if end := meta.FindStatusCondition(r.Status.Conditions, v1alpha1.RemediationSucceeded); end == nil || end.Reason != v1alpha1.RemediationDrillPassedReason {
		t.Errorf("the drill: %+v", r.Status)
	}
}

// of is the only Remediation there is beside the drill; nil if there is none.
func of(t *testing.T, c client.Client) *v1alpha1.Remediation {
	t.Helper()
	var all v1alpha1.RemediationList
	if err := c.List(t.Context(), &all); err != nil {
		t.Fatal(err)
	}
	repairs := slices.DeleteFunc(all.Items, func(r v1alpha1.Remediation) bool { return r.Spec.Drill != nil })
	switch len(repairs) {
	case 0:
		return nil
	case 1:
		return &repairs[0]
	}
	t.Fatalf("%d Remediations of one fault", len(repairs))
	return nil
}

// reportedSteps are the steps in the Remediation's status.
func reportedSteps(t *testing.T, c client.Client) string {
	r := of(t, c)
	if r == nil {
		return "there is no Remediation"
	}
	text, _ := json.Marshal(r.Status)
	var lines bytes.Buffer
	_ = json.Indent(&lines, text, "", " ")
	return lines.String()
}

// reboots is how often AWS was asked to reboot a node's machine, but for dry runs.
func reboots(l *lab.Lab, n *corev1.Node) (asked int) {
	instance := n.Spec.ProviderID[strings.LastIndex(n.Spec.ProviderID, "/")+1:]
	for _, call := range l.AWS.Calls() {
		if call.Action == "RebootInstances" && !slices.Contains(call.Parameters["DryRun"], "true") && strings.Contains(fmt.Sprint(call.Parameters), instance) {
			asked++
		}
	}
	return asked
}
