package whatif

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cli/snapshot"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/merge"
	"github.com/naosu-dev/naosu/internal/message"
)

// managed is the applied Deployment as the API server would have it after kubectl applied it on the server, and an autoscaler
// scaled it.
func managed(t *testing.T, text string) string {
	t.Helper()
	manifests, err := parseManifest([]byte(strings.Replace(text, "{name: web}", "{name: web, namespace: shop, uid: web}", 1)))
	if err != nil {
		t.Fatal(err)
	}
	first, err := merge.Server(manifests[0].written, nil, false)
	if err != nil {
		t.Fatal(err)
	}
	first.(*appsv1.Deployment).UID = "web"
	scaled := first.DeepCopyObject().(*appsv1.Deployment)
	scaled.Spec.Replicas = new(int32(3))
	live, err := merge.Updated(first, scaled, "autoscaler", "scale")
	if err != nil {
		t.Fatal(err)
	}
	live.(*appsv1.Deployment).Kind, live.(*appsv1.Deployment).APIVersion = "Deployment", "apps/v1"
	data, err := json.Marshal(live)
	if err != nil {
		t.Fatal(err)
	}
	world, err := os.ReadFile(applied)
	if err != nil {
		t.Fatal(err)
	}
	begin := strings.Index(string(world), "- apiVersion: apps/v1\n  kind: Deployment")
	end := strings.Index(string(world), "- apiVersion: apps/v1\n  kind: ReplicaSet")
	path := filepath.Join(t.TempDir(), "world.yaml")
	text = string(world[:begin]) + string(world[end:])
	text = strings.Replace(text, "\n        tolerations: [{key: dedicated, operator: Exists}]", "", 1) + "---\n" + string(data) + "\n"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestApplyServerSide: who owns a field decides.
func TestApplyServerSide(t *testing.T) {
	five := strings.Replace(web, "replicas: 3", "replicas: 5", 1)
	none := strings.Replace(web, "  replicas: 3\n", "", 1)
	from := managed(t, strings.Replace(web, "replicas: 3", "replicas: 2", 1))
	ask := func(text string, more ...string) (string, error) {
		return run(t, text, append([]string{"apply", "-f", "-", "--server-side", "--from", from, "-n", "shop"}, more...)...)
	}
	for name, tc := range map[string]struct {
		text string
		more []string
		want string
	}{
		"the same":                      {web, nil, "Pods: 4 unchanged"},
		"what another owns is left out": {none, nil, "Pods: 4 unchanged"},
		"what another owns is taken":    {five, []string{"--force-conflicts"}, "Pods: 2 new"},
		"a selector of nodes goes":      {strings.Replace(none, "      nodeSelector: {pool: p0}\n", "", 1), nil, "3 new, 3 ended"},
		"another value":                 {strings.Replace(none, "value: old", "value: new", 1), nil, "3 new, 3 ended"},
	} {
		out, err := ask(tc.text, tc.more...)
		if err != nil || !strings.Contains(out, tc.want) {
			t.Errorf("%s: err = %v, without %q:\n%s", name, err, tc.want, out)
		}
	}
	_, err := ask(five)
	if exit.Code(err) != exit.NoAnswer || !strings.Contains(exit.Line(message.English(), err), `deployment/web: Apply failed with 1 conflict: conflict with "autoscaler" with subresource "scale" using apps/v1: .spec.replicas`) {
		t.Errorf("no conflict: %v", err)
	}
	_, err = run(t, five, "scale", "deployment/web", "--replicas", "4,", "apply", "-f", "-", "--server-side", "--from", managed(t, none), "-n", "shop")
	if !strings.Contains(exit.Line(message.English(), err), `conflict with "kubectl" with subresource "scale"`) {
		t.Errorf("no conflict with the scale before: %v", err)
	}
	_, err = run(t, five, "apply", "-f", "-", "--force-conflicts", "--from", from, "-n", "shop")
	if exit.Code(err) != exit.NoAnswer || !strings.Contains(exit.Line(message.English(), err), "--force-conflicts: works only with --server-side") {
		t.Errorf("forced without a server: %v", err)
	}
	out, err := ask(five, "--force-conflicts", "-o", "json")
	if err != nil || !strings.Contains(out, `"serverSide": true`) {
		t.Errorf("err = %v:\n%s", err, out)
	}
}

// TestApplyToSnapshot: a snapshot has what manifests are merged by; its key, beside it, tells which values change. One that has
// none of it says so.
func TestApplyToSnapshot(t *testing.T) {
	path := filepath.Join(t.TempDir(), "prod.naosu")
	streams, _, _, told := genericiooptions.NewTestIOStreams()
	cmd := snapshot.NewCommand(connect.Flags(), streams)
	cmd.SetArgs([]string{"--from", applied, "-o", path})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(told.String(), path+".values-key") {
		t.Errorf("the key is not told of: %s", told)
	}
	if info, err := os.Stat(path + ".values-key"); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("the key's file: %v, %v", info, err)
	}
	ask := func(text string) string {
		t.Helper()
		out, err := run(t, text, "apply", "-f", "-", "--from", path, "-n", "shop")
		if err != nil {
			t.Fatal(err)
		}
		return strings.Join(strings.Fields(out), " ")
	}
	for _, text := range []string{web, load} {
		if out := ask(text); !strings.Contains(out, "Pods: 4 unchanged") || strings.Contains(out, "nvironment") {
			t.Errorf("with the key:\n%s", out)
		}
	}
	if out := ask(strings.Replace(web, "value: old", "value: new", 1)); !strings.Contains(out, "3 new, 3 ended") {
		t.Errorf("with the key, another value:\n%s", out)
	}
	if err := os.Remove(path + ".values-key"); err != nil {
		t.Fatal(err)
	}
	for _, value := range []string{"old", "new"} {
		out := ask(strings.Replace(web, "value: old", "value: "+value, 1))
		if !strings.Contains(out, "Pods: 4 unchanged") || !strings.Contains(out, "It is not known whether the values of environment variables of deployment/web change") {
			t.Errorf("without the key:\n%s", out)
		}
	}
	if out := ask(load); !strings.Contains(out, "Pods: 4 unchanged") {
		t.Errorf("without the key, the Job:\n%s", out)
	}
	world, err := cluster.Load(t.Context(), cluster.Source{Path: applied})
	if err != nil {
		t.Fatal(err)
	}
	var before bytes.Buffer // as it was written before there was anything to merge by
	if err := world.Write(&before); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, before.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if out := ask(web); !strings.Contains(out, "Pods: 4 unchanged") || !strings.Contains(out, "the snapshot does not contain the manifest that was applied last") {
		t.Errorf("a snapshot of before:\n%s", out)
	}
	out, err := run(t, web, "apply", "-f", "-", "--server-side", "--from", path, "-n", "shop")
	if err != nil || !strings.Contains(strings.Join(strings.Fields(out), " "), "does not contain the owners of its fields") {
		t.Errorf("a snapshot of before: %v\n%s", err, out)
	}
}

// TestServerDryRunOfFile: a file is no API server.
func TestServerDryRunOfFile(t *testing.T) {
	_, err := run(t, web, "apply", "-f", "-", "--server-dry-run", "--from", applied, "-n", "shop")
	if exit.Code(err) != exit.NoAnswer || !strings.Contains(exit.Line(message.English(), err), "--server-dry-run: needs the API server of a cluster, but --from reads a file; omit one of them") {
		t.Errorf("exit code %d: %v", exit.Code(err), err)
	}
}
