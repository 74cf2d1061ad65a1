package message

// What is said of AddressPolicies, and recorded of their Remediations.
const (
	AddressEvidence      ID = "AddressEvidence"      // n, held, subnets
	AddressBegan         ID = "AddressBegan"         // remediation, n, policy
	AddressDeleted       ID = "AddressDeleted"       // id
	AddressGone          ID = "AddressGone"          // id
	AddressSpared        ID = "AddressSpared"        // id, reason
	AddressRefused       ID = "AddressRefused"       // id, words
	AddressUnsure        ID = "AddressUnsure"        // id, words
	AddressNotAnswered   ID = "AddressNotAnswered"   // words
	AddressLacks         ID = "AddressLacks"         // permission, words
	AddressStopped       ID = "AddressStopped"       // done, all, why
	AddressAsForecast    ID = "AddressAsForecast"    // n
	AddressNotAll        ID = "AddressNotAll"        // done, all
	AddressStillThere    ID = "AddressStillThere"    // ids, within
	AddressNotVerified   ID = "AddressNotVerified"   // within
	AddressNotNeeded     ID = "AddressNotNeeded"     //
	AddressLowSubnets    ID = "AddressLowSubnets"    // subnets
	AddressLowSubnet     ID = "AddressLowSubnet"     // subnet, zone, free, size
	AddressSufficient    ID = "AddressSufficient"    //
	AddressSubnetClear   ID = "AddressSubnetClear"   // subnet, zone, free, size
	AddressNoVPCCNI      ID = "AddressNoVPCCNI"      //
	AddressNoClusterName ID = "AddressNoClusterName" //
	AddressNodesUnknown  ID = "AddressNodesUnknown"  //
	AddressNoNetwork     ID = "AddressNoNetwork"     //
	AddressClockBack     ID = "AddressClockBack"     //
	AddressOtherPolicy   ID = "AddressOtherPolicy"   // policy
)
