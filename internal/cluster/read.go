package cluster

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"sync"

	"golang.org/x/sync/errgroup"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/version"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/pager"
	"k8s.io/utils/clock"

	"github.com/naosu-dev/naosu/internal/cluster/compact"
)

// ReadOptions are the options of Read.
type ReadOptions struct {
	// Namespace is where a kind is read that may not be read everywhere; it is then known in part.
	Namespace string
	// Clock is that by which the Snapshot was taken.
	Clock clock.PassiveClock
	// Progress is called with the progress, one call at a time; it may be nil.
	Progress func(Progress)
	// Applied keeps the data with which manifests are merged, in objects that people apply: managed fields, the last-applied annotation, and
	// digests of the values of environment variables.
	Applied bool
}

// Progress is how many objects were read. Total counts those that are known to exist so far, and grows.
type Progress struct{ Done, Total int }

// Read reads the whole cluster: every kind that a Snapshot holds, in pages and side by side, and of ConfigMaps only the
// parameters of autoscalers. A kind that may not be read, or is not served, is noted as such, and so is a kind read on demand
// that the server fails to give; any other failure is an error of k8s.io/apimachinery/pkg/api/errors. Of a kind whose API group
// is not installed there are no objects, which is known.
//
// All kinds are read as of one moment where the server can do that: it keeps the past for some minutes (etcd's
// compaction), and Events often live in a store of their own. What it cannot give as of that moment is read as it is.
func Read(ctx context.Context, client kubernetes.Interface, o ReadOptions) (*Snapshot, error) {
	r := &reading{ReadOptions: o, client: client, codec: compact.New(), left: map[Kind]int{}, contents: Contents{
		Taken: o.Clock.Now(), Knowledge: map[Kind]Knowledge{},
	}}
	if o.Applied {
		r.contents.Applied, r.contents.Values = true, compact.NewDigester()
		r.codec = compact.NewKeepingApplied(r.contents.Values)
	}
	var err error
	if r.contents.Server, err = r.server(ctx); err != nil {
		return nil, err
	}
	r.resourceVersion = r.currentResourceVersion(ctx)
	group, groupCtx := errgroup.WithContext(ctx)
	for kind := range forms {
		if kind != ConfigMap && !forms[kind].fromCloud {
			group.Go(func() error { return r.read(groupCtx, kind) })
		}
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	objects, err := readParameters(ctx, client, parameters(r.contents.Objects), r.codec.Compact)
	if err = r.record(ConfigMap, objects, inPart(r.contents.Knowledge[Deployment]), err); err != nil {
		return nil, err
	}
	return New(r.contents), nil
}

type reading struct {
	ReadOptions
	client kubernetes.Interface
	codec  *compact.Codec
	// resourceVersion is the resource version that kinds are read at, empty if there is none.
	resourceVersion string

	mu       sync.Mutex
	contents Contents
	done     int
	left     map[Kind]int // remainingItemCount of each kind's last page
}

// server is the API server's version, empty if it cannot be read. The error is that no server answers: every other request would time out, too.
func (r *reading) server(ctx context.Context) (string, error) {
	body, err := r.client.Discovery().RESTClient().Get().AbsPath("/version").SetHeader("Accept", runtime.ContentTypeJSON).DoRaw(ctx)
	var info version.Info
	if err == nil {
		_ = json.Unmarshal(body, &info) // An answer that is no version counts as none.
	} else if !errors.As(err, new(apierrors.APIStatus)) { // A refusal is an answer.
		return "", fmt.Errorf("reading the server's version: %w", err)
	}
	return info.GitVersion, nil
}

// currentResourceVersion is the server's present resource version, empty if no list that has it may be read.
func (r *reading) currentResourceVersion(ctx context.Context) string {
	for _, kind := range []Kind{Namespace, Pod} {
		namespace := ""
		if kind.Namespaced() {
			namespace = r.Namespace
		}
		list, err := r.list(kind, namespace)(ctx, metav1.ListOptions{Limit: 1})
		if err != nil {
			continue
		}
		if l, err := meta.ListAccessor(list); err == nil {
			return l.GetResourceVersion()
		}
	}
	return ""
}

// read reads a kind everywhere, or else in the one namespace.
func (r *reading) read(ctx context.Context, kind Kind) error {
	objects, err := r.readAll(ctx, kind, "")
	known := Complete
	if apierrors.IsForbidden(err) && kind.Namespaced() && r.Namespace != "" {
		objects, err = r.readAll(ctx, kind, r.Namespace)
		known = Partial
	}
	if r.notInstalled(ctx, kind, err) {
		objects, known, err = nil, Complete, nil
	}
	return r.record(kind, objects, known, err)
}

// record records the result of reading a kind.
func (r *reading) record(kind Kind, objects []runtime.Object, known Knowledge, err error) error {
	nowhere := kind == Node && apierrors.IsNotFound(err) // Every API server serves nodes: this is another kind of server.
	known, failed := knowledgeFrom(known, err)
	if kind.OnDemand() && errors.As(err, new(apierrors.APIStatus)) {
		failed = nil // The server of the kind may be broken; all other kinds can be read.
	}
	if failed != nil || nowhere {
		return fmt.Errorf("reading every %s: %w", kind, err)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.contents.Knowledge[kind] = known
	r.contents.Objects = append(r.contents.Objects, objects...)
	return nil
}

// readAll reads a kind at the one resource version, or the present state if the server does not have that version (any more).
func (r *reading) readAll(ctx context.Context, kind Kind, namespace string) ([]runtime.Object, error) {
	if r.resourceVersion == "" || kind == Event {
		return r.pages(ctx, kind, namespace, metav1.ListOptions{})
	}
	objects, err := r.pages(ctx, kind, namespace, metav1.ListOptions{
		ResourceVersion: r.resourceVersion, ResourceVersionMatch: metav1.ResourceVersionMatchExact,
	})
	if apierrors.IsBadRequest(err) || apierrors.IsResourceExpired(err) || apierrors.IsTimeout(err) || apierrors.IsInvalid(err) {
		return r.pages(ctx, kind, namespace, metav1.ListOptions{})
	}
	return objects, err
}

// pages reads a kind page by page. The error is that the resource has expired if the server has compacted the resource version of the first
// page meanwhile.
func (r *reading) pages(ctx context.Context, kind Kind, namespace string, o metav1.ListOptions) ([]runtime.Object, error) {
	list := r.list(kind, namespace)
	var objects []runtime.Object
	paged := pager.New(func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		if o.Continue != "" { // The continue token has the resource version; the server rejects both together.
			o.ResourceVersion, o.ResourceVersionMatch = "", ""
		}
		page, err := list(ctx, o)
		if err == nil {
			r.report(kind, page)
		}
		return page, err
	})
	err := paged.EachListItem(ctx, o, func(o runtime.Object) error {
		taken, err := r.codec.Compact(o.(compact.Object)) // Every kind's type is one.
		objects = append(objects, taken)
		return err
	})
	return objects, err
}

// report counts a page, and its remaining items.
func (r *reading) report(kind Kind, page runtime.Object) {
	list, err := meta.ListAccessor(page)
	if err != nil || r.Progress == nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += meta.LenList(page)
	r.left[kind] = 0
	if left := list.GetRemainingItemCount(); left != nil {
		r.left[kind] = int(*left)
	}
	total := r.done
	for _, left := range r.left {
		total += left
	}
	r.Progress(Progress{Done: r.done, Total: total})
}

// list reads one page of a kind.
func (r *reading) list(kind Kind, namespace string) pager.ListPageFunc {
	if len(forms[kind].served) > 0 {
		return r.listCustom(kind, namespace)
	}
	resource := kind.resource()
	return func(ctx context.Context, o metav1.ListOptions) (runtime.Object, error) {
		return restClient(r.client, resource.Group).Get().NamespaceIfScoped(namespace, namespace != "").
			Resource(resource.Resource).VersionedParams(&o, scheme.ParameterCodec).Do(ctx).Get()
	}
}

// restClient is the client of the version of a group that the kinds' Go types are of.
func restClient(client kubernetes.Interface, group string) rest.Interface {
	switch group {
	case "admissionregistration.k8s.io":
		return client.AdmissionregistrationV1().RESTClient()
	case "apps":
		return client.AppsV1().RESTClient()
	case "autoscaling":
		return client.AutoscalingV2().RESTClient()
	case "batch":
		return client.BatchV1().RESTClient()
	case "coordination.k8s.io":
		return client.CoordinationV1().RESTClient()
	case "discovery.k8s.io":
		return client.DiscoveryV1().RESTClient()
	case "networking.k8s.io":
		return client.NetworkingV1().RESTClient()
	case "node.k8s.io":
		return client.NodeV1().RESTClient()
	case "policy":
		return client.PolicyV1().RESTClient()
	case "resource.k8s.io":
		return client.ResourceV1().RESTClient()
	case "scheduling.k8s.io":
		return client.SchedulingV1().RESTClient()
	case "storage.k8s.io":
		return client.StorageV1().RESTClient()
	default:
		return client.CoreV1().RESTClient()
	}
}

// readParameters reads the ConfigMaps of the allow-list, each by its name. One that is not there is left out.
func readParameters(ctx context.Context, client kubernetes.Interface, names []types.NamespacedName, take func(compact.Object) (compact.Object, error)) ([]runtime.Object, error) {
	var objects []runtime.Object
	for _, name := range names {
		object, err := client.CoreV1().ConfigMaps(name.Namespace).Get(ctx, name.Name, metav1.GetOptions{})
		if apierrors.IsNotFound(err) {
			continue
		}
		if err != nil {
			return objects, err
		}
		taken, err := take(object)
		if err != nil {
			return objects, err
		}
		objects = append(objects, taken)
	}
	return objects, nil
}

// inPart is what is known of a kind of which only some objects were read.
func inPart(k Knowledge) Knowledge {
	if k == Complete {
		return Partial
	}
	return k
}

// knowledgeFrom is what is known of a kind, and the error of the read unless it only means that the kind is not known.
func knowledgeFrom(read Knowledge, err error) (Knowledge, error) {
	switch {
	case err == nil:
		return read, nil
	case apierrors.IsForbidden(err):
		return Forbidden, nil
	case apierrors.IsNotFound(err):
		return Absent, nil
	default:
		return Absent, err
	}
}
