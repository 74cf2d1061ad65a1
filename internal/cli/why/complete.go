package why

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cluster"
)

// mostCompletions bounds what a press of the tab key reads.
const mostCompletions = 500

// completeSubject offers kinds, and the names of a kind, to the shell; what goes wrong there must not disturb the person
// typing.
func (o *Options) completeSubject(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	const noFiles = cobra.ShellCompDirectiveNoFileComp
	switch word, name, slash := strings.Cut(typed, "/"); {
	case len(args) == 1 && !strings.Contains(args[0], "/"):
		return o.completeNames(cmd.Context(), args[0], "", typed), noFiles
	case len(args) > 0:
		return nil, noFiles
	case slash:
		return o.completeNames(cmd.Context(), word, word+"/", name), noFiles
	default:
		kinds := slices.DeleteFunc(kindWords(), func(kind string) bool { return !strings.HasPrefix(kind, typed) })
		for i := range kinds {
			kinds[i] += "/"
		}
		return kinds, noFiles | cobra.ShellCompDirectiveNoSpace
	}
}

// completeUnlike offers things of the subject's kind.
func (o *Options) completeUnlike(cmd *cobra.Command, args []string, typed string) ([]string, cobra.ShellCompDirective) {
	if subject := parseSubject(args); subject.Name != "" {
		word, _, _ := strings.Cut(change.Ref{Kind: subject.Kind}.String(), "/")
		return o.completeNames(cmd.Context(), word, word+"/", strings.TrimPrefix(typed, word+"/")), cobra.ShellCompDirectiveNoFileComp
	}
	return o.completeSubject(cmd, nil, typed)
}

// completeNames are the names of a kind in the namespace that begin as typed.
func (o *Options) completeNames(ctx context.Context, word, prefix, typed string) []string {
	kind, ok := kindOf(word)
	if !ok {
		return nil
	}
	var names []string
	for _, name := range o.names(ctx, kind) {
		if strings.HasPrefix(name, typed) {
			names = append(names, prefix+name)
		}
	}
	return names
}

func (o *Options) names(ctx context.Context, kind cluster.Kind) []string {
	api, err := connect.To(o.Config)
	if err != nil {
		return nil
	}
	read, ok := lists[kind]
	if !ok {
		return nil // It is not built into Kubernetes.
	}
	list, err := read(ctx, api.Client, api.Namespace, metav1.ListOptions{Limit: mostCompletions})
	if err != nil {
		return nil
	}
	var names []string
	_ = meta.EachListItem(list, func(o runtime.Object) error { // Only an object that is no list would be an error.
		names = append(names, o.(metav1.Object).GetName())
		return nil
	})
	return names
}

// lists read one page of a kind.
var lists = map[cluster.Kind]func(context.Context, kubernetes.Interface, string, metav1.ListOptions) (runtime.Object, error){
	cluster.Pod: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().Pods(ns).List(ctx, o)
	},
	cluster.Node: func(ctx context.Context, c kubernetes.Interface, _ string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().Nodes().List(ctx, o)
	},
	cluster.PersistentVolumeClaim: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().PersistentVolumeClaims(ns).List(ctx, o)
	},
	cluster.PersistentVolume: func(ctx context.Context, c kubernetes.Interface, _ string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().PersistentVolumes().List(ctx, o)
	},
	cluster.Deployment: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().Deployments(ns).List(ctx, o)
	},
	cluster.ReplicaSet: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().ReplicaSets(ns).List(ctx, o)
	},
	cluster.StatefulSet: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().StatefulSets(ns).List(ctx, o)
	},
	cluster.DaemonSet: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AppsV1().DaemonSets(ns).List(ctx, o)
	},
	cluster.Job: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.BatchV1().Jobs(ns).List(ctx, o)
	},
	cluster.CronJob: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.BatchV1().CronJobs(ns).List(ctx, o)
	},
	cluster.PodDisruptionBudget: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.PolicyV1().PodDisruptionBudgets(ns).List(ctx, o)
	},
	cluster.HorizontalPodAutoscaler: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.AutoscalingV2().HorizontalPodAutoscalers(ns).List(ctx, o)
	},
	cluster.Namespace: func(ctx context.Context, c kubernetes.Interface, _ string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().Namespaces().List(ctx, o)
	},
	cluster.ResourceQuota: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().ResourceQuotas(ns).List(ctx, o)
	},
	cluster.Ingress: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.NetworkingV1().Ingresses(ns).List(ctx, o)
	},
	cluster.Service: func(ctx context.Context, c kubernetes.Interface, ns string, o metav1.ListOptions) (runtime.Object, error) {
		return c.CoreV1().Services(ns).List(ctx, o)
	},
}
