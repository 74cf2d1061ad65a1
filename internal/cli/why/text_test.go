package why

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cli/input"
	"github.com/naosu-dev/naosu/internal/cli/output"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	"github.com/naosu-dev/naosu/internal/scheduling"
)

// Evidence that is later than the Snapshot has a time and no age: clocks may differ, or the Snapshot took long.
func TestEvidenceAge(t *testing.T) {
	for after, want := range map[time.Duration]string{
		-time.Hour:             "(60m ago)",
		0:                      "(0s ago)",
		500 * time.Millisecond: "(0s ago)",
		90 * time.Second:       "(" + now.Add(90*time.Second).UTC().Format(time.DateTime) + " UTC)",
	} {
		var page bytes.Buffer
		e := finding.Evidence{Object: change.Ref{Kind: "Node", Name: "n0"}, Field: "spec.taints", Value: "x", Time: new(metav1.NewTime(now.Add(after)))}
		w := writer{output.NewPageOf(&page, 80, false), message.English(), now}
		if got := w.evidence(e); !strings.Contains(got, want) {
			t.Errorf("%s after the Snapshot: %q lacks %q", after, got, want)
		}
	}
}

// Fifty broken things are told on one screen, their causes in two lines each.
func TestManyBrokenThingsOnOneScreen(t *testing.T) {
	objects := []runtime.Object{&corev1.Node{
		ObjectMeta: metav1.ObjectMeta{Name: "n0"},
		Status:     corev1.NodeStatus{Conditions: []corev1.NodeCondition{{Type: corev1.NodeReady, Status: corev1.ConditionTrue}}},
	}}
	for i := range 50 {
		letters := strings.Repeat(string(rune('a'+i%26)), 1+i/26) // Numbers would be taken for amounts.
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("web-%d", i), Namespace: fmt.Sprintf("shop-%d", i), UID: types.UID(strconv.Itoa(i))}}
		pod.Status.Phase = corev1.PodPending
		pod.Spec.NodeName = "n0"
		pod.Spec.Containers = []corev1.Container{{Name: "app", Image: "registry.example/" + letters}}
		reasons := []string{"ImagePullBackOff", "CrashLoopBackOff", "CreateContainerConfigError", "InvalidImageName", "RunContainerError"}
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: "app", Image: pod.Spec.Containers[0].Image, State: corev1.ContainerState{
			Waiting: &corev1.ContainerStateWaiting{Reason: reasons[i%len(reasons)], Message: letters},
		}}}
		objects = append(objects, pod)
	}
	known := map[cluster.Kind]cluster.Knowledge{}
	for _, kind := range cluster.Kinds() {
		known[kind] = cluster.Complete
	}
	world := cluster.New(cluster.Contents{Objects: objects, Knowledge: known, Taken: now, Server: "v1.36.3"})
	judge, err := scheduling.New(t.Context(), world, scheduling.Options{})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	found := diagnosis.Overview(t.Context(), query.Query{World: world, Judge: judge}, diagnosis.Scope{})
	if err := writeOverview(t.Context(), output.NewPageOf(&out, 80, false), input.Input{World: world, Say: message.English()}, diagnosis.Scope{}, found); err != nil {
		t.Fatal(err)
	}
	_, causes, _ := strings.Cut(out.String(), "\n1. ")
	if lines := strings.Count(causes, "\n"); lines > screen || !strings.Contains(causes, "\n2. ") {
		t.Errorf("the causes take %d lines, of %d:\n%s", lines, screen, out.String())
	}
}
