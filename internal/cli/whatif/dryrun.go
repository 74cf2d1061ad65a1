package whatif

import (
	"context"
	"errors"
	"slices"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/api/meta"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/client-go/restmapper"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/connect"
	"github.com/naosu-dev/naosu/internal/cli/exit"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/merge"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

// trial has the API server say what it would store of manifests, and what it refuses.
type trial struct {
	ctx     context.Context // It lives for one call of dryRun.
	objects dynamic.Interface
	mapper  meta.RESTMapper
	say     message.Printer
	// made are namespaces that do not exist yet.
	made []string

	refused []finding.Refusal
	gaps    []finding.Gap
}

// dryRun asks the API server about the manifests of every change that is to be: what it would store takes their place. It writes
// nothing, but needs the rights to write, and the audit log has it.
func (o *Options) dryRun(ctx context.Context, say message.Printer, changes []change.Change) (*trial, error) {
	t := &trial{ctx: ctx, say: say, made: o.made}
	for i, c := range changes {
		apply, is := c.(change.Apply)
		if !is || !apply.DryRun {
			continue
		}
		if t.objects == nil {
			if err := t.connect(o); err != nil {
				return nil, err
			}
		}
		tried, err := t.apply(apply)
		if err != nil {
			config, _ := connect.Config(o.Config) // It was read before.
			return nil, exit.Talking(config.Host, err)
		}
		changes[i] = tried
	}
	return t, nil
}

func (t *trial) connect(o *Options) error {
	config, err := connect.Config(o.Config)
	if err != nil {
		return err
	}
	kinds, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	t.mapper = restmapper.NewDeferredDiscoveryRESTMapper(memory.NewMemCacheClient(kinds))
	t.objects, err = dynamic.NewForConfig(config)
	return err
}

// apply is a change whose objects are as the API server would store them. What it refuses is left out.
func (t *trial) apply(c change.Apply) (change.Apply, error) {
	tried := c
	tried.Objects, tried.Written, tried.Stored = nil, nil, true
	for i, object := range c.Objects {
		manifest := c.Manifest(i)
		ref := refOf(object)
		if slices.Contains(t.made, ref.Namespace) {
			t.unasked(ref, t.say.Say(sentence.GapNoNamespaceYet()))
			tried.Objects, tried.Written = append(tried.Objects, object), append(tried.Written, manifest)
			continue
		}
		stored, err := t.store(c, manifest)
		switch {
		case err == nil && c.ServerSide && merge.Migrates(stored): // It is merged as without asking, which kubectl does in the end.
			t.unasked(ref, t.say.Say(sentence.GapMigrates()))
			tried.Objects, tried.Written = append(tried.Objects, object), append(tried.Written, manifest)
		case err == nil:
			tried.Objects, tried.Written = append(tried.Objects, typed(stored)), append(tried.Written, nil)
		case merge.Untried(err): // What it would say is not known.
			t.unasked(ref, err.Error())
			tried.Objects, tried.Written = append(tried.Objects, object), append(tried.Written, manifest)
		case errors.As(err, new(apierrors.APIStatus)) || meta.IsNoMatchError(err):
			t.refused = append(t.refused, finding.Refusal{Object: ref, Why: err.Error()})
		default:
			return c, err
		}
	}
	return tried, nil
}

func (t *trial) unasked(ref change.Ref, why string) {
	t.gaps = append(t.gaps, finding.Gap{About: ref.String(), Message: sentence.GapNotAsked(ref, why)})
}

// store is what the API server would store of a manifest, with nothing stored.
func (t *trial) store(c change.Apply, manifest map[string]any) (*unstructured.Unstructured, error) {
	o := &unstructured.Unstructured{Object: runtime.DeepCopyJSON(manifest)}
	gvk := o.GroupVersionKind()
	mapping, err := t.mapper.RESTMapping(gvk.GroupKind(), gvk.Version)
	if err != nil {
		return nil, err
	}
	var target dynamic.ResourceInterface = t.objects.Resource(mapping.Resource)
	if mapping.Scope.Name() == meta.RESTScopeNameNamespace {
		target = t.objects.Resource(mapping.Resource).Namespace(o.GetNamespace())
	}
	dry := []string{metav1.DryRunAll}
	options := metav1.PatchOptions{DryRun: dry, FieldValidation: metav1.FieldValidationStrict, FieldManager: merge.ClientManager}
	if c.ServerSide {
		data, err := o.MarshalJSON()
		if err != nil {
			return nil, err
		}
		options.FieldManager, options.Force = merge.ServerManager, &c.ForceConflicts
		return target.Patch(t.ctx, o.GetName(), types.ApplyPatchType, data, options)
	}
	live, err := target.Get(t.ctx, o.GetName(), metav1.GetOptions{})
	if apierrors.IsNotFound(err) {
		live, err = nil, nil
	}
	if err != nil {
		return nil, err
	}
	kind, patch, err := merge.Patch(manifest, live)
	if err != nil {
		return nil, err
	}
	if live != nil {
		return target.Patch(t.ctx, o.GetName(), kind, patch, options)
	}
	if err := o.UnmarshalJSON(patch); err != nil {
		return nil, err
	}
	return target.Create(t.ctx, o, metav1.CreateOptions{DryRun: dry, FieldValidation: options.FieldValidation, FieldManager: options.FieldManager})
}

// typed is an object by its Go type, if that is known.
func typed(o *unstructured.Unstructured) runtime.Object {
	object, err := scheme.Scheme.New(o.GroupVersionKind())
	if err != nil || runtime.DefaultUnstructuredConverter.FromUnstructured(o.Object, object) != nil {
		return o
	}
	return object
}
