package repaircheck

import (
	"fmt"
	"slices"
	"strings"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
)

// permissions are those for the rule's action on the chain's machines, by the policy's status.
func (ch chain) permissions() []v1alpha1.Permission {
	var all []v1alpha1.Permission
	for _, p := range ch.policy.Status.Permissions {
		if about, told := inGroup(p, ch.group); told && p.Action == ch.rule.Action {
			all = append(all, about)
		}
	}
	return all
}

// inGroup is a permission for the machines of a group; false if it is not about them. One without groups is about all machines.
func inGroup(p v1alpha1.Permission, group string) (v1alpha1.Permission, bool) {
	if len(p.Groups) == 0 {
		return p, true
	}
	at := slices.IndexFunc(p.Groups, func(g v1alpha1.GroupPermission) bool { return g.Name == group })
	if at < 0 {
		return v1alpha1.Permission{}, false
	}
	p.May, p.Message = p.Groups[at].May, p.Groups[at].Message
	return p, true
}

// permissionKey differs for groups on whose machines a policy has different permissions. Each group for which a permission is denied or
// unknown has its own key, since the row names it.
func permissionKey(policy *v1alpha1.NodeRepairPolicy, group string) string {
	var key strings.Builder
	for _, p := range policy.Status.Permissions {
		if about, _ := inGroup(p, group); len(p.Groups) > 0 && about.May != v1alpha1.MayYes {
			fmt.Fprintf(&key, "%s,%s,%s;", p.Action, p.Actuator, group)
		}
	}
	return key.String()
}

// sameGroup says whether a Remediation was of a machine of the chain's group, where permissions differ by group. The group of a machine
// that is gone is the one in the ledger, if it has one.
func (c *checker) sameGroup(ch chain, r *v1alpha1.Remediation) bool {
	if !slices.ContainsFunc(ch.permissions(), func(p v1alpha1.Permission) bool { return len(p.Groups) > 1 }) {
		return true
	}
	if group, there := c.f.Groups[r.Spec.Node.Name]; there {
		return group == ch.group
	}
	return c.f.Ledger != nil && slices.ContainsFunc(c.f.Ledger.Entries, func(e ledger.Entry) bool {
		return e.Remediation == r.Name && (e.UID == "" || e.UID == r.UID) && e.Group == ch.group
	})
}
