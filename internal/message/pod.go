package message

// The state of a pod, in a sentence.
const (
	PodRunning    ID = "PodRunning"    // pod, node
	PodNotReady   ID = "PodNotReady"   // pod, node, why
	PodFinished   ID = "PodFinished"   // pod
	PodFailed     ID = "PodFailed"     // pod, why
	PodDeleting   ID = "PodDeleting"   // pod
	PodGated      ID = "PodGated"      // pod, gates
	PodUnseen     ID = "PodUnseen"     // pod, scheduler
	PodPending    ID = "PodPending"    // pod, why
	PodNominated  ID = "PodNominated"  // pod, node
	PodNotStarted ID = "PodNotStarted" // pod, node, why
	PodPlaced     ID = "PodPlaced"     // pod, node
	PodUnknown    ID = "PodUnknown"    // pod, state
)
