package controller

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/message"
)

func run(t *testing.T, host string, args ...string) error {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	flags := connect.Flags()
	*flags.APIServer = host
	root := &cobra.Command{Use: "naosu", SilenceErrors: true, SilenceUsage: true}
	flags.AddFlags(root.PersistentFlags())
	var out bytes.Buffer
	root.AddCommand(NewCommand(flags, genericiooptions.IOStreams{In: strings.NewReader(""), Out: &out, ErrOut: &out}))
	root.SetArgs(append([]string{"controller"}, args...))
	return root.ExecuteContext(t.Context())
}

func TestFailures(t *testing.T) {
	knowsNothing := httptest.NewServer(http.NotFoundHandler())
	t.Cleanup(knowsNothing.Close)
	bare := knowsNothing.URL
	for name, tc := range map[string]struct {
		host string
		args []string
		want string
	}{
		"nobody answers":                 {clustertest.Refusing(t), nil, "cannot reach the API server"},
		"a namespace":                    {bare, []string{"--namespace", "Not/A"}, "--namespace: \"Not/A\" is not a valid namespace name; give the namespace"},
		"a health address":               {bare, []string{"--health-address", "8081"}, "--health-address: \"8081\" is not a valid address to listen on; use :PORT"},
		"a metrics address":              {bare, []string{"--metrics-address", ":99999"}, "--metrics-address: \":99999\""},
		"a heartbeat address":            {bare, []string{"--heartbeat-address", "9443"}, "--heartbeat-address: \"9443\""},
		"no certificate":                 {bare, []string{"--metrics-cert-path", "nowhere"}, "--metrics-cert-path: \"nowhere\" has no usable certificate: open nowhere/tls.crt"},
		"a certificate that is not used": {bare, []string{"--metrics-cert-path", "nowhere", "--metrics-secure=false"}, "--metrics-cert-path: --metrics-secure=false does not use a certificate; omit one"},
		"an argument":                    {bare, []string{"now"}, "unknown command \"now\" for \"naosu controller\""},
	} {
		t.Run(name, func(t *testing.T) {
			err := run(t, tc.host, tc.args...)
			if err == nil {
				t.Fatal("it ended well")
			}
			if line := exit.Line(message.English(), err); exit.Code(err) != exit.NoAnswer || !strings.Contains(line, tc.want) {
				t.Errorf("exit code %d, %q, want %q", exit.Code(err), line, tc.want)
			}
		})
	}
}

func TestComplete(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"the kubeconfig's does not count": {nil, "naosu-system"},
		"one that was typed does":         {[]string{"--namespace", "elsewhere"}, "elsewhere"},
	} {
		t.Run(name, func(t *testing.T) {
			flags := connect.Flags()
			root := &cobra.Command{Use: "naosu"}
			flags.AddFlags(root.PersistentFlags())
			cmd := NewCommand(flags, genericiooptions.IOStreams{})
			root.AddCommand(cmd)
			if err := cmd.ParseFlags(tc.args); err != nil {
				t.Fatal(err)
			}
			var o Options
			if o.Complete(cmd); o.Namespace != tc.want {
				t.Errorf("namespace %s, want %s", o.Namespace, tc.want)
			}
		})
	}
}
