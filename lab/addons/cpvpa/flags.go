package cpvpa

import (
	"errors"
	"fmt"
	"io"
	"path"
	"strings"
	"time"

	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
)

// flags are those of cpvpa that decide what it does; the rest (logging, kubeconfig) are accepted and ignored.
type flags struct {
	kind, name    string // of the target, kind in lower case
	namespace     string
	defaultConfig string
	configFile    string
	poll          time.Duration
	dryRun        bool
}

// isProgram says whether an image is cpvpa's: registry.k8s.io/cpvpa-amd64, gke.gcr.io/cpvpa, or a build under its full name.
func isProgram(image string) bool {
	repository, _, _ := strings.Cut(path.Base(image), ":")
	repository, _, _ = strings.Cut(repository, "@")
	return strings.HasPrefix(repository, "cpvpa") || strings.HasPrefix(repository, "cluster-proportional-vertical-autoscaler")
}

// parseFlags reads a container's command line as cpvpa reads it, and refuses what cpvpa refuses at start.
func parseFlags(podNamespace string, c corev1.Container) (flags, error) {
	var f flags
	var target string
	var seconds int
	set := pflag.NewFlagSet("cpvpa", pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	set.ParseErrorsAllowlist.UnknownFlags = true
	set.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		return pflag.NormalizedName(strings.ReplaceAll(name, "_", "-"))
	})
	set.StringVar(&target, "target", "", "")
	set.StringVar(&f.namespace, "namespace", environment(podNamespace, c)["MY_NAMESPACE"], "")
	set.StringVar(&f.defaultConfig, "default-config", "", "")
	set.StringVar(&f.configFile, "config-file", "", "")
	set.IntVar(&seconds, "poll-period-seconds", 10, "")
	set.BoolVar(&f.dryRun, "dry-run", false, "")
	if err := set.Parse(arguments(podNamespace, c)); err != nil {
		return flags{}, err
	}
	f.poll = time.Duration(seconds) * time.Second

	var found bool
	f.kind, f.name, found = strings.Cut(strings.ToLower(target), "/")
	switch {
	case !found || f.kind != "deployment" && f.kind != "daemonset" && f.kind != "replicaset":
		return flags{}, fmt.Errorf("--target=%q: must be deployment/NAME, daemonset/NAME or replicaset/NAME", target)
	case f.namespace == "":
		return flags{}, errors.New("neither --namespace nor MY_NAMESPACE is set")
	case f.defaultConfig == "" && f.configFile == "":
		return flags{}, errors.New("neither --default-config nor --config-file is set")
	case seconds < 1:
		return flags{}, fmt.Errorf("--poll-period-seconds=%d: must be at least 1", seconds)
	}
	return f, nil
}

// arguments are everything after the program's own name, $(VARIABLES) replaced. An image's entrypoint is the program, so
// that without a command the args are flags from the first one on.
func arguments(podNamespace string, c corev1.Container) []string {
	args := append(append([]string{}, c.Command...), c.Args...)
	if len(c.Command) > 0 {
		args = args[1:]
	}
	for i := range args {
		for name, value := range environment(podNamespace, c) {
			args[i] = strings.ReplaceAll(args[i], "$("+name+")", value)
		}
	}
	return args
}

// environment holds what can be known of a container's variables without a pod: literals and the pod's namespace.
func environment(podNamespace string, c corev1.Container) map[string]string {
	values := map[string]string{}
	for _, v := range c.Env {
		switch {
		case v.ValueFrom == nil:
			values[v.Name] = v.Value
		case v.ValueFrom.FieldRef != nil && v.ValueFrom.FieldRef.FieldPath == "metadata.namespace":
			values[v.Name] = podNamespace
		}
	}
	return values
}

// configMapKey finds the ConfigMap and the key that a file of the container is mounted from.
func configMapKey(pod corev1.PodSpec, c corev1.Container, file string) (configMap, key string, err error) {
	for _, mount := range c.VolumeMounts {
		name, inside := strings.CutPrefix(file, strings.TrimSuffix(mount.MountPath, "/")+"/")
		switch {
		case file == mount.MountPath && mount.SubPath != "":
			name = mount.SubPath
		case !inside:
			continue
		}
		for _, volume := range pod.Volumes {
			if volume.Name != mount.Name || volume.ConfigMap == nil {
				continue
			}
			for _, item := range volume.ConfigMap.Items {
				if item.Path == name {
					return volume.ConfigMap.Name, item.Key, nil
				}
			}
			return volume.ConfigMap.Name, name, nil
		}
	}
	return "", "", fmt.Errorf("--config-file=%s is not in a volume made from a ConfigMap", file)
}
