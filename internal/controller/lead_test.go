package controller

import (
	"testing"
	"time"

	coordinationv1 "k8s.io/api/coordination/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	clientset "k8s.io/client-go/kubernetes/fake"
	"k8s.io/client-go/rest"
	clocktesting "k8s.io/utils/clock/testing"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/record"
)

func TestHeld(t *testing.T) {
	elected, waiting := make(chan struct{}), make(chan struct{})
	close(elected)
	for name, tc := range map[string]struct {
		elect   bool
		elected chan struct{}
		holder  string // "self" is this process
		want    bool
	}{
		"elected":                                {true, elected, "self", true},
		"elected, but another holds it now":      {true, elected, "another", false},
		"elected, but the lease is gone":         {true, elected, "", false},
		"the lease names it, but it is not told": {true, waiting, "self", false},
		"without election, before it runs":       {false, waiting, "", false},
		"without election":                       {false, elected, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			api := fake.NewClientBuilder().WithScheme(scheme).Build()
			l, err := newLeadership(&rest.Config{Host: "http://127.0.0.1:1"}, api, Options{LeaderElect: tc.elect, Namespace: "naosu-system"})
			if err != nil {
				t.Fatal(err)
			}
			l.elected = tc.elected
			if tc.holder == "self" {
				tc.holder = l.lock.Identity()
			}
			if tc.holder != "" {
				lease := &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "naosu-system", Name: record.LeaseName}, Spec: coordinationv1.LeaseSpec{HolderIdentity: &tc.holder}}
				if err := api.Create(t.Context(), lease); err != nil {
					t.Fatal(err)
				}
			}
			if got, err := l.holdsLease(t.Context()); err != nil || got != tc.want {
				t.Errorf("held %v (%v), want %v", got, err, tc.want)
			}
		})
	}
}

// Readiness is denied until everything was read, and again when what was read is old.
func TestReadiness(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Date(2026, 3, 4, 12, 0, 0, 0, time.UTC))
	w, err := newWatch(clientset.NewClientset(), clock)
	if err != nil {
		t.Fatal(err)
	}
	if w.checkReady(nil) == nil {
		t.Error("ready, though nothing was read")
	}
	w.hasSynced.Store(true)
	if w.checkReady(nil) == nil {
		t.Error("ready, though the server has never answered")
	}
}

// naosu's own objects come from the cache, all else from the API server.
func TestSplit(t *testing.T) {
	named := func(name string) *fake.ClientBuilder {
		return fake.NewClientBuilder().WithScheme(scheme).WithObjects(
			&v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: name}}, &coordinationv1.Lease{ObjectMeta: metav1.ObjectMeta{Namespace: "n", Name: name}},
		)
	}
	both := splitClient{named("direct").Build(), named("cached").Build()}
	var own v1alpha1.RemediationList
	var others coordinationv1.LeaseList
	for _, list := range []client.ObjectList{&own, &others} {
		if err := both.List(t.Context(), list); err != nil {
			t.Fatal(err)
		}
	}
	if own.Items[0].Name != "cached" || others.Items[0].Name != "direct" {
		t.Errorf("listed %s and %s", own.Items[0].Name, others.Items[0].Name)
	}
	if err := both.Get(t.Context(), client.ObjectKey{Name: "cached"}, &v1alpha1.Remediation{}); err != nil {
		t.Error(err)
	}
	if err := both.Get(t.Context(), client.ObjectKey{Namespace: "n", Name: "direct"}, &coordinationv1.Lease{}); err != nil {
		t.Error(err)
	}
}
