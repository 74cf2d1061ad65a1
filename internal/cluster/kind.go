package cluster

// Kind is an API kind that a Snapshot may hold.
type Kind string

// The kinds a Snapshot holds.
const (
	Node                  Kind = "Node"
	Pod                   Kind = "Pod"
	PersistentVolumeClaim Kind = "PersistentVolumeClaim"
	PersistentVolume      Kind = "PersistentVolume"
	StorageClass          Kind = "StorageClass"
	VolumeAttachment      Kind = "VolumeAttachment"
	CSINode               Kind = "CSINode"
	Event                 Kind = "Event"
)

// Knowledge says how much of a kind a Snapshot holds.
type Knowledge string

// How much of a kind is known. The zero value counts as Absent.
const (
	Complete  Knowledge = "Complete"  // every object of the cluster
	Partial   Knowledge = "Partial"   // those the question needed, such as one namespace's
	Forbidden Knowledge = "Forbidden" // the credentials may not read it
	Absent    Knowledge = "Absent"    // not asked for, or not served by this cluster
)

// Known says whether conclusions may be drawn from the objects of such a kind.
func (k Knowledge) Known() bool { return k == Complete || k == Partial }
