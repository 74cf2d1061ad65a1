package api

import (
	"testing"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

func TestRebalancePolicyFields(t *testing.T) {
	try(t, install(t).Resource(v1alpha1.GroupVersion.WithResource("rebalancepolicies")), leastRebalance, rebalanceTrials)
}

var rebalanceTrials = map[string]trial{
	"mode":                               {good: list{"Report", "Approve", "Auto"}, bad: list{"", "auto"}},
	"paused":                             {good: list{true, false}, bad: list{"yes"}},
	"namespaceSelector":                  {good: list{map[string]any{}}, bad: list{nil, "x"}},
	"namespaceSelector.matchLabels":      matchLabels,
	"namespaceSelector.matchExpressions": matchExpressions,
	"podSelector":                        {good: list{map[string]any{}}, bad: list{nil, "x"}},
	"podSelector.matchLabels":            matchLabels,
	"podSelector.matchExpressions":       matchExpressions,
	"maxSharePercent":                    {good: list{1, 100}, bad: list{0, 101, "33%"}},
	"maxUtilizationDeviationPercent":     {good: list{0, 100}, bad: list{-1, 101, "10%"}},
	"dwellSeconds":                       {good: list{5, 86400}, bad: list{0, 4, 86401, "15s"}},
	"maxEvictions":                       {good: list{1, 30}, bad: list{0, 31, -1}},
	"maxEvictionsPerNode":                {good: list{1, 30}, bad: list{0, 31, "2"}},
	"maxEvictionsPerNamespace":           {good: list{1, 30}, bad: list{0, 31, "2"}},
	"maxEvictionsPerWorkload":            {good: list{1, 30}, bad: list{0, 31, "2"}},
	"minPodAgeSeconds":                   {good: list{0, 604800}, bad: list{-1, 604801}},
	"maxPriority":                        {good: list{-10, 0, 1000000}, bad: list{"high", 3000000000}},
	"maintenanceWindow.days":             policyTrials["maintenanceWindow.days"],
	"maintenanceWindow.start":            policyTrials["maintenanceWindow.start"],
	"maintenanceWindow.timeZone":         policyTrials["maintenanceWindow.timeZone"],
	"maintenanceWindow.openForMinutes":   policyTrials["maintenanceWindow.openForMinutes"],
}
