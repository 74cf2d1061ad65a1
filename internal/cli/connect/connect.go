package connect

import (
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// DefaultTimeout is how long one request may take unless --request-timeout says otherwise.
const DefaultTimeout = "30s"

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

// API is the way to one cluster.
type API struct {
	Client kubernetes.Interface
	// Host is the address of the API server.
	Host string
	// Namespace is the one that flags or the kubeconfig's context choose.
	Namespace string
}

// To makes the way to the cluster that the flags choose. An error is bad input: nothing has been asked of it yet.
func To(getter genericclioptions.RESTClientGetter) (API, error) {
	namespace, _, err := getter.ToRawKubeConfigLoader().Namespace()
	if err != nil {
		return API{}, badConfig(err)
	}
	config, err := getter.ToRESTConfig()
	if err != nil {
		return API{}, badConfig(err)
	}
	config = rest.CopyConfig(config)
	config.QPS, config.Burst = qps, burst
	config.ContentType = runtime.ContentTypeProtobuf
	config.AcceptContentTypes = runtime.ContentTypeProtobuf + "," + runtime.ContentTypeJSON
	config.WarningHandlerWithContext = rest.NoWarnings{}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return API{}, badConfig(err)
	}
	return API{Client: client, Host: config.Host, Namespace: namespace}, nil
}

// Config is the way to the cluster that the flags choose, for whoever makes clients of their own. An error is bad input.
func Config(getter genericclioptions.RESTClientGetter) (*rest.Config, error) {
	config, err := getter.ToRESTConfig()
	if err != nil {
		return nil, badConfig(err)
	}
	config = rest.CopyConfig(config)
	config.WarningHandlerWithContext = rest.NoWarnings{}
	return config, nil
}

func badConfig(err error) error {
	return exit.BadInput("kubeconfig", sentence.ErrKubeconfig(err.Error()), sentence.ErrKubeconfigRemedy())
}
