package message

// What an answer does not rest on.
const (
	KindForbidden   ID = "KindForbidden"   // kind, code, title
	KindAbsent      ID = "KindAbsent"      // kind, code, title
	KindsPartial    ID = "KindsPartial"    // kinds
	PodNotModelled  ID = "PodNotModelled"  //
	OtherScheduler  ID = "OtherScheduler"  // scheduler
	NoJudge         ID = "NoJudge"         //
	OtherVersion    ID = "OtherVersion"    // server, version
	UnknownVersion  ID = "UnknownVersion"  // version
	DefaultProfile  ID = "DefaultProfile"  // version
	RuleNotModelled ID = "RuleNotModelled" // what
	SomePods        ID = "SomePods"        //
	NoAttachLimits  ID = "NoAttachLimits"  // kinds
	NoNamespaces    ID = "NoNamespaces"    //
	JudgeFailed     ID = "JudgeFailed"     // why
)
