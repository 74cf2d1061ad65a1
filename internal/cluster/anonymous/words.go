package anonymous

import (
	_ "embed"
	"regexp"
	"strings"
)

// commonParts are parts of names that are not confidential: Kubernetes' kinds and components, the clouds' products, and parts of the names that
// they generate.
const commonParts = `
apps batch default kube public system kubernetes k8s io com net org sh dev internal local svc cluster ec2 compute
node nodes pod pods namespace container containers deployment deployments replicaset replicasets statefulset statefulsets
daemonset daemonsets job jobs cronjob cronjobs service services serviceaccount serviceaccounts event events lease leases secret secrets configmap configmaps
persistentvolume persistentvolumes persistentvolumeclaim persistentvolumeclaims storageclass volume volumes claim claims
volumeattachment csinode csidriver poddisruptionbudget priorityclass resourcequota limitrange resourceclaim count
spec status metadata name names label labels taint taints toleration tolerations affinity selector zone region
scheduler controller manager apiserver kubelet proxy cloud autoscaler horizontal descheduler karpenter attacher provisioner
external resizer snapshotter proportional vertical cpvpa critical eviction protection finalizer role restriction
control plane master worker etcd infra
aws ebs efs csi gcp gke pd azure disk file eks vpc cni eksctl nodegroup nodegroups nodepool nodepools
requests limits cpu memory storage ephemeral target config true false null yes no
attachdetach lifecycle endpoint garbage collector ttl pvc pv vol i
foregroundDeletion orphan host hostname ip containerd docker sha256 ext3 ext4 xfs termination log
v1 v2 v1beta1 v1beta2 v1alpha1 autoscaling policy extensions
image images linux windows amd64 arm64 http https device attributes capacity quantity compareTo driver
naosu agent detector problem monitoring cilium ccm
eni subnet K8S
ENABLE WARM ENI IP PREFIX TARGET MINIMUM DELEGATION POD SUBNET DISCOVERY AWS VPC CNI CUSTOM NETWORK CFG IPv6 MAX ENI CONFIG LABEL ANNOTATION DEF eniConfig externalEniConfig
`

// kubernetesWords are the words of the messages of Kubernetes, its autoscalers, the container runtimes and agents on nodes.
//
//go:embed kubernetes-words.txt
var kubernetesWords string

func setOf(words string) map[string]bool {
	set := map[string]bool{}
	for word := range strings.FieldsSeq(words) {
		set[word] = true
	}
	return set
}

// ownDomains are the domains of labels, resources, finalizers and drivers that are not confidential, because many clusters have them.
var ownDomains = []string{
	"kubernetes.io", "k8s.io", "k8s.aws", "amazonaws.com", "aws.com", "gke.io", "google.com", "azure.com", "windows.com",
	"karpenter.sh", "eksctl.io", "nvidia.com", "amd.com", "intel.com", "cilium.io", "virtual-kubelet.io", "naosu.dev",
}

// freeDomains are those of ownDomains below which users choose names.
//
// Source: kubernetes.io/docs/reference/labels-annotations-taints.
var freeDomains = []string{"node-role.kubernetes.io", "node-restriction.kubernetes.io"}

// isOwn says whether a qualified name (domain/name, or a domain alone, as drivers have it) is of one of ownDomains.
func isOwn(name string) bool {
	domain, _, _ := strings.Cut(name, "/")
	return isBelow(domain, ownDomains) && !isBelow(domain, freeDomains)
}

func isBelow(domain string, parents []string) bool {
	for _, parent := range parents {
		if domain == parent || strings.HasSuffix(domain, "."+parent) {
			return true
		}
	}
	return false
}

// plainLabels are keys without a domain that many clusters have.
var plainLabels = setOf(`app name component tier role env version k8s-app pod-template-hash controller-revision-hash
pod-template-generation controller-uid job-name type`)

// publicLabels are labels, or prefixes of labels, whose values are locations, machine types and the like.
var publicLabels = []string{
	"topology.", "failure-domain.beta.kubernetes.io/", "node.kubernetes.io/instance-type", "beta.kubernetes.io/", "kubernetes.io/arch",
	"kubernetes.io/os", "karpenter.sh/capacity-type", "karpenter.k8s.aws/instance-", "eks.amazonaws.com/capacityType", "eks.amazonaws.com/compute-type",
	"cloud.google.com/gke-spot", "cloud.google.com/gke-preemptible", "cloud.google.com/machine-family", "kubernetes.azure.com/scalesetpriority",
	"apps.kubernetes.io/pod-index", "batch.kubernetes.io/job-completion-index",
}

// publicValues matches the values of such labels that clouds define: zones and regions, machine types and the like. On-premises clusters have
// values of their own, which are replaced.
//
// Sources: the clouds' lists of regions and machine types.
var publicValues = regexp.MustCompile(`^(?:` + strings.Join([]string{
	`(?:us|eu|ap|sa|ca|me|af|il|mx|cn|us-gov)(?:-(?:north|south|east|west|central|northeast|southeast|northwest|southwest))+-\d(?:-[a-z]+-\d)?[a-z]?`, // AWS
	`[a-z]{3,4}\d-az\d`, // AWS zone IDs
	`(?:us|europe|asia|australia|northamerica|southamerica|me|africa)-(?:north|south|east|west|central|northeast|southeast|northwest|southwest)\d+(?:-[a-z])?`,                                                                                                      // Google
	`(?:(?:us|eu|asia|australia|uk|uae|japan|korea|canada|brazil|france|germany|norway|sweden|switzerland|southafrica|qatar|poland|italy|israel|spain|mexico|india|northcentral|southcentral|westcentral|north|south|east|west|central|southeast|jio)+\d?)(?:-\d)?`, // Azure
	`[a-z]+\d+[a-z]*(?:-[a-z0-9]+)?\.(?:nano|micro|small|medium|large|\d*xlarge|metal(?:-\d+xl)?)`,                                                                                                                                                                  // AWS
	`[a-z]\d[a-z]?-(?:standard|highmem|highcpu|ultramem|megamem|micro|small|medium|custom)(?:-[0-9a-z]+)*`,                                                                                                                                                          // Google
	`Standard_[A-Z]+\d+[0-9a-zA-Z_-]*`, // Azure
	`\d{1,7}|true|false|amd64|arm64|linux|windows|fargate|spot|on-demand|reserved|SPOT|ON_DEMAND|regular|nitro|xen|nvme|[a-z]\d?[a-z]{0,3}|\d*xlarge|large|medium|small|micro|nano|metal|amd|intel|amazon|nvidia`,
}, "|") + `)$`)

// isPublic says whether the value of a label is not confidential.
func isPublic(label, value string) bool {
	if label == "type" && value == "virtual-kubelet" { // The value of virtual nodes.
		return true
	}
	for _, known := range publicLabels {
		if strings.HasPrefix(label, known) {
			return isOwn(label) && publicValues.MatchString(value)
		}
	}
	return false
}
