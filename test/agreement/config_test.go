package agreement

import (
	"fmt"
	"os"
)

// configure says with which profiles a scheduler runs that starts from now on, none being the default, and how many of the
// nodes it scores, in percent; 0 is its default.
func configure(percentage int, profiles string) error {
	return os.WriteFile(configFile, configuration(percentage, profiles), 0o600)
}

// configuration is a scheduler's that sends as many requests as it can.
func configuration(percentage int, profiles string) []byte {
	text := fmt.Appendf(nil, `apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
clientConnection: {qps: -1}
percentageOfNodesToScore: %d
`, percentage)
	if profiles != "" {
		text = append(append(text, "profiles:"...), profiles...)
	}
	return text
}

// schedulers are those whose profiles are configured.
var schedulers = []string{"default-scheduler", "packing-scheduler"}

// configured is the first scheduler with other weights, a plugin less, and rules that its pods do not have, and a second
// one that fills nodes and preempts no pod.
const configured = `
- schedulerName: default-scheduler
  plugins:
    multiPoint: {disabled: [{name: ImageLocality}]}
    score:
      disabled: [{name: TaintToleration}, {name: InterPodAffinity}]
      enabled: [{name: InterPodAffinity, weight: 7}]
  pluginConfig:
  - {name: InterPodAffinity, args: {hardPodAffinityWeight: 50}}
  - name: NodeAffinity
    args:
      addedAffinity:
        preferredDuringSchedulingIgnoredDuringExecution:
        - {weight: 50, preference: {matchExpressions: [{key: example.com/pool, operator: In, values: [x]}]}}
  - name: PodTopologySpread
    args:
      defaultingType: List
      defaultConstraints: [{maxSkew: 2, topologyKey: topology.kubernetes.io/zone, whenUnsatisfiable: DoNotSchedule}]
- schedulerName: packing-scheduler
  plugins:
    multiPoint: {disabled: [{name: DefaultPreemption}]}
  pluginConfig:
  - name: NodeResourcesFit
    args: {scoringStrategy: {type: MostAllocated, resources: [{name: cpu, weight: 3}, {name: memory, weight: 1}]}}
`

// otherWeight is the default profile but for one weight, which is 1 there.
const otherWeight = `
- schedulerName: default-scheduler
  plugins:
    score: {disabled: [{name: NodeResourcesBalancedAllocation}], enabled: [{name: NodeResourcesBalancedAllocation, weight: 9}]}
`
