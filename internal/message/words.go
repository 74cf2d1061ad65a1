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
	LabelAbout      ID = "LabelAbout"
	LabelRead       ID = "LabelRead"
	LabelFill       ID = "LabelFill" // parts
	LabelUnverified ID = "LabelUnverified"
	LabelVerified   ID = "LabelVerified"
	LabelAgo        ID = "LabelAgo" // age
	LabelNone       ID = "LabelNone"

	// The answer without a subject, and what the verb refuses.
	OverviewCount        ID = "OverviewCount"        // what, namespace, selector, causes
	OverviewPods         ID = "OverviewPods"         // n
	OverviewWorkloads    ID = "OverviewWorkloads"    // n
	OverviewAlso         ID = "OverviewAlso"         // n, names
	OverviewDependents   ID = "OverviewDependents"   // n, names
	OverviewMore         ID = "OverviewMore"         // command
	OverviewBrief        ID = "OverviewBrief"        // n, command
	OverviewLeft         ID = "OverviewLeft"         // causes, n
	OverviewAll          ID = "OverviewAll"          // command
	OverviewElsewhere    ID = "OverviewElsewhere"    // n, command
	ErrNotThere          ID = "ErrNotThere"          // subject, kind, namespace, near, elsewhere
	ErrNoNamespace       ID = "ErrNoNamespace"       // given
	ErrNamespaceRemedy   ID = "ErrNamespaceRemedy"   // names, more
	ErrForbiddenKind     ID = "ErrForbiddenKind"     // kind
	ErrWhyFailOn         ID = "ErrWhyFailOn"         // severity
	ErrSelectorOne       ID = "ErrSelectorOne"       // given, subject
	ErrSelectorOneRemedy ID = "ErrSelectorOneRemedy" //
	ErrUnlike            ID = "ErrUnlike"            // given, subject
	ErrUnlikeRemedy      ID = "ErrUnlikeRemedy"      //
	UnreadKinds          ID = "UnreadKinds"          // kinds
)
