package vpccni

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// The machines are m5.large: nine addresses for pods on each interface, 29 pods.
func TestPool(t *testing.T) {
	whole := settings{warmENITarget: 1}
	byAddress := settings{warmIPTarget: 5, minimumIPTarget: 10}
	for name, tc := range map[string]struct {
		settings
		total, assigned int
		low             bool
		wanted, over    int
		spare           bool
	}{
		"a new machine":                      {whole, 0, 0, true, 9, 0, false},
		"no pod yet":                         {whole, 9, 0, false, 9, 0, false},
		"a first pod takes from the reserve": {whole, 9, 1, true, 9, 0, false},
		"one interface in reserve":           {whole, 18, 9, false, 9, 0, false},
		"two in reserve":                     {whole, 18, 0, false, 9, 0, true},
		"as many addresses as pods":          {whole, 29, 29, false, 9, 0, false},
		"no reserve wanted":                  {settings{}, 9, 8, false, 9, 0, false},
		"no reserve wanted, none left":       {settings{}, 9, 9, true, 9, 0, false},
		"two interfaces in reserve wanted":   {settings{warmENITarget: 2}, 18, 1, true, 9, 0, false},
		"the least":                          {byAddress, 0, 0, true, 9, 0, true},
		"at the least":                       {byAddress, 10, 5, false, 0, 0, true},
		"some short":                         {byAddress, 10, 7, true, 2, 0, true},
		"too many":                           {byAddress, 18, 3, false, 0, 8, true},
		"too many, but for the least":        {byAddress, 12, 0, false, 0, 2, true},
	} {
		p := pool{settings: tc.settings, total: tc.total, assigned: tc.assigned, perInterface: 9, maxPods: 29}
		if p.tooLow() != tc.low || p.wanted(0) != tc.wanted || p.over() != tc.over || p.hasSpareInterface() != tc.spare {
			t.Errorf("%s: too low %t, wanted %d, over %d, spare %t; want %t, %d, %d, %t", name,
				p.tooLow(), p.wanted(0), p.over(), p.hasSpareInterface(), tc.low, tc.wanted, tc.over, tc.spare)
		}
	}
	for _, tc := range []struct {
		settings
		total, assigned, addresses int
		want                       bool
	}{
		{whole, 18, 0, 9, true},
		{byAddress, 18, 3, 9, false}, // nine addresses are less than the least
		{byAddress, 27, 3, 9, true},
		{settings{warmIPTarget: 5}, 18, 5, 9, false}, // four would be in reserve
	} {
		p := pool{settings: tc.settings, total: tc.total, assigned: tc.assigned, perInterface: 9, maxPods: 29}
		if got := p.spares(tc.addresses); got != tc.want {
			t.Errorf("%+v spares %d addresses: %t, want %t", p, tc.addresses, got, tc.want)
		}
	}
}

func TestSettings(t *testing.T) {
	defaults := settings{warmENITarget: 1, subnetDiscovery: true}
	with := func(env ...corev1.EnvVar) *appsv1.DaemonSet {
		set := &appsv1.DaemonSet{}
		set.Spec.Template.Spec.Containers = []corev1.Container{{Name: "aws-eks-nodeagent"}, {Name: "aws-node", Env: env}}
		return set
	}
	for name, tc := range map[string]struct {
		set  *appsv1.DaemonSet
		want settings
	}{
		"no DaemonSet":      {nil, defaults},
		"another container": {&appsv1.DaemonSet{}, defaults},
		"all": {with(
			corev1.EnvVar{Name: "WARM_ENI_TARGET", Value: "0"}, corev1.EnvVar{Name: "WARM_IP_TARGET", Value: "5"},
			corev1.EnvVar{Name: "MINIMUM_IP_TARGET", Value: "10"}, corev1.EnvVar{Name: "MAX_ENI", Value: "2"},
			corev1.EnvVar{Name: "CLUSTER_NAME", Value: "shop"}, corev1.EnvVar{Name: "ENABLE_SUBNET_DISCOVERY", Value: "false"},
			corev1.EnvVar{Name: "AWS_MANAGE_ENIS_NON_SCHEDULABLE", Value: "true"}, corev1.EnvVar{Name: "DISABLE_LEAKED_ENI_CLEANUP", Value: "true"},
		), settings{0, 5, 10, 2, "shop", false, true, true}},
		"no numbers": {with(corev1.EnvVar{Name: "WARM_ENI_TARGET", Value: "one"}, corev1.EnvVar{Name: "WARM_IP_TARGET", Value: "-1"}), defaults},
	} {
		if got := settingsOf(tc.set); got != tc.want {
			t.Errorf("%s: %+v, want %+v", name, got, tc.want)
		}
	}
}
