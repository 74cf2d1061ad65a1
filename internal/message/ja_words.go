package message

var japaneseWords = sentences{
	HeadCauses:      "原因",
	HeadRuledOut:    "原因ではないもの",
	HeadUnknown:     "不明な点",
	HeadRemedy:      "対処",
	HeadNotModelled: "判定していないもの",
	LabelCost:       "コスト",
	LabelRisk:       "リスク",
	LabelFill:       "{{and .parts}} は実際の値に置き換えてください",
	LabelUnverified: "シミュレーション未実施",
	LabelVerified:   "シミュレーションで確認済み",
	LabelAgo:        "{{.age}} 前",
	LabelNone:       "なし",
}
