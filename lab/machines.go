package lab

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/utils/ptr"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/nodes"
)

// runMachines keeps the fleet as the cloud has it: a machine for each running instance, none for a terminated one.
func (l *Lab) runMachines(ctx context.Context) error {
	changed := l.Cloud.Subscribe(ctx)
	for {
		for _, instance := range l.Cloud.Instances() {
			if err := l.syncMachine(instance); err != nil {
				return err
			}
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		}
	}
}

func (l *Lab) syncMachine(instance cloud.Instance) error {
	switch instance.State {
	case cloud.Running:
		if !instance.Booted { // booting for the first time, or rebooting
			return l.powerOff(instance.NodeName)
		}
		if instance.Impaired {
			return l.powerOff(instance.NodeName)
		}
		machine, err := machineOf(instance)
		if err != nil {
			return err
		}
		l.Nodes.Boot(machine)
	case cloud.Stopping, cloud.Stopped:
		return l.powerOff(instance.NodeName)
	case cloud.ShuttingDown, cloud.Terminated:
		if current, _ := l.Cloud.InstanceByNode(instance.NodeName); current.ID == instance.ID { // else, another has its address now
			l.Nodes.Remove(instance.NodeName)
		}
	}
	return nil
}

func (l *Lab) powerOff(node string) error {
	if _, known := l.Nodes.State(node); !known {
		return nil // never came up, or not since the lab did
	}
	return l.Nodes.SetState(node, nodes.Off)
}

func machineOf(instance cloud.Instance) (nodes.Machine, error) {
	cpu, err := resource.ParseQuantity(instance.Capacity.CPU)
	if err != nil {
		return nodes.Machine{}, fmt.Errorf("reading the CPU of instance type %s: %w", instance.Type, err)
	}
	memory, err := resource.ParseQuantity(instance.Capacity.Memory)
	if err != nil {
		return nodes.Machine{}, fmt.Errorf("reading the memory of instance type %s: %w", instance.Type, err)
	}
	capacity, err := resources(instance.Capacity.Capacity)
	if err != nil {
		return nodes.Machine{}, fmt.Errorf("reading the capacity of instance type %s: %w", instance.Type, err)
	}
	allocatable, err := resources(instance.Capacity.Allocatable)
	if err != nil {
		return nodes.Machine{}, fmt.Errorf("reading what instance type %s leaves to pods: %w", instance.Type, err)
	}
	return nodes.Machine{
		NodeName: instance.NodeName, InstanceID: instance.ID, InternalIP: instance.PrivateIP,
		Labels: instance.Labels, Taints: instance.Taints,
		CPU: cpu, Memory: memory, Pods: instance.Capacity.Pods, Volumes: instance.Capacity.Volumes,
		Capacity: capacity, Allocatable: allocatable,
		ReadyDelay:    ptr.Deref(instance.Capacity.ReadyDelay, metav1.Duration{}).Duration,
		CloudProvider: true,
	}, nil
}

func resources(quantities map[string]string) (corev1.ResourceList, error) {
	list := corev1.ResourceList{}
	for name, text := range quantities {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		list[corev1.ResourceName(name)] = q
	}
	return list, nil
}
