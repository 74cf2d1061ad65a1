package own

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericclioptions"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

const (
	nodes = `{"kind":"NodeList","apiVersion":"v1","items":[{"metadata":{"name":"worker-1"}},{"metadata":{"name":"worker-2"}},{"metadata":{"name":"gpu-1"}}]}`
	// One of the four has ended, one is a drill.
	remediations = `{"kind":"RemediationList","apiVersion":"naosu.dev/v1alpha1","items":[
		{"metadata":{"name":"worker-1-a"},"status":{"phase":"Waiting"}},
		{"metadata":{"name":"worker-1-b"},"status":{"phase":"Ended"}},
		{"metadata":{"name":"worker-2-c"}},
		{"metadata":{"name":"drill-d"},"spec":{"drill":{"nonce":"abcdefgh","reason":"InterfaceNotUp"}}}]}`
)

// served is the way to an API server that has the lists and nothing else; with an empty list it refuses.
func served(t *testing.T, lists map[string]string) *genericclioptions.ConfigFlags {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		list := lists[r.URL.Path]
		w.Header().Set("Content-Type", "application/json")
		if list == "" {
			w.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = w.Write([]byte(list)) // The client's error tells.
	}))
	t.Cleanup(server.Close)
	t.Setenv("KUBECONFIG", "")
	flags := genericclioptions.NewConfigFlags(true)
	*flags.APIServer = server.URL
	return flags
}

func TestCompletion(t *testing.T) {
	config := served(t, map[string]string{"/api/v1/nodes": nodes, "/apis/naosu.dev/v1alpha1/remediations": remediations})
	closed := served(t, nil)
	all := func(*v1alpha1.Remediation) bool { return true }
	for name, tc := range map[string]struct {
		complete Completion
		args     []string
		typed    string
		want     []string
	}{
		"nodes":                    {CompleteNodes(config), nil, "", []string{"node/worker-1", "node/worker-2", "node/gpu-1"}},
		"nodes by their beginning": {CompleteNodes(config), nil, "node/w", []string{"node/worker-1", "node/worker-2"}},
		"one node only":            {CompleteNodes(config), []string{"node/gpu-1"}, "", nil},
		"nodes that none may read": {CompleteNodes(closed), nil, "", nil},
		"all Remediations":         {CompleteRemediations(config, 1, all), nil, "w", []string{"worker-1-a", "worker-1-b", "worker-2-c"}},
		"those that go on":         {CompleteRemediations(config, 1, NotEnded), nil, "", []string{"worker-1-a", "worker-2-c", "drill-d"}},
		"another":                  {CompleteRemediations(config, 9, NotEnded), []string{"worker-1-a"}, "w", []string{"worker-2-c"}},
		"no other":                 {CompleteRemediations(config, 1, NotEnded), []string{"worker-1-a"}, "w", nil},
		"that none may read":       {CompleteRemediations(closed, 1, all), nil, "", nil},
	} {
		cmd := &cobra.Command{}
		cmd.SetContext(t.Context())
		got, directive := tc.complete(cmd, tc.args, tc.typed)
		if !slices.Equal(got, tc.want) || directive != cobra.ShellCompDirectiveNoFileComp {
			t.Errorf("%s: %q (%d), want %q", name, got, directive, tc.want)
		}
	}
}
