package snapshot

import "time"

// Header is what a file says of itself.
type Header struct {
	// Taken is when the objects were read.
	Taken time.Time `json:"taken"`
	// Server is the API server's version, such as "v1.35.2"; empty if it is not known.
	Server string `json:"server,omitempty"`
	// Knowledge says how much of a kind the file holds: Complete, Partial, Forbidden or Absent. A kind not named is
	// Absent.
	Knowledge map[string]string `json:"knowledge,omitempty"`
	// Anonymized says that names were replaced.
	Anonymized bool `json:"anonymized,omitempty"`
	// Applied says that objects have the owners of their fields, and the manifest that kubectl applied last.
	Applied bool `json:"applied,omitempty"`
	// Values tells the key that the digests of environment variables' values are made with from others; empty if there are none.
	Values string `json:"values,omitempty"`
	// Unread is why a part of the cloud's network could not be read, by part: Subnet, NetworkInterface, Instance, InstanceType or
	// AutoScalingGroup.
	Unread map[string]Unread `json:"unread,omitempty"`
}

// Unread is why something could not be read.
type Unread struct {
	// Permission is the one that was missing; empty if the reason is another.
	Permission string `json:"permission,omitempty"`
	// Reason is why the cloud was not asked, such as NoRegion; empty if it answered with an error. Detail belongs to it; empty in an anonymized file.
	Reason string `json:"reason,omitempty"`
	Detail string `json:"detail,omitempty"`
	// Err is the error; empty in an anonymized file.
	Err string `json:"error,omitempty"`
}

// Record is one object.
type Record struct {
	APIVersion, Kind string
	// Encoding is Protobuf or JSON.
	Encoding string
	// Data is the object: of Protobuf its message without the API's envelope, which APIVersion and Kind stand for.
	Data []byte
}

// The encodings of a record.
const (
	Protobuf = "protobuf"
	JSON     = "json"
)

// Magic begins every file; one byte with the format's version follows.
const Magic = "naosu snapshot "

const version = '1'

// Bounds on what a reader accepts, and a writer writes. An API server takes no request of more than 3 MiB, and hands
// etcd no object of more than 1.5 MiB unless told otherwise (k8s.io/apiserver MaxRequestBodyBytes).
const (
	maxHeader = 1 << 20
	maxWord   = 256
	maxData   = 3 << 20
	// MaxSize is what the records of a file may hold together, in bytes: about ten times a cluster of 5,000 nodes and
	// 100,000 pods. A small file that would unpack to more is an attack or a mistake.
	MaxSize = 4 << 30
)
