package repaircheck

import (
	"slices"
	"strings"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// dueSince has the network of n1 be unhealthy for so long, as an agent says it.
func dueSince(f *Facts, since time.Duration, why, text string) {
	for i := range f.Nodes[0].Status.Conditions {
		if c := &f.Nodes[0].Status.Conditions[i]; c.Type == "NetworkingReady" {
			c.Status, c.Reason, c.Message, c.LastTransitionTime = corev1.ConditionFalse, why, text, ago(since)
		}
	}
}

const linkDown = "InterfaceNotUp eth1 since 2026-11-20T14:00:00Z: link eth1 is down"

func TestExpect(t *testing.T) {
	for name, tc := range map[string]struct {
		facts    Facts
		change   func(*Facts)
		known    bool
		awaited  string
		finding  string // its first cause
		findings int
		mute     bool // it says nothing of when
	}{
		"nothing is wrong":         {facts: whole()},
		"a reason that nobody has": {facts: managed(), change: func(f *Facts) { dueSince(f, time.Minute, "SunSpots", "") }},
		"the policy waits": {
			facts: whole(), change: func(f *Facts) { dueSince(f, 4*time.Minute, "InterfaceNotUp", linkDown) },
			known: true, awaited: "(in 6m)",
		},
		"the policy waits, and a person must approve": {
			facts: whole(), change: func(f *Facts) {
				dueSince(f, 4*time.Minute, "InterfaceNotUp", linkDown)
				policyOf(f).Spec.Mode = v1alpha1.ModeApprove
			},
			known: true, awaited: "asks for approval of Reboot",
		},
		"the policy is at it": {
			facts: whole(), change: func(f *Facts) {
				dueSince(f, 12*time.Minute, "InterfaceNotUp", linkDown)
				r := v1alpha1.Remediation{}
				r.Name, r.Spec.Node.UID, r.Status.Phase = "n1-0a", f.Nodes[0].UID, v1alpha1.PhaseRunning
				f.Remediations = append(f.Remediations, r)
			},
			known: true, awaited: "remediation/n1-0a, which is to repair the node, is in the phase Running.",
		},
		"the group's own repair waits": {
			facts: managed(), change: func(f *Facts) { dueSince(f, 10*time.Minute, "InterfaceNotUp", "") },
			known: true, finding: "(in 20m)", findings: 1,
		},
		"the group's own repair never comes": {
			facts: managed(), change: func(f *Facts) { dueSince(f, 40*time.Minute, "InterfaceNotUp", "") },
			known: true, finding: "NetworkingReady has lasted for 40m. group/workers should have performed Replace after 30m, but has not.", findings: 1,
		},
		"nobody noted since when": {
			facts: managed(), change: func(f *Facts) {
				dueSince(f, 0, "InterfaceNotUp", "")
				conditions := f.Nodes[0].Status.Conditions
				at := slices.IndexFunc(conditions, func(c corev1.NodeCondition) bool { return c.Type == "NetworkingReady" })
				conditions[at].LastTransitionTime = metav1.Time{}
			},
			known: true, findings: 1, mute: true,
		},
		"nobody repairs": {
			facts: managed(), change: func(f *Facts) {
				dueSince(f, 40*time.Minute, "InterfaceNotUp", "")
				f.Repairers, f.Own = nil, message.Sentence{}
			},
			known: true, findings: 1,
		},
		"who repairs could not be read": {
			facts: managed(), change: func(f *Facts) { dueSince(f, 40*time.Minute, "InterfaceNotUp", ""); f.Repairers = nil },
		},
	} {
		t.Run(name, func(t *testing.T) {
			if tc.change != nil {
				tc.change(&tc.facts)
			}
			got := Expect(tc.facts, tc.facts.Nodes[0])
			if got.Known != tc.known || len(got.Findings) != tc.findings || (len(got.Awaited) > 0) != (tc.awaited != "") {
				t.Fatalf("%+v", got)
			}
			if tc.awaited != "" && !strings.Contains(message.English().Say(got.Awaited[0].Message), tc.awaited) {
				t.Errorf("it awaits %q, want %q", message.English().Say(got.Awaited[0].Message), tc.awaited)
			}
			for _, f := range got.Findings {
				if tc.mute && len(f.Causes) > 0 {
					t.Errorf("it says %q", message.English().Say(f.Causes[0].Message))
				}
				if f.Code != finding.N302 || tc.finding != "" && !strings.Contains(message.English().Say(f.Causes[0].Message), tc.finding) {
					t.Errorf("%s by %v, want %q", f.Code, f.Causes, tc.finding)
				}
			}
		})
	}
}
