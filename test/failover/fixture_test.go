package failover

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/config/crd"
	"github.com/naosu-dev/naosu/internal/agent/agenttest"
	"github.com/naosu-dev/naosu/internal/heartbeat"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/lab"
	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/labtest"
	"github.com/naosu-dev/naosu/lab/pace"
)

const (
	namespace  = "naosu-system"
	controller = "naosu-controller"
	agent      = "naosu-agent"
	// patience ends waits for what will not come.
	patience = 2 * time.Minute
	often    = 50 * time.Millisecond
	// groupLabel is the label with a node's group.
	groupLabel = "eks.amazonaws.com/nodegroup"
)

// fixture is a cluster with a whole naosu.
type fixture struct {
	ctx      context.Context // of all processes
	lab      *lab.Lab
	client   client.Client
	tokens   kubernetes.Interface
	network  *network
	folder   string
	machines []*machine // of the workers
	own      *machine   // runs a replica of the controller and no pod of story 2
	replicas []*replica
	// controllers are the processes of the replicas, and those before them that have ended.
	controllers, processes []*process
	links                  int      // how many were made
	aws                    []string // leads to the lab's AWS
	restore                func()   // ends what a fault has done
}

func TestMain(m *testing.M) {
	if address := os.Getenv(portKeeper); address != "" {
		fmt.Fprintln(os.Stderr, keepPort(address))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// newFixture builds the cluster: story 2's, with a fourth node for a replica of the controller.
func newFixture(t *testing.T) *fixture {
	t.Helper()
	b := &fixture{ctx: context.WithoutCancel(t.Context()), folder: t.TempDir(), network: newNetwork(t)}
	b.lab = labtest.Start(t, lab.Options{
		Pace: pace.New(1), BindAddress: hub,
		Cloud: cloud.Spec{Zones: []string{"us-east-1a", "us-east-1b"}, Groups: []cloud.GroupSpec{
			{Name: "workers", InstanceType: "m5.4xlarge", Min: 3, Desired: 3, Max: 3},
			{Name: "system", InstanceType: "m5.large", Min: 1, Desired: 1, Max: 1, Zones: []string{"us-east-1b"}},
		}},
	})
	t.Cleanup(func() {
		for _, p := range b.processes {
			p.kill()
		}
		for i, c := range b.controllers {
			if t.Failed() {
				t.Logf("the end of the log of controller %d:\n%s", i, strings.Join(lastLines(c.log.lines(0)), "\n"))
			}
		}
	})
	b.connect(t)
	b.install(t)
	for _, node := range b.ready(t) {
		m := newMachine(t, b, node)
		if node.Labels[groupLabel] == "system" {
			b.own = m
		} else {
			b.machines = append(b.machines, m)
		}
	}
	b.run(t)
	b.aws = b.relayAWS(t)
	b.startControllers(t, b.own, b.host())
	for _, m := range b.all() {
		m.startAgent(t)
	}
	return b
}

// lastLines are the last of a log that say more than that a health check is not passed yet.
func lastLines(log []string) []string {
	log = slices.DeleteFunc(log, func(line string) bool { return strings.Contains(line, "healthz check failed") })
	return log[max(0, len(log)-50):]
}

// host is the worker that runs the other replica of the controller.
func (b *fixture) host() *machine { return b.machines[0] }

// all are the machines.
func (b *fixture) all() []*machine { return append(slices.Clone(b.machines), b.own) }

// connect makes the administrator's clients.
func (b *fixture) connect(t *testing.T) {
	t.Helper()
	scheme := runtime.NewScheme()
	err := errors.Join(clientgoscheme.AddToScheme(scheme), v1alpha1.AddToScheme(scheme))
	if err == nil {
		b.client, err = client.New(b.lab.Plane.AdminConfig(), client.Options{Scheme: scheme})
	}
	if err == nil {
		b.tokens, err = kubernetes.NewForConfig(b.lab.Plane.AdminConfig())
	}
	if err != nil {
		t.Fatal(err)
	}
	server, err := url.Parse(b.lab.Plane.AdminConfig().Host)
	if err != nil {
		t.Fatal(err)
	}
	b.network.api = server.Port()
}

// install does what kubectl apply does with config/.
func (b *fixture) install(t *testing.T) {
	t.Helper()
	b.apply(t, "the definitions", crd.YAML())
	for _, file := range []string{"agent/access.yaml", "agent/policy.yaml", "rbac/access.yaml", "rbac/role.yaml", "rbac/policy.yaml"} {
		text, err := os.ReadFile(filepath.Join("../../config", file))
		if err != nil {
			t.Fatal(err)
		}
		b.apply(t, file, text)
	}
	eventually(t, "naosu's kinds are served", func() error {
		return errors.Join(b.client.List(t.Context(), &v1alpha1.FailoverPolicyList{}), b.client.List(t.Context(), &v1alpha1.RemediationList{}),
			b.client.List(t.Context(), &v1alpha1.NodeRepairPolicyList{}))
	})
}

func (b *fixture) apply(t *testing.T, name string, text []byte) {
	t.Helper()
	for document := range bytes.SplitSeq(text, []byte("---\n")) {
		o := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(document, &o.Object); err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(o.Object) > 0 {
			if err := b.client.Create(t.Context(), o); err != nil {
				t.Fatalf("%s: %s: %v", name, o.GetName(), err)
			}
		}
	}
}

// ready waits until all nodes are, and returns them.
func (b *fixture) ready(t *testing.T) []corev1.Node {
	t.Helper()
	var all corev1.NodeList
	eventually(t, "four nodes are ready", func() error {
		if err := b.client.List(t.Context(), &all); err != nil {
			return err
		}
		n := 0
		for i := range all.Items {
			if len(all.Items[i].Spec.Taints) == 0 && condition(&all.Items[i]) == corev1.ConditionTrue {
				n++
			}
		}
		if n != 4 {
			return fmt.Errorf("%d are", n)
		}
		return nil
	})
	return all.Items
}

// condition is the status of a node's Ready.
func condition(node *corev1.Node) corev1.ConditionStatus {
	for _, c := range node.Status.Conditions {
		if c.Type == corev1.NodeReady {
			return c.Status
		}
	}
	return corev1.ConditionUnknown
}

// run creates story 2's Deployments, the pods of the agents, and the policy.
func (b *fixture) run(t *testing.T) {
	t.Helper()
	for _, name := range []string{"httpd", "nginx"} {
		b.create(t, deployment(name, 3))
		eventually(t, "one of "+name+" on each worker", func() error {
			on := map[string]bool{}
			for _, p := range b.pods(t, name) {
				if p.Status.Phase == corev1.PodRunning {
					on[p.Spec.NodeName] = true
				}
			}
			if len(on) != 3 {
				return fmt.Errorf("they run on %v", on)
			}
			return nil
		})
	}
	b.create(t, statefulSet())
	eventually(t, "one of db is ready on each worker", func() error {
		for _, m := range b.machines {
			if p := b.database(t, m); p == nil || !kube.IsPodReady(p) {
				return fmt.Errorf("not on %s", m.node.Name)
			}
		}
		return nil
	})
	b.create(t, &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: "stays"}, Spec: v1alpha1.FailoverPolicySpec{
		Mode: v1alpha1.ModeAuto, PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"app": database}}, NotReadyOnSilence: v1alpha1.NotReadyUnreplaced,
	}})
	b.create(t, &v1alpha1.FailoverPolicy{ObjectMeta: metav1.ObjectMeta{Name: "lopsided"}, Spec: v1alpha1.FailoverPolicySpec{
		Mode: v1alpha1.ModeAuto, PodSelector: metav1.LabelSelector{MatchLabels: map[string]string{"story": "lopsided"}},
		ReplaceOnSilence: v1alpha1.ReplaceReplicated,
	}})
	for _, m := range b.all() {
		b.create(t, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Namespace: namespace, Name: podOf(m.node), Labels: map[string]string{"app.kubernetes.io/name": agent}},
			Spec: corev1.PodSpec{
				NodeName: m.node.Name, ServiceAccountName: agent, Tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}},
				Containers: []corev1.Container{{Name: agent, Image: agent}},
			},
		})
	}
}

// deployment is one of story 2.
func deployment(name string, replicas int) *appsv1.Deployment {
	labels := map[string]string{"app": name, "story": "lopsided"}
	return &appsv1.Deployment{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: appsv1.DeploymentSpec{
		Replicas: new(int32(replicas)), Selector: &metav1.LabelSelector{MatchLabels: labels},
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			NodeSelector: map[string]string{groupLabel: "workers"},
			Containers: []corev1.Container{{
				Name: name, Image: name, Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
			}},
		}},
	}}
}

// database is the app of a StatefulSet with a pod on each worker, which no silence replaces.
const database = "db"

func statefulSet() *appsv1.StatefulSet {
	labels := map[string]string{"app": database}
	return &appsv1.StatefulSet{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: database}, Spec: appsv1.StatefulSetSpec{
		Replicas: new(int32(3)), Selector: &metav1.LabelSelector{MatchLabels: labels}, PodManagementPolicy: appsv1.ParallelPodManagement,
		Template: corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: corev1.PodSpec{
			NodeSelector: map[string]string{groupLabel: "workers"},
			Affinity: &corev1.Affinity{PodAntiAffinity: &corev1.PodAntiAffinity{RequiredDuringSchedulingIgnoredDuringExecution: []corev1.PodAffinityTerm{
				{LabelSelector: &metav1.LabelSelector{MatchLabels: labels}, TopologyKey: corev1.LabelHostname},
			}}},
			Containers: []corev1.Container{{Name: database, Image: database}},
		}},
	}}
}

// database is its pod on a worker; nil if there is none.
func (b *fixture) database(t *testing.T, m *machine) *corev1.Pod {
	t.Helper()
	var all corev1.PodList
	if err := b.client.List(t.Context(), &all, client.InNamespace("default"), client.MatchingLabels{"app": database}); err != nil {
		t.Fatal(err)
	}
	for i, p := range all.Items {
		if p.Spec.NodeName == m.node.Name {
			return &all.Items[i]
		}
	}
	return nil
}

// addPods has so many pods run on a worker that are replaced if it is silent, by a Deployment in place of the one of the call before.
func (b *fixture) addPods(t *testing.T, m *machine, pods int) {
	t.Helper()
	b.removePods(t)
	for _, p := range b.pods(t, "") {
		if p.Spec.NodeName == m.node.Name {
			pods--
		}
	}
	b.cordon(t, m, true)
	b.create(t, deployment(many, pods))
	eventually(t, "its pods run", func() error {
		n := 0
		for _, p := range b.pods(t, many) {
			if p.Spec.NodeName == m.node.Name && p.Status.Phase == corev1.PodRunning {
				n++
			}
		}
		if n != pods {
			return fmt.Errorf("%d run", n)
		}
		return nil
	})
	b.cordon(t, m, false)
}

// many is the app of the Deployment of addPods.
const many = "many"

// removePods deletes what addPods has created, if it has.
func (b *fixture) removePods(t *testing.T) {
	t.Helper()
	err := b.client.Delete(t.Context(), deployment(many, 0), client.PropagationPolicy(metav1.DeletePropagationBackground))
	if client.IgnoreNotFound(err) != nil {
		t.Fatal(err)
	}
	eventually(t, "the pods of before have ended", func() error {
		if n := len(b.pods(t, many)); n > 0 {
			return fmt.Errorf("%d have not", n)
		}
		return nil
	})
}

// cordon cordons all workers but one, or uncordons them.
func (b *fixture) cordon(t *testing.T, except *machine, cordoned bool) {
	t.Helper()
	for _, m := range b.machines {
		if m == except {
			continue
		}
		node := b.get(t, m)
		before := node.DeepCopy()
		node.Spec.Unschedulable = cordoned
		if err := b.client.Patch(t.Context(), node, client.MergeFrom(before)); err != nil {
			t.Fatal(err)
		}
	}
}

func (b *fixture) create(t *testing.T, o client.Object) {
	t.Helper()
	if err := b.client.Create(t.Context(), o); err != nil {
		t.Fatalf("create %s: %v", o.GetName(), err)
	}
}

// pods are those of story 2, or of one of its Deployments.
func (b *fixture) pods(t *testing.T, app string) []corev1.Pod {
	t.Helper()
	labels := client.MatchingLabels{"story": "lopsided"}
	if app != "" {
		labels["app"] = app
	}
	var all corev1.PodList
	if err := b.client.List(t.Context(), &all, client.InNamespace("default"), labels); err != nil {
		t.Fatal(err)
	}
	return all.Items
}

func podOf(node corev1.Node) string { return "agent-" + node.Name }

// token is a service account's; with a node, that of the agent's pod there.
func (b *fixture) token(t *testing.T, account, pod string, audiences ...string) string {
	t.Helper()
	request := &authenticationv1.TokenRequest{Spec: authenticationv1.TokenRequestSpec{ExpirationSeconds: new(int64(3600)), Audiences: audiences}}
	if pod != "" {
		request.Spec.BoundObjectRef = &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod}
	}
	token, err := b.tokens.CoreV1().ServiceAccounts(namespace).CreateToken(t.Context(), account, request, metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	return token.Status.Token
}

func (b *fixture) agentToken(t *testing.T, node corev1.Node) string {
	t.Helper()
	return b.token(t, agent, podOf(node))
}

// heartbeatToken is a file with the token that the controller asks the API server about.
func (b *fixture) heartbeatToken(t *testing.T, node corev1.Node) string {
	t.Helper()
	return b.file(t, "token-"+node.Name, []byte(b.token(t, agent, podOf(node), heartbeat.Audience)))
}

func (b *fixture) file(t *testing.T, name string, text []byte) string {
	t.Helper()
	file := filepath.Join(b.folder, name)
	if err := os.WriteFile(file, text, 0o600); err != nil {
		t.Fatal(err)
	}
	return file
}

// kubeconfig is a file with a token, for the address of the API server that machines reach.
func (b *fixture) kubeconfig(t *testing.T, name, token string) string {
	t.Helper()
	c := clientcmdapi.NewConfig()
	c.Clusters["c"] = &clientcmdapi.Cluster{Server: "https://" + net.JoinHostPort(hub, b.network.api), CertificateAuthorityData: b.lab.Plane.AdminConfig().CAData}
	c.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: token}
	c.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	c.CurrentContext = "x"
	file := filepath.Join(b.folder, "kubeconfig-"+name)
	if err := clientcmd.WriteToFile(*c, file); err != nil {
		t.Fatal(err)
	}
	return file
}

// relayAWS is the environment that leads to the lab's AWS, which listens at the loopback, through an address that machines reach.
func (b *fixture) relayAWS(t *testing.T) []string {
	t.Helper()
	environment := b.lab.AWS.Environment()
	for i, variable := range environment {
		if name, endpoint, found := strings.Cut(variable, "=http://"); found {
			environment[i] = name + "=http://" + newDelay(t, endpoint).address
		}
	}
	return environment
}

// authority is a file with the certificates that the controller's is signed by.
func (b *fixture) authority(t *testing.T) string {
	t.Helper()
	var published corev1.ConfigMap
	eventually(t, "the controller's certificates are published", func() error {
		err := b.client.Get(t.Context(), client.ObjectKey{Namespace: namespace, Name: "naosu-heartbeat-ca"}, &published)
		if err == nil && published.Data["ca.crt"] == "" {
			err = errors.New("ca.crt is empty")
		}
		return err
	})
	return b.file(t, "ca.crt", []byte(published.Data["ca.crt"]))
}

func get(t *testing.T, url string) (string, error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	var body bytes.Buffer
	if _, err := body.ReadFrom(response.Body); err != nil {
		return "", err
	}
	if response.StatusCode != http.StatusOK {
		return "", fmt.Errorf("%s: %s", response.Status, body.String())
	}
	return body.String(), nil
}

// eventually waits until check has no error.
func eventually(t *testing.T, what string, check func() error) {
	t.Helper()
	var last error
	err := wait.PollUntilContextTimeout(t.Context(), often, patience, true, func(context.Context) (bool, error) {
		last = check()
		return last == nil, nil
	})
	if err != nil {
		t.Fatalf("not seen: %s: %v", what, last)
	}
}

// alone leaves everything to a process with namespaces of its own.
func alone(t *testing.T) bool {
	t.Helper()
	agenttest.Need(t, agenttest.Root, "ip", "nft", "nsenter")
	return agenttest.Alone(t)
}
