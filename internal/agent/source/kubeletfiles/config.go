package kubeletfiles

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Config is what is used of a kubelet's configuration
// (https://kubernetes.io/docs/reference/config-api/kubelet-config.v1beta1/).
type Config struct {
	// ClusterDNS are the addresses that the kubelet gives pods as their name servers.
	ClusterDNS    []string `yaml:"clusterDNS"`
	ClusterDomain string   `yaml:"clusterDomain"`
	// EvictionHard are the thresholds below which the kubelet evicts pods at once, by signal; nil is its defaults.
	EvictionHard                 map[string]string `yaml:"evictionHard"`
	MergeDefaultEvictionSettings bool              `yaml:"mergeDefaultEvictionSettings"`
}

// Config reads the kubelet's configuration: its file (--config), then the files of its drop-in folder (--config-dir) in their order,
// then flags, of which each has the last word
// (https://kubernetes.io/docs/tasks/administer-cluster/kubelet-config-file/#kubelet-configuration-merging-order).
func (k Kubelet) Config() (Config, error) {
	var files []string
	if file, is := k.Flag("config"); is {
		files = append(files, file)
	}
	if folder, is := k.Flag("config-dir"); is {
		all, err := k.List(folder)
		if err != nil {
			return Config{}, err
		}
		files = append(files, slices.DeleteFunc(all, func(path string) bool { return !strings.HasSuffix(path, ".conf") })...)
	}
	var c Config
	for _, file := range files {
		text, err := k.Read(file)
		if err != nil {
			return Config{}, err
		}
		var layer Config
		if err := yaml.Unmarshal(text, &layer); err != nil {
			return Config{}, fmt.Errorf("read %s: %w", file, err)
		}
		if layer.ClusterDNS != nil {
			c.ClusterDNS = layer.ClusterDNS
		}
		c.ClusterDomain = cmp.Or(layer.ClusterDomain, c.ClusterDomain)
		c.MergeDefaultEvictionSettings = layer.MergeDefaultEvictionSettings || c.MergeDefaultEvictionSettings
		if layer.EvictionHard != nil && c.EvictionHard == nil {
			c.EvictionHard = map[string]string{}
		}
		maps.Copy(c.EvictionHard, layer.EvictionHard)
	}
	if list, is := k.Flag("eviction-hard"); is {
		c.EvictionHard = map[string]string{}
		for one := range strings.SplitSeq(list, ",") {
			signal, threshold, _ := strings.Cut(one, "<")
			c.EvictionHard[signal] = threshold
		}
	}
	if list, is := k.Flag("cluster-dns"); is {
		c.ClusterDNS = strings.FieldsFunc(list, func(r rune) bool { return r == ',' })
	}
	if domain, is := k.Flag("cluster-domain"); is {
		c.ClusterDomain = domain
	}
	return c, nil
}
