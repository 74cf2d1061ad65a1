package noderepair

import (
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestMayOf(t *testing.T) {
	const reboot, yes, no = v1alpha1.ActionReboot, v1alpha1.MayYes, v1alpha1.MayNo
	said := func(action v1alpha1.Action, actuator string, may v1alpha1.May, groups ...v1alpha1.GroupPermission) []v1alpha1.Permission {
		return []v1alpha1.Permission{{Action: action, Actuator: actuator, May: may, Groups: groups}}
	}
	of := func(name string, may v1alpha1.May) v1alpha1.GroupPermission {
		return v1alpha1.GroupPermission{Name: name, May: may}
	}
	for name, tc := range map[string]struct {
		said []v1alpha1.Permission
		want v1alpha1.May
	}{
		"nobody was asked":             {nil, ""},
		"it may":                       {said(reboot, "aws", yes), yes},
		"it may not":                   {said(reboot, "aws", no), no},
		"another may not":              {said(reboot, "karpenter", no), ""},
		"it may not do something else": {said(v1alpha1.ActionReplace, "aws", no), ""},
		"it may not in another group":  {said(reboot, "aws", no, of("spare", no), of("workers", yes)), yes},
		"it may not in the group":      {said(reboot, "aws", no, of("spare", yes), of("workers", no)), no},
		"the group was not asked":      {said(reboot, "aws", no, of("spare", no)), ""},
	} {
		t.Run(name, func(t *testing.T) {
			policy := &v1alpha1.NodeRepairPolicy{Status: v1alpha1.NodeRepairPolicyStatus{Permissions: tc.said}}
			if got := statusPermission(policy, "aws", reboot, "workers"); got != tc.want {
				t.Errorf("got %q, want %q", got, tc.want)
			}
		})
	}
}
