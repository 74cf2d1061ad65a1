package engine

import (
	"context"
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/addresses"
	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/names"
	"github.com/naosu-dev/naosu/internal/simulation/internal/randomness"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// addressing is the allocation of addresses to pods. Without network facts, every pod gets one.
type addressing struct {
	// allocator is nil if addresses are not counted.
	allocator *addresses.Allocator
	// waiting are pods on nodes that wait for an address; pending says that they are about to be tried again.
	waiting []*corev1.Pod
	pending bool
	// unlaunched is the number of instances that a group could not launch, by group.
	unlaunched map[string]int
}

func newAddressing(world *cluster.Snapshot) addressing {
	return addressing{allocator: addresses.NewAllocator(world), unlaunched: map[string]int{}}
}

// noteAddresses notes that addresses are not counted, although the VPC CNI runs.
func (e *Engine) noteAddresses() {
	if r := addresses.Compute(e.Initial); r != nil && r.Settings.Known && e.addresses.allocator == nil {
		e.Gaps.Note("addresses", sentence.GapAddresses())
	}
}

// ContinueAddresses has the pods that are starting get their addresses. Those that wait for one already are started as soon as there is one.
func (e *Engine) ContinueAddresses() {
	if e.addresses.allocator == nil {
		return
	}
	for _, pod := range e.Initial.Pods() {
		starting := addresses.UsesAddress(pod) && pod.Status.PodIP == "" && pod.Status.Phase == corev1.PodPending && pod.DeletionTimestamp == nil
		if starting && !e.addresses.allocator.Assign(pod.Spec.NodeName) {
			e.Fates.MarkStartPending(pod)
			e.Fates.MarkBound(pod, e.addressReason(pod.Spec.NodeName))
			e.addresses.waiting = append(e.addresses.waiting, pod)
		}
	}
}

// assignAddress gives a pod on a node an address. It reports whether there is one.
func (e *Engine) assignAddress(pod *corev1.Pod) bool {
	return e.addresses.allocator == nil || pod.Spec.HostNetwork || e.addresses.allocator.Assign(pod.Spec.NodeName)
}

// addressReason is why there is no address for a pod on a node.
func (e *Engine) addressReason(node string) message.Sentence {
	if e.addresses.allocator.AtLimit(node) {
		return sentence.FateAddressLimit(names.NodeRef(node))
	}
	return sentence.FateAddressSubnets(names.NodeRef(node), message.ListOf(e.addresses.allocator.Subnets(node)))
}

// bindWithoutAddress binds a pod to its node, where it starts only once there is an address.
func (e *Engine) bindWithoutAddress(pod, placed *corev1.Pod, edits []cluster.Edit) error {
	e.Fates.Of(pod)
	waiting := e.startingPod(placed)
	if err := e.Edit(append(edits, cluster.Put(waiting))...); err != nil {
		return err
	}
	e.Queue.MarkBound()
	e.waitForAddress(waiting)
	return nil
}

func (e *Engine) waitForAddress(pod *corev1.Pod) {
	e.addresses.waiting = append(e.addresses.waiting, pod)
	e.Fates.MarkBound(pod, e.addressReason(pod.Spec.NodeName))
}

// waitsForAddress reports whether a pod waits on its node for an address.
func (e *Engine) waitsForAddress(pod *corev1.Pod) bool {
	return slices.ContainsFunc(e.addresses.waiting, func(other *corev1.Pod) bool { return other.UID == pod.UID && names.Of(other) == names.Of(pod) })
}

// releaseAddress takes back the address of a pod that ended or is removed, given as it was before.
func (e *Engine) releaseAddress(pod *corev1.Pod) {
	if e.addresses.allocator == nil || pod == nil || !addresses.UsesAddress(pod) || e.waitsForAddress(pod) {
		return
	}
	e.addresses.allocator.Release(pod.Spec.NodeName)
	e.retryAddresses()
}

// releaseNode takes back what a removed node holds: its instance ends, and its interfaces with it.
func (e *Engine) releaseNode(node *corev1.Node) {
	if e.addresses.allocator != nil {
		e.addresses.allocator.Terminate(node.Name)
		e.retryAddresses()
	}
}

// configureAddresses follows a change of the VPC CNI's settings.
func (e *Engine) configureAddresses(set *appsv1.DaemonSet) {
	if e.addresses.allocator != nil && set.Namespace == metav1.NamespaceSystem && set.Name == addresses.Plugin {
		e.addresses.allocator.Configure(set)
		e.retryAddresses()
	}
}

// TagSubnet sets the tag of a subnet by which the VPC CNI uses it beside the nodes' own ones. It is an UnknownError if there is no such subnet.
func (e *Engine) TagSubnet(c change.TagSubnet) error {
	subnet, found := e.World().Object(cluster.Subnet, "", c.Subnet).(*custom.Subnet)
	if !found {
		return outcome.UnknownError{Ref: c.Subject()}
	}
	tagged := *subnet
	_, tagged.Spec.RoleCNI, _ = strings.Cut(change.CNITag, "=")
	if err := e.Edit(cluster.Put(&tagged)); err != nil || e.addresses.allocator == nil {
		return err
	}
	e.addresses.allocator.Rediscover(e.World())
	e.offerAddresses()
	return nil
}

// DeleteInterface deletes a network interface. It is an UnknownError if there is none, and a RefusedError if EC2 would not do it.
//
// Source: https://docs.aws.amazon.com/AWSEC2/latest/APIReference/API_DeleteNetworkInterface.html.
func (e *Engine) DeleteInterface(c change.DeleteInterface) error {
	before := e.World()
	o, found := before.Object(cluster.NetworkInterface, "", c.Interface).(*custom.NetworkInterface)
	switch {
	case !found:
		return outcome.UnknownError{Ref: c.Subject()}
	case o.Spec.State != cloud.InterfaceAvailable || o.Spec.AttachedTo != "":
		return outcome.RefusedError{Object: c.Subject(), Err: cloud.ErrInterfaceInUse}
	case o.Spec.RequesterManaged || o.Spec.OperatorManaged:
		return outcome.RefusedError{Object: c.Subject(), Err: cloud.ErrInterfaceManaged}
	}
	edits := []cluster.Edit{cluster.Remove(o)}
	if subnet, known := before.Object(cluster.Subnet, "", o.Spec.Subnet).(*custom.Subnet); known {
		after := *subnet
		after.Spec.Free += o.Spec.Held()
		edits = append(edits, cluster.Put(&after))
	}
	if err := e.Edit(edits...); err != nil || e.addresses.allocator == nil {
		return err
	}
	e.addresses.allocator.Return(o.Spec, before, e.World())
	e.offerAddresses()
	return nil
}

// offerAddresses has the nodes on which no pod waits fill their pools with addresses that were not there before, and then tries the pods that wait again.
func (e *Engine) offerAddresses() {
	waited := map[string]bool{}
	for _, pod := range e.addresses.waiting {
		waited[pod.Spec.NodeName] = true
	}
	e.addresses.allocator.Compete(waited)
	e.retryAddresses()
}

// retryAddresses tries the pods that wait for an address again, after the scheduler has handled the pods that are queued now.
func (e *Engine) retryAddresses() {
	if len(e.addresses.waiting) > 0 && !e.addresses.pending {
		e.addresses.pending = true
		e.After(0, func(context.Context) error { return e.assignWaiting() })
	}
}

// assignWaiting starts the pods for which there is an address now.
func (e *Engine) assignWaiting() error {
	waiting := e.addresses.waiting
	e.addresses.waiting, e.addresses.pending = nil, false
	randomness.Shuffle(e.Randomness, waiting)
	for _, was := range waiting {
		pod := e.Pods.Get(was.Namespace, was.Name)
		if pod == nil || pod.UID != was.UID || pod.DeletionTimestamp != nil {
			continue
		}
		if err := e.startPod(pod); err != nil {
			return err
		}
	}
	return nil
}

// CountsAddresses reports whether addresses are counted.
func (e *Engine) CountsAddresses() bool { return e.addresses.allocator != nil }

// LaunchInstance launches the instance of a new node of a group, like that of another node, in a zone. It reports whether a subnet there has an
// address for it.
func (e *Engine) LaunchInstance(node, like, zone string) bool {
	return e.addresses.allocator == nil || e.addresses.allocator.Launch(node, like, zone)
}

// CountInstance counts what a node holds that was not counted so far, with the addresses of its pods, as far as there are some.
func (e *Engine) CountInstance(node, like, zone string) {
	if e.addresses.allocator == nil || !e.addresses.allocator.Launch(node, like, zone) {
		return
	}
	for _, pod := range e.Pods.OnNode(node) {
		if addresses.UsesAddress(pod) {
			e.addresses.allocator.Assign(node)
		}
	}
	e.addresses.allocator.Fill(node)
}

// FillPool gives a new node the addresses that the VPC CNI keeps free for pods.
func (e *Engine) FillPool(node string) {
	if e.addresses.allocator != nil {
		e.addresses.allocator.Fill(node)
	}
}

// MarkUnlaunched says that a group could not launch so many instances: no subnet had an address for them.
func (e *Engine) MarkUnlaunched(group string, instances int) {
	e.addresses.unlaunched[group] += instances
}

// AddressOutcome is how the free addresses of subnets changed, and what could not be launched.
func (e *Engine) AddressOutcome() outcome.Addresses {
	if e.addresses.allocator == nil {
		return outcome.Addresses{}
	}
	return outcome.Addresses{Subnets: e.addresses.allocator.Changes(), Unlaunched: e.addresses.unlaunched}
}
