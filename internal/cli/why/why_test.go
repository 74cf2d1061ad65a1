package why

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	testclock "k8s.io/utils/clock/testing"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/message"
)

var update = flag.Bool("update", false, "write the golden files anew")

// stranded is story 1's cluster.
const stranded = "../../diagnosis/testdata/stranded.yaml"

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// run asks the verb about a cluster behind an address, as the root command would.
func run(t *testing.T, host string, args ...string) (out string, err error) {
	t.Helper()
	empty := filepath.Join(t.TempDir(), "kubeconfig")
	if err := os.WriteFile(empty, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("KUBECONFIG", empty)
	streams, _, stdout, _ := genericiooptions.NewTestIOStreams()
	flags := connect.Flags()
	cmd := NewCommand(flags, streams)
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	global := pflag.NewFlagSet("global", pflag.ContinueOnError)
	flags.AddFlags(global)
	cmd.Flags().AddFlagSet(global)
	cmd.SetArgs(append([]string{"--server", host}, args...))
	err = cmd.ExecuteContext(t.Context())
	return stdout.String(), err
}

func TestTextLooks(t *testing.T) {
	host := (&clustertest.API{Objects: clustertest.Load(t, stranded)}).Serve(t)
	for name, width := range map[string]int{"80": 80, "100": 100} {
		t.Run(name, func(t *testing.T) {
			var page bytes.Buffer
			o := options(t, host)
			explanation, err := o.explain(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := writeText(output.NewPageOf(&page, width, false), message.English(), now, explanation); err != nil {
				t.Fatal(err)
			}
			for line := range strings.SplitSeq(page.String(), "\n") {
				if len([]rune(line)) > width {
					t.Errorf("wider than %d: %s", width, line)
				}
			}
			golden(t, "testdata/stranded."+name+".txt", page.Bytes())
		})
	}
}

// options are those of a command that has read its arguments.
func options(t *testing.T, host string) *Options {
	t.Helper()
	flags := connect.Flags()
	*flags.APIServer, *flags.Namespace = host, "redash"
	o := &Options{Config: flags, Clock: testclock.NewFakePassiveClock(now)}
	o.Complete([]string{"pod/redash-redis-6c5d"})
	return o
}

func TestData(t *testing.T) {
	host := (&clustertest.API{Objects: clustertest.Load(t, stranded)}).Serve(t)
	for _, args := range [][]string{{"pod/redash-redis-6c5d"}, {"pod", "redash-redis-6c5d"}, {"po/redash-redis-6c5d"}, {"pods", "redash-redis-6c5d"}} {
		for _, format := range []string{"json", "yaml"} {
			t.Run(strings.Join(args, " ")+" "+format, func(t *testing.T) {
				out, err := run(t, host, append(args, "-n", "redash", "-o", format)...)
				if err != nil {
					t.Fatal(err)
				}
				got := map[string]any{}
				if err := yaml.Unmarshal([]byte(out), &got); err != nil {
					t.Fatal(err)
				}
				if format == "json" && !json.Valid([]byte(out)) {
					t.Errorf("not JSON: %s", out)
				}
				if !strings.Contains(out, "--cluster-name <cluster>") {
					t.Errorf("what is to be filled in cannot be read: %s", out)
				}
				want := map[string]any{}
				file, err := os.ReadFile(strings.Replace(stranded, ".yaml", ".json", 1))
				if err != nil {
					t.Fatal(err)
				}
				if err := yaml.Unmarshal(file, &want); err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func TestBadInput(t *testing.T) {
	for name, tc := range map[string]struct {
		args []string
		want string
	}{
		"nothing":         {nil, "subject: missing; ask as in: why pod/NAME -n NAMESPACE"},
		"no kind":         {[]string{"redis-0"}, `subject: redis-0 is nothing that can be explained; ask as in: why pod/NAME -n NAMESPACE`},
		"no name":         {[]string{"pod/"}, `subject: pod/ is nothing that can be explained; ask as in: why pod/NAME -n NAMESPACE`},
		"too many":        {[]string{"pod", "a", "b"}, `subject: pod a b is nothing that can be explained; ask as in: why pod/NAME -n NAMESPACE`},
		"a path":          {[]string{"pod/a/b"}, `subject: pod/a/b is nothing that can be explained; ask as in: why pod/NAME -n NAMESPACE`},
		"another kind":    {[]string{"node/a"}, "subject: node is nothing that can be explained; ask as in: why pod/NAME -n NAMESPACE"},
		"unknown format":  {[]string{"pod/a", "-o", "xml"}, `"xml" is not one of them; use text, json or yaml`},
		"unknown context": {[]string{"pod/a", "--context", "nowhere"}, "kubeconfig: "},
		"no such file":    {[]string{"pod/a", "--kubeconfig", "/nowhere"}, "kubeconfig: stat /nowhere: no such file or directory"},
		"timeout":         {[]string{"pod/a", "--request-timeout", "soon"}, "kubeconfig: Invalid timeout value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, "http://127.0.0.1:1", tc.args...)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("err = %v, want %s", err, tc.want)
			}
			if exit.Code(err) != exit.Usage {
				t.Errorf("exit code %d, want %d", exit.Code(err), exit.Usage)
			}
		})
	}
}

func TestFailures(t *testing.T) {
	answer := func(err *apierrors.StatusError) map[string]*apierrors.StatusError {
		return map[string]*apierrors.StatusError{"pods": err}
	}
	pods := schema.GroupResource{Resource: "pods"}
	objects := clustertest.Load(t, stranded)
	for name, tc := range map[string]struct {
		api  clustertest.API
		want string
	}{
		"missing pod":  {clustertest.API{}, "pod/redash-redis-6c5d does not exist in namespace redash"},
		"forbidden":    {clustertest.API{Answers: answer(apierrors.NewForbidden(pods, "redash-redis-6c5d", errors.New("User \"eve\" cannot get it")))}, `permission is missing: pods "redash-redis-6c5d" is forbidden: User "eve" cannot get it`},
		"unauthorized": {clustertest.API{Answers: answer(apierrors.NewUnauthorized("Unauthorized"))}, "the API server at HOST does not accept your credentials; renew them, or choose others with --context or --user"},
		"broken": {clustertest.API{Objects: objects, Answers: map[string]*apierrors.StatusError{
			"nodes": apierrors.NewInternalError(errors.New("etcd\nis gone")),
		}}, "the API server at HOST answered: Internal error occurred: etcd is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			host := tc.api.Serve(t)
			out, err := run(t, host, "pod/redash-redis-6c5d", "-n", "redash")
			if err == nil {
				t.Fatalf("no error, but:\n%s", out)
			}
			if got := strings.ReplaceAll(exit.Line(message.English(), err), host, "HOST"); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if exit.Code(err) != exit.Failed || out != "" {
				t.Errorf("exit code %d, want %d; stdout %q, want none", exit.Code(err), exit.Failed, out)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	closed := httptest.NewServer(nil)
	closed.Close()
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	for name, tc := range map[string]struct{ host, want string }{
		"refused": {closed.URL, "cannot reach the API server at " + closed.URL + ": dial tcp "},
		"silent":  {silent.URL, "the API server at " + silent.URL + " does not answer in time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, tc.host, "pod/redash-redis-6c5d", "-n", "redash", "--request-timeout", "100ms")
			if err == nil || !strings.HasPrefix(exit.Line(message.English(), err), tc.want) || exit.Code(err) != exit.Failed {
				t.Errorf("err = %v (exit code %d), want %s", err, exit.Code(err), tc.want)
			}
		})
	}
}

func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		cancel()
		<-t.Context().Done()
	}))
	t.Cleanup(server.Close)
	_, err := options(t, server.URL).explain(ctx)
	if err == nil || err.Error() != "interrupted" {
		t.Errorf("err = %v, want interrupted", err)
	}
}

func TestCompletion(t *testing.T) {
	host := (&clustertest.API{Objects: clustertest.Load(t, stranded)}).Serve(t)
	for typed, tc := range map[string]struct{ args, want []string }{
		"pod/red": {nil, []string{"pod/redash-redis-6c5d"}},
		"red":     {[]string{"pod"}, []string{"redash-redis-6c5d"}},
		"pod/x":   {nil, nil},
		"":        {[]string{"node"}, nil},
	} {
		o := options(t, host)
		cmd := NewCommand(o.Config, o.IOStreams)
		cmd.SetContext(t.Context())
		got, _ := o.completePods(cmd, tc.args, typed)
		if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%v %q (-want +got):\n%s", tc.args, typed, diff)
		}
	}
}

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got; -update writes it anew):\n%s", path, diff)
	}
}
