package aws

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	provider "github.com/naosu-dev/naosu/internal/cloud/aws"
	"github.com/naosu-dev/naosu/lab/cloud"
	lab "github.com/naosu-dev/naosu/lab/cloud/aws"
)

const describeUpdate = "eks:DescribeUpdate"

// groupKinds are the kinds of groups that are resized.
func groupKinds() map[string]cloud.GroupSpec {
	foreign := general()
	foreign.Foreign = true
	return map[string]cloud.GroupSpec{"managed": general(), "of no managed node group": foreign}
}

// newLeast has a controller that may do this only, and that is not told the cluster's name.
func newLeast(t *testing.T, spec cloud.GroupSpec, allowed []string) *coverage {
	t.Helper()
	f := newCoverageAs(t, lab.Key{Allowed: allowed}, spec)
	f.options = provider.Options{}
	return f
}

// actions are those of the calls that were made, in IAM's words.
func (f *coverage) actions() []string {
	var all []string
	for _, c := range f.server.Calls() {
		all = append(all, c.Service+":"+c.Action)
	}
	slices.Sort(all)
	return slices.Compact(all)
}

// TestLeastZonePolicy covers the zone with the documented permissions and no others, and takes each of them away: then the group is not resized, and the status
// or the Remediation names the permission. Only the progress of an update may be missing: its outcome is seen in the nodes.
func TestLeastZonePolicy(t *testing.T) {
	documented := zonePermissions(t, "en")
	if diff := cmp.Diff(documented, zonePermissions(t, "ja")); diff != "" {
		t.Errorf("the documented policies differ (-en +ja):\n%s", diff)
	}
	var used []string
	for kind, spec := range groupKinds() {
		f := newLeast(t, spec, documented)
		f.pass(10 * time.Minute)
		if ends := f.ends(); len(ends) != 1 || !strings.HasPrefix(ends[0], "AsForecast") || f.sizes("general") != [3]int{3, 3, 6} {
			reason, says := f.zone()
			t.Fatalf("%s, with the documented permissions: %q; %s: %s", kind, ends, reason, says)
		}
		needed := f.actions()
		used = append(used, needed...)
		for _, permission := range documented {
			f := newLeast(t, spec, slices.DeleteFunc(slices.Clone(documented), func(other string) bool { return other == permission }))
			f.pass(time.Hour)
			reason, says := f.zone()
			said := fmt.Sprintf("%s without %s: %s: %s %q, resized %d times to %v", kind, permission, reason, says, f.ends(), f.resizes(), f.sizes("general"))
			names := strings.Contains(says+strings.Join(f.ends(), " "), permission)
			switch {
			case !slices.Contains(needed, permission):
				if reason != v1alpha1.ZonesCoveredReason || f.resizes() != 1 || names {
					t.Errorf("it is not needed: %s", said)
				}
			case permission == describeUpdate:
				if reason != v1alpha1.ZonesCoveredReason || f.resizes() != 1 || len(f.ends()) != 1 || !names {
					t.Errorf("its outcome is not known: %s", said)
				}
			case f.resizes() > 0 || f.sizes("general") != [3]int{2, 2, 6} || !names:
				t.Error(said)
			}
		}
	}
	slices.Sort(used)
	if diff := cmp.Diff(documented, slices.Compact(used)); diff != "" {
		t.Errorf("the documented permissions are not those that are used (-documented +used):\n%s", diff)
	}
}

// TestZonePermissionRevoked takes a permission away once the resize is proposed: nothing is resized, and the Remediation ends and names it. An update that
// cannot be followed and has not helped is not repeated.
func TestZonePermissionRevoked(t *testing.T) {
	denied := &cloud.Error{Code: "AccessDeniedException", Message: "not authorized"}
	for kind, calls := range map[string][]string{
		"managed":                  {"eks:DescribeNodegroup", "autoscaling:DescribeAutoScalingGroups", "eks:UpdateNodegroupConfig"},
		"of no managed node group": {"autoscaling:DescribeAutoScalingGroups", "autoscaling:UpdateAutoScalingGroup"},
	} {
		for _, call := range calls {
			f := newCoverage(t, groupKinds()[kind])
			f.after = func() error {
				if len(f.ends()) == 1 {
					f.after = nil
					f.server.Script(call, 1000, denied)
				}
				return nil
			}
			f.pass(10 * time.Minute)
			if ends := f.ends(); len(ends) != 1 || !strings.HasPrefix(ends[0], "Refused") || !strings.Contains(ends[0], call) || f.resizes() > 0 {
				t.Errorf("%s, without %s: %q after %d resizes", kind, call, ends, f.resizes())
			}
		}
	}
	f := newCoverage(t, general())
	f.server.Script(describeUpdate, 1000, denied)
	f.hidden = true
	f.pass(2 * time.Hour)
	if ends := f.ends(); len(ends) != 1 || !strings.HasPrefix(ends[0], "DidNotHelp") || !strings.Contains(ends[0], describeUpdate) || f.resizes() != 1 {
		t.Errorf("an update that is not followed: %q after %d resizes", ends, f.resizes())
	}
}

// zonePermissions are those of the IAM policy for zone coverage. What changes groups is limited to those of the cluster.
func zonePermissions(t *testing.T, language string) (permissions []string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("..", "..", "docs", language, "headroom.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, block, _ := strings.Cut(string(text), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var policy struct {
		Statement []struct {
			Effect           string
			Action, Resource any
			Condition        map[string]map[string]string
		}
	}
	if err := json.Unmarshal([]byte(block), &policy); err != nil {
		t.Fatalf("docs/%s/headroom.md: %v", language, err)
	}
	limits := map[string]string{}
	for _, s := range policy.Statement {
		actions, are := s.Action.([]any)
		if !are {
			actions = []any{s.Action}
		}
		for _, action := range actions {
			permissions = append(permissions, action.(string))
			limits[action.(string)] = fmt.Sprint(s.Effect, " ", s.Resource, " ", s.Condition)
		}
	}
	for action, want := range map[string]string{
		"eks:UpdateNodegroupConfig":          "Allow [arn:aws:eks:*:*:nodegroup/my-cluster/*/* arn:aws:eks:*:*:cluster/my-cluster] map[]",
		"autoscaling:UpdateAutoScalingGroup": "Allow arn:aws:autoscaling:*:*:autoScalingGroup:* map[StringEquals:map[aws:ResourceTag/kubernetes.io/cluster/my-cluster:owned]]",
	} {
		if limits[action] != want {
			t.Errorf("docs/%s/headroom.md: %s is limited to %s, want %s", language, action, limits[action], want)
		}
	}
	slices.Sort(permissions)
	return permissions
}
