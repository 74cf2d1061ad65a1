package message

// What `naosu repair drill` says.
const (
	DrillNoNodeGiven      ID = "DrillNoNodeGiven"      // given
	DrillNodeGone         ID = "DrillNodeGone"         // node
	DrillNodeRemedy       ID = "DrillNodeRemedy"       //
	DrillExpendableAlone  ID = "DrillExpendableAlone"  //
	DrillActAlone         ID = "DrillActAlone"         //
	DrillOtherNode        ID = "DrillOtherNode"        // given, node
	DrillExpendableRemedy ID = "DrillExpendableRemedy" //
	DrillConditionRemedy  ID = "DrillConditionRemedy"  // reason

	DrillBegins   ID = "DrillBegins"   // reason, node, act, condition, by
	DrillThrough  ID = "DrillThrough"  // act, remediation
	DrillStopped  ID = "DrillStopped"  // hop, act, remediation
	DrillDidFail  ID = "DrillDidFail"  // hop
	DrillFailedAt ID = "DrillFailedAt" // hop, why

	// DrillLate and those whose names begin so say which hop did not come, and who may be the cause.
	DrillLate           ID = "DrillLate"           // hop, after, who
	DrillLateAgent      ID = "DrillLateAgent"      // node, reason
	DrillLateFault      ID = "DrillLateFault"      // node, reason
	DrillLateDetect     ID = "DrillLateDetect"     // node, reason
	DrillLateEvidence   ID = "DrillLateEvidence"   // node, reason
	DrillLateReport     ID = "DrillLateReport"     // node, reason
	DrillLateController ID = "DrillLateController" //

	DrillUnrecorded   ID = "DrillUnrecorded"   //
	DrillNotForgotten ID = "DrillNotForgotten" // remediation, why
	DrillNotWritten   ID = "DrillNotWritten"   // why
	DrillNotPutBack   ID = "DrillNotPutBack"   // condition, node, why

	DrillMark          ID = "DrillMark"          // at
	DrillRaisedSays    ID = "DrillRaisedSays"    // condition, status, reason
	DrillHolding       ID = "DrillHolding"       // held, most
	DrillWaited        ID = "DrillWaited"        // wait
	DrillGone          ID = "DrillGone"          // node
	DrillReplaced      ID = "DrillReplaced"      // node
	DrillRebooted      ID = "DrillRebooted"      // node, before, after
	DrillMended        ID = "DrillMended"        // node
	DrillNotMended     ID = "DrillNotMended"     // node, after
	DrillNeverHappened ID = "DrillNeverHappened" // by, held, sign, n
	DrillNotProposed   ID = "DrillNotProposed"   // by, held, sign, n
	DrillHeldBack      ID = "DrillHeldBack"      // by, held, sign, n, remediation, phase, why
)
