package message

// Fit: what keeps a pod off nodes (N504), nearest misses, and the remedies that follow.
const (
	TitleN504 ID = "TitleN504"
	TitleN601 ID = "TitleN601"

	PodsOf            ID = "PodsOf"            // n, owner
	UnplacedNoNodes   ID = "UnplacedNoNodes"   // who, n
	UnplacedNodes     ID = "UnplacedNodes"     // who, n, nodes, why, nearest
	UnplacedAlso      ID = "UnplacedAlso"      // said, also
	UnplacedOnly      ID = "UnplacedOnly"      // who, n, node, misses
	UnplacedOnlyGone  ID = "UnplacedOnlyGone"  // who, n, node
	UnplacedPinned    ID = "UnplacedPinned"    // who, n, claim, nodes, gone, misses
	UnplacedClaim     ID = "UnplacedClaim"     // who, n, why
	UnplacedElse      ID = "UnplacedElse"      // who, n, says
	UnplacedNominated ID = "UnplacedNominated" // who, n, node, victims
	UnplacedFits      ID = "UnplacedFits"      // pod, nodes

	NodeMisses     ID = "NodeMisses"     // node, misses
	MissSelector   ID = "MissSelector"   //
	MissLabel      ID = "MissLabel"      //
	MissTainted    ID = "MissTainted"    // taints
	MissVolume     ID = "MissVolume"     //
	MissStorage    ID = "MissStorage"    //
	MissInUse      ID = "MissInUse"      //
	MissTogether   ID = "MissTogether"   //
	MissApart      ID = "MissApart"      //
	MissSpread     ID = "MissSpread"     //
	MissDevice     ID = "MissDevice"     //
	MissOther      ID = "MissOther"      // says
	MissPort       ID = "MissPort"       //
	MissLimit      ID = "MissLimit"      //
	MissFull       ID = "MissFull"       // needs
	MissNotReady   ID = "MissNotReady"   //
	MissCordoned   ID = "MissCordoned"   //
	ShortOf        ID = "ShortOf"        // amount, resource
	ShortOfPods    ID = "ShortOfPods"    //
	PodSlots       ID = "PodSlots"       //
	Account        ID = "Account"        // asked, free, all
	FieldMatching  ID = "FieldMatching"  //
	FieldNoAddress ID = "FieldNoAddress" //

	CauseNearest           ID = "CauseNearest"           // misses
	CauseSelector          ID = "CauseSelector"          // n, total
	CauseSelectorNone      ID = "CauseSelectorNone"      // values
	LabelValues            ID = "LabelValues"            // label, values
	LabelNowhere           ID = "LabelNowhere"           // label
	CauseTaint             ID = "CauseTaint"             // taints
	TaintOfCondition       ID = "TaintOfCondition"       // taint, nodes, n, condition, on, disk, refuses
	TaintOfCloud           ID = "TaintOfCloud"           // taint, work
	KeeperAtWork           ID = "KeeperAtWork"           // keeper, namespace, have, want
	KeeperUnseen           ID = "KeeperUnseen"           //
	TaintOfAgent           ID = "TaintOfAgent"           // taint, agent, work
	AgentAtWork            ID = "AgentAtWork"            // set, namespace, n, without, pod
	AgentUnseen            ID = "AgentUnseen"            // set
	TaintOfSilence         ID = "TaintOfSilence"         // taint, nodes
	TaintOfRemoval         ID = "TaintOfRemoval"         // taint, nodes, n, by
	GroupAtMaximum         ID = "GroupAtMaximum"         // group, nodes
	CauseFull              ID = "CauseFull"              // resource, asked, most, largest, free, nodes
	CauseFragmented        ID = "CauseFragmented"        // resource, asked, most, largest, free, nodes
	CauseTooLarge          ID = "CauseTooLarge"          // resource, asked, most, largest, free, nodes
	CauseFullPods          ID = "CauseFullPods"          // nodes
	CauseSpread            ID = "CauseSpread"            // key, skew, least, open
	CauseSpreadFew         ID = "CauseSpreadFew"         // key, skew, open, domains, min
	CauseTogetherElsewhere ID = "CauseTogetherElsewhere" // pods, namespace
	CauseApartOwn          ID = "CauseApartOwn"          // key, selector, pods
	CauseApartOthers       ID = "CauseApartOthers"       // pods
	CauseTogetherNone      ID = "CauseTogetherNone"      // selector, key
	CauseTogether          ID = "CauseTogether"          // selector, key, domains
	CausePort              ID = "CausePort"              // port, pods, n
	CauseLimit             ID = "CauseLimit"             // n
	CauseInUse             ID = "CauseInUse"             // claim, pods
	CausePinned            ID = "CausePinned"            // claim, volume, nodes, gone
	CauseInZone            ID = "CauseInZone"            // claim, volume, zones
	CauseVolumeTied        ID = "CauseVolumeTied"        // claim, volume
	CausePlugin            ID = "CausePlugin"            // plugin, says
	CauseVictims           ID = "CauseVictims"           // node, victims
	CauseVictimsLate       ID = "CauseVictimsLate"       // victims

	NoPreemptionNever  ID = "NoPreemptionNever"  //
	NoPreemptionLowest ID = "NoPreemptionLowest" // priority
	NoPreemptionHelp   ID = "NoPreemptionHelp"   // n, priority
	WillPreempt        ID = "WillPreempt"        // node, victims

	RemedyReplaceCost  ID = "RemedyReplaceCost"  // object
	RemedyPreempts     ID = "RemedyPreempts"     // pods
	MadeElsewhere      ID = "MadeElsewhere"      // object, by
	KeptElsewhere      ID = "KeptElsewhere"      // object, by
	RemedyForOne       ID = "RemedyForOne"       // subject
	RemedyGrow         ID = "RemedyGrow"         // group, to, more, n
	RemedyRaiseMax     ID = "RemedyRaiseMax"     // group, to, more
	RemedyRaiseMaxRisk ID = "RemedyRaiseMaxRisk" //
	RemedyGrowRisk     ID = "RemedyGrowRisk"     //
	RemedyTaints       ID = "RemedyTaints"       // object, taints, node
	RemedyTaintsRisk   ID = "RemedyTaintsRisk"   //
	RemedyUntaint      ID = "RemedyUntaint"      // node, taint
	RemedyUntaintCost  ID = "RemedyUntaintCost"  //
	RemedyUntaintRisk  ID = "RemedyUntaintRisk"  //
	RemedyLower        ID = "RemedyLower"        // object, steps, node
	LowerStep          ID = "LowerStep"          // container, resource, from, to
	RemedyLowerRisk    ID = "RemedyLowerRisk"    //
	RemedyMove         ID = "RemedyMove"         // pod, node
	RemedyMoveCost     ID = "RemedyMoveCost"     // pod
	RemedyMoveRisk     ID = "RemedyMoveRisk"     //
	RemedyRelax        ID = "RemedyRelax"        // object, key
	RemedyRelaxRisk    ID = "RemedyRelaxRisk"    //
	RemedyPriority     ID = "RemedyPriority"     // object, class, value
	RemedyPriorityRisk ID = "RemedyPriorityRisk" //

	RolloutHeld           ID = "RolloutHeld"           // object, n, allowed, replicas, said
	RolloutKeepsOld       ID = "RolloutKeepsOld"       // object, n, allowed, replicas
	RemedyRecreate        ID = "RemedyRecreate"        // object
	RemedyRecreateCost    ID = "RemedyRecreateCost"    // object
	RemedyRecreateRisk    ID = "RemedyRecreateRisk"    // object
	RemedyUnavailable     ID = "RemedyUnavailable"     // object
	RemedyUnavailableCost ID = "RemedyUnavailableCost" // object
	RemedyUnavailableRisk ID = "RemedyUnavailableRisk" // object

	UnknownOwnPool  ID = "UnknownOwnPool"  // group
	CauseClassNodes ID = "CauseClassNodes" // class, claim, n, total
	CauseMounts     ID = "CauseMounts"     // claim
	MountMissing    ID = "MountMissing"    // claim
	MountUnmade     ID = "MountUnmade"     // claim
)
