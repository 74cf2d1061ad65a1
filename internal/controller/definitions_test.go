package controller

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-logr/logr"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/discovery/fake"
	clienttesting "k8s.io/client-go/testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// TestWaitForDefinitions has an API server that serves naosu's definitions late, in part, or never.
func TestWaitForDefinitions(t *testing.T) {
	all := []string{v1alpha1.AddressPolicyKind, v1alpha1.FailoverPolicyKind, v1alpha1.HeadroomPolicyKind, v1alpha1.NodeRepairPolicyKind, v1alpha1.RebalancePolicyKind, "Remediation"}
	for name, tc := range map[string]struct {
		before, after []string
		changes       time.Duration
		stops         time.Duration
		want          error
		wantTime      time.Duration
	}{
		"served":                {before: all, changes: time.Hour},
		"served a moment later": {after: all, changes: 5500 * time.Millisecond, wantTime: 6 * time.Second},
		"an older version's":    {before: all[1:], after: all, changes: 500 * time.Millisecond, wantTime: time.Second},
		"never":                 {changes: time.Hour, want: ErrNoDefinitions, wantTime: definitionsTimeout},
		"stopped":               {changes: time.Hour, stops: 2500 * time.Millisecond, want: context.DeadlineExceeded, wantTime: 2500 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx := t.Context()
				if tc.stops > 0 {
					var cancel context.CancelFunc
					ctx, cancel = context.WithTimeout(ctx, tc.stops)
					defer cancel()
				}
				began := time.Now()
				server := &clienttesting.Fake{}
				server.AddReactor("get", "resource", func(clienttesting.Action) (bool, runtime.Object, error) {
					server.Resources = servedKinds(tc.before)
					if time.Since(began) >= tc.changes {
						server.Resources = servedKinds(tc.after)
					}
					return false, nil, nil
				})
				err := waitForDefinitions(ctx, &fake.FakeDiscovery{Fake: server}, logr.Discard())
				if !errors.Is(err, tc.want) || time.Since(began) != tc.wantTime {
					t.Errorf("%v after %s, want %v after %s", err, time.Since(began), tc.want, tc.wantTime)
				}
			})
		})
	}
}

// servedKinds is what an API server that serves these kinds of naosu's says of them.
func servedKinds(kinds []string) []*metav1.APIResourceList {
	if len(kinds) == 0 {
		return nil
	}
	list := &metav1.APIResourceList{GroupVersion: v1alpha1.GroupVersion.String()}
	for _, kind := range kinds {
		list.APIResources = append(list.APIResources, metav1.APIResource{Kind: kind})
	}
	return []*metav1.APIResourceList{list}
}
