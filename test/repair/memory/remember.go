package memory

import (
	"context"
	"fmt"
	"reflect"
	"sync"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"
)

// remember is a client that answers from what it has read, as long as nothing of the kind was written: the fake decodes JSON
// for each object that it gives out, which is most of what a run costs.
func remember(store client.WithWatch) client.WithWatch {
	known := map[string]map[string]runtime.Object{}
	var calls sync.Mutex // held for a whole call: what was read before a write must not be remembered after it
	writes := func(o runtime.Object) (written func()) {
		calls.Lock()
		return func() {
			delete(known, kindOf(o))
			calls.Unlock()
		}
	}
	read := func(into runtime.Object, key string, from func() error) error {
		calls.Lock()
		defer calls.Unlock()
		kind := kindOf(into)
		if has, ok := known[kind][key]; ok {
			reflect.ValueOf(into).Elem().Set(reflect.ValueOf(has.DeepCopyObject()).Elem())
			return nil
		}
		if err := from(); err != nil {
			return err
		}
		if known[kind] == nil {
			known[kind] = map[string]runtime.Object{}
		}
		known[kind][key] = into.DeepCopyObject()
		return nil
	}
	return interceptor.NewClient(store, interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			return read(o, key.String(), func() error { return c.Get(ctx, key, o, opts...) })
		},
		List: func(ctx context.Context, c client.WithWatch, list client.ObjectList, opts ...client.ListOption) error {
			var options client.ListOptions
			options.ApplyOptions(opts)
			return read(list, fmt.Sprintf("list %s %v %v", options.Namespace, options.LabelSelector, options.FieldSelector), func() error { return c.List(ctx, list, opts...) })
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			defer writes(o)()
			return c.Create(ctx, o, opts...)
		},
		Delete: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.DeleteOption) error {
			defer writes(o)()
			return c.Delete(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			defer writes(o)()
			return c.Update(ctx, o, opts...)
		},
		Patch: func(ctx context.Context, c client.WithWatch, o client.Object, patch client.Patch, opts ...client.PatchOption) error {
			defer writes(o)()
			return c.Patch(ctx, o, patch, opts...)
		},
		SubResourceUpdate: func(ctx context.Context, c client.Client, name string, o client.Object, opts ...client.SubResourceUpdateOption) error {
			defer writes(o)()
			return c.SubResource(name).Update(ctx, o, opts...)
		},
		SubResourcePatch: func(ctx context.Context, c client.Client, name string, o client.Object, patch client.Patch, opts ...client.SubResourcePatchOption) error {
			defer writes(o)()
			return c.SubResource(name).Patch(ctx, o, patch, opts...)
		},
	})
}

// kindOf is the Go type of an object, or of those in a list.
func kindOf(o runtime.Object) string {
	t := reflect.TypeOf(o).Elem()
	if items, ok := t.FieldByName("Items"); ok {
		t = items.Type.Elem()
	}
	return t.String()
}
