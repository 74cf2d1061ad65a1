package connect

import (
	appsv1 "k8s.io/api/apps/v1"
	authenticationv1 "k8s.io/api/authentication/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// kinds knows the kinds that verbs ask for themselves, and asks the server about others alone: to ask first which kinds there
// are costs more than to read those few.
type kinds struct {
	meta.RESTMapper // asks
	known           meta.RESTMapper
}

func newKinds(asks meta.RESTMapper) kinds {
	known := meta.NewDefaultRESTMapper(nil)
	for version, of := range map[schema.GroupVersion]map[string]meta.RESTScope{
		corev1.SchemeGroupVersion:           {"Node": meta.RESTScopeRoot, "Pod": meta.RESTScopeNamespace, "ConfigMap": meta.RESTScopeNamespace},
		appsv1.SchemeGroupVersion:           {"DaemonSet": meta.RESTScopeNamespace, "Deployment": meta.RESTScopeNamespace},
		authenticationv1.SchemeGroupVersion: {"SelfSubjectReview": meta.RESTScopeRoot},
		coordinationv1.SchemeGroupVersion:   {"Lease": meta.RESTScopeNamespace},
		v1alpha1.GroupVersion:               {"NodeRepairPolicy": meta.RESTScopeRoot, "HeadroomPolicy": meta.RESTScopeRoot, "Remediation": meta.RESTScopeRoot},
	} {
		for kind, scope := range of {
			known.Add(version.WithKind(kind), scope)
		}
	}
	return kinds{asks, known}
}

// RESTMapping is where a kind is served.
func (k kinds) RESTMapping(kind schema.GroupKind, versions ...string) (*meta.RESTMapping, error) {
	if found, err := k.known.RESTMapping(kind, versions...); err == nil {
		return found, nil
	}
	return k.RESTMapper.RESTMapping(kind, versions...)
}
