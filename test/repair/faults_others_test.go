package repair

import (
	"context"
	"errors"
	"maps"
	"slices"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Faults by other controllers of nodes, and faults of what the controller reads.
const (
	removing      kind = "an autoscaler that is about to remove a node, and does, or thinks better of it"
	shutDown      kind = "a node that the cloud has shut down, for a while"
	shifted       kind = "a zone whose nodes are all cordoned for a while, as by a zonal shift"
	claimed       kind = "a second Node that names the same machine, for a while"
	annotated     kind = "a node that is not to be disrupted for a while"
	annotatedPods kind = "pods that are not to be disrupted for a while"
	otherRepairs  kind = "something else that repairs nodes for a while"
	agentStops    kind = "an agent that writes no more"
	badImage      kind = "an image by which new machines are unhealthy"
	serverDown    kind = "an API server that says for a while that it is not ready"
	leaseLost     kind = "a lease that the controller loses again and again, each time after it was asked about so often"
)

// keepOut is the annotation by which people keep naosu off a node or a pod.
const keepOut = v1alpha1.DoNotDisruptAnnotation

// othersFault injects a fault by another controller, or of what the controller reads; false if the kind is not such a fault.
func (n *run) othersFault(ctx context.Context, f fault, m *machine, begins bool) (bool, error) {
	switch f.Kind {
	case removing, shutDown:
		n.leave(f, m, begins)
	case otherRepairs:
		n.cloud.otherRepairer = begins
	case agentStops:
		m.agentStopped = m.agentStopped || begins
	case badImage:
		n.c.badImage = n.c.badImage || begins
	case serverDown:
		n.checker.serverDown = begins
	case leaseLost:
		n.leaseReads, n.leaseLossPeriod = 0, 0
		if begins {
			n.leaseLossPeriod = f.Target%7 + 2
		}
	case shifted:
		return true, n.shift(ctx, m.zone, begins)
	case claimed:
		return true, n.claim(ctx, f, m, begins)
	case annotated:
		return true, n.annotate(ctx, m.node, begins)
	case annotatedPods:
		return true, n.annotatePods(ctx, m.node, begins)
	default:
		return false, nil
	}
	return true, nil
}

// leave taints a node as those do who remove it, or removes it at last, or not. Two machines always stay.
func (n *run) leave(f fault, m *machine, begins bool) {
	key := map[kind]string{removing: "ToBeDeletedByClusterAutoscaler", shutDown: "node.cloudprovider.kubernetes.io/shutdown"}[f.Kind]
	switch {
	case begins && m.leaving == "":
		m.leaving = key
	case !begins && m.leaving == key && f.Kind == removing && f.Target%2 == 1 && len(n.c.machines) > 2:
		n.c.remove(m)
	case !begins && m.leaving == key:
		m.leaving = ""
	}
}

// shift cordons what takes pods in a zone, as EKS does, if it has several nodes and another zone has one, or uncordons it again.
func (n *run) shift(ctx context.Context, zone string, begins bool) error {
	nodes := n.c.nodes(ctx)
	in := slices.DeleteFunc(slices.Clone(nodes), func(node corev1.Node) bool { return node.Labels[zoneLabel] != zone })
	if begins && (len(in) < 2 || len(in) == len(nodes)) {
		return nil
	}
	for _, node := range in {
		if begins == node.Spec.Unschedulable || !begins && !n.shifted[node.Name] {
			continue
		}
		n.shifted[node.Name] = begins
		node.Spec.Unschedulable = begins
		if err := n.c.api.Direct.Update(ctx, &node); err != nil {
			return err
		}
	}
	return nil
}

// claim makes a second Node of a machine, which takes no pods and may be unhealthy too, or deletes it.
func (n *run) claim(ctx context.Context, f fault, m *machine, begins bool) error {
	node := n.c.nodeOf(&machine{node: m.node + "-again", id: m.id, zone: m.zone, group: "others", up: true, boots: 1, unhealthy: f.Target%2 == 0})
	node.Labels = map[string]string{zoneLabel: "another-zone"}
	node.Spec.Taints = []corev1.Taint{{Key: "example.com/again", Effect: corev1.TaintEffectNoSchedule}}
	if !begins {
		return client.IgnoreNotFound(n.c.api.Direct.Delete(ctx, node))
	}
	return client.IgnoreAlreadyExists(n.c.api.Direct.Create(ctx, node))
}

func (n *run) annotate(ctx context.Context, name string, begins bool) error {
	var node corev1.Node
	if err := n.c.api.Direct.Get(ctx, client.ObjectKey{Name: name}, &node); err != nil {
		return client.IgnoreNotFound(err)
	}
	if !begins {
		delete(node.Annotations, keepOut)
	} else {
		metav1.SetMetaDataAnnotation(&node.ObjectMeta, keepOut, "true")
	}
	return n.c.api.Direct.Update(ctx, &node)
}

// annotatePods annotates the pods of a node, or takes the annotation off all pods.
func (n *run) annotatePods(ctx context.Context, node string, begins bool) error {
	pods, err := n.c.pods(ctx)
	if err != nil {
		return err
	}
	for i := range pods {
		_, has := pods[i].Annotations[keepOut]
		switch {
		case begins && pods[i].Spec.NodeName == node:
			metav1.SetMetaDataAnnotation(&pods[i].ObjectMeta, keepOut, "true")
		case !begins && has:
			delete(pods[i].Annotations, keepOut)
		default:
			continue
		}
		if err := n.c.api.Direct.Update(ctx, &pods[i]); err != nil {
			return err
		}
	}
	return nil
}

// leading says whether the controller has its lease. Where it loses it, it has it again when it next looks at everything.
func (n *run) leading(context.Context) (bool, error) {
	if n.leaseLossPeriod > 0 {
		n.leaseReads++
		n.checker.leaderless = n.checker.leaderless || n.leaseReads%n.leaseLossPeriod == 0
	}
	return !n.checker.leaderless, nil
}

var errNotReady = errors.New("the API server says that it is not ready")

func (n *run) serverReady(context.Context) error {
	if n.checker.serverDown {
		return errNotReady
	}
	return nil
}

// approve has a person approve all that is proposed, whatever it is.
func (n *run) approve(ctx context.Context) error {
	var all v1alpha1.RemediationList
	if err := n.c.api.Direct.List(ctx, &all); err != nil {
		return err
	}
	for _, r := range all.Items {
		if r.Spec.Approval != "" || r.Status.Phase == v1alpha1.PhaseEnded || r.DeletionTimestamp != nil {
			continue
		}
		r.Spec.Approval = v1alpha1.Approved
		if err := n.c.api.Direct.Update(ctx, &r); err != nil {
			return err
		}
	}
	return nil
}

// nodes are those that there are, by name.
func (c *testCluster) nodes(ctx context.Context) []corev1.Node {
	var all corev1.NodeList
	if err := c.api.Direct.List(ctx, &all); err != nil {
		panic(err)
	}
	return all.Items
}

// machineAt is the machine that a fault is about, whichever there are.
func (c *testCluster) machineAt(target int) *machine {
	all := slices.Sorted(maps.Keys(c.machines))
	return c.machines[all[target%len(all)]]
}

// silentFor says whether a machine has not reported for so long that its node is Unknown.
func (m *machine) silentFor(now time.Time, long time.Duration) bool {
	return !m.silentSince.IsZero() && now.Sub(m.silentSince) > long
}
