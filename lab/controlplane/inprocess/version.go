package inprocess

import (
	apimachineryversion "k8s.io/apimachinery/pkg/version"
	"k8s.io/component-base/compatibility"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

// Version is the release that the components are of: the one go.mod pins. Kubernetes' own builds stamp theirs in by linker
// flags, which a library does not get.
const Version = "v1.36.3"

// released is an effective version that knows its release.
type released struct{ compatibility.EffectiveVersion }

// Info is what /version answers.
func (r released) Info() *apimachineryversion.Info {
	info := r.EffectiveVersion.Info()
	info.GitVersion, info.GitTreeState = Version, "clean"
	return info
}

// stamp makes every server of the chain say its release: the first answers, the others may be asked through it.
func stamp(config *app.Config) {
	config.Aggregator.GenericConfig.EffectiveVersion = released{config.Aggregator.GenericConfig.EffectiveVersion}
	config.KubeAPIs.ControlPlane.Generic.EffectiveVersion = released{config.KubeAPIs.ControlPlane.Generic.EffectiveVersion}
	config.ApiExtensions.GenericConfig.EffectiveVersion = released{config.ApiExtensions.GenericConfig.EffectiveVersion}
}
