package diagnosis_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/internal/change"
	"github.com/naosu-dev/naosu/internal/diagnosis"
	"github.com/naosu-dev/naosu/internal/diagnosis/query"
	"github.com/naosu-dev/naosu/internal/finding"
	"github.com/naosu-dev/naosu/internal/message"
	w "github.com/naosu-dev/naosu/internal/simulation/testworld"
)

// TestAddressesOfReplacements: of a node that is down, N201 says how many replacements of its pods will wait for an address, where, and why. A node has
// three addresses for pods, and three more if its subnet has four that are free.
func TestAddressesOfReplacements(t *testing.T) {
	web, small := w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1"), w.Template("api", "100m")
	for name, tc := range map[string]struct {
		world w.Objects
		free  map[string]int64
		want  []string
	}{
		"enough are free": {
			world: w.Of(w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n2", "b"), web, w.Deployment("api", small, "n2")), free: map[string]int64{"a": 0, "b": 4},
		},
		"too few are free": {
			world: w.Of(w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n2", "b"), web, w.Deployment("api", small, "n2")), free: map[string]int64{"a": 9, "b": 3},
			want: []string{
				"1 replacement will wait for an address",
				"When the pods of node/n1 are replaced, 1 replacement waits on node/n2 for an address, because too few are free in subnet/subnet-b: pod/web-1-c.",
			},
		},
		"the type allows no more": {
			world: w.Of(
				w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n2", "b"), w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1", "n1", "n1"), w.Deployment("api", small, "n2", "n2", "n2"),
			),
			free: map[string]int64{"a": 9, "b": 9},
			want: []string{
				"2 replacements will wait for an address",
				"When the pods of node/n1 are replaced, 2 replacements wait on node/n2 for an address, because pods use all that the instance type allows: pod/web-1-d and pod/web-1-e.",
			},
		},
		"the node that is down holds them": {
			world: w.Of(w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n2", "a"), web, w.Deployment("api", small, "n2", "n2")), free: map[string]int64{"a": 0},
			want: []string{
				"2 replacements will wait for an address",
				"When the pods of node/n1 are replaced, 2 replacements wait on node/n2 for an address that an instance of a node that is down holds, until it is terminated: pod/web-1-b and pod/web-1-c.",
			},
		},
		"two nodes are down, and their pods compete": {
			world: w.Of(
				w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n3", "b", w.NotReady), w.Node("n2", "c"),
				w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n3", "n3"),
			),
			free: map[string]int64{"a": 0, "b": 0, "c": 0},
			want: []string{
				"1 replacement will wait for an address",
				"When the pods of node/n3 are replaced, 1 replacement waits on node/n2 for an address, because too few are free in subnet/subnet-c: pod/web-1-d.",
			},
		},
		"another CNI": {
			world: w.Of(w.Node("n1", "a", w.NotReady), w.Node("n2", "b"), web, w.Deployment("api", small, "n2")), free: map[string]int64{"a": 0, "b": 0},
		},
	} {
		t.Run(name, func(t *testing.T) {
			judge := tc.world.JudgeOn(t, tc.world.Network(tc.free))
			var got []string
			for _, f := range diagnosis.Audit(t.Context(), query.Query{World: judge.World(), Judge: judge}, nil).Findings {
				if f.Code == finding.N201 {
					got = append(got, aboutAddresses(f)...)
				}
			}
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// aboutAddresses is what a finding of a node that is down says of addresses.
func aboutAddresses(f finding.Finding) []string {
	var said []string
	parts, _ := f.Message.Args["parts"].(message.List)
	for _, part := range parts {
		if one, is := part.(message.Sentence); is && one.ID == message.DownAddressPart {
			said = append(said, message.English().Say(one))
		}
	}
	for _, link := range f.Causes {
		if slices.Contains([]message.ID{message.DownAddressSubnets, message.DownAddressLimit, message.DownAddressOnceGone}, link.Message.ID) {
			if len(link.Evidence) == 0 {
				said = append(said, "no evidence")
			}
			said = append(said, message.English().Say(link.Message))
		}
	}
	return said
}

// TestNodeDownHoldsAddresses: what is asked about one node that is down says so, too.
func TestNodeDownHoldsAddresses(t *testing.T) {
	world := w.Of(w.VPCCNI(), w.Node("n1", "a", w.NotReady), w.Node("n2", "b"), w.Deployment("web", w.Template("web", "100m"), "n1", "n1", "n1", "n1"))
	judge := world.JudgeOn(t, world.Network(map[string]int64{"a": 0, "b": 0}))
	e := diagnosis.Explain(t.Context(), query.Query{World: judge.World(), Judge: judge, Subject: &change.Ref{Kind: "Node", Name: "n1"}})
	for _, f := range e.Findings {
		if f.Code == finding.N201 && len(aboutAddresses(f)) == 2 {
			return
		}
	}
	t.Errorf("%+v", e.Findings)
}
