package message

// What differs between a thing that works and one that does not.
const (
	// What differs.
	Differs        ID = "Differs"        // field, object, value, other, otherValue
	DiffersVolume  ID = "DiffersVolume"  // claim, place, other, otherClaim
	DiffersVersion ID = "DiffersVersion" // owner, version, other
	DiffersAgent   ID = "DiffersAgent"   // daemon, state, node, other, good

	// What other things tell.
	OthersOnNode      ID = "OthersOnNode"      // node, poor, all
	SiblingsElsewhere ID = "SiblingsElsewhere" // all, owner, poor
	ProbesFit         ID = "ProbesFit"         // n, good, fit, node

	// The answer.
	UnlikePodCause  ID = "UnlikePodCause"  // subject, what, good
	UnlikeNodeCause ID = "UnlikeNodeCause" // what, subject, good
	UnlikeCameFirst ID = "UnlikeCameFirst" // subject, good
	UnlikeSuspects  ID = "UnlikeSuspects"  // n, subject, good, first
	UnlikeNothing   ID = "UnlikeNothing"   // subject, good, why
	UnlikeWell      ID = "UnlikeWell"      // subject, why
	UnlikeUntried   ID = "UnlikeUntried"   //

	// Heads of the text.
	HeadDiffers        ID = "HeadDiffers"        //
	HeadTogether       ID = "HeadTogether"       //
	HeadSuspects       ID = "HeadSuspects"       //
	HeadTried          ID = "HeadTried"          //
	HeadObserved       ID = "HeadObserved"       //
	UnlikeOthers       ID = "UnlikeOthers"       // n
	UnlikeMoreSuspects ID = "UnlikeMoreSuspects" // n
)
