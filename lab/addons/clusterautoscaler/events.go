package clusterautoscaler

import (
	"context"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	typedcorev1 "k8s.io/client-go/kubernetes/typed/core/v1"
	"k8s.io/client-go/tools/record"
)

// newRecorder sends events as Cluster Autoscaler does without --record-duplicated-events: for one object and reason one
// every five minutes, and its count then holds all that happened in between. That is how a pod comes to show "x232 over
// 51m". Only about itself it says everything at once. It ends with ctx.
func newRecorder(ctx context.Context, client kubernetes.Interface, every time.Duration) record.EventRecorder {
	broadcaster := record.NewBroadcaster(record.WithContext(ctx), record.WithCorrelatorOptions(record.CorrelatorOptions{
		QPS:          float32(1 / every.Seconds()),
		BurstSize:    1,
		LRUCacheSize: 8192,
		// client-go's ten minutes, in which it would call different messages "similar events".
		MaxIntervalInSeconds: max(int(2*every.Seconds()), 1),
		SpamKeyFunc: func(e *corev1.Event) string {
			about := e.InvolvedObject
			if about.Kind == "ConfigMap" && about.Name == statusName {
				return e.Message
			}
			return strings.Join([]string{e.Reason, e.Source.Component, about.Kind, about.Namespace, about.Name, string(about.UID), about.APIVersion}, "")
		},
	}))
	broadcaster.StartRecordingToSink(&typedcorev1.EventSinkImpl{Interface: client.CoreV1().Events("")})
	context.AfterFunc(ctx, broadcaster.Shutdown)
	return broadcaster.NewRecorder(scheme.Scheme, corev1.EventSource{Component: "cluster-autoscaler"})
}
