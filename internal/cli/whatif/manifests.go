package whatif

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	utilyaml "k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/message"
)

// mostManifests bounds what is read, in bytes.
const mostManifests = 64 << 20

// manifests reads the objects of `apply -f`. Until it is time to read, only the flag is looked at.
func (o *Options) manifests(q *question, namespace string, read bool) (change.Change, error) {
	from := q.flag("filename")
	switch {
	case from == "":
		return nil, exit.BadInput("--filename", message.Of(message.ErrMissing, nil), message.Of(message.ErrManifestRemedy, nil))
	case len(q.args) > 0:
		return nil, q.bad(message.ErrNotOneOf, message.Args{"given": q.args[0]})
	case from == "-" && o.From == "-":
		return nil, exit.BadInput("--filename", message.Of(message.ErrStdinTwice, nil), message.Of(message.ErrManifestRemedy, nil))
	}
	c := change.Apply{From: from}
	if !read {
		return c, nil
	}
	objects, err := readManifests(from, o.In)
	if err != nil {
		return nil, exit.Unread("--filename", from, err, message.ErrManifestRemedy)
	}
	if len(objects) == 0 {
		return nil, exit.BadInput("--filename", message.Of(message.ErrNoManifest, message.Args{"from": from}), message.Of(message.ErrManifestRemedy, nil))
	}
	for _, object := range objects {
		settle(object, namespace)
	}
	c.Objects = objects
	return c, nil
}

// unspacedKinds are those a world holds that are in no namespace.
var unspacedKinds = []cluster.Kind{
	cluster.Node, cluster.Namespace, cluster.PersistentVolume, cluster.StorageClass, cluster.VolumeAttachment, cluster.CSINode,
	cluster.CSIDriver, cluster.PriorityClass, cluster.ResourceSlice, cluster.DeviceClass,
}

// settle gives an object that names no namespace the one that is asked about.
func settle(o runtime.Object, namespace string) {
	object, ok := o.(metav1.Object)
	if !ok || object.GetNamespace() != "" {
		return
	}
	if kind, held := cluster.KindOf(object); held && !slices.Contains(unspacedKinds, kind) {
		object.SetNamespace(namespace)
	}
}

// readManifests reads a file, every manifest of a folder and those below it, or standard input.
func readManifests(from string, in io.Reader) ([]runtime.Object, error) {
	if from == "-" {
		return parseManifests("-", io.LimitReader(in, mostManifests))
	}
	var objects []runtime.Object
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
		objects = append(objects, found...)
		return err
	})
	return objects, err
}

// parseManifests reads documents of YAML or JSON. What is of no known kind stays as it is.
func parseManifests(name string, r io.Reader) ([]runtime.Object, error) {
	var objects []runtime.Object
	documents := utilyaml.NewYAMLReader(bufio.NewReader(r))
	for i := 1; ; i++ {
		document, err := documents.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		found, err := parseManifest(document)
		if err != nil {
			return nil, fmt.Errorf("%s, document %d: %w", name, i, err)
		}
		objects = append(objects, found...)
	}
}

func parseManifest(document []byte) ([]runtime.Object, error) {
	data, err := yaml.YAMLToJSON(document)
	if err != nil {
		return nil, err
	}
	if bytes.Equal(bytes.TrimSpace(data), []byte("null")) {
		return nil, nil
	}
	object, err := runtime.Decode(scheme.Codecs.UniversalDeserializer(), data)
	if runtime.IsNotRegisteredError(err) {
		other := &unstructured.Unstructured{}
		return []runtime.Object{other}, other.UnmarshalJSON(data)
	}
	if err != nil {
		return nil, err
	}
	list, ok := object.(*corev1.List)
	if !ok {
		return []runtime.Object{object}, nil
	}
	var objects []runtime.Object
	for _, item := range list.Items {
		found, err := parseManifest(item.Raw)
		if err != nil {
			return nil, err
		}
		objects = append(objects, found...)
	}
	return objects, nil
}
