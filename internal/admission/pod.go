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

// Limits is what LimitRanges of a pod's namespace have against it, in the words of the LimitRanger plugin; nil if nothing. What
// they fill in is filled in.
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

// checks are those of Pod Security Admission at their newest.
var checks = func() policy.Evaluator {
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	utilruntime.Must(err) // The checks are those of the library itself.
	return evaluator
}()

// Security is what Pod Security Admission has against a pod in a namespace with these labels, in its words; nil if nothing. What
// the server's configuration exempts or enforces by default is not known, and taken to be nothing.
func Security(pod *corev1.Pod, namespace map[string]string) error {
	if namespace[api.EnforceLevelLabel] == "" {
		return nil
	}
	free := api.LevelVersion{Level: api.LevelPrivileged, Version: api.LatestVersion()}
	asked, _ := api.PolicyToEvaluate(namespace, api.Policy{Enforce: free, Audit: free, Warn: free}) // What cannot be read is enforced as restricted.
	result := policy.AggregateCheckResults(checks.EvaluatePod(asked.Enforce, &pod.ObjectMeta, &pod.Spec))
	if result.Allowed {
		return nil
	}
	return fmt.Errorf("violates PodSecurity %q: %s", asked.Enforce.String(), result.ForbiddenDetail())
}
