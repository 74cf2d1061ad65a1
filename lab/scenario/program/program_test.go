package program

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/lab/pace"
)

// fakeProgram is a program that has naosu's commands, built once.
var fakeProgram string

func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "naosu-program-")
	if err == nil {
		fakeProgram = filepath.Join(dir, "naosu")
		err = exec.Command("go", "build", "-o", fakeProgram, "./testdata/naosu").Run()
	}
	if err != nil {
		panic(err)
	}
	code := m.Run()
	_ = os.RemoveAll(dir)
	os.Exit(code)
}

func TestRun(t *testing.T) {
	if _, err := os.ReadDir("testdata/naosu"); err != nil { // looked at, so that go test runs again when it has changed
		t.Fatal(err)
	}
	t.Setenv("AWS_PROFILE", "production")
	t.Setenv("KUBECONFIG", "/production")
	p := Program{File: fakeProgram, Environment: []string{"KUBECONFIG=/lab", "AWS_ENDPOINT_URL_EC2=http://lab"}, Pace: pace.New(10)}
	out, err := p.Run(t.Context(), []string{"echo", "--timeout=5m", "--name=5m!", "wait=5m", "-o=json"})
	if err != nil || out.ExitCode != 3 {
		t.Fatalf("Run() = exit code %d, %v, want 3", out.ExitCode, err)
	}
	var got map[string]any
	if err := json.Unmarshal(out.Stdout, &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"args": []any{"--timeout=30s", "--name=5m!", "wait=5m", "-o=json"}, "kubeconfig": "/lab", "profile": "", "endpoint": "http://lab",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("it was run with (-want +got):\n%s", diff)
	}
	if _, err := (Program{File: filepath.Join(t.TempDir(), "naosu")}).Run(t.Context(), []string{"crds"}); err == nil {
		t.Error("a program that is not there has run")
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	why := errors.New("too long")
	cancel(why)
	if _, err := p.Run(ctx, []string{"wait"}); !errors.Is(err, why) {
		t.Errorf("Run() = %v, want that it was ended because it took too long", err)
	}
}

func kinds(t *testing.T) Kinds {
	t.Helper()
	k, err := Program{File: fakeProgram}.Kinds(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return k
}

func TestKinds(t *testing.T) {
	want := map[string]schema.GroupVersionResource{
		"NodeRepairPolicy": {Group: "naosu.dev", Version: "v1alpha1", Resource: "noderepairpolicies"},
		"Remediation":      {Group: "naosu.dev", Version: "v1alpha1", Resource: "remediations"},
	}
	if diff := cmp.Diff(want, kinds(t).Resources()); diff != "" {
		t.Errorf("resources (-want +got):\n%s", diff)
	}
	for text, want := range map[string]string{
		"":                                     "printed no custom resource definition",
		"kind: ConfigMap":                      `printed a "ConfigMap"`,
		"kind: [":                              "reading what naosu crds printed",
		"kind: CustomResourceDefinition\n--- ": "",
	} {
		_, err := readKinds([]byte(text))
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("readKinds(%q) = %v, want %q", text, err, want)
		}
	}
}

func TestScale(t *testing.T) {
	policy := schema.GroupVersionKind{Group: "naosu.dev", Version: "v1alpha1", Kind: "NodeRepairPolicy"}
	const given = `{spec: {coolDown: 10m, name: 10m, unknown: 10m, drain: {timeout: 0s}, rules: [{name: 5m, for: 5m}, {for: 1ms}, {for: soon}], waits: {a: 1m, b: 90s}}}`
	tests := map[string]struct {
		kind  schema.GroupVersionKind
		scale float64
		want  string
	}{
		"faster":       {policy, 20, `{spec: {coolDown: 30s, name: 10m, unknown: 10m, drain: {timeout: 0s}, rules: [{name: 5m, for: 15s}, {for: 1ms}, {for: soon}], waits: {a: 3s, b: 4.5s}}}`},
		"as in life":   {policy, 1, given},
		"another kind": {schema.GroupVersionKind{Version: "v1", Kind: "NodeRepairPolicy"}, 20, given},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			got, want := decoded(t, given), decoded(t, tt.want)
			kinds(t).Scale(tt.kind, got, pace.New(tt.scale))
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func decoded(t *testing.T, text string) map[string]any {
	t.Helper()
	var value map[string]any
	if err := yaml.Unmarshal([]byte(text), &value); err != nil {
		t.Fatal(err)
	}
	return value
}

// TestDefinitions finds the defaults of durations divided, and nothing else changed.
func TestDefinitions(t *testing.T) {
	at := func(k Kinds, p *pace.Pace, path ...string) any {
		t.Helper()
		definitions, err := k.Definitions(p)
		if err != nil {
			t.Fatal(err)
		}
		versions, _, _ := unstructured.NestedSlice(definitions[0].Object, "spec", "versions")
		value, _, err := unstructured.NestedFieldNoCopy(versions[0].(map[string]any)["schema"].(map[string]any), path...)
		if err != nil {
			t.Fatal(err)
		}
		return value
	}
	spec := []string{"openAPIV3Schema", "properties", "spec", "properties"}
	k := kinds(t)
	for _, tt := range []struct {
		path []string
		want any
	}{
		{[]string{"coolDown", "default"}, "1m0s"},
		{[]string{"name", "default"}, "10m"},
		{[]string{"drain", "default"}, map[string]any{"timeout": "2m0s"}},
		{[]string{"drain", "properties", "timeout", "default"}, "1m30s"},
	} {
		if diff := cmp.Diff(tt.want, at(k, pace.New(10), append(spec, tt.path...)...)); diff != "" {
			t.Errorf("%v (-want +got):\n%s", tt.path, diff)
		}
	}
	if got := at(k, nil, append(spec, "coolDown", "default")...); got != "10m" {
		t.Errorf("in real time, and after a faster lab, the default is %v", got)
	}
}

// TestReserveAddress listens at the reserved address, as the controller does; before, nothing listens there.
func TestReserveAddress(t *testing.T) {
	address, reservation, err := reserveAddress()
	if err != nil {
		t.Fatal(err)
	}
	defer reservation.Close()
	if conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", address); err == nil {
		_ = conn.Close()
		t.Errorf("somebody listens at %s", address)
	}
	listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp", address)
	if err != nil {
		t.Fatalf("at what is reserved: %v", err)
	}
	if err := listener.Close(); err != nil {
		t.Error(err)
	}
}

func TestController(t *testing.T) {
	dir := t.TempDir()
	p := Program{File: fakeProgram, Environment: []string{"KUBECONFIG=/lab"}}
	c, err := p.StartController(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Stop(); err != nil {
		t.Error(err)
	}
	select {
	case <-c.Ended():
	default:
		t.Error("it is stopped and has not ended")
	}
	if log, err := os.ReadFile(filepath.Join(dir, LogFile)); err != nil || string(log) != "at work with /lab\n" {
		t.Errorf("the log holds %q, %v", log, err)
	}

	failing := Program{File: "/bin/false"}
	if _, err := failing.StartController(t.Context(), dir); err == nil || !strings.Contains(err.Error(), "exit status 1") || !strings.Contains(err.Error(), "at work with") {
		t.Errorf("StartController() = %v, want how it ended and its log", err)
	}
}
