package message

var englishWords = sentences{
	HeadCauses:      "Why",
	HeadRuledOut:    "Ruled out",
	HeadUnknown:     "Unknown",
	HeadRemedy:      "Remedy",
	HeadNotModelled: "Not judged",
	LabelCost:       "cost",
	LabelRisk:       "risk",
	LabelFill:       "fill in {{and .parts}}",
	LabelUnverified: "not simulated",
	LabelVerified:   "verified by simulation",
	LabelAgo:        "{{.age}} ago",
	LabelNone:       "none",
}
