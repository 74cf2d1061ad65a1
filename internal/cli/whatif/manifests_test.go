package whatif

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestBadManifests says where the mistake is: what the API server would refuse must not be foretold.
func TestBadManifests(t *testing.T) {
	pod := func(metadata, resources string) string {
		return "apiVersion: v1\nkind: Pod\nmetadata: {" + metadata + "}\nspec: {containers: [{name: c, image: i, resources: {" + resources + "}}]}\n"
	}
	for name, tc := range map[string]struct{ manifests, want string }{
		"a field that does not exist": {pod("name: p", "request: {cpu: 1}"), `-, document 1: unknown field "spec.containers[0].resources.request"`},
		"a quantity that is none":     {pod("name: p", "requests: {cpu: 1x}"), "-, document 1: spec.containers[0].resources.requests.cpu: quantities must match"},
		"a value of another type":     {pod("name: p, generation: many", ""), "metadata.generation"},
		"no name":                     {pod("generateName: p-", ""), "-, document 1: metadata.name is missing"},
		"a selector for other pods": {
			"apiVersion: apps/v1\nkind: Deployment\nmetadata: {name: d}\nspec: {selector: {matchLabels: {a: b}}, template: {metadata: {labels: {a: c}}}}",
			"deployment/d: The Deployment \"d\" is invalid: spec.template.metadata.labels: Invalid value: {\"a\":\"c\"}: `selector` does not match template `labels`",
		},
		"no selector":                   {"apiVersion: apps/v1\nkind: DaemonSet\nmetadata: {name: d}", "daemonset/d: The DaemonSet \"d\" is invalid: spec.template.metadata.labels"},
		"the second document":           {pod("name: p", "") + "---\n" + pod("", ""), "-, document 2: metadata.name is missing"},
		"in a list of a kind":           {"apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: p}, spec: {node: n1}}]", `unknown field "items[0].spec.node"`},
		"no name in a list of a kind":   {"apiVersion: v1\nkind: PodList\nitems: [{spec: {}}]", "-, document 1: metadata.name is missing"},
		"nor its namespace":             {"apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: p, namespace: hsop}}]", "pod/p: namespace hsop does not exist"},
		"a namespace that is not there": {pod("name: p, namespace: hsop", ""), "pod/p: namespace hsop does not exist; include the Namespace in the manifests, or use default or shop"},
		"requests above limits": {
			pod("name: p", "requests: {cpu: 900m}, limits: {cpu: 500m}"),
			`pod/p: The Pod "p" is invalid: spec.containers[0].resources.requests: Invalid value: "900m": must be less than or equal to cpu limit of 500m; correct it`,
		},
		"another namespace than is given": {
			pod("name: p, namespace: default", ""),
			"pod/p: is in namespace default, but --namespace is shop: kubectl rejects this; omit --namespace, or use --namespace default",
		},
		"a pod that a quota forbids": {
			"apiVersion: v1\nkind: ResourceQuota\nmetadata: {name: none}\nspec: {hard: {pods: 0}}\n---\n" + pod("name: p", ""),
			`pod/p: pods "p" is forbidden: exceeded quota: none, requested: pods=1, used: pods=8, limited: pods=0`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := run(t, tc.manifests, "apply", "-f", "-", "--from", spaced(t), "-n", "shop")
			if exit.Code(err) != exit.NoAnswer || !strings.Contains(exit.Line(message.English(), err), tc.want) {
				t.Errorf("exit code %d (%v), want %d and %q", exit.Code(err), err, exit.NoAnswer, tc.want)
			}
		})
	}
}

// TestManifestsOfManyShapes takes lists of a kind, and a namespace that an earlier change makes.
func TestManifestsOfManyShapes(t *testing.T) {
	for name, manifests := range map[string]string{
		"a namespace in the same file": "apiVersion: v1\nkind: Namespace\nmetadata: {name: new}\n---\n" +
			"apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: new}\nspec: {containers: [{name: c, image: i}]}\n",
		"a namespace that every cluster has": "apiVersion: v1\nkind: Pod\nmetadata: {name: p, namespace: kube-public}\nspec: {containers: [{name: c, image: i}]}\n",
		"a list of a kind":                   "apiVersion: v1\nkind: PodList\nitems: [{metadata: {name: p, namespace: shop}, spec: {containers: [{name: c, image: i}]}}]",
	} {
		t.Run(name, func(t *testing.T) {
			out, err := run(t, manifests, "apply", "-f", "-", "--from", spaced(t))
			if err != nil || !strings.Contains(out, "1 new") {
				t.Errorf("%v:\n%s", err, out)
			}
		})
	}
}

// spaced is the shop with its namespace among its objects.
func spaced(t *testing.T) string {
	t.Helper()
	return with(t, "---\napiVersion: v1\nkind: Namespace\nmetadata: {name: shop}\n---\napiVersion: v1\nkind: Namespace\nmetadata: {name: default}\n")
}

// with is the shop with more objects.
func with(t *testing.T, more string) string {
	t.Helper()
	data, err := os.ReadFile(shop)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "shop.yaml")
	if err := os.WriteFile(path, append(data, more...), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestWhatWasEnding loses the node of a pod that is ending already: it does not stay.
func TestWhatWasEnding(t *testing.T) {
	ending := "---\napiVersion: v1\nkind: Pod\nmetadata: {name: old, namespace: shop, deletionTimestamp: \"2026-11-20T12:00:00Z\",\n" +
		"  ownerReferences: [{apiVersion: apps/v1, kind: ReplicaSet, name: gone, uid: gone, controller: true}]}\n" +
		"spec: {nodeName: n1, containers: [{name: c}]}\nstatus: {phase: Running}\n"
	before, err := ask(t, "lose", "node/n1")
	if err != nil {
		t.Fatal(err)
	}
	after, err := run(t, "", "lose", "node/n1", "--from", with(t, ending), "-n", "shop")
	if err != nil || before != after {
		t.Errorf("%v:\n%s", err, after)
	}
}

// TestZoneWithoutNodes loses a zone that only a storage class knows.
func TestZoneWithoutNodes(t *testing.T) {
	class := "---\napiVersion: storage.k8s.io/v1\nkind: StorageClass\nmetadata: {name: far}\nprovisioner: ebs.csi.aws.com\n" +
		"allowedTopologies: [{matchLabelExpressions: [{key: topology.kubernetes.io/zone, values: [us-east-1d]}]}]\n"
	_, err := run(t, "", "lose", "zone/us-east-1d", "--from", with(t, class))
	want := "zone/us-east-1d: there is no node; did you mean zone/us-east-1a, "
	if exit.Code(err) != exit.NoAnswer || !strings.Contains(exit.Line(message.English(), err), want) {
		t.Errorf("exit code %d (%v), want %d and %q", exit.Code(err), err, exit.NoAnswer, want)
	}
}
