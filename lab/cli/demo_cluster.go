package cli

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/tools/clientcmd"
)

// recoveryPatience bounds how long a remedy may take to bring the pods back, on the wall clock.
const recoveryPatience = 10 * time.Minute

// demoCluster is the demo's cluster, seen through its kubeconfig as any client sees it.
type demoCluster struct {
	kubeconfig string
	client     kubernetes.Interface
}

// pod is one that the demo follows.
type pod struct {
	namespace, name, node, zone string
	phase                       corev1.PodPhase
}

type pods []pod

func (p pods) lines() []string {
	lines := make([]string, len(p))
	for i, one := range p {
		lines[i] = fmt.Sprintf("%-10s %-40s %s", one.namespace, one.name, one.phase)
		if one.node != "" {
			lines[i] += fmt.Sprintf("  on %s in %s", one.node, one.zone)
		}
	}
	return lines
}

func newDemoCluster(dir string) (*demoCluster, error) {
	c := &demoCluster{kubeconfig: filepath.Join(dir, "kubeconfig")}
	config, err := clientcmd.BuildConfigFromFlags("", c.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the lab's kubeconfig: %w", err)
	}
	if c.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return c, nil
}

// waiting are the pods without a node.
func (c *demoCluster) waiting(ctx context.Context) (pods, error) {
	list, err := c.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=,status.phase=Pending"})
	if err != nil {
		return nil, fmt.Errorf("listing the pods that wait: %w", err)
	}
	var found pods
	for _, item := range list.Items {
		found = append(found, pod{namespace: item.Namespace, name: item.Name, phase: item.Status.Phase})
	}
	return found, nil
}

// waitForRecovery waits until the pods run, and reports new nodes meanwhile.
func (c *demoCluster) waitForRecovery(ctx context.Context, waiting pods, report func(string)) (pods, error) {
	known := map[string]bool{}
	running := make(pods, 0, len(waiting))
	err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, recoveryPatience, true, func(ctx context.Context) (bool, error) {
		if err := c.reportNewNodes(ctx, known, report); err != nil {
			return false, err
		}
		running = running[:0]
		for _, one := range waiting {
			found, err := c.client.CoreV1().Pods(one.namespace).Get(ctx, one.name, metav1.GetOptions{})
			if err != nil {
				return false, fmt.Errorf("reading pod %s: %w", one.name, err)
			}
			if found.Status.Phase != corev1.PodRunning {
				return false, nil
			}
			running = append(running, pod{
				namespace: one.namespace, name: one.name, phase: found.Status.Phase, node: found.Spec.NodeName,
				zone: c.zone(ctx, found.Spec.NodeName),
			})
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for the pods to run: %w", err)
	}
	return running, nil
}

// reportNewNodes reports the nodes that have appeared since the first call.
func (c *demoCluster) reportNewNodes(ctx context.Context, known map[string]bool, report func(string)) error {
	nodes, err := c.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
	if err != nil {
		return fmt.Errorf("listing nodes: %w", err)
	}
	first := len(known) == 0
	for _, node := range nodes.Items {
		zone := node.Labels[corev1.LabelTopologyZone]
		if known[node.Name] || zone == "" {
			continue
		}
		known[node.Name] = true
		if !first {
			report(fmt.Sprintf("a node comes up: %s in %s", node.Name, zone))
		}
	}
	return nil
}

func (c *demoCluster) zone(ctx context.Context, node string) string {
	found, err := c.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return "a zone that cannot be read"
	}
	return found.Labels[corev1.LabelTopologyZone]
}
