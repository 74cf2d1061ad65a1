package medik8s

import (
	"errors"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime/schema"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cloud"
	"github.com/naosu-dev/naosu/internal/cloud/object/objecttest"
	"github.com/naosu-dev/naosu/internal/message/sentence"
)

var nodes = []cloud.Machine{
	{Node: "a", Labels: map[string]string{"pool": "workers"}},
	{Node: "b", Labels: map[string]string{"pool": "workers"}},
	{Node: "c", Labels: map[string]string{"pool": "gpu"}},
}

// check is a NodeHealthCheck of the workers, with more of its spec and status.
func check(more string) string {
	return `
apiVersion: remediation.medik8s.io/v1alpha1
kind: NodeHealthCheck
metadata: {name: workers, uid: uid-check}
spec:
  selector: {matchLabels: {pool: workers}}
  unhealthyConditions: [{type: Ready, status: Unknown, duration: 300s}]
` + more
}

func TestRepairers(t *testing.T) {
	kinds := []schema.GroupVersionKind{kind.WithVersion("v1alpha1")}
	forbidden := apierrors.NewForbidden(schema.GroupResource{Resource: "nodehealthchecks"}, "", errors.New("no"))
	repairs := []cloud.Repairer{{
		By: change.Ref{Kind: "NodeHealthCheck", Name: "workers"}, Nodes: []string{"a", "b"},
		Rules: []cloud.RepairerRule{{Condition: "Ready", Status: "Unknown", For: 5 * time.Minute}},
	}}
	for name, tc := range map[string]struct {
		options objecttest.Options
		want    []cloud.Repairer
	}{
		"enabled":       {objecttest.Options{Kinds: kinds, Manifests: []string{check("status: {phase: Enabled}")}}, repairs},
		"paused":        {objecttest.Options{Kinds: kinds, Manifests: []string{check("  pauseRequests: [upgrade]")}}, nil},
		"disabled":      {objecttest.Options{Kinds: kinds, Manifests: []string{check("status: {phase: Disabled}")}}, nil},
		"not installed": {objecttest.Options{}, nil},
		"not permitted": {
			objecttest.Options{Kinds: kinds, Faults: map[string]error{"list NodeHealthCheck": forbidden}},
			[]cloud.Repairer{{
				By: change.Ref{Kind: "NodeHealthCheck", Name: "*"}, Nodes: []string{"a", "b", "c"},
				Unknown: sentence.CloudUnread("nodehealthcheck/*", "list NodeHealthCheck.remediation.medik8s.io: "+forbidden.Error()),
			}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := New(objecttest.New(t, tc.options)).Repairers(t.Context(), nodes)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("repairers (-want +got):\n%s", diff)
			}
		})
	}
}
