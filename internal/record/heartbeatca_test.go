package record

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

func TestHeartbeatCA(t *testing.T) {
	r, ctx := records(t), t.Context()
	read := func() *HeartbeatCA {
		t.Helper()
		found, err := r.ReadHeartbeatCA(ctx)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	write := func(on *HeartbeatCA, text string, want bool) {
		t.Helper()
		stored, err := r.WriteHeartbeatCA(ctx, on, []byte(text), []byte("key of "+text))
		if err != nil {
			t.Fatal(err)
		}
		published, err := r.PublishHeartbeatCA(ctx, on, text)
		if err != nil {
			t.Fatal(err)
		}
		if stored != want || published != want {
			t.Errorf("%s: the Secret is written: %t, the ConfigMap: %t; want %t", text, stored, published, want)
		}
	}
	first, second := read(), read()
	write(first, "one", true)
	write(first, "one", false)
	write(first, "two", true)
	if got := read(); string(got.Certificates) != "two" || string(got.Keys) != "key of two" || got.Published != "two" {
		t.Errorf("read %q, %q, %q", got.Certificates, got.Keys, got.Published)
	}
	// One that was created meanwhile, and one that was changed.
	third := read()
	write(read(), "three", true)
	for name, stale := range map[string]*HeartbeatCA{"created": second, "changed": third} {
		if _, err := r.WriteHeartbeatCA(ctx, stale, []byte("x"), nil); !apierrors.IsConflict(err) {
			t.Errorf("a Secret that was %s meanwhile: %v, want a conflict", name, err)
		}
		if _, err := r.PublishHeartbeatCA(ctx, stale, "x"); !apierrors.IsConflict(err) {
			t.Errorf("a ConfigMap that was %s meanwhile: %v, want a conflict", name, err)
		}
	}
	// Whatever else somebody put there goes.
	for _, object := range []client.Object{
		&corev1.Secret{ObjectMeta: first.secret.ObjectMeta, Data: map[string][]byte{"ca.crt": []byte("three"), "ca.key": []byte("key of three"), "tls.key": []byte("x")}},
		&corev1.ConfigMap{ObjectMeta: first.configMap.ObjectMeta, Data: map[string]string{"ca.crt": "three"}, BinaryData: map[string][]byte{"x": []byte("x")}},
	} {
		object.SetResourceVersion("")
		if err := r.Client.Update(ctx, object); err != nil {
			t.Fatal(err)
		}
	}
	write(read(), "three", true)
	got := read()
	if diff := cmp.Diff(map[string][]byte{"ca.crt": []byte("three"), "ca.key": []byte("key of three")}, got.secret.Data); diff != "" {
		t.Errorf("the Secret (-want +got):\n%s", diff)
	}
	if got.configMap.BinaryData != nil {
		t.Errorf("the ConfigMap keeps %v", got.configMap.BinaryData)
	}
}
