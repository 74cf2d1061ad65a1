package csi

import (
	"context"
	"testing"

	storagev1 "k8s.io/api/storage/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The attacher's own note of a failure must not bring about the next attempt at once.
func TestAttachmentUpdated(t *testing.T) {
	tests := map[string]struct {
		change func(*storagev1.VolumeAttachment)
		want   int
	}{
		"an attach error":       {change: func(va *storagev1.VolumeAttachment) { va.Status.AttachError = &storagev1.VolumeError{Message: "no"} }},
		"a detach error":        {change: func(va *storagev1.VolumeAttachment) { va.Status.DetachError = &storagev1.VolumeError{Message: "no"} }},
		"a resync":              {change: func(va *storagev1.VolumeAttachment) { va.ResourceVersion = "1" }, want: 1},
		"a deletion":            {change: func(va *storagev1.VolumeAttachment) { va.DeletionTimestamp = &metav1.Time{} }, want: 1},
		"another driver's":      {change: func(va *storagev1.VolumeAttachment) { va.Spec.Attacher = "other"; va.Finalizers = []string{"x"} }},
		"a finalizer taken off": {change: func(va *storagev1.VolumeAttachment) { va.Finalizers = nil }, want: 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := &attacher{attachmentLoop: newLoop("test", nil, func(context.Context, string) error { return nil })}
			before := &storagev1.VolumeAttachment{
				ObjectMeta: metav1.ObjectMeta{Name: "va", ResourceVersion: "1", Finalizers: []string{attacherFinalizer}},
				Spec:       storagev1.VolumeAttachmentSpec{Attacher: ebsName},
			}
			after := before.DeepCopy()
			after.ResourceVersion = "2"
			test.change(after)
			a.attachmentUpdated(before, after)
			if got := a.attachmentLoop.queue.Len(); got != test.want {
				t.Errorf("%d attachments are to be looked at, want %d", got, test.want)
			}
		})
	}
}
