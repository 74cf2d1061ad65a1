package kube_test

import (
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/kube"
)

func TestPodTemplate(t *testing.T) {
	template := corev1.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Name: "made"}}
	for _, o := range []metav1.Object{
		&corev1.ReplicationController{Spec: corev1.ReplicationControllerSpec{Template: &template}},
		&appsv1.Deployment{Spec: appsv1.DeploymentSpec{Template: template}},
		&appsv1.ReplicaSet{Spec: appsv1.ReplicaSetSpec{Template: template}},
		&appsv1.StatefulSet{Spec: appsv1.StatefulSetSpec{Template: template}},
		&appsv1.DaemonSet{Spec: appsv1.DaemonSetSpec{Template: template}},
		&batchv1.Job{Spec: batchv1.JobSpec{Template: template}},
		&batchv1.CronJob{Spec: batchv1.CronJobSpec{JobTemplate: batchv1.JobTemplateSpec{Spec: batchv1.JobSpec{Template: template}}}},
	} {
		if made := kube.PodTemplate(o); made == nil || made.Name != "made" {
			t.Errorf("%T: %v", o, made)
		}
	}
	for _, o := range []metav1.Object{&corev1.Pod{}, &corev1.Service{}, &corev1.ReplicationController{}} {
		if made := kube.PodTemplate(o); made != nil {
			t.Errorf("%T makes pods: %v", o, made)
		}
	}
}
