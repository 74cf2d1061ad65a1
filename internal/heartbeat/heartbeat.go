// Package heartbeat defines the stream that a node agent holds to each replica of the controller: one HTTP/2 request over TLS, whose body has
// the agent's frames and whose response body has the controller's. A frame is one line of JSON. What the two sides do with frames is in
// internal/agent/heartbeat and internal/controller/heartbeat.
package heartbeat

import (
	"crypto/tls"
	"time"
)

const (
	// Path is the path of the request, a POST.
	Path = "/heartbeat"
	// Audience is the audience of the token in the request's Authorization header.
	Audience = "naosu-heartbeat"
	// ServerName is the DNS name in the controller's serving certificate. It is not resolved.
	ServerName = "naosu-controller"
	// BootIDHeader is the request's header with the boot ID of the agent's machine.
	BootIDHeader = "Naosu-Boot-Id"
	// Interval is the time between two heartbeats of an agent.
	Interval = time.Second
	// ProbePort is the only port that an agent connects to on request: that of kubelets.
	ProbePort = 10250
	// ProbeTimeout is how long an agent waits for a connection to a probed address.
	ProbeTimeout = 1500 * time.Millisecond
	// MaxFrame is the longest frame in bytes, its newline included. A longer one is malformed.
	MaxFrame = 1 << 10
	// MaxMessage is the longest message of a frame in bytes; Encode shortens longer ones.
	MaxMessage = 128
)

// Curves are the key exchanges of both sides. Go's default adds one that resists quantum computers, and doubles the CPU time of a handshake: when
// a replica starts, it has thousands at once. What is to be kept secret is a token that expires within hours.
var Curves = []tls.CurveID{tls.X25519, tls.CurveP256}

// Type says what a frame is. A reader ignores types that it does not know.
type Type string

// The types of frames.
const (
	// Heartbeat is sent by the agent each Interval.
	Heartbeat Type = "heartbeat"
	// Goodbye is sent by the agent before it ends.
	Goodbye Type = "goodbye"
	// Probe is sent by the controller: the agent opens a TCP connection to Address and closes it.
	Probe Type = "probe"
	// Answer is sent by the agent: the Result of the Probe with the same ID.
	Answer Type = "answer"
)

// Result is the outcome of a probe.
type Result string

// The outcomes of probes.
const (
	// Reached: the machine accepted the connection, or refused it.
	Reached Result = "reached"
	// Unreached: there was no answer in time, or a router had no way to the machine.
	Unreached Result = "unreached"
	// Failed: the agent could not try, so nothing is known of the machine. Message has the reason.
	Failed Result = "failed"
)

// Frame is one message of a stream.
type Frame struct {
	Type Type `json:"type"`
	// ID relates an Answer to its Probe. The controller chooses it.
	ID uint64 `json:"id,omitempty"`
	// Address is that of a Probe, as IP:port.
	Address string `json:"address,omitempty"`
	// Result is that of an Answer.
	Result Result `json:"result,omitempty"`
	// Message is the reason for a Result, for logs.
	Message string `json:"message,omitempty"`
}
