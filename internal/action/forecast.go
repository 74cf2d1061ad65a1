package action

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

// How many pods a forecast holds, and of each how many volumes, as the API bounds it.
const (
	maxForecastPods    = 512
	maxForecastVolumes = 32
)

// Forecast is an Outcome as a Remediation records it: of each pod what would become of it, and of its controller how many
// pods run now.
func (p *Performer) Forecast(ctx context.Context, result outcome.Outcome) (*v1alpha1.Forecast, error) {
	f := &v1alpha1.Forecast{At: metav1.NewTime(p.Clock.Now())}
	if c := result.Compared; c != nil {
		f.Futures, f.WorseFutures = int32(c.Futures), int32(c.Worse)
	}
	var namespaces []string
	for i, fate := range result.Fates {
		if i == maxForecastPods {
			f.Omitted = int32(len(result.Fates) - maxForecastPods)
			break
		}
		pod, err := p.pod(ctx, client.ObjectKey{Namespace: fate.Pod.Namespace, Name: fate.Pod.Name})
		if err != nil {
			return nil, err
		}
		kind := string(fate.Kind)
		one := v1alpha1.PodForecast{
			Namespace: fate.Pod.Namespace, Name: fate.Pod.Name, Fate: strings.ToUpper(kind[:1]) + kind[1:], Node: fate.To, Owner: ownerOf(pod),
		}
		if cluster.Drains(pod) {
			data := result.World.LocalData(pod)
			one.LocalData = data[:min(len(data), maxForecastVolumes)]
		}
		f.Pods = append(f.Pods, one)
		namespaces = append(namespaces, fate.Pod.Namespace)
	}
	counted, err := p.countReadyPods(ctx, namespaces...)
	if err != nil {
		return nil, err
	}
	for _, pod := range f.Pods {
		if pod.Owner != nil {
			pod.Owner.Ready = counted.total(pod.Owner.UID)
		}
	}
	return f, nil
}

// pod reads a pod; one that is not there yet has nothing in it.
func (p *Performer) pod(ctx context.Context, key client.ObjectKey) (*corev1.Pod, error) {
	var pod corev1.Pod
	if err := p.Client.Get(ctx, key, &pod); client.IgnoreNotFound(err) != nil {
		return nil, fmt.Errorf("read the pod %s: %w", key, err)
	}
	return &pod, nil
}

// ownerOf is the controller of a pod, nil if it has none.
func ownerOf(pod *corev1.Pod) *v1alpha1.OwnerReference {
	owner := metav1.GetControllerOfNoCopy(pod)
	if owner == nil {
		return nil
	}
	return &v1alpha1.OwnerReference{Kind: owner.Kind, Name: owner.Name, UID: owner.UID}
}
