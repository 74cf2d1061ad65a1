package admission

import (
	"fmt"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation/field"
	podutil "k8s.io/kubernetes/pkg/api/pod"
	"k8s.io/kubernetes/pkg/apis/apps"
	appsv1 "k8s.io/kubernetes/pkg/apis/apps/v1"
	appsvalidation "k8s.io/kubernetes/pkg/apis/apps/validation"
	"k8s.io/kubernetes/pkg/apis/batch"
	batchv1 "k8s.io/kubernetes/pkg/apis/batch/v1"
	batchvalidation "k8s.io/kubernetes/pkg/apis/batch/validation"
	"k8s.io/kubernetes/pkg/apis/core"
	corev1 "k8s.io/kubernetes/pkg/apis/core/v1"
	corevalidation "k8s.io/kubernetes/pkg/apis/core/validation"
)

// scheme has the API's types, their defaults, and the internal types that validation looks at.
var scheme = func() *runtime.Scheme {
	s := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		core.AddToScheme, corev1.AddToScheme, apps.AddToScheme, appsv1.AddToScheme, batch.AddToScheme, batchv1.AddToScheme,
	} {
		utilruntime.Must(add(s))
	}
	return s
}()

// Default sets the fields of an object that the API server sets where a manifest does not.
func Default(object runtime.Object) { scheme.Default(object) }

// InvalidError is the error of an object that the API server rejects as invalid.
type InvalidError struct {
	Kind, Name string
	Problems   field.ErrorList
}

// maxProblemBytes bounds the text of a problem: some contain a whole pod.
const maxProblemBytes = 400

// Error is the message that kubectl prints, with long values truncated.
func (e InvalidError) Error() string {
	var all []string
	for _, problem := range e.Problems {
		text := problem.Error()
		if len(text) > maxProblemBytes {
			text = fmt.Sprintf("%s: %s: %s", problem.Field, problem.Type, problem.Detail)
		}
		all = append(all, text)
	}
	return fmt.Sprintf("The %s %q is invalid: %s", e.Kind, e.Name, strings.Join(all, ", "))
}

// Validate returns an InvalidError if the API server would reject an object: a new one, or, if before is not nil, an update. Problems that the
// object before has as well do not count, because the cluster has accepted them. Workloads, pods and claims are validated, of pods and claims
// only new ones; all other objects are assumed to be valid. Neither object is changed.
func Validate(next, before runtime.Object) error {
	made, known := internal(next)
	if !known {
		return nil
	}
	var problems field.ErrorList
	if before == nil {
		generateSelector(made)
		problems = validateNew(made)
	} else if there, known := internal(before); known {
		keep(made, there)
		generateSelector(made)
		generateSelector(there)
		problems = except(validateUpdate(made, there), validateNew(there))
	}
	if len(problems) == 0 {
		return nil
	}
	gvks, _, err := scheme.ObjectKinds(next)
	utilruntime.Must(err) // It was converted above.
	return InvalidError{gvks[0].Kind, made.GetName(), problems}
}

// object is an object of one of Kubernetes' internal types.
type object interface {
	runtime.Object
	metav1.Object
}

// internal converts a copy of an object, with its defaults, to the internal type that is validated; false for types that are not.
func internal(o runtime.Object) (object, bool) {
	if _, _, err := scheme.ObjectKinds(o); err != nil {
		return nil, false
	}
	o = o.DeepCopyObject()
	scheme.Default(o)
	converted, err := scheme.ConvertToVersion(o, runtime.InternalGroupVersioner)
	if err != nil {
		return nil, false
	}
	one, is := converted.(object)
	return one, is
}

// keep sets the metadata that no update changes.
func keep(next, before object) {
	before.SetResourceVersion("1") // Any: an update must have one.
	next.SetResourceVersion("1")
	next.SetUID(before.GetUID())
	next.SetCreationTimestamp(before.GetCreationTimestamp())
	next.SetDeletionTimestamp(before.GetDeletionTimestamp())
	next.SetDeletionGracePeriodSeconds(before.GetDeletionGracePeriodSeconds())
	next.SetGeneration(before.GetGeneration())
	if set, is := next.(*apps.DaemonSet); is {
		set.Spec.TemplateGeneration = before.(*apps.DaemonSet).Spec.TemplateGeneration
		if !equality.Semantic.DeepEqual(set.Spec.Template, before.(*apps.DaemonSet).Spec.Template) {
			set.Spec.TemplateGeneration++
		}
	}
}

// validateNew validates a new object.
//
// Source: Validate in pkg/registry of Kubernetes, in the strategy of each kind.
func validateNew(o object) field.ErrorList {
	switch o := o.(type) {
	case *apps.Deployment:
		return appsvalidation.ValidateDeployment(o, optionsOf(&o.Spec.Template, nil))
	case *apps.StatefulSet:
		return appsvalidation.ValidateStatefulSet(o, optionsOf(&o.Spec.Template, nil))
	case *apps.DaemonSet:
		return appsvalidation.ValidateDaemonSet(o, optionsOf(&o.Spec.Template, nil))
	case *apps.ReplicaSet:
		return appsvalidation.ValidateReplicaSet(o, optionsOf(&o.Spec.Template, nil))
	case *batch.Job:
		return batchvalidation.ValidateJob(o, optionsOfJob(o, nil))
	case *batch.CronJob:
		return batchvalidation.ValidateCronJobCreate(o, optionsOf(&o.Spec.JobTemplate.Spec.Template, nil))
	case *core.Pod:
		options := podutil.GetValidationOptionsFromPodSpecAndMeta(&o.Spec, nil, &o.ObjectMeta, nil)
		options.ResourceIsPod = true
		return corevalidation.ValidatePodCreate(o, options)
	case *core.PersistentVolumeClaim:
		return corevalidation.ValidatePersistentVolumeClaim(o, corevalidation.ValidationOptionsForPersistentVolumeClaimCreate())
	}
	return nil
}

// validateUpdate validates an update of an object.
//
// Source: ValidateUpdate in pkg/registry of Kubernetes, in the strategy of each kind.
func validateUpdate(next, before object) field.ErrorList {
	switch next := next.(type) {
	case *apps.Deployment:
		was := before.(*apps.Deployment)
		return appsvalidation.ValidateDeploymentUpdate(next, was, optionsOf(&next.Spec.Template, &was.Spec.Template))
	case *apps.StatefulSet:
		was := before.(*apps.StatefulSet)
		return appsvalidation.ValidateStatefulSetUpdate(next, was, optionsOf(&next.Spec.Template, &was.Spec.Template))
	case *apps.DaemonSet:
		was := before.(*apps.DaemonSet)
		return appsvalidation.ValidateDaemonSetUpdate(next, was, optionsOf(&next.Spec.Template, &was.Spec.Template))
	case *apps.ReplicaSet:
		was := before.(*apps.ReplicaSet)
		return appsvalidation.ValidateReplicaSetUpdate(next, was, optionsOf(&next.Spec.Template, &was.Spec.Template))
	case *batch.Job:
		was := before.(*batch.Job)
		options := optionsOfJob(next, was)
		return append(batchvalidation.ValidateJob(next, options), batchvalidation.ValidateJobUpdate(next, was, options)...)
	case *batch.CronJob:
		was := before.(*batch.CronJob)
		options := optionsOf(&next.Spec.JobTemplate.Spec.Template, &was.Spec.JobTemplate.Spec.Template)
		return batchvalidation.ValidateCronJobUpdate(next, was, options)
	}
	return nil
}

func optionsOf(next, before *core.PodTemplateSpec) corevalidation.PodValidationOptions {
	return podutil.GetValidationOptionsFromPodTemplate(next, before)
}

// except are the problems that are not among others, each once.
func except(problems, others field.ErrorList) field.ErrorList {
	said := sets.New[string]()
	for _, other := range others {
		said.Insert(other.Error())
	}
	var left field.ErrorList
	for _, problem := range problems {
		if !said.Has(problem.Error()) {
			left = append(left, problem)
		}
		said.Insert(problem.Error())
	}
	return left
}
