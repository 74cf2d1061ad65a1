package api

import (
	"context"
	"os"
	"path/filepath"
	"testing"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/dynamic"
	"sigs.k8s.io/yaml"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/lab/controlplane"
	"github.com/naosu-dev/naosu/lab/controlplane/testbed"
)

func TestMain(m *testing.M) { testbed.Main(m, controlplane.Options{}) }

// install applies naosu's CRDs and waits until the API server serves them.
func install(t *testing.T) dynamic.Interface {
	t.Helper()
	client, err := dynamic.NewForConfig(testbed.Shared(t).AdminConfig())
	if err != nil {
		t.Fatal(err)
	}
	crds := client.Resource(schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"})
	for _, crd := range definitions(t) {
		if _, err := crds.Create(t.Context(), crd, metav1.CreateOptions{}); err != nil && !apierrors.IsAlreadyExists(err) {
			t.Fatalf("apply %s: %v", crd.GetName(), err)
		}
		names, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "plural")
		resource := client.Resource(v1alpha1.GroupVersion.WithResource(names))
		err := wait.PollUntilContextTimeout(t.Context(), 20*time.Millisecond, testbed.Patience, true, func(ctx context.Context) (bool, error) {
			_, err := resource.List(ctx, metav1.ListOptions{})
			return err == nil, nil
		})
		if err != nil {
			t.Fatalf("wait for %s: %v", crd.GetName(), err)
		}
	}
	return client
}

// definitions are the CRDs as they are shipped.
func definitions(t *testing.T) []*unstructured.Unstructured {
	t.Helper()
	paths, err := filepath.Glob("../../config/crd/*.yaml")
	if err != nil || len(paths) != 6 {
		t.Fatalf("CRDs: %v, %v", paths, err)
	}
	var crds []*unstructured.Unstructured
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		crd := &unstructured.Unstructured{}
		if err := yaml.Unmarshal(data, &crd.Object); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		crds = append(crds, crd)
	}
	return crds
}

func policies(client dynamic.Interface) dynamic.ResourceInterface {
	return client.Resource(v1alpha1.GroupVersion.WithResource("noderepairpolicies"))
}

func remediations(client dynamic.Interface) dynamic.ResourceInterface {
	return client.Resource(v1alpha1.GroupVersion.WithResource("remediations"))
}

// dryRun is how an object is tried and not kept.
var dryRun = metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}, FieldValidation: metav1.FieldValidationStrict}

// TestDefaults reads back, as the Go type, what the API server makes of the least policy.
func TestDefaults(t *testing.T) {
	client := install(t)
	made, err := policies(client).Create(t.Context(), object(t, leastPolicy), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	var policy v1alpha1.NodeRepairPolicy
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, &policy); err != nil {
		t.Fatal(err)
	}
	s := policy.Spec
	for what, ok := range map[string]bool{
		"mode":            s.Mode == v1alpha1.ModeReport,
		"budgets":         s.Budgets.Zone.IntValue() == 1 && s.Budgets.Group.IntValue() == 1 && s.Budgets.Cluster.IntValue() == 1,
		"brake":           s.Brake == v1alpha1.Brake{Nodes: 3, Percent: 20},
		"drain":           s.Drain.Timeout.Duration == 15*time.Minute && s.Drain.Fallback == v1alpha1.DrainGiveUp,
		"verification":    s.Verification.NodeWithin.Duration == 15*time.Minute && s.Verification.Dwell.Duration == 5*time.Minute && s.Verification.PodsWithin.Duration == 10*time.Minute,
		"coolDown":        s.CoolDown.Duration == 10*time.Minute,
		"rememberFailure": s.RememberFailure.Duration == 24*time.Hour,
		"for":             s.Rules[0].For.Duration == 10*time.Minute,
	} {
		if !ok {
			t.Errorf("%s has another default: %+v", what, s)
		}
	}
}

// A policy with selectors only reports, lets pods stay for a minute, and declares no node out of service.
func TestFailoverDefaults(t *testing.T) {
	made, err := install(t).Resource(v1alpha1.GroupVersion.WithResource("failoverpolicies")).Create(t.Context(), object(t, leastFailover), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	var policy v1alpha1.FailoverPolicy
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, &policy); err != nil {
		t.Fatal(err)
	}
	if s := policy.Spec; s.Mode != v1alpha1.ModeReport || s.Paused || s.NotReadySeconds != 60 || s.UnreachableSeconds != 60 || s.OutOfService != v1alpha1.OutOfServiceNever {
		t.Errorf("other defaults: %+v", s)
	}
}

// A policy with selectors only reports, and waits for five minutes.
func TestRebalanceDefaults(t *testing.T) {
	made, err := install(t).Resource(v1alpha1.GroupVersion.WithResource("rebalancepolicies")).Create(t.Context(), object(t, leastRebalance), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	var policy v1alpha1.RebalancePolicy
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, &policy); err != nil {
		t.Fatal(err)
	}
	s := policy.Spec
	if s.Mode != v1alpha1.ModeReport || s.Paused || s.MaxSharePercent != 33 || s.DwellSeconds != v1alpha1.DefaultDwellSeconds || s.MaxEvictions != v1alpha1.DefaultPolicyEvictions {
		t.Errorf("other defaults: %+v", s)
	}
}

// A policy without anything only reports, and warns below a tenth.
func TestAddressDefaults(t *testing.T) {
	made, err := install(t).Resource(v1alpha1.GroupVersion.WithResource("addresspolicies")).Create(t.Context(), object(t, leastAddresses), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	var policy v1alpha1.AddressPolicy
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, &policy); err != nil {
		t.Fatal(err)
	}
	s := policy.Spec
	if s.Mode != v1alpha1.ModeReport || s.Paused || *s.LowBelowPercent != v1alpha1.DefaultLowBelowPercent || *s.ClearFromPercent != v1alpha1.DefaultClearFromPercent ||
		s.MinAgeSeconds != v1alpha1.DefaultMinAgeSeconds || s.ObservationSeconds != v1alpha1.DefaultObservationSeconds || s.MaxDeletions != v1alpha1.DefaultPolicyDeletions {
		t.Errorf("other defaults: %+v", s)
	}
}

func object(t *testing.T, text string) *unstructured.Unstructured {
	t.Helper()
	o := &unstructured.Unstructured{}
	if err := yaml.Unmarshal([]byte(text), &o.Object); err != nil {
		t.Fatal(err)
	}
	return o
}

// A policy with the failures and a maximum only reports, and has cluster-autoscaler ignore its placeholder pods.
func TestHeadroomDefaults(t *testing.T) {
	made, err := install(t).Resource(v1alpha1.GroupVersion.WithResource("headroompolicies")).Create(t.Context(), object(t, leastHeadroom), dryRun)
	if err != nil {
		t.Fatal(err)
	}
	var policy v1alpha1.HeadroomPolicy
	if err := runtime.DefaultUnstructuredConverter.FromUnstructured(made.Object, &policy); err != nil {
		t.Fatal(err)
	}
	s := policy.Spec
	if s.Mode != v1alpha1.ModeReport || s.Paused || s.Autoscaling != v1alpha1.AutoscalingIgnore || *s.MaxRoom.Placeholders != v1alpha1.DefaultPlaceholders ||
		*s.Resize.LackSeconds != v1alpha1.DefaultLackSeconds || *s.Resize.ExcessPercent != v1alpha1.DefaultExcessPercent || *s.Resize.ExcessMinutes != v1alpha1.DefaultExcessMinutes {
		t.Errorf("other defaults: %+v", s)
	}
}
