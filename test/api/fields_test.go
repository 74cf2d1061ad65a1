package api

import (
	"maps"
	"regexp"
	"slices"
	"strings"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"github.com/naosu-dev/naosu/api/v1alpha1"
)

const leastPolicy = `
apiVersion: naosu.dev/v1alpha1
kind: NodeRepairPolicy
metadata: {name: least}
spec:
  nodeSelector: {}
  rules:
  - {name: network, condition: NetworkingReady, status: "False", for: 10m, action: Reboot}
`

const leastFailover = `
apiVersion: naosu.dev/v1alpha1
kind: FailoverPolicy
metadata: {name: least}
spec:
  namespaceSelector: {}
  podSelector: {}
`

const leastRemediation = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: least}
spec:
  policy: {kind: NodeRepairPolicy, name: default, rule: network}
  node: {name: n1, uid: u1}
  evidence: {condition: NetworkingReady, status: "False", since: "2026-01-01T00:00:00Z"}
  plan: [{action: Reboot}]
`

// leastOld is a proposal as naosu made it before it had plans.
const leastOld = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: old}
spec:
  policy: {kind: NodeRepairPolicy, name: default, rule: network}
  node: {name: n1, uid: u1}
  evidence: {condition: NetworkingReady, status: "False", since: "2026-01-01T00:00:00Z"}
  action: Reboot
`

// leastGeneral is a proposal that is not about a node.
const leastGeneral = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: general}
spec:
  policy: {kind: HeadroomPolicy, name: default, rule: zones}
  subjects: [{kind: Deployment, namespace: shop, name: web, uid: u1}]
  evidence: {finding: N203, since: "2026-01-01T00:00:00Z"}
  plan: [{action: Reboot, subject: {kind: Node, name: n1, uid: u2}}, {action: Reboot, subject: {kind: Node, name: n2, uid: u3}}]
`

// leastEvictions is a proposal of a RebalancePolicy.
const leastEvictions = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: evictions}
spec:
  policy: {kind: RebalancePolicy, name: default, rule: balance}
  evidence: {finding: N203, since: "2026-01-01T00:00:00Z"}
  plan: [{action: Evict, subject: {kind: Pod, namespace: shop, name: web-1, uid: u1}}]
`

// leastRequest is what a person requests.
const leastRequest = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: request}
spec:
  request: {by: jane@example.com}
  subjects: [{kind: Deployment, namespace: shop, name: web, uid: u1}]
  evidence: {finding: N203, since: "2026-01-01T00:00:00Z"}
  plan: [{action: Evict, subject: {kind: Pod, namespace: shop, name: web-1, uid: u1}}]
`

const leastRebalance = `
apiVersion: naosu.dev/v1alpha1
kind: RebalancePolicy
metadata: {name: least}
spec:
  namespaceSelector: {}
  podSelector: {}
`

const leastDrill = `
apiVersion: naosu.dev/v1alpha1
kind: Remediation
metadata: {name: drill}
spec:
  node: {name: n1, uid: u1}
  drill: {nonce: abcdefgh, reason: InterfaceNotUp}
`

// trial is one field with valid and invalid values. Beside is what must be set for the good values to be good.
type trial struct {
	beside    map[string]any
	good, bad []any
}

type list = []any

func long(n int) string { return strings.Repeat("a", n) }

// named are n values, each different.
func named(n int) list {
	var values list
	for i := range n {
		values = append(values, "a"+strings.Repeat("b", i))
	}
	return values
}

func many[T any](n int, value T) list { return slices.Repeat(list{value}, n) }

var (
	duration    = trial{good: list{"0s", "1.5h", "10m30s", "100ms", "24h"}, bad: list{"-1m", "1d", "x", 5, "1000h"}}
	wait24h     = trial{good: list{"1ms", "24h"}, bad: list{"0s", "24h1s", "-1m", "1d", "x"}}
	budget      = trial{good: list{0, 5000, "0%", "100%", "7%"}, bad: list{-1, 5001, "101%", "05%", "7", "-1%", "1.5%"}}
	service     = trial{beside: map[string]any{"action": "RestartService"}, good: list{"a.service", "kubelet@1.service"}, bad: list{"", "kubelet", "a b.service", "../x.service", long(129) + ".service"}}
	uid         = trial{good: list{"a"}, bad: list{"", long(65)}}
	conditioned = trial{good: list{"Ready", "example.com/Ready"}, bad: list{"", long(317)}}
)

// Valid and invalid values in any selector.
var (
	matchLabels = trial{
		good: list{map[string]any{"a": "b"}, map[string]any{"a": ""}, map[string]any{"example.com/a": "B.b-b_1"}, map[string]any{"a": long(63)}},
		bad:  list{many33(), map[string]any{"a": "a worker"}, map[string]any{"a": "-"}, map[string]any{"a": "b\n"}, map[string]any{"a": long(64)}},
	}
	matchExpressions = trial{
		good: list{
			list{map[string]any{"key": "a", "operator": "Exists"}},
			list{map[string]any{"key": "a", "operator": "In", "values": list{"b"}}},
			list{map[string]any{"key": "sub.example.com/a_b", "operator": "NotIn", "values": list{"", "b"}}},
		},
		bad: list{
			many(33, map[string]any{"key": "a", "operator": "Exists"}),
			list{map[string]any{"key": "a", "operator": "Near"}},
			list{map[string]any{"key": "a role", "operator": "Exists"}},
			list{map[string]any{"key": "a/b/c", "operator": "Exists"}},
			list{map[string]any{"key": "a", "operator": "In", "values": list{"b", "a worker"}}},
			list{map[string]any{"key": "a", "operator": "In"}},
			list{map[string]any{"key": "a", "operator": "In", "values": named(33)}},
			list{map[string]any{"key": "a", "operator": "Exists", "values": list{"b"}}},
		},
	}
)

var failoverTrials = map[string]trial{
	"mode":                               {good: list{"Report", "Auto"}, bad: list{"", "auto", "Approve"}},
	"paused":                             {good: list{true, false}, bad: list{"yes"}},
	"namespaceSelector":                  {good: list{map[string]any{}}, bad: list{nil, "x"}},
	"namespaceSelector.matchLabels":      matchLabels,
	"namespaceSelector.matchExpressions": matchExpressions,
	"podSelector":                        {good: list{map[string]any{}}, bad: list{nil, "x"}},
	"podSelector.matchLabels":            matchLabels,
	"podSelector.matchExpressions":       matchExpressions,
	"notReadySeconds":                    {good: list{30, 300}, bad: list{0, 29, 301, -1, "60s"}},
	"unreachableSeconds":                 {good: list{30, 300}, bad: list{0, 29, 301, -1, "60s"}},
	"replaceOnSilence":                   {good: list{"Never", "Replicated"}, bad: list{"", "replicated", "Always", true}},
	"notReadyOnSilence":                  {good: list{"Never", "Unreplaced"}, bad: list{"", "unreplaced", "Always", true}},
	"silentAfterSeconds":                 {good: list{3, 60}, bad: list{0, 2, 61, -1, "4s"}},
	"outOfService":                       {good: list{"Never", "WhenOff"}, bad: list{"", "whenOff", "Always", true}},
}

var rule = map[string]any{"name": "other", "condition": "Ready", "status": "Unknown", "for": "5m", "action": "None"}

var policyTrials = map[string]trial{
	"mode":                          {good: list{"Report", "Approve", "Auto"}, bad: list{"", "auto", "On"}},
	"earnAuto":                      {beside: map[string]any{"spec.mode": "Auto"}, good: list{1, 1000}, bad: list{0, 1001, "x"}},
	"paused":                        {good: list{true, false}, bad: list{"yes"}},
	"nodeSelector":                  {good: list{map[string]any{}}, bad: list{nil, "x"}},
	"nodeSelector.matchLabels":      matchLabels,
	"nodeSelector.matchExpressions": matchExpressions,
	"rules":                         {good: list{list{rule}}, bad: list{nil, list{}, list{rule, rule}, rules65()}},
	"rules[0].name":                 {good: list{"a", "a-1"}, bad: list{"", "A", "-a", long(64)}},
	"rules[0].condition":            {good: conditioned.good, bad: append(slices.Clone(conditioned.bad), "a b", "/x")},
	"rules[0].status":               {good: list{"True", "False", "Unknown"}, bad: list{"", "true", "No"}},
	"rules[0].reasons":              {good: list{list{"InterfaceNotUp", "NvidiaXID79Error"}}, bad: list{list{}, list{""}, list{"a b"}, list{"A", "A"}, named(65), list{long(129)}}},
	"rules[0].for":                  {good: append(slices.Clone(duration.good), "168h"), bad: append(slices.Clone(duration.bad), "168h1s")},
	"rules[0].action":               {good: list{"None", "Reboot", "Replace"}, bad: list{"", "reboot", "Delete"}},
	"rules[0].service":              under("spec.rules[0].", service),
	"escalation": {
		good: list{list{step("RestartService"), step("Reboot"), step("Replace")}, list{step("Replace")}},
		bad:  list{list{}, list{step("Replace"), step("Reboot")}, list{step("Reboot"), step("Reboot")}, many(4, step("Reboot"))},
	},
	"escalation[0].action":       {good: list{"RestartService", "Reboot", "Replace"}, bad: list{"", "None"}},
	"escalation[0].attempts":     {beside: map[string]any{"spec.escalation[0].action": "Reboot"}, good: list{1, 5}, bad: list{0, 6}},
	"budgets.zone":               budget,
	"budgets.group":              budget,
	"budgets.cluster":            budget,
	"budgets.maxPerDay":          {good: list{1, 5000}, bad: list{0, -1, 5001, "20%"}},
	"brake.nodes":                {good: list{2, 5000}, bad: list{1, 5001}},
	"brake.percent":              {good: list{1, 100}, bad: list{0, 101}},
	"maintenanceWindow.days":     {beside: window, good: list{list{"Monday", "Sunday"}}, bad: list{list{}, list{"Mon"}, list{"Monday", "Monday"}}},
	"maintenanceWindow.start":    {beside: window, good: list{"00:00", "23:59"}, bad: list{"", "24:00", "9:00", "12:60", "noon!"}},
	"maintenanceWindow.timeZone": {beside: window, good: list{"UTC", "Asia/Tokyo", "America/Port-au-Prince", "America/Argentina/Buenos_Aires", "Etc/GMT+9"}, bad: list{"", "Local", "Asia/Edo", "../etc", "+09:00", long(65)}},
	"maintenanceWindow.openForMinutes": {
		beside: window, good: list{1, 1440}, bad: list{0, 1441, "2h"},
	},
	"drain.timeout":           wait24h,
	"drain.fallback":          {good: list{"GiveUp", "Proceed"}, bad: list{"", "Force"}},
	"drain.localData":         {good: list{"Delete", "Keep"}, bad: list{"", "Move"}},
	"verification.nodeWithin": wait24h,
	"verification.dwell":      {good: duration.good, bad: append(slices.Clone(duration.bad), "24h1s")},
	"verification.podsWithin": wait24h,
	"nodeStartupGracePeriod":  {good: append(slices.Clone(duration.good), "24h"), bad: append(slices.Clone(duration.bad), "24h1s")},
	"coolDown":                {good: append(slices.Clone(duration.good), "168h"), bad: append(slices.Clone(duration.bad), "168h1s")},
	"rememberFailure":         {good: append(slices.Clone(duration.good), "720h"), bad: append(slices.Clone(duration.bad), "720h1s")},
}

var window = map[string]any{"spec.maintenanceWindow.start": "22:00", "spec.maintenanceWindow.openForMinutes": 60}

var remediationTrials = map[string]trial{
	"policy.kind":        {good: list{"NodeRepairPolicy"}, bad: list{"", "Pod"}},
	"policy.name":        {good: list{"a"}, bad: list{"", long(254)}},
	"policy.rule":        {good: list{"a"}, bad: list{"", long(64)}},
	"policy.uid":         uid,
	"node.name":          {good: list{"a"}, bad: list{"", long(254)}},
	"node.uid":           {good: list{"a"}, bad: list{"", long(65)}},
	"node.providerID":    {good: list{"aws:///us-east-1a/i-1"}, bad: list{"", long(513)}},
	"evidence.condition": conditioned,
	"evidence.status":    {good: list{"True", "False", "Unknown"}, bad: list{"", "true"}},
	"evidence.reason":    {good: list{"", "InterfaceNotUp"}, bad: list{long(1025)}},
	"evidence.message":   {good: list{"", "eth1 is down"}, bad: list{long(4097)}},
	"evidence.since":     {good: list{"2026-01-01T00:00:00Z"}, bad: list{"", "yesterday"}},
	"evidence.finding":   {good: list{"N301"}, bad: list{"", "N3011", "N000", "301"}},
	"plan": {
		good: list{list{change("Replace")}, list{restart("kubelet.service")}},
		bad:  list{list{}, list{change("Reboot"), change("Reboot")}, list{map[string]any{"action": "Reboot", "subject": subject("Node")}}, list{change("RestartService")}, "Reboot"},
	},
	"plan[0].action": {good: list{"Reboot", "Replace"}, bad: list{"", "None", "Delete"}},
	"plan[0].parameters": {
		beside: map[string]any{"spec.plan[0].action": "RestartService"},
		good:   list{map[string]any{"service": "a.service"}, map[string]any{"service": "kubelet@1.service"}},
		bad: list{
			map[string]any{},
			map[string]any{"service": ""},
			map[string]any{"service": "kubelet"},
			map[string]any{"service": "a b.service"},
			map[string]any{"service": "../x.service"},
			map[string]any{"service": long(129) + ".service"},
			map[string]any{"service": "a.service\n"},
			map[string]any{"unit": "a.service"},
			map[string]any{"service": "a.service", "unit": "a.service"},
		},
	},
	"subjects":   {bad: list{list{subject("Deployment")}}},
	"approval":   {good: list{"Approved", "Rejected"}, bad: list{"", "Yes"}},
	"approvedBy": {good: list{"ann", "system:serviceaccount:a:b"}, bad: list{"", strings.Repeat("a", 1025)}, beside: map[string]any{"spec.approval": "Approved"}},
}

var oldTrials = map[string]trial{
	"action":  {good: list{"Reboot", "Replace"}, bad: list{"", "None", "Delete"}},
	"service": under("spec.", service),
	"plan":    {bad: list{list{change("Reboot")}}},
}

var generalTrials = map[string]trial{
	"policy.kind":               {good: list{"FailoverPolicy", "HeadroomPolicy"}, bad: list{"", "Pod"}},
	"node":                      {good: list{map[string]any{"name": "n1", "uid": "u1"}}, bad: list{map[string]any{"name": "n1"}}},
	"evidence":                  {bad: list{map[string]any{"since": "2026-01-01T00:00:00Z"}, map[string]any{"since": "2026-01-01T00:00:00Z", "condition": "Ready"}}},
	"subjects":                  {good: list{many(64, subject("Subnet"))}, bad: list{list{}, many(65, subject("Subnet"))}},
	"subjects[0].kind":          {good: list{"NodeGroup"}, bad: list{"", "nodeGroup", "Node Group", long(64)}},
	"subjects[0].namespace":     {good: list{"a"}, bad: list{"", long(64)}},
	"subjects[0].name":          {good: list{"subnet-0a1b2c3d4e5f60718"}, bad: list{"", long(254)}},
	"subjects[0].uid":           uid,
	"plan":                      {good: list{many(64, change("Reboot"))}, bad: list{list{}, many(65, change("Reboot"))}},
	"plan[0].subject.kind":      {good: list{"Pod"}, bad: list{"", "pod"}},
	"plan[0].subject.namespace": {good: list{"a"}, bad: list{"", long(64)}},
	"plan[0].subject.name":      {good: list{"a"}, bad: list{"", long(254)}},
	"plan[0].subject.uid":       uid,
}

var evictionTrials = map[string]trial{
	"plan":            {good: list{many(64, evict("wave", "1"))}, bad: list{many(65, evict("wave", "1")), list{change("Reboot")}, list{change("Evict")}}},
	"plan[0].subject": {bad: list{map[string]any{"kind": "Node", "name": "n1", "uid": "u1"}, map[string]any{"kind": "Pod", "namespace": "shop", "name": "web-1"}}},
	"plan[0].parameters": {
		good: list{map[string]any{"wave": "1"}, map[string]any{"wave": "99"}},
		bad:  list{map[string]any{"wave": "0"}, map[string]any{"wave": "100"}, map[string]any{"wave": "x"}, map[string]any{"service": "kubelet.service"}},
	},
}

var requestTrials = map[string]trial{
	"request":                                {bad: list{map[string]any{"maxSharePercent": 33}}},
	"request.by":                             {good: list{"system:serviceaccount:a:b"}, bad: list{"", long(1025)}},
	"request.maxSharePercent":                {good: list{1, 100}, bad: list{0, 101, "33%"}},
	"request.maxUtilizationDeviationPercent": {good: list{1, 100}, bad: list{0, 101, "20%"}},
	"plan":                                   {good: list{many(30, evict("wave", "1"))}, bad: list{many(31, evict("wave", "1")), list{}, list{change("Reboot")}, list{evict("wave", "1"), map[string]any{"action": "Reboot"}}}},
	"subjects":                               {bad: list{nil, list{}}},
}

func evict(parameter, value string) any {
	return map[string]any{
		"action": "Evict", "subject": map[string]any{"kind": "Pod", "namespace": "shop", "name": "web-1", "uid": "u1"}, "parameters": map[string]any{parameter: value},
	}
}

func subject(kind string) any { return map[string]any{"kind": kind, "name": "a"} }

func change(action string) any { return map[string]any{"action": action} }

func restart(service string) any {
	return map[string]any{"action": "RestartService", "parameters": map[string]any{"service": service}}
}

var drillTrials = map[string]trial{
	"drill.nonce":     {good: list{"a1b2c3d4"}, bad: list{"", "short", "Abcdefgh", long(33)}},
	"drill.reason":    {good: list{"InterfaceNotUp"}, bad: list{"", "1x", long(129)}},
	"drill.condition": {good: list{"NetworkingReady"}, bad: list{"", long(317)}},
	"drill.depth":     {good: list{"DryRun", "Raised"}, bad: list{"", "Real"}},
}

func step(action string) any { return map[string]any{"action": action} }

func under(prefix string, t trial) trial {
	beside := map[string]any{}
	for path, value := range t.beside {
		beside[prefix+path] = value
	}
	return trial{beside, t.good, t.bad}
}

func many33() any {
	labels := map[string]any{}
	for _, name := range named(33) {
		labels[name.(string)] = "x"
	}
	return labels
}

func rules65() any {
	var rules list
	for _, name := range named(65) {
		one := maps.Clone(rule)
		one["name"] = name
		rules = append(rules, one)
	}
	return rules
}

func TestNodeRepairPolicyFields(t *testing.T) {
	try(t, policies(install(t)), leastPolicy, policyTrials)
}

func TestFailoverPolicyFields(t *testing.T) {
	try(t, install(t).Resource(v1alpha1.GroupVersion.WithResource("failoverpolicies")), leastFailover, failoverTrials)
}

func TestRemediationFields(t *testing.T) {
	try(t, remediations(install(t)), leastRemediation, remediationTrials)
	try(t, remediations(install(t)), leastOld, oldTrials)
	try(t, remediations(install(t)), leastGeneral, generalTrials)
	try(t, remediations(install(t)), leastEvictions, evictionTrials)
	try(t, remediations(install(t)), leastRequest, requestTrials)
	try(t, remediations(install(t)), leastDeletions, deletionTrials)
	try(t, remediations(install(t)), leastResize, resizeTrials)
	try(t, remediations(install(t)), leastDrill, drillTrials)
}

// TestDrillOrProposal has what is drilled find out what a proposal states, and a proposal state it.
func TestDrillOrProposal(t *testing.T) {
	resource := remediations(install(t))
	for name, tc := range map[string]struct {
		least, path string
		value       any
		named       string
	}{
		"a drill of a policy":        {leastDrill, "spec.policy", map[string]any{"kind": "NodeRepairPolicy", "name": "default", "rule": "network"}, "spec.drill"},
		"a drill with a plan":        {leastDrill, "spec.plan", list{change("Reboot")}, "spec.drill"},
		"a drill with an action":     {leastDrill, "spec.action", "Reboot", "spec.drill"},
		"a drill with subjects":      {leastDrill, "spec.subjects", list{subject("Node")}, "spec.drill"},
		"a drill that is requested":  {leastDrill, "spec.request", map[string]any{"by": "jane"}, "spec.request"},
		"a request of a policy":      {leastRequest, "spec.policy", map[string]any{"kind": "RebalancePolicy", "name": "default", "rule": "balance"}, "spec.request"},
		"a request about a node":     {leastRequest, "spec.node", map[string]any{"name": "n1", "uid": "u1"}, "spec.request"},
		"a request without a plan":   {leastRequest, "spec.plan", nil, "plan"},
		"a drill of no node":         {leastDrill, "spec.node", nil, "spec.node"},
		"an approved drill":          {leastDrill, "spec.approval", "Approved", "spec.drill"},
		"a name without its word":    {leastRemediation, "spec.approvedBy", "ann", "spec.approvedBy"},
		"a drill of a service":       {leastDrill, "spec.service", "kubelet.service", "spec.service"},
		"a proposal without policy":  {leastRemediation, "spec.policy", nil, "policy"},
		"a proposal without a plan":  {leastRemediation, "spec.plan", nil, "plan"},
		"a repair of no node":        {leastRemediation, "spec.node", nil, "spec.node"},
		"a proposal without a cause": {leastRemediation, "spec.evidence", nil, "evidence"},
	} {
		t.Run(name, func(t *testing.T) {
			o := object(t, tc.least)
			set(o.Object, tc.path, tc.value)
			if _, err := resource.Create(t.Context(), o, dryRun); err == nil || !strings.Contains(err.Error(), tc.named) {
				t.Errorf("it is taken, or refused without a word of %s: %v", tc.named, err)
			}
		})
	}
}

// try sets one field at a time in an object that is good, and has the API server judge.
func try(t *testing.T, resource dynamic.ResourceInterface, least string, trials map[string]trial) {
	for path, trial := range trials {
		t.Run(path, func(t *testing.T) {
			for _, value := range trial.good {
				if _, err := resource.Create(t.Context(), with(t, least, path, value, trial.beside), dryRun); err != nil {
					t.Errorf("%v is refused: %v", value, err)
				}
			}
			for _, value := range trial.bad {
				_, err := resource.Create(t.Context(), with(t, least, path, value, trial.beside), dryRun)
				switch {
				case err == nil:
					t.Errorf("%v is taken", value)
				case !strings.Contains(err.Error(), "spec."+path):
					t.Errorf("%v is refused without a word of %s: %v", value, path, err)
				}
			}
		})
	}
}

func with(t *testing.T, least, path string, value any, beside map[string]any) *unstructured.Unstructured {
	t.Helper()
	o := object(t, least)
	for _, other := range slices.Sorted(maps.Keys(beside)) {
		set(o.Object, other, beside[other])
	}
	set(o.Object, "spec."+path, value)
	return o
}

// set puts a value at a path such as spec.rules[0].name, making what is missing on the way. nil takes the field away.
func set(in map[string]any, path string, value any) {
	name, rest, deeper := strings.Cut(path, ".")
	plain, inList := strings.CutSuffix(name, "[0]")
	switch {
	case deeper && inList:
		if in[plain] == nil {
			in[plain] = list{map[string]any{}}
		}
		set(in[plain].([]any)[0].(map[string]any), rest, value)
	case deeper:
		if in[name] == nil {
			in[name] = map[string]any{}
		}
		set(in[name].(map[string]any), rest, value)
	case value == nil:
		delete(in, name)
	default:
		in[name] = value
	}
}

// TestEveryFieldIsTried reads the fields from the CRDs, so that a new one cannot go untried.
func TestEveryFieldIsTried(t *testing.T) {
	ofRemediation := maps.Clone(remediationTrials)
	for _, more := range []map[string]trial{drillTrials, oldTrials, generalTrials, evictionTrials, requestTrials, deletionTrials, resizeTrials} {
		maps.Copy(ofRemediation, more)
	}
	trials := map[string]map[string]trial{"AddressPolicy": addressTrials, "FailoverPolicy": failoverTrials, "HeadroomPolicy": headroomTrials, "NodeRepairPolicy": policyTrials, "RebalancePolicy": rebalanceTrials, "Remediation": ofRemediation}
	for _, crd := range definitions(t) {
		kind, _, _ := unstructured.NestedString(crd.Object, "spec", "names", "kind")
		versions, _, _ := unstructured.NestedSlice(crd.Object, "spec", "versions")
		spec, found, err := unstructured.NestedMap(versions[0].(map[string]any), "schema", "openAPIV3Schema", "properties", "spec")
		if err != nil || !found {
			t.Fatalf("the spec of %s: %v", kind, err)
		}
		fields := leaves("", spec)
		if len(fields) < 6 {
			t.Fatalf("%s has only %v", kind, fields)
		}
		for _, field := range fields {
			if _, ok := trials[kind][field]; !ok {
				t.Errorf("%s of %s is not tried", field, kind)
			}
		}
	}
}

var inExpression = regexp.MustCompile(`^(protect\.)?(node|namespace|pod)Selector\.matchExpressions\[0\]\.`)

// leaves are the paths of fields without fields; those of a selector's expression are tried together.
func leaves(at string, schema map[string]any) []string {
	fields, _, _ := unstructured.NestedMap(schema, "properties")
	if items, ok, _ := unstructured.NestedMap(schema, "items"); ok {
		at += "[0]"
		fields, _, _ = unstructured.NestedMap(items, "properties")
		if fields == nil {
			return []string{strings.TrimSuffix(at, "[0]")}
		}
	}
	if fields == nil {
		return []string{at}
	}
	var all []string
	for name, field := range fields {
		below := leaves(strings.TrimPrefix(at+"."+name, "."), field.(map[string]any))
		all = append(all, slices.DeleteFunc(below, inExpression.MatchString)...)
	}
	return all
}

// TestRemediationStays has only the approval change, and only so that a rejection stays; and what has ended stays so.
func TestRemediationStays(t *testing.T) {
	resource := remediations(install(t))
	made, err := resource.Create(t.Context(), object(t, leastRemediation), metav1.CreateOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := resource.Delete(t.Context(), "least", metav1.DeleteOptions{}); err != nil {
			t.Log(err)
		}
	})
	update := func(path string, value any) error {
		changed := made.DeepCopy()
		set(changed.Object, path, value)
		after, err := resource.Update(t.Context(), changed, metav1.UpdateOptions{})
		if err == nil {
			made = after
		}
		return err
	}
	status := func(phase string) error {
		changed := made.DeepCopy()
		set(changed.Object, "status.phase", phase)
		after, err := resource.UpdateStatus(t.Context(), changed, metav1.UpdateOptions{})
		if err == nil {
			made = after
		}
		return err
	}
	for path, value := range map[string]any{
		"spec.policy.name": "other", "spec.node.name": "other", "spec.evidence.reason": "Other", "spec.plan": list{change("Replace")},
		"spec.service": "a.service", "spec.subjects": list{subject("Node")}, "spec.policy.uid": "u2", "spec.request": map[string]any{"by": "jane"},
	} {
		field := strings.Join(strings.Split(path, ".")[:2], ".")
		if err := update(path, value); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("%s is changed: %v", path, err)
		}
	}
	for _, step := range []struct {
		value any
		taken bool
	}{{"Approved", true}, {nil, false}, {"Rejected", true}, {"Approved", false}} {
		err := update("spec.approval", step.value)
		if (err == nil) != step.taken || err != nil && !strings.Contains(err.Error(), "spec.approval") {
			t.Errorf("approval %v: %v", step.value, err)
		}
	}
	for _, step := range []struct {
		phase string
		taken bool
	}{{"Nowhere", false}, {"Running", true}, {"Ended", true}, {"Running", false}} {
		err := status(step.phase)
		if (err == nil) != step.taken || err != nil && !strings.Contains(err.Error(), "status.phase") {
			t.Errorf("phase %s: %v", step.phase, err)
		}
	}
}
