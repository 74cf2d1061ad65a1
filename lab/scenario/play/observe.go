package play

import (
	"fmt"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"

	"github.com/naosu-dev/naosu/lab/cloud"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// observe says what a change of an object means for the timeline. Before or after is nil when the object is created or
// gone.
func observe(before, after any) []Event {
	o := after
	if o == nil {
		o = before
	}
	switch o.(type) {
	case *corev1.Node:
		return observeNode(as[corev1.Node](before), as[corev1.Node](after))
	case *corev1.Pod:
		return observePod(as[corev1.Pod](before), as[corev1.Pod](after))
	case *storagev1.VolumeAttachment:
		return observeAttachment(as[storagev1.VolumeAttachment](before), as[storagev1.VolumeAttachment](after))
	case *corev1.PersistentVolumeClaim:
		return observeClaim(as[corev1.PersistentVolumeClaim](before), as[corev1.PersistentVolumeClaim](after))
	case *appsv1.DaemonSet:
		return observeDaemonSet(as[appsv1.DaemonSet](before), as[appsv1.DaemonSet](after))
	case *batchv1.Job:
		return observeJob(as[batchv1.Job](before), as[batchv1.Job](after))
	case *unstructured.Unstructured:
		return observeNaosu(as[unstructured.Unstructured](before), as[unstructured.Unstructured](after))
	case *expr.Group:
		return observeGroup(as[expr.Group](before), as[expr.Group](after))
	case *expr.Subnet:
		return observeSubnet(as[expr.Subnet](before), as[expr.Subnet](after))
	case *expr.Interface:
		return observeLeftInterface(as[expr.Interface](before), as[expr.Interface](after))
	}
	return nil
}

// as is the object, or nil if there is none.
func as[T any](o any) *T {
	typed, _ := o.(*T)
	return typed
}

func observeAttachment(before, after *storagev1.VolumeAttachment) []Event {
	say := func(a *storagev1.VolumeAttachment, message string) []Event {
		volume := "(inline)"
		if a.Spec.Source.PersistentVolumeName != nil {
			volume = *a.Spec.Source.PersistentVolumeName
		}
		return []Event{{Sort: Volume, Object: "volume/" + volume, Message: fmt.Sprintf(message, a.Spec.NodeName)}}
	}
	switch {
	case after == nil:
		return say(before, "VolumeAttachment to %s is gone")
	case before == nil:
		return say(after, "VolumeAttachment to %s created")
	case after.DeletionTimestamp != nil && before.DeletionTimestamp == nil:
		return say(after, "VolumeAttachment to %s is being deleted")
	case after.Status.Attached && !before.Status.Attached:
		return say(after, "attached to %s")
	}
	return nil
}

func observeClaim(before, after *corev1.PersistentVolumeClaim) []Event {
	if after == nil || before == nil || before.Status.Phase == after.Status.Phase {
		return nil
	}
	return []Event{{
		Sort: Volume, Object: "claim/" + after.Namespace + "/" + after.Name,
		Message: fmt.Sprintf("%s to %s", after.Status.Phase, after.Spec.VolumeName),
	}}
}

func observeDaemonSet(before, after *appsv1.DaemonSet) []Event {
	if before == nil || after == nil {
		return nil
	}
	var events []Event
	for i, c := range after.Spec.Template.Spec.Containers {
		if i >= len(before.Spec.Template.Spec.Containers) {
			break
		}
		was := before.Spec.Template.Spec.Containers[i].Resources.Requests
		if !equality.Semantic.DeepEqual(was, c.Resources.Requests) {
			events = append(events, Event{
				Sort: Workload, Object: "daemonset/" + after.Namespace + "/" + after.Name,
				Message: fmt.Sprintf("container %s requests CPU %s, memory %s (before: %s, %s)", c.Name,
					c.Resources.Requests.Cpu(), c.Resources.Requests.Memory(), was.Cpu(), was.Memory()),
			})
		}
	}
	return events
}

func observeJob(before, after *batchv1.Job) []Event {
	if before == nil || after == nil || finished(before) || !finished(after) {
		return nil
	}
	for _, c := range after.Status.Conditions {
		if c.Status != corev1.ConditionTrue {
			continue
		}
		object := "job/" + after.Namespace + "/" + after.Name
		switch c.Type {
		case batchv1.JobFailed:
			return []Event{{Sort: Workload, Object: object, Message: "failed: " + c.Reason + ": " + c.Message}}
		case batchv1.JobComplete:
			return []Event{{Sort: Workload, Object: object, Message: "complete"}}
		}
	}
	return nil
}

func observeGroup(before, after *expr.Group) []Event {
	var events []Event
	say := func(format string, args ...any) {
		events = append(events, Event{Sort: Cloud, Object: "group/" + after.Name, Message: fmt.Sprintf(format, args...)})
	}
	if after.Desired != before.Desired {
		say("desired size %d (before: %d)", after.Desired, before.Desired)
	}
	states := map[string]string{}
	for _, i := range before.Instances {
		states[i.ID] = i.State
	}
	for _, i := range after.Instances {
		switch was, known := states[i.ID]; {
		case !known:
			say("launches %s in %s", i.ID, i.Zone)
		case was != i.State && i.State != string(cloud.Running):
			say("%s in %s is %s", i.ID, i.Zone, i.State)
		}
	}
	return events
}

func observeSubnet(before, after *expr.Subnet) []Event {
	if (before.Free == 0) == (after.Free == 0) {
		return nil
	}
	message := "has no free address"
	if after.Free > 0 {
		message = fmt.Sprintf("has %d free addresses", after.Free)
	}
	return []Event{{Sort: Cloud, Object: "subnet/" + after.Name, Message: message}}
}

// observeLeftInterface tells of an interface whose instance has ended, when it is left behind and when it is deleted.
func observeLeftInterface(before, after *expr.Interface) []Event {
	if after == nil {
		return []Event{{Sort: Cloud, Object: "interface/" + before.ID, Message: "deleted"}}
	}
	return []Event{{
		Sort: Cloud, Object: "interface/" + after.ID,
		Message: fmt.Sprintf("left behind with %d addresses of subnet/%s: %s", after.Addresses, after.Subnet, after.Description),
	}}
}
