package profile

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/kubernetes/pkg/scheduler/apis/config"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/scheme"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/validation"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/names"
	"k8s.io/kubernetes/pkg/scheduler/framework/runtime"
)

// everyPlugin disables what the defaults would add to an extension point.
const everyPlugin = "*"

// ReadConfig reads a KubeSchedulerConfiguration as kube-scheduler does (cmd/kube-scheduler/app/options/configfile.go):
// unknown fields are errors, and what is not said has its default.
func ReadConfig(data []byte) (*config.KubeSchedulerConfiguration, error) {
	if data == nil {
		return latest.Default()
	}
	o, kind, err := scheme.Codecs.UniversalDecoder().Decode(data, nil, nil)
	if err != nil {
		return nil, err
	}
	cfg, ok := o.(*config.KubeSchedulerConfiguration)
	if !ok {
		return nil, fmt.Errorf("it is a %s, not a KubeSchedulerConfiguration", kind.Kind)
	}
	cfg.APIVersion = kind.GroupVersion().String() // the conversion drops it, and the validation asks for it
	if err := validation.ValidateKubeSchedulerConfiguration(cfg); err != nil {
		return nil, err
	}
	if len(cfg.Profiles) == 0 {
		return nil, errors.New("it has no profile")
	}
	return cfg, nil
}

// WithoutForeign takes the plugins that Kubernetes itself does not have out of a profile and returns their names. Where
// one of them was the only one that could be at its place, the default's plugin stands in: the framework asks for one, and
// neither decides where a pod fits.
func WithoutForeign(p *config.KubeSchedulerProfile, registry runtime.Registry) []string {
	var foreign []string
	strip := func(set *config.PluginSet) (changed bool) {
		set.Enabled = slices.DeleteFunc(set.Enabled, func(plugin config.Plugin) bool {
			if _, ok := registry[plugin.Name]; ok {
				return false
			}
			foreign, changed = append(foreign, plugin.Name), true
			return true
		})
		return changed
	}
	for _, set := range extensionPoints(p.Plugins) {
		strip(set)
	}
	standIn(strip, &p.Plugins.QueueSort, names.PrioritySort)
	standIn(strip, &p.Plugins.Bind, names.DefaultBinder)
	slices.Sort(foreign)
	return slices.Compact(foreign)
}

func standIn(strip func(*config.PluginSet) bool, set *config.PluginSet, plugin string) {
	if strip(set) && len(set.Enabled) == 0 {
		*set = config.PluginSet{
			Enabled: []config.Plugin{{Name: plugin}}, Disabled: []config.Plugin{{Name: everyPlugin}},
		}
	}
}

// extensionPoints are all but QueueSort and Bind.
func extensionPoints(p *config.Plugins) []*config.PluginSet {
	return []*config.PluginSet{
		&p.MultiPoint, &p.PreEnqueue, &p.PreFilter, &p.Filter, &p.PostFilter, &p.PreScore, &p.Score, &p.Reserve, &p.Permit,
		&p.PreBind, &p.PostBind, &p.PlacementGenerate, &p.PlacementScore,
	}
}
