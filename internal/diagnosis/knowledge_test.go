package diagnosis_test

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestKnowledge sees to it that what may not be read becomes a stated unknown: of the finding where it stands without,
// of the answer where it does not.
func TestKnowledge(t *testing.T) {
	for name, tc := range map[string]struct {
		input string
		// lost kinds, and how.
		lost map[cluster.Kind]cluster.Knowledge
		// want is the finding's code, empty if there is none.
		want finding.Code
		// about names the gaps, of the finding or else the answer.
		about []string
		// notModelled is how many gaps the judge's answer has, if more than the default profile.
		notModelled int
	}{
		"volumes forbidden": {
			input: "stranded", lost: map[cluster.Kind]cluster.Knowledge{cluster.PersistentVolume: cluster.Forbidden},
			about: []string{"PersistentVolume"},
		},
		"nodes forbidden": {
			input: "stranded", lost: map[cluster.Kind]cluster.Knowledge{cluster.Node: cluster.Forbidden},
			about: []string{"Node", "Node"}, // for N101 and N504
		},
		"claims not read": {
			input: "stranded", lost: map[cluster.Kind]cluster.Knowledge{cluster.PersistentVolumeClaim: cluster.Absent},
			about: []string{"PersistentVolumeClaim"},
		},
		"attachments and events forbidden": {
			input: "stranded",
			lost: map[cluster.Kind]cluster.Knowledge{
				cluster.VolumeAttachment: cluster.Forbidden, cluster.Event: cluster.Forbidden, cluster.StorageClass: cluster.Forbidden,
			},
			want:  finding.N101,
			about: []string{"StorageClass", "VolumeAttachment", "Event"},
		},
		"a pod without claims needs no volumes": {
			input: "no-claims", lost: map[cluster.Kind]cluster.Knowledge{cluster.PersistentVolume: cluster.Forbidden},
			want: finding.N504,
		},
		"only the namespace's pods": {
			input: "stranded", lost: map[cluster.Kind]cluster.Knowledge{cluster.Pod: cluster.Partial},
			want: finding.N101,
		},
		"attachments forbidden, and no claim in a zone": {
			input: "local-disk", lost: map[cluster.Kind]cluster.Knowledge{cluster.VolumeAttachment: cluster.Forbidden},
			want: finding.N504, notModelled: 2, // and the default profile, as always
		},
	} {
		t.Run(name, func(t *testing.T) {
			known := everything()
			maps.Copy(known, tc.lost)
			objects := slices.DeleteFunc(clustertest.Load(t, "testdata/"+tc.input+".yaml"), func(o runtime.Object) bool {
				how, lost := tc.lost[cluster.Kind(o.GetObjectKind().GroupVersionKind().Kind)]
				return lost && how != cluster.Partial
			})
			got := explain(t, objects, known)
			if tc.notModelled > 0 && len(got.NotModelled) != tc.notModelled {
				t.Errorf("not modelled = %v, want %d", got.NotModelled, tc.notModelled)
			}
			gaps := got.Unknown
			if tc.want != "" {
				if len(got.Findings) != 1 || got.Findings[0].Code != tc.want {
					t.Fatalf("findings = %v, want one %s", got.Findings, tc.want)
				}
				gaps = got.Findings[0].Unknown
			} else if len(got.Findings) != 0 {
				t.Fatalf("findings = %v, want none", got.Findings)
			}
			var about []string
			for _, gap := range gaps {
				if _, isKind := everything()[cluster.Kind(gap.About)]; isKind {
					about = append(about, gap.About)
				}
			}
			if diff := cmp.Diff(tc.about, about); diff != "" {
				t.Errorf("unknown (-want +got):\n%s", diff)
			}
		})
	}
}

// TestOneNamespace: where only one namespace may be read, answers that reach further say so.
func TestOneNamespace(t *testing.T) {
	objects := clustertest.Load(t, "testdata/stranded.yaml")
	node := &change.Ref{Kind: string(cluster.Node), Name: cluster.New(cluster.Contents{Objects: objects}).Nodes()[0].Name}
	for known, want := range map[cluster.Knowledge]bool{cluster.Partial: true, cluster.Complete: false} {
		knowledge := everything()
		knowledge[cluster.Pod], knowledge[cluster.ConfigMap] = known, cluster.Partial
		q := question(t, objects, knowledge, node)
		for answer, gaps := range map[string][]finding.Gap{
			"why node": diagnosis.Explain(t.Context(), q).Unknown,
			"why":      diagnosis.Overview(t.Context(), q, diagnosis.Scope{Namespace: "elsewhere"}).Unknown,
			"audit":    diagnosis.Audit(t.Context(), q, nil).Unknown,
		} {
			said := slices.ContainsFunc(gaps, func(g finding.Gap) bool {
				return strings.Contains(message.English().Say(g.Message), "Only the Pod objects of one namespace are known")
			})
			if said != want {
				t.Errorf("%s with pods %s: unknown %v", answer, known, gaps)
			}
		}
	}
}
