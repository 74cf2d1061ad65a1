package message

var japaneseRebalance = sentences{
	PlanBalanced:    "すべてのワークロードは偏りなく配置されています。退避が必要な Pod はありません。",
	PlanNone:        "計画はありません。{{.n}} 個のワークロードについて、偏りをなくせる退避は見つかりませんでした。",
	PlanMinimal:     "{{.n}} 個の Pod を {{.waves}} 回に分けて退避します。同じ効果を、これより少ない退避で得ることはできません。",
	PlanIrreducible: "{{.n}} 個の Pod を {{.waves}} 回に分けて退避します。同じ効果を得るには、少なくとも {{.bound}} 個の退避が必要です。",
	PlanHowTo:       "退避を 1 回分ずつ行い、代わりに作られた Pod が Ready になってから次に進んでください。",
	PlanInMotion:    "{{.workload}} は対象外です。起動中または終了中の Pod、あるいは Ready でないノードの Pod があります。落ち着いてから、もう一度計画してください。",
	PlanProtected:   "{{.workload}} は対象外です。移す必要がある Pod は、PodDisruptionBudget、アノテーション、PersistentVolumeClaim、ノード上のデータのいずれかのため、退避できません。",
	PlanNoGain:      "{{.workload}} の偏りは残ります。ほかのノードに空きがないか、スケジューラーが配置し直しても改善しません。",
	PlanHarmful:     "{{.workload}} は対象外です。シミュレーションでは、退避しても偏りがなくならないか、ほかの Pod に影響する場合がありました。",
	ProgressPlan:    "退避を計画しています: {{.total}} 個のワークロードのうち {{.done}} 個",

	PlanHeadWave:     "回",
	PlanHeadFrom:     "移動元",
	PlanHeadTo:       "移動先 (いずれか)",
	PlanHeadWorkload: "ワークロード",
	PlanHeadNode:     "ノード",
	PlanHeadBefore:   "前",
	PlanHeadAfter:    "後",
}
