package twin

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/uuid"
	"k8s.io/kubernetes/pkg/api/legacyscheme"
	_ "k8s.io/kubernetes/pkg/apis/apps/install" // the API server's defaults
	_ "k8s.io/kubernetes/pkg/apis/core/install"
)

const (
	revisionHash = "controller.kubernetes.io/hash" // pkg/controller/history, ControllerRevisionHashLabel
	generation   = "pod-template-generation"       // pkg/apis/apps, DaemonSetTemplateGenerationLabel
	deploymentNo = "deployment.kubernetes.io/revision"
	// mark distinguishes old ReplicaSets from the present one, whose templates may differ in nothing but what a snapshot leaves out.
	mark = "lab.naosu.dev/revision"
)

// addControllerRevisions gives DaemonSets and StatefulSets the ControllerRevision by which their controllers know that pods are as the
// template says; without it they would roll all of them. A snapshot has none, and those it could have would not match a
// template that was stripped of its environment's values.
func (c *contents) addControllerRevisions(now metav1.Time) error {
	pods := all[*corev1.Pod](c)
	for _, set := range all[*appsv1.StatefulSet](c) {
		name := set.Status.UpdateRevision
		if name == "" {
			continue
		}
		hash := strings.TrimPrefix(name, set.Name+"-")
		if err := c.addRevision(set, now, name, map[string]string{revisionHash: hash}, set.Annotations); err != nil {
			return err
		}
	}
	for _, set := range all[*appsv1.DaemonSet](c) {
		hash := daemonHash(set, owned(set, pods))
		if hash == "" {
			continue
		}
		labels := map[string]string{appsv1.DefaultDaemonSetUniqueLabelKey: hash}
		if err := c.addRevision(set, now, set.Name+"-"+hash, labels, set.Annotations); err != nil {
			return err
		}
	}
	return nil
}

// daemonHash is what the pods of the DaemonSet's newest template are labelled with; empty if there are none yet. A snapshot
// without names may lack the annotation that names its template: then it is the last of which there are pods.
func daemonHash(set *appsv1.DaemonSet, pods []*corev1.Pod) (hash string) {
	newest, known := set.Annotations[appsv1.DeprecatedTemplateGeneration]
	latest := 0
	for _, pod := range pods {
		of, err := strconv.Atoi(pod.Labels[generation])
		switch {
		case known && pod.Labels[generation] == newest:
			return pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		case !known && err == nil && of > latest:
			latest, hash = of, pod.Labels[appsv1.DefaultDaemonSetUniqueLabelKey]
		}
	}
	return hash
}

func (c *contents) addRevision(of object, now metav1.Time, name string, labels, annotations map[string]string) error {
	patch, err := templatePatch(of)
	if err != nil {
		return fmt.Errorf("the revision of %s: %w", nameOf(of), err)
	}
	for key, value := range podTemplate(of).Labels {
		if _, set := labels[key]; !set {
			labels[key] = value
		}
	}
	gvk := of.GetObjectKind().GroupVersionKind()
	revision := &appsv1.ControllerRevision{
		ObjectMeta: metav1.ObjectMeta{
			Namespace: of.GetNamespace(), Name: name, UID: uuid.NewUUID(), CreationTimestamp: now, Labels: labels, Annotations: annotations,
			OwnerReferences: []metav1.OwnerReference{*metav1.NewControllerRef(of, gvk)},
		},
		Data: runtime.RawExtension{Raw: patch}, Revision: 1,
	}
	revision.SetGroupVersionKind(appsv1.SchemeGroupVersion.WithKind("ControllerRevision"))
	c.add(revision)
	return nil
}

// asServed is the object as the API server serves it: with its defaults, and with what reading into the internal version
// and back adds, such as the old serviceAccount beside serviceAccountName.
func asServed(o object) (runtime.Object, error) {
	stored := o.DeepCopyObject()
	legacyscheme.Scheme.Default(stored)
	internal, err := legacyscheme.Scheme.ConvertToVersion(stored, runtime.InternalGroupVersioner)
	if err != nil {
		return nil, err
	}
	return legacyscheme.Scheme.ConvertToVersion(internal, appsv1.SchemeGroupVersion)
}

// templatePatch is how both controllers write down a template, as the API server serves it:
// getPatch in pkg/controller/daemon/update.go and pkg/controller/statefulset/stateful_set_utils.go.
func templatePatch(of object) ([]byte, error) {
	shown, err := asServed(of)
	if err != nil {
		return nil, err
	}
	data, err := json.Marshal(shown)
	if err != nil {
		return nil, err
	}
	var raw struct {
		Spec struct {
			Template map[string]any `json:"template"`
		} `json:"spec"`
	}
	if err := json.Unmarshal(data, &raw); err != nil {
		return nil, err
	}
	raw.Spec.Template["$patch"] = "replace"
	return json.Marshal(map[string]any{"spec": map[string]any{"template": raw.Spec.Template}})
}

// markReplicaSets makes sure that a Deployment finds its present ReplicaSet, and not an older one whose template differed
// in an environment's value alone: of those that look alike it takes the oldest.
func (c *contents) markReplicaSets() {
	sets := all[*appsv1.ReplicaSet](c)
	for _, deployment := range all[*appsv1.Deployment](c) {
		for _, set := range owned(deployment, sets) {
			if set.Annotations[deploymentNo] == deployment.Annotations[deploymentNo] {
				continue
			}
			metav1.SetMetaDataAnnotation(&set.Spec.Template.ObjectMeta, mark, set.Annotations[deploymentNo])
		}
	}
}
