package controller

import (
	"context"
	"fmt"

	"github.com/go-logr/logr"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/utils/clock"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/manager"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/discover"
)

// splitClient reads naosu's own objects from the manager's cache and all else from the API server: a cache of pods beside the
// watch would hold the cluster twice.
type splitClient struct {
	client.Client
	cached client.Reader
}

func newClient(config *rest.Config, o client.Options) (client.Client, error) {
	direct, err := directClient(config)
	if err != nil {
		return nil, err
	}
	return splitClient{direct, o.Cache.Reader}, nil
}

// directClient has no cache. None of its requests may take forever.
func directClient(config *rest.Config) (client.Client, error) {
	config = rest.CopyConfig(config)
	config.Timeout = requestTimeout
	direct, err := client.New(config, client.Options{Scheme: scheme})
	if err != nil {
		return nil, fmt.Errorf("making the client: %w", err)
	}
	return direct, nil
}

// Get reads one object.
func (s splitClient) Get(ctx context.Context, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
	switch o.(type) {
	case *v1alpha1.AddressPolicy, *v1alpha1.FailoverPolicy, *v1alpha1.HeadroomPolicy, *v1alpha1.NodeRepairPolicy, *v1alpha1.RebalancePolicy, *v1alpha1.Remediation:
		return s.cached.Get(ctx, key, o, opts...)
	}
	return s.Client.Get(ctx, key, o, opts...)
}

// List reads objects.
func (s splitClient) List(ctx context.Context, list client.ObjectList, opts ...client.ListOption) error {
	switch list.(type) {
	case *v1alpha1.AddressPolicyList, *v1alpha1.FailoverPolicyList, *v1alpha1.HeadroomPolicyList, *v1alpha1.NodeRepairPolicyList, *v1alpha1.RebalancePolicyList, *v1alpha1.RemediationList:
		return s.cached.List(ctx, list, opts...)
	}
	return s.Client.List(ctx, list, opts...)
}

func protobufConfig(config *rest.Config) *rest.Config {
	config = rest.CopyConfig(config)
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	return config
}

// +kubebuilder:rbac:urls=/readyz,verbs=get

// readyz has the API server say whether it is ready.
func readyz(kube kubernetes.Interface) func(context.Context) error {
	return func(ctx context.Context) error {
		ctx, cancel := context.WithTimeout(ctx, readyzTimeout)
		defer cancel()
		return kube.Discovery().RESTClient().Get().AbsPath("/readyz").Do(ctx).Error()
	}
}

// discoverProviders are those who run the machines. Who could not be asked is in the log, and in what policies' statuses say.
func discoverProviders(ctx context.Context, direct client.Client, o Options) *discover.Discovered {
	found := discover.NewDiscovered(ctx, discover.Options{Client: direct, EKSCluster: o.EKSCluster})
	logProviders(o.Log)(found.Now())
	return found
}

// rediscoverProviders looks again for those who could not be asked.
func rediscoverProviders(found *discover.Discovered, log logr.Logger) manager.RunnableFunc {
	return func(ctx context.Context) error {
		found.Run(ctx, clock.RealClock{}, func(providers cloud.Providers, gaps []cloud.Gap) {
			if len(gaps) == 0 { // Else it was said before.
				logProviders(log)(providers, gaps)
			}
		})
		return nil
	}
}

func logProviders(log logr.Logger) func(cloud.Providers, []cloud.Gap) {
	return func(providers cloud.Providers, gaps []cloud.Gap) {
		unasked := map[string]bool{}
		for _, gap := range gaps {
			unasked[gap.Provider] = true
			log.Info("Provider is not available", "provider", gap.Provider, "why", english.Say(gap.Why))
		}
		for _, provider := range providers {
			if !unasked[provider.Name()] {
				log.Info("Provider is available", "provider", provider.Name())
			}
		}
	}
}
