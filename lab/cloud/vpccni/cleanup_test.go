package vpccni

import (
	"slices"
	"testing"
	"time"

	"github.com/naosu-dev/naosu/lab/cloud"
)

// TestLeaks ends an instance between each two of the calls that create and free an interface, and counts what it leaves.
func TestLeaks(t *testing.T) {
	for name, tc := range map[string]struct {
		status cloud.InterfaceStatus
		stage  stage
		frees  bool
		want   int
	}{
		"created, not attached":             {cloud.InterfaceAvailable, attaching, false, 1},
		"attached, to outlive its instance": {cloud.InterfaceAttaching, modifying, false, 1},
		"attached":                          {cloud.InterfaceInUse, idle, false, 0},
		"detached, not deleted":             {cloud.InterfaceDetaching, deleting, true, 1},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
				i := b.cloud.Instances()[0]
				pass(time.Second)
				given := b.assign(i.NodeName, 0, 1)
				if tc.frees {
					pass(2 * time.Minute)
					b.Release(i.NodeName, given[0])
				}
				for range 10_000 {
					pass(10 * time.Millisecond)
					all := b.cloud.NetworkInterfaces()
					if len(all) == 2 && all[1].Status == tc.status && b.agents[i.NodeName].job.stage == tc.stage {
						break
					}
				}
				b.must(b.cloud.Terminate(i.ID, true))
				pass(2 * time.Minute)
				left := b.available()
				if len(left) != tc.want || len(b.cloud.NetworkInterfaces()) != tc.want {
					t.Fatalf("%d interfaces are left behind, want %d", len(left), tc.want)
				}
				if tc.want == 1 && (b.free() != 251-10 || left[0].Description != "aws-K8S-"+i.ID) {
					t.Errorf("%q is left behind, %d addresses are free", left[0].Description, b.free())
				}
			})
		})
	}
}

// TestFree: an interface that nobody needs is detached and deleted, but not in its first minute.
func TestFree(t *testing.T) {
	play(t, "10.0.0.0/24", 1, nil, func(b *fixture) {
		given := b.assign(b.node(0), 0, 1)
		pass(10 * time.Second)
		b.Release(b.node(0), given[0])
		pass(coolDown)
		if got := b.held(b.node(0)); len(got) != 2 {
			t.Errorf("a young interface is gone: %v", got)
		}
		pass(time.Minute)
		if got := b.held(b.node(0)); len(got) != 1 || b.free() != 251-10 {
			t.Errorf("interfaces %v are left, %d addresses are free", got, b.free())
		}
	})
}

// TestCleanUp: every machine looks within five minutes of its start, and then every hour, for interfaces that were left behind.
func TestCleanUp(t *testing.T) {
	const created = "1999-12-31T23:00:00Z" // the bubble's clock begins an hour later
	left := func(description string, tags map[string]string) cloud.NetworkInterfaceSpec {
		tags[instanceTag] = "i-0123456789abcdef0"
		return cloud.NetworkInterfaceSpec{Subnet: "own", Description: description, SecondaryAddresses: 2, Tags: tags}
	}
	leaked := []cloud.NetworkInterfaceSpec{
		left("aws-K8S-i-0", map[string]string{createdAtTag: created, clusterTag: "shop"}),
		left("aws-K8S-i-1", map[string]string{createdAtTag: "yesterday", clusterTag: "shop"}),
		left("aws-K8S-i-2", map[string]string{createdAtTag: created, clusterTag: "another"}),
		left("aws-K8S-i-3", map[string]string{createdAtTag: created}),
		left("mine", map[string]string{createdAtTag: created, clusterTag: "shop"}),
		left("aws-K8S-i-5", map[string]string{clusterTag: "shop"}),
		{Subnet: "own", Description: "aws-K8S-i-6", Tags: map[string]string{createdAtTag: created, clusterTag: "shop"}},
	}
	for name, tc := range map[string]struct {
		env  []string
		want []string // within ten minutes
		// later is what is left after two hours
		later []string
	}{
		"a cluster's own": {
			[]string{"CLUSTER_NAME=shop"},
			[]string{"aws-K8S-i-2", "aws-K8S-i-3", "aws-K8S-i-5", "aws-K8S-i-6", "mine"},
			[]string{"aws-K8S-i-2", "aws-K8S-i-3", "aws-K8S-i-6", "mine"},
		},
		"without a name, another cluster's too": {
			nil, []string{"aws-K8S-i-5", "aws-K8S-i-6", "mine"}, []string{"aws-K8S-i-6", "mine"},
		},
		"switched off": {
			[]string{"DISABLE_LEAKED_ENI_CLEANUP=true"},
			[]string{"aws-K8S-i-0", "aws-K8S-i-1", "aws-K8S-i-2", "aws-K8S-i-3", "aws-K8S-i-5", "aws-K8S-i-6", "mine"},
			[]string{"aws-K8S-i-0", "aws-K8S-i-1", "aws-K8S-i-2", "aws-K8S-i-3", "aws-K8S-i-5", "aws-K8S-i-6", "mine"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			play(t, "10.0.0.0/24", 1, func(s *cloud.Spec) { s.NetworkInterfaces = leaked }, func(b *fixture) {
				b.configure(tc.env...)
				descriptions := func() (all []string) {
					for _, i := range b.available() {
						all = append(all, i.Description)
					}
					slices.Sort(all)
					return all
				}
				pass(10 * time.Minute)
				if got := descriptions(); !slices.Equal(got, tc.want) {
					t.Errorf("left after the first look: %q, want %q", got, tc.want)
				}
				pass(2 * time.Hour)
				if got := descriptions(); !slices.Equal(got, tc.later) {
					t.Errorf("left after two hours: %q, want %q", got, tc.later)
				}
			})
		})
	}
}
