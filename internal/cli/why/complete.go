package why

import (
	"strings"

	"github.com/spf13/cobra"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cli/connect"
)

// mostCompletions bounds what a press of the tab key reads.
const mostCompletions = 500

// completePods offers the namespace's pods to the shell; what goes wrong there must not disturb the person typing.
func (o *Options) completePods(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const none = cobra.ShellCompDirectiveNoFileComp
	prefix := "pod/"
	if len(args) == 1 && podNames[args[0]] {
		prefix = ""
	} else if len(args) > 0 {
		return nil, none
	}
	api, err := connect.To(o.Config)
	if err != nil {
		return nil, none
	}
	pods, err := api.Client.CoreV1().Pods(api.Namespace).List(cmd.Context(), metav1.ListOptions{Limit: mostCompletions})
	if err != nil {
		return nil, none
	}
	var names []string
	for _, pod := range pods.Items {
		if name := prefix + pod.Name; strings.HasPrefix(name, typed) {
			names = append(names, name)
		}
	}
	return names, none
}
