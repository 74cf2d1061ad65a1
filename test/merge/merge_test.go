package merge_test

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/admission"
	"github.com/naosu-dev/naosu/internal/cluster/compact"
	"github.com/naosu-dev/naosu/internal/merge"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
	"github.com/naosu-dev/naosu/test/program"
)

// No controller writes to the objects: what differs is what the merge made.
func TestMain(m *testing.M) {
	testbed.Main(m, controlplane.Options{Flags: map[controlplane.Component][]string{controlplane.ControllerManager: {
		"--controllers=*,-deployment-controller,-statefulset-controller,-daemonset-controller,-job-controller,-cronjob-controller,-disruption-controller",
	}}})
}

// fixture is a namespace in which kubectl works.
type fixture struct {
	*testing.T
	*testbed.Environment
	objects    dynamic.Interface
	kubeconfig string
	folder     string
}

func newFixture(t *testing.T) *fixture {
	t.Helper()
	shared := testbed.Shared(t)
	b := &fixture{T: t, Environment: shared, objects: dynamic.NewForConfigOrDie(shared.AdminConfig()), folder: t.TempDir()}
	b.kubeconfig = filepath.Join(b.folder, "kubeconfig")
	b.must(shared.WriteKubeconfig(b.kubeconfig))
	return b
}

func (b *fixture) must(err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// kubectl is what the real one says, and whether it fails.
func (b *fixture) kubectl(args ...string) (string, error) {
	b.Helper()
	args = append([]string{"--kubeconfig", b.kubeconfig, "--namespace", b.Namespace}, args...)
	out, err := exec.CommandContext(b.Context(), program.Need(b, "kubectl"), args...).CombinedOutput()
	if exit := (&exec.ExitError{}); err != nil && !errors.As(err, &exit) {
		b.Fatal(err)
	}
	return string(out), err
}

// apply has kubectl apply a manifest.
func (b *fixture) apply(manifest map[string]any, args ...string) (string, error) {
	b.Helper()
	data, err := json.Marshal(manifest)
	b.must(err)
	file := filepath.Join(b.folder, "manifest.json")
	b.must(os.WriteFile(file, data, 0o600))
	return b.kubectl(append([]string{"apply", "-f", file}, args...)...)
}

// live is an object as the API server has it.
func (b *fixture) live(manifest map[string]any) runtime.Object {
	b.Helper()
	o := &unstructured.Unstructured{Object: manifest}
	resource, _ := meta.UnsafeGuessKindToResource(o.GroupVersionKind())
	found, err := b.objects.Resource(resource).Namespace(b.Namespace).Get(b.Context(), o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		return nil
	}
	b.must(err)
	typed, err := scheme.Scheme.New(o.GroupVersionKind())
	b.must(err)
	b.must(runtime.DefaultUnstructuredConverter.FromUnstructured(found.Object, typed))
	return typed
}

// comparable is an object without what every write changes.
func (b *fixture) comparable(o runtime.Object) map[string]any {
	b.Helper()
	fields, err := runtime.DefaultUnstructuredConverter.ToUnstructured(o)
	b.must(err)
	u := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(fields)}
	delete(u.Object, "kind")
	delete(u.Object, "apiVersion")
	delete(u.Object, "status")
	owners := u.GetManagedFields()
	owners = slices.DeleteFunc(owners, func(e metav1.ManagedFieldsEntry) bool { return e.Subresource == "status" })
	slices.SortFunc(owners, func(a, b metav1.ManagedFieldsEntry) int {
		return cmp.Or(cmp.Compare(a.Manager, b.Manager), cmp.Compare(a.Operation, b.Operation), cmp.Compare(a.Subresource, b.Subresource))
	})
	var said []any
	for _, e := range owners {
		said = append(said, map[string]any{"manager": e.Manager, "operation": string(e.Operation), "subresource": e.Subresource, "fields": strings.ReplaceAll(e.FieldsV1.GetRawString(), `"f:`+appsv1.DeprecatedTemplateGeneration+`":{},`, "")})
	}
	annotations := u.GetAnnotations()
	delete(annotations, appsv1.DeprecatedTemplateGeneration) // It counts, as the generation does.
	if len(annotations) == 0 {
		annotations = nil
	}
	u.SetAnnotations(annotations)
	u.SetManagedFields(nil)
	u.SetResourceVersion("")
	u.SetGeneration(0)
	u.Object["owners"] = said
	return u.Object
}

// sealed is an object as a Snapshot holds it.
func (b *fixture) sealed(values compact.Digester, o runtime.Object) runtime.Object {
	b.Helper()
	taken, err := compact.NewKeepingApplied(values).Compact(o.DeepCopyObject().(compact.Object))
	b.must(err)
	return taken
}

// way is how manifests are applied.
type way struct {
	flags         []string
	server, force bool
}

func (w way) merge(manifest map[string]any, live runtime.Object) (runtime.Object, error) {
	if w.server {
		return merge.Server(manifest, live, w.force)
	}
	return merge.Client(manifest, live)
}

var ways = []way{
	{flags: nil},
	{flags: []string{"--server-side"}, server: true},
	{flags: []string{"--server-side", "--force-conflicts"}, server: true, force: true},
}

// TestMerge applies manifests to objects that others have changed: what kubectl and the API server make of each is what is
// forecast, field by field and owner by owner. MERGES is how many are made up, 25 without it; a seed can be had again with
// MERGE_SEED.
func TestMerge(t *testing.T) {
	b := newFixture(t)
	count, first := 25, uint64(1)
	if n, err := strconv.Atoi(os.Getenv("MERGES")); err == nil {
		count = n
	}
	if n, err := strconv.ParseUint(os.Getenv("MERGE_SEED"), 10, 64); err == nil {
		first = n
	}
	seen := map[string]int{}
	for seed := first; seed < first+uint64(count); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			inner := *b
			inner.T = t
			inner.play(seed, seen)
		})
	}
	t.Log(seen)
	if count >= 25 {
		for _, what := range []string{"created", "changed", "conflict", "invalid"} {
			if seen[what] == 0 {
				t.Errorf("of all that was applied, nothing was %s", what)
			}
		}
	}
}

// play makes an object up, and applies it a few times in some ways, while others change it.
func (b *fixture) play(seed uint64, seen map[string]int) {
	g := &generator{rand.New(rand.NewPCG(seed, 14))}
	manifest := g.object(fmt.Sprint("o", seed))
	values := compact.NewDigester()
	usual := ways[g.IntN(2)]
	for range 3 {
		w := usual
		if g.percent(35) {
			w = ways[g.IntN(len(ways))]
		}
		b.step(w, manifest, values, seen)
		for range g.IntN(3) {
			b.disturb(g, manifest)
		}
		manifest = g.edited(manifest)
	}
	b.step(usual, manifest, values, seen)
}

// step applies a manifest, and compares the result with the forecast.
func (b *fixture) step(w way, manifest map[string]any, values compact.Digester, seen map[string]int) {
	b.Helper()
	live := b.live(manifest)
	written := runtime.DeepCopyJSON(manifest)
	(&unstructured.Unstructured{Object: written}).SetNamespace(b.Namespace) // As kubectl and naosu do.
	predicted, err := w.merge(written, live)
	if err == nil && live != nil {
		err = admission.Validate(predicted, live)
	}
	said, refused := b.apply(manifest, w.flags...)
	text, _ := json.Marshal(manifest)
	switch {
	case err != nil && refused == nil:
		b.Fatalf("%v %s\nforecast to be refused: %v\nkubectl: %s", w, text, err, said)
	case err == nil && refused != nil && strings.Contains(said, "is invalid") && slices.Contains([]any{"Service", "PodDisruptionBudget"}, manifest["kind"]):
		seen["not validated"]++ // internal/admission looks at workloads, pods and claims.
		return
	case err == nil && refused != nil:
		b.Fatalf("%v %s\nforecast to be accepted; kubectl: %s", w, text, said)
	case err != nil:
		what := "invalid"
		if apierrors.IsConflict(err) {
			what = "conflict"
		}
		if line, _, _ := strings.Cut(err.Error(), "\n"); !strings.Contains(said, line) && what == "conflict" {
			b.Errorf("%v %s\nforecast: %v\nkubectl: %s", w, text, err, said)
		}
		seen[what]++
		return
	}
	came := b.live(manifest)
	if live == nil {
		// The API server adds to a new object what no merge can: labels, addresses.
		seen["created"]++
		if diff := gocmp.Diff(b.comparable(came)["owners"], b.comparable(predicted)["owners"]); diff != "" {
			b.Fatalf("%v %s\n(-actual +forecast):\n%s", w, text, diff)
		}
		return
	}
	seen["changed"]++
	if diff := gocmp.Diff(b.comparable(came), b.comparable(predicted)); diff != "" {
		b.Fatalf("%v %s\n(-actual +forecast):\n%s", w, text, diff)
	}
	// The same of what a Snapshot holds, with digests for values.
	values.DigestManifest(written)
	predicted, err = w.merge(written, b.sealed(values, live))
	if err != nil {
		b.Fatalf("%v %s\nwith digests: %v", w, text, err)
	}
	if diff := gocmp.Diff(b.comparable(b.sealed(values, came)), b.comparable(b.sealed(values, predicted))); diff != "" {
		b.Fatalf("%v %s\nwith digests (-actual +forecast):\n%s", w, text, diff)
	}
}

// disturb changes the object as others would.
func (b *fixture) disturb(g *generator, manifest map[string]any) {
	b.Helper()
	u := &unstructured.Unstructured{Object: manifest}
	name := strings.ToLower(u.GetKind()) + "/" + u.GetName()
	templated := slices.Contains([]string{"Deployment", "StatefulSet", "DaemonSet"}, u.GetKind())
	scalable := templated && u.GetKind() != "DaemonSet"
	var args []string
	switch draw := g.IntN(6); {
	case draw == 0 && scalable:
		args = []string{"scale", name, "--replicas", fmt.Sprint(1 + g.IntN(9))}
	case draw == 1 && templated:
		args = []string{"patch", name, "--field-manager", "someone", "-p", `{"spec":{"template":{"spec":{"tolerations":[{"key":"dedicated","operator":"Exists"}]}}}}`}
	case draw == 2 && templated:
		args = []string{"set", "env", name, fmt.Sprintf("%s=%d", pick(g, "A", "B", "NEW"), g.IntN(3))}
	case draw == 3 && templated:
		args = []string{"set", "image", name, fmt.Sprintf("main=img:%d", g.IntN(4))}
	case draw == 4 && scalable: // An autoscaler that owns replicas in the API server.
		owner := map[string]any{
			"apiVersion": u.GetAPIVersion(), "kind": u.GetKind(), "metadata": map[string]any{"name": u.GetName()},
			"spec": map[string]any{"replicas": int64(2 + g.IntN(6))},
		}
		if out, err := b.apply(owner, "--server-side", "--force-conflicts", "--field-manager", "autoscaler"); err != nil {
			b.Log(out)
		}
		return
	default:
		args = []string{"annotate", name, "--overwrite", fmt.Sprintf("%s=%d", pick(g, "team", "owner"), g.IntN(3))}
	}
	if out, err := b.kubectl(args...); err != nil {
		b.Log(out) // What is refused disturbs nothing: another name may be gone by now.
	}
}

func (b *fixture) await(done func() bool) {
	b.Helper()
	err := wait.PollUntilContextTimeout(b.Context(), 50*time.Millisecond, testbed.Patience, true, func(context.Context) (bool, error) { return done(), nil })
	b.must(err)
}

func toJSON(b *fixture, text string) []byte {
	b.Helper()
	data, err := yaml.YAMLToJSON([]byte(text))
	b.must(err)
	return data
}
