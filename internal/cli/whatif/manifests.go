package whatif

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/json"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// mostManifests bounds what is read, in bytes.
const mostManifests = 64 << 20

// mostNamespaces bounds how many are offered in place of one that does not exist.
const mostNamespaces = 3

// manifests reads the objects of `apply -f`. Until it is time to read, only the flag is looked at.
func (o *Options) manifests(q *question, namespace string, world *cluster.Snapshot) (change.Change, error) {
	from := q.flag("filename")
	switch {
	case from == "":
		return nil, exit.BadInput("--filename", sentence.ErrMissing(), sentence.ErrManifestRemedy())
	case len(q.args) > 0:
		return nil, q.bad(sentence.ErrNotOneOf(q.args[0]))
	case from == "-" && o.From == "-":
		return nil, exit.BadInput("--filename", sentence.ErrStdinTwice(), sentence.ErrManifestRemedy())
	}
	c, err := o.wayToApply(q)
	if err != nil || world == nil {
		return c, err
	}
	manifests, err := readManifests(from, o.In)
	if no, ok := errors.AsType[refused](err); ok {
		return nil, exit.BadInput(strings.TrimSuffix(err.Error(), ": "+no.Error()), no.problem, sentence.ErrManifestRefused())
	}
	if err != nil {
		return nil, exit.Unread("--filename", from, err, sentence.ErrManifestRemedy())
	}
	if len(manifests) == 0 {
		return nil, exit.BadInput("--filename", sentence.ErrNoManifest(from), sentence.ErrManifestRemedy())
	}
	for _, m := range manifests {
		m.settle(namespace)
		c.Objects, c.Written = append(c.Objects, m.object), append(c.Written, m.written)
	}
	if err := cmp.Or(o.nowhere(c.Objects, world), o.contrary(c.Objects)); err != nil || c.DryRun { // The API server looks at them itself.
		return c, err
	}
	return c, invalid(c.Objects, world)
}

// wayToApply is how objects are to be applied, as the flags say, still without the objects.
func (o *Options) wayToApply(q *question) (change.Apply, error) {
	c := change.Apply{
		From: q.flag("filename"), ServerSide: q.flag("server-side") == "true", ForceConflicts: q.flag("force-conflicts") == "true",
		DryRun: q.flag("server-dry-run") == "true",
	}
	switch {
	case c.DryRun && o.From != "":
		return c, exit.BadInput("--server-dry-run", sentence.ErrDryRunFrom(), sentence.ErrDryRunFromRemedy())
	case c.ForceConflicts && !c.ServerSide:
		return c, exit.BadInput("--force-conflicts", sentence.ErrOnlyServerSide(), sentence.ErrOnlyServerSideRemedy())
	}
	return c, nil
}

// manifest is an object by its Go type, if that is known, and as it was written.
type manifest struct {
	object  runtime.Object
	written map[string]any
}

// nowhere is bad input if an object is to be in a namespace that is known to exist neither now nor by then: the API server
// refuses it.
func (o *Options) nowhere(objects []runtime.Object, world *cluster.Snapshot) error {
	for _, object := range objects {
		if made, ok := object.(*corev1.Namespace); ok {
			o.made = append(o.made, made.Name)
		}
	}
	known := namesOf(world, string(cluster.Namespace), "")
	if len(known) == 0 || world.Knowledge(cluster.Namespace) != cluster.Complete {
		return nil
	}
	for _, object := range objects {
		one, ok := object.(metav1.Object)
		if !ok || one.GetNamespace() == "" || slices.Contains(known, one.GetNamespace()) || slices.Contains(o.made, one.GetNamespace()) || isSystem(one.GetNamespace()) {
			continue
		}
		return exit.BadInput(refOf(object).String(), sentence.ErrNoNamespace(one.GetNamespace()),
			sentence.ErrManifestSpace(message.ListOf(known[:min(len(known), mostNamespaces)]), len(known) > mostNamespaces))
	}
	return nil
}

// isSystem reports whether a namespace is one that the API server always keeps.
//
// Source: pkg/controlplane/controller/systemnamespaces of Kubernetes.
func isSystem(namespace string) bool {
	return slices.Contains([]string{metav1.NamespaceSystem, metav1.NamespacePublic, corev1.NamespaceNodeLease, metav1.NamespaceDefault}, namespace)
}

// settle gives an object that names no namespace the one that is asked about.
func (m manifest) settle(namespace string) {
	object, ok := m.object.(metav1.Object)
	if !ok || object.GetNamespace() != "" {
		return
	}
	if kind, held := cluster.KindOf(object); held && kind.Namespaced() {
		object.SetNamespace(namespace)
		(&unstructured.Unstructured{Object: m.written}).SetNamespace(namespace)
	}
}

// readManifests reads a file, every manifest of a folder and those below it, or standard input.
func readManifests(from string, in io.Reader) ([]manifest, error) {
	if from == "-" {
		return parseManifests("-", io.LimitReader(in, mostManifests))
	}
	var manifests []manifest
	err := filepath.WalkDir(from, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || path != from && !slices.Contains([]string{".yaml", ".yml", ".json"}, filepath.Ext(path)) {
			return err
		}
		file, err := os.Open(path)
		if err != nil {
			return err
		}
		defer file.Close()
		found, err := parseManifests(path, io.LimitReader(file, mostManifests))
		manifests = append(manifests, found...)
		return err
	})
	return manifests, err
}

// parseManifests reads documents of YAML or JSON. What is of no known kind stays as it is.
func parseManifests(name string, r io.Reader) ([]manifest, error) {
	var manifests []manifest
	documents := utilyaml.NewYAMLReader(bufio.NewReader(r))
	for i := 1; ; i++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return manifests, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found, err := parseManifest(document)
		if err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", name, i, err)
		}
		manifests = append(manifests, found...)
	}
}

func parseManifest(document []byte) ([]manifest, error) {
	data, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil, nil
	}
	object, err := runtime.Decode(strictly, data)
	if runtime.IsNotRegisteredError(err) {
		other := &unstructured.Unstructured{}
		err := other.UnmarshalJSON(data)
		return []manifest{{other, other.Object}}, err
	}
	if strict, ok := runtime.AsStrictDecodingError(err); ok {
		return nil, errors.Join(strict.Errors()...)
	}
	if err != nil {
		return nil, namingField(data, err)
	}
	if meta.IsListType(object) {
		return parseItems(object)
	}
	written := map[string]any{}
	if err := json.Unmarshal(data, &written); err != nil {
		return nil, err
	}
	return []manifest{{object, written}}, acceptable(object)
}

// strictly decodes as `kubectl apply` has the API server do it: a field that does not exist is an error. What is misspelt
// would be foretold as if it had been left out.
var strictly = serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()

// parseItems are the objects of a list.
func parseItems(list runtime.Object) ([]manifest, error) {
	items, err := meta.ExtractList(list)
	var manifests []manifest
	for _, item := range items {
		found, err := parseItem(item)
		if err != nil {
			return nil, err
		}
		manifests = append(manifests, found...)
	}
	return manifests, err
}

// parseItem is an item of a list: one of mixed kinds holds its items as they were written.
func parseItem(item runtime.Object) ([]manifest, error) {
	if raw, ok := item.(*runtime.Unknown); ok {
		return parseManifest(raw.Raw)
	}
	gvks, _, err := scheme.Scheme.ObjectKinds(item)
	if err != nil {
		return nil, err
	}
	item.GetObjectKind().SetGroupVersionKind(gvks[0])
	data, err := json.Marshal(item)
	if err != nil {
		return nil, err
	}
	return parseManifest(data)
}
