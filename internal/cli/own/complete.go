package own

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/cli-runtime/pkg/genericclioptions"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/cli/connect"
)

// mostCompletions bounds what a press of the tab key reads.
const mostCompletions = 500

// Completion offers a shell what may stand for an argument. What goes wrong there must not disturb the person typing.
type Completion = func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective)

// CompleteNodes offers node/NAME for the first argument.
func CompleteNodes(config genericclioptions.RESTClientGetter) Completion {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) > 0 {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := names(cmd.Context(), config, &corev1.NodeList{}, func(runtime.Object) bool { return true })
		for i := range names {
			names[i] = "node/" + names[i]
		}
		return beginning(names, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// CompleteRemediations offers the names of Remediations that a verb is for, each once, for so many arguments.
func CompleteRemediations(config genericclioptions.RESTClientGetter, most int, wanted func(*v1alpha1.Remediation) bool) Completion {
	return func(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
		if len(args) >= most {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		names := names(cmd.Context(), config, &v1alpha1.RemediationList{}, func(o runtime.Object) bool {
			r, is := o.(*v1alpha1.Remediation)
			return is && wanted(r) && !slices.Contains(args, r.Name)
		})
		return beginning(names, typed), cobra.ShellCompDirectiveNoFileComp
	}
}

// NotEnded says whether a Remediation can still be approved, rejected or aborted.
func NotEnded(r *v1alpha1.Remediation) bool { return r.Status.Phase != v1alpha1.PhaseEnded }

// names are those of a list's objects that are wanted; none if they cannot be read.
func names(ctx context.Context, config genericclioptions.RESTClientGetter, list client.ObjectList, wanted func(runtime.Object) bool) []string {
	objects, err := connect.ToObjects(config)
	if err != nil || objects.List(ctx, list, client.Limit(mostCompletions)) != nil {
		return nil
	}
	var names []string
	_ = meta.EachListItem(list, func(o runtime.Object) error {
		if named, is := o.(client.Object); is && wanted(o) {
			names = append(names, named.GetName())
		}
		return nil
	})
	return names
}

func beginning(names []string, typed string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return !strings.HasPrefix(name, typed) })
}
