package aws

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	clocktesting "k8s.io/utils/clock/testing"

	naosu "github.com/naosu-dev/naosu/internal/cloud"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud"
)

// sizes are those of a group in the cloud: min, desired, max.
func (b *fixture) sizes(name string) [3]int {
	b.t.Helper()
	for _, g := range b.cloud.Groups() {
		if g.Name == name {
			return [3]int{g.Min, g.Desired, g.Max}
		}
	}
	b.t.Fatalf("no group %s", name)
	return [3]int{}
}

func (b *fixture) sizer() naosu.NodeGroupSizer { return b.provider(provider.Options{Cluster: "shop"}) }

// TestNodeGroup: naosu reads the sizes, the zones and the instances of a group, and tells EKS's tags from those of people.
func TestNodeGroup(t *testing.T) {
	b := newFixture(t)
	p := b.sizer()
	for name, tc := range map[string]struct {
		machine naosu.Machine
		want    naosu.NodeGroup
	}{
		"managed": {
			naosu.Machine{Labels: map[string]string{"eks.amazonaws.com/nodegroup": "workers"}},
			naosu.NodeGroup{
				NodeGroupRef: naosu.NodeGroupRef{Name: "workers", Cluster: "shop"}, Min: 2, Desired: 6, Max: 9,
				Zones: map[string]int{"us-east-1a": 2, "us-east-1b": 2, "us-east-1c": 2},
			},
		},
		"of no managed node group": {
			naosu.Machine{ProviderID: "aws:///" + b.members("own")[0].Zone + "/" + b.members("own")[0].ID},
			naosu.NodeGroup{NodeGroupRef: naosu.NodeGroupRef{Name: "own"}, Desired: 1, Max: 1, Zones: map[string]int{"us-east-1a": 0, "us-east-1b": 0, "us-east-1c": 0, b.members("own")[0].Zone: 1}},
		},
	} {
		ref, err := p.NodeGroupOf(t.Context(), tc.machine)
		b.must(err)
		got, err := p.NodeGroup(t.Context(), *ref)
		b.must(err)
		if diff := cmp.Diff(tc.want, *got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
}

// TestResizeNodegroup: an update of a managed node group takes a while, during which another is refused, and one of the same token is the same.
func TestResizeNodegroup(t *testing.T) {
	clock := clocktesting.NewFakeClock(time.Now())
	b := newFixtureAt(t, clock, 0)
	p, workers := b.sizer(), naosu.NodeGroupRef{Name: "workers", Cluster: "shop"}
	begun, err := p.Resize(t.Context(), workers, 8, 7, "one")
	b.must(err)
	again, err := p.Resize(t.Context(), workers, 8, 7, "one")
	b.must(err)
	if begun.ID == "" || again.ID != begun.ID {
		t.Errorf("the same token: %q and then %q", begun.ID, again.ID)
	}
	if _, err := p.Resize(t.Context(), workers, 9, 7, "two"); !errors.Is(err, naosu.ErrPassing) {
		t.Errorf("another update meanwhile: %v", err)
	}
	g, err := p.NodeGroup(t.Context(), workers)
	b.must(err)
	state, err := p.ResizeState(t.Context(), workers, begun.ID)
	b.must(err)
	if !g.Updating || state.Ended {
		t.Errorf("in progress: %+v %+v", g, state)
	}
	clock.Step(time.Minute)
	state, err = p.ResizeState(t.Context(), workers, begun.ID)
	b.must(err)
	if !state.Ended || state.Failed != "" || b.sizes("workers") != [3]int{7, 8, 9} {
		t.Errorf("ended: %+v %v", state, b.sizes("workers"))
	}
	b.server.FailNextResize("Ec2SubnetNotFound", "The subnet is gone.")
	begun, err = p.Resize(t.Context(), workers, 9, 7, "three")
	b.must(err)
	clock.Step(time.Minute)
	if state, err = p.ResizeState(t.Context(), workers, begun.ID); err != nil || !strings.Contains(state.Failed, "Ec2SubnetNotFound") {
		t.Errorf("failed: %+v %v", state, err)
	}
}

// TestResizeRefused: sizes that AWS does not take, and a permission that is missing, are said so, and change nothing.
func TestResizeRefused(t *testing.T) {
	b := newFixture(t)
	workers, own := naosu.NodeGroupRef{Name: "workers", Cluster: "shop"}, naosu.NodeGroupRef{Name: "own"}
	for name, tc := range map[string]struct {
		group      naosu.NodeGroupRef
		desired    int
		says       string
		permission string
		denied     bool
	}{
		"beyond the maximum of a managed group": {workers, 10, "can't be greater than max size", "", false},
		"beyond the maximum of another":         {own, 2, "must be between", "", false},
		"not permitted by EKS":                  {workers, 7, "", "eks:UpdateNodegroupConfig", true},
		"not permitted by Auto Scaling":         {own, 1, "", "autoscaling:UpdateAutoScalingGroup", true},
		"no such group":                         {naosu.NodeGroupRef{Name: "none", Cluster: "shop"}, 2, "No node group found", "", false},
	} {
		if tc.denied {
			b.server.Script(tc.permission, 1, &cloud.Error{Code: map[bool]string{true: "AccessDeniedException", false: "AccessDenied"}[tc.group == workers], Message: "not authorized"})
		}
		before := b.sizes("workers")
		_, err := b.sizer().Resize(t.Context(), tc.group, tc.desired, 1, name)
		refused, is := errors.AsType[*naosu.RefusedError](err)
		if !is || refused.Permission != tc.permission || !strings.Contains(err.Error(), tc.says) || b.sizes("workers") != before {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// TestResizeScalingGroup: another group is resized at once, and a tag of people says that cluster-autoscaler sizes it.
func TestResizeScalingGroup(t *testing.T) {
	b := newFixture(t)
	b.must(b.cloud.AddGroup(cloud.GroupSpec{Name: "more", InstanceType: "m5.large", Desired: 1, Max: 4, Foreign: true, Tags: map[string]string{"k8s.io/cluster-autoscaler/enabled": "true"}}))
	more := naosu.NodeGroupRef{Name: "more"}
	begun, err := b.sizer().Resize(t.Context(), more, 3, 3, "one")
	b.must(err)
	state, err := b.sizer().ResizeState(t.Context(), more, begun.ID)
	b.must(err)
	if !state.Ended || b.sizes("more") != [3]int{3, 3, 4} {
		t.Errorf("%+v %v", state, b.sizes("more"))
	}
	if g, err := b.sizer().NodeGroup(t.Context(), more); err != nil || !g.Autoscaled {
		t.Errorf("%+v %v", g, err)
	}
}
