package chart

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	rbacv1 "k8s.io/api/rbac/v1"
)

// granted are the rights of the controller's ClusterRole, as "verb group/resource".
func granted(t *testing.T, given object) map[string]bool {
	t.Helper()
	all := map[string]bool{}
	for _, rule := range typed[rbacv1.ClusterRole](t, rendered(t, given), "ClusterRole/naosu-controller").Rules {
		for _, verb := range rule.Verbs {
			for _, url := range rule.NonResourceURLs {
				all[verb+" "+url] = true
			}
			for _, group := range rule.APIGroups {
				for _, resource := range rule.Resources {
					all[fmt.Sprintf("%s %s/%s", verb, group, resource)] = true
				}
			}
		}
	}
	return all
}

// The rules that a mode lacks are listed here, and nothing else differs; auto is the default.
func TestMode(t *testing.T) {
	auto := granted(t, values())
	mode := func(mode string) object { return values(object{"controller": object{"mode": mode}}) }
	writes := []string{
		"create /pods/eviction", "delete /pods", "delete cluster.x-k8s.io/machines", "delete karpenter.sh/nodeclaims", "patch /nodes", "patch /pods", "patch /pods/status", "patch cluster.x-k8s.io/machines",
	}
	for name, less := range map[string][]string{
		"auto": nil, "approve": {"automate naosu.dev/remediations", "delete /pods", "patch /pods", "patch /pods/status"},
		"report": slices.Concat(writes, []string{"act naosu.dev/remediations", "automate naosu.dev/remediations"}),
	} {
		t.Run(name, func(t *testing.T) {
			want := maps.Clone(auto)
			for _, right := range less {
				if !want[right] {
					t.Errorf("no mode grants %s", right)
				}
				delete(want, right)
			}
			if diff := cmp.Diff(want, granted(t, mode(name))); diff != "" {
				t.Errorf("rights (-want +got):\n%s", diff)
			}
		})
	}
	// In mode report, it writes only naosu's own objects, and reviews.
	for right := range granted(t, mode("report")) {
		verb, resource, _ := strings.Cut(right, " ")
		own := slices.ContainsFunc([]string{"naosu.dev/", "events.k8s.io/", "authentication.k8s.io/", "authorization.k8s.io/"}, func(g string) bool { return strings.HasPrefix(resource, g) })
		if !slices.Contains([]string{"get", "list", "watch"}, verb) && !own {
			t.Errorf("in mode report it may %s", right)
		}
	}
	// What the API server would do to new pods and Jobs by itself is there in mode auto alone.
	for _, less := range []string{"approve", "report"} {
		for _, policy := range []string{"MutatingAdmissionPolicy/naosu-failover", "MutatingAdmissionPolicy/naosu-protection"} {
			if rendered(t, mode(less))[policy] != nil {
				t.Errorf("in mode %s there is %s", less, policy)
			}
		}
	}
	// Room is given back in every mode, and held in mode auto alone.
	for name, want := range map[string][]string{"auto": {"create", "delete", "update"}, "approve": {"delete"}, "report": {"delete"}} {
		for _, rule := range typed[rbacv1.Role](t, rendered(t, mode(name)), "Role/naosu-controller").Rules {
			if slices.Contains(rule.APIGroups, "apps") && !slices.Equal(rule.Verbs, want) {
				t.Errorf("in mode %s, Deployments: %s", name, rule.Verbs)
			}
		}
	}
	// Only the controller's rights change.
	for key, o := range rendered(t, mode("report")) {
		if key == "ClusterRole/naosu-controller" || key == "Role/naosu-controller" {
			continue
		}
		if diff := cmp.Diff(rendered(t, values())[key].Object, o.Object); diff != "" {
			t.Errorf("%s (-auto +report):\n%s", key, diff)
		}
	}
}
