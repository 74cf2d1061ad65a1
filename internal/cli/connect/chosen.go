package connect

import (
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/naosu-dev/naosu/internal/change"
)

// Chosen are the flags by which a person has chosen a cluster, as kubectl takes them as well; none if the kubeconfig's own choice holds.
// Credentials are not among them.
func Chosen(getter genericclioptions.RESTClientGetter) []change.Flag {
	flags, ok := getter.(*genericclioptions.ConfigFlags)
	if !ok {
		return nil
	}
	var chosen []change.Flag
	for _, flag := range []struct {
		name  string
		value *string
	}{{"kubeconfig", flags.KubeConfig}, {"context", flags.Context}, {"cluster", flags.ClusterName}, {"user", flags.AuthInfoName}} {
		if flag.value != nil && *flag.value != "" {
			chosen = append(chosen, change.Flag{Name: flag.name, Value: *flag.value})
		}
	}
	return chosen
}
