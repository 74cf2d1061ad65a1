package chart

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// TestAccess is naosu as the chart installs it: its own binaries, with the arguments that the chart gives them, each with the
// token of a pod that the chart made. A node's link is reported as down, and the machine is rebooted through AWS. Whatever
// the API server forbids them on the way fails the test.
func TestAccess(t *testing.T) {
	bins := programs(t)
	env := newFixture(t)
	env.defines(t)
	h := helm{t, env.config}
	if _, err := h.install(values()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := h.uninstall(); err != nil {
			t.Error(err)
		}
		clear(t, env)
	})
	defer env.judge(t)
	// The node that is drained is another than the controller's: a pod that ends takes its token with it.
	controller := env.pod(t, "naosu-controller", "")
	agent := env.pod(t, "naosu-agent", controller.Spec.NodeName)
	unhealthy := env.createWorkload(t, agent.Spec.NodeName)
	other := env.third(t, agent.Spec.NodeName, unhealthy)
	env.createForeignRemediation(t, agent.Spec.NodeName, unhealthy, other)

	health, scraped, beats := "http://"+agenttest.Port(t), agenttest.Port(t), agenttest.Port(t)
	args := onPorts(controller.Spec.Containers[0].Args, strings.TrimPrefix(health, "http://"), scraped, beats)
	log := begin(t, filepath.Join(bins, "naosu"), append(args, "--kubeconfig="+env.kubeconfig(t, controller)), env.AWS.Environment())
	defer func() {
		if t.Failed() {
			t.Logf("the controller says:\n%s", log)
		}
	}()
	for _, probe := range []string{controller.Spec.Containers[0].LivenessProbe.HTTPGet.Path, controller.Spec.Containers[0].ReadinessProbe.HTTPGet.Path} {
		testbed.Eventually(t, func() error { return answers(t.Context(), health+probe) })
	}
	env.scrapes(t, "https://"+scraped+"/metrics")
	agentArgs := append([]string{"--node-name=" + agent.Spec.NodeName, "--kubeconfig=" + env.kubeconfig(t, agent), "--state=" + t.TempDir()}, env.heartbeats(t, agent, beats)...)
	agentLog := begin(t, filepath.Join(bins, "naosu-agent"), agentArgs, nil)
	testbed.Eventually(t, func() error { return env.tells(t.Context(), agent.Spec.NodeName) })
	testbed.Eventually(t, func() error {
		if !strings.Contains(agentLog.String(), "Heartbeat stream opened") {
			return fmt.Errorf("the agent sends no heartbeats:\n%s", agentLog)
		}
		return nil
	})

	env.repairs(t)
	env.failsOver(t)
	env.balancesOnRequest(t, filepath.Join(bins, "naosu"))
	env.balances(t, other)
	env.looksAtAddresses(t)
	env.holdsRoom(t)
	env.protectsJobs(t)
	before := env.bootID(t, unhealthy)
	env.condition(t, unhealthy, corev1.ConditionFalse, "InterfaceNotUp")
	testbed.Eventually(t, func() error {
		if env.bootID(t, unhealthy) == before {
			return errors.New("the machine was not rebooted")
		}
		return nil
	})
	// The test plays the agent of a machine that has come up again.
	env.condition(t, unhealthy, corev1.ConditionTrue, "NoFault")
	testbed.Eventually(t, func() error { return env.repaired(t.Context(), unhealthy) })
	env.eventTold(t)
	env.declaresOutOfService(t, agent.Spec.NodeName)
	env.drills(t, agent.Spec.NodeName)
	env.mayReplace(t, map[string]string{agent.Spec.NodeName: "karpenter", unhealthy: "clusterapi", other: "clusterapi"})
}

// onPorts are the controller's arguments with other addresses for its health, its metrics and the agents' heartbeats.
func onPorts(args []string, health, metrics, heartbeats string) []string {
	changed := slices.Clone(args)
	for i, a := range changed {
		for flag, address := range map[string]string{"--health-address=": health, "--metrics-address=": metrics, "--heartbeat-address=": heartbeats} {
			if strings.HasPrefix(a, flag) {
				changed[i] = flag + address
			}
		}
	}
	return changed
}

// judge reports what naosu's accounts were refused, and what they may do and did not need.
func (c *cluster) judge(t *testing.T) {
	t.Helper()
	for _, account := range []string{"naosu-controller", "naosu-agent"} {
		asked, refused := c.audit.asked(t, account)
		for _, what := range refused {
			t.Errorf("%s may not %s", account, what)
		}
		if !t.Failed() {
			c.unasked(t, account, asked)
		}
	}
}

// third is a node other than these two.
func (c *cluster) third(t *testing.T, one, two string) string {
	t.Helper()
	list, err := c.client.CoreV1().Nodes().List(t.Context(), metav1.ListOptions{})
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(list.Items, func(n corev1.Node) bool { return n.Name != one && n.Name != two })
	if at < 0 {
		t.Fatalf("of %d nodes there is no third", len(list.Items))
	}
	return list.Items[at].Name
}

// programs is the folder of the binaries. They are built from the repository.
func programs(t *testing.T) string {
	t.Helper()
	folder := ""
	for _, name := range []string{"naosu", "naosu-agent"} {
		folder = filepath.Dir(program.Need(t, name))
	}
	return folder
}

// output is what a process prints.
type output struct {
	mu   sync.Mutex
	text strings.Builder
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}

// begin runs a process until the test ends, and has it end as a kubelet would. A controller that loses its Lease, as the API
// answers too slowly, ends by itself, and is started again as a kubelet would. The process knows nothing of any cluster or
// cloud but what it is given.
func begin(t *testing.T, file string, args, environment []string) *output {
	t.Helper()
	log := &output{}
	environment = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(), "AWS_EC2_METADATA_DISABLED=true"}, environment...)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	var running sync.WaitGroup
	running.Go(func() {
		for ctx.Err() == nil {
			said := &output{}
			both := io.MultiWriter(log, said)
			command := exec.CommandContext(ctx, file, args...)
			command.Stdout, command.Stderr = both, both
			command.Env = environment
			command.Cancel = func() error { return command.Process.Signal(syscall.SIGTERM) }
			command.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
			// Once it was told to end and has done so well, the error is the context's.
			if err := command.Run(); !errors.Is(err, context.Canceled) && !strings.Contains(said.String(), "leader election lost") {
				t.Errorf("%s ended with %v\n%s", filepath.Base(file), err, said)
				return
			}
		}
	})
	t.Cleanup(func() { cancel(); running.Wait() })
	return log
}

func answers(ctx context.Context, url string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer response.Body.Close()
	if body, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s: %s", url, response.Status, body)
	}
	return nil
}

// pod is one that runs of those that the chart made, on a node if one is named.
func (c *cluster) pod(t *testing.T, name, node string) *corev1.Pod {
	t.Helper()
	var found *corev1.Pod
	testbed.Eventually(t, func() error {
		list, err := c.client.CoreV1().Pods(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/name=" + name})
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list.Items, func(p corev1.Pod) bool {
			return p.Status.Phase == corev1.PodRunning && (node == "" || p.Spec.NodeName == node)
		})
		if at < 0 {
			return fmt.Errorf("none of %d pods of %s runs", len(list.Items), name)
		}
		found = &list.Items[at]
		return nil
	})
	return found
}

// kubeconfig holds the token that the pod is given.
func (c *cluster) kubeconfig(t *testing.T, pod *corev1.Pod) string {
	t.Helper()
	granted, err := c.client.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), pod.Spec.ServiceAccountName, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}},
	}, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	k := clientcmdapi.NewConfig()
	k.Clusters["c"] = &clientcmdapi.Cluster{Server: c.config.Host, CertificateAuthorityData: c.config.CAData}
	k.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: granted.Status.Token}
	k.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	k.CurrentContext = "x"
	file := filepath.Join(t.TempDir(), "kubeconfig")
	if err := clientcmd.WriteToFile(*k, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// tells returns nil once an agent's conditions are on its node.
func (c *cluster) tells(ctx context.Context, node string) error {
	n, err := c.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, own := range []corev1.NodeConditionType{"KernelReady", "NetworkingReady", "StorageReady", "ContainerRuntimeReady"} {
		if !slices.ContainsFunc(n.Status.Conditions, func(c corev1.NodeCondition) bool { return c.Type == own }) {
			return fmt.Errorf("the agent does not tell %s", own)
		}
	}
	return nil
}

// createWorkload is a workload with a PodDisruptionBudget. It returns a node that one of its pods is on, not the one named.
func (c *cluster) createWorkload(t *testing.T, not string) string {
	t.Helper()
	labels := map[string]string{"app": "shop"}
	spread := corev1.TopologySpreadConstraint{TopologyKey: corev1.LabelHostname, MaxSkew: 1, WhenUnsatisfiable: corev1.ScheduleAnyway, LabelSelector: &metav1.LabelSelector{MatchLabels: labels}}
	shop := &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: labels},
				Spec:       corev1.PodSpec{TopologySpreadConstraints: []corev1.TopologySpreadConstraint{spread}, Containers: []corev1.Container{{Name: "shop", Image: "shop"}}},
			},
		},
	}
	if _, err := c.client.AppsV1().Deployments("default").Create(t.Context(), shop, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	budget := &policyv1.PodDisruptionBudget{
		ObjectMeta: metav1.ObjectMeta{Name: "shop", Namespace: "default"},
		Spec:       policyv1.PodDisruptionBudgetSpec{Selector: &metav1.LabelSelector{MatchLabels: labels}, MaxUnavailable: new(intstr.FromInt32(1))},
	}
	if _, err := c.client.PolicyV1().PodDisruptionBudgets("default").Create(t.Context(), budget, metav1.CreateOptions{}); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx := context.WithoutCancel(t.Context())
		if err := errors.Join(c.client.AppsV1().Deployments("default").Delete(ctx, "shop", metav1.DeleteOptions{}), c.client.PolicyV1().PodDisruptionBudgets("default").Delete(ctx, "shop", metav1.DeleteOptions{})); err != nil {
			t.Error(err)
		}
	})
	var node string
	testbed.Eventually(t, func() error {
		list, err := c.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=shop"})
		if err != nil {
			return err
		}
		running := slices.DeleteFunc(list.Items, func(p corev1.Pod) bool { return p.Status.Phase != corev1.PodRunning })
		at := slices.IndexFunc(running, func(p corev1.Pod) bool { return p.Spec.NodeName != not })
		if len(running) < 3 || at < 0 {
			return fmt.Errorf("%d pods of the shop run", len(running))
		}
		node = running[at].Spec.NodeName
		return nil
	})
	return node
}

// repairs lets naosu repair by itself, at once.
func (c *cluster) repairs(t *testing.T) {
	t.Helper()
	after := func(d time.Duration) *metav1.Duration { return &metav1.Duration{Duration: d} }
	made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.NodeRepairPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: "NodeRepairPolicy"},
		ObjectMeta: metav1.ObjectMeta{Name: "network"},
		Spec: v1alpha1.NodeRepairPolicySpec{
			Mode: v1alpha1.ModeAuto, Verification: v1alpha1.Verification{Dwell: after(time.Second)}, NodeStartupGracePeriod: after(0),
			Rules: []v1alpha1.RepairRule{{Name: "network", Condition: "NetworkingReady", Status: "False", Reasons: []string{"InterfaceNotUp"}, Action: v1alpha1.ActionReboot}},
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	create(t, c, policies, &unstructured.Unstructured{Object: made})
}

// failsOver has naosu set how long the shop's pods, which are there by now, stay on a failed node.
func (c *cluster) failsOver(t *testing.T) {
	t.Helper()
	made, err := runtime.DefaultUnstructuredConverter.ToUnstructured(&v1alpha1.FailoverPolicy{
		TypeMeta:   metav1.TypeMeta{APIVersion: v1alpha1.GroupVersion.String(), Kind: v1alpha1.FailoverPolicyKind},
		ObjectMeta: metav1.ObjectMeta{Name: "shop"},
		Spec: v1alpha1.FailoverPolicySpec{
			Mode: v1alpha1.ModeAuto, PodSelector: *metav1.SetAsLabelSelector(map[string]string{"app": "shop"}), NotReadySeconds: 45, UnreachableSeconds: 90,
			OutOfService: v1alpha1.OutOfServiceWhenOff,
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	create(t, c, failoverPolicies, &unstructured.Unstructured{Object: made})
	testbed.Eventually(t, func() error {
		list, err := c.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=shop"})
		if err != nil {
			return err
		}
		for _, pod := range list.Items {
			for _, toleration := range pod.Spec.Tolerations {
				if want := map[string]int64{corev1.TaintNodeNotReady: 45, corev1.TaintNodeUnreachable: 90}[toleration.Key]; want > 0 && *toleration.TolerationSeconds != want {
					return fmt.Errorf("%s stays for %d s with %s", pod.Name, *toleration.TolerationSeconds, toleration.Key)
				}
			}
		}
		return nil
	})
}

// declaresOutOfService stops the instance of a node that has a pod of the shop, not the one named, and starts it again.
func (c *cluster) declaresOutOfService(t *testing.T, not string) {
	t.Helper()
	var name string
	testbed.Eventually(t, func() error {
		list, err := c.client.CoreV1().Pods("default").List(t.Context(), metav1.ListOptions{LabelSelector: "app=shop"})
		if err != nil {
			return err
		}
		at := slices.IndexFunc(list.Items, func(p corev1.Pod) bool { return p.Status.Phase == corev1.PodRunning && p.Spec.NodeName != not })
		if at < 0 {
			return fmt.Errorf("no pod of the shop runs on another node than %s", not)
		}
		name = list.Items[at].Spec.NodeName
		return nil
	})
	instance, found := c.Cloud.InstanceByNode(name)
	if !found {
		t.Fatalf("no instance of the node %s", name)
	}
	if err := c.Cloud.StopInstance(instance.ID); err != nil {
		t.Fatal(err)
	}
	is := func(outOfService, ready bool) func() error {
		return func() error {
			node, err := c.client.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
			if err == nil && (kube.IsOutOfService(node) != outOfService || kube.IsNodeReady(node) != ready) {
				err = fmt.Errorf("the node %s has taints %v and conditions %v", name, node.Spec.Taints, node.Status.Conditions)
			}
			return err
		}
	}
	testbed.Eventually(t, is(true, false))
	if err := c.Cloud.StartInstance(instance.ID); err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, is(false, true))
}

// condition sets what the agent of a node would report of its network.
func (c *cluster) condition(t *testing.T, node string, status corev1.ConditionStatus, reason string) {
	t.Helper()
	now := time.Now().UTC().Format(time.RFC3339)
	patch := fmt.Sprintf(`{"status":{"conditions":[{"type":"NetworkingReady","status":%q,"reason":%q,"lastTransitionTime":%q,"lastHeartbeatTime":%q}]}}`, status, reason, now, now)
	if _, err := c.client.CoreV1().Nodes().Patch(t.Context(), node, types.StrategicMergePatchType, []byte(patch), metav1.PatchOptions{}, "status"); err != nil {
		t.Fatal(err)
	}
}

func (c *cluster) bootID(t *testing.T, node string) string {
	t.Helper()
	n, err := c.client.CoreV1().Nodes().Get(t.Context(), node, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return n.Status.NodeInfo.BootID
}

// repaired says whether a node's Remediation has ended well, and left nothing behind.
func (c *cluster) repaired(ctx context.Context, node string) error {
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		return err
	}
	list, err := client.Resource(v1alpha1.GroupVersion.WithResource("remediations")).List(ctx, metav1.ListOptions{})
	if err != nil {
		return err
	}
	var all v1alpha1.RemediationList
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(list.UnstructuredContent(), &all); err != nil {
		return err
	}
	at := slices.IndexFunc(all.Items, func(r v1alpha1.Remediation) bool { return r.Spec.Node.Name == node })
	if at < 0 {
		return errors.New("there is no Remediation")
	}
	status := all.Items[at].Status
	if status.Phase != v1alpha1.PhaseEnded || !meta.IsStatusConditionTrue(status.Conditions, v1alpha1.RemediationSucceeded) {
		return fmt.Errorf("the Remediation is %s, with conditions %+v and steps %+v", status.Phase, status.Conditions, status.Steps)
	}
	for _, step := range []v1alpha1.StepName{v1alpha1.StepCordon, v1alpha1.StepDrain, v1alpha1.StepAct, v1alpha1.StepVerify, v1alpha1.StepUncordon} {
		if !slices.ContainsFunc(status.Steps, func(s v1alpha1.Step) bool { return s.Name == step && s.Result == v1alpha1.StepDone }) {
			return fmt.Errorf("the step %s was not done: %+v", step, status.Steps)
		}
	}
	n, err := c.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err == nil && n.Spec.Unschedulable {
		err = errors.New("the node is still cordoned")
	}
	return err
}

// eventTold looks for what the controller writes beside: the lease that the chart made, the ledger, the policy's status, and
// Events.
func (c *cluster) eventTold(t *testing.T) {
	t.Helper()
	lease, err := c.client.CoordinationV1().Leases(namespace).Get(t.Context(), "naosu-controller", metav1.GetOptions{})
	if err != nil || lease.Spec.HolderIdentity == nil || lease.Labels["app.kubernetes.io/part-of"] != "naosu" {
		t.Errorf("the lease is %+v (%v)", lease, err)
	}
	ledger, err := c.client.CoreV1().ConfigMaps(namespace).Get(t.Context(), "naosu-ledger", metav1.GetOptions{})
	if err != nil || len(ledger.Data) == 0 {
		t.Errorf("the ledger is %+v (%v)", ledger, err)
	}
	client, err := dynamic.NewForConfig(c.config)
	if err != nil {
		t.Fatal(err)
	}
	testbed.Eventually(t, func() error {
		policy, err := client.Resource(policies).Get(t.Context(), "network", metav1.GetOptions{})
		if err != nil {
			return err
		}
		if conditions, _, _ := unstructured.NestedSlice(policy.Object, "status", "conditions"); len(conditions) == 0 {
			return errors.New("the policy has no conditions")
		}
		return nil
	})
	testbed.Eventually(t, func() error {
		events, err := c.client.EventsV1().Events("").List(t.Context(), metav1.ListOptions{})
		if err != nil {
			return err
		}
		for _, e := range events.Items {
			if e.ReportingController == "naosu-controller" && e.Regarding.Kind == "Node" {
				return nil
			}
		}
		return errors.New("there is no Event about a node")
	})
}

// rare is what an account may have to do and this test does not lead to, each with what it takes.
var rare = map[string]string{
	"propose naosu.dev/remediations": "an admission policy that asks, as it does of every Remediation that is made, beside the audit log",
	"delete naosu.dev/remediations":  "more than 200 records",
	"patch events.k8s.io/events":     "an Event that is told again",
	"list karpenter.sh/nodeclaims":   "a machine of Karpenter's that is replaced",
	"get naosu.dev/remediations":     "an agent whose status was written by somebody else meanwhile",
	"delete /pods":                   "a silent node, which test/failover has",
	"patch /pods/status":             "a silent node, which test/failover has",
	"update apps/deployments":        "room in one place that becomes larger or smaller",
	"update apps/daemonsets":         "a lease that was made again, or another release of naosu",
	// What becomes of pods is looked up by workload where it has fewer than before.
	"get apps/replicasets":  "a workload that was made smaller during its node's repair",
	"get apps/statefulsets": "as above",
	"get batch/jobs":        "as above",
	// The chart makes the lease; if it is deleted, or there is no chart, the controller does.
	"create coordination.k8s.io/leases": "a lease that is not there",
	"create /configmaps":                "a ledger that is not there",
	"create /secrets":                   "certificate authorities that are not there",
}

// unasked demands that an account has done everything that it may do: what it never needs, it should not be given.
func (c *cluster) unasked(t *testing.T, account string, asked map[string]bool) {
	t.Helper()
	role, err := c.client.RbacV1().ClusterRoles().Get(t.Context(), account, metav1.GetOptions{})
	if err != nil {
		t.Fatal(err)
	}
	rules := role.Rules
	for _, in := range []string{namespace, corev1.NamespaceNodeLease} {
		if inside, err := c.client.RbacV1().Roles(in).Get(t.Context(), account, metav1.GetOptions{}); err == nil {
			rules = append(rules, inside.Rules...)
		}
	}
	c.unneeded(t, account, rules, asked)
}

// unneeded says what rules grant an account and it has not asked for.
func (c *cluster) unneeded(t *testing.T, account string, rules []rbacv1.PolicyRule, asked map[string]bool) {
	t.Helper()
	for _, rule := range rules {
		for _, group := range rule.APIGroups {
			for _, resource := range rule.Resources {
				for _, verb := range rule.Verbs {
					if what := fmt.Sprintf("%s %s/%s", verb, group, resource); !asked[what] && rare[what] == "" {
						t.Errorf("%s may %s, and never needs to", account, what)
					}
				}
			}
		}
	}
}
