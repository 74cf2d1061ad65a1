package kube_test

import (
	"testing"

	corev1 "k8s.io/api/core/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

func TestToleratesAll(t *testing.T) {
	taint := func(key, value string, effect corev1.TaintEffect) corev1.Taint {
		return corev1.Taint{Key: key, Value: value, Effect: effect}
	}
	for name, tc := range map[string]struct {
		taints      []corev1.Taint
		tolerations []corev1.Toleration
		want        bool
	}{
		"no taints":                      {want: true},
		"a preference repels nobody":     {taints: []corev1.Taint{taint("a", "", corev1.TaintEffectPreferNoSchedule)}, want: true},
		"NoSchedule":                     {taints: []corev1.Taint{taint("a", "", corev1.TaintEffectNoSchedule)}},
		"NoExecute":                      {taints: []corev1.Taint{taint("a", "", corev1.TaintEffectNoExecute)}},
		"no key with Exists is each":     {taints: []corev1.Taint{taint("a", "x", corev1.TaintEffectNoExecute), taint("b", "", corev1.TaintEffectNoSchedule)}, tolerations: []corev1.Toleration{{Operator: corev1.TolerationOpExists}}, want: true},
		"no effect is each effect":       {taints: []corev1.Taint{taint("a", "x", corev1.TaintEffectNoExecute)}, tolerations: []corev1.Toleration{{Key: "a", Value: "x"}}, want: true},
		"another effect":                 {taints: []corev1.Taint{taint("a", "x", corev1.TaintEffectNoExecute)}, tolerations: []corev1.Toleration{{Key: "a", Value: "x", Effect: corev1.TaintEffectNoSchedule}}},
		"no operator compares the value": {taints: []corev1.Taint{taint("a", "x", corev1.TaintEffectNoSchedule)}, tolerations: []corev1.Toleration{{Key: "a"}}},
		"one of two":                     {taints: []corev1.Taint{taint("a", "", corev1.TaintEffectNoSchedule), taint("b", "", corev1.TaintEffectNoSchedule)}, tolerations: []corev1.Toleration{{Key: "a", Operator: corev1.TolerationOpExists}}},
	} {
		t.Run(name, func(t *testing.T) {
			if got := kube.ToleratesAll(tc.tolerations, tc.taints); got != tc.want {
				t.Errorf("got %v, want %v", got, tc.want)
			}
		})
	}
}
