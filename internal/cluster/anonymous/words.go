package anonymous

import "strings"

// vocabulary are words that stand for nothing of one's own: Kubernetes' kinds and components, the clouds' products, and
// what they make names and sentences of.
const vocabulary = `
apps batch default kube public system kubernetes k8s io com net org sh dev internal local svc cluster ec2 compute
node nodes pod pods namespace container containers deployment deployments replicaset replicasets statefulset statefulsets
daemonset daemonsets job jobs cronjob cronjobs service services event events lease leases secret secrets configmap
persistentvolume persistentvolumes persistentvolumeclaim persistentvolumeclaims storageclass volume volumes claim claims
volumeattachment csinode csidriver poddisruptionbudget priorityclass resourcequota limitrange resourceclaim
spec status metadata name names label labels taint taints toleration tolerations affinity selector zone region
scheduler controller manager apiserver kubelet proxy cloud autoscaler descheduler karpenter attacher provisioner external
resizer snapshotter proportional vertical cpvpa critical eviction protection finalizer
aws ebs efs csi gcp gke pd azure disk eks vpc cni eksctl nodegroup nodegroups nodepool nodepools
target config file requests limits cpu memory storage ephemeral base step max min nodesPerStep coresPerStep poll period
seconds logtostderr stderrthreshold true false null yes no all v
attachdetach lifecycle endpoint garbage collector ttl pvc pv vol i
foregroundDeletion orphan host hostname ip docker containerd sha256 registry https http tcp udp
the a an of on in at to is are was were be been it its and or not no for with by from as that this than had has have
did didn doesn t s m match matched available insufficient untolerated unschedulable conflict conflicts preemption preempted
victims found help scheduling scheduled bind bound unbound immediate must already exists exceeded quota used limited forbidden
failed error timed out waiting attach attached detach detached multi mount mounting unmounted pulling pulled image images
successfully assigned created started killing stopping container back off restarting deleting deleted evicted terminated
OOMKilled Kubernetes Pod Node Deployment ReplicaSet StatefulSet DaemonSet Job CronJob PersistentVolume PersistentVolumeClaim
`

// ownDomains are those whose labels, resources, finalizers and drivers everybody's clusters have.
var ownDomains = []string{
	"kubernetes.io", "k8s.io", "k8s.aws", "amazonaws.com", "aws.com", "aws", "gke.io", "google.com", "azure.com",
	"karpenter.sh", "eksctl.io", "nvidia.com", "amd.com", "intel.com", "naosu.dev",
}

// isOwn says whether a qualified name (domain/name, or a bare domain, as drivers have it) is of such a domain.
func isOwn(name string) bool {
	domain, _, _ := strings.Cut(name, "/")
	for _, own := range ownDomains {
		if domain == own || strings.HasSuffix(domain, "."+own) {
			return true
		}
	}
	return false
}

// plainLabels are keys without a domain that many clusters have.
var plainLabels = map[string]bool{
	"app": true, "name": true, "component": true, "tier": true, "role": true, "env": true, "version": true, "k8s-app": true,
	"pod-template-hash": true, "controller-revision-hash": true, "pod-template-generation": true, "controller-uid": true, "job-name": true,
}

// harmless are labels, or beginnings of labels, whose values say where and on what something runs, and not what it is.
var harmless = []string{
	"topology.", "failure-domain.beta.kubernetes.io/", "node.kubernetes.io/instance-type", "beta.kubernetes.io/", "kubernetes.io/arch",
	"kubernetes.io/os", "kubernetes.io/role", "node-role.kubernetes.io/", "karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-",
	"eks.amazonaws.com/capacityType", "cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible", "cloud.google.com/machine-family",
	"kubernetes.azure.com/scalesetpriority", "apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index",
}

func isHarmless(label string) bool {
	for _, known := range harmless {
		if strings.HasPrefix(label, known) {
			return isOwn(label)
		}
	}
	return false
}
