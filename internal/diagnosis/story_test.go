package diagnosis_test

import (
	"strings"
	"testing"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/cluster/clustertest"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/compare"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/golden"
	"github.com/naosu-dev/naosu/internal/message"
)

// TestStories asks about the stories whose causes lie outside the Kubernetes API: what it tells, and what it leaves unknown.
func TestStories(t *testing.T) {
	bad := change.Ref{Kind: "Pod", Namespace: "shop", Name: "api-7c9d8b6f5-x2x4p"}
	good := change.Ref{Kind: "Pod", Namespace: "shop", Name: "api-7c9d8b6f5-abcde"}
	for name, tc := range map[string]struct {
		input string
		ask   func(*testing.T, query.Query) any
		about change.Ref
	}{
		"3-repair": {"3-repair", why, change.Ref{Kind: "Node", Name: "ip-10-0-1-11.ec2.internal"}},
		// The author's own method: one that works beside one that does not.
		"4-addresses": {"4-addresses", why, bad},
		"4-unlike":    {"4-addresses", func(t *testing.T, q query.Query) any { return compare.Compare(t.Context(), q, good) }, bad},
	} {
		t.Run(name, func(t *testing.T) {
			view := question(t, clustertest.Load(t, "testdata/stories/"+tc.input+".yaml"), everything(), &tc.about)
			got, err := finding.EncodeJSON(message.English(), tc.ask(t, view))
			if err != nil {
				t.Fatal(err)
			}
			if !strings.Contains(string(got), "The Kubernetes API does not show") && name != "4-unlike" {
				t.Errorf("it does not say what the API leaves unknown: %s", string(got))
			}
			golden.Compare(t, "testdata/stories/"+name+".json", got)
		})
	}
}

func why(t *testing.T, q query.Query) any { return diagnosis.Explain(t.Context(), q) }
