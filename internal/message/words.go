package message

// Words of the text printer.
const (
	HeadCauses      ID = "HeadCauses"
	HeadRuledOut    ID = "HeadRuledOut"
	HeadUnknown     ID = "HeadUnknown"
	HeadRemedy      ID = "HeadRemedy"
	HeadNotModelled ID = "HeadNotModelled"
	LabelCost       ID = "LabelCost"
	LabelRisk       ID = "LabelRisk"
	LabelFill       ID = "LabelFill" // parts
	LabelUnverified ID = "LabelUnverified"
	LabelVerified   ID = "LabelVerified"
	LabelAgo        ID = "LabelAgo" // age
	LabelNone       ID = "LabelNone"
)
