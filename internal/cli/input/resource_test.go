package input_test

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
)

func TestParseResource(t *testing.T) {
	several := []string{"Pod", "Node", "Deployment"}
	for name, tc := range map[string]struct {
		args  string // separated by |
		kinds []string
		want  change.Ref
		bad   bool
	}{
		"type/name":                   {args: "pod/web", kinds: several, want: change.Ref{Kind: "Pod", Name: "web"}},
		"type name":                   {args: "pod|web", kinds: several, want: change.Ref{Kind: "Pod", Name: "web"}},
		"a short name":                {args: "deploy/web", kinds: several, want: change.Ref{Kind: "Deployment", Name: "web"}},
		"in capitals":                 {args: "Pods/web", kinds: several, want: change.Ref{Kind: "Pod", Name: "web"}},
		"with the API group":          {args: "deployment.apps/web", kinds: several, want: change.Ref{Kind: "Deployment", Name: "web"}},
		"with the namespace":          {args: "shop/pod/web", kinds: several, want: change.Ref{Kind: "Pod", Namespace: "shop", Name: "web"}},
		"a name with dots":            {args: "node/ip-10-0-0-1.ec2.internal", kinds: several, want: change.Ref{Kind: "Node", Name: "ip-10-0-0-1.ec2.internal"}},
		"a name alone":                {args: "n1", kinds: []string{"Node"}, want: change.Ref{Kind: "Node", Name: "n1"}},
		"a name alone of several":     {args: "n1", kinds: several, bad: true},
		"another type stays":          {args: "secret/x", kinds: several, want: change.Ref{Kind: "secret", Name: "x"}},
		"a type that is not asked of": {args: "node/x", kinds: []string{"Pod"}, want: change.Ref{Kind: "node", Name: "x"}},
		"a node pool is a group":      {args: "nodepool/x", kinds: []string{"Node", "Group"}, want: change.Ref{Kind: "Group", Name: "x"}},
		"or an object":                {args: "nodepool/x", kinds: []string{"Node", "NodePool"}, want: change.Ref{Kind: "NodePool", Name: "x"}},
		"nothing":                     {kinds: several, bad: true},
		"no name":                     {args: "pod/", kinds: several, bad: true},
		"no type":                     {args: "/web", kinds: several, want: change.Ref{Name: "web"}},
		"no namespace":                {args: "/pod/web", kinds: several, bad: true},
		"two names":                   {args: "pod/web|pod/api", kinds: several, bad: true},
		"too many words":              {args: "pod|web|api|x", kinds: several, bad: true},
		"a space in the name":         {args: "pod/web api", kinds: several, bad: true},
	} {
		t.Run(name, func(t *testing.T) {
			var args []string
			if tc.args != "" {
				args = strings.Split(tc.args, "|")
			}
			got, ok := input.ParseResource(args, tc.kinds...)
			if ok == tc.bad || got != tc.want {
				t.Errorf("got %+v, %t; want %+v", got, ok, tc.want)
			}
		})
	}
}
