package cli

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/finding"
)

// TestWhyTellsWhoRepairs asks about a node that is not healthy: who was to repair it and has not, in place of the question.
func TestWhyTellsWhoRepairs(t *testing.T) {
	withoutCloud(t)
	objects := ofAWS(true)
	conditions := objects[0].(*corev1.Node).Status.Conditions
	at := slices.IndexFunc(conditions, func(c corev1.NodeCondition) bool { return c.Type == "NetworkingReady" })
	conditions[at].Status, conditions[at].Reason = corev1.ConditionFalse, "InterfaceNotUp"
	conditions[at].Message = "InterfaceNotUp eth1 since 2026-11-20T14:00:00Z: link eth1 is down"
	conditions[at].LastTransitionTime = metav1.NewTime(time.Now().Add(-time.Hour))
	host := (&clustertest.API{Objects: append(objects, noRoom())}).Serve(t)

	answer := tell(t, "why", "node/n1", "--server", host)
	var codes []finding.Code
	for _, f := range answer.Findings {
		codes = append(codes, f.Code)
		if f.Code == finding.N302 && (!strings.Contains(f.Message, "10%") || !strings.Contains(f.Causes[0].Message, "has lasted for 60m")) {
			t.Errorf("%s by %v", f.Message, f.Causes)
		}
	}
	if !slices.Equal(codes, []finding.Code{finding.N301, finding.N302}) {
		t.Errorf("it finds %v", codes)
	}
	if page := run(t, "why", "node/n1", "--server", host); strings.Contains(page, "whether anything repairs") {
		t.Errorf("what is answered is asked still:\n%s", page)
	}
	for _, f := range tell(t, "why", "node/n2", "--server", host).Findings {
		t.Errorf("of a healthy node it tells %s", f.Message)
	}
}
