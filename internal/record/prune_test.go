package record

import (
	"fmt"
	"slices"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client/fake"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// Of each policy, the latest ended Remediations stay, and all that have not ended.
func TestPrune(t *testing.T) {
	scheme := runtime.NewScheme()
	if err := v1alpha1.AddToScheme(scheme); err != nil {
		t.Fatal(err)
	}
	api := fake.NewClientBuilder().WithScheme(scheme)
	begin := time.Date(2026, 11, 26, 12, 0, 0, 0, time.UTC)
	add := func(name, policy string, phase v1alpha1.Phase, age int) {
		r := &v1alpha1.Remediation{ObjectMeta: metav1.ObjectMeta{Name: name, CreationTimestamp: metav1.NewTime(begin.Add(-time.Duration(age) * time.Minute))}}
		r.Spec.Policy.Name, r.Status.Phase = policy, phase
		api.WithObjects(r)
	}
	for i := range maxEnded + 2 {
		add(fmt.Sprintf("a-%03d", i), "a", v1alpha1.PhaseEnded, i)
	}
	add("a-open", "a", v1alpha1.PhaseRunning, 1000)
	add("b-old", "b", v1alpha1.PhaseEnded, 1000)
	r := &Records{Client: api.Build()}
	r.Reader = r.Client
	before, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if open := Open(before); len(open) != 1 || open[0].Name != "a-open" {
		t.Errorf("%d of them are open", len(open))
	}
	if err := r.Prune(t.Context(), before); err != nil {
		t.Fatal(err)
	}
	after, err := r.List(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var gone []string
	for _, one := range before {
		if !slices.ContainsFunc(after, func(r v1alpha1.Remediation) bool { return r.Name == one.Name }) {
			gone = append(gone, one.Name)
		}
	}
	if want := []string{"a-100", "a-101"}; !slices.Equal(gone, want) {
		t.Errorf("deleted %q, want %q", gone, want)
	}
}
