package descheduler

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	policyv1 "k8s.io/api/policy/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/rebalance"
	"github.com/naosu-dev/naosu/internal/scheduling"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/test/program"
)

// tool evicts pods so that a cluster gets balanced.
type tool interface {
	name() string
	// pass looks at the cluster once and evicts what the tool wants to at once. It returns when the requests are answered.
	pass(ctx context.Context, t *testing.T, config *rest.Config) error
}

// theDescheduler is one run of the program with the policy. Its log is kept in the folder, if that is not empty.
type theDescheduler struct{ program, logs string }

func (theDescheduler) name() string { return "descheduler" }

func (d theDescheduler) pass(ctx context.Context, t *testing.T, config *rest.Config) error {
	kubeconfig := filepath.Join(t.TempDir(), "kubeconfig")
	if err := controlplane.WriteKubeconfig(kubeconfig, "lab", config); err != nil {
		return err
	}
	command := exec.CommandContext(ctx, d.program, "--kubeconfig", kubeconfig, "--policy-config-file", "policy.yaml", "--secure-port", "0", "--disable-metrics", "--v", "4")
	out, err := command.CombinedOutput()
	if d.logs != "" {
		log, failed := os.OpenFile(filepath.Join(d.logs, filepath.Base(t.Name())+".log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if failed != nil {
			return failed
		}
		defer func() { _ = log.Close() }()
		if _, failed := log.Write(out); failed != nil {
			return failed
		}
	}
	if err != nil {
		return fmt.Errorf("run the descheduler: %w\n%s", err, out)
	}
	return nil
}

// buildDescheduler builds the program beside those of the module.
func buildDescheduler(t *testing.T) string {
	t.Helper()
	folder, err := program.Folder()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(folder, "descheduler")
	command := exec.CommandContext(t.Context(), "go", "build", "-o", file, "sigs.k8s.io/descheduler/cmd/descheduler")
	command.Dir = "program"
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		t.Fatalf("build the descheduler: %v\n%s", err, out)
	}
	return file
}

// naosu evicts the first wave of a plan with some options.
type naosu struct {
	called  string
	options rebalance.Options
}

func (n naosu) name() string { return n.called }

// naosus are naosu with the default options, aiming at an even distribution, and considering utilization.
var naosus = []tool{
	naosu{"naosu", rebalance.Options{}}, naosu{"naosu, even", rebalance.Options{MaxShare: 0.01}}, naosu{"naosu, utilization", rebalance.Options{MaxUtilizationDeviation: 10}},
}

func (n naosu) pass(ctx context.Context, t *testing.T, config *rest.Config) error {
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	world, err := cluster.Read(ctx, client, cluster.ReadOptions{Clock: clock.RealClock{}})
	if err != nil {
		return err
	}
	judge, err := scheduling.New(ctx, world, scheduling.Options{})
	if err != nil {
		return err
	}
	plan, err := rebalance.New(ctx, judge, n.options)
	if err != nil {
		return err
	}
	t.Logf("plan: %s, %d waves, unmet: %v, nodes: %+v", plan.Result, len(plan.Waves), plan.Unmet, plan.Nodes)
	if len(plan.Waves) == 0 {
		return nil
	}
	for _, move := range plan.Waves[0].Moves {
		t.Logf("evict %s, expected on %v", move.Pod.Name, move.To)
		eviction := &policyv1.Eviction{ObjectMeta: metav1.ObjectMeta{Namespace: move.Pod.Namespace, Name: move.Pod.Name}}
		err := client.CoreV1().Pods(move.Pod.Namespace).EvictV1(ctx, eviction)
		if err != nil && !apierrors.IsTooManyRequests(err) && !apierrors.IsNotFound(err) {
			return err
		}
	}
	return nil
}
