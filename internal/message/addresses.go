package message

// Addresses: N401 to N405, and why a pod has none.
const (
	TitleN401 ID = "TitleN401"
	TitleN402 ID = "TitleN402"
	TitleN403 ID = "TitleN403"
	TitleN404 ID = "TitleN404"
	TitleN405 ID = "TitleN405"

	SubnetExhausted    ID = "SubnetExhausted"    // subnet, zone, n, pods
	SubnetWillRunOut   ID = "SubnetWillRunOut"   // subnet, zone, free, needed, more
	InterfacesLeaked   ID = "InterfacesLeaked"   // n, held, subnets, oldest
	InterfacesUntagged ID = "InterfacesUntagged" // n, held, subnets, oldest
	NodeAtLimit        ID = "NodeAtLimit"        // node, type, interfaces, capacity, n, pods
	NodeAcceptsMore    ID = "NodeAcceptsMore"    // nodes, type, accepts, capacity
	PrefixesFragmented ID = "PrefixesFragmented" // subnet, zone, free, n, pods

	CauseNoFree        ID = "CauseNoFree"        // subnet
	CauseHolders       ID = "CauseHolders"       // subnet, size, pods, primary, warm, leaked, other
	CauseLeakedIn      ID = "CauseLeakedIn"      // n, held, oldest
	CauseWarmPool      ID = "CauseWarmPool"      // warm, nodes
	CauseNoOtherSubnet ID = "CauseNoOtherSubnet" // zone
	CauseGroupGrows    ID = "CauseGroupGrows"    // group, nodes, max, held, pods
	CauseSlotsUsed     ID = "CauseSlotsUsed"     // node, pods, capacity
	CauseNoBlock       ID = "CauseNoBlock"       // subnet
	CauseLeakOrigin    ID = "CauseLeakOrigin"    //
	CauseNoClusterTag  ID = "CauseNoClusterTag"  //

	AddressPluginDown   ID = "AddressPluginDown"   // pod, node, state
	AddressNoPlugin     ID = "AddressNoPlugin"     // node
	AddressNoPermission ID = "AddressNoPermission" // node
	AddressThrottled    ID = "AddressThrottled"    // node
	AddressCoolDown     ID = "AddressCoolDown"     // node, n
	AddressNoCause      ID = "AddressNoCause"      // node, command
	AddressThrottleGap  ID = "AddressThrottleGap"  //
	AddressPartUnread   ID = "AddressPartUnread"   // parts, permission, why

	RuledOutFree       ID = "RuledOutFree"       // subnet, free
	RuledOutLimit      ID = "RuledOutLimit"      // node, pods, capacity
	RuledOutPlugin     ID = "RuledOutPlugin"     // pod, node
	RuledOutLeaks      ID = "RuledOutLeaks"      // subnet
	RuledOutPermission ID = "RuledOutPermission" //

	RemedyTagSubnet         ID = "RemedyTagSubnet"         // subnet, zone, free
	RemedyTagSubnetCost     ID = "RemedyTagSubnetCost"     //
	RemedyTagSubnetRisk     ID = "RemedyTagSubnetRisk"     //
	RemedyDeleteLeak        ID = "RemedyDeleteLeak"        // id, held, n
	RemedyDeleteLeakRisk    ID = "RemedyDeleteLeakRisk"    // instance
	RemedyDeleteLeakGone    ID = "RemedyDeleteLeakGone"    // instance
	RemedyWarmPool          ID = "RemedyWarmPool"          // ip, minimum, saved
	RemedyWarmPoolCost      ID = "RemedyWarmPoolCost"      //
	RemedyWarmPoolRisk      ID = "RemedyWarmPoolRisk"      //
	RemedyNewSubnet         ID = "RemedyNewSubnet"         // zone
	RemedyNewSubnetCost     ID = "RemedyNewSubnetCost"     //
	RemedyNewSubnetRisk     ID = "RemedyNewSubnetRisk"     //
	RemedyPrefixes          ID = "RemedyPrefixes"          //
	RemedyPrefixesCost      ID = "RemedyPrefixesCost"      //
	RemedyPrefixesRisk      ID = "RemedyPrefixesRisk"      //
	RemedyReserve           ID = "RemedyReserve"           // subnet
	RemedyReserveRisk       ID = "RemedyReserveRisk"       //
	RemedyPermission        ID = "RemedyPermission"        //
	RemedyENIConfig         ID = "RemedyENIConfig"         // config, subnet, zone, free
	RemedyENIConfigCost     ID = "RemedyENIConfigCost"     //
	RemedyENIConfigRisk     ID = "RemedyENIConfigRisk"     //
	ENIConfigSubnet         ID = "ENIConfigSubnet"         // config, node, subnet, free
	ENIConfigSubnetUnknown  ID = "ENIConfigSubnetUnknown"  // config, node, subnet
	ENIConfigMissing        ID = "ENIConfigMissing"        // node, config
	ENIConfigUnknown        ID = "ENIConfigUnknown"        // nodes
	AddressesHeadENIConfigs ID = "AddressesHeadENIConfigs" //
	AddressesHeadENIConfig  ID = "AddressesHeadENIConfig"  //
	AddressesHeadUsers      ID = "AddressesHeadUsers"      //
	AddressesMissing        ID = "AddressesMissing"        //
	RemedyNoCost            ID = "RemedyNoCost"            //

	NotJudgedCustomNetworking ID = "NotJudgedCustomNetworking" //
	NotJudgedBranchInterfaces ID = "NotJudgedBranchInterfaces" //
	NotJudgedAutoMode         ID = "NotJudgedAutoMode"         //
	NotJudgedIPv6             ID = "NotJudgedIPv6"             //
	AddressGroupUnknown       ID = "AddressGroupUnknown"       // group
	AddressSettingsUnknown    ID = "AddressSettingsUnknown"    //
	AddressBadSubnet          ID = "AddressBadSubnet"          // subnet, cidr

	AddressesSummary        ID = "AddressesSummary"        // subnets, nodes, leaked, held
	PodRangesSummary        ID = "PodRangesSummary"        // nodes
	PodRangesUnknown        ID = "PodRangesUnknown"        //
	PodRangesExhausted      ID = "PodRangesExhausted"      // about, words
	PodRangesHeadExhausted  ID = "PodRangesHeadExhausted"  //
	PodRangesHeadGroup      ID = "PodRangesHeadGroup"      //
	PodRangesHeadRange      ID = "PodRangesHeadRange"      //
	PodRangesHeadMaxPods    ID = "PodRangesHeadMaxPods"    //
	PodRangesHeadMostPods   ID = "PodRangesHeadMostPods"   //
	AddressesNoNetwork      ID = "AddressesNoNetwork"      //
	AddressesNoRemedy       ID = "AddressesNoRemedy"       //
	AddressesHeadZone       ID = "AddressesHeadZone"       //
	AddressesHeadSize       ID = "AddressesHeadSize"       //
	AddressesHeadFree       ID = "AddressesHeadFree"       //
	AddressesHeadPods       ID = "AddressesHeadPods"       //
	AddressesHeadWarm       ID = "AddressesHeadWarm"       //
	AddressesHeadLeaked     ID = "AddressesHeadLeaked"     //
	AddressesHeadOther      ID = "AddressesHeadOther"      //
	AddressesHeadAtMax      ID = "AddressesHeadAtMax"      //
	AddressesHeadNodes      ID = "AddressesHeadNodes"      //
	AddressesHeadLeaks      ID = "AddressesHeadLeaks"      //
	AddressesHeadSubnet     ID = "AddressesHeadSubnet"     //
	AddressesHeadHeld       ID = "AddressesHeadHeld"       //
	AddressesHeadCreated    ID = "AddressesHeadCreated"    //
	AddressesHeadOwner      ID = "AddressesHeadOwner"      //
	AddressesHeadMine       ID = "AddressesHeadMine"       //
	AddressesHeadReclaim    ID = "AddressesHeadReclaim"    //
	AddressesYes            ID = "AddressesYes"            //
	AddressesNoTag          ID = "AddressesNoTag"          //
	AddressesUnknownCell    ID = "AddressesUnknownCell"    //
	AddressesHeadType       ID = "AddressesHeadType"       //
	AddressesHeadInterfaces ID = "AddressesHeadInterfaces" //
	AddressesHeadAllNodes   ID = "AddressesHeadAllNodes"   //
	ReclaimNoClusterName    ID = "ReclaimNoClusterName"    //
	ReclaimNoClusterTag     ID = "ReclaimNoClusterTag"     //
	ReclaimOwnerUnclear     ID = "ReclaimOwnerUnclear"     //
	ReclaimOwnerUnread      ID = "ReclaimOwnerUnread"      //
	ReclaimOwnerExists      ID = "ReclaimOwnerExists"      //
	ReclaimTooYoung         ID = "ReclaimTooYoung"         //
	ReclaimSeenOnce         ID = "ReclaimSeenOnce"         //
	FieldPodAddresses       ID = "FieldPodAddresses"       //
	FieldSubnetFree         ID = "FieldSubnetFree"         //
	ProgressNetwork         ID = "ProgressNetwork"         //
)
