package vpccni

import (
	"slices"
	"strconv"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// The DaemonSet whose environment holds the settings, in kube-system, and its container.
const daemonSetName = "aws-node"

// settings are environment variables of the plugin.
// https://github.com/aws/amazon-vpc-cni-k8s#cni-configuration-variables
type settings struct {
	warmENITarget   int    // WARM_ENI_TARGET
	warmIPTarget    int    // WARM_IP_TARGET
	minimumIPTarget int    // MINIMUM_IP_TARGET
	maxENI          int    // MAX_ENI; zero is the instance type's limit
	clusterName     string // CLUSTER_NAME
	subnetDiscovery bool   // ENABLE_SUBNET_DISCOVERY
	cordonedToo     bool   // AWS_MANAGE_ENIS_NON_SCHEDULABLE
	noCleanup       bool   // DISABLE_LEAKED_ENI_CLEANUP
}

// settingsOf reads them; nil is a cluster without the DaemonSet. As in the real one, a value that is no number, or below zero, is the
// default's.
func settingsOf(set *appsv1.DaemonSet) settings {
	env := map[string]string{}
	if set != nil {
		containers := set.Spec.Template.Spec.Containers
		if i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == daemonSetName }); i >= 0 {
			for _, e := range containers[i].Env {
				env[e.Name] = e.Value
			}
		}
	}
	number := func(name string, otherwise int) int {
		if n, err := strconv.Atoi(env[name]); err == nil && n >= 0 {
			return n
		}
		return otherwise
	}
	flag := func(name string, otherwise bool) bool {
		if value, err := strconv.ParseBool(env[name]); err == nil {
			return value
		}
		return otherwise
	}
	return settings{
		warmENITarget: number("WARM_ENI_TARGET", 1), warmIPTarget: number("WARM_IP_TARGET", 0), minimumIPTarget: number("MINIMUM_IP_TARGET", 0),
		maxENI: number("MAX_ENI", 0), clusterName: env["CLUSTER_NAME"], subnetDiscovery: flag("ENABLE_SUBNET_DISCOVERY", true),
		cordonedToo: flag("AWS_MANAGE_ENIS_NON_SCHEDULABLE", false), noCleanup: flag("DISABLE_LEAKED_ENI_CLEANUP", false),
	}
}
