package message

// What may be wrong with where a verb is to read from, or write to.
const (
	ErrSchedulerConfigRemedy ID = "ErrSchedulerConfigRemedy" //
	ErrNodePricesRemedy      ID = "ErrNodePricesRemedy"      //

	ErrFromParse         ID = "ErrFromParse"         // problem
	ErrFromMissing       ID = "ErrFromMissing"       // from
	ErrFromForbidden     ID = "ErrFromForbidden"     // from
	ErrFromBinary        ID = "ErrFromBinary"        // from
	ErrFromVersion       ID = "ErrFromVersion"       // from
	ErrFromTruncated     ID = "ErrFromTruncated"     // from
	ErrFromDamaged       ID = "ErrFromDamaged"       // from
	ErrFromTooLarge      ID = "ErrFromTooLarge"      // from
	ErrFromNothing       ID = "ErrFromNothing"       // from
	ErrFromRemedy        ID = "ErrFromRemedy"        //
	ErrFromVersionRemedy ID = "ErrFromVersionRemedy" //
	ErrFromAgain         ID = "ErrFromAgain"         //

	ErrOutMissing       ID = "ErrOutMissing"       //
	ErrOutMissingRemedy ID = "ErrOutMissingRemedy" //
	ErrOutExists        ID = "ErrOutExists"        // path
	ErrOutExistsRemedy  ID = "ErrOutExistsRemedy"  //
	ErrOutTerminal      ID = "ErrOutTerminal"      //
	ErrOutFormat        ID = "ErrOutFormat"        // given
	ErrOutFormatRemedy  ID = "ErrOutFormatRemedy"  //
	ErrOutWrite         ID = "ErrOutWrite"         // path, problem
	SnapshotWritten     ID = "SnapshotWritten"     // path, nodes, pods
	SnapshotKey         ID = "SnapshotKey"         // path
	SnapshotAnonymous   ID = "SnapshotAnonymous"   //
	SnapshotUnread      ID = "SnapshotUnread"      // kinds
)
