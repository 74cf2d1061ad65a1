package status

import (
	"slices"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis/facts"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/kube"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// driverNotRegistered explains a volume whose CSI driver is not registered on the pod's node: whether the driver's DaemonSet has a pod
// there, and why not.
func (s *Status) driverNotRegistered(held *bool, pod *corev1.Pod, m facts.Mount) {
	driver := m.Volume.Spec.CSI.Driver
	csi := change.Ref{Kind: string(cluster.CSINode), Name: pod.Spec.NodeName}
	s.setHeld(held, pod, sentence.DriverMissing(s.ref, driver, facts.NodeRef(pod.Spec.NodeName), facts.RefTo(cluster.PersistentVolumeClaim, m.Claim)), facts.Evidence(csi, "spec.drivers", driverNames(s.World.CSINode(pod.Spec.NodeName))))
	if !s.Known(cluster.DaemonSet) {
		s.AddUnknownKinds(cluster.DaemonSet)
		return
	}
	i := slices.IndexFunc(s.World.DaemonSets(), func(set *appsv1.DaemonSet) bool { return runsDriver(set, driver) })
	if i < 0 {
		s.addCause(sentence.DriverUnseen(driver))
		return
	}
	s.explainDriverPod(s.World.DaemonSets()[i], pod.Spec.NodeName)
}

// runsDriver reports whether a DaemonSet is the node plugin of a CSI driver: its pods mount the driver's directory in the kubelet's
// plugin directory (kubernetes-csi.github.io/docs/node-driver-registrar), or its name is known.
func runsDriver(set *appsv1.DaemonSet, driver string) bool {
	spec := set.Spec.Template.Spec
	if slices.ContainsFunc(spec.Volumes, func(v corev1.Volume) bool {
		return v.HostPath != nil && strings.Contains(v.HostPath.Path+"/", "/plugins/"+driver+"/")
	}) {
		return true
	}
	agent, ok := facts.StartupAgentOf(corev1.Taint{Key: driver + "/agent-not-ready"})
	return ok && agent.DaemonSet != "" && agent.DaemonSet == set.Name
}

// explainDriverPod explains the state of the driver's pod on a node.
func (s *Status) explainDriverPod(set *appsv1.DaemonSet, node string) {
	ref := facts.RefTo(cluster.DaemonSet, set)
	pods := s.World.PodsOf(set.UID)
	if i := slices.IndexFunc(pods, func(p *corev1.Pod) bool { return kube.TargetNodeName(p) == node }); i >= 0 {
		s.addCause(sentence.DriverPod(ref, set.Namespace, IsWell(pods[i]), facts.RefTo(cluster.Pod, pods[i]), PodState(pods[i])), stateEvidence(pods[i]))
		return
	}
	_, excluded := s.daemonNodes(set, pods)
	for _, why := range []message.ID{message.ObstacleSelector, message.ObstacleTainted} {
		if slices.Contains(excluded[why], facts.NodeRef(node)) {
			s.addCause(sentence.DriverExcluded(ref, set.Namespace, facts.NodeRef(node), query.CountObstacle(why, 1, nil)), s.excludedBy(ref, set, node)...)
			s.joinLastCause()
			s.advise(sentence.RemedyDriverNode(ref, set.Namespace, facts.NodeRef(node)))
			return
		}
	}
	s.addCause(sentence.DriverNoPod(ref, set.Namespace, facts.NodeRef(node)))
}

// excludedBy are the template's node selector, affinity and tolerations, and the node's labels that they refer to, as evidence.
func (s *Status) excludedBy(ref change.Ref, set *appsv1.DaemonSet, name string) []finding.Evidence {
	all := daemonTerms(ref, set)
	node := s.World.Node(name)
	for _, key := range facts.SelectorKeys(&corev1.Pod{Spec: set.Spec.Template.Spec}) {
		all = append(all, facts.Evidence(facts.RefTo(cluster.Node, node), "metadata.labels["+key+"]", node.Labels[key]))
	}
	return all
}
