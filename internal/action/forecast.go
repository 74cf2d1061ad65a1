package action

import (
	"context"
	"fmt"
	"strings"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/simulation"
)

// mostForecast is how many pods a forecast holds, as the API bounds it.
const mostForecast = 512

// Forecast is an Outcome as a Remediation records it: of each pod what would become of it, and of its controller how many
// pods run now.
func (p *Performer) Forecast(ctx context.Context, outcome simulation.Outcome) (*v1alpha1.Forecast, error) {
	f := &v1alpha1.Forecast{At: metav1.NewTime(p.Clock.Now())}
	if c := outcome.Compared; c != nil {
		f.Futures, f.WorseFutures = int32(c.Futures), int32(c.Worse) //nolint:gosec // A few are played.
	}
	var namespaces []string
	for i, fate := range outcome.Fates {
		if i == mostForecast {
			f.Omitted = int32(len(outcome.Fates) - mostForecast) //nolint:gosec // No cluster has as many pods.
			break
		}
		owner, err := p.ownerOf(ctx, client.ObjectKey{Namespace: fate.Pod.Namespace, Name: fate.Pod.Name})
		if err != nil {
			return nil, err
		}
		kind := string(fate.Kind)
		f.Pods = append(f.Pods, v1alpha1.PodForecast{
			Namespace: fate.Pod.Namespace, Name: fate.Pod.Name, Fate: strings.ToUpper(kind[:1]) + kind[1:], Node: fate.To, Owner: owner,
		})
		namespaces = append(namespaces, fate.Pod.Namespace)
	}
	counted, err := p.count(ctx, namespaces...)
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

// ownerOf is the controller of a pod, nil if it has none or is not there yet.
func (p *Performer) ownerOf(ctx context.Context, key client.ObjectKey) (*v1alpha1.OwnerReference, error) {
	var pod corev1.Pod
	switch err := p.Client.Get(ctx, key, &pod); {
	case apierrors.IsNotFound(err):
		return nil, nil //nolint:nilnil // As documented.
	case err != nil:
		return nil, fmt.Errorf("read the pod %s: %w", key, err)
	}
	owner := metav1.GetControllerOfNoCopy(&pod)
	if owner == nil {
		return nil, nil //nolint:nilnil // As documented.
	}
	return &v1alpha1.OwnerReference{Kind: owner.Kind, Name: owner.Name, UID: owner.UID}, nil
}
