package why

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rivo/uniseg"
	"github.com/spf13/pflag"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/cli-runtime/pkg/genericiooptions"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/cluster/custom"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/golden"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// stranded is story 1's cluster.
const stranded = "../../diagnosis/testdata/stranded.yaml"

var now = time.Date(2026, 11, 20, 15, 0, 0, 0, time.UTC)

// run asks the verb about a cluster behind an address, as the root command would.
func run(t *testing.T, host string, args ...string) (out string, err error) {
	t.Helper()
	return runIn(t.Context(), t, host, args...)
}

func runIn(ctx context.Context, t *testing.T, host string, args ...string) (out string, err error) {
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
	err = cmd.ExecuteContext(ctx)
	return stdout.String(), err
}

func TestTextLooks(t *testing.T) {
	for _, tc := range []struct{ name, file, namespace, subject string }{
		{"stranded", stranded, "redash", "pod/redash-redis-6c5d"},
		{"deployment", "../../diagnosis/testdata/stories/4-addresses.yaml", "shop", "deployment/api"},
		{"volume", "../../diagnosis/testdata/status/storage.yaml", "shop", "pod/prov"},
	} {
		for name, width := range map[string]int{"80": 80, "100": 100} {
			t.Run(tc.name+" "+name, func(t *testing.T) {
				var page bytes.Buffer
				e := explain(t, tc.file, tc.namespace, tc.subject)
				if err := writeText(output.NewPageOf(&page, width, false), message.English(), now, e); err != nil {
					t.Fatal(err)
				}
				narrow(t, page.String(), width)
				golden.Compare(t, "testdata/"+tc.name+"."+name+".txt", page.Bytes())
			})
		}
	}
}

// TestWideOverview tells of each cause every thing it concerns, where that is, and every remedy.
func TestWideOverview(t *testing.T) {
	for language, say := range map[string]message.Printer{"en": message.English(), "ja": message.Japanese()} {
		t.Run(language, func(t *testing.T) {
			q := look(t, stranded)
			var out bytes.Buffer
			page := output.NewPageOf(&out, 160, false)
			page.Wide = true
			found := diagnosis.Overview(t.Context(), q, diagnosis.Scope{})
			if err := writeOverview(t.Context(), page, input.Input{World: q.World, Say: say}, diagnosis.Scope{}, found); err != nil {
				t.Fatal(err)
			}
			golden.Compare(t, "testdata/overview."+language+".txt", out.Bytes())
		})
	}
}

// TestManyCauses sees that what belongs to a cause stands under its text, behind a number of two digits too.
func TestManyCauses(t *testing.T) {
	q := look(t, "../../diagnosis/testdata/status/pods.yaml")
	var out bytes.Buffer
	found := diagnosis.Overview(t.Context(), q, diagnosis.Scope{})
	if err := writeOverview(t.Context(), output.NewPageOf(&out, 100, false), input.Input{World: q.World, Say: message.English()}, diagnosis.Scope{}, found); err != nil {
		t.Fatal(err)
	}
	_, tenth, there := strings.Cut(out.String(), "\n10. ")
	tenth, _, _ = strings.Cut(tenth, "\n\n")
	if !there || !strings.Contains(tenth, "\n    More: naosu why") {
		t.Errorf("the tenth cause is not one block: %s", tenth)
	}
}

// explain is the answer about a thing of a file whose every kind is known.
func explain(t *testing.T, file, namespace, subject string) finding.Explanation {
	t.Helper()
	ref := parseSubject([]string{subject})
	ref.Namespace = namespace
	q := look(t, file)
	q.Subject = &ref
	return diagnosis.Explain(t.Context(), q)
}

func look(t *testing.T, file string) query.Query {
	t.Helper()
	known := world(t, file)
	judge, err := scheduling.New(t.Context(), known, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return query.Query{World: known, Judge: judge}
}

func world(t *testing.T, file string) *cluster.Snapshot {
	t.Helper()
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	return cluster.New(cluster.Contents{Objects: clustertest.Load(t, file), Knowledge: known, Taken: now})
}

func narrow(t *testing.T, page string, width int) {
	t.Helper()
	for line := range strings.SplitSeq(page, "\n") {
		if len([]rune(line)) > width {
			t.Errorf("wider than %d: %s", width, line)
		}
	}
}

// explanation is what a program reads; a Change has no type of its own there.
type explanation struct {
	Subject  change.Ref
	State    string
	Severity finding.Severity
	Findings []struct{ Code finding.Code }
}

// TestData compares what a program reads with the text that the same question gives in the other tests.
func TestData(t *testing.T) {
	host := (&clustertest.API{Objects: clustertest.Load(t, stranded)}).Serve(t)
	want := ""
	for _, args := range [][]string{{"pod/redash-redis-6c5d"}, {"pod", "redash-redis-6c5d"}, {"po/redash-redis-6c5d"}, {"pods.v1", "redash-redis-6c5d"}} {
		for _, format := range []string{"json", "yaml"} {
			t.Run(strings.Join(args, " ")+" "+format, func(t *testing.T) {
				out, err := run(t, host, append(args, "-n", "redash", "-o", format)...)
				if err != nil {
					t.Fatal(err)
				}
				if format == "json" && !json.Valid([]byte(out)) {
					t.Errorf("not JSON: %s", out)
				}
				if !strings.Contains(out, "--cluster-name <cluster>") {
					t.Errorf("what is to be filled in cannot be read: %s", out)
				}
				data, err := yaml.YAMLToJSON([]byte(out))
				if err != nil {
					t.Fatal(err)
				}
				var got explanation
				if err := json.Unmarshal(data, &got); err != nil {
					t.Fatal(err)
				}
				if got.State != "Pending" || got.Severity != finding.Critical || got.Findings[0].Code != finding.N101 || got.Subject.Name != "redash-redis-6c5d" {
					t.Errorf("got %+v", got)
				}
				if want == "" {
					want = string(data)
				}
				if diff := cmp.Diff(want, string(data)); diff != "" {
					t.Errorf("another answer to the same question (-want +got):\n%s", diff)
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
		"no kind":          {[]string{"redis-0"}, `subject: naosu cannot explain redis-0; give an object, as in: why pod/NAME -n NAMESPACE`},
		"no name":          {[]string{"pod/"}, `subject: naosu cannot explain pod/; give an object, as in: why pod/NAME -n NAMESPACE`},
		"too many":         {[]string{"pod", "a", "b"}, `subject: naosu cannot explain pod a b; give an object, as in: why pod/NAME -n NAMESPACE`},
		"a path":           {[]string{"pod/a/b"}, `subject: naosu cannot explain pod/a/b; give an object, as in: why pod/NAME -n NAMESPACE`},
		"another kind":     {[]string{"secret/a"}, "subject: naosu cannot explain secret; use cronjob, daemonset, deployment, horizontalpodautoscaler, ingress, job, namespace, node, nodeclaim, nodepool, pod, poddisruptionbudget, pv, pvc, replicaset, resourcequota, service, statefulset or workload"},
		"no kind but /":    {[]string{"/a"}, `subject: naosu cannot explain /a; use cronjob`},
		"a selector too":   {[]string{"pod/a", "-l", "app=web"}, `--selector: "app=web" selects among several objects, but pod/a names a single one; omit one of them`},
		"other fail-on":    {[]string{"--fail-on", "info"}, `--fail-on: "info" is not a valid value; use warning or critical`},
		"a bad selector":   {[]string{"-l", "a in b"}, "--selector: "},
		"unlike nothing":   {[]string{"--unlike", "pod/b"}, "subject: missing; give an object, as in: why pod/NAME -n NAMESPACE"},
		"unlike a node":    {[]string{"pod/a", "--unlike", "node/b"}, `--unlike: "node/b" cannot be compared with pod/a; compare two pods or two nodes, as in: why pod/BAD --unlike pod/GOOD`},
		"unlike a claim":   {[]string{"pvc/a", "--unlike", "pvc/b"}, `--unlike: "pvc/b" cannot be compared with pvc/a; compare two pods or two nodes`},
		"unknown format":   {[]string{"pod/a", "-o", "xml"}, `"xml" is not a valid value; use text, wide, json or yaml`},
		"unknown context":  {[]string{"pod/a", "--context", "nowhere"}, "kubeconfig: "},
		"no such file":     {[]string{"pod/a", "--kubeconfig", "/nowhere"}, "kubeconfig: stat /nowhere: no such file or directory"},
		"a format of none": {[]string{"-o", "jsonpath={.items}"}, "is not a valid value; use text, wide, json or yaml"},
		"timeout":          {[]string{"pod/a", "--request-timeout", "soon"}, "kubeconfig: Invalid timeout value"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, clustertest.Refusing(t), tc.args...)
			if err == nil || !strings.Contains(err.Error(), tc.want) {
				t.Errorf("err = %v, want %s", err, tc.want)
			}
			if exit.Code(err) != exit.NoAnswer {
				t.Errorf("exit code %d, want %d", exit.Code(err), exit.NoAnswer)
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
		args []string
		want string
	}{
		"missing pod":      {clustertest.API{}, []string{"pod/redash-redis-6c5d", "-n", "redash"}, "pod/redash-redis-6c5d does not exist in namespace redash; kubectl get pod -n redash lists those that exist"},
		"missing node":     {clustertest.API{}, []string{"node/a"}, "node/a does not exist; kubectl get node lists those that exist"},
		"a mistyped name":  {clustertest.API{Objects: objects}, []string{"pod/redash-redis-6c5e", "-n", "redash"}, "pod/redash-redis-6c5e does not exist in namespace redash; did you mean pod/redash-redis-6c5d?"},
		"a shortened name": {clustertest.API{Objects: objects}, []string{"po/redash", "-n", "redash"}, "pod/redash does not exist in namespace redash; did you mean pod/redash-redis-6c5d?"},
		"another place":    {clustertest.API{Objects: objects}, []string{"pod/redash-redis-6c5d", "-n", "default"}, "pod/redash-redis-6c5d does not exist in namespace default; it is in namespace redash"},
		"forbidden": {
			clustertest.API{Answers: answer(apierrors.NewForbidden(pods, "", errors.New("User \"eve\" cannot list it")))},
			[]string{"pod/redash-redis-6c5d", "-n", "redash"},
			"permission denied: Pod objects cannot be read with these credentials; request the list permission for them, or choose other credentials with --context, --user or --as",
		},
		"forbidden, nothing in particular": {
			clustertest.API{Answers: answer(apierrors.NewForbidden(pods, "", errors.New("User \"eve\" cannot list it")))},
			nil,
			"permission denied: Pod objects cannot be read with these credentials; request the list permission for them, or choose other credentials with --context, --user or --as",
		},
		"unauthorized": {
			clustertest.API{Answers: answer(apierrors.NewUnauthorized("Unauthorized"))},
			[]string{"pod/redash-redis-6c5d"},
			"the API server at HOST rejected your credentials; renew them, or choose others with --context or --user",
		},
		"no such namespace": {
			clustertest.API{Objects: []runtime.Object{&corev1.Namespace{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Namespace"}, ObjectMeta: metav1.ObjectMeta{Name: "shop"}}}},
			[]string{"-n", "shoop"},
			"--namespace: namespace shoop does not exist; use shop, or -A for all",
		},
		"broken": {clustertest.API{Objects: objects, Answers: map[string]*apierrors.StatusError{
			"nodes": apierrors.NewInternalError(errors.New("etcd\nis gone")),
		}}, []string{"pod/redash-redis-6c5d"}, "the API server at HOST returned an error: Internal error occurred: etcd is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			host := tc.api.Serve(t)
			out, err := run(t, host, tc.args...)
			if err == nil {
				t.Fatalf("no error, but:\n%s", out)
			}
			if got := strings.ReplaceAll(exit.Line(message.English(), err), host, "HOST"); got != tc.want {
				t.Errorf("got  %s\nwant %s", got, tc.want)
			}
			if exit.Code(err) != exit.NoAnswer || out != "" {
				t.Errorf("exit code %d, want %d; stdout %q, want none", exit.Code(err), exit.NoAnswer, out)
			}
		})
	}
}

// TestFailOn says 1 with the answer, and only if something is as grave.
func TestFailOn(t *testing.T) {
	host := (&clustertest.API{Objects: clustertest.Load(t, stranded)}).Serve(t)
	for name, tc := range map[string]struct {
		args []string
		code int
	}{
		"not asked for":   {[]string{"-A"}, exit.OK},
		"all, critical":   {[]string{"-A", "--fail-on", "critical"}, exit.Found},
		"one, warning":    {[]string{"pod/redash-redis-6c5d", "-n", "redash", "--fail-on", "warning"}, exit.Found},
		"nothing there":   {[]string{"-n", "default", "--fail-on", "warning"}, exit.OK},
		"none selected":   {[]string{"-A", "-l", "app=other", "--fail-on", "warning"}, exit.OK},
		"found anywhere":  {[]string{"pod/redash-redis-6c5d", "-A"}, exit.OK},
		"a node and well": {[]string{"node/ip-10-0-1-4.ec2.internal", "--fail-on", "critical"}, exit.OK},
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, host, tc.args...)
			if exit.Code(err) != tc.code || out == "" {
				t.Errorf("exit code %d (%v), want %d; stdout:\n%s", exit.Code(err), err, tc.code, out)
			}
		})
	}
}

func TestUnreachable(t *testing.T) {
	refusing := clustertest.Refusing(t)
	silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() }))
	t.Cleanup(silent.Close)
	for name, tc := range map[string]struct{ host, timeout, want string }{
		"refused": {refusing, "2m", "cannot reach the API server at " + refusing + ": dial tcp "},
		"silent":  {silent.URL, "100ms", "the API server at " + silent.URL + " did not respond in time"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, tc.host, "pod/redash-redis-6c5d", "-n", "redash", "--request-timeout", tc.timeout)
			if err == nil || !strings.HasPrefix(exit.Line(message.English(), err), tc.want) || exit.Code(err) != exit.NoAnswer {
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
	_, err := runIn(ctx, t, server.URL, "pod/x")
	if err == nil || err.Error() != "interrupted" {
		t.Errorf("err = %v, want interrupted", err)
	}
}

// customObjects are of kinds that are not built into Kubernetes; one is of another namespace than is asked about.
func customObjects() []runtime.Object {
	meta := func(kind, version, namespace, name string) (metav1.TypeMeta, metav1.ObjectMeta) {
		return metav1.TypeMeta{Kind: kind, APIVersion: version}, metav1.ObjectMeta{Namespace: namespace, Name: name}
	}
	a, b, c, d, e := &custom.NodePool{}, &custom.NodePool{}, &custom.NodeClaim{}, &custom.Workload{}, &custom.Workload{}
	a.TypeMeta, a.ObjectMeta = meta("NodePool", "karpenter.sh/v1", "", "default")
	b.TypeMeta, b.ObjectMeta = meta("NodePool", "karpenter.sh/v1", "", "gpu")
	c.TypeMeta, c.ObjectMeta = meta("NodeClaim", "karpenter.sh/v1", "", "default-x7")
	d.TypeMeta, d.ObjectMeta = meta("Workload", "kueue.x-k8s.io/v1beta2", "redash", "job-train")
	e.TypeMeta, e.ObjectMeta = meta("Workload", "kueue.x-k8s.io/v1beta2", "elsewhere", "job-other")
	return []runtime.Object{a, b, c, d, e}
}

func TestCompletion(t *testing.T) {
	objects := append(clustertest.Load(t, stranded), customObjects()...)
	host := (&clustertest.API{Objects: objects}).Serve(t)
	for typed, tc := range map[string]struct{ args, want []string }{
		"pod/red":    {nil, []string{"pod/redash-redis-6c5d"}},
		"red":        {[]string{"pod"}, []string{"redash-redis-6c5d"}},
		"pvc/redash": {nil, []string{"pvc/redash-redis", "pvc/redash-files"}},
		"d":          {nil, []string{"daemonset/", "deployment/"}},
		"pod/x":      {nil, nil},
		"nodepool/":  {nil, []string{"nodepool/default", "nodepool/gpu"}},
		"NodePool/g": {nil, []string{"NodePool/gpu"}},
		"def":        {[]string{"nodepools.karpenter.sh"}, []string{"default"}},
		"nodeclaim/": {nil, []string{"nodeclaim/default-x7"}},
		"wl/":        {nil, []string{"wl/job-train"}},
		"no":         {nil, []string{"node/", "nodeclaim/", "nodepool/"}},
		"widget/":    {nil, nil},
		"":           {[]string{"pod/a"}, nil},
	} {
		t.Run(typed, func(t *testing.T) {
			flags := connect.Flags()
			*flags.APIServer, *flags.Namespace = host, "redash"
			o := &Options{}
			o.Config = flags
			cmd := NewCommand(flags, o.IOStreams)
			cmd.SetContext(t.Context())
			got, _ := o.completeSubject(cmd, tc.args, typed)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("%v (-want +got):\n%s", tc.args, diff)
			}
		})
	}
}

// TestBrief sees that a page holds fifty broken things: each cause in two lines, the worst first, and how to get the rest.
func TestBrief(t *testing.T) {
	for name, tc := range map[string]struct {
		causes int
		each   int // pods of each cause
		says   []string
	}{
		"fifty causes":  {50, 1, []string{"\n14. ", "36 more causes, affecting 36 objects.\nEverything, with every remedy: naosu why -A -o wide"}},
		"ten of five":   {10, 5, []string{"\n10. ", "\nEverything, with every remedy: naosu why -A -o wide", "5 objects. More: naosu why pod/"}},
		"three of them": {3, 1, []string{"\n3. ", "\n   More: naosu why pod/"}},
	} {
		for language, say := range map[string]message.Printer{"en": message.English(), "ja": message.Japanese()} {
			t.Run(name+" "+language, func(t *testing.T) {
				var pods []runtime.Object
				for cause := range tc.causes {
					for i := range tc.each {
						pods = append(pods, crashing(fmt.Sprintf("app%d-%d", cause, i), fmt.Sprintf("container-%d", cause), i))
					}
				}
				known := cluster.New(cluster.Contents{Objects: pods, Knowledge: map[cluster.Kind]cluster.Knowledge{cluster.Pod: cluster.Complete}, Taken: now})
				q := query.Query{World: known}
				found := diagnosis.Overview(t.Context(), q, diagnosis.Scope{})
				var out bytes.Buffer
				if err := writeOverview(t.Context(), output.NewPageOf(&out, 80, false), input.Input{World: known, Say: say}, diagnosis.Scope{}, found); err != nil {
					t.Fatal(err)
				}
				if lines := strings.Count(out.String(), "\n"); lines > 40 {
					t.Errorf("%d lines are more than a screen:\n%s", lines, out.String())
				}
				for _, words := range tc.says {
					if language == "en" && !strings.Contains(out.String(), words) {
						t.Errorf("%q is not said:\n%s", words, out.String())
					}
				}
				for line := range strings.Lines(out.String()) {
					if uniseg.StringWidth(strings.TrimRight(line, "\n")) > 80 {
						t.Errorf("a line is wider than the page: %s", line)
					}
				}
				if len(found.Explanations) != tc.causes*tc.each {
					t.Errorf("the data has %d explanations, want every one of %d", len(found.Explanations), tc.causes*tc.each)
				}
			})
		}
	}
}

// crashing is a pod whose container has been restarted so many times.
func crashing(name, container string, restarts int) *corev1.Pod {
	return &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: name, Namespace: "shop", UID: types.UID(name)},
		Spec:       corev1.PodSpec{NodeName: "n1", Containers: []corev1.Container{{Name: container}}},
		Status: corev1.PodStatus{Phase: corev1.PodRunning, Conditions: []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionFalse}}, ContainerStatuses: []corev1.ContainerStatus{{
			Name: container, RestartCount: int32(restarts + 2),
			State:                corev1.ContainerState{Waiting: &corev1.ContainerStateWaiting{Reason: "CrashLoopBackOff"}},
			LastTerminationState: corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: 1, Reason: "Error"}},
		}}},
	}
}

// TestPlain holds the answer without the scheduler's fast path against the one with it. The flag is for finding faults, and help does not name it.
func TestPlain(t *testing.T) {
	want, _ := run(t, "", "--from", stranded, "pod/redash-redis-6c5d", "-n", "redash")
	got, err := run(t, "", "--from", stranded, "pod/redash-redis-6c5d", "-n", "redash", "--plain")
	if got == "" || got != want {
		t.Errorf("%v (-without +with --plain):\n%s", err, cmp.Diff(want, got))
	}
	if help, err := run(t, "", "--help"); err != nil || strings.Contains(help, "--plain") {
		t.Errorf("help, %v:\n%s", err, help)
	}
}
