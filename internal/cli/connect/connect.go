package connect

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	"github.com/naosu-dev/naosu/internal/cli/exit"
)

// DefaultTimeout is how long one request may take unless --request-timeout says otherwise.
const DefaultTimeout = "15s"

// A read asks for a handful of kinds at once; the client's own default of 5 a second would make it wait for itself.
// The server's priority and fairness protects it.
const (
	qps   = 50
	burst = 100
)

// Flags are kubectl's connection flags, without those that only its caches need.
func Flags() *genericclioptions.ConfigFlags {
	flags := genericclioptions.NewConfigFlags(true)
	flags.CacheDir, flags.DisableCompression = nil, nil
	*flags.Timeout = DefaultTimeout
	return flags
}

// Client is a client for the cluster that the flags choose, and the address of its API server. An error is bad input:
// nothing has been asked of the cluster yet.
func Client(getter genericclioptions.RESTClientGetter) (kubernetes.Interface, string, error) {
	config, err := getter.ToRESTConfig()
	if clientcmd.IsEmptyConfig(err) {
		return nil, "", exit.BadInput("kubeconfig", "no cluster is configured", "choose a kubeconfig with --kubeconfig or KUBECONFIG")
	}
	if err != nil {
		return nil, "", exit.BadInput("kubeconfig", err.Error(), "choose another with --kubeconfig, or a context with --context")
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = qps, burst
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.WarningHandlerWithContext = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return nil, "", exit.BadInput("kubeconfig", err.Error(), "choose another with --kubeconfig, or a context with --context")
	}
	return client, config.Host, nil
}
