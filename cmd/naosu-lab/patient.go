package main

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

// patient is the demo's cluster, seen through its kubeconfig as any client sees it.
type patient struct {
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

func newPatient(dir string) (*patient, error) {
	p := &patient{kubeconfig: filepath.Join(dir, "kubeconfig")}
	config, err := clientcmd.BuildConfigFromFlags("", p.kubeconfig)
	if err != nil {
		return nil, fmt.Errorf("reading the lab's kubeconfig: %w", err)
	}
	if p.client, err = kubernetes.NewForConfig(config); err != nil {
		return nil, fmt.Errorf("making a client: %w", err)
	}
	return p, nil
}

// waiting are the pods without a node.
func (p *patient) waiting(ctx context.Context) (pods, error) {
	list, err := p.client.CoreV1().Pods("").List(ctx, metav1.ListOptions{FieldSelector: "spec.nodeName=,status.phase=Pending"})
	if err != nil {
		return nil, fmt.Errorf("listing the pods that wait: %w", err)
	}
	var found pods
	for _, item := range list.Items {
		found = append(found, pod{namespace: item.Namespace, name: item.Name, phase: item.Status.Phase})
	}
	return found, nil
}

// recovered waits until the pods run, telling of new nodes on the way.
func (p *patient) recovered(ctx context.Context, waiting pods, tell func(string)) (pods, error) {
	known := map[string]bool{}
	running := make(pods, 0, len(waiting))
	err := wait.PollUntilContextTimeout(ctx, 500*time.Millisecond, recoveryPatience, true, func(ctx context.Context) (bool, error) {
		if err := p.news(ctx, known, tell); err != nil {
			return false, err
		}
		running = running[:0]
		for _, one := range waiting {
			found, err := p.client.CoreV1().Pods(one.namespace).Get(ctx, one.name, metav1.GetOptions{})
			if err != nil {
				return false, fmt.Errorf("reading pod %s: %w", one.name, err)
			}
			if found.Status.Phase != corev1.PodRunning {
				return false, nil
			}
			running = append(running, pod{
				namespace: one.namespace, name: one.name, phase: found.Status.Phase, node: found.Spec.NodeName,
				zone: p.zone(ctx, found.Spec.NodeName),
			})
		}
		return true, nil
	})
	if err != nil {
		return nil, fmt.Errorf("waiting for the pods to run: %w", err)
	}
	return running, nil
}

// news tells of nodes that have appeared since the first look.
func (p *patient) news(ctx context.Context, known map[string]bool, tell func(string)) error {
	nodes, err := p.client.CoreV1().Nodes().List(ctx, metav1.ListOptions{})
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
			tell(fmt.Sprintf("a node comes up: %s in %s", node.Name, zone))
		}
	}
	return nil
}

func (p *patient) zone(ctx context.Context, node string) string {
	found, err := p.client.CoreV1().Nodes().Get(ctx, node, metav1.GetOptions{})
	if err != nil {
		return "a zone that cannot be read"
	}
	return found.Labels[corev1.LabelTopologyZone]
}
