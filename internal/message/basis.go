package message

// What an answer does not rest on.
const (
	KindForbidden   ID = "KindForbidden"   // kind, code, title
	KindAbsent      ID = "KindAbsent"      // kind, code, title
	FitNotModelled  ID = "FitNotModelled"  //
	PodNotModelled  ID = "PodNotModelled"  //
	OtherScheduler  ID = "OtherScheduler"  // scheduler
	ClaimUnbound    ID = "ClaimUnbound"    // claim
	VolumeElsewhere ID = "VolumeElsewhere" // claim, volume
	NodesOpen       ID = "NodesOpen"       // claim, zones, nodes
)
