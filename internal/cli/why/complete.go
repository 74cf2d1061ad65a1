package why

import (
	"context"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/input"
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
	kind, ok := input.KindOf(word, explained...)
	if !ok {
		return nil
	}
	var names []string
	for _, name := range o.names(ctx, cluster.Kind(kind)) {
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
	names, err := cluster.Names(ctx, api.Client, kind, api.Namespace, mostCompletions)
	if err != nil {
		return nil
	}
	return names
}
