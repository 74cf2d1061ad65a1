package finding

// Code names a kind of finding. A code never changes its meaning; docs/en/findings.md lists them.
type Code string

// The codes.
const (
	N101 Code = "N101" // pod pending on a volume in a zone without a usable node
	N102 Code = "N102" // a group may be left without a node in a zone that holds its volumes
	N103 Code = "N103" // losing a zone would leave pods nowhere to go
	N104 Code = "N104" // VolumeAttachment stuck, and why deleting it does not help

	N201 Code = "N201" // node down: what waits, until when
	N202 Code = "N202" // failover slower than it need be
	N203 Code = "N203" // lopsided after recovery
	N204 Code = "N204" // one node or zone holds every replica
	N205 Code = "N205" // pod stuck Terminating or StatefulSet blocked on a dead node

	N301 Code = "N301" // unhealthy node: condition and reason
	N302 Code = "N302" // a repair that would not happen, or that nothing shows would happen
	N303 Code = "N303" // the node's agent is silent
	N304 Code = "N304" // a repair held back by the guard, and why

	N401 Code = "N401" // subnet exhausted, pods without an address
	N402 Code = "N402" // subnet that runs out of addresses when groups reach their maximum
	N403 Code = "N403" // leaked interfaces
	N404 Code = "N404" // one node out of addresses or interfaces for its type
	N405 Code = "N405" // prefix fragmentation

	N501 Code = "N501" // pod preempted: by whom, and what made it grow
	N502 Code = "N502" // pods that the next step of a DaemonSet or its autoscaler would preempt
	N503 Code = "N503" // headroom too small for the failure it is meant to cover
	N504 Code = "N504" // pending for capacity or constraints

	N601 Code = "N601" // a pod or workload that should run and does not, for a reason no other code names
	N602 Code = "N602" // PodDisruptionBudget that allows no eviction, or protects nothing
	N603 Code = "N603" // Service without endpoints
	N604 Code = "N604" // HorizontalPodAutoscaler that cannot scale
	N605 Code = "N605" // namespace that is deleted and stays
	N606 Code = "N606" // ResourceQuota for which something is refused
	N607 Code = "N607" // Ingress that sends requests to where nothing answers

	N611 Code = "N611" // Karpenter NodePool at its limit or not ready
	N612 Code = "N612" // Karpenter NodeClaim that does not become a node
	N613 Code = "N613" // Kueue Workload that is not admitted
)

// Codes are all of them, in order.
var Codes = []Code{N101, N102, N103, N104, N201, N202, N203, N204, N205, N301, N302, N303, N304, N401, N402, N403, N404, N405, N501, N502, N503, N504, N601, N602, N603, N604, N605, N606, N607, N611, N612, N613}
