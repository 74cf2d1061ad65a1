package connect

import (
	"fmt"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	clientgoscheme "k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Objects is the way to one cluster's objects by their Go types, naosu's own among them.
type Objects struct {
	client.WithWatch
	// Host is the address of the API server.
	Host string
}

// ToObjects makes the way to the cluster that the flags choose. An error is bad input: nothing has been asked of it yet.
func ToObjects(getter genericclioptions.RESTClientGetter) (Objects, error) {
	config, err := getter.ToRESTConfig()
	if err != nil {
		return Objects{}, badConfig(err)
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = qps, burst
	config.WarningHandlerWithContext = rest.NoWarnings{}
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{clientgoscheme.AddToScheme, v1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return Objects{}, fmt.Errorf("make a scheme: %w", err)
		}
	}
	http, err := rest.HTTPClientFor(config)
	if err != nil {
		return Objects{}, badConfig(err)
	}
	asks, err := apiutil.NewDynamicRESTMapper(config, http)
	if err != nil {
		return Objects{}, badConfig(err)
	}
	c, err := client.NewWithWatch(config, client.Options{Scheme: scheme, HTTPClient: http, Mapper: newKinds(asks)})
	if err != nil {
		return Objects{}, badConfig(err)
	}
	return Objects{c, config.Host}, nil
}
