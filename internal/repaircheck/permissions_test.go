package repaircheck

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/naosu-dev/naosu/api/v1alpha1"
	"github.com/naosu-dev/naosu/internal/ledger"
	"github.com/naosu-dev/naosu/internal/message"
)

// byGroup is the permission to reboot, as the controller was told for each group.
func byGroup(actuator string, groups ...v1alpha1.GroupPermission) v1alpha1.Permission {
	return v1alpha1.Permission{Action: v1alpha1.ActionReboot, Actuator: actuator, May: v1alpha1.MayNo, Message: "the worst of all", Groups: groups}
}

// TestPermittedByGroup has n1 and n2 be of group g, n3 of group h: what one group is refused cuts its own nodes only, by its name.
func TestPermittedByGroup(t *testing.T) {
	in := func(name string, may v1alpha1.May) v1alpha1.GroupPermission {
		return v1alpha1.GroupPermission{Name: name, May: may, Message: "because of " + name}
	}
	const both = "WouldAct on n1,n2,n3: "
	for name, tc := range map[string]struct {
		told   []v1alpha1.Permission
		change func(*Facts)
		want   string
	}{
		"both may":              {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayYes), in("h", v1alpha1.MayYes))}, nil, both},
		"one is refused":        {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayYes), in("h", v1alpha1.MayNo))}, nil, "WouldAct on n1,n2: ; Broken on n3: Permitted: aws would refuse Reboot for machines of group/h. because of h"},
		"the first is":          {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayNo), in("h", v1alpha1.MayYes))}, nil, "Broken on n1,n2: Permitted: aws would refuse Reboot for machines of group/g. because of g; WouldAct on n3: "},
		"both are":              {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayNo), in("h", v1alpha1.MayNo))}, nil, "Broken on n1,n2: Permitted: aws would refuse Reboot for machines of group/g. because of g; Broken on n3: Permitted: aws would refuse Reboot for machines of group/h. because of h"},
		"one was not asked":     {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayYes), in("h", v1alpha1.MayUnknown))}, nil, "WouldAct on n1,n2: ; Unproven on n3: Permitted: It is not known whether aws would permit Reboot for machines of group/h. because of h"},
		"one is not told of":    {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayYes))}, nil, "WouldAct on n1,n2: ; Unproven on n3: Permitted: It is not known whether Reboot would be permitted: the controller has not asked."},
		"nobody offers one":     {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayYes)), byGroup("None", in("h", v1alpha1.MayNo))}, nil, "WouldAct on n1,n2: ; Broken on n3: Action: No provider supports Reboot for these nodes. because of h"},
		"of no group, it may":   {[]v1alpha1.Permission{byGroup("aws", in("", v1alpha1.MayYes), in("g", v1alpha1.MayYes))}, func(f *Facts) { f.Groups["n3"] = "" }, both},
		"an older controller's": {[]v1alpha1.Permission{{Action: v1alpha1.ActionReboot, Actuator: "aws", May: v1alpha1.MayYes}}, nil, both},
		"done, and the other group is not known": {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayUnknown), in("h", v1alpha1.MayUnknown))}, func(f *Facts) {
			f.Remediations = []v1alpha1.Remediation{repaired()} // n1, which is of group g
		}, "WouldAct on n1,n2: ; Unproven on n3: Permitted: It is not known whether aws would permit Reboot for machines of group/h. because of h"},
		"done to a machine that is gone": {[]v1alpha1.Permission{byGroup("aws", in("g", v1alpha1.MayUnknown), in("h", v1alpha1.MayUnknown))}, func(f *Facts) {
			r := repaired()
			r.Spec.Node.Name = "gone"
			f.Remediations, f.Ledger = []v1alpha1.Remediation{r}, &ledger.Ledger{Entries: []ledger.Entry{{Remediation: r.Name, Node: "gone", Group: "g", Began: now, Ended: now}}}
		}, "WouldAct on n1,n2: ; Unproven on n3: Permitted: It is not known whether aws would permit Reboot for machines of group/h. because of h"},
	} {
		t.Run(name, func(t *testing.T) {
			f := whole()
			f.Groups["n3"] = "h"
			policyOf(&f).Status.Permissions = tc.told
			if tc.change != nil {
				tc.change(&f)
			}
			var got []string
			for _, row := range Check(f, message.English()) {
				if row.Reason != "InterfaceNotUp" {
					continue
				}
				said := fmt.Sprintf("%s on %s: ", row.Verdict, strings.Join(row.On, ","))
				if row.BrokenLink != "" {
					said += string(row.BrokenLink) + ": " + row.Message
				}
				got = append(got, said)
			}
			if diff := cmp.Diff(tc.want, strings.Join(got, "; ")); diff != "" {
				t.Errorf("rows (-want +got):\n%s", diff)
			}
		})
	}
}
