package addresses

import (
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/version"

	"github.com/naosu-dev/naosu/internal/cluster"
)

// Plugin is the name of the VPC CNI's DaemonSet and of its container.
const Plugin = "aws-node"

// Settings are those of the VPC CNI that determine how many addresses a node holds.
//
// Source: https://github.com/aws/amazon-vpc-cni-k8s/blob/master/docs/eni-and-ip-target.md.
type Settings struct {
	// Known says that the DaemonSet was found. Otherwise, these are the defaults.
	Known bool `json:"known"`
	// WarmENI is the number of spare interfaces, WarmIP that of spare addresses, MinimumIP that of addresses for pods at least, and WarmPrefix that
	// of spare prefixes. WarmIP and MinimumIP take precedence if either is not zero.
	WarmENI    int `json:"warmENITarget"`
	WarmIP     int `json:"warmIPTarget"`
	MinimumIP  int `json:"minimumIPTarget"`
	WarmPrefix int `json:"warmPrefixTarget"`
	// MaxENI is the most interfaces of a node; zero is what its type allows.
	MaxENI int `json:"maxENI,omitempty"`
	// Prefixes says that nodes get prefixes of 16 addresses (/28).
	Prefixes bool `json:"prefixDelegation"`
	// Custom says that pods are in subnets of ENIConfigs, PodENI that pods may have branch interfaces, and IPv6 that pods have IPv6 addresses.
	Custom bool `json:"customNetworking"`
	PodENI bool `json:"podENI"`
	IPv6   bool `json:"ipv6"`
	// Discovery says that subnets with the tag kubernetes.io/role/cni=1 are used beside the node's own.
	Discovery bool `json:"subnetDiscovery"`
	// ENIConfigLabel and ENIConfigAnnotation are the keys of the label and annotation of a node that name its ENIConfig; empty if they are set to a key that
	// was not read.
	ENIConfigLabel      string `json:"eniConfigLabel,omitempty"`
	ENIConfigAnnotation string `json:"eniConfigAnnotation,omitempty"`
}

// maxTarget bounds the targets: more than any instance has addresses.
const maxTarget = 10_000

// settingsOf are those in the DaemonSet's template, or the defaults.
func settingsOf(world *cluster.Snapshot) Settings {
	if set := world.DaemonSet(metav1.NamespaceSystem, Plugin); set != nil {
		return settingsIn(set)
	}
	return Settings{WarmENI: 1, WarmPrefix: 1, Discovery: true, ENIConfigLabel: keyENIConfig, ENIConfigAnnotation: keyENIConfig}
}

// settingsIn are those in the template of the VPC CNI's DaemonSet.
func settingsIn(set *appsv1.DaemonSet) Settings {
	s := Settings{Known: true, WarmENI: 1, Discovery: true, ENIConfigLabel: keyENIConfig, ENIConfigAnnotation: keyENIConfig} // The plugin's default of warm prefixes is none; its manifest sets 1.
	for _, container := range set.Spec.Template.Spec.Containers {
		if container.Name == Plugin {
			for _, variable := range container.Env {
				s.set(variable)
			}
			s.Discovery = s.Discovery && discovers(container.Image)
		}
	}
	return s
}

func (s *Settings) set(variable corev1.EnvVar) {
	numbers := map[string]*int{
		"WARM_ENI_TARGET": &s.WarmENI, "WARM_IP_TARGET": &s.WarmIP, "MINIMUM_IP_TARGET": &s.MinimumIP, "WARM_PREFIX_TARGET": &s.WarmPrefix,
		"MAX_ENI": &s.MaxENI,
	}
	switches := map[string]*bool{
		"ENABLE_PREFIX_DELEGATION": &s.Prefixes, "AWS_VPC_K8S_CNI_CUSTOM_NETWORK_CFG": &s.Custom, "ENABLE_POD_ENI": &s.PodENI,
		"ENABLE_IPv6": &s.IPv6, "ENABLE_SUBNET_DISCOVERY": &s.Discovery,
	}
	if into, ok := numbers[variable.Name]; ok {
		if n, err := strconv.Atoi(variable.Value); err == nil && n >= 0 { // The CNI takes the default for anything else, too.
			*into = min(n, maxTarget)
		}
	}
	keys := map[string]*string{"ENI_CONFIG_LABEL_DEF": &s.ENIConfigLabel, "ENI_CONFIG_ANNOTATION_DEF": &s.ENIConfigAnnotation}
	if into, ok := keys[variable.Name]; ok {
		*into = ""
		if len(validation.IsQualifiedName(variable.Value)) == 0 { // Others are not kept in a Snapshot.
			*into = variable.Value
		}
	}
	if into, ok := switches[variable.Name]; ok {
		if on, err := strconv.ParseBool(variable.Value); err == nil {
			*into = on
		}
	}
}

// keyENIConfig is the default key of the label and annotation that name a node's ENIConfig.
const keyENIConfig = "k8s.amazonaws.com/eniConfig"

// firstDiscovery is the first version of the VPC CNI that uses subnets by their tag.
//
// Source: https://github.com/aws/amazon-vpc-cni-k8s#enable_subnet_discovery-v1180.
var firstDiscovery = version.MustParseGeneric("1.18")

// discovers says whether an image of the VPC CNI uses subnets by their tag. One whose tag is no version is taken for a recent one.
func discovers(image string) bool {
	v, err := version.ParseGeneric(image[strings.LastIndex(image, ":")+1:])
	return err != nil || v.AtLeast(firstDiscovery)
}

// targeted says that targets count addresses, and not whole interfaces or prefixes.
func (s Settings) targeted() bool { return s.WarmIP > 0 || s.MinimumIP > 0 }

// prefixSize is the number of addresses of a prefix.
const prefixSize = 16

// held is how many addresses of subnets a node holds for some pods, the interfaces' own included. Limits bound it: interfaces, and addresses of each.
func (s Settings) held(pods, interfaces, perInterface int) int {
	slots := perInterface - 1 // An interface's own address is not for pods.
	if interfaces < 1 || slots < 1 {
		return 0
	}
	if s.MaxENI > 0 {
		interfaces = min(interfaces, s.MaxENI)
	}
	// Without a target, the plugin acts once no address is spare.
	wanted := max(pods+s.WarmIP, s.MinimumIP)
	switch {
	case s.Prefixes && s.targeted():
		wanted = divideUp(wanted, prefixSize)
	case s.Prefixes:
		wanted = divideUp(pods+max(1, s.WarmPrefix*prefixSize), prefixSize)
	case !s.targeted():
		used := min(divideUp(pods+max(1, s.WarmENI*slots), slots), interfaces)
		return max(used, 1) * perInterface
	}
	wanted = max(0, min(wanted, interfaces*slots))
	used := max(divideUp(wanted, slots), 1)
	if s.Prefixes {
		wanted *= prefixSize
	}
	return used + wanted
}

func divideUp(a, b int) int { return (a + b - 1) / b }

// Pool is a warm pool of fewer addresses, and how many of a subnet it saves.
type Pool struct {
	WarmIP, MinimumIP int
	Saved             int64
}

// The targets of a smaller pool: the VPC CNI's documentation advises a minimum of about the pods of a node, and some more for new ones, so that
// EC2 is called seldom.
const (
	fewWarm      = 5
	leastMinimum = 10
)

// SmallerPool is what a warm pool by addresses would save of a subnet, against one by interfaces. Saved is zero if the pool is by addresses
// already, or would save nothing.
func (r *Report) SmallerPool(s *Subnet) Pool {
	if r.Settings.Prefixes || r.Settings.WarmIP > 0 || r.Settings.MinimumIP > 0 || s.Warm == 0 {
		return Pool{}
	}
	pods, nodes := 0, 0
	for _, n := range r.Nodes {
		if n.Judged && n.MaxInterfaces > 0 {
			pods, nodes = pods+n.Pods, nodes+1
		}
	}
	if nodes == 0 {
		return Pool{}
	}
	pool := Pool{WarmIP: fewWarm, MinimumIP: max(leastMinimum, divideUp(pods, nodes))}
	smaller := Settings{WarmIP: pool.WarmIP, MinimumIP: pool.MinimumIP}
	for _, n := range r.Nodes {
		if n.Subnet == s.ID && n.Judged && n.MaxInterfaces > 0 {
			pool.Saved += max(0, int64(n.Slots+n.Interfaces-smaller.held(n.Pods, n.MaxInterfaces, n.AddressesPerInterface)))
		}
	}
	return pool
}
