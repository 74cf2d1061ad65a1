package memory

import (
	"context"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/apiutil"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// Connect is a client of its own to the API server: each of its calls is made by around, which is given what it is and how to do it, and
// whose error is the caller's answer.
func (a *API) Connect(around func(ctx context.Context, call Call, do func() error) error) client.WithWatch {
	return interceptor.NewClient(a.Direct, a.calls(around))
}

func (a *API) calls(around func(ctx context.Context, call Call, do func() error) error) interceptor.Funcs {
	return interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return around(ctx, Call{"get", a.kind(o), key}, func() error { return c.Get(ctx, key, o, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			return around(ctx, Call{Verb: "list", Kind: a.kind(list)}, func() error { return c.List(ctx, list, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			return around(ctx, a.call("create", o), func() error { return c.Create(ctx, o, opts...) })
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			return around(ctx, a.call("delete", o), func() error { return c.Delete(ctx, o, opts...) })
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			return around(ctx, a.call("update", o), func() error { return c.Update(ctx, o, opts...) })
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			return around(ctx, a.call("patch", o), func() error { return c.Patch(ctx, o, patch, opts...) })
		},
		SubResourceCreate: func(ctx context.Context, c client.Client, name string, o, sub client.Object, opts ...client.SubResourceCreateOption) error {
			return around(ctx, a.call("create/"+name, o), func() error { return c.SubResource(name).Create(ctx, o, sub, opts...) })
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, name string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			return around(ctx, a.call("update/"+name, o), func() error { return c.SubResource(name).Update(ctx, o, opts...) })
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			return around(ctx, a.call("patch/"+name, o), func() error { return c.SubResource(name).Patch(ctx, o, patch, opts...) })
		},
	}
}

// see does a call between Before and After. Where After fails the call was done, and its caller does not know.
func (a *API) see(_ context.Context, call Call, do func() error) error {
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
