package api

import (
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

// leastDeletions is a proposal of an AddressPolicy.
const leastDeletions = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: deletions}
spec:
  policy: {kind: AddressPolicy, name: default, rule: reclaim}
  evidence: {finding: N403, since: "2026-01-01T00:00:00Z"}
  plan: [{action: DeleteInterface, subject: {kind: NetworkInterface, name: eni-1}}]
`

const leastAddresses = `
apiVersion: naosu.dev/v1alpha1
kind: AddressPolicy
metadata: {name: least}
spec: {}
`

var deletionTrials = map[string]trial{
	"plan": {good: list{many(64, deletion("eni-1"))}, bad: list{list{evict("wave", "1")}, list{change("Reboot")}, list{change("DeleteInterface")}}},
	"plan[0].subject": {bad: list{
		map[string]any{"kind": "Subnet", "name": "subnet-1"}, map[string]any{"kind": "NetworkInterface", "namespace": "shop", "name": "eni-1"},
	}},
	"plan[0].parameters": {bad: list{map[string]any{"wave": "1"}}},
}

var addressTrials = map[string]trial{
	"mode":                             {good: list{"Report", "Approve", "Auto"}, bad: list{"", "auto"}},
	"paused":                           {good: list{true, false}, bad: list{"yes"}},
	"lowBelowPercent":                  {good: list{0, 20}, bad: list{101, -1, "5%"}},
	"clearFromPercent":                 {good: list{10, 100}, bad: list{9, 101, "20%"}},
	"minAgeSeconds":                    {good: list{60, 604800}, bad: list{0, 59, 604801, "30m"}},
	"observationSeconds":               {good: list{60, 86400}, bad: list{0, 59, 86401}},
	"maxDeletions":                     {good: list{1, 50}, bad: list{0, 51, -1}},
	"maintenanceWindow.days":           policyTrials["maintenanceWindow.days"],
	"maintenanceWindow.start":          policyTrials["maintenanceWindow.start"],
	"maintenanceWindow.timeZone":       policyTrials["maintenanceWindow.timeZone"],
	"maintenanceWindow.openForMinutes": policyTrials["maintenanceWindow.openForMinutes"],
}

func deletion(id string) any {
	return map[string]any{"action": "DeleteInterface", "subject": map[string]any{"kind": "NetworkInterface", "name": id}}
}

func TestAddressPolicyFields(t *testing.T) {
	try(t, install(t).Resource(v1alpha1.GroupVersion.WithResource("addresspolicies")), leastAddresses, addressTrials)
}
