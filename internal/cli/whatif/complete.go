package whatif

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// mostCompletions bounds what a press of the tab key reads.
const mostCompletions = 500

// offered are the kinds that each verb takes.
var offered = map[string][]string{
	"lose": {"node", "zone", "group"}, "drain": {"node"}, "cordon": {"node"}, "uncordon": {"node"}, "taint": {"node"}, "untaint": {"node"},
	"evict": {"pod"}, "delete": {"pod", "networkinterface"}, "tag": {"subnet"}, "grow": {"daemonset"}, "scale": {"group", "deployment", "statefulset", "replicaset"},
	"rotate": {"group"}, "patch": {"node", "deployment", "statefulset", "daemonset", "pod"},
}

// changeable are the kinds of offered, in one list.
var changeable = []string{"Node", "Zone", "Group", "Pod", "DaemonSet", "Deployment", "StatefulSet", "ReplicaSet", "Subnet", "NetworkInterface"}

// complete offers verbs, kinds and names to the shell; what goes wrong there must not disturb the person typing.
func (o *Options) complete(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	words := args
	for i, arg := range args {
		if strings.HasSuffix(arg, ",") {
			words = args[i+1:]
		}
	}
	if len(words) == 0 {
		return beginning(verbNames, typed), noFiles
	}
	kind, name, slash := strings.Cut(typed, "/")
	switch {
	case len(words) > 1:
		return nil, noFiles
	case !slash:
		var choices []string
		for _, kind := range offered[words[0]] {
			choices = append(choices, kind+"/")
		}
		return beginning(choices, typed), noFiles | cobra.ShellCompDirectiveNoSpace
	}
	var choices []string
	known, _ := input.KindOf(kind, changeable...)
	for _, found := range beginning(o.names(cmd.Context(), known), name) {
		choices = append(choices, kind+"/"+found)
	}
	return choices, noFiles
}

func (o *Options) completeFlag(flag string) cobra.CompletionFunc {
	kind := map[string]string{"group": "Group", "zone": "Zone", "zones": "Zone"}[flag]
	return func(cmd *cobra.Command, _ []string, typed string) ([]string, cobra.ShellCompDirective) {
		return beginning(o.names(cmd.Context(), kind), typed), cobra.ShellCompDirectiveNoFileComp
	}
}

func beginning(choices []string, typed string) []string {
	return slices.DeleteFunc(slices.Clone(choices), func(choice string) bool { return !strings.HasPrefix(choice, typed) })
}

// names are those of a kind, from the snapshot or one page of the cluster's.
func (o *Options) names(ctx context.Context, kind string) []string {
	if o.From == "-" {
		return nil
	}
	if o.From != "" {
		world, err := o.ReadWorld(ctx)
		if err != nil {
			return nil
		}
		var found []string
		for _, namespace := range append([]string{""}, namespacesOf(world)...) {
			found = append(found, namesOf(world, kind, namespace)...)
		}
		slices.Sort(found)
		return slices.Compact(found)
	}
	objects := o.page(ctx, kind)
	return namesOf(cluster.New(cluster.Contents{Objects: objects}), kind, namespaceOf(objects))
}

func namespacesOf(world *cluster.Snapshot) []string {
	var names []string
	for _, pod := range world.Pods() {
		names = append(names, pod.Namespace)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func namespaceOf(objects []runtime.Object) string {
	if len(objects) == 0 {
		return ""
	}
	return objects[0].(metav1.Object).GetNamespace()
}

// page reads one page of a kind; zones and groups are told by nodes.
func (o *Options) page(ctx context.Context, kind string) []runtime.Object {
	api, err := connect.To(o.Config)
	if err != nil {
		return nil
	}
	var list runtime.Object
	options := metav1.ListOptions{Limit: mostCompletions}
	switch kind {
	case "Node", "Zone", "Group":
		list, err = api.Client.CoreV1().Nodes().List(ctx, options)
	case "Pod":
		list, err = api.Client.CoreV1().Pods(api.Namespace).List(ctx, options)
	case "DaemonSet":
		list, err = api.Client.AppsV1().DaemonSets(api.Namespace).List(ctx, options)
	case "Deployment":
		list, err = api.Client.AppsV1().Deployments(api.Namespace).List(ctx, options)
	case "StatefulSet":
		list, err = api.Client.AppsV1().StatefulSets(api.Namespace).List(ctx, options)
	case "ReplicaSet":
		list, err = api.Client.AppsV1().ReplicaSets(api.Namespace).List(ctx, options)
	default:
		return nil
	}
	if err != nil {
		return nil
	}
	var objects []runtime.Object
	_ = meta.EachListItem(list, func(o runtime.Object) error { // Only an object that is no list would be an error.
		objects = append(objects, o)
		return nil
	})
	return objects
}
