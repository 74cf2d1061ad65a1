package message

var japaneseNodeHealth = sentences{
	TitleN301: "エージェントが報告するノードの異常: condition と理由",

	NodeUnhealthy:    "{{.node}} に異常があります。{{.condition}} が{{if .age}} {{span .age}}前から{{end}} {{.status}} です{{if .signs}} ({{and .signs}}){{end}}。",
	SignOf:           "{{.reason}}{{if .entity}}: {{.entity}}{{end}}",
	CauseCondition:   "{{.node}} のエージェントが {{.condition}} を {{.status}} と報告しています。",
	CauseReason:      "{{.reason}}{{if .entity}} ({{.entity}}){{end}}、{{.since}} から: {{.means}}",
	CauseOwnReason:   "{{.reason}}{{if .entity}} ({{.entity}}){{end}}、{{.since}} から: クラスター独自の理由、または新しいエージェントの理由で、naosu のカタログにはありません。エージェントが読んだ内容: {{.raw}}",
	CauseToldReason:  "理由は{{if .reason}} {{.reason}} です{{else}}報告されていません{{end}}{{if .why}}: {{.why}}{{else}}。{{end}}",
	CauseStillPlaced: "この condition だけでは Pod の配置は止まりません。{{.node}} では {{.n}} 個の Pod が動いており、スケジューラーは今後もここに Pod を配置します。",
	RepairUnknown:    "{{.node}} が自動修復されるかどうかは Kubernetes API では分かりません。クラウド側のノード自動修復が無効になっているか、{{or .reasons}} だけが対象外になっている可能性があります。",

	RemedyDrain:     "{{.node}} を drain し、修復または交換が済むまで Pod を別のノードで動かします。",
	RemedyDrainCost: "{{.n}} 個の Pod が退避され、別のノードで起動し直します。",
	RemedyDrainRisk: "コントローラーのない Pod は作り直されません。そのような Pod があると、drain は --force なしでは実行を拒否します。",

	TitleN303: "ノードを監視するエージェントの応答途絶",

	AgentSilent:        "{{.node}} の {{and .conditions}} を書き込むエージェントから {{span .age}}応答がありません。これらの condition の内容は古くなっています。",
	CauseHeartbeat:     "{{.condition}} が最後に確認されたのは {{.at}} です。エージェントは通常 5 分ごとに確認します。",
	CauseKubeletTold:   "その間も {{.node}} の kubelet は Ready なので、応答がないのはノードではなくエージェントです。",
	CauseAgentPod:      "{{.pod}} が Ready ではありません: {{.state}}",
	AgentNever:         "ほかのノードではエージェントが報告していますが、{{.node}} では一度も報告がありません。",
	CauseAgentSelects:  "{{.set}} は {{.node}} で動くことになっており、対象となるほかの {{.n}} 台のノードにはエージェントの condition があります。",
	CauseNoAgentPod:    "{{.node}} に {{.set}} の Pod がありません。",
	UnknownHealthNever: "{{.node}} が正常かどうかは分かりません。kubelet が示すのは kubelet 自身の状態だけです。",
	UnknownHealth:      "エージェントの応答がない間、{{.node}} が正常かどうかは分かりません。",
}
