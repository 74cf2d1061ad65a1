package cpvpa

import (
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
)

func TestParseFlags(t *testing.T) {
	namespaceOfPod := corev1.EnvVar{Name: "MY_NAMESPACE", ValueFrom: &corev1.EnvVarSource{FieldRef: &corev1.ObjectFieldSelector{FieldPath: "metadata.namespace"}}}
	const ten = `{"thing":{"requests":{"cpu":{"base":"250m","step":"100m","nodesPerStep":10}}}}`
	tests := []struct {
		name      string
		container corev1.Container
		want      flags
		err       string
	}{
		{
			name: "the README's", container: corev1.Container{Command: []string{"/cpvpa", "--target=deployment/thing", "--namespace=kube-system", "--logtostderr=true", "--poll-period-seconds=30", "--v=2", "--default-config=" + ten}},
			want: flags{kind: "deployment", name: "thing", namespace: "kube-system", defaultConfig: ten, poll: 30 * time.Second},
		},
		{
			name: "the image's entrypoint, separate values, default period", container: corev1.Container{Args: []string{"--target", "DaemonSet/calico-node", "--namespace", "kube-system", "--config_file", "/etc/config/node-autoscaler"}},
			want: flags{kind: "daemonset", name: "calico-node", namespace: "kube-system", configFile: "/etc/config/node-autoscaler", poll: 10 * time.Second},
		},
		{
			name: "namespace from the pod", container: corev1.Container{Command: []string{"/cpvpa", "--target=replicaset/x", "--default-config={}"}, Env: []corev1.EnvVar{namespaceOfPod}},
			want: flags{kind: "replicaset", name: "x", namespace: "here", defaultConfig: "{}", poll: 10 * time.Second},
		},
		{
			name: "a variable in an argument", container: corev1.Container{Command: []string{"/cpvpa", "--target=daemonset/$(NAME)", "--namespace=a", "--default-config={}"}, Env: []corev1.EnvVar{{Name: "NAME", Value: "x"}}},
			want: flags{kind: "daemonset", name: "x", namespace: "a", defaultConfig: "{}", poll: 10 * time.Second},
		},
		{name: "no namespace", container: corev1.Container{Args: []string{"--target=daemonset/x", "--default-config={}"}}, err: "--namespace"},
		{name: "no config", container: corev1.Container{Args: []string{"--target=daemonset/x", "--namespace=a"}}, err: "--default-config"},
		{name: "another kind", container: corev1.Container{Args: []string{"--target=statefulset/x", "--namespace=a", "--default-config={}"}}, err: "--target"},
		{name: "no period", container: corev1.Container{Args: []string{"--target=daemonset/x", "--namespace=a", "--default-config={}", "--poll-period-seconds=0"}}, err: "--poll-period-seconds"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseFlags("here", tt.container)
			if tt.err != "" {
				if err == nil || !strings.Contains(err.Error(), tt.err) {
					t.Fatalf("got error %v, want one that names %s", err, tt.err)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if got != tt.want {
				t.Errorf("got %+v, want %+v", got, tt.want)
			}
		})
	}
}

func TestIsProgram(t *testing.T) {
	for image, want := range map[string]bool{
		"registry.k8s.io/cpvpa-amd64:v0.8.1":                              true,
		"registry.k8s.io/cpa/cpvpa:v0.8.4":                                true,
		"gke.gcr.io/cpvpa@sha256:0000":                                    true,
		"example.com:5000/cluster-proportional-vertical-autoscaler-amd64": true,
		"registry.k8s.io/cpa/cluster-proportional-autoscaler:v1.9.0":      false,
		"example.com/cpvpa/something-else:1":                              false,
		"registry.k8s.io/autoscaling/vpa-recommender:1.4.1":               false,
	} {
		if got := isProgram(image); got != want {
			t.Errorf("%s: got %v, want %v", image, got, want)
		}
	}
}

func TestConfigMapKey(t *testing.T) {
	source := func(items ...corev1.KeyToPath) *corev1.ConfigMapVolumeSource {
		return &corev1.ConfigMapVolumeSource{LocalObjectReference: corev1.LocalObjectReference{Name: "settings"}, Items: items}
	}
	pod := corev1.PodSpec{Volumes: []corev1.Volume{
		{Name: "whole", VolumeSource: corev1.VolumeSource{ConfigMap: source()}},
		{Name: "item", VolumeSource: corev1.VolumeSource{ConfigMap: source(corev1.KeyToPath{Key: "k", Path: "file"})}},
		{Name: "empty", VolumeSource: corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}},
	}}
	container := corev1.Container{VolumeMounts: []corev1.VolumeMount{
		{Name: "whole", MountPath: "/etc/whole"},
		{Name: "item", MountPath: "/etc/item/"},
		{Name: "whole", MountPath: "/etc/one.json", SubPath: "node-autoscaler"},
		{Name: "empty", MountPath: "/tmp"},
	}}
	for file, want := range map[string]string{
		"/etc/whole/node-autoscaler": "node-autoscaler",
		"/etc/item/file":             "k",
		"/etc/one.json":              "node-autoscaler",
		"/tmp/file":                  "",
		"/elsewhere":                 "",
	} {
		name, key, err := configMapKey(pod, container, file)
		if (err != nil) != (want == "") || key != want || want != "" && name != "settings" {
			t.Errorf("%s: got %s %s %v, want key %q", file, name, key, err, want)
		}
	}
}
