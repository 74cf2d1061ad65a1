package memory

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// watched shows each call to Before and After.
func (a *API) watched() interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return a.see(Call{"get", a.kind(o), key}, func() error { return c.Get(ctx, key, o, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			return a.see(Call{Verb: "list", Kind: a.kind(list)}, func() error { return c.List(ctx, list, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return a.see(a.call("create", o), func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return a.see(a.call("delete", o), func() error { return c.Delete(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return a.see(a.call("update", o), func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return a.see(a.call("patch", o), func() error { return c.Patch(ctx, o, patch, opts...) })
		},
		SubResourceCreate: func(ctx context.Context, c client.Client, name string, o, sub client.Object, opts ...client.SubResourceCreateOption) error {
			return a.see(a.call("create/"+name, o), func() error { return c.SubResource(name).Create(ctx, o, sub, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, name string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return a.see(a.call("update/"+name, o), func() error { return c.SubResource(name).Update(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return a.see(a.call("patch/"+name, o), func() error { return c.SubResource(name).Patch(ctx, o, patch, opts...) })
		},
	}
}

// see does a call between Before and After. Where After fails the call was done, and its caller does not know.
func (a *API) see(call Call, do func() error) error {
	if a.Before != nil {
		if err := a.Before(call); err != nil {
			return err
		}
	}
	if err := do(); err != nil || a.After == nil {
		return err
	}
	return a.After(call)
}

func (a *API) call(verb string, o client.Object) Call {
	return Call{verb, a.kind(o), client.ObjectKeyFromObject(o)}
}

func (a *API) kind(o runtime.Object) string {
	gvk, err := apiutil.GVKForObject(o, a.Direct.Scheme())
	if err != nil {
		return ""
	}
	return gvk.Kind
}
