package fates_test

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/message/sentence"
	"github.com/naosu-dev/naosu/internal/simulation/internal/fates"
	"github.com/naosu-dev/naosu/internal/simulation/outcome"
)

func pod(name, node string) *corev1.Pod {
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{Namespace: "default", Name: name}, Spec: corev1.PodSpec{NodeName: node}}
}

func ref(name string) change.Ref { return change.Ref{Kind: "Pod", Namespace: "default", Name: name} }

func TestRecords(t *testing.T) {
	why := sentence.FateScaled()
	for name, tc := range map[string]struct {
		happens func(*fates.Records)
		want    []outcome.Fate
	}{
		"a pod is told by the name it had": {
			func(r *fates.Records) {
				r.Replace(pod("a", "n1"), pod("b", ""))
				r.Replace(pod("b", ""), pod("c", ""))
				r.MarkRunning(pod("c", ""), "n2", time.Minute)
			},
			[]outcome.Fate{{Kind: outcome.Moved, Pod: ref("a"), From: "n1", To: "n2", Until: time.Minute}},
		},
		"the replacement of a preempted pod has a fate of its own": {
			func(r *fates.Records) {
				r.MarkPreempted(pod("a", "n1"), ref("strong"), 0)
				r.Replace(pod("a", "n1"), pod("b", ""))
				r.MarkRunning(pod("b", ""), "n2", 0)
			},
			[]outcome.Fate{{Kind: outcome.Preempted, Pod: ref("a"), From: "n1", By: ref("strong")}, {Kind: outcome.Created, Pod: ref("b"), To: "n2"}},
		},
		"a pod that was pending still is": {
			func(r *fates.Records) { r.MarkWaiting(pod("a", "")) }, []outcome.Fate{},
		},
		"a pod that came and went": {
			func(r *fates.Records) {
				r.Begin(pod("a", ""))
				r.End(pod("a", ""), outcome.Ended, why, 0)
			}, []outcome.Fate{},
		},
		"a pod that ended": {
			func(r *fates.Records) { r.End(pod("a", "n1"), outcome.Ended, why, 0) },
			[]outcome.Fate{{Kind: outcome.Ended, Pod: ref("a"), From: "n1", Why: why}},
		},
		"a pod that could not leave its node": {
			func(r *fates.Records) { r.MarkStaying(pod("a", "n1"), why) },
			[]outcome.Fate{{Kind: outcome.Waiting, Pod: ref("a"), From: "n1", To: "n1", Why: why}},
		},
		"a pod that was moved and could not leave its new node": {
			func(r *fates.Records) {
				r.Replace(pod("a", "n1"), pod("b", ""))
				r.MarkRunning(pod("b", ""), "n2", 0)
				r.MarkStaying(pod("b", "n2"), why)
			},
			[]outcome.Fate{{Kind: outcome.Moved, Pod: ref("a"), From: "n1", To: "n2"}, {Kind: outcome.Waiting, Pod: ref("b"), From: "n2", To: "n2", Why: why}},
		},
		"one that is removed from there later": {
			func(r *fates.Records) {
				r.Replace(pod("a", "n1"), pod("b", ""))
				r.MarkRunning(pod("b", ""), "n2", 0)
				r.MarkStaying(pod("b", "n2"), why)
				r.End(pod("b", "n2"), outcome.Ended, why, 0)
			},
			[]outcome.Fate{{Kind: outcome.Ended, Pod: ref("a"), From: "n1", Why: why}},
		},
		"one that leaves it later": {
			func(r *fates.Records) {
				r.Replace(pod("a", "n1"), pod("b", ""))
				r.MarkRunning(pod("b", ""), "n2", 0)
				r.MarkStaying(pod("b", "n2"), why)
				r.Replace(pod("b", "n2"), pod("c", ""))
				r.MarkRunning(pod("c", ""), "n3", 0)
			},
			[]outcome.Fate{{Kind: outcome.Moved, Pod: ref("a"), From: "n1", To: "n3"}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			records := fates.New()
			tc.happens(&records)
			if diff := cmp.Diff(tc.want, append([]outcome.Fate{}, records.List()...)); diff != "" {
				t.Errorf("fates (-want +got):\n%s", diff)
			}
		})
	}
}
