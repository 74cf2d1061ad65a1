package nodes_test

import (
	"context"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// BenchmarkFleet registers nodes and runs Deployments on them, 100 pods each, with the whole control plane in the same
// process and at real time: 1,000 nodes and 10,000 pods unless NAOSU_BENCH_NODES and NAOSU_BENCH_PODS say otherwise.
// CPU is the whole process's; idle is when all runs and only heartbeats are sent. NAOSU_BENCH_EVENTS=1 records Events.
func BenchmarkFleet(b *testing.B) {
	machines, pods := size(b, "NAOSU_BENCH_NODES", 1000), size(b, "NAOSU_BENCH_PODS", 10000)
	events := size(b, "NAOSU_BENCH_EVENTS", 0) != 0
	for b.Loop() {
		ctx, cancel := context.WithCancel(b.Context())
		plane, err := testbed.StartPlane(ctx, controlplane.Options{})
		if err != nil {
			b.Fatal(err)
		}
		fleet, err := nodes.New(nodes.Options{Config: plane.AdminConfig(), Events: events})
		if err != nil {
			b.Fatal(err)
		}
		done := make(chan struct{})
		go func() { defer close(done); _ = fleet.Run(ctx) }()
		m := &meter{B: b, client: kubernetes.NewForConfigOrDie(plane.AdminConfig())}

		m.start()
		for i := range machines {
			fleet.Boot(nodes.Machine{
				NodeName: fmt.Sprintf("node-%d", i), InternalIP: fmt.Sprintf("10.%d.%d.1", i/250, i%250),
				Labels: map[string]string{corev1.LabelTopologyZone: string(rune('a' + i%3))},
				CPU:    resource.MustParse("8"), Memory: resource.MustParse("32Gi"),
			})
		}
		m.until(func(ctx context.Context) bool { return m.readyNodes(ctx) == machines })
		m.report("nodes")

		m.start()
		for i := 0; i < pods; i += 100 {
			m.deploy(ctx, fmt.Sprintf("d-%d", i/100), int32(min(100, pods-i)))
		}
		m.until(func(ctx context.Context) bool { return m.readyReplicas(ctx) == pods })
		m.report("pods")

		m.start()
		<-time.After(30 * time.Second)
		b.ReportMetric(m.cpu().Seconds()/time.Since(m.began).Seconds(), "idle-cores")
		b.ReportMetric(peak(b), "MiB-peak")
		b.ReportMetric(0, "ns/op")
		cancel()
		<-done
		if err := plane.Stop(); err != nil {
			b.Fatal(err)
		}
	}
}

func size(b *testing.B, variable string, otherwise int) int {
	value := os.Getenv(variable)
	if value == "" {
		return otherwise
	}
	n, err := strconv.Atoi(value)
	if err != nil {
		b.Fatalf("%s: %v", variable, err)
	}
	return n
}

type meter struct {
	*testing.B
	client kubernetes.Interface
	began  time.Time
	used   time.Duration
}

func (m *meter) start() { m.began, m.used = time.Now(), used(m.B) }

func (m *meter) cpu() time.Duration { return used(m.B) - m.used }

func (m *meter) report(what string) {
	m.ReportMetric(time.Since(m.began).Seconds(), "s-"+what)
	m.ReportMetric(m.cpu().Seconds(), "cpu-s-"+what)
}

func (m *meter) until(is func(context.Context) bool) {
	err := wait.PollUntilContextTimeout(m.Context(), 500*time.Millisecond, 30*time.Minute, true, func(ctx context.Context) (bool, error) { return is(ctx), nil })
	if err != nil {
		m.Fatal(err)
	}
}

func (m *meter) readyNodes(ctx context.Context) (ready int) {
	list, err := m.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		m.Fatal(err)
	}
	for _, n := range list.Items {
		for _, c := range n.Status.Conditions {
			if c.Type == corev1.NodeReady && c.Status == corev1.ConditionTrue && len(n.Spec.Taints) == 0 {
				ready++
			}
		}
	}
	return ready
}

func (m *meter) readyReplicas(ctx context.Context) (ready int) {
	list, err := m.client.AppsV1().Deployments(metav1.NamespaceDefault).List(ctx, metav1.ListOptions{ResourceVersion: "0"})
	if err != nil {
		m.Fatal(err)
	}
	for _, d := range list.Items {
		ready += int(d.Status.ReadyReplicas)
	}
	return ready
}

func (m *meter) deploy(ctx context.Context, name string, replicas int32) {
	app := map[string]string{"app": name}
	_, err := m.client.AppsV1().Deployments(metav1.NamespaceDefault).Create(ctx, &appsv1.Deployment{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Spec: appsv1.DeploymentSpec{
			Replicas: new(replicas), Selector: &metav1.LabelSelector{MatchLabels: app},
			Template: corev1.PodTemplateSpec{
				ObjectMeta: metav1.ObjectMeta{Labels: app},
				Spec: corev1.PodSpec{Containers: []corev1.Container{{
					Name: "c", Image: "registry.example/c:1",
					Resources: corev1.ResourceRequirements{Requests: corev1.ResourceList{corev1.ResourceCPU: resource.MustParse("100m")}},
				}}},
			},
		},
	}, metav1.CreateOptions{})
	if err != nil {
		m.Fatal(err)
	}
}

// used is the CPU time of this process.
func used(b *testing.B) time.Duration {
	var r syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &r); err != nil {
		b.Fatal(err)
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}

// peak is the most memory this process has held, in MiB.
func peak(b *testing.B) float64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		b.Skip("needs Linux's /proc")
	}
	_, rest, _ := strings.Cut(string(status), "VmHWM:")
	var kib float64
	if _, err := fmt.Sscanf(rest, "%f", &kib); err != nil {
		b.Fatal(err)
	}
	return kib / 1024
}
