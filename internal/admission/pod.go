package admission

import (
	"fmt"

	corev1 "k8s.io/api/core/v1"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/kubernetes/pkg/apis/core"
	"k8s.io/kubernetes/plugin/pkg/admission/limitranger"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// Limits returns the error with which the LimitRanger plugin rejects a pod, given the LimitRanges of its namespace; nil if it admits the pod. The
// defaults of the LimitRanges are set in the pod.
func Limits(pod *corev1.Pod, ranges []*corev1.LimitRange) error {
	if len(ranges) == 0 {
		return nil
	}
	converted, known := internal(pod)
	if !known {
		return nil
	}
	for _, one := range ranges {
		if err := limitranger.PodValidateLimitFunc(one, converted.(*core.Pod)); err != nil {
			return err
		}
	}
	return nil
}

// podSecurityChecks are the latest checks of Pod Security Admission.
var podSecurityChecks = func() policy.Evaluator {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	utilruntime.Must(err) // The checks are those of the library itself.
	return evaluator
}()

// Security returns the error with which Pod Security Admission rejects a pod in a namespace with these labels; nil if it admits the pod. The
// exemptions and defaults of the server's configuration are unknown, and assumed to be none.
func Security(pod *corev1.Pod, namespace map[string]string) error {
	if namespace[api.EnforceLevelLabel] == "" {
		return nil
	}
	free := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	asked, _ := api.PolicyToEvaluate(namespace, api.Policy{Enforce: free, Audit: free, Warn: free}) // A level that cannot be parsed is enforced as restricted.
	result := policy.AggregateCheckResults(podSecurityChecks.EvaluatePod(asked.Enforce, &pod.ObjectMeta, &pod.Spec))
	if result.Allowed {
		return nil
	}
	return fmt.Errorf("violates PodSecurity %q: %s", asked.Enforce.String(), result.ForbiddenDetail())
}
