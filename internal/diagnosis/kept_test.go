package diagnosis_test

import (
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis"
)

// TestNodesAutoscalersKeep and what else lies between a pod and its node: one thing is changed in a cluster, and what is told must
// follow.
func TestNodesAutoscalersKeep(t *testing.T) {
	karpenter := change.Ref{Kind: "Node", Name: "ip-10-3-164-0.ec2.internal"}
	devices := change.Ref{Kind: "Pod", Namespace: "dra", Name: "gpu-pod2"}
	format := change.Ref{Kind: "Pod", Namespace: "kube-system", Name: "node-problem-detector-7z8x7"}
	volume := change.Ref{Kind: "Pod", Namespace: "data", Name: "web-27"}
	job := change.Ref{Kind: "Job", Namespace: "default", Name: "sample-job-x"}
	annotated := func(key, value string) func(runtime.Object) {
		return on(func(p *corev1.Pod) { p.Annotations = map[string]string{key: value} })
	}
	says := func(words string) func(runtime.Object) { return on(func(e *corev1.Event) { e.Message = words }) }
	for name, tc := range map[string]struct {
		file  string
		about change.Ref
		edit  func(runtime.Object)
		says  string
		not   bool
	}{
		"a budget":                   {"upstream/karpenter-8164", karpenter, nil, "allows no eviction now: 2 of its pods are healthy, and 2 are required", false},
		"a budget, as told now":      {"upstream/karpenter-8164", karpenter, says("Pdb prevents pod evictions (PodDisruptionBudget=[example/ingress-controller-pdb])"), "allows no eviction now", false},
		"a budget that is not there": {"upstream/karpenter-8164", karpenter, says("pdb \"example/other\" prevents pod evictions"), "eviction now", true},
		"a budget that allows again": {"upstream/karpenter-8164", karpenter, on(func(b *policyv1.PodDisruptionBudget) { b.Status.DisruptionsAllowed = 1 }), "allows 1 eviction now", false},
		"words that are a path":      {"upstream/karpenter-8164", karpenter, says("../../etc/passwd example//x / /"), "it cannot remove or replace", false},
		"told by another":            {"upstream/karpenter-8164", karpenter, on(func(e *corev1.Event) { e.Source.Component = "mallory" }), "According to", true},
		"not cheaper":                {"upstream/karpenter-8164", karpenter, on(func(e *corev1.Event) { e.Reason, e.Message = "Unconsolidatable", "Can't replace with a cheaper node" }), "it cannot consolidate node/ip-10-3-164-0.ec2.internal: Can't replace with a cheaper node", false},
		"a pod not to be disrupted":  {"upstream/karpenter-8164", karpenter, annotated("karpenter.sh/do-not-disrupt", "true"), "does not drain node/ip-10-3-164-0.ec2.internal while", false},
		"a pod that may be":          {"upstream/karpenter-8164", karpenter, annotated("karpenter.sh/do-not-disrupt", "false"), "does not drain", true},
		"the other one's annotation": {"upstream/karpenter-8164", karpenter, annotated("cluster-autoscaler.kubernetes.io/safe-to-evict", "false"), "does not drain", true},
		"a node to be left":          {"upstream/karpenter-8164", karpenter, on(func(n *corev1.Node) { n.Annotations = map[string]string{"karpenter.sh/do-not-disrupt": "true"} }), "Karpenter does not remove node/ip-10-3-164-0.ec2.internal", false},
		"of another autoscaler": {"upstream/karpenter-8164", karpenter, on(func(n *corev1.Node) {
			n.Labels = nil
			n.Annotations = map[string]string{"cluster-autoscaler.kubernetes.io/scale-down-disabled": "true"}
		}), "cluster-autoscaler does not remove", false},

		"no template":           {"status/device-claims", devices, nil, "does not exist in namespace dra", false},
		"its template is there": {"status/device-claims", devices, on(func(r *resourcev1.ResourceClaimTemplate) { r.Name = "gpuu" }), "does not exist", true},
		"its claim is there": {"status/device-claims", devices, on(func(p *corev1.Pod) {
			p.Status.ResourceClaimStatuses = []corev1.PodResourceClaimStatus{{Name: "gpu", ResourceClaimName: new("gpu-x")}}
		}), "resourceclaimtemplate/gpuu", true},
		"no such claim": {"status/device-claims", devices, on(func(p *corev1.Pod) {
			p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu", ResourceClaimName: new("shared")}}
		}), "resourceclaim/shared, which it names for its claim gpu, does not exist", false},
		"neither claim nor other": {"status/device-claims", devices, on(func(p *corev1.Pod) { p.Spec.ResourceClaims = []corev1.PodResourceClaim{{Name: "gpu"}} }), "does not exist", true},

		"another architecture":          {"upstream/node-problem-detector-797", format, nil, `"kubernetes.io/arch":"amd64"`, false},
		"no other is up":                {"upstream/node-problem-detector-797", format, on(func(n *corev1.Node) { n.Status.Conditions = nil }), "kubectl patch", true},
		"all of one architecture":       {"upstream/node-problem-detector-797", format, on(func(n *corev1.Node) { n.Labels["kubernetes.io/arch"] = "arm64" }), "kubectl patch", true},
		"of another system":             {"upstream/node-problem-detector-797", format, on(func(n *corev1.Node) { n.Labels["kubernetes.io/os"] = n.Name }), "kubectl patch", true},
		"another way to end":            {"upstream/node-problem-detector-797", format, on(func(p *corev1.Pod) { p.Status.ContainerStatuses[0].LastTerminationState.Terminated.Message = "" }), "exec format", true},
		"a pod that nothing makes anew": {"upstream/node-problem-detector-797", format, on(func(p *corev1.Pod) { p.OwnerReferences = nil }), "kubectl patch", true},

		"as many as there can be": {"upstream/aws-ebs-csi-driver-1728", volume, nil, "1 attachment is left for network interfaces", false},
		"its driver knows":        {"upstream/aws-ebs-csi-driver-1728", volume, on(func(n *storagev1.CSINode) { n.Spec.Drivers[0].Allocatable.Count = new(int32(25)) }), "EC2 attaches", true},
		"full by its own count":   {"upstream/aws-ebs-csi-driver-1728", volume, on(func(n *storagev1.CSINode) { n.Spec.Drivers[0].Allocatable.Count = new(int32(25)) }), "has 27 volumes of ebs.csi.aws.com attached; its CSINode allows 25", false},
		"no count":                {"upstream/aws-ebs-csi-driver-1728", volume, on(func(n *storagev1.CSINode) { n.Spec.Drivers[0].Allocatable = nil }), "its CSINode", true},
		"ample room":              {"upstream/aws-ebs-csi-driver-1728", volume, on(func(a *storagev1.VolumeAttachment) { a.Status.Attached = strings.HasSuffix(a.Name, "7") }), "its CSINode", true},

		"not admitted":           {"upstream/kueue-3108", job, nil, "Kueue has not admitted workload/job-sample-job-x-1", false},
		"another's":              {"upstream/kueue-3108", job, on(func(w *custom.Workload) { w.OwnerReferences[0].UID = "other" }), "Kueue has no Workload for it, although it names the LocalQueue user-queue", false},
		"out of the queue":       {"upstream/kueue-3108", job, on(func(w *custom.Workload) { w.Spec.Active = new(false) }), "spec.active is false", false},
		"waiting for its checks": {"upstream/kueue-3108", job, on(func(w *custom.Workload) { w.Status.Conditions[0].Status = "True" }), "waits for its admission checks", false},
		"nothing said of it":     {"upstream/kueue-3108", job, on(func(w *custom.Workload) { w.Status.Conditions = nil }), "Kueue has not admitted workload/job-sample-job-x-1 (LocalQueue user-queue).", false},
		"more than there is":     {"upstream/kueue-3108", job, nil, "Kueue never admits more than the maximum capacity", false},
		"more than is free": {"upstream/kueue-3108", job, on(func(w *custom.Workload) {
			w.Status.Conditions[0].Message = "couldn't assign flavors to pod set main: insufficient unused quota for cpu in flavor default-flavor, 3 more needed"
		}), "wait until other Workloads of the queue have finished", false},
		"of another namespace too": {"upstream/kueue-3108", job, on(func(w *custom.Workload) { w.Namespace = "other" }), "has not admitted", true},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, "testdata/"+tc.file+".yaml")
			for _, o := range objects {
				if tc.edit != nil {
					tc.edit(o)
				}
			}
			e := diagnosis.Explain(t.Context(), question(t, objects, everything(), &tc.about))
			if said := answerOf(e); strings.Contains(said, tc.says) == tc.not {
				t.Errorf("%q is said: %t; in %s", tc.says, !tc.not, said)
			}
		})
	}
}
