package diagnosis_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestCausesAndRemedies changes one thing in each of several clusters, and looks whether the cause and its remedy are still told:
// only where they are so.
func TestCausesAndRemedies(t *testing.T) {
	ingress := change.Ref{Kind: "Pod", Namespace: "hostport", Name: "ingress-nginx-controller-7fc57b8bfb-stdjv"}
	imports := change.Ref{Kind: "Deployment", Namespace: "multi", Name: "vm-import-controller"}
	web := change.Ref{Kind: "Pod", Namespace: "sts", Name: "web-2"}
	claim := change.Ref{Kind: "PersistentVolumeClaim", Namespace: "released", Name: "jellyfin-config"}
	unclassed := change.Ref{Kind: "PersistentVolumeClaim", Namespace: "nosc", Name: "data-consul-server-0"}
	backend := change.Ref{Kind: "Pod", Namespace: "vigil", Name: "vigil-backend-vig7d8f9-q1w2e"}
	jenkins := change.Ref{Kind: "Pod", Namespace: "test", Name: "jenkins-0"}
	for name, tc := range map[string]struct {
		file  string
		about change.Ref
		edit  func(runtime.Object)
		says  string // in the answer or the commands
		not   bool
	}{
		"a host port":                       {"upstream/kubernetes-126879", ingress, nil, `"maxUnavailable":1`, false},
		"a host port, and old pods may end": {"upstream/kubernetes-126879", ingress, on(func(d *appsv1.Deployment) { d.Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromInt32(1)) }), "cannot complete", true},
		"a host port, in percent, rounded down": {"upstream/kubernetes-126879", ingress, on(func(d *appsv1.Deployment) {
			d.Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromString("24%"))
		}), "which rounds down to 0 of 4 pods", false},
		"a host port, in percent, one of them": {"upstream/kubernetes-126879", ingress, on(func(d *appsv1.Deployment) {
			d.Spec.Strategy.RollingUpdate.MaxUnavailable = new(intstr.FromString("25%"))
		}), "cannot complete", true},
		"a host port, paused":             {"upstream/kubernetes-126879", ingress, on(func(d *appsv1.Deployment) { d.Spec.Paused = true }), "cannot complete", true},
		"a host port, of the old version": {"upstream/kubernetes-126879", ingress, on(func(d *appsv1.Deployment) { d.Annotations["deployment.kubernetes.io/revision"] = "1" }), "cannot complete", true},
		"a host port, held by others":     {"upstream/kubernetes-126879", ingress, on(heldByOthers), "cannot complete", true},
		"one node at a time":              {"upstream/vm-import-controller-23", imports, nil, "Recreate", false},
		"one node at a time, recreated": {"upstream/vm-import-controller-23", imports, on(func(d *appsv1.Deployment) {
			d.Spec.Strategy = appsv1.DeploymentStrategy{Type: appsv1.RecreateDeploymentStrategyType}
		}), "Recreate", true},
		"one node at a time, paused":        {"upstream/vm-import-controller-23", imports, on(func(d *appsv1.Deployment) { d.Spec.Paused = true }), "Recreate", true},
		"an old revision":                   {"upstream/kubernetes-67250", web, nil, "kubectl delete pod web-2", false},
		"an old revision, that is to stay":  {"upstream/kubernetes-67250", web, on(func(s *appsv1.StatefulSet) { s.Spec.UpdateStrategy.RollingUpdate.Partition = new(int32(3)) }), "kubectl delete pod", true},
		"an old revision, of parallel pods": {"upstream/kubernetes-67250", web, on(func(s *appsv1.StatefulSet) { s.Spec.PodManagementPolicy = appsv1.ParallelPodManagement }), "kubectl delete pod", true},
		"an old revision, ended by hand":    {"upstream/kubernetes-67250", web, on(func(s *appsv1.StatefulSet) { s.Spec.UpdateStrategy.Type = appsv1.OnDeleteStatefulSetStrategyType }), "kubectl delete pod", true},
		"an old revision, the present no better": {"upstream/kubernetes-67250", web, on(func(s *appsv1.StatefulSet) {
			s.Spec.Template.Spec.Containers[0].Resources.Requests["cpu"] = resource.MustParse("99")
		}), "kubectl delete pod", true},
		"the present revision":            {"upstream/kubernetes-67250", web, on(func(s *appsv1.StatefulSet) { s.Status.UpdateRevision = "web-7c978c666" }), "older version", true},
		"a kept volume":                   {"upstream/csi-driver-smb-821", claim, nil, `{"claimRef":{"uid":null,"resourceVersion":null}}`, false},
		"a kept volume, of another claim": {"upstream/csi-driver-smb-821", claim, on(func(v *corev1.PersistentVolume) { v.Spec.ClaimRef.Name = "other" }), `{"claimRef":null}`, false},
		"a kept volume, to be deleted": {"upstream/csi-driver-smb-821", claim, on(func(v *corev1.PersistentVolume) {
			v.Spec.PersistentVolumeReclaimPolicy = corev1.PersistentVolumeReclaimDelete
		}), "claimRef\":", true},
		"a kept volume, but one is made":  {"upstream/csi-driver-smb-821", claim, on(func(c *corev1.PersistentVolumeClaim) { c.Spec.VolumeName = "" }), "Released", true},
		"a kept volume, too small":        {"upstream/csi-driver-smb-821", claim, on(func(v *corev1.PersistentVolume) { v.Spec.Capacity["storage"] = resource.MustParse("1Gi") }), "claimRef\":", true},
		"a kept volume, of another class": {"upstream/csi-driver-smb-821", claim, on(func(v *corev1.PersistentVolume) { v.Spec.StorageClassName = "other" }), "claimRef\":", true},
		"no default class":                {"upstream/consul-helm-48", unclassed, nil, "kubectl patch storageclass gp3", false},
		"no default class, but one by now": {"upstream/consul-helm-48", unclassed, on(func(c *storagev1.StorageClass) {
			c.Annotations = map[string]string{"storageclass.kubernetes.io/is-default-class": "true"}
		}), "kubectl patch storageclass", true},
		"a slow start":                         {"upstream/vigil-363", backend, nil, `"failureThreshold":18`, false},
		"a slow start, once ready":             {"upstream/vigil-363", backend, on(readyLately), "startupProbe", true},
		"a slow start, waited for":             {"upstream/vigil-363", backend, on(func(p *corev1.Pod) { p.Spec.Containers[0].StartupProbe = p.Spec.Containers[0].LivenessProbe }), "startupProbe", true},
		"a slow start, long ago":               {"upstream/vigil-363", backend, on(longAgo), "startupProbe", true},
		"no driver there, by its selector":     {"upstream/aws-efs-csi-driver-323", jenkins, nil, "excludes node/ip-10-0-1-1.ec2.internal", false},
		"no driver there, by another name":     {"upstream/aws-efs-csi-driver-323", jenkins, on(func(d *appsv1.DaemonSet) { d.Name = "storage" }), "No DaemonSet of efs.csi.aws.com", false},
		"no driver there, known by its socket": {"upstream/aws-efs-csi-driver-323", jenkins, on(bySocket), "daemonset/storage in kube-system runs the driver", false},
	} {
		t.Run(name, func(t *testing.T) {
			objects := clustertest.Load(t, "testdata/"+tc.file+".yaml")
			for _, o := range objects {
				if tc.edit != nil {
					tc.edit(o)
				}
			}
			e := diagnosis.Explain(t.Context(), question(t, objects, everything(), &tc.about))
			if said := answerOf(e); strings.Contains(said, tc.says) == tc.not {
				t.Errorf("%q is said: %t; in %s", tc.says, !tc.not, said)
			}
		})
	}
}

// TestStatefulSetWithoutItsPods asks about a StatefulSet in a world in which pods are not known: none of them is said to be missing.
func TestStatefulSetWithoutItsPods(t *testing.T) {
	for name, tc := range map[string]struct {
		event string
		says  string
	}{
		"refused":            {"FailedCreate", "A ResourceQuota of namespace sts has no room"},
		"nothing is told":    {"RecreatingFailedPod", "statefulset/web has 2 of 3 pods."},
		"an old one is told": {"SuccessfulDelete", "statefulset/web has 2 of 3 pods."},
	} {
		t.Run(name, func(t *testing.T) {
			set := change.Ref{Kind: "StatefulSet", Namespace: "sts", Name: "web"}
			objects := slices.DeleteFunc(clustertest.Load(t, "testdata/upstream/kubernetes-67250.yaml"), func(o runtime.Object) bool {
				_, pod := o.(*corev1.Pod)
				return pod
			})
			for _, o := range objects {
				if s, ok := o.(*appsv1.StatefulSet); ok {
					objects = append(objects, &corev1.Event{
						ObjectMeta:     metav1.ObjectMeta{Name: "e", Namespace: "sts"},
						InvolvedObject: corev1.ObjectReference{Kind: "StatefulSet", Namespace: "sts", Name: "web", UID: s.UID},
						Reason:         tc.event, Message: "create Pod web-2 in StatefulSet web failed error: pods \"web-2\" is forbidden: exceeded quota: q", LastTimestamp: metav1.Time{Time: now},
					})
				}
			}
			known := everything()
			delete(known, cluster.Pod)
			e := diagnosis.Explain(t.Context(), question(t, objects, known, &set))
			if said := answerOf(e); !strings.Contains(said, tc.says) || strings.Contains(said, "does not exist") {
				t.Errorf("it says %s", said)
			}
		})
	}
}

// on edits the objects of one type.
func on[T runtime.Object](edit func(T)) func(runtime.Object) {
	return func(o runtime.Object) {
		if one, ok := o.(T); ok {
			edit(one)
		}
	}
}

// answerOf is all that a person is told, with the commands.
func answerOf(e finding.Explanation) string {
	words := []string{message.English().Say(e.Summary)}
	links, remedies := e.Causes, e.Remedies
	for _, f := range e.Findings {
		words = append(words, message.English().Say(f.Message))
		links, remedies = slices.Concat(links, f.Causes), slices.Concat(remedies, f.Remedies)
	}
	for _, link := range links {
		words = append(words, message.English().Say(link.Message))
	}
	for _, r := range remedies {
		words = append(words, message.English().Say(r.Message), r.Command)
	}
	return strings.Join(words, "\n")
}

// heldByOthers gives the host ports of the old pods to pods that nothing controls.
func heldByOthers(p *corev1.Pod) {
	if p.Spec.NodeName != "" {
		p.OwnerReferences = nil
	}
}

func readyLately(p *corev1.Pod) {
	for i := range p.Status.Conditions {
		p.Status.Conditions[i].LastTransitionTime = metav1.Time{Time: p.Status.ContainerStatuses[0].LastTerminationState.Terminated.StartedAt.Add(time.Minute)}
	}
}

func longAgo(p *corev1.Pod) {
	last := p.Status.ContainerStatuses[0].LastTerminationState.Terminated
	last.StartedAt, last.FinishedAt = metav1.Time{Time: last.StartedAt.Add(-5 * time.Hour)}, metav1.Time{Time: last.FinishedAt.Add(-5 * time.Hour)}
}

func bySocket(d *appsv1.DaemonSet) {
	d.Name = "storage"
	d.Spec.Template.Spec.Volumes = []corev1.Volume{{Name: "socket", VolumeSource: corev1.VolumeSource{
		HostPath: &corev1.HostPathVolumeSource{Path: "/var/lib/kubelet/plugins/efs.csi.aws.com"},
	}}}
}
