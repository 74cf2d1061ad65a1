package anonymous

import (
	"reflect"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	resourcev1 "k8s.io/api/resource/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes/scheme"
)

// Fields by their names, the same in whatever kind; those that are not here hold names.
var fields = func() map[string]func(*Anonymizer, string) string {
	by := map[string]func(*Anonymizer, string) string{}
	for names, replace := range map[string]func(*Anonymizer, string) string{
		`ResourceVersion Schedule TimeZone KubeletVersion KubeProxyVersion ContainerRuntimeVersion OperatingSystem Architecture`: asIs,
		`Message Note FieldPath Expression LastUpdateMessage OSImage KernelVersion`:                                              (*Anonymizer).sentence,
		`Reason Type Action`:                     (*Anonymizer).term,
		`APIVersion`:                             (*Anonymizer).apiVersion,
		`APIGroup Group`:                         (*Anonymizer).group,
		`Kind`:                                   (*Anonymizer).kind,
		`Driver DriverName Provisioner Attacher`: (*Anonymizer).driver,
		`Key TopologyKey TopologyKeys MatchLabelKeys MismatchLabelKeys Finalizers`: (*Anonymizer).key,
	} {
		for name := range strings.FieldsSeq(names) {
			by[name] = replace
		}
	}
	return by
}()

// Strings with a Go type of their own are mostly enumerations, which are kept. Those of these types may be any text.
var free = map[reflect.Type]func(*Anonymizer, string) string{
	reflect.TypeFor[corev1.ResourceName]():             (*Anonymizer).resource,
	reflect.TypeFor[types.UID]():                       (*Anonymizer).name,
	reflect.TypeFor[types.NodeName]():                  (*Anonymizer).name,
	reflect.TypeFor[corev1.UniqueVolumeName]():         (*Anonymizer).name,
	reflect.TypeFor[corev1.FinalizerName]():            (*Anonymizer).key,
	reflect.TypeFor[resourcev1.QualifiedName]():        (*Anonymizer).key,
	reflect.TypeFor[resourcev1.FullyQualifiedName]():   (*Anonymizer).key,
	reflect.TypeFor[corev1.PodConditionType]():         (*Anonymizer).term,
	reflect.TypeFor[corev1.NodeConditionType]():        (*Anonymizer).term,
	reflect.TypeFor[corev1.NamespaceConditionType]():   (*Anonymizer).term,
	reflect.TypeFor[appsv1.DeploymentConditionType]():  (*Anonymizer).term,
	reflect.TypeFor[appsv1.StatefulSetConditionType](): (*Anonymizer).term,
	reflect.TypeFor[appsv1.DaemonSetConditionType]():   (*Anonymizer).term,
	reflect.TypeFor[batchv1.JobConditionType]():        (*Anonymizer).term,
}

// word replaces a string of a type, in a field of that name.
func (a *Anonymizer) word(s string, of reflect.Type, field string) string {
	if replace, ok := free[of]; ok {
		return replace(a, s)
	}
	if of != reflect.TypeFor[string]() {
		return s
	}
	if replace, ok := fields[field]; ok {
		return replace(a, s)
	}
	return a.name(s)
}

func asIs(_ *Anonymizer, s string) string { return s }

func (a *Anonymizer) name(s string) string {
	if !a.replace {
		a.tokens.record(s)
		return s
	}
	return a.tokens.name(s)
}

func (a *Anonymizer) sentence(s string) string {
	if !a.replace {
		return s
	}
	return a.tokens.sentence(s)
}

// term keeps a reason or a condition's type that consists of Kubernetes' words. Those of other controllers are replaced.
func (a *Anonymizer) term(s string) string {
	domain, rest, qualified := strings.Cut(s, "/")
	switch {
	case qualified && isOwn(domain):
		return domain + "/" + a.name(rest) // Load balancers' readiness gates name the Service in it.
	case !qualified && a.tokens.isTerm(s):
		return s
	default:
		return a.name(s)
	}
}

// kind keeps Kubernetes' kinds, and custom ones that naosu reads.
func (a *Anonymizer) kind(s string) string {
	if kinds[s] {
		return s
	}
	return a.name(s)
}

var kinds = func() map[string]bool {
	kinds := map[string]bool{"NodePool": true, "NodeClaim": true, "Workload": true, "LocalQueue": true, "ClusterQueue": true, "VerticalPodAutoscaler": true, "ENIConfig": true}
	for kind := range scheme.Scheme.AllKnownTypes() {
		kinds[kind.Kind] = true
	}
	return kinds
}()

func (a *Anonymizer) apiVersion(s string) string {
	group, version, grouped := strings.Cut(s, "/")
	if !grouped {
		return a.name(s)
	}
	return a.group(group) + "/" + a.name(version)
}

func (a *Anonymizer) group(s string) string {
	if isOwn(s) {
		return s
	}
	return a.name(s)
}

// driver keeps the parts of a known driver's name wherever they are, because it is an object's name as well, and a part of the names of volumes.
func (a *Anonymizer) driver(s string) string {
	if isOwn(s) {
		if !a.replace {
			a.tokens.keep(s)
		}
		return s
	}
	return a.name(s)
}

// key replaces the key of a label, an annotation, a taint or a resource, or what else is qualified by a domain.
func (a *Anonymizer) key(s string) string {
	if class, rest, ok := strings.Cut(s, ".storageclass.storage.k8s.io/"); ok {
		return a.name(class) + ".storageclass.storage.k8s.io/" + rest // What a quota counts.
	}
	if isOwn(s) || plainLabels[s] {
		return s
	}
	return a.name(s)
}

// resource is a resource's name, of which those without a domain are Kubernetes' own.
func (a *Anonymizer) resource(s string) string {
	if !strings.Contains(s, "/") {
		return s
	}
	return a.key(s)
}

func (a *Anonymizer) labelValue(key, s string) string {
	if isPublic(key, s) {
		if !a.replace {
			a.tokens.keep(s) // Where zones stand in names and sentences they stay as well.
		}
		return s
	}
	return a.name(s)
}
