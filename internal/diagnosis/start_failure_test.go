package diagnosis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
)

const create = "failed to create containerd task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: "

// TestStartFailures explains a container that waits or ended for what the kubelet and the runtimes say.
func TestStartFailures(t *testing.T) {
	mounted := func(path string, volume corev1.VolumeSource) func(*corev1.Pod) {
		return func(p *corev1.Pod) {
			p.Spec.Volumes = []corev1.Volume{{Name: "work", VolumeSource: volume}}
			p.Spec.Containers[0].VolumeMounts = []corev1.VolumeMount{{Name: "work", MountPath: path}}
		}
	}
	scripts := corev1.VolumeSource{ConfigMap: &corev1.ConfigMapVolumeSource{}}
	command := func(args ...string) func(*corev1.Pod) {
		return func(p *corev1.Pod) { p.Spec.Containers[0].Command = args }
	}
	for name, tc := range map[string]struct {
		reason, text string
		edit         func(*corev1.Pod)
		says, not    []string
	}{
		"the image's root": {
			"CreateContainerConfigError", `container has runAsNonRoot and image will run as root (pod: "app", container: app)`, nil,
			[]string{"but its image runs as root", "a user other than root"},
			[]string{"refuses to create"},
		},
		"the pod's root": {
			"CreateContainerConfigError", `container's runAsUser breaks non-root policy (pod: "app", container: app)`, nil,
			[]string{"but its runAsUser is 0", "a user other than root"},
			nil,
		},
		"a named user": {
			"CreateContainerConfigError", `container has runAsNonRoot and image has non-numeric user (nginx), cannot verify user is non-root (pod: "app", container: app)`, nil,
			[]string{"the user of its image, nginx", "the number of the user nginx"},
			[]string{"other than root"},
		},
		"another configuration error": {"CreateContainerConfigError", "services have not yet been read at least once, cannot construct envvars", nil, []string{"cannot be created", "services have not yet been read"}, nil},
		"no such program":             {"RunContainerError", create + `exec: "/srv/app": stat /srv/app: no such file or directory: unknown`, nil, []string{"does not contain /srv/app", "The entrypoint or command of the image names /srv/app"}, []string{"hides"}},
		"none in the PATH":            {"RunContainerError", create + `exec: "entry": executable file not found in $PATH: unknown`, command("entry"), []string{"does not contain entry", "spec.containers[app].command of the pod names entry"}, nil},
		"one of a variable":           {"RunContainerError", create + `exec: "entry": executable file not found in $PATH: unknown`, command("$(APP)"), []string{"does not contain entry", "spec.containers[app].command of the pod names entry"}, nil},
		"quotes that are escaped":     {"RunContainerError", `failed to start container "0a1b": OCI runtime create failed: starting container process caused "exec: \"./bin/start\": stat ./bin/start: no such file or directory": unknown`, nil, []string{"does not contain ./bin/start"}, nil},
		"crun":                        {"CreateContainerError", "container create failed: executable file `gunicorn` not found in $PATH: No such file or directory", nil, []string{"does not contain gunicorn"}, nil},
		"a volume over it": {
			"RunContainerError", create + `exec: "/srv/app": stat /srv/app: no such file or directory: unknown`, mounted("/srv/", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
			[]string{"The volume work, which is mounted at /srv/, hides what the image has there"},
			nil,
		},
		"a volume beside it": {
			"RunContainerError", create + `exec: "/srv/app": stat /srv/app: no such file or directory: unknown`, mounted("/srv/a", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}}),
			[]string{"does not contain /srv/app"},
			[]string{"hides"},
		},
		"a volume over the working directory": {
			"RunContainerError", create + `exec: "./app": stat ./app: no such file or directory: unknown`, func(p *corev1.Pod) {
				mounted("/srv", corev1.VolumeSource{EmptyDir: &corev1.EmptyDirVolumeSource{}})(p)
				p.Spec.Containers[0].WorkingDir = "/srv"
			},
			[]string{"The volume work, which is mounted at /srv, hides"},
			nil,
		},
		"not executable":           {"RunContainerError", create + `exec: "/app": permission denied: unknown`, nil, []string{"cannot execute /app", "chmod +x"}, []string{"defaultMode"}},
		"a directory":              {"RunContainerError", create + `exec: "/app": is a directory: unknown`, nil, []string{"cannot execute /app", "is a directory"}, nil},
		"a script of a ConfigMap":  {"RunContainerError", create + `exec: "/scripts/run.sh": permission denied: unknown`, mounted("/scripts", scripts), []string{"defaultMode of the volume work", "0755"}, []string{"chmod"}},
		"a program beside scripts": {"RunContainerError", create + `exec: "/app": permission denied: unknown`, mounted("/scripts", scripts), []string{"chmod +x"}, []string{"defaultMode"}},
		"a name that is reserved":  {"CreateContainerError", `failed to reserve container name "app_app-0_shop": name "app_app-0_shop" is reserved for "9c1"`, nil, []string{"still holds the name", "restart the container runtime on node/ip-10-0-3-4.ec2.internal"}, nil},
		"a hook": {
			"PostStartHookError", `command "/init.sh" exited with 1`, func(p *corev1.Pod) {
				p.Spec.Containers[0].Lifecycle = &corev1.Lifecycle{PostStart: &corev1.LifecycleHandler{Exec: &corev1.ExecAction{Command: []string{"/init.sh"}}}}
			},
			[]string{`the postStart hook of container app fails: command "/init.sh" exited with 1`, "The postStart hook (/init.sh) runs as soon as"},
			[]string{"cannot be created"},
		},
		"another error of the runtime": {"RunContainerError", create + "error mounting proc", nil, []string{"error mounting proc"}, nil},
		"a hook, without its text":     {"PostStartHookError", "", nil, []string{"the postStart hook of container app fails."}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			text := answerOf(explainStart(t, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: tc.reason, Message: tc.text}}, nil, tc.edit))
			expectWords(t, text, tc.says, tc.not)
			if tc.reason != "RunContainerError" {
				return
			}
			ended := &corev1.ContainerStateTerminated{Reason: "StartError", ExitCode: 128, Message: tc.text}
			text = answerOf(explainStart(t, corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}}, ended, tc.edit))
			expectWords(t, text, tc.says, append(tc.not, "kubectl logs"))
		})
	}
}

// TestFailedHookOfAnEarlierRun does not hold a hook responsible for the end of a later run, or of another container.
func TestFailedHookOfAnEarlierRun(t *testing.T) {
	for name, tc := range map[string]struct {
		after time.Duration // the start of the last run
		field string
		want  bool
	}{
		"of this run":          {7 * time.Second, "spec.containers{influxdb2}", true},
		"of the run before":    {-time.Minute, "spec.containers{influxdb2}", false},
		"of another container": {7 * time.Second, "spec.containers{backup}", false},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, "testdata/upstream/influxdata-helm-charts-336.yaml")
			pod := subject(t, objects)
			pod.Spec.Containers = append(pod.Spec.Containers, corev1.Container{Name: "backup"})
			started := pod.Status.ContainerStatuses[0].LastTerminationState.Terminated.StartedAt
			for _, o := range objects {
				if e, ok := o.(*corev1.Event); ok {
					e.LastTimestamp, e.InvolvedObject.FieldPath = metav1.NewTime(started.Add(tc.after)), tc.field
				}
			}
			text := answerOf(explain(t, objects, everything()))
			if got := strings.Contains(text, "because its postStart hook"); got != tc.want {
				t.Errorf("the hook stopped the container: %v, want %v:\n%s", got, tc.want, text)
			}
		})
	}
}

// explainStart explains a pod with one container in a state.
func explainStart(t *testing.T, state corev1.ContainerState, last *corev1.ContainerStateTerminated, edit func(*corev1.Pod)) finding.Explanation {
	t.Helper()
	objects := clustertest.Load(t, "testdata/upstream/amazon-linux-2023-1097.yaml")
	objects = slices.DeleteFunc(objects, func(o runtime.Object) bool { _, isEvent := o.(*corev1.Event); return isEvent })
	pod := subject(t, objects)
	pod.Status.ContainerStatuses[0].State, pod.Status.ContainerStatuses[0].LastTerminationState.Terminated = state, last
	if edit != nil {
		edit(pod)
	}
	return explain(t, objects, everything())
}
