package snapshot

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/cli-runtime/pkg/genericiooptions"

	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/message"
)

// run asks the verb about a cluster behind an address.
func run(t *testing.T, host, stdin string, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	t.Setenv("KUBECONFIG", filepath.Join(t.TempDir(), "none"))
	var out, errOut bytes.Buffer
	flags := connect.Flags()
	*flags.APIServer = host
	cmd := NewCommand(flags, genericiooptions.IOStreams{In: strings.NewReader(stdin), Out: &out, ErrOut: &errOut})
	cmd.SilenceErrors, cmd.SilenceUsage = true, true
	cmd.SetArgs(args)
	err = cmd.ExecuteContext(t.Context())
	return out.String(), errOut.String(), err
}

func serve(t *testing.T) string {
	t.Helper()
	return (&clustertest.API{Objects: clustertest.Load(t, "../../cluster/testdata/small.yaml")}).Serve(t)
}

func check(t *testing.T, path string) {
	t.Helper()
	world, err := cluster.Load(t.Context(), cluster.Source{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if len(world.Nodes()) != 3 || world.Server() != clustertest.Version || world.Knowledge(cluster.Lease) != cluster.Complete {
		t.Errorf("%d nodes, server %q, leases %s", len(world.Nodes()), world.Server(), world.Knowledge(cluster.Lease))
	}
}

func TestWritesAFile(t *testing.T) {
	host, path := serve(t), filepath.Join(t.TempDir(), "prod.naosu")
	stdout, stderr, err := run(t, host, "", "-o", path)
	if err != nil || stdout != "" || stderr != path+": 3 nodes, 2 pods\n" {
		t.Fatalf("err = %v, stdout %q, stderr %q", err, stdout, stderr)
	}
	check(t, path)
	if info, err := os.Stat(path); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, err = %v", info.Mode(), err)
	}
	if _, _, err := run(t, host, "", "-o", path); exit.Code(err) != exit.NoAnswer || !strings.Contains(err.Error(), "--force") {
		t.Errorf("a file is replaced unasked: err = %v", err)
	}
	again := filepath.Join(t.TempDir(), "again")
	if _, _, err := run(t, clustertest.Refusing(t), "", "--from", path, "-o", again); err != nil {
		t.Fatal(err)
	}
	check(t, again)
	if _, _, err := run(t, host, "", "-o", path, "--force"); err != nil {
		t.Fatal(err)
	}
	check(t, path)
	if left, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*")); err != nil || len(left) != 1 {
		t.Errorf("beside the file: %v", left)
	}
}

func TestAnonymizes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "f")
	_, stderr, err := run(t, serve(t), "", "-o", path, "--anonymize")
	if err != nil || !strings.Contains(stderr, "names, labels, images and addresses in it are replaced") {
		t.Fatalf("err = %v, stderr %q", err, stderr)
	}
	check(t, path)
	world, err := cluster.Load(t.Context(), cluster.Source{Path: path})
	if err != nil || !world.Anonymized() || world.Namespace("redash") != nil || world.Pod("redash", "redis-0") != nil || len(world.Pods()) != 2 {
		t.Errorf("err = %v, anonymized %v, pods %v", err, world.Anonymized(), world.Pods())
	}
}

func TestWritesToStandardOutput(t *testing.T) {
	stdout, _, err := run(t, serve(t), "", "-o", "-")
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, []byte(stdout), 0o600); err != nil {
		t.Fatal(err)
	}
	check(t, path)
}

func TestSaysWhatIsNotInIt(t *testing.T) {
	_, stderr, err := run(t, "", "apiVersion: v1\nkind: Pod\nmetadata: {name: a, namespace: x}\n", "--from", "-", "-o", "-")
	if err != nil || !strings.HasPrefix(stderr, "-: 0 nodes, 1 pod\nnot included, ") || !strings.Contains(stderr, "Node, ") {
		t.Errorf("err = %v, stderr %q", err, stderr)
	}
}

func TestFailures(t *testing.T) {
	folder, damaged := t.TempDir(), t.TempDir()
	if err := os.WriteFile(filepath.Join(damaged, "b.yaml"), []byte("\x00"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		args  []string
		stdin string
		code  int
		want  string
	}{
		"no file named":      {nil, "", exit.NoAnswer, "--output: missing; give the file to write, or - for standard output"},
		"an argument":        {[]string{"prod"}, "", exit.NoAnswer, "unknown command \"prod\" for \"snapshot\""},
		"nothing to read":    {[]string{"--from", "/nowhere", "-o", "-"}, "", exit.NoAnswer, "--from: /nowhere does not exist; give a file written by `naosu snapshot -o FILE`"},
		"a folder's file":    {[]string{"--from", damaged, "-o", "-"}, "", exit.NoAnswer, "--from: " + filepath.Join(damaged, "b.yaml") + " is neither a snapshot nor text"},
		"half a snapshot":    {[]string{"--from", "-", "-o", "-"}, "naosu snapshot 1\x1f\x8b", exit.NoAnswer, "--from: the snapshot - is truncated; copy it again"},
		"a newer snapshot":   {[]string{"--from", "-", "-o", "-"}, "naosu snapshot 9", exit.NoAnswer, "read it with the version of naosu that wrote it"},
		"a format":           {[]string{"-o", "json"}, "", exit.NoAnswer, "--output: json is the name of an output format"},
		"no folder":          {[]string{"-o", filepath.Join(folder, "a", "b")}, "", exit.NoAnswer, "cannot write " + folder},
		"an unreachable API": {[]string{"-o", "-", "--from", ""}, "", exit.NoAnswer, "cannot reach the API server"},
	} {
		t.Run(name, func(t *testing.T) {
			host := clustertest.Refusing(t)
			if name == "no folder" {
				host = serve(t)
			}
			stdout, _, err := run(t, host, tc.stdin, tc.args...)
			if exit.Code(err) != tc.code || !strings.Contains(exit.Line(message.English(), err), tc.want) || stdout != "" {
				t.Errorf("exit code %d, want %d; err = %v, want %s", exit.Code(err), tc.code, err, tc.want)
			}
		})
	}
}
