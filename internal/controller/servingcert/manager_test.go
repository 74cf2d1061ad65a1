package servingcert

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/clock"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"
	"sigs.k8s.io/controller-runtime/pkg/client/interceptor"

	"github.com/naosu-dev/naosu/internal/record"
)

const (
	namespace  = "naosu-system"
	serverName = "naosu-controller"
	day        = 24 * time.Hour
)

var start = time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC)

// world is an API server and a clock.
type world struct {
	t      testing.TB
	client client.WithWatch
	clock  *clocktesting.FakeClock
}

func newWorld(t testing.TB) *world {
	t.Helper()
	scheme := runtime.NewScheme()
	if err := corev1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	return &world{t, fake.NewClientBuilder().WithScheme(scheme).Build(), clocktesting.NewFakeClock(start)}
}

// manager is that of one replica, whose requests pass through funcs.
func (w *world) manager(funcs interceptor.Funcs) *Manager {
	through := interceptor.NewClient(w.client, funcs)
	return &Manager{
		Store:      &record.Records{Client: through, Reader: through, Namespace: namespace, Clock: w.clock},
		ServerName: serverName, Clock: w.clock, Log: logr.Discard(),
	}
}

func (w *world) update(all ...*Manager) {
	w.t.Helper()
	for _, m := range all {
		if err := m.update(w.t.Context()); err != nil {
			w.t.Fatal(err)
		}
	}
}

// bundle is what the ConfigMap publishes, empty if there is none.
func (w *world) bundle() string {
	w.t.Helper()
	var found corev1.ConfigMap
	err := w.client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: record.HeartbeatCAName}, &found)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return found.Data["ca.crt"]
}

func (w *world) secret() map[string][]byte {
	w.t.Helper()
	var found corev1.Secret
	err := w.client.Get(w.t.Context(), client.ObjectKey{Namespace: namespace, Name: record.HeartbeatCAName}, &found)
	if client.IgnoreNotFound(err) != nil {
		w.t.Fatal(err)
	}
	return found.Data
}

// put replaces an object, as a person or an attacker would.
func (w *world) put(object client.Object) {
	w.t.Helper()
	object.SetNamespace(namespace)
	object.SetName(record.HeartbeatCAName)
	err := w.client.Update(w.t.Context(), object)
	if apierrors.IsNotFound(err) {
		err = w.client.Create(w.t.Context(), object)
	}
	if err != nil {
		w.t.Fatal(err)
	}
}

// verify returns the chain by which an agent with a bundle accepts the current certificate of a replica.
func verify(m *Manager, bundle string, now time.Time) (chain []*x509.Certificate, err error) {
	certificate, err := m.GetCertificate(nil)
	if err != nil {
		return nil, err
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(bundle))
	chains, err := certificate.Leaf.Verify(x509.VerifyOptions{Roots: roots, DNSName: serverName, CurrentTime: now, KeyUsages: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}})
	if err != nil {
		return nil, err
	}
	return chains[0], nil
}

func (w *world) verify(all ...*Manager) {
	w.t.Helper()
	for i, m := range all {
		if _, err := verify(m, w.bundle(), w.clock.Now()); err != nil {
			w.t.Errorf("replica %d: %v", i, err)
		}
	}
}

// certificates counts those in a bundle.
func certificates(bundle string) int { return strings.Count(bundle, "BEGIN CERTIFICATE") }

func TestFirstStart(t *testing.T) {
	w := newWorld(t)
	a, b := w.manager(interceptor.Funcs{}), w.manager(interceptor.Funcs{})
	if _, err := a.GetCertificate(nil); err == nil {
		t.Error("there is a certificate before anything was stored")
	}
	w.update(a, b, a, b)
	w.verify(a, b)
	if n := certificates(w.bundle()); n != 1 {
		t.Errorf("%d authorities, want 1", n)
	}
	if strings.Contains(w.bundle(), "KEY") {
		t.Error("a key is published")
	}
	if _, err := verify(a, w.bundle(), w.clock.Now()); err != nil {
		t.Error(err)
	}
}

// Of managers that begin at once, all take the authority of one.
func TestRace(t *testing.T) {
	const replicas = 4
	w := newWorld(t)
	// Nobody writes before all have read.
	var read sync.WaitGroup
	read.Add(replicas)
	var all []*Manager
	for range replicas {
		first := sync.OnceFunc(func() { read.Done(); read.Wait() })
		all = append(all, w.manager(interceptor.Funcs{
			Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
				first()
				return c.Create(ctx, o, opts...)
			},
		}))
	}
	var done sync.WaitGroup
	for _, m := range all {
		done.Go(func() {
			if err := m.update(t.Context()); err != nil {
				t.Error(err)
			}
		})
	}
	done.Wait()
	if n := certificates(w.bundle()); n != 1 {
		t.Errorf("%d authorities, want 1", n)
	}
	w.verify(all...)
}

// A replica that was stopped between reading and writing does not undo what another has published meanwhile.
func TestStaleWriter(t *testing.T) {
	w := newWorld(t)
	other := w.manager(interceptor.Funcs{})
	w.update(other)
	w.clock.Step(authorityRenewal - time.Hour)
	stopped := false
	slow := w.manager(interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
		err := c.Get(ctx, key, o, opts...)
		if _, ok := o.(*corev1.Secret); ok && !stopped {
			stopped = true
			w.put(&corev1.ConfigMap{Data: map[string]string{"ca.crt": "damaged"}}) // So that there is something to write.
			w.clock.Step(2 * time.Hour)
			w.update(other)
		}
		return err
	}})
	w.update(slow)
	if n := certificates(w.bundle()); n != 2 {
		t.Errorf("%d authorities are published, want 2", n)
	}
	w.verify(other, slow)
}

func TestRotation(t *testing.T) {
	w := newWorld(t)
	m := w.manager(interceptor.Funcs{})
	w.update(m)
	old := w.bundle()
	steps := []struct {
		name   string
		step   time.Duration
		want   int  // How many authorities are published.
		signed bool // The old one has signed the certificate.
	}{
		{"just before", authorityRenewal - time.Second, 1, true},
		{"the next is made", time.Second, 2, true},
		{"it is not yet published long enough", publishedFor - time.Second, 2, true},
		{"it signs", time.Second, 2, false},
		{"the old one is about to expire", authorityLifetime - authorityRenewal - publishedFor - time.Second, 2, false},
		{"the old one has expired", time.Second, 1, false},
	}
	for _, s := range steps {
		w.clock.Step(s.step)
		w.update(m)
		if got := certificates(w.bundle()); got != s.want {
			t.Errorf("%s: %d authorities, want %d", s.name, got, s.want)
		}
		if _, err := verify(m, old, w.clock.Now()); (err == nil) != s.signed {
			t.Errorf("%s: with the old authority: %v, want that it signs: %t", s.name, err, s.signed)
		}
		w.verify(m)
	}
}

// A replica that starts with two authorities signs with the one that agents have known longest, unless that expires soon.
func TestStartDuringRotation(t *testing.T) {
	for name, test := range map[string]struct {
		left   time.Duration // For how long the old authority is still valid.
		signed bool          // It signs.
	}{
		"early": {authorityLifetime - authorityRenewal - time.Second, true},
		"late":  {publishedFor, false},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			other := w.manager(interceptor.Funcs{})
			w.update(other)
			old := w.bundle()
			w.clock.Step(authorityRenewal)
			w.update(other)
			w.clock.Step(authorityLifetime - authorityRenewal - test.left)
			started := w.manager(interceptor.Funcs{})
			w.update(started)
			if _, err := verify(started, old, w.clock.Now()); (err == nil) != test.signed {
				t.Errorf("with the old authority: %v, want that it signs: %t", err, test.signed)
			}
			w.verify(started)
		})
	}
}

func TestServingCertificate(t *testing.T) {
	w := newWorld(t)
	m := w.manager(interceptor.Funcs{})
	current := func() *tls.Certificate {
		t.Helper()
		w.update(m)
		found, err := m.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	first := current()
	if got := first.Leaf.NotAfter; !got.Equal(start.Add(servingLifetime)) {
		t.Errorf("it is valid until %v", got)
	}
	w.clock.Step(servingLifetime/2 - time.Second)
	if current() != first {
		t.Error("it is replaced before half of its time is over")
	}
	w.clock.Step(time.Second)
	if current() == first {
		t.Error("it is not replaced when half of its time is over")
	}
	// Nothing was updated for long.
	w.clock.Step(servingLifetime)
	if _, err := m.GetCertificate(nil); err == nil {
		t.Error("one that has expired is served")
	}
	// Another name is not vouched for.
	if err := current().Leaf.VerifyHostname("kubernetes.default.svc"); err == nil {
		t.Error("it is for any name")
	}
	all := parse(w.secret()["ca.crt"], w.secret()["ca.key"], w.clock.Now(), serverName)
	other, err := all[0].serve(w.clock.Now(), "kubernetes.default.svc")
	if err != nil {
		t.Fatal(err)
	}
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM([]byte(w.bundle()))
	if _, err := other.Leaf.Verify(x509.VerifyOptions{Roots: roots, CurrentTime: w.clock.Now()}); err == nil {
		t.Error("the authority may vouch for another name")
	}
}

// What was damaged, or put there by others, is replaced by the next update.
func TestRepair(t *testing.T) {
	w := newWorld(t)
	foreign := newWorld(t)
	foreign.update(foreign.manager(interceptor.Funcs{}))
	future, err := newAuthority(start.Add(maxAhead+2*time.Hour), serverName)
	if err != nil {
		t.Fatal(err)
	}
	renamed, err := newAuthority(start, "other")
	if err != nil {
		t.Fatal(err)
	}
	encoded := func(all ...authority) *corev1.Secret {
		certificates, keys, err := encode(all)
		if err != nil {
			t.Fatal(err)
		}
		return &corev1.Secret{Data: map[string][]byte{"ca.crt": certificates, "ca.key": keys}}
	}
	ours := w.manager(interceptor.Funcs{})
	w.update(ours)
	good := w.secret()
	join := func(a, b []byte) []byte { return append(append([]byte{}, a...), b...) }
	tests := map[string]struct {
		put  client.Object
		kept bool // The authority stays the same.
	}{
		"the ConfigMap is emptied":                 {&corev1.ConfigMap{}, true},
		"the ConfigMap is damaged":                 {&corev1.ConfigMap{Data: map[string]string{"ca.crt": "-----BEGIN CERTIFICATE-----\nAAAA"}}, true},
		"the ConfigMap has an authority of others": {&corev1.ConfigMap{Data: map[string]string{"ca.crt": foreign.bundle()}}, true},
		"the ConfigMap has one of others, too":     {&corev1.ConfigMap{Data: map[string]string{"ca.crt": w.bundle() + foreign.bundle()}}, true},
		"the ConfigMap has binary data":            {&corev1.ConfigMap{BinaryData: map[string][]byte{"ca.crt": {0xff}}}, true},
		"the Secret is emptied":                    {&corev1.Secret{}, false},
		"the Secret is damaged":                    {&corev1.Secret{Data: map[string][]byte{"ca.crt": {0, 0xff}, "ca.key": []byte("-----BEGIN PRIVATE KEY-----\nAA==\n-----END PRIVATE KEY-----\n")}}, false},
		"the Secret has no key":                    {&corev1.Secret{Data: map[string][]byte{"ca.crt": good["ca.crt"]}}, false},
		"the Secret has the key of another":        {&corev1.Secret{Data: map[string][]byte{"ca.crt": good["ca.crt"], "ca.key": foreign.secret()["ca.key"]}}, false},
		"the Secret has garbage, too":              {&corev1.Secret{Data: map[string][]byte{"ca.crt": join([]byte("x\n"), good["ca.crt"]), "ca.key": good["ca.key"]}}, true},
		"the Secret has one twice":                 {&corev1.Secret{Data: map[string][]byte{"ca.crt": join(good["ca.crt"], good["ca.crt"]), "ca.key": join(good["ca.key"], good["ca.key"])}}, true},
		"the Secret has a serving certificate":     {encoded(authority{ours.current.Leaf, ours.authorities[0].key}), false},
		"the Secret has one of the far future":     {encoded(future), false},
		"the Secret has one for another name":      {encoded(renamed), false},
		"the Secret has one for another name, too": {encoded(ours.authorities[0], renamed), true},
		"the Secret has another key, which goes":   {&corev1.Secret{Data: map[string][]byte{"ca.crt": good["ca.crt"], "ca.key": good["ca.key"], "tls.key": []byte("x")}}, true},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			w.put(&corev1.Secret{Data: good})
			a, b := w.manager(interceptor.Funcs{}), w.manager(interceptor.Funcs{})
			w.update(a, b)
			before := w.bundle()
			w.put(test.put)
			w.update(a, b, w.manager(interceptor.Funcs{}))
			w.verify(a, b)
			if got := w.bundle() == before; got != test.kept {
				t.Errorf("the authority stays: %t, want %t", got, test.kept)
			}
			if n := certificates(w.bundle()); n != 1 {
				t.Errorf("%d authorities, want 1", n)
			}
			if len(w.secret()) != 2 {
				t.Errorf("the Secret has %d keys, want 2", len(w.secret()))
			}
		})
	}
}

// Whatever is refused, what works goes on, and all is well once nothing is refused any more.
func TestRefused(t *testing.T) {
	forbidden := errors.New("forbidden")
	var refuse func(verb string, o client.Object) bool
	funcs := interceptor.Funcs{
		Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if refuse("get", o) {
				return forbidden
			}
			return c.Get(ctx, key, o, opts...)
		},
		Create: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.CreateOption) error {
			if refuse("write", o) {
				return forbidden
			}
			return c.Create(ctx, o, opts...)
		},
		Update: func(ctx context.Context, c client.WithWatch, o client.Object, opts ...client.UpdateOption) error {
			if refuse("write", o) {
				return forbidden
			}
			return c.Update(ctx, o, opts...)
		},
	}
	is := func(verb, kind string) func(string, client.Object) bool {
		return func(v string, o client.Object) bool {
			_, secret := o.(*corev1.Secret)
			return v == verb && (kind == "" || secret == (kind == "Secret"))
		}
	}
	for name, refused := range map[string]func(string, client.Object) bool{
		"all":                          func(string, client.Object) bool { return true },
		"the Secret is not read":       is("get", "Secret"),
		"the Secret is not written":    is("write", "Secret"),
		"the ConfigMap is not read":    is("get", "ConfigMap"),
		"the ConfigMap is not written": is("write", "ConfigMap"),
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			m := w.manager(funcs)
			refuse = refused
			for range 3 {
				if err := m.update(t.Context()); !errors.Is(err, forbidden) {
					t.Errorf("%v, want that it is forbidden", err)
				}
				if _, err := m.GetCertificate(nil); !errors.Is(err, forbidden) {
					t.Errorf("at first: %v, want that it is forbidden", err)
				}
			}
			refuse = is("none", "none")
			w.update(m)
			w.verify(m)
			refuse = refused
			for range 20 {
				w.clock.Step(servingLifetime / 2)
				m.update(t.Context()) //nolint:errcheck // Where nothing is to be written, nothing is refused.
				w.verify(m)
			}
			// It does not sign with the next authority before agents know it.
			w.clock.Step(authorityRenewal)
			for range 3 {
				m.update(t.Context()) //nolint:errcheck // Likewise.
				w.verify(m)
				w.clock.Step(publishedFor)
			}
			refuse = is("none", "none")
			w.update(m)
			w.verify(m)
		})
	}
}

// Run makes a certificate once the API server can be reached, and goes on making them.
func TestRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var down atomic.Bool
		down.Store(true)
		began := time.Now()
		w := newWorld(t)
		through := interceptor.NewClient(w.client, interceptor.Funcs{Get: func(ctx context.Context, c client.WithWatch, key client.ObjectKey, o client.Object, opts ...client.GetOption) error {
			if down.Load() {
				return errors.New("connection refused")
			}
			return c.Get(ctx, key, o, opts...)
		}})
		m := &Manager{
			Store:      &record.Records{Client: through, Reader: through, Namespace: namespace, Clock: clock.RealClock{}},
			ServerName: serverName, Clock: clock.RealClock{}, Log: logr.Discard(),
		}
		ctx, cancel := context.WithCancel(t.Context())
		ended := make(chan error)
		go func() { ended <- m.Run(ctx) }()
		pass := func(d time.Duration) {
			<-time.After(d)
			synctest.Wait()
		}
		pass(time.Hour)
		if _, err := m.GetCertificate(nil); err == nil || !strings.Contains(err.Error(), "connection refused") {
			t.Errorf("without an API server: %v", err)
		}
		down.Store(false)
		pass(2 * interval)
		first, err := m.GetCertificate(nil)
		if err != nil {
			t.Fatal(err)
		}
		down.Store(true)
		pass(servingLifetime)
		if second, err := m.GetCertificate(nil); err != nil || second == first {
			t.Errorf("after %v: %v, the same: %t", time.Since(began), err, second == first)
		}
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
}
