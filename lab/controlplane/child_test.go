package controlplane_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/planetest"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

// TestChildren runs two planes at a time, one with a feature gate of its own, and has all of Plane work across processes.
func TestChildren(t *testing.T) {
	testbed.Need(t)
	var log buffer
	gated, gatedClient := planetest.Start(t, testbed.StartPlane, controlplane.Options{
		FeatureGates: map[string]bool{"HPAScaleToZero": true}, Log: &log,
	})
	plain, plainClient := planetest.Start(t, testbed.StartPlane, controlplane.Options{DataDir: t.TempDir()})

	if err := makeAutoscaler(t.Context(), gatedClient); err != nil {
		t.Errorf("with HPAScaleToZero: %v", err)
	}
	if err := makeAutoscaler(t.Context(), plainClient); !apierrors.IsInvalid(err) {
		t.Errorf("without HPAScaleToZero: got %v, want invalid", err)
	}
	if !strings.Contains(log.String(), "Adding GroupVersion") {
		t.Error("the child's log does not come to its parent")
	}
	t.Run("user", func(t *testing.T) { planetest.User(t, plain, plainClient) })
	planetest.Must(plain.ConfigForServiceAccount(t.Context(), "default", "default"))

	if err := plain.StopComponent(t.Context(), controlplane.Scheduler); err != nil {
		t.Fatal(err)
	}
	planetest.MakeNode(t, plainClient, "node-1")
	planetest.MakePod(t, plainClient, "lone")
	if err := plain.StartComponent(t.Context(), controlplane.Scheduler); err != nil {
		t.Fatal(err)
	}
	planetest.Eventually(t, "the pod is bound", func(ctx context.Context) error {
		return planetest.BoundPod(plainClient.CoreV1().Pods("default").Get(ctx, "lone", metav1.GetOptions{}))
	})
	planetest.WantError(t, plain.StartComponent(t.Context(), controlplane.Scheduler), "is running already")

	t.Run("stopped", func(t *testing.T) { childStopped(t, gated) })
	t.Run("silent", func(t *testing.T) { silent(t, plain) })
	t.Run("killed", func(t *testing.T) { childKilled(t, plain) })
}

// silent takes etcd away and stops the API server, of whose requests etcd's client complains: not on the terminal.
func silent(t *testing.T, p *controlplane.Plane) {
	for _, c := range []controlplane.Component{controlplane.Etcd, controlplane.APIServer} {
		if err := p.StopComponent(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	planetest.Eventually(t, "the complaint is in the log", func(context.Context) error {
		log, err := os.ReadFile(filepath.Join(p.DataDir(), "controlplane.log"))
		if err == nil && !bytes.Contains(log, []byte("etcd-client")) {
			err = fmt.Errorf("no word of etcd's client in %d bytes", len(log))
		}
		return err
	})
	if said := controlplane.StderrTail(p); said != "" {
		t.Errorf("the plane wrote to the terminal: %s", said)
	}
}

func childStopped(t *testing.T, p *controlplane.Plane) {
	if err := p.Stop(); err != nil {
		t.Errorf("stop: %v", err)
	}
	<-p.Done()
	if p.Err() != nil {
		t.Errorf("Err after Stop = %v, want none", p.Err())
	}
	if _, err := os.Stat(p.DataDir()); !os.IsNotExist(err) {
		t.Errorf("temporary folder after Stop: got %v, want none", err)
	}
	planetest.WantError(t, p.StartComponent(t.Context(), controlplane.Scheduler), "has stopped")
}

// childKilled kills a plane, which leaves its folder for the next one as it was.
func childKilled(t *testing.T, p *controlplane.Plane) {
	run := controlplane.RunFolder(p)
	if err := syscall.Kill(p.PID(), syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	<-p.Done()
	planetest.WantError(t, p.Err(), "process ended", "killed")
	planetest.WantError(t, testbed.Stop(p), "process ended", "killed")
	_, client := planetest.Start(t, testbed.StartPlane, controlplane.Options{DataDir: p.DataDir()})
	if err := planetest.BoundPod(client.CoreV1().Pods("default").Get(t.Context(), "lone", metav1.GetOptions{})); err != nil {
		t.Errorf("after the kill: %v", err)
	}
	if _, err := os.Stat(run); !os.IsNotExist(err) {
		t.Errorf("the killed plane's temporary folder: got %v, want it removed", err)
	}
}

// makeAutoscaler makes what only the gate HPAScaleToZero allows.
func makeAutoscaler(ctx context.Context, client kubernetes.Interface) error {
	hpa := &autoscalingv2.HorizontalPodAutoscaler{
		ObjectMeta: metav1.ObjectMeta{Name: "to-zero"},
		Spec: autoscalingv2.HorizontalPodAutoscalerSpec{
			ScaleTargetRef: autoscalingv2.CrossVersionObjectReference{Kind: "Deployment", Name: "web", APIVersion: "apps/v1"},
			MinReplicas:    new(int32), MaxReplicas: 2,
			Metrics: []autoscalingv2.MetricSpec{{
				Type: autoscalingv2.ExternalMetricSourceType,
				External: &autoscalingv2.ExternalMetricSource{
					Metric: autoscalingv2.MetricIdentifier{Name: "queue"},
					Target: autoscalingv2.MetricTarget{Type: autoscalingv2.AverageValueMetricType, AverageValue: resource.NewQuantity(1, resource.DecimalSI)},
				},
			}},
		},
	}
	_, err := client.AutoscalingV2().HorizontalPodAutoscalers("default").Create(ctx, hpa, metav1.CreateOptions{})
	return err
}

// parentVariable makes of this test binary a parent that starts a child on a folder and waits to be killed.
const parentVariable = "NAOSU_TEST_PARENT_OF"

func TestMain(m *testing.M) {
	if dir := os.Getenv(parentVariable); dir != "" {
		os.Exit(runParent(dir))
	}
	os.Exit(m.Run())
}

func runParent(dir string) int {
	if _, err := testbed.StartPlane(context.Background(), controlplane.Options{DataDir: dir}); err != nil {
		fmt.Println(err)
		return 1
	}
	fmt.Println("ready")
	select {}
}

// TestParentKilled kills a child's parent: the child goes too, and the folder is free.
func TestParentKilled(t *testing.T) {
	testbed.Need(t)
	dir := t.TempDir()
	parent := exec.CommandContext(t.Context(), planetest.Must(os.Executable()))
	parent.Env = append(os.Environ(), parentVariable+"="+dir)
	said := planetest.Must(parent.StdoutPipe())
	if err := parent.Start(); err != nil {
		t.Fatal(err)
	}
	line, _ := bufio.NewReader(said).ReadString('\n')
	if line != "ready\n" {
		t.Fatalf("parent said %q", line)
	}
	if err := parent.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = parent.Wait()
	planetest.Eventually(t, "the child has gone", func(context.Context) error {
		lock := planetest.Must(os.Open(filepath.Join(dir, "controlplane.lock")))
		defer lock.Close()
		return syscall.Flock(int(lock.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	})
}

// TestDiskFills fills the disk under a plane that runs.
func TestDiskFills(t *testing.T) {
	testbed.Need(t)
	dir := t.TempDir()
	if err := planetest.MountMemory(dir, 100<<20); err != nil {
		t.Skipf("cannot mount a small disk here, as only root can on Linux: %v", err)
	}
	t.Cleanup(func() { _ = planetest.Unmount(dir) })

	p, client := planetest.Start(t, testbed.StartPlane, controlplane.Options{DataDir: filepath.Join(dir, "data")})
	planetest.FillDisk(t, filepath.Join(dir, "fill"), 0)
	go func() {
		for i := 0; ; i++ {
			big := &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprint("big-", i)}, Data: map[string]string{"k": strings.Repeat("x", 1e6)}}
			if _, err := client.CoreV1().ConfigMaps("default").Create(t.Context(), big, metav1.CreateOptions{}); err != nil {
				return
			}
		}
	}()
	<-p.Done()
	planetest.WantError(t, p.Err(), "etcd", "no space left on device")
}

type buffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *buffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (b *buffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.String()
}
