package play

import (
	"context"
	"fmt"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"

	"github.com/naosu-dev/naosu/lab/cloud/aws"
	"github.com/naosu-dev/naosu/lab/scenario/expr"
)

// naosuKinds are the variables of naosu's kinds.
var naosuKinds = map[string]string{"Remediation": "remediations", "NodeRepairPolicy": "repairpolicies", "AddressPolicy": "addresspolicies", "HeadroomPolicy": "headroompolicies"}

// watchKinds begins to watch naosu's kinds, once they are served.
func (w *world) watchKinds(ctx context.Context, client dynamic.Interface, resources map[string]schema.GroupVersionResource) error {
	factory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(client, 0, metav1.NamespaceAll, nil)
	w.factory = append(w.factory, factory)
	for kind, resource := range resources {
		k, known := w.kinds[naosuKinds[kind]]
		if !known {
			continue
		}
		informer := factory.ForResource(resource).Informer()
		if err := informer.SetTransform(stripUnused); err != nil {
			return fmt.Errorf("watching %s: %w", resource.Resource, err)
		}
		if _, err := informer.AddEventHandler(w.handler(k)); err != nil {
			return fmt.Errorf("watching %s: %w", resource.Resource, err)
		}
		k.mu.Lock()
		k.informer = informer
		k.mu.Unlock()
	}
	factory.Start(ctx.Done())
	for resource, synced := range factory.WaitForCacheSync(ctx.Done()) {
		if !synced {
			return fmt.Errorf("watching %s: %w", resource.Resource, context.Cause(ctx))
		}
	}
	return nil
}

// callsOf is the cloud's call log as expressions see it.
func callsOf(calls []aws.Call) []any {
	shown := make([]any, 0, len(calls))
	for _, c := range calls {
		shown = append(shown, &expr.Call{Service: c.Service, Action: c.Action, Parameters: c.Parameters, Code: c.Code})
	}
	return shown
}
