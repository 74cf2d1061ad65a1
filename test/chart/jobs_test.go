package chart

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"

	"github.com/naosu-dev/naosu/test/program"
)

// played is what became of the Jobs in naosu-system: the last run of each, by its name.
var played = struct {
	sync.Mutex
	runs map[string]playedRun
}{runs: map[string]playedRun{}}

type playedRun struct {
	output string
	err    error
	took   time.Duration
}

// lastRun is how the last run of a Job ended.
func lastRun(t *testing.T, job string) playedRun {
	t.Helper()
	played.Lock()
	defer played.Unlock()
	run, ran := played.runs[job]
	if !ran {
		t.Fatalf("no Job %s has run", job)
	}
	return run
}

// playJobs runs what the lab's kubelets only pretend to: the naosu of a Job's pod, with the arguments and the token of that pod. It
// returns what ends it.
func playJobs(t *testing.T, config *rest.Config) (stop func()) {
	t.Helper()
	naosu, client, home := program.Need(t, "naosu"), kubernetes.NewForConfigOrDie(config), t.TempDir()
	played.Lock()
	played.runs = map[string]playedRun{}
	played.Unlock()
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	over := make(chan struct{})
	go func() {
		defer close(over)
		tick := time.NewTicker(100 * time.Millisecond)
		defer tick.Stop()
		begun := map[types.UID]bool{}
		for {
			if err := playOnce(ctx, client, config, naosu, home, begun); err != nil && ctx.Err() == nil {
				t.Error(err)
			}
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
			}
		}
	}()
	return func() { cancel(); <-over }
}

func playOnce(ctx context.Context, client kubernetes.Interface, config *rest.Config, naosu, home string, begun map[types.UID]bool) error {
	pods, err := client.CoreV1().Pods(namespace).List(ctx, metav1.ListOptions{LabelSelector: "batch.kubernetes.io/job-name"})
	if err != nil {
		return fmt.Errorf("list the pods of Jobs: %w", err)
	}
	for i := range pods.Items {
		pod := &pods.Items[i]
		if pod.Status.Phase != corev1.PodRunning || begun[pod.UID] {
			continue
		}
		begun[pod.UID] = true
		run, err := play(ctx, client, config, naosu, home, pod)
		if err != nil {
			return err
		}
		played.Lock()
		played.runs[pod.Labels["batch.kubernetes.io/job-name"]] = run
		played.Unlock()
		phase := corev1.PodSucceeded
		if run.err != nil {
			phase = corev1.PodFailed
		}
		_, err = client.CoreV1().Pods(namespace).Patch(ctx, pod.Name, types.MergePatchType, fmt.Appendf(nil, `{"status":{"phase":%q}}`, phase), metav1.PatchOptions{}, "status")
		if err != nil {
			return fmt.Errorf("end the pod of a Job: %w", err)
		}
	}
	return nil
}

func play(ctx context.Context, client kubernetes.Interface, config *rest.Config, naosu, home string, pod *corev1.Pod) (playedRun, error) {
	granted, err := client.CoreV1().ServiceAccounts(namespace).CreateToken(ctx, pod.Spec.ServiceAccountName, &authenticationv1.TokenRequest{
		Spec: authenticationv1.TokenRequestSpec{BoundObjectRef: &authenticationv1.BoundObjectReference{APIVersion: "v1", Kind: "Pod", Name: pod.Name, UID: pod.UID}},
	}, metav1.CreateOptions{})
	if err != nil {
		return playedRun{}, fmt.Errorf("make the token of a Job's pod: %w", err)
	}
	k := clientcmdapi.NewConfig()
	k.Clusters["c"] = &clientcmdapi.Cluster{Server: config.Host, CertificateAuthorityData: config.CAData}
	k.AuthInfos["u"] = &clientcmdapi.AuthInfo{Token: granted.Status.Token}
	k.Contexts["x"] = &clientcmdapi.Context{Cluster: "c", AuthInfo: "u"}
	k.CurrentContext = "x"
	file := filepath.Join(home, "kubeconfig-"+string(pod.UID))
	if err := clientcmd.WriteToFile(*k, file); err != nil {
		return playedRun{}, err
	}
	began := time.Now()
	command := exec.CommandContext(ctx, naosu, append(pod.Spec.Containers[0].Args, "--kubeconfig="+file)...)
	command.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + home}
	text, err := command.CombinedOutput()
	return playedRun{string(text), err, time.Since(began)}, nil
}
